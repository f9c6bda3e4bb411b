//! Something wrong with a job.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::reason::Value;
use super::time::{Time, join, split};
use super::words::Word as _;
use super::{WireError, Words, name_map, text_map};
use crate::model;
use crate::model::finding::{Level, Signal};

/// A finding that stands.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Finding {
    /// What was noticed: `never_fits`, `never_started`, `limit_near`, `long_running`,
    /// `idle`, `unhealthy`, `deadline_at_risk`, `unasked`, `review_ageing`, `resume_loop`,
    /// `denied_again`, `nobody_told`, `step_lost`.
    pub signal: String,
    /// `notice`, `suspect` or `stuck`.
    pub level: String,
    /// One sentence.
    pub text: String,
    /// Since when it stands.
    pub since: Time,
    /// The same on the scheduler's clock.
    pub since_mono: u64,
    /// The evidence.
    pub evidence: BTreeMap<String, Value>,
    /// Who said "seen".
    pub acked_by: Option<String>,
}

impl Finding {
    /// The document of a finding.
    pub fn new(finding: &model::Finding, words: &dyn Words) -> Finding {
        let (since, since_mono) = split(finding.since);
        Finding {
            signal: finding.signal.to_word(),
            level: finding.level.to_word(),
            text: words.finding(finding),
            since,
            since_mono,
            evidence: text_map(&finding.evidence),
            acked_by: finding.acked.as_ref().map(ToString::to_string),
        }
    }
}

impl TryFrom<Finding> for model::Finding {
    type Error = WireError;

    fn try_from(from: Finding) -> Result<model::Finding, WireError> {
        Ok(model::Finding {
            signal: Signal::of_word(&from.signal)?,
            level: Level::of_word(&from.level)?,
            since: join(from.since, from.since_mono),
            evidence: name_map(from.evidence),
            acked: from.acked_by.map(Into::into),
        })
    }
}
