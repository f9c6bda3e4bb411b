//! What can be done with reviews, as requests.
//!
//! Arguments of an action come as any JSON; what is kept and hashed is their canonical form, made
//! from the text itself, so that a key that stands twice is refused rather than lost.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::value::{RawValue, to_raw_value};
use utoipa::ToSchema;

use super::action::{AmountShown, StoredShown};
use super::ask::{AlternativeShown, WaitShown};
use super::hash_of;
use super::vote::verdict_of;
use crate::api::wire::time::Time;
use crate::api::wire::words::Word as _;
use crate::api::wire::{WireError, name_map};
use crate::base::{Digest, JobId, Span};
use crate::model::action::{Action, Args, EffectClass, Json};
use crate::model::program::Environment;
use crate::model::review::{Alternative, Ask, ReviewVerb, Signature, Wait};

/// What somebody wants to do. Either `args` or `stored` says how.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct ActionRequest {
    /// What kind of thing: `command`, `tool`, …
    pub kind: String,
    /// The tool, if one is used.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tool: Option<String>,
    /// The arguments: any JSON, at most 64 KiB in canonical form.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<Object>)]
    pub args: Option<Box<RawValue>>,
    /// In place of `args`, what is longer: a list of files with their digests.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stored: Option<StoredShown>,
    /// On what: an account, a host, a branch.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub target: Option<String>,
    /// How much money.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub amount: Option<AmountShown>,
}

/// A job asks. The header `Idempotency-Key`, or else the action's hash, finds the same review
/// again.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct AskRequest {
    /// The job; that of the caller if it does not say.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub job: Option<u64>,
    /// `read`, `reversible`, `irreversible`, `external`, `money` or `unknown`.
    pub effect: String,
    /// What it wants to do.
    pub action: ActionRequest,
    /// What it says about it.
    #[serde(default)]
    pub summary: String,
    /// Who inside the job asks.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub agent: Option<String>,
    /// Other things that would do.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub alternatives: Vec<AlternativeShown>,
    /// What must still be so when the right is used, by name.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub conditions: BTreeMap<String, String>,
    /// How it waits; it parks if it does not say.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub wait: Option<WaitShown>,
    /// An action of kind `command` that needs no GPU: once it is approved and the job is not there
    /// to do it, it runs as a small job of its own, with this whole environment.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub step_environment: Option<BTreeMap<String, String>>,
}

/// Yes or no.
#[derive(Debug, Clone, Default, Serialize, Deserialize, ToSchema)]
#[serde(default, deny_unknown_fields)]
pub struct VoteRequest {
    /// `approve`, `deny` or `deny_and_stop`.
    pub verdict: String,
    /// Why; a no needs it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// What was looked at: at least eight hex digits of the action's hash. A yes needs it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub action_hash: Option<String>,
    /// Only if this is still the review's version.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub if_version: Option<u32>,
    /// It takes effect after so many milliseconds; until then it can be taken back.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub undo_ms: Option<u64>,
    /// A yes is good so often.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub uses: Option<u32>,
    /// And until then.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub until: Option<Time>,
    /// An armoured SSHSIG over the ballot of this vote.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub signature: Option<String>,
    /// What it signs; it must be the ballot, byte for byte.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub signed_text: Option<String>,
}

/// Change what it is about.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct EditRequest {
    /// All of what it is about from now on.
    pub action: ActionRequest,
    /// Hash of what was looked at.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub action_hash: Option<String>,
}

/// A question, or an answer.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct SayRequest {
    /// What.
    pub text: String,
}

/// Hand one's seat on for this review.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct DelegateRequest {
    /// To whom.
    pub to: String,
}

/// More time.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct ExtendRequest {
    /// So many milliseconds more.
    pub by_ms: u64,
}

/// The asker takes it back.
#[derive(Debug, Clone, Default, Serialize, Deserialize, ToSchema)]
#[serde(default, deny_unknown_fields)]
pub struct WithdrawRequest {
    /// Why, if said.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// It was never done and never will be.
    pub abandoned: bool,
}

/// Take a yes back.
#[derive(Debug, Clone, Default, Serialize, Deserialize, ToSchema)]
#[serde(default, deny_unknown_fields)]
pub struct RevokeRequest {
    /// Why, if said.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
}

