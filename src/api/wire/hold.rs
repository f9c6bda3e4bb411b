//! A person holds something back.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::time::{Time, join, split};
use crate::model;

/// A person holds a job, a team or everything back.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Hold {
    /// Who.
    pub by: String,
    /// Since when.
    pub since: Time,
    /// The same on the scheduler's clock.
    pub since_mono: u64,
    /// Lifts by itself at this time.
    pub until: Option<Time>,
    /// Why.
    pub reason: Option<String>,
}

impl From<&model::job::Hold> for Hold {
    fn from(from: &model::job::Hold) -> Hold {
        let (since, since_mono) = split(from.since);
        Hold {
            by: from.by.to_string(),
            since,
            since_mono,
            until: from.until.map(Time),
            reason: from.reason.clone(),
        }
    }
}

impl From<Hold> for model::job::Hold {
    fn from(from: Hold) -> model::job::Hold {
        model::job::Hold {
            by: from.by.into(),
            since: join(from.since, from.since_mono),
            until: from.until.map(|time| time.0),
            reason: from.reason,
        }
    }
}
