//! How a review was decided.

use serde::{Deserialize, Serialize};

use super::{Fallback, ReviewState};
use crate::base::Name;

/// How a review came to stand as it does.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Decision {
    /// Where it stands now.
    pub state: ReviewState,
    /// Who decided: people, the job itself, or nobody when time or a rule did.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub by: Vec<Name>,
    /// Why; this is what the job gets to read.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// The job stops.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub stop: bool,
    /// What the rule said should happen when nobody decides, where that was done.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fallback: Option<Fallback>,
}

impl Decision {
    /// Nobody in particular, no reason.
    pub fn of(state: ReviewState) -> Decision {
        Decision { state, by: Vec::new(), reason: None, stop: false, fallback: None }
    }
}
