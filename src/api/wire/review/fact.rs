//! What became so of a review, as an event shows it.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::action::ActionShown;
use super::ask::AskShown;
use super::rule::RuleShown;
use super::said::{DelegationShown, DeliveryShown, SaidShown};
use super::step::StepStateShown;
use super::vote::{DecisionShown, GrantShown, VoteShown};
use super::{hash_of, hash_text, review_of};
use crate::api::wire::time::Time;
use crate::api::wire::words::Word as _;
use crate::api::wire::{WireError, names, texts};
use crate::base::JobId;
use crate::model::fact::{Class, Requested, ReviewFact};

/// What became so; `what` says which.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(tag = "what", rename_all = "snake_case")]
#[allow(missing_docs, reason = "the fields are those of the facts in the model, documented there")]
pub enum ReviewFactShown {
    Requested(Box<RequestedShown>),
    Voted { vote: Box<VoteShown> },
    Counts { by: String, seat: String },
    TakenBack { by: String, seat: String },
    Edited { action: Box<ActionShown>, action_hash: String, by: String },
    AskedBack { said: SaidShown },
    Answered { said: SaidShown, expires_at: Time },
    Delegated { delegation: DelegationShown },
    Escalated { level: u8, by: Option<String>, to: Vec<String> },
    Extended { expires_at: Time, by: Option<String> },
    Opened { by: String, until: Option<Time> },
    LooksOn { by: String, until: Time },
    Left { by: String },
    Told { delivery: DeliveryShown },
    Decided { decision: Box<DecisionShown>, grant: Option<Box<GrantShown>> },
    GrantRuns { valid_until: Option<Time> },
    JobBooked { class: String },
    JobReturns,
    Redeemed { attempt: u32 },
    StepMade { step: u64 },
    RedeemedByStep { step: u64, attempt: u32 },
    StepEnded { step: u64, end: StepStateShown },
}

/// A new review.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct RequestedShown {
    /// What is asked.
    pub ask: AskShown,
    /// Hash of its action.
    pub action_hash: String,
    /// The attempt that asks.
    pub attempt: u32,
    /// Whose job it is.
    pub owner: String,
    /// The owner's uid.
    pub owner_uid: Option<u32>,
    /// The job's team.
    pub team: String,
    /// By which rule it is decided.
    pub rule: RuleShown,
    /// When it expires.
    pub expires_at: Time,
    /// Who is asked first.
    pub asked: Vec<String>,
    /// The review whose place it takes.
    pub replaces: Option<String>,
    /// An earlier review of the job about such a thing, which people denied.
    pub denied_before: Option<String>,
    /// The right of one that goes on before it is answered.
    pub grant: Option<GrantShown>,
}

impl From<&ReviewFact> for ReviewFactShown {
    fn from(fact: &ReviewFact) -> ReviewFactShown {
        use ReviewFactShown as Shown;
        let known = |by: &Option<crate::base::Name>| by.as_ref().map(ToString::to_string);
        match fact {
            ReviewFact::Requested(asked) => Shown::Requested(Box::new((&**asked).into())),
            ReviewFact::Voted { vote } => Shown::Voted { vote: Box::new((&**vote).into()) },
            ReviewFact::Counts { by, seat } => {
                Shown::Counts { by: by.to_string(), seat: seat.to_string() }
            }
            ReviewFact::TakenBack { by, seat } => {
                Shown::TakenBack { by: by.to_string(), seat: seat.to_string() }
            }
            ReviewFact::Edited { action, hash, by } => Shown::Edited {
                action: Box::new((&**action).into()),
                action_hash: hash_text(*hash),
                by: by.to_string(),
            },
            ReviewFact::AskedBack { said } => Shown::AskedBack { said: said.into() },
            ReviewFact::Answered { said, deadline } => {
                Shown::Answered { said: said.into(), expires_at: Time(*deadline) }
            }
            ReviewFact::Delegated { delegation } => {
                Shown::Delegated { delegation: delegation.into() }
            }
            ReviewFact::Escalated { level, by, to } => {
                Shown::Escalated { level: *level, by: known(by), to: texts(to) }
            }
            ReviewFact::Extended { deadline, by } => {
                Shown::Extended { expires_at: Time(*deadline), by: known(by) }
            }
            ReviewFact::Opened { by, until } => {
                Shown::Opened { by: by.to_string(), until: until.map(Time) }
            }
            ReviewFact::LooksOn { by, until } => {
                Shown::LooksOn { by: by.to_string(), until: Time(*until) }
            }
            ReviewFact::Left { by } => Shown::Left { by: by.to_string() },
            ReviewFact::Told { delivery } => Shown::Told { delivery: delivery.into() },
            ReviewFact::Decided { decision, grant } => Shown::Decided {
                decision: Box::new((&**decision).into()),
                grant: grant.as_deref().map(|grant| Box::new(grant.into())),
            },
            ReviewFact::GrantRuns { until } => Shown::GrantRuns { valid_until: until.map(Time) },
            ReviewFact::JobBooked { class } => Shown::JobBooked { class: class.to_word() },
            ReviewFact::JobReturns => Shown::JobReturns,
            ReviewFact::Redeemed { attempt } => Shown::Redeemed { attempt: *attempt },
            ReviewFact::StepMade { step } => Shown::StepMade { step: step.0 },
            ReviewFact::RedeemedByStep { step, attempt } => {
                Shown::RedeemedByStep { step: step.0, attempt: *attempt }
            }
            ReviewFact::StepEnded { step, state } => {
                Shown::StepEnded { step: step.0, end: state.into() }
            }
        }
    }
}

