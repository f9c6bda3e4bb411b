//! What is said around a review: questions, answers, who stands in for whom, who was told.

use serde::{Deserialize, Serialize};

use super::{Moment, is_default};
use crate::base::{At, Name, Wall};

/// Entries of one kind that a review keeps.
pub const TALK_MAX: usize = 100;

/// A question to the asker, or an answer.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Said {
    /// Who; a job as `job 42`.
    pub by: Name,
    /// It is the asker's answer.
    pub answer: bool,
    /// What.
    pub text: String,
    /// When.
    pub at: At,
}

/// Somebody handed a seat on.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Delegation {
    /// Whose seat.
    pub from: Name,
    /// To whom.
    pub to: Name,
    /// Until when; `None` for as long as the review is open.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub until: Option<Wall>,
}

impl Delegation {
    /// It holds at `wall`.
    pub fn holds(&self, wall: Wall) -> bool {
        self.until.is_none_or(|until| until > wall)
    }
}

/// Somebody was told, or should have been.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Delivery {
    /// Whom.
    pub to: Name,
    /// How: the name of a `[[notify]]`, `console`.
    pub via: Name,
    /// At which moment of the review.
    #[serde(default)]
    pub moment: Moment,
    /// Why it did not arrive the last time; `None` if it did, or was not tried to the end yet.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub failed: Option<String>,
    /// How often it was tried.
    #[serde(default, skip_serializing_if = "is_default")]
    pub tries: u32,
    /// It is still being tried; else what it says is the end.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub open: bool,
    /// When.
    pub at: At,
}

impl Delivery {
    /// The same message to the same target.
    pub fn is_of(&self, moment: Moment, via: &str) -> bool {
        self.moment == moment && *self.via == *via
    }

    /// It arrived.
    pub fn arrived(&self) -> bool {
        !self.open && self.failed.is_none()
    }

    /// It never will.
    pub fn gave_up(&self) -> bool {
        !self.open && self.failed.is_some()
    }

    /// It was begun, and nobody knows what came of that.
    pub fn is_in_flight(&self) -> bool {
        self.open && self.failed.is_none()
    }
}
