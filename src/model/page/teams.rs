//! The tree of teams, as readers get it.

use crate::base::{At, Name};
use crate::model::Resources;
use crate::model::job::Hold;
use crate::model::team::{DEFAULT_TEAM, Terms};
use crate::model::window::InForce;

/// All teams the reader may see.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TeamPage {
    /// The teams, by path, each right after the one above it.
    pub teams: Vec<TeamRow>,
    /// The last record the page includes.
    pub seq: u64,
    /// When it was made.
    pub at: At,
}

/// A team in a list. Amounts and numbers of jobs are those of its whole subtree.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TeamRow {
    /// Its path.
    pub name: Name,
    /// What it is owed and may hold now.
    pub terms: Terms,
    /// The window that makes these of its own terms, if one is open.
    pub window: Option<Box<InForce>>,
    /// A person holds it back.
    pub paused: Option<Hold>,
    /// What its jobs hold now.
    pub held: Resources,
    /// The part of it that no other team can take back: jobs that are not preemptible.
    pub firm: Resources,
    /// What its queued jobs and growing gangs still want.
    pub pending: Resources,
    /// What it may hold now, all teams considered; `None` while nobody worked it out.
    pub share: Option<Resources>,
    /// Jobs that hold room.
    pub running: u64,
    /// Jobs that wait for room.
    pub queued: u64,
    /// Since when it holds more than its limit or its share allows, if it does.
    pub over_since: Option<At>,
}

impl TeamRow {
    /// How deep it stands in the tree; 0 for a root.
    pub fn depth(&self) -> usize {
        self.name.matches('/').count()
    }

    /// The last part of its path.
    pub fn leaf(&self) -> &str {
        self.name.rsplit('/').next().unwrap_or(&self.name)
    }
}

impl TeamPage {
    /// Somebody uses teams: there is more than the one that always exists, or it has terms.
    pub fn in_use(&self) -> bool {
        let plain = |row: &TeamRow| {
            *row.name == *DEFAULT_TEAM && row.terms == Terms::default() && row.window.is_none()
        };
        !self.teams.iter().all(plain)
    }
}