impl TryFrom<ReviewFactShown> for ReviewFact {
    type Error = WireError;

    fn try_from(shown: ReviewFactShown) -> Result<ReviewFact, WireError> {
        use ReviewFactShown as Shown;
        Ok(match shown {
            Shown::Requested(asked) => ReviewFact::Requested(Box::new((*asked).try_into()?)),
            Shown::Voted { vote } => ReviewFact::Voted { vote: Box::new((*vote).try_into()?) },
            Shown::Counts { by, seat } => ReviewFact::Counts { by: by.into(), seat: seat.into() },
            Shown::TakenBack { by, seat } => {
                ReviewFact::TakenBack { by: by.into(), seat: seat.into() }
            }
            Shown::Edited { action, action_hash, by } => ReviewFact::Edited {
                action: Box::new((*action).try_into()?),
                hash: hash_of(&action_hash)?,
                by: by.into(),
            },
            Shown::AskedBack { said } => ReviewFact::AskedBack { said: said.into() },
            Shown::Answered { said, expires_at } => {
                ReviewFact::Answered { said: said.into(), deadline: expires_at.0 }
            }
            Shown::Delegated { delegation } => {
                ReviewFact::Delegated { delegation: delegation.into() }
            }
            Shown::Escalated { level, by, to } => {
                ReviewFact::Escalated { level, by: by.map(Into::into), to: names(to) }
            }
            Shown::Extended { expires_at, by } => {
                ReviewFact::Extended { deadline: expires_at.0, by: by.map(Into::into) }
            }
            Shown::Opened { by, until } => {
                ReviewFact::Opened { by: by.into(), until: until.map(|time| time.0) }
            }
            Shown::LooksOn { by, until } => ReviewFact::LooksOn { by: by.into(), until: until.0 },
            Shown::Left { by } => ReviewFact::Left { by: by.into() },
            Shown::Told { delivery } => ReviewFact::Told { delivery: delivery.into() },
            Shown::Decided { decision, grant } => ReviewFact::Decided {
                decision: Box::new((*decision).try_into()?),
                grant: grant.map(|grant| Box::new((*grant).into())),
            },
            Shown::GrantRuns { valid_until } => {
                ReviewFact::GrantRuns { until: valid_until.map(|time| time.0) }
            }
            Shown::JobBooked { class } => ReviewFact::JobBooked { class: Class::of_word(&class)? },
            Shown::JobReturns => ReviewFact::JobReturns,
            Shown::Redeemed { attempt } => ReviewFact::Redeemed { attempt },
            Shown::StepMade { step } => ReviewFact::StepMade { step: JobId(step) },
            Shown::RedeemedByStep { step, attempt } => {
                ReviewFact::RedeemedByStep { step: JobId(step), attempt }
            }
            Shown::StepEnded { step, end } => {
                ReviewFact::StepEnded { step: JobId(step), state: end.try_into()? }
            }
        })
    }
}

impl From<&Requested> for RequestedShown {
    fn from(from: &Requested) -> RequestedShown {
        RequestedShown {
            ask: (&from.ask).into(),
            action_hash: hash_text(from.hash),
            attempt: from.attempt,
            owner: from.owner.to_string(),
            owner_uid: from.owner_uid,
            team: from.team.to_string(),
            rule: (&from.rule).into(),
            expires_at: Time(from.deadline),
            asked: texts(&from.asked),
            replaces: from.replaces.map(|review| review.to_string()),
            denied_before: from.denied_before.map(|review| review.to_string()),
            grant: from.grant.as_ref().map(Into::into),
        }
    }
}

impl TryFrom<RequestedShown> for Requested {
    type Error = WireError;

    fn try_from(from: RequestedShown) -> Result<Requested, WireError> {
        let review = |text: Option<String>| text.map(|text| review_of(&text)).transpose();
        Ok(Requested {
            ask: from.ask.try_into()?,
            hash: hash_of(&from.action_hash)?,
            attempt: from.attempt,
            owner: from.owner.into(),
            owner_uid: from.owner_uid,
            team: from.team.into(),
            rule: from.rule.try_into()?,
            deadline: from.expires_at.0,
            asked: names(from.asked),
            replaces: review(from.replaces)?,
            denied_before: review(from.denied_before)?,
            grant: from.grant.map(Into::into),
        })
    }
}
