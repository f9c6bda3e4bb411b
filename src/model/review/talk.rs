//! What is said around a review: questions, answers, who stands in for whom, who was told.

use serde::{Deserialize, Serialize};

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
    /// Why it did not arrive; `None` if it did.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub failed: Option<String>,
    /// When.
    pub at: At,
}
