//! Something wrong with a job, with the evidence.

use serde::{Deserialize, Serialize};

use crate::base::{At, Name};
use crate::model::reason::Numbers;

/// What was noticed. One file in `sched/health` each.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Signal {
    /// The job can never start as things are.
    NeverFits,
    /// S2: started and has given no sign of life.
    NeverStarted,
    /// S20: close to a hard limit.
    LimitNear,
    /// No time limit and running for very long.
    LongRunning,
    /// A person works in it, and it has been quiet for long: no output, no input.
    Idle,
    /// A service whose health check failed three times in a row.
    Unhealthy,
    /// It will probably miss its deadline, or has.
    DeadlineAtRisk,
    /// S16: it asks at its prompt and opened no review, so nobody is told of it.
    Unasked,
    /// S17: a review of it has waited for most of its time.
    ReviewAgeing,
    /// S18: it asks the same again after a yes that it never used.
    ResumeLoop,
    /// S19: it tries again what people denied, in another way.
    DeniedAgain,
    /// A message about a review of it reached nobody.
    NobodyTold,
    /// A step did what was approved, and nobody knows how that ended.
    StepLost,
}

/// How bad it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Level {
    /// A mark on the row.
    Notice,
    /// Somebody should look.
    Suspect,
    /// Somebody or something must act.
    Stuck,
}

impl Signal {
    /// All of them.
    pub const ALL: [Signal; 13] = [
        Signal::NeverFits,
        Signal::NeverStarted,
        Signal::LimitNear,
        Signal::LongRunning,
        Signal::Idle,
        Signal::Unhealthy,
        Signal::DeadlineAtRisk,
        Signal::Unasked,
        Signal::ReviewAgeing,
        Signal::ResumeLoop,
        Signal::DeniedAgain,
        Signal::NobodyTold,
        Signal::StepLost,
    ];

    /// Its stable word, as stored and as filters name it.
    pub const fn word(self) -> &'static str {
        match self {
            Signal::NeverFits => "never_fits",
            Signal::NeverStarted => "never_started",
            Signal::LimitNear => "limit_near",
            Signal::LongRunning => "long_running",
            Signal::Idle => "idle",
            Signal::Unhealthy => "unhealthy",
            Signal::DeadlineAtRisk => "deadline_at_risk",
            Signal::Unasked => "unasked",
            Signal::ReviewAgeing => "review_ageing",
            Signal::ResumeLoop => "resume_loop",
            Signal::DeniedAgain => "denied_again",
            Signal::NobodyTold => "nobody_told",
            Signal::StepLost => "step_lost",
        }
    }

    /// It is about the job and not about the run that is over.
    pub const fn outlives_runs(self) -> bool {
        match self {
            Signal::NeverFits
            | Signal::ReviewAgeing
            | Signal::ResumeLoop
            | Signal::DeniedAgain
            | Signal::NobodyTold
            | Signal::StepLost => true,
            Signal::NeverStarted
            | Signal::LimitNear
            | Signal::LongRunning
            | Signal::Idle
            | Signal::Unhealthy
            | Signal::DeadlineAtRisk
            | Signal::Unasked => false,
        }
    }
}

impl Level {
    /// Its word.
    pub const fn word(self) -> &'static str {
        match self {
            Level::Notice => "notice",
            Level::Suspect => "suspect",
            Level::Stuck => "stuck",
        }
    }
}

/// A finding that stands.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Finding {
    /// What was noticed.
    pub signal: Signal,
    /// How bad it is now.
    pub level: Level,
    /// Since when it stands, at any level.
    pub since: At,
    /// The evidence, as numbers and names.
    pub evidence: Numbers,
    /// Who said "seen"; the finding stays, its alarm is silent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub acked: Option<Name>,
}
