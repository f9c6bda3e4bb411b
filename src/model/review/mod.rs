//! A review: a request for a person's decision, bound to a hash of exactly what takes effect.
//!
//! [`ask`] is what a job wants and never changes, [`rule`] what the configuration makes of it,
//! [`vote`] what people say, [`ballot`] what they sign, [`grant`] the right that a yes gives,
//! [`step`] the small job that may use it,
//! [`talk`] questions, delegations and deliveries, [`telling`] who is told when, [`command`] what
//! can be done with it. The states and words are INTERFACE.md's.

pub mod ask;
pub mod ballot;
pub mod command;
pub mod decision;
pub mod grant;
pub mod rule;
pub mod step;
pub mod talk;
pub mod telling;
pub mod vote;

use std::collections::BTreeMap;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::base::{At, Digest, JobId, Name, ReviewId, Span, Wall};
use crate::model::action::{Action, Bound};

pub use ask::{Alternative, Ask, Wait};
pub use ballot::{Ballot, Booth, Cast};
pub use command::{ReviewAct, ReviewCommand, ReviewVerb};
pub use decision::Decision;
pub use grant::Grant;
pub use rule::{Demand, Fallback, ReviewPolicy, Rule};
pub use step::{Step, StepState};
pub use talk::{Delegation, Delivery, Said};
pub use telling::{Moment, Target};
pub use vote::{Assurance, Signature, Verdict, Vote};

/// A review as the world knows it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Review {
    /// Its number.
    pub id: ReviewId,
    /// The job that asks.
    pub job: JobId,
    /// The attempt in which it asked.
    pub attempt: u32,
    /// Who owns that job: on whose behalf it asks.
    pub owner: Name,
    /// The owner's uid.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub owner_uid: Option<u32>,
    /// The job's team when it asked.
    pub team: Name,
    /// What was asked.
    pub ask: Arc<Ask>,
    /// What it is about now, if somebody edited it ([`Review::action`]).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub edited: Option<Arc<Action>>,
    /// Hash of what it is about.
    pub hash: Digest,
    /// The rule it is decided by, as it was when it was asked.
    pub rule: Arc<Rule>,
    /// When.
    pub asked: At,
    /// Where it stands.
    pub state: ReviewState,
    /// Since when.
    pub since: At,
    /// When it expires; while `stopped` the time stands still.
    pub deadline: Wall,
    /// Somebody asked back: since when its clock stands still.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stopped: Option<Wall>,
    /// How far it was escalated: 0 not at all, 1 reminded, 2 to the next people.
    #[serde(default, skip_serializing_if = "is_default")]
    pub level: u8,
    /// Counts up with each edit and each state, so that somebody can say what was looked at.
    pub version: u32,
    /// Everything that was voted, oldest first; a later vote on the same seat replaces the
    /// earlier, one for an old hash does not count.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub votes: Vec<Vote>,
    /// Questions and answers.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub talk: Vec<Said>,
    /// Seats that were handed on for this review.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub delegations: Vec<Delegation>,
    /// Who has it open, and since when.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub opened: BTreeMap<Name, At>,
    /// Until when each of them is taken to look, unless they say again that they do.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub leases: BTreeMap<Name, Wall>,
    /// Who was told, how, and whether it arrived.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub told: Vec<Delivery>,
    /// How it was decided, once it was.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub decision: Option<Box<Decision>>,
    /// The right that a yes gave.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub grant: Option<Box<Grant>>,
    /// The small job that uses it while the asker is away.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub step: Option<Box<Step>>,
    /// The review this one takes the place of.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub replaces: Option<ReviewId>,
    /// An earlier review of its job about such a thing, which people denied.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub denied_before: Option<ReviewId>,
    /// The review that took its place.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub replaced_by: Option<ReviewId>,
}

fn is_default<T: Default + PartialEq>(value: &T) -> bool {
    *value == T::default()
}

/// Where a review stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ReviewState {
    /// It waits for people.
    Open,
    /// Enough of them said yes; the right is not used yet.
    Approved,
    /// Enough of them said no.
    Denied,
    /// Nobody decided in time. Never a person's decision, whatever the fallback was.
    Expired,
    /// The job took it back, or ended.
    Withdrawn,
    /// Another review took its place, since what it is about changed.
    Superseded,
    /// What it was about was never executed and never will be.
    Abandoned,
    /// The right was used.
    Redeemed,
    /// The right was not used in time.
    Lapsed,
    /// The yes was taken back.
    Revoked,
}

impl ReviewState {
    /// All of them.
    pub const ALL: [ReviewState; 10] = [
        ReviewState::Open,
        ReviewState::Approved,
        ReviewState::Denied,
        ReviewState::Expired,
        ReviewState::Withdrawn,
        ReviewState::Superseded,
        ReviewState::Abandoned,
        ReviewState::Redeemed,
        ReviewState::Lapsed,
        ReviewState::Revoked,
    ];

