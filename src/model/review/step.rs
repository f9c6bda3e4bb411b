//! What was approved runs as a small job of its own while the job that asked waits for its room.

use serde::{Deserialize, Serialize};

use crate::base::{At, JobId, Span};

/// Thousandths of a core that a step asks for at most; never more than the job that asked.
pub const CPU_MILLI: u64 = 1000;
/// Bytes that a step asks for at most.
pub const MEM_BYTES: u64 = 512 << 20;
/// How long a step is thought to run, until something is learned of its like.
pub const ESTIMATE: Span = Span::mins(1);
/// A step makes nobody give room: it may after a hundred years.
pub const NEVER_EVICTS: Span = Span::hours(100 * 366 * 24);

/// The small job that does what a review is about.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Step {
    /// Its number.
    pub job: JobId,
    /// How far it came.
    pub state: StepState,
    /// Since when.
    pub since: At,
}

/// How far a step came.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum StepState {
    /// It has not used the right yet.
    Waits,
    /// It used the right.
    Runs,
    /// It used the right, and what was approved ended with this code.
    Done(i32),
    /// It used the right, and nobody knows how what was approved ended. It is never run again.
    Lost,
    /// It ended, or was taken back, before it used the right: nothing ran. The text says why.
    Unused(String),
}

impl StepState {
    /// Its stable word.
    pub const fn word(&self) -> &'static str {
        match self {
            StepState::Waits => "waits",
            StepState::Runs => "runs",
            StepState::Done(_) => "done",
            StepState::Lost => "lost",
            StepState::Unused(_) => "unused",
        }
    }

    /// It is the step that does it, or did: nobody else does.
    pub const fn used_the_right(&self) -> bool {
        matches!(self, StepState::Runs | StepState::Done(_) | StepState::Lost)
    }

    /// Nothing will come of it any more.
    pub const fn is_over(&self) -> bool {
        !matches!(self, StepState::Waits | StepState::Runs)
    }
}
