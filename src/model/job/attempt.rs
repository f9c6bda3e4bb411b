//! A finished run of a job.

use serde::{Deserialize, Serialize};

use crate::base::{At, Name};
use crate::model::job::{Exit, StopFor};

/// Finished attempts a job remembers; older ones are forgotten first.
pub const KEPT: usize = 20;

/// One run from placement to end.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct AttemptRecord {
    /// Its number, from 1.
    pub attempt: u32,
    /// When its first task was placed.
    pub started: At,
    /// When its last task ended.
    pub ended: At,
    /// Where it ran.
    pub nodes: Vec<Name>,
    /// Why we stopped it, if we did.
    pub stopped_for: Option<StopFor>,
    /// How it ended: of several tasks the first that failed.
    pub exit: Option<Exit>,
}
