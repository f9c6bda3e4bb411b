//! A countable resource that nobody may take for a while.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::time::{Time, join, split};
use crate::base::JobId;
use crate::model::setup;

/// Nobody may take units of a countable resource for a while.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Limited {
    /// Until then; lifts by itself.
    pub until: Time,
    /// Who said so.
    pub by: String,
    /// The job that was told so by the other side, if it was one.
    pub job: Option<u64>,
    /// Why, if said.
    pub reason: Option<String>,
    /// Since when.
    pub since: Time,
    /// The same on the scheduler's clock.
    pub since_mono: u64,
}

impl From<&setup::Limited> for Limited {
    fn from(from: &setup::Limited) -> Limited {
        let (since, since_mono) = split(from.since);
        Limited {
            until: Time(from.until),
            by: from.by.to_string(),
            job: from.job.map(|job| job.0),
            reason: from.reason.clone(),
            since,
            since_mono,
        }
    }
}

impl From<Limited> for setup::Limited {
    fn from(from: Limited) -> setup::Limited {
        setup::Limited {
            until: from.until.0,
            by: from.by.into(),
            job: from.job.map(JobId),
            reason: from.reason,
            since: join(from.since, from.since_mono),
        }
    }
}
