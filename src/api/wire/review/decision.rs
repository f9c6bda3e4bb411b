//! What a job gets to read of its answer: the file at `HOLDSHORT_DECISION_FILE`, and the body of
//! the same answer over HTTP.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::action::ActionShown;
use super::hash_text;
use super::rule::FallbackShown;
use super::said::SaidShown;
use super::step::StepShown;
use super::vote::{GrantShown, VoteShown};
use crate::api::wire::SCHEMA_VERSION;
use crate::api::wire::time::Time;
use crate::api::wire::words::Word as _;
use crate::model::ports::Papers;
use crate::model::review::Review;

/// How a review stands, for the job that asked.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct DecisionFile {
    /// 1.
    pub schema_version: u32,
    /// The review: `R17`.
    pub id: String,
    /// The job.
    pub job: u64,
    /// Where it stands.
    pub state: String,
    /// The exit code that `ask` would give: 0 yes, 10 no, 11 expired, 12 withdrawn, 13 changed;
    /// null while it is open.
    pub exit_code: Option<u8>,
    /// Hash of what may be done.
    pub action_hash: String,
    /// What of it the hash covers.
    pub hash_fields: Vec<String>,
    /// Votes, with who gave them and how sure we are of that.
    pub votes: Vec<VoteShown>,
    /// Why it was decided so.
    pub reason: Option<String>,
    /// What may be done, if somebody edited it.
    pub edited_action: Option<ActionShown>,
    /// The right to do it.
    pub grant: Option<GrantShown>,
    /// The small job that does it in this one's place; `holdshort logs` has its output.
    pub step: Option<StepShown>,
    /// Nobody decided, and this was done instead.
    pub fallback: Option<FallbackShown>,
    /// The rule it was decided by; null for the defaults.
    pub policy: Option<String>,
    /// Version of the rule.
    pub policy_version: String,
    /// The review that took its place.
    pub superseded_by: Option<String>,
    /// Questions and answers.
    pub talk: Vec<SaidShown>,
    /// Since when it stands so.
    pub since: Time,
    /// When it expires or did.
    pub expires_at: Time,
}

impl From<&Review> for DecisionFile {
    fn from(from: &Review) -> DecisionFile {
        let decision = from.decision.as_deref();
        DecisionFile {
            schema_version: SCHEMA_VERSION,
            id: from.id.to_string(),
            job: from.job.0,
            state: from.state.to_word(),
            exit_code: from.exit_code(),
            action_hash: hash_text(from.hash),
            hash_fields: from.action().covered(),
            votes: from.votes.iter().map(Into::into).collect(),
            reason: decision.and_then(|decision| decision.reason.clone()),
            edited_action: from.edited.as_deref().map(Into::into),
            grant: from.grant.as_deref().map(Into::into),
            step: from.step.as_deref().map(Into::into),
            fallback: decision.and_then(|d| d.fallback.as_ref()).map(Into::into),
            policy: from.rule.policy.as_ref().map(ToString::to_string),
            policy_version: from.rule.version.to_string(),
            superseded_by: from.replaced_by.map(|review| review.to_string()),
            talk: from.talk.iter().map(Into::into).collect(),
            since: Time(from.since.wall),
            expires_at: Time(from.deadline),
        }
    }
}

/// Writes decisions as JSON.
#[derive(Debug, Clone, Copy, Default)]
pub struct JsonPapers;

impl Papers for JsonPapers {
    fn decision(&self, review: &Review) -> Vec<u8> {
        // A document of texts and numbers can always be written.
        let mut bytes = serde_json::to_vec_pretty(&DecisionFile::from(review)).unwrap_or_default();
        bytes.push(b'\n');
        bytes
    }
}
