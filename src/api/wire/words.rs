//! Words that stand for the variants of a type of `model`, in both directions.

use super::WireError;
use crate::model::action::EffectClass;
use crate::model::estimate::{Confidence, Origin};
use crate::model::fact::{Class, Rule};
use crate::model::finding::{Level, Signal};
use crate::model::job::{BoostCause, DependencyKind, FailureClass, StopFor, TaskState};
use crate::model::page::Lane;
use crate::model::people::Role;
use crate::model::review::{Assurance, Demand, ReviewState};
use crate::model::setup::{PlaceBy, ReclaimProtection, Tier};

/// A type that JSON shows as one word.
pub(super) trait Word: Sized {
    /// The word.
    fn to_word(self) -> String;

    /// What the word stands for.
    fn of_word(word: &str) -> Result<Self, WireError>;
}

macro_rules! words {
    ($what:literal $type:ident { $($variant:ident = $word:literal,)* }) => {
        impl Word for $type {
            fn to_word(self) -> String {
                match self { $($type::$variant => $word,)* }.to_owned()
            }

            fn of_word(word: &str) -> Result<$type, WireError> {
                match word {
                    $($word => Ok($type::$variant),)*
                    other => Err(WireError::unknown($what, other)),
                }
            }
        }
    };
}

words!("rule" Rule {
    Consolidate = "consolidate",
    ReclaimFairness = "reclaim_fairness",
    ReclaimQuota = "reclaim_quota",
    Preempt = "preempt",
    StaleGang = "stale_gang",
    Overstayed = "overstayed",
    Spot = "spot",
    Person = "person",
});

words!("origin" Origin {
    Own = "own",
    Name = "name",
    Executable = "executable",
    Team = "team",
    Limit = "limit",
    Prior = "prior",
});

words!("confidence" Confidence {
    None = "none",
    Low = "low",
    High = "high",
});

words!("placement" PlaceBy {
    BinPack = "bin_pack",
    Spread = "spread",
    LeastFragmentation = "least_fragmentation",
});

words!("protection" ReclaimProtection {
    Lca = "lca",
    Queue = "queue",
});

words!("lane" Lane {
    Human = "human",
    Running = "running",
    Queued = "queued",
    Ended = "ended",
});

words!("task state" TaskState {
    Pending = "pending",
    Nominated = "nominated",
    Starting = "starting",
    Running = "running",
    Stopping = "stopping",
    Ended = "ended",
});

words!("reason of a stop" StopFor {
    Cancel = "cancel",
    Pause = "pause",
    Park = "park",
    Deny = "deny",
    Requeue = "requeue",
    Preempt = "preempt",
    Spot = "spot",
    Unhealthy = "unhealthy",
    Timeout = "timeout",
    Gang = "gang",
    Failure = "failure",
});

words!("failure class" FailureClass {
    Exit = "exit",
    Signal = "signal",
    ParkedWithoutAsking = "parked_without_asking",
    Dependency = "dependency",
    NodeLost = "node_lost",
    NeverFits = "never_fits",
    CannotStart = "cannot_start",
});

words!("kind of dependency" DependencyKind {
    Ok = "ok",
    Any = "any",
    Failed = "failed",
});

words!("signal" Signal {
    NeverFits = "never_fits",
    NeverStarted = "never_started",
    LimitNear = "limit_near",
    LongRunning = "long_running",
    Idle = "idle",
    Unhealthy = "unhealthy",
    DeadlineAtRisk = "deadline_at_risk",
    Unasked = "unasked",
    ReviewAgeing = "review_ageing",
    ResumeLoop = "resume_loop",
    DeniedAgain = "denied_again",
    NobodyTold = "nobody_told",
    StepLost = "step_lost",
});

words!("cause of a boost" BoostCause {
    Ageing = "ageing",
    Deadline = "deadline",
    Retry = "retry",
});

words!("level" Level {
    Notice = "notice",
    Suspect = "suspect",
    Stuck = "stuck",
});

words!("tier" Tier {
    Batch = "batch",
    Research = "research",
    Deadline = "deadline",
    Production = "production",
});

words!("role" Role {
    Approver = "approver",
    Viewer = "viewer",
    Submitter = "submitter",
    Operator = "operator",
    Admin = "admin",
});

words!("effect class" EffectClass {
    Read = "read",
    Reversible = "reversible",
    Irreversible = "irreversible",
    External = "external",
    Money = "money",
    Unknown = "unknown",
});

words!("state of a review" ReviewState {
    Open = "open",
    Approved = "approved",
    Denied = "denied",
    Expired = "expired",
    Withdrawn = "withdrawn",
    Superseded = "superseded",
    Abandoned = "abandoned",
    Redeemed = "redeemed",
    Lapsed = "lapsed",
    Revoked = "revoked",
});

words!("assurance" Assurance {
    SameUser = "same-user",
    OtherUser = "other-user",
    Hardware = "hardware",
});

words!("demanded assurance" Demand {
    Any = "any",
    High = "high",
});

impl Word for Class {
    fn to_word(self) -> String {
        self.word().to_owned()
    }

    fn of_word(word: &str) -> Result<Class, WireError> {
        Class::of(word).ok_or_else(|| WireError::unknown("ledger class", word))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_words_are_those_of_the_model() {
        for lane in [Lane::Human, Lane::Running, Lane::Queued, Lane::Ended] {
            assert_eq!(lane.to_word(), lane.word());
        }
        for tier in Tier::ALL {
            assert_eq!(tier.to_word(), tier.word());
        }
        for why in ["cancel", "pause", "requeue", "timeout", "gang", "failure"] {
            assert_eq!(StopFor::of_word(why).map(StopFor::word), Ok(why));
        }
        for effect in EffectClass::ALL {
            assert_eq!(effect.to_word(), effect.word());
        }
        for state in ReviewState::ALL {
            assert_eq!(state.to_word(), state.word());
        }
        assert!(Role::of_word("god").unwrap_err().0.contains("\"god\""));
    }
}
