//! A page of reviews, there and back.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::action::AmountShown;
use super::ask::WaitShown;
use super::reader::BesideShown;
use super::rule::FallbackShown;
use super::said::DelegationShown;
use super::shown::Seen;
use super::vote::{DecisionShown, VoteShown};
use super::{hash_of, hash_text, review_of};
use crate::api::wire::time::{Time, join, split};
use crate::api::wire::words::Word as _;
use crate::api::wire::{SCHEMA_VERSION, WireError, check_version};
use crate::base::{JobId, ReviewId, Wall};
use crate::model::action::{EffectClass, Subject};
use crate::model::page::reviews::{ReviewCursor, ReviewPage, ReviewRow};
use crate::model::review::{Demand, ReviewState};

/// Reviews in a list.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct ReviewList {
    /// 1.
    pub schema_version: u32,
    /// The reviews: open ones first, those that expire first first; then the newest first.
    pub reviews: Vec<ReviewLine>,
    /// Where the next page starts, if there is one.
    pub next_cursor: Option<String>,
    /// Open reviews that the reader may see, whatever the query says.
    pub open: u64,
    /// Those of them that the reader may answer.
    pub mine: u64,
    /// Who sits on the reader's seats, if they were handed on.
    pub away: Option<DelegationShown>,
    /// The last record of the journal that the page includes.
    pub seq: u64,
    /// When the page was made.
    pub at: Time,
    /// The same on the scheduler's clock.
    pub at_mono: u64,
}

/// A review in a list. `/reviews/{id}` has all of it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct ReviewLine {
    /// `R17`.
    pub id: String,
    /// The job that asks.
    pub job: u64,
    /// The job's team.
    pub team: String,
    /// Who owns the job.
    pub owner: String,
    /// Who inside the job asks.
    pub agent: Option<String>,
    /// The class of its effect.
    pub effect: String,
    /// What kind of thing it is about.
    pub kind: String,
    /// The tool, if one is used.
    pub tool: Option<String>,
    /// On what.
    pub target: Option<String>,
    /// How much money.
    pub amount: Option<AmountShown>,
    /// The beginning of the command that it executes, if it is one.
    pub command: Option<String>,
    /// What the asker says about it; nobody checked this.
    pub summary: String,
    /// Hash of what it is about: `sha256:HEX`.
    pub action_hash: String,
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
    /// 0 not escalated, 1 reminded, 2 asked of the next people.
    pub level: u8,
    /// Counts up with each change.
    pub version: u32,
    /// What happens if nobody decides.
    pub fallback: FallbackShown,
    /// How its job waits.
    pub wait: WaitShown,
    /// Everything that was voted.
    pub votes: Vec<VoteShown>,
    /// Yeses that are needed.
    pub needed: u32,
    /// How sure we must be of who votes: `any` or `high`.
    pub assurance: String,
    /// Who has it open, since when.
    pub opened: BTreeMap<String, Seen>,
    /// How it was decided.
    pub decision: Option<DecisionShown>,
    /// What does not stand in the review itself.
    pub beside: BesideShown,
}

/// The text of a place in a list.
pub fn cursor_text(cursor: ReviewCursor) -> String {
    match cursor {
        ReviewCursor::Open(wall, id) => format!("o.{}.{}", wall.0, id.0),
        ReviewCursor::Closed(id) => format!("c.{}", id.0),
    }
}

/// Reads what [`cursor_text`] wrote.
///
/// # Errors
/// When the text is anything else.
pub fn cursor_of(text: &str) -> Result<ReviewCursor, WireError> {
    let bad = || WireError(format!("cursor {text:?} was not given out by this server"));
    let number = |text: &str| text.parse().map(ReviewId).map_err(|_| bad());
    match *text.split('.').collect::<Vec<_>>() {
        ["o", wall, id] => {
            let wall = wall.parse().map(Wall).map_err(|_| bad())?;
            Ok(ReviewCursor::Open(wall, number(id)?))
        }
        ["c", id] => Ok(ReviewCursor::Closed(number(id)?)),
        _ => Err(bad()),
    }
}

impl From<&ReviewPage> for ReviewList {
    fn from(from: &ReviewPage) -> ReviewList {
        let (at, at_mono) = split(from.at);
        ReviewList {
            schema_version: SCHEMA_VERSION,
            reviews: from.reviews.iter().map(Into::into).collect(),
            next_cursor: from.next.map(cursor_text),
            open: from.open,
            mine: from.mine,
            away: from.away.as_ref().map(Into::into),
            seq: from.seq,
            at,
            at_mono,
        }
    }
}