    /// The word of INTERFACE.md.
    pub const fn word(self) -> &'static str {
        match self {
            ReviewState::Open => "open",
            ReviewState::Approved => "approved",
            ReviewState::Denied => "denied",
            ReviewState::Expired => "expired",
            ReviewState::Withdrawn => "withdrawn",
            ReviewState::Superseded => "superseded",
            ReviewState::Abandoned => "abandoned",
            ReviewState::Redeemed => "redeemed",
            ReviewState::Lapsed => "lapsed",
            ReviewState::Revoked => "revoked",
        }
    }

    /// The state behind a word.
    pub fn of(word: &str) -> Option<ReviewState> {
        ReviewState::ALL.into_iter().find(|state| state.word() == word)
    }

    /// Exit code of `ask` and `gate` for an answer (INTERFACE.md): 0 yes, 10 no, 11 expired,
    /// 12 withdrawn, 13 changed. `None` while there is none.
    pub const fn exit_code(self) -> Option<u8> {
        match self {
            ReviewState::Open => None,
            ReviewState::Approved | ReviewState::Redeemed => Some(0),
            ReviewState::Denied | ReviewState::Revoked => Some(10),
            ReviewState::Expired | ReviewState::Lapsed => Some(11),
            ReviewState::Withdrawn | ReviewState::Abandoned => Some(12),
            ReviewState::Superseded => Some(13),
        }
    }
}

impl Review {
    /// What it is about now: as asked, or as somebody edited it.
    pub fn action(&self) -> &Action {
        self.edited.as_deref().unwrap_or(&self.ask.action)
    }

    /// It waits for people.
    pub fn is_open(&self) -> bool {
        self.state == ReviewState::Open
    }

    /// Exit code of `ask` and `gate` for where it stands, if there is an answer: what may go on
    /// before it is answered, or is allowed by silence, may go on.
    pub fn exit_code(&self) -> Option<u8> {
        let silent = self.decision.as_ref().and_then(|decision| decision.fallback.as_ref());
        match self.state {
            ReviewState::Open if self.ask.wait == Wait::Go => Some(0),
            ReviewState::Expired if self.ask.wait == Wait::Go => Some(0),
            ReviewState::Expired if silent == Some(&Fallback::Approve) => Some(0),
            state => state.exit_code(),
        }
    }

    /// Its job does nothing else until it is answered.
    pub fn blocks(&self) -> bool {
        self.is_open() && !matches!(self.ask.wait, Wait::Go)
    }

    /// Its job holds what it has and waits.
    pub fn holds(&self) -> bool {
        self.is_open() && matches!(self.ask.wait, Wait::Hold { .. })
    }

    /// What its hash is bound to beside the action.
    pub fn bound(&self) -> Bound<'_> {
        Bound { effect: self.ask.effect, principal: &self.owner }
    }

    /// What takes effect, as canonical JSON: the bytes that were hashed.
    pub fn canonical(&self) -> String {
        self.action().canonical(self.bound())
    }

    /// The hash as INTERFACE.md writes it: `sha256:HEX`.
    pub fn hash_text(&self) -> String {
        format!("sha256:{}", self.hash)
    }

    /// Time left until it expires, at `wall`; it stands still while somebody was asked back.
    pub fn left(&self, wall: Wall) -> Span {
        self.deadline.since(self.stopped.unwrap_or(wall))
    }

    /// The votes that may count: the last of each seat, for what it is about now, unless its voter
    /// took it back.
    pub fn standing_votes(&self) -> impl Iterator<Item = &Vote> {
        let last = |at: usize, vote: &Vote| {
            !self.votes.iter().skip(at + 1).any(|later| later.seat == vote.seat)
        };
        let votes = self.votes.iter().enumerate();
        let votes = votes.filter(move |(at, vote)| last(*at, vote)).map(|(_, vote)| vote);
        votes.filter(|vote| vote.hash == self.hash && vote.back.is_none())
    }

    /// The first of the noes that stand and do not count yet.
    pub fn held_no(&self) -> Option<&Vote> {
        self.standing_votes().filter(|vote| vote.is_held()).min_by_key(|vote| vote.from)
    }

    /// Until when somebody who has it open is taken to look at it.
    pub fn looks_until(&self, name: &str) -> Option<Wall> {
        let since = self.opened.get(name)?;
        Some(self.leases.get(name).copied().unwrap_or(since.wall + LOOK_LEASE))
    }

    /// It is an open review whose hash begins so (at least eight hex digits).
    pub fn hash_begins(&self, text: &str) -> bool {
        let digits = text.strip_prefix("sha256:").unwrap_or(text).to_ascii_lowercase();
        (HASH_DIGITS..=64).contains(&digits.len()) && self.hash.to_string().starts_with(&digits)
    }
}

/// Hex digits of a hash that must be said at least.
pub const HASH_DIGITS: usize = 8;
/// Reviews of one job that may be open at once.
pub const OPEN_MAX: usize = 50;
/// Reviews that one job may ask for in its life.
pub const ASKS_MAX: usize = 1000;
/// Bytes of actions and texts that the reviews of one job may keep.
pub const JOB_BYTES_MAX: usize = 8 << 20;
/// Bytes of a reason, question or answer at most.
pub const TEXT_MAX: usize = 4096;
/// After an outage an open review has at least so long.
pub const AFTER_OUTAGE: Span = Span::mins(10);
/// The longest that a review may stay open.
pub const OPEN_FOR_MAX: Span = Span::hours(30 * 24);
/// Who looks at a review is taken to do so for this long, and says so again before it is over.
pub const LOOK_LEASE: Span = Span::mins(1);
/// The longest time in which a vote can be taken back before it takes effect.
pub const UNDO_MAX: Span = Span::mins(1);
/// Said by a person who has no words of their own: the reasons that are offered, in order.
pub const DENIAL_REASONS: [&str; 6] = [
    "not needed",
    "wrong target",
    "too risky now; ask again later",
    "do it another way",
    "not enough said about it",
    "outside of this job's task",
];
