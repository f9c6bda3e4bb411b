//! Why a job is where it is.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::job::Expected;
use super::reason::Reason;
use super::state::{StateDetail, state_of, state_words};
use super::{SCHEMA_VERSION, WireError, Words};
use crate::base::JobId;
use crate::model;
use crate::model::page;

/// The document of an answer to `why`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct WhyDocument {
    /// 1.
    pub schema_version: u32,
    /// The answer.
    pub why: Why,
}

/// Why a job is where it is.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Why {
    /// The job.
    pub job: u64,
    /// Where it stands.
    pub state: String,
    /// What stands behind that word.
    pub state_detail: StateDetail,
    /// The dominant reason.
    pub reason: Reason,
    /// The others.
    pub also: Vec<Reason>,
    /// What would change it.
    pub would_change: Vec<Reason>,
    /// When it will probably start.
    pub expected_start_at: Option<Expected>,
    /// Its place among the queued jobs that could take the same room, from 1.
    pub position: Option<u64>,
}

impl WhyDocument {
    /// The document of an answer.
    pub fn new(why: &page::Why, words: &dyn Words) -> WhyDocument {
        let (state, state_detail) = state_words(&why.state, None, None);
        let changes = why.would_change.iter().map(|reason| Reason::change(reason, words));
        let why = Why {
            job: why.job.0,
            state,
            state_detail,
            reason: Reason::new(&why.reason, words),
            also: why.also.iter().map(|reason| Reason::new(reason, words)).collect(),
            would_change: changes.collect(),
            expected_start_at: why.expected_start.map(Expected::from),
            position: why.position,
        };
        WhyDocument { schema_version: SCHEMA_VERSION, why }
    }
}

impl TryFrom<WhyDocument> for page::Why {
    type Error = WireError;

    fn try_from(document: WhyDocument) -> Result<page::Why, WireError> {
        super::check_version(document.schema_version)?;
        let from = document.why;
        let all = |reasons: Vec<Reason>| -> Result<Vec<model::Reason>, WireError> {
            reasons.into_iter().map(TryInto::try_into).collect()
        };
        Ok(page::Why {
            job: JobId(from.job),
            state: state_of(&from.state, &from.state_detail)?,
            reason: from.reason.try_into()?,
            also: all(from.also)?,
            would_change: all(from.would_change)?,
            expected_start: from.expected_start_at.map(TryInto::try_into).transpose()?,
            position: from.position,
        })
    }
}