/// Use the right. It needs the hash or the action of what will be done.
#[derive(Debug, Clone, Default, Serialize, Deserialize, ToSchema)]
#[serde(default, deny_unknown_fields)]
pub struct RedeemRequest {
    /// `sha256:HEX` of what will be done.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub action_hash: Option<String>,
    /// What will be done; another action than the approved one opens a new review.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub action: Option<ActionRequest>,
    /// What is so now, for each condition of the request; null if there is no such thing any
    /// more.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub conditions: BTreeMap<String, Option<String>>,
}

/// Hand all seats on for a while, or take them back.
#[derive(Debug, Clone, Default, Serialize, Deserialize, ToSchema)]
#[serde(default, deny_unknown_fields)]
pub struct AwayRequest {
    /// Whose; the caller's own if it does not say.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub from: Option<String>,
    /// To whom; null takes them back.
    pub to: Option<String>,
    /// Until when; null is until they are taken back.
    pub until: Option<Time>,
}

impl ActionRequest {
    /// The request for an action.
    pub fn new(from: &Action) -> ActionRequest {
        let shown = super::action::ActionShown::from(from);
        ActionRequest {
            kind: shown.kind,
            tool: shown.tool,
            // Canonical arguments are JSON.
            args: shown.args.and_then(|text| RawValue::from_string(text).ok()),
            stored: shown.stored,
            target: shown.target,
            amount: shown.amount,
        }
    }

    /// The action, its arguments in canonical form.
    ///
    /// # Errors
    /// When the arguments could be read in two ways, or say nothing.
    pub fn into_model(self) -> Result<Action, WireError> {
        let args = match (self.args, self.stored) {
            (Some(raw), None) => {
                let read = Json::read(raw.get());
                let args = read.map_err(|why| WireError(format!("args is not usable: {why}")))?;
                Args::Here(args.canonical())
            }
            (None, Some(stored)) => {
                let (args, stored) = (None, Some(stored));
                let (kind, tool, target, amount) = (String::new(), None, None, None);
                let shown = super::action::ActionShown { kind, tool, args, stored, target, amount };
                Action::try_from(shown)?.args
            }
            _ => return Err(WireError("an action has either args or stored".to_owned())),
        };
        Ok(Action {
            kind: self.kind.into(),
            tool: self.tool.map(Into::into),
            args,
            target: self.target,
            amount: self.amount.map(TryInto::try_into).transpose()?,
        })
    }
}

impl AskRequest {
    /// The request for what a job asks.
    pub fn new(job: Option<JobId>, from: &Ask) -> AskRequest {
        let other = |other: &Alternative| AlternativeShown {
            name: other.name.to_string(),
            summary: other.summary.clone(),
        };
        let conditions = from.conditions.iter().map(|(k, v)| (k.to_string(), v.clone()));
        AskRequest {
            job: job.map(|job| job.0),
            effect: from.effect.to_word(),
            action: ActionRequest::new(&from.action),
            summary: from.summary.clone(),
            agent: from.agent.as_ref().map(ToString::to_string),
            alternatives: from.alternatives.iter().map(other).collect(),
            conditions: conditions.collect(),
            wait: Some(from.wait.into()),
            step_environment: None,
        }
    }

    /// It may run as a small job of its own in this environment.
    #[must_use]
    pub fn with_step(self, environment: &Environment) -> AskRequest {
        let environment = environment.0.iter().cloned().collect();
        AskRequest { step_environment: Some(environment), ..self }
    }

    /// The environment of that job.
    pub fn take_environment(&mut self) -> Option<Environment> {
        self.step_environment.take().map(Environment::new)
    }

    /// What is asked; `key` is the caller's idempotency key.
    ///
    /// # Errors
    /// When a word is unknown or the action makes no sense.
    pub fn into_model(self, key: Option<String>) -> Result<(Option<JobId>, Ask), WireError> {
        let other = |other: AlternativeShown| Alternative {
            name: other.name.into(),
            summary: other.summary,
        };
        let ask = Ask {
            effect: EffectClass::of_word(&self.effect)?,
            action: self.action.into_model()?,
            summary: self.summary,
            agent: self.agent.map(Into::into),
            alternatives: self.alternatives.into_iter().map(other).collect(),
            conditions: name_map(self.conditions),
            wait: self.wait.map_or(Ok(Wait::Park), TryInto::try_into)?,
            key,
            step: None,
            undeclared: false,
        };
        Ok((self.job.map(JobId), ask))
    }
}

