//! Where a job stands. Each state carries its own data; the words are INTERFACE's.

use serde::{Deserialize, Serialize};

use crate::base::{At, Name, Wall};

/// Where a job stands.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum State {
    /// A person stopped it: before it started, parked, or frozen ([`super::Job::frozen`]).
    Paused,
    /// It waits for people: parked, or frozen ([`super::Job::frozen`]).
    InReview,
    /// Something other than room must happen first.
    Waiting(Cause),
    /// Waits for room.
    Queued,
    /// Room is assigned, processes are being started.
    Starting,
    /// At least the minimum of its gang runs.
    Running,
    /// Its processes are being ended.
    Stopping(StopFor),
    /// It ended.
    Ended(Outcome),
}

/// What a waiting job waits for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Cause {
    /// Other jobs (`--after`).
    After,
    /// Its start time.
    StartAt,
    /// Its children.
    Children,
    /// The pause before a retry ends at this wall time.
    Backoff(Wall),
}

/// Why its processes are being ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum StopFor {
    /// A person cancelled it.
    Cancel,
    /// A person paused it; it parks.
    Pause,
    /// It asked people and parks until they answer.
    Park,
    /// A person said no, and that it shall stop.
    Deny,
    /// A person sent it back to the queue.
    Requeue,
    /// Others take its room.
    Preempt,
    /// Its node is about to vanish; the grace is all the time there is.
    Spot,
    /// Its health check failed too often; it is a service and starts again.
    Unhealthy,
    /// Its time limit.
    Timeout,
    /// Some tasks of the gang are gone and it cannot go on.
    Gang,
    /// The attempt failed by rule (a task ended badly while others still run).
    Failure,
}

/// How a job ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Outcome {
    /// Every task ended with 0.
    Succeeded,
    /// It did not.
    Failed(FailureClass),
    /// A person cancelled it.
    Cancelled,
    /// A person said no to what it asked, and that it shall stop.
    Denied,
    /// Its time limit.
    TimedOut,
    /// Its processes vanished with the machine or their supervisor and nothing says how it
    /// could come back.
    Lost,
}

/// What kind of failure.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum FailureClass {
    /// A code other than 0.
    Exit,
    /// Ended by a signal we did not send.
    Signal,
    /// Ended with 75 although nobody asked it to stop and it asked nobody.
    ParkedWithoutAsking,
    /// Its node was lost.
    NodeLost,
    /// A `--must-fit` job whose room vanished after submit.
    NeverFits,
    /// A job it had to come after ended the wrong way.
    Dependency,
    /// It could not be started at all: command not found, directory gone.
    CannotStart,
}

/// How a process ended.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Exit {
    /// With a code.
    Code(i32),
    /// By a signal.
    Signal(i32),
    /// It never ran; the text says why.
    NotStarted(String),
    /// Nobody can know: its supervisor vanished.
    Unknown,
}

/// A person holds something back.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Hold {
    /// Who.
    pub by: Name,
    /// Since when.
    pub since: At,
    /// Lifts by itself at this time.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub until: Option<Wall>,
    /// Why.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
}

/// The name shown as the author of what time does.
pub const TIME: &str = "holdshort";
/// The name shown as the author of a hold that a review without an answer left behind.
pub const REVIEW: &str = "review";
/// The word of a job that comes back with an answer and waits for room.
pub const RESUMING: &str = "resuming";

impl Hold {
    /// Nobody worked in it for long: whoever comes back lifts this. No other hold is the
    /// scheduler's own.
    pub fn is_for_idleness(&self) -> bool {
        &*self.by == TIME
    }
}

/// Exit code by which a program says it saved itself and wants to come back (`EX_TEMPFAIL`).
pub const EXIT_PARKED: i32 = 75;

impl Exit {
    /// Ended with code 0.
    pub fn is_success(&self) -> bool {
        *self == Exit::Code(0)
    }

    /// The code a shell would show: the code, 128+n for signal n, 127 for not started.
    pub fn shell_code(&self) -> Option<i32> {
        match self {
            Exit::Code(code) => Some(*code),
            Exit::Signal(signal) => Some(128 + signal),
            Exit::NotStarted(_) => Some(127),
            Exit::Unknown => None,
        }
    }
}

/// The word of a state; a queued job that comes back with an answer is `resuming`.
pub const fn word(state: &State, returning: bool) -> &'static str {
    match state {
        State::Queued if returning => RESUMING,
        state => state.word(),
    }
}

impl State {
    /// The word of INTERFACE.md, as far as the state alone says it ([`word`]).
    pub const fn word(&self) -> &'static str {
        match self {
            State::Paused => "paused",
            State::InReview => "in_review",
            State::Waiting(_) => "waiting",
            State::Queued => "queued",
            State::Starting => "starting",
            State::Running => "running",
            State::Stopping(_) => "stopping",
            State::Ended(outcome) => outcome.word(),
        }
    }

    /// All words a filter may name.
    pub const WORDS: [&'static str; 14] = [
        "paused",
        "in_review",
        "resuming",
        "waiting",
        "queued",
        "starting",
        "running",
        "stopping",
        "succeeded",
        "failed",
        "cancelled",
        "denied",
        "timed_out",
        "lost",
    ];
}

impl Outcome {
    /// The word of INTERFACE.md.
    pub const fn word(self) -> &'static str {
        match self {
            Outcome::Succeeded => "succeeded",
            Outcome::Failed(_) => "failed",
            Outcome::Cancelled => "cancelled",
            Outcome::Denied => "denied",
            Outcome::TimedOut => "timed_out",
            Outcome::Lost => "lost",
        }
    }
}

impl Cause {
    /// The word in `state_detail.cause`.
    pub const fn word(self) -> &'static str {
        match self {
            Cause::After => "after",
            Cause::StartAt => "start_at",
            Cause::Children => "children",
            Cause::Backoff(_) => "backoff",
        }
    }
}

impl StopFor {
    /// The word in `state_detail.for`.
    pub const fn word(self) -> &'static str {
        match self {
            StopFor::Cancel => "cancel",
            StopFor::Pause => "pause",
            StopFor::Park => "park",
            StopFor::Deny => "deny",
            StopFor::Requeue => "requeue",
            StopFor::Preempt => "preempt",
            StopFor::Spot => "spot",
            StopFor::Unhealthy => "unhealthy",
            StopFor::Timeout => "timeout",
            StopFor::Gang => "gang",
            StopFor::Failure => "failure",
        }
    }
}

impl FailureClass {
    /// The word in `state_detail.class`.
    pub const fn word(self) -> &'static str {
        match self {
            FailureClass::Exit => "exit",
            FailureClass::Signal => "signal",
            FailureClass::ParkedWithoutAsking => "parked_without_asking",
            FailureClass::NodeLost => "node_lost",
            FailureClass::NeverFits => "never_fits",
            FailureClass::Dependency => "dependency",
            FailureClass::CannotStart => "cannot_start",
        }
    }
}
