//! A review as lists and `show` give it (INTERFACE.md, JSON: review), there and back.

use std::collections::BTreeMap;
use std::sync::Arc;

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::action::ActionShown;
use super::ask::AskShown;
use super::rule::{FallbackShown, RuleShown};
use super::said::{DelegationShown, DeliveryShown, SaidShown};
use super::step::StepShown;
use super::vote::{DecisionShown, GrantShown, VoteShown};
use super::{hash_of, hash_text, review_of};
use crate::api::wire::WireError;
use crate::api::wire::time::{Time, join, split};
use crate::api::wire::words::Word as _;
use crate::base::{At, JobId, Mono, Name};
use crate::model::review::{Review, ReviewState};

/// A review. Every key is always there, null if unknown.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct ReviewShown {
    /// `R17`.
    pub id: String,
    /// The job that asks.
    pub job: u64,
    /// The attempt in which it asked.
    pub attempt: u32,
    /// Who owns that job.
    pub owner: String,
    /// The owner's uid.
    pub owner_uid: Option<u32>,
    /// The job's team.
    pub team: String,
    /// The class of its effect.
    pub effect: String,
    /// What the asker says about it; nobody checked this.
    pub summary: String,
    /// Hash of what it is about: `sha256:HEX`.
    pub action_hash: String,
    /// The bytes that were hashed: canonical JSON of what takes effect.
    pub canonical: String,
    /// Arguments that the hash leaves out.
    pub not_covered: Vec<String>,
    /// Where it stands.
    pub state: String,
    /// Since when.
    pub since: Time,
    /// The same on the scheduler's clock.
    pub since_mono: u64,
    /// When it was asked.
    pub asked_at: Time,
    /// The same on the scheduler's clock.
    pub asked_mono: u64,
    /// When it expires.
    pub expires_at: Time,
    /// Somebody asked back: since when its clock stands.
    pub stopped_since: Option<Time>,
    /// What happens if nobody decides.
    pub fallback: FallbackShown,
    /// Everything that was voted.
    pub votes: Vec<VoteShown>,
    /// Yeses that are needed.
    pub needed: u32,
    /// How sure we must be of who votes: `any` or `high`.
    pub assurance: String,
    /// 0 not escalated, 1 reminded, 2 asked of the next people.
    pub level: u8,
    /// Counts up with each change; a vote may name it.
    pub version: u32,
    /// All that was asked.
    pub ask: AskShown,
    /// What it is about now, if somebody edited it.
    pub edited_action: Option<ActionShown>,
    /// The rule it is decided by.
    pub rule: RuleShown,
    /// Questions and answers.
    pub talk: Vec<SaidShown>,
    /// Seats that were handed on.
    pub delegations: Vec<DelegationShown>,
    /// Who has it open, since when.
    pub opened: BTreeMap<String, Seen>,
    /// Until when each of them is taken to look, unless they say so again.
    #[serde(default)]
    pub looks_until: BTreeMap<String, Time>,
    /// Who was told, and whether that arrived.
    pub told: Vec<DeliveryShown>,
    /// How it was decided.
    pub decision: Option<DecisionShown>,
    /// The right that a yes gives.
    pub grant: Option<GrantShown>,
    /// The small job that uses it while the asker is away.
    #[serde(default)]
    pub step: Option<StepShown>,
    /// The review whose place it took.
    pub replaces: Option<String>,
    /// The review that took its place.
    pub superseded_by: Option<String>,
    /// An earlier review of the job about such a thing, which people denied.
    pub denied_before: Option<String>,
}

/// An instant on both clocks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Seen {
    /// On the calendar.
    pub at: Time,
    /// On the scheduler's clock.
    pub mono: u64,
}

impl From<At> for Seen {
    fn from(from: At) -> Seen {
        Seen { at: Time(from.wall), mono: from.now.0 }
    }
}

impl From<Seen> for At {
    fn from(from: Seen) -> At {
        At { now: Mono(from.mono), wall: from.at.0 }
    }
}