impl VoteRequest {
    /// The signature that came with it, unchecked.
    pub fn take_signature(&mut self) -> Option<Signature> {
        let (armoured, text) = (self.signature.take()?, self.signed_text.take());
        let text = text.unwrap_or_default();
        Some(Signature { key: String::new(), touched: false, armoured, text })
    }

    /// The vote; its signature is for whoever can check it.
    ///
    /// # Errors
    /// When the verdict is unknown.
    pub fn into_model(self) -> Result<ReviewVerb, WireError> {
        Ok(ReviewVerb::Vote {
            verdict: verdict_of(&self.verdict)?,
            reason: self.reason,
            hash: self.action_hash,
            version: self.if_version,
            undo: Span(self.undo_ms.unwrap_or(0)),
            uses: self.uses,
            until: self.until.map(|time| time.0),
            signature: None,
        })
    }
}

impl EditRequest {
    /// The edit.
    ///
    /// # Errors
    /// When the action makes no sense.
    pub fn into_model(self) -> Result<ReviewVerb, WireError> {
        let action = Box::new(self.action.into_model()?);
        Ok(ReviewVerb::Edit { action, hash: self.action_hash })
    }
}

impl RedeemRequest {
    /// The use.
    ///
    /// # Errors
    /// When hash or action make no sense.
    pub fn into_model(self) -> Result<ReviewVerb, WireError> {
        let hash: Option<Digest> = self.action_hash.as_deref().map(hash_of).transpose()?;
        let action = self.action.map(ActionRequest::into_model).transpose()?.map(Box::new);
        let conditions = self.conditions.into_iter().map(|(k, v)| (k.into(), v)).collect();
        Ok(ReviewVerb::Redeem { hash, action, conditions })
    }
}

/// What is sent for a verb.
///
/// # Errors
/// When it cannot be written as JSON.
pub fn body_of(verb: &ReviewVerb) -> serde_json::Result<Box<RawValue>> {
    let text = |text: &str| SayRequest { text: text.to_owned() };
    match verb {
        ReviewVerb::Vote { verdict, reason, hash, version, undo, uses, until, signature } => {
            to_raw_value(&VoteRequest {
                verdict: verdict.word().to_owned(),
                reason: reason.clone(),
                action_hash: hash.clone(),
                if_version: *version,
                undo_ms: Some(undo.0).filter(|ms| *ms > 0),
                uses: *uses,
                until: until.map(Time),
                signature: signature.as_ref().map(|signature| signature.armoured.clone()),
                signed_text: signature.as_ref().map(|signature| signature.text.clone()),
            })
        }
        ReviewVerb::Edit { action, hash } => {
            let action = ActionRequest::new(action);
            to_raw_value(&EditRequest { action, action_hash: hash.clone() })
        }
        ReviewVerb::AskBack { text: said } | ReviewVerb::Answer { text: said } => {
            to_raw_value(&text(said))
        }
        ReviewVerb::Delegate { to } => to_raw_value(&DelegateRequest { to: to.to_string() }),
        ReviewVerb::Extend { by } => to_raw_value(&ExtendRequest { by_ms: by.0 }),
        ReviewVerb::Withdraw { reason, abandoned } => {
            let (reason, abandoned) = (reason.clone(), *abandoned);
            to_raw_value(&WithdrawRequest { reason, abandoned })
        }
        ReviewVerb::Revoke { reason } => to_raw_value(&RevokeRequest { reason: reason.clone() }),
        ReviewVerb::Redeem { hash, action, conditions } => to_raw_value(&RedeemRequest {
            action_hash: hash.map(super::hash_text),
            action: action.as_deref().map(ActionRequest::new),
            conditions: conditions.iter().map(|(k, v)| (k.to_string(), v.clone())).collect(),
        }),
        ReviewVerb::Escalate | ReviewVerb::Look | ReviewVerb::Leave => {
            RawValue::from_string("{}".to_owned())
        }
    }
}