impl TryFrom<ReviewList> for ReviewPage {
    type Error = WireError;

    fn try_from(from: ReviewList) -> Result<ReviewPage, WireError> {
        check_version(from.schema_version)?;
        let reviews: Result<_, _> = from.reviews.into_iter().map(TryInto::try_into).collect();
        Ok(ReviewPage {
            reviews: reviews?,
            next: from.next_cursor.as_deref().map(cursor_of).transpose()?,
            open: from.open,
            mine: from.mine,
            away: from.away.map(Into::into),
            seq: from.seq,
            at: join(from.at, from.at_mono),
        })
    }
}

impl From<&ReviewRow> for ReviewLine {
    fn from(from: &ReviewRow) -> ReviewLine {
        let (since, since_mono) = split(from.since);
        let (asked_at, asked_mono) = split(from.asked);
        let Subject { kind, tool, target, amount, command } = &from.subject;
        ReviewLine {
            id: from.id.to_string(),
            job: from.job.0,
            team: from.team.to_string(),
            owner: from.owner.to_string(),
            agent: from.agent.as_ref().map(ToString::to_string),
            effect: from.effect.to_word(),
            kind: kind.to_string(),
            tool: tool.as_ref().map(ToString::to_string),
            target: target.clone(),
            amount: amount.as_ref().map(Into::into),
            command: command.clone(),
            summary: from.summary.clone(),
            action_hash: hash_text(from.hash),
            state: from.state.to_word(),
            since,
            since_mono,
            asked_at,
            asked_mono,
            expires_at: Time(from.deadline),
            stopped_since: from.stopped.map(Time),
            level: from.level,
            version: from.version,
            fallback: (&from.fallback).into(),
            wait: from.wait.into(),
            votes: from.votes.iter().map(Into::into).collect(),
            needed: from.needed,
            assurance: from.demand.to_word(),
            opened: from.opened.iter().map(|(by, at)| (by.to_string(), (*at).into())).collect(),
            decision: from.decision.as_ref().map(Into::into),
            beside: (&from.beside).into(),
        }
    }
}

impl TryFrom<ReviewLine> for ReviewRow {
    type Error = WireError;

    fn try_from(from: ReviewLine) -> Result<ReviewRow, WireError> {
        let votes: Result<_, _> = from.votes.into_iter().map(TryInto::try_into).collect();
        let opened = from.opened.into_iter().map(|(by, seen)| (by.into(), seen.into()));
        let subject = Subject {
            kind: from.kind.into(),
            tool: from.tool.map(Into::into),
            target: from.target,
            amount: from.amount.map(TryInto::try_into).transpose()?,
            command: from.command,
        };
        Ok(ReviewRow {
            id: review_of(&from.id)?,
            job: JobId(from.job),
            team: from.team.into(),
            owner: from.owner.into(),
            agent: from.agent.map(Into::into),
            effect: EffectClass::of_word(&from.effect)?,
            subject,
            summary: from.summary,
            hash: hash_of(&from.action_hash)?,
            state: ReviewState::of_word(&from.state)?,
            since: join(from.since, from.since_mono),
            asked: join(from.asked_at, from.asked_mono),
            deadline: from.expires_at.0,
            stopped: from.stopped_since.map(|time| time.0),
            level: from.level,
            version: from.version,
            fallback: from.fallback.try_into()?,
            wait: from.wait.try_into()?,
            votes: votes?,
            needed: from.needed,
            demand: Demand::of_word(&from.assurance)?,
            opened: opened.collect(),
            decision: from.decision.map(TryInto::try_into).transpose()?,
            beside: from.beside.try_into()?,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cursor_reads_back_and_nothing_else_does() {
        for cursor in
            [ReviewCursor::Open(Wall(-7), ReviewId(u64::MAX)), ReviewCursor::Closed(ReviewId(0))]
        {
            assert_eq!(cursor_of(&cursor_text(cursor)), Ok(cursor));
        }
        for bad in ["", "o", "o.1", "o.1.2.3", "c", "c.-1", "c.x", "q.1", "o.x.1"] {
            assert!(cursor_of(bad).is_err(), "{bad}");
        }
    }
}
