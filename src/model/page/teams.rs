//! The tree of teams, as readers get it.

use crate::base::{At, JobId, Name, Wall};
use crate::model::Resources;
use crate::model::job::Hold;
use crate::model::team::{Bounds, DEFAULT_TEAM, Terms};
use crate::model::window::InForce;

/// All teams the reader may see.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TeamPage {
    /// The teams, by path, each right after the one above it.
    pub teams: Vec<TeamRow>,
    /// When windows of theirs are open over the next days, by window, then by time.
    pub openings: Vec<Opening>,
    /// The last record the page includes.
    pub seq: u64,
    /// When it was made.
    pub at: At,
}

/// A time at which a window of a team is open.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Opening {
    /// The team.
    pub team: Name,
    /// The window.
    pub window: Name,
    /// The zone of its hours.
    pub zone: Name,
    /// From when on.
    pub from: Wall,
    /// Until when.
    pub until: Wall,
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
    /// What its jobs hold now of what teams share; what is being given back is left out.
    pub held: Resources,
    /// The part of it that no other team can take back: jobs that are not preemptible.
    pub firm: Resources,
    /// What its queued jobs, its growing gangs and those that come back after they gave way want.
    pub pending: Resources,
    /// What it may hold now, all teams considered; `None` while nobody worked it out.
    pub share: Option<Resources>,
    /// Jobs that hold room.
    pub running: u64,
    /// Jobs that wait for room.
    pub queued: u64,
    /// Since when, at least, it holds more than its limit or its share allows now, if it does:
    /// since what still holds room there came to more than that.
    pub over_since: Option<At>,
    /// Since when the oldest job waits that it is owed room for, if it is owed some.
    pub owed_since: Option<At>,
    /// The job that would have to give room first if another team took back what it is owed.
    pub next_victim: Option<JobId>,
}

impl TeamRow {
    /// How deep it stands in the tree; 0 for a root.
    pub fn depth(&self) -> usize {
        self.name.matches('/').count()
    }

    /// What it wants and may have, but does not hold; `None` while nobody worked out its share.
    pub fn owed(&self) -> Option<Resources> {
        let share = self.share.as_ref()?;
        let part = |share: u64, held: u64, wanted: u64| share.saturating_sub(held).min(wanted);
        let (held, wanted) = (&self.held, &self.pending);
        Some(Resources {
            cpu_milli: part(share.cpu_milli, held.cpu_milli, wanted.cpu_milli),
            mem_bytes: part(share.mem_bytes, held.mem_bytes, wanted.mem_bytes),
            gpu_milli: part(share.gpu_milli, held.gpu_milli, wanted.gpu_milli),
            ..Resources::default()
        })
    }

    /// What it may hold now of the things of which it holds more; `None` if it does of none.
    pub fn over(&self) -> Option<Bounds> {
        let (limit, share) = (&self.terms.limit, self.share.as_ref());
        let part = |limit: Option<u64>, share: Option<u64>, held: u64| {
            let may = limit.into_iter().chain(share).min()?;
            (held > may).then_some(may)
        };
        let bounds = Bounds {
            cpu_milli: part(limit.cpu_milli, share.map(|s| s.cpu_milli), self.held.cpu_milli),
            mem_bytes: part(limit.mem_bytes, share.map(|s| s.mem_bytes), self.held.mem_bytes),
            gpu_milli: part(limit.gpu_milli, share.map(|s| s.gpu_milli), self.held.gpu_milli),
        };
        (bounds != Bounds::default()).then_some(bounds)
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
