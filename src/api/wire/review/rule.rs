//! Policies and the rules they make.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::action::AmountShown;
use super::ask::WaitShown;
use crate::api::wire::words::Word as _;
use crate::api::wire::{WireError, names, texts};
use crate::base::Span;
use crate::base::calendar::Weekly;
use crate::model::action::EffectClass;
use crate::model::review::{Demand, Fallback, ReviewPolicy, Rule};

/// What happens when nobody decides in time.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct FallbackShown {
    /// `deny`, `deny_and_cancel`, `keep_waiting`, `run_alternative` or `approve`.
    pub kind: String,
    /// `run_alternative`: which.
    pub alternative: Option<String>,
}

/// Hours of the week.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct HoursShown {
    /// Their zone.
    pub zone: String,
    /// Days on which they begin, Monday in the lowest bit.
    pub days: u8,
    /// Minute of the day at which they begin.
    pub from: u16,
    /// Minute at which they end.
    pub to: u16,
}

/// A policy. What is null or empty is left to the defaults of the effect class.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct PolicyShown {
    /// Its name.
    pub name: String,
    /// For this team and those below it; empty for all.
    pub team: String,
    /// For these classes.
    pub effects: Vec<String>,
    /// For these tools.
    pub tools: Vec<String>,
    /// For more money than this only.
    pub above: Option<AmountShown>,
    /// People who may decide.
    pub approvers: Vec<String>,
    /// People who may decide too once it is escalated.
    pub escalate_to: Vec<String>,
    /// Yeses that are needed.
    pub need: Option<u32>,
    /// Noes that decide.
    pub deny_at: Option<u32>,
    /// Within so many milliseconds.
    pub within_ms: Option<u64>,
    /// Reminded after so many percent of that.
    pub remind_at: Option<u8>,
    /// Escalated after so many percent of that.
    pub escalate_at: Option<u8>,
    /// What happens then.
    pub fallback: Option<FallbackShown>,
    /// `any` or `high`.
    pub assurance: Option<String>,
    /// A yes is good so many milliseconds once the job runs.
    pub grant_ms: Option<u64>,
    /// A yes is good so often.
    pub uses: Option<u32>,
    /// How the job waits.
    pub wait: Option<WaitShown>,
    /// What is too long to be shown whole is refused.
    pub whole_only: bool,
    /// Variables of the environment that a yes to a command line covers too.
    #[serde(default)]
    pub env: Vec<String>,
    /// What is approved of jobs that hold GPUs runs as a small job of its own.
    #[serde(default)]
    pub step: bool,
    /// When the approvers are at work.
    pub hours: Option<HoursShown>,
    /// When nobody is reminded.
    pub quiet: Option<HoursShown>,
}

/// The rule of one request.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct RuleShown {
    /// The policy's name; null if the defaults hold.
    pub policy: Option<String>,
    /// The policy's version.
    pub version: String,
    /// Yeses that are needed.
    pub need: u32,
    /// Noes that decide.
    pub deny_at: u32,
    /// Within so many milliseconds.
    pub within_ms: u64,
    /// Reminded after so many percent of that.
    pub remind_at: u8,
    /// Escalated after so many percent of that.
    pub escalate_at: u8,
    /// What happens then.
    pub fallback: FallbackShown,
    /// `any` or `high`.
    pub assurance: String,
    /// A yes is good so many milliseconds once the job runs.
    pub grant_ms: u64,
    /// A yes is good so often.
    pub uses: u32,
    /// When nobody is reminded.
    pub quiet: Option<HoursShown>,
}

impl From<&Fallback> for FallbackShown {
    fn from(from: &Fallback) -> FallbackShown {
        let alternative = match from {
            Fallback::RunAlternative(name) => Some(name.to_string()),
            _ => None,
        };
        FallbackShown { kind: from.word().to_owned(), alternative }
    }
}

impl TryFrom<FallbackShown> for Fallback {
    type Error = WireError;

    fn try_from(from: FallbackShown) -> Result<Fallback, WireError> {
        Ok(match from.kind.as_str() {
            "deny" => Fallback::Deny,
            "deny_and_cancel" => Fallback::DenyAndCancel,
            "keep_waiting" => Fallback::KeepWaiting,
            "run_alternative" => {
                let name = from.alternative.ok_or_else(|| WireError::missing("alternative"))?;
                Fallback::RunAlternative(name.into())
            }
            "approve" => Fallback::Approve,
            other => return Err(WireError::unknown("fallback", other)),
        })
    }
}

