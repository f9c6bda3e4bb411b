//! Questions about what would happen, and the answers. Nothing becomes so.

use crate::base::{JobId, Name};
use crate::model::Resources;
use crate::model::estimate::Forecast;
use crate::model::fact::Rule;
use crate::model::submission::Submission;
use crate::model::team::Bounds;

/// What if …
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Supposition {
    /// Somebody submitted this.
    Submit(Box<Submission>),
    /// There were one more node with so much.
    AddNode(Resources),
    /// A team were owed so much; bounds that are not named stay.
    Quota {
        /// Its path.
        team: Name,
        /// What it were owed.
        quota: Bounds,
    },
    /// A node were drained.
    Drain(Name),
}

/// What would happen.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Outlook {
    /// The jobs a submission would make.
    pub made: Vec<JobId>,
    /// Jobs that would start at once.
    pub starts: Vec<Start>,
    /// Jobs that would have to give room at once.
    pub evictions: Vec<Taken>,
    /// Jobs whose forecast would change, in order of their numbers.
    pub shifts: Vec<Shift>,
}

/// A job that would start at once.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Start {
    /// The job.
    pub job: JobId,
    /// Its name.
    pub name: Name,
    /// Where.
    pub nodes: Vec<Name>,
}

/// A job that would have to give room.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Taken {
    /// The job.
    pub job: JobId,
    /// Its name.
    pub name: Name,
    /// By which rule.
    pub rule: Rule,
    /// Who would get the room.
    pub taker: Option<JobId>,
    /// It would go on elsewhere at once.
    pub moved: bool,
}

/// A job whose forecast would change.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Shift {
    /// The job.
    pub job: JobId,
    /// Its name.
    pub name: Name,
    /// What is expected now; `None` if nothing is.
    pub before: Option<Forecast>,
    /// What would be expected.
    pub after: Option<Forecast>,
    /// People are asked about it: it would come back then, …
    pub returns: bool,
    /// … and room would be kept for it on these nodes.
    pub kept_on: Vec<Name>,
}
