//! Where a job stands, in a word and in a sentence.

use std::borrow::Cow;

use crate::base::text::sanitise;
use crate::model::State;
use crate::model::job::{Cause, Exit, FailureClass, Outcome, StopFor};
use crate::model::page::JobRow;

/// A word or two for a table's column.
pub fn state_short(row: &JobRow) -> &'static str {
    match row.state {
        State::Paused if row.frozen => "frozen",
        State::InReview => "in review",
        State::Queued if row.answered.is_some() => "resuming",
        State::Waiting(Cause::After) => "after",
        State::Waiting(Cause::StartAt) => "start time",
        State::Waiting(Cause::Children) => "children",
        State::Waiting(Cause::Backoff(_)) => "backoff",
        State::Ended(Outcome::TimedOut) => "timed out",
        State::Running if row.prompt.is_some() => "at prompt",
        _ => row.word(),
    }
}

/// The state in a sentence, without its times.
pub fn state_long(state: &State, frozen: bool) -> String {
    match state {
        State::Paused if frozen => "paused, its processes are frozen".to_owned(),
        State::Paused => "paused".to_owned(),
        State::InReview if frozen => "waiting for people, its processes are frozen".to_owned(),
        State::InReview => "waiting for people, it holds nothing".to_owned(),
        State::Waiting(Cause::After) => "waiting for other jobs".to_owned(),
        State::Waiting(Cause::StartAt) => "waiting for its start time".to_owned(),
        State::Waiting(Cause::Children) => "waiting for its children".to_owned(),
        State::Waiting(Cause::Backoff(_)) => "waiting before it tries again".to_owned(),
        State::Queued => "queued".to_owned(),
        State::Starting => "starting".to_owned(),
        State::Running => "running".to_owned(),
        State::Stopping(why) => format!("stopping: {}", stop(*why)),
        State::Ended(outcome) => self::outcome(*outcome).to_owned(),
    }
}

/// How a job ended.
pub fn outcome(outcome: Outcome) -> &'static str {
    match outcome {
        Outcome::Succeeded => "succeeded",
        Outcome::Failed(FailureClass::Exit) => "failed: its exit code is not 0",
        Outcome::Failed(FailureClass::Signal) => "failed: ended by a signal",
        Outcome::Failed(FailureClass::ParkedWithoutAsking) => {
            "failed: it parked itself (exit 75) although nobody was asked"
        }
        Outcome::Failed(FailureClass::NodeLost) => "failed: its node was lost",
        Outcome::Failed(FailureClass::NeverFits) => "failed: it can never start any more",
        Outcome::Failed(FailureClass::Dependency) => {
            "failed: a job it had to come after ended the wrong way"
        }
        Outcome::Failed(FailureClass::CannotStart) => "failed: it could not be started",
        Outcome::Cancelled => "cancelled",
        Outcome::Denied => "denied: a person said no and that it shall stop",
        Outcome::TimedOut => "timed out: it reached its time limit",
        Outcome::Lost => "lost: its processes vanished, and nothing says how it could come back",
    }
}

/// Why processes are being ended.
pub fn stop(why: StopFor) -> &'static str {
    match why {
        StopFor::Cancel => "cancelled",
        StopFor::Pause => "it parks for a pause",
        StopFor::Park => "it parks until people answer",
        StopFor::Deny => "a person said no and that it shall stop",
        StopFor::Preempt => "to make room",
        StopFor::Requeue => "it goes back to the queue",
        StopFor::Spot => "its node is about to vanish",
        StopFor::Unhealthy => "its health check failed",
        StopFor::Timeout => "its time limit is reached",
        StopFor::Gang => "tasks of its gang are gone",
        StopFor::Failure => "a task of it failed",
    }
}

/// The kind of stop that a word of the API stands for.
pub fn stop_of_word(word: &str) -> Option<StopFor> {
    let all = [
        StopFor::Cancel,
        StopFor::Pause,
        StopFor::Park,
        StopFor::Deny,
        StopFor::Requeue,
        StopFor::Preempt,
        StopFor::Spot,
        StopFor::Unhealthy,
        StopFor::Timeout,
        StopFor::Gang,
        StopFor::Failure,
    ];
    all.into_iter().find(|why| why.word() == word)
}

/// How a process ended: `exit 1`, `signal 9 (KILL)`.
pub fn exit(exit: &Exit) -> Cow<'static, str> {
    match exit {
        Exit::Code(code) => Cow::Owned(format!("exit {code}")),
        Exit::Signal(number) => Cow::Owned(match signal(*number) {
            Some(name) => format!("signal {number} ({name})"),
            None => format!("signal {number}"),
        }),
        Exit::NotStarted(why) => Cow::Owned(format!("not started: {}", sanitise(why))),
        Exit::Unknown => Cow::Borrowed("nobody knows how it ended"),
    }
}

/// Linux's name of a signal, for the common ones.
pub fn signal(number: i32) -> Option<&'static str> {
    Some(match number {
        1 => "HUP",
        2 => "INT",
        3 => "QUIT",
        4 => "ILL",
        6 => "ABRT",
        7 => "BUS",
        8 => "FPE",
        9 => "KILL",
        10 => "USR1",
        11 => "SEGV",
        12 => "USR2",
        13 => "PIPE",
        14 => "ALRM",
        15 => "TERM",
        24 => "XCPU",
        25 => "XFSZ",
        31 => "SYS",
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::view::sample::{asking, queued};

    #[test]
    fn a_waiting_state_reads_its_cause() {
        let mut row = queued(1, "a");
        row.state = State::Waiting(Cause::After);
        assert_eq!(state_short(&row), "after");
        assert_eq!(state_short(&asking(1, "a", "?")), "at prompt");
        assert_eq!(state_long(&State::Stopping(StopFor::Timeout), false).len(), 35);
        assert_eq!(exit(&Exit::Signal(9)), "signal 9 (KILL)");
        assert_eq!(exit(&Exit::Signal(64)), "signal 64");
        assert_eq!(exit(&Exit::NotStarted("no\nfile".into())), "not started: no⏎file");
    }
}