impl From<&Weekly> for HoursShown {
    fn from(from: &Weekly) -> HoursShown {
        let Weekly { zone, days, from, to } = from;
        HoursShown { zone: zone.to_string(), days: *days, from: *from, to: *to }
    }
}

impl From<HoursShown> for Weekly {
    fn from(from: HoursShown) -> Weekly {
        Weekly { zone: from.zone.into(), days: from.days, from: from.from, to: from.to }
    }
}

impl From<&ReviewPolicy> for PolicyShown {
    fn from(from: &ReviewPolicy) -> PolicyShown {
        PolicyShown {
            name: from.name.to_string(),
            team: from.team.to_string(),
            effects: from.effects.iter().map(|effect| effect.to_word()).collect(),
            tools: from.tools.iter().map(ToString::to_string).collect(),
            above: from.above.as_ref().map(Into::into),
            approvers: texts(&from.approvers),
            escalate_to: texts(&from.escalate_to),
            need: from.need,
            deny_at: from.deny_at,
            within_ms: from.within.map(|span| span.0),
            remind_at: from.remind_at,
            escalate_at: from.escalate_at,
            fallback: from.fallback.as_ref().map(Into::into),
            assurance: from.assurance.map(Demand::to_word),
            grant_ms: from.grant.map(|span| span.0),
            uses: from.uses,
            wait: from.wait.map(Into::into),
            whole_only: from.whole_only,
            env: from.env.iter().map(ToString::to_string).collect(),
            step: from.step,
            hours: from.hours.as_ref().map(Into::into),
            quiet: from.quiet.as_ref().map(Into::into),
        }
    }
}

impl TryFrom<PolicyShown> for ReviewPolicy {
    type Error = WireError;

    fn try_from(from: PolicyShown) -> Result<ReviewPolicy, WireError> {
        let effects: Result<_, _> =
            from.effects.iter().map(|effect| EffectClass::of_word(effect)).collect();
        Ok(ReviewPolicy {
            name: from.name.into(),
            team: from.team.into(),
            effects: effects?,
            tools: from.tools.into_iter().map(Into::into).collect(),
            above: from.above.map(TryInto::try_into).transpose()?,
            approvers: names(from.approvers),
            escalate_to: names(from.escalate_to),
            need: from.need,
            deny_at: from.deny_at,
            within: from.within_ms.map(Span),
            remind_at: from.remind_at,
            escalate_at: from.escalate_at,
            fallback: from.fallback.map(TryInto::try_into).transpose()?,
            assurance: from.assurance.map(|word| Demand::of_word(&word)).transpose()?,
            grant: from.grant_ms.map(Span),
            uses: from.uses,
            wait: from.wait.map(TryInto::try_into).transpose()?,
            whole_only: from.whole_only,
            env: from.env.into_iter().map(Into::into).collect(),
            step: from.step,
            hours: from.hours.map(Into::into),
            quiet: from.quiet.map(Into::into),
        })
    }
}

impl From<&Rule> for RuleShown {
    fn from(from: &Rule) -> RuleShown {
        RuleShown {
            policy: from.policy.as_ref().map(ToString::to_string),
            version: from.version.to_string(),
            need: from.need,
            deny_at: from.deny_at,
            within_ms: from.within.0,
            remind_at: from.remind_at,
            escalate_at: from.escalate_at,
            fallback: (&from.fallback).into(),
            assurance: from.assurance.to_word(),
            grant_ms: from.grant.0,
            uses: from.uses,
            quiet: from.quiet.as_ref().map(Into::into),
        }
    }
}

impl TryFrom<RuleShown> for Rule {
    type Error = WireError;

    fn try_from(from: RuleShown) -> Result<Rule, WireError> {
        Ok(Rule {
            policy: from.policy.map(Into::into),
            version: from.version.into(),
            need: from.need,
            deny_at: from.deny_at,
            within: Span(from.within_ms),
            remind_at: from.remind_at,
            escalate_at: from.escalate_at,
            fallback: from.fallback.try_into()?,
            assurance: Demand::of_word(&from.assurance)?,
            grant: Span(from.grant_ms),
            uses: from.uses,
            quiet: from.quiet.map(Into::into),
        })
    }
}
