//! Votes, decisions and the right that a yes gives.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::rule::FallbackShown;
use super::shown::Seen;
use super::{hash_of, hash_text};
use crate::api::wire::time::{Time, join, split};
use crate::api::wire::words::Word as _;
use crate::api::wire::{WireError, names, texts};
use crate::base::{JobId, Span};
use crate::model::review::grant::Spent;
use crate::model::review::{Assurance, Decision, Grant, ReviewState, Signature, Verdict, Vote};

/// One person's word on one hash.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct VoteShown {
    /// Who.
    pub by: String,
    /// The voter's uid.
    pub uid: Option<u32>,
    /// Whose seat it fills.
    pub seat: String,
    /// `approve`, `deny` or `deny_and_stop`.
    pub verdict: String,
    /// Why.
    pub reason: Option<String>,
    /// Of exactly this.
    pub action_hash: String,
    /// `same-user`, `other-user` or `hardware`.
    pub assurance: String,
    /// A yes for so many uses, if the voter said so.
    pub uses: Option<u32>,
    /// A yes until then, if the voter said so.
    pub until: Option<Time>,
    /// The voter owns the job, and nobody else could decide.
    #[serde(rename = "self")]
    pub own: bool,
    /// The signature that came with it.
    pub signature: Option<SignatureShown>,
    /// It takes effect then and can be taken back before; null once it does.
    #[serde(default)]
    pub effective_at: Option<Time>,
    /// Its voter took it back then.
    #[serde(default)]
    pub taken_back: Option<Seen>,
    /// When.
    pub at: Time,
    /// The same on the scheduler's clock.
    pub at_mono: u64,
}

/// A signature over hash and verdict.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct SignatureShown {
    /// Fingerprint of the key.
    pub key: String,
    /// The key is on a device that was touched.
    pub touched: bool,
    /// The armoured SSHSIG.
    pub armoured: String,
    /// What was signed, byte for byte.
    pub text: String,
}

/// How it was decided.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct DecisionShown {
    /// Where it stands.
    pub state: String,
    /// Who decided; empty when time or a rule did.
    pub by: Vec<String>,
    /// Why.
    pub reason: Option<String>,
    /// The job stops.
    pub stop: bool,
    /// What was done because nobody decided.
    pub fallback: Option<FallbackShown>,
}

/// The right that a yes gives.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct GrantShown {
    /// How often it may be used.
    pub uses: u32,
    /// How often it was.
    pub used: u32,
    /// Not before this.
    pub valid_from: Time,
    /// It is good for so many milliseconds once the job runs.
    pub life_ms: u64,
    /// Until when; null while the job does not run.
    pub valid_until: Option<Time>,
    /// Whoever gave it said until when: its clock never stands.
    pub dated: bool,
    /// When it was used.
    pub spent: Vec<SpentShown>,
}

/// One use.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct SpentShown {
    /// By which attempt of the job.
    pub attempt: u32,
    /// The small job that used it in the asker's place.
    #[serde(default)]
    pub step: Option<u64>,
    /// When.
    pub at: Time,
    /// The same on the scheduler's clock.
    pub at_mono: u64,
}

impl From<&Vote> for VoteShown {
    fn from(from: &Vote) -> VoteShown {
        let (at, at_mono) = split(from.at);
        let signature = |signature: &Signature| SignatureShown {
            key: signature.key.clone(),
            touched: signature.touched,
            armoured: signature.armoured.clone(),
            text: signature.text.clone(),
        };
        VoteShown {
            by: from.by.to_string(),
            uid: from.uid,
            seat: from.seat.to_string(),
            verdict: from.verdict.word().to_owned(),
            reason: from.reason.clone(),
            action_hash: hash_text(from.hash),
            assurance: from.assurance.to_word(),
            uses: from.uses,
            until: from.until.map(Time),
            own: from.own,
            signature: from.signature.as_deref().map(signature),
            effective_at: from.from.map(Time),
            taken_back: from.back.map(Into::into),
            at,
            at_mono,
        }
    }
}

/// The verdict behind its word.
pub fn verdict_of(word: &str) -> Result<Verdict, WireError> {
    Ok(match word {
        "approve" => Verdict::Approve,
        "deny" => Verdict::Deny { stop: false },
        "deny_and_stop" => Verdict::Deny { stop: true },
        other => return Err(WireError::unknown("verdict", other)),
    })
}

impl TryFrom<VoteShown> for Vote {
    type Error = WireError;

    fn try_from(from: VoteShown) -> Result<Vote, WireError> {
        let signature = |shown: SignatureShown| {
            let SignatureShown { key, touched, armoured, text } = shown;
            Box::new(Signature { key, touched, armoured, text })
        };
        Ok(Vote {
            by: from.by.into(),
            uid: from.uid,
            seat: from.seat.into(),
            verdict: verdict_of(&from.verdict)?,
            reason: from.reason,
            hash: hash_of(&from.action_hash)?,
            assurance: Assurance::of_word(&from.assurance)?,
            uses: from.uses,
            until: from.until.map(|time| time.0),
            own: from.own,
            signature: from.signature.map(signature),
            from: from.effective_at.map(|time| time.0),
            back: from.taken_back.map(Into::into),
            at: join(from.at, from.at_mono),
        })
    }
}

impl From<&Decision> for DecisionShown {
    fn from(from: &Decision) -> DecisionShown {
        DecisionShown {
            state: from.state.to_word(),
            by: texts(&from.by),
            reason: from.reason.clone(),
            stop: from.stop,
            fallback: from.fallback.as_ref().map(Into::into),
        }
    }
}

impl TryFrom<DecisionShown> for Decision {
    type Error = WireError;

    fn try_from(from: DecisionShown) -> Result<Decision, WireError> {
        Ok(Decision {
            state: ReviewState::of_word(&from.state)?,
            by: names(from.by),
            reason: from.reason,
            stop: from.stop,
            fallback: from.fallback.map(TryInto::try_into).transpose()?,
        })
    }
}

impl From<&Grant> for GrantShown {
    fn from(from: &Grant) -> GrantShown {
        let spent = |spent: &Spent| {
            let (at, at_mono) = split(spent.at);
            SpentShown { attempt: spent.attempt, step: spent.step.map(|step| step.0), at, at_mono }
        };
        GrantShown {
            uses: from.uses,
            used: from.used,
            valid_from: Time(from.from),
            life_ms: from.life.0,
            valid_until: from.until.map(Time),
            dated: from.dated,
            spent: from.spent.iter().map(spent).collect(),
        }
    }
}

impl From<GrantShown> for Grant {
    fn from(from: GrantShown) -> Grant {
        let spent = |s: SpentShown| Spent {
            attempt: s.attempt,
            at: join(s.at, s.at_mono),
            step: s.step.map(JobId),
        };
        Grant {
            uses: from.uses,
            used: from.used,
            from: from.valid_from.0,
            life: Span(from.life_ms),
            until: from.valid_until.map(|time| time.0),
            dated: from.dated,
            spent: from.spent.into_iter().map(spent).collect(),
        }
    }
}
