//! What a job asked of people, as far as its own life depends on it.

use serde::{Deserialize, Serialize};

use crate::base::{At, ReviewId};
use crate::model::review::Wait;

/// What a job asked of people.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Asking {
    /// Its open reviews, oldest first.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub open: Vec<OpenReview>,
    /// It saved itself and ended, or was frozen, to wait for them.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub waits: bool,
    /// It was answered and waits for room to go on.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub returning: bool,
    /// It had saved itself to wait, and came back: it continues where it was.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub saved: bool,
    /// The answer it came back with last, or comes back with.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub answered: Option<ReviewId>,
}

/// One open review.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct OpenReview {
    /// Its number.
    pub review: ReviewId,
    /// What the job does meanwhile.
    pub wait: Wait,
    /// When it was asked.
    pub asked: At,
}

impl Asking {
    /// Nothing was asked, or all of it is forgotten.
    pub fn is_nothing(&self) -> bool {
        *self == Asking::default()
    }

    /// It does nothing else until it is answered.
    pub fn blocks(&self) -> bool {
        self.open.iter().any(|open| open.wait != Wait::Go)
    }

    /// It holds what it has and waits, since then.
    pub fn holds(&self) -> Option<At> {
        let held = self.open.iter().filter(|open| matches!(open.wait, Wait::Hold { .. }));
        held.map(|open| open.asked).min()
    }
}
