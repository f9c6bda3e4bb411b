//! What can be done with a review.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::{Ask, Delivery, Signature, Verdict};
use crate::base::{Digest, JobId, Name, ReviewId, Span, Wall};
use crate::model::Actor;
use crate::model::action::Action;
use crate::model::command::Key;

/// A command about reviews.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ReviewCommand {
    /// A job asks. The same key again finds the review that it opened.
    Ask {
        /// The job.
        job: JobId,
        /// For what.
        ask: Box<Ask>,
        /// Who: a process in the job's tree, or its owner.
        by: Actor,
    },
    /// Something is done with a review.
    Act(ReviewAct),
    /// Somebody hands all seats on for a while, or takes them back.
    Away {
        /// Whose seats; the caller's own unless an operator says so.
        from: Name,
        /// To whom; `None` takes them back.
        to: Option<Name>,
        /// Until when.
        until: Option<Wall>,
        /// Who says so.
        by: Actor,
    },
    /// A message about a review was delivered, or was not. Only the program itself says this.
    Told {
        /// The review.
        review: ReviewId,
        /// To whom, how, with what result.
        delivery: Delivery,
    },
}

/// Something done with one review.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ReviewAct {
    /// The review.
    pub review: ReviewId,
    /// What.
    pub verb: ReviewVerb,
    /// Who.
    pub by: Actor,
    /// The caller's idempotency key.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub key: Option<Key>,
}

/// What can be done with a review.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ReviewVerb {
    /// Yes or no.
    Vote {
        /// Which.
        verdict: Verdict,
        /// Why; a no needs it.
        reason: Option<String>,
        /// What was looked at: at least eight hex digits of the action hash. A yes needs it.
        hash: Option<String>,
        /// The review's version that was looked at.
        version: Option<u32>,
        /// It takes effect after this; until then it can be taken back without a trace.
        undo: Span,
        /// A yes is good so often, for what may be repeated.
        uses: Option<u32>,
        /// And until then instead of for a while, for what may be repeated.
        until: Option<Wall>,
        /// The signature, checked.
        signature: Option<Box<Signature>>,
    },
    /// Change what it is about; earlier votes do not count any more.
    Edit {
        /// What it is about from now on.
        action: Box<Action>,
        /// Hash that was looked at.
        hash: Option<String>,
    },
    /// Ask the asker something; the clock stops until the answer.
    AskBack {
        /// The question.
        text: String,
    },
    /// The asker answers.
    Answer {
        /// The answer.
        text: String,
    },
    /// Hand one's seat on for this review.
    Delegate {
        /// To whom.
        to: Name,
    },
    /// Ask the next people too.
    Escalate,
    /// More time.
    Extend {
        /// So much more.
        by: Span,
    },
    /// The asker takes it back.
    Withdraw {
        /// Why, if said.
        reason: Option<String>,
        /// What it was about was never executed and never will be.
        abandoned: bool,
    },
    /// Take back a yes that was not used yet; of one that is open, one's own vote.
    Revoke {
        /// Why, if said.
        reason: Option<String>,
    },
    /// Use the right.
    Redeem {
        /// Hash of what will be done.
        hash: Option<Digest>,
        /// What will be done: another action opens a review that takes this one's place.
        action: Option<Box<Action>>,
        /// What is so now, for each condition of the request; `None` if there is no such thing
        /// any more.
        conditions: BTreeMap<Name, Option<String>>,
    },
    /// Somebody looks at it.
    Look,
    /// Somebody does not look at it any more.
    Leave,
}

impl ReviewVerb {
    /// Its stable word.
    pub const fn word(&self) -> &'static str {
        match self {
            ReviewVerb::Vote { verdict: Verdict::Approve, .. } => "approve",
            ReviewVerb::Vote { .. } => "deny",
            ReviewVerb::Edit { .. } => "edit",
            ReviewVerb::AskBack { .. } => "ask-back",
            ReviewVerb::Answer { .. } => "answer",
            ReviewVerb::Delegate { .. } => "delegate",
            ReviewVerb::Escalate => "escalate",
            ReviewVerb::Extend { .. } => "extend",
            ReviewVerb::Withdraw { .. } => "withdraw",
            ReviewVerb::Revoke { .. } => "revoke",
            ReviewVerb::Redeem { .. } => "redeem",
            ReviewVerb::Look => "look",
            ReviewVerb::Leave => "leave",
        }
    }
}

impl ReviewCommand {
    /// The person or job behind it; `None` for what the program itself says.
    pub fn author(&self) -> Option<&Actor> {
        match self {
            ReviewCommand::Ask { by, .. } | ReviewCommand::Away { by, .. } => Some(by),
            ReviewCommand::Act(act) => Some(&act.by),
            ReviewCommand::Told { .. } => None,
        }
    }
}
