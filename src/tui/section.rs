//! The parts of the home list, most urgent first.

use crate::model::page::{JobRow, Lane, is_stuck};
use crate::tui::theme::Ink;
use crate::view::list::Kind;

/// A part of the home list.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Section {
    /// Waits on people.
    People,
    /// Something is wrong with it.
    Stuck,
    /// Holds room.
    Running,
    /// Waits.
    Queued,
    /// Ended.
    Ended,
}

impl Section {
    /// All of them, in order.
    pub const ALL: [Section; 5] =
        [Section::People, Section::Stuck, Section::Running, Section::Queued, Section::Ended];

    /// Its place, from 0.
    pub const fn place(self) -> usize {
        self as usize
    }

    /// Its title.
    pub const fn title(self) -> &'static str {
        match self {
            Section::People => "WAITING ON PEOPLE",
            Section::Stuck => "STUCK",
            Section::Running => "RUNNING",
            Section::Queued => "QUEUED",
            Section::Ended => "ENDED",
        }
    }

    /// Its word in the line of counts.
    pub const fn word(self) -> &'static str {
        match self {
            Section::People => "people",
            Section::Stuck => "stuck",
            Section::Running => "running",
            Section::Queued => "queued",
            Section::Ended => "ended",
        }
    }

    /// The ink of its title.
    pub const fn ink(self) -> Ink {
        match self {
            Section::People => Ink::NeedsYou,
            Section::Stuck => Ink::Stuck,
            Section::Running => Ink::Running,
            Section::Queued => Ink::Queued,
            Section::Ended => Ink::Head,
        }
    }

    /// What the rows of the list have in common.
    pub const fn kind(self) -> Kind {
        match self {
            Section::People => Kind::In(Lane::Human),
            Section::Stuck => Kind::Stuck,
            Section::Running => Kind::In(Lane::Running),
            Section::Queued => Kind::In(Lane::Queued),
            Section::Ended => Kind::In(Lane::Ended),
        }
    }

    /// The term of the filter language that asks the server for it.
    pub const fn term(self) -> &'static str {
        match self {
            Section::People => "lane=human",
            Section::Stuck => "lane=stuck",
            Section::Running => "lane=running",
            Section::Queued => "lane=queued",
            Section::Ended => "lane=ended",
        }
    }

    /// A row that came for it belongs to it.
    pub fn holds(self, row: &JobRow) -> bool {
        match self.kind() {
            Kind::Stuck => row.lane != Lane::Ended && is_stuck(&row.findings),
            Kind::In(lane) => row.lane == lane,
        }
    }
}