impl From<&Review> for ReviewShown {
    fn from(from: &Review) -> ReviewShown {
        let (asked_at, asked_mono) = split(from.asked);
        let (since, since_mono) = split(from.since);
        let seen = |(name, at): (&Name, &At)| (name.to_string(), (*at).into());
        ReviewShown {
            id: from.id.to_string(),
            job: from.job.0,
            attempt: from.attempt,
            owner: from.owner.to_string(),
            owner_uid: from.owner_uid,
            team: from.team.to_string(),
            effect: from.ask.effect.to_word(),
            summary: from.ask.summary.clone(),
            action_hash: hash_text(from.hash),
            canonical: from.canonical(),
            not_covered: from.action().not_covered().into_iter().map(ToOwned::to_owned).collect(),
            state: from.state.to_word(),
            since,
            since_mono,
            asked_at,
            asked_mono,
            expires_at: Time(from.deadline),
            stopped_since: from.stopped.map(Time),
            fallback: (&from.rule.fallback).into(),
            votes: from.votes.iter().map(Into::into).collect(),
            needed: from.rule.need,
            assurance: from.rule.assurance.to_word(),
            level: from.level,
            version: from.version,
            ask: (&*from.ask).into(),
            edited_action: from.edited.as_deref().map(Into::into),
            rule: (&*from.rule).into(),
            talk: from.talk.iter().map(Into::into).collect(),
            delegations: from.delegations.iter().map(Into::into).collect(),
            opened: from.opened.iter().map(seen).collect(),
            looks_until: from.leases.iter().map(|(n, at)| (n.to_string(), Time(*at))).collect(),
            told: from.told.iter().map(Into::into).collect(),
            decision: from.decision.as_deref().map(Into::into),
            grant: from.grant.as_deref().map(Into::into),
            step: from.step.as_deref().map(Into::into),
            replaces: from.replaces.map(|review| review.to_string()),
            superseded_by: from.replaced_by.map(|review| review.to_string()),
            denied_before: from.denied_before.map(|review| review.to_string()),
        }
    }
}

impl TryFrom<ReviewShown> for Review {
    type Error = WireError;

    fn try_from(from: ReviewShown) -> Result<Review, WireError> {
        let review = |text: Option<String>| text.map(|text| review_of(&text)).transpose();
        let seen = |(name, seen): (String, Seen)| (Name::from(name), seen.into());
        let edited = from.edited_action.map(TryInto::try_into).transpose()?;
        let votes: Result<_, _> = from.votes.into_iter().map(TryInto::try_into).collect();
        Ok(Review {
            id: review_of(&from.id)?,
            job: JobId(from.job),
            attempt: from.attempt,
            owner: from.owner.into(),
            owner_uid: from.owner_uid,
            team: from.team.into(),
            ask: Arc::new(from.ask.try_into()?),
            edited: edited.map(Arc::new),
            hash: hash_of(&from.action_hash)?,
            rule: Arc::new(from.rule.try_into()?),
            asked: join(from.asked_at, from.asked_mono),
            state: ReviewState::of_word(&from.state)?,
            since: join(from.since, from.since_mono),
            deadline: from.expires_at.0,
            stopped: from.stopped_since.map(|time| time.0),
            level: from.level,
            version: from.version,
            votes: votes?,
            talk: from.talk.into_iter().map(Into::into).collect(),
            delegations: from.delegations.into_iter().map(Into::into).collect(),
            opened: from.opened.into_iter().map(seen).collect(),
            leases: from.looks_until.into_iter().map(|(n, at)| (n.into(), at.0)).collect(),
            told: from.told.into_iter().map(Into::into).collect(),
            decision: from.decision.map(TryInto::try_into).transpose()?.map(Box::new),
            grant: from.grant.map(|grant| Box::new(grant.into())),
            step: from.step.map(|step| step.try_into().map(Box::new)).transpose()?,
            replaces: review(from.replaces)?,
            denied_before: review(from.denied_before)?,
            replaced_by: review(from.superseded_by)?,
        })
    }
}
