//! What lifts a job above its priority.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::base::JobId;
use crate::model::job;

/// The priority a job has from one that waits for it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Inherited {
    /// What that one is sorted by.
    pub priority: u16,
    /// Which one.
    pub from: u64,
    /// The countable resource it waits for; null if it comes after the job.
    pub resource: Option<String>,
}

impl From<&job::Inherited> for Inherited {
    fn from(from: &job::Inherited) -> Inherited {
        let resource = from.resource.as_ref().map(ToString::to_string);
        Inherited { priority: from.priority, from: from.from.0, resource }
    }
}

impl From<Inherited> for job::Inherited {
    fn from(from: Inherited) -> job::Inherited {
        let resource = from.resource.map(Into::into);
        job::Inherited { priority: from.priority, from: JobId(from.from), resource }
    }
}
