//! The right that a yes gives: to do exactly the hashed action, so often, until then.

use serde::{Deserialize, Serialize};

use crate::base::{At, JobId, Span, Wall};

/// A right to do exactly what a review is about.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Grant {
    /// How often it may be used.
    pub uses: u32,
    /// How often it was.
    #[serde(default)]
    pub used: u32,
    /// Not before this: until then the yes can be taken back without anything having happened.
    pub from: Wall,
    /// It is good so long once the job runs.
    pub life: Span,
    /// Until when it is good; `None` while the job does not run, for then its clock stands.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub until: Option<Wall>,
    /// Whoever gave it said until when, so its clock is the calendar and never stands.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub dated: bool,
    /// When it was used, and by which attempt.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub spent: Vec<Spent>,
}

/// One use of a right.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Spent {
    /// The attempt of the job.
    pub attempt: u32,
    /// When.
    pub at: At,
    /// The small job that used it in the asker's place.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub step: Option<JobId>,
}

impl Grant {
    /// Uses that are left.
    pub fn left(&self) -> u32 {
        self.uses.saturating_sub(self.used)
    }
}

/// The most often that one yes may be used.
pub const USES_MAX: u32 = 1000;
