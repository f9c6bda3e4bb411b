//! What became so of a review.

use serde::{Deserialize, Serialize};

use super::Class;
use crate::base::{Digest, JobId, Name, ReviewId, Wall};
use crate::model::action::Action;
use crate::model::review::{
    Ask, Decision, Delegation, Delivery, Grant, Rule, Said, StepState, Vote,
};

/// Something that became so of a review. Each names all that `apply` needs.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ReviewFact {
    /// It exists and is open.
    Requested(Box<Requested>),
    /// Somebody voted.
    Voted {
        /// The vote.
        vote: Box<Vote>,
    },
    /// A no that could be taken back for a while counts now.
    Counts {
        /// Whose.
        by: Name,
        /// On whose seat.
        seat: Name,
    },
    /// Somebody took their vote back before it decided anything.
    TakenBack {
        /// Who.
        by: Name,
        /// On whose seat.
        seat: Name,
    },
    /// Somebody changed what it is about.
    Edited {
        /// What it is about now.
        action: Box<Action>,
        /// Hash of that.
        hash: Digest,
        /// Who.
        by: Name,
    },
    /// A question: its clock stands still.
    AskedBack {
        /// The question.
        said: Said,
    },
    /// An answer: its clock goes on.
    Answered {
        /// The answer.
        said: Said,
        /// When it expires now.
        deadline: Wall,
    },
    /// Somebody handed a seat on.
    Delegated {
        /// From whom to whom.
        delegation: Delegation,
    },
    /// Reminded, or asked of the next people.
    Escalated {
        /// How far now.
        level: u8,
        /// Who said so; `None` for time.
        by: Option<Name>,
        /// Who is asked now.
        to: Vec<Name>,
    },
    /// It expires at another time.
    Extended {
        /// When.
        deadline: Wall,
        /// Who said so; `None` for a rule.
        by: Option<Name>,
    },
    /// Somebody looks at it.
    Opened {
        /// Who.
        by: Name,
        /// Until when, unless it is said again; a minute where it is not said.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        until: Option<Wall>,
    },
    /// They still do.
    LooksOn {
        /// Who.
        by: Name,
        /// Until when.
        until: Wall,
    },
    /// Somebody does not look at it any more.
    Left {
        /// Who.
        by: Name,
    },
    /// Somebody was told, or was not.
    Told {
        /// Whom, how.
        delivery: Delivery,
    },
    /// It is decided, and what that gives. A yes that was decided before may be taken back so.
    Decided {
        /// How.
        decision: Box<Decision>,
        /// The right a yes gives.
        grant: Option<Box<Grant>>,
    },
    /// The job runs and so does the clock of its right; or neither does.
    GrantRuns {
        /// Until when it is good.
        until: Option<Wall>,
    },
    /// The room its job holds is booked so from now on.
    JobBooked {
        /// How.
        class: Class,
    },
    /// Its job comes back with this answer; the fact after it says where it waits now.
    JobReturns,
    /// The right was used once.
    Redeemed {
        /// By which attempt.
        attempt: u32,
    },
    /// A small job will do it while the asker waits for its room.
    StepMade {
        /// Which.
        step: JobId,
    },
    /// That job used the right.
    RedeemedByStep {
        /// Which.
        step: JobId,
        /// By which attempt of it.
        attempt: u32,
    },
    /// That job is over, or will not use the right.
    StepEnded {
        /// Which.
        step: JobId,
        /// How far it came.
        state: StepState,
    },
}

/// A new review.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Requested {
    /// What is asked.
    pub ask: Ask,
    /// Hash of its action.
    pub hash: Digest,
    /// The attempt that asks.
    pub attempt: u32,
    /// Whose job it is.
    pub owner: Name,
    /// The owner's uid.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub owner_uid: Option<u32>,
    /// The job's team.
    pub team: Name,
    /// By which rule it is decided.
    pub rule: Rule,
    /// When it expires.
    pub deadline: Wall,
    /// Who is asked first.
    pub asked: Vec<Name>,
    /// The review whose place it takes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub replaces: Option<ReviewId>,
    /// The right of one that goes on before it is answered.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub grant: Option<Grant>,
    /// An earlier review of the job about such a thing, which people denied.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub denied_before: Option<ReviewId>,
}

impl ReviewFact {
    /// It says that something is still so, which nobody needs to read.
    pub const fn is_said_again(&self) -> bool {
        matches!(self, ReviewFact::LooksOn { .. })
    }

    /// The stable word of its kind.
    pub const fn word(&self) -> &'static str {
        match self {
            ReviewFact::Requested(_) => "requested",
            ReviewFact::Voted { .. } => "voted",
            ReviewFact::Counts { .. } => "counts",
            ReviewFact::TakenBack { .. } => "taken_back",
            ReviewFact::Edited { .. } => "edited",
            ReviewFact::AskedBack { .. } => "asked_back",
            ReviewFact::Answered { .. } => "answered",
            ReviewFact::Delegated { .. } => "delegated",
            ReviewFact::Escalated { .. } => "escalated",
            ReviewFact::Extended { .. } => "extended",
            ReviewFact::Opened { .. } => "opened",
            ReviewFact::LooksOn { .. } => "looks_on",
            ReviewFact::Left { .. } => "left",
            ReviewFact::Told { .. } => "told",
            ReviewFact::Decided { .. } => "decided",
            ReviewFact::GrantRuns { .. } => "grant_runs",
            ReviewFact::JobBooked { .. } => "job_booked",
            ReviewFact::JobReturns => "job_returns",
            ReviewFact::Redeemed { .. } => "redeemed",
            ReviewFact::StepMade { .. } => "step_made",
            ReviewFact::RedeemedByStep { .. } => "redeemed_by_step",
            ReviewFact::StepEnded { .. } => "step_ended",
        }
    }
}
