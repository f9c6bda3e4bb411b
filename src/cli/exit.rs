//! How a verb ends: exit codes in one place, and the error that carries one.

use std::fmt;

use crate::link::LinkError;
use crate::model::job::{Outcome as JobOutcome, State};
use crate::model::page::JobRow;
use crate::model::refusal::Refusal;

/// Done.
pub const OK: u8 = 0;
/// It failed.
pub const FAILED: u8 = 1;
/// The command line makes no sense.
pub const USAGE: u8 = 2;
/// No such thing.
pub const NOT_FOUND: u8 = 3;
/// Not allowed, or not possible now.
pub const REFUSED: u8 = 4;
/// No server answers.
pub const UNREACHABLE: u8 = 6;
/// Several jobs were waited for and time ran out.
pub const TIMED_OUT: u8 = 7;
/// Somebody must say yes and there is no terminal to ask on.
pub const NEEDS_YES: u8 = 8;
/// One job was waited for and time ran out.
pub const WAIT_TIMED_OUT: u8 = 124;
/// The job ended without a code, or we failed where the job's code was expected.
pub const NO_CODE: u8 = 125;
/// The reader of our output went away: what a shell shows for a death by SIGPIPE.
pub const BROKEN_PIPE: u8 = 141;

/// What a verb comes to: its exit code, or an error that carries one.
pub type Outcome = Result<u8, Failure>;

/// Why a verb failed: one line says what and why, another what to do.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Failure {
    /// The exit code.
    pub code: u8,
    /// What and why, without a full stop; empty for an end without words.
    pub what: String,
    /// What to do; may be empty.
    pub hint: String,
}

impl Failure {
    /// A failure with any code.
    pub fn new(code: u8, what: impl Into<String>, hint: impl Into<String>) -> Failure {
        Failure { code, what: what.into(), hint: hint.into() }
    }

    /// The command line makes no sense (2).
    pub fn usage(what: impl Into<String>, hint: impl Into<String>) -> Failure {
        Failure::new(USAGE, what, hint)
    }

    /// Something outside failed (1).
    pub fn failed(what: impl Into<String>, hint: impl Into<String>) -> Failure {
        Failure::new(FAILED, what, hint)
    }

    /// The reader of our output went away: no words.
    pub fn broken_pipe() -> Failure {
        Failure::new(BROKEN_PIPE, "", "")
    }

    /// The same failure where a job's own code was expected: codes below 125 could be mistaken
    /// for the job's, so all but a senseless command line become 125.
    #[must_use]
    pub fn instead_of_a_job(mut self) -> Failure {
        if self.code != USAGE && self.code != BROKEN_PIPE {
            self.code = NO_CODE;
        }
        self
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.what)
    }
}

impl std::error::Error for Failure {}

impl From<Refusal> for Failure {
    fn from(refusal: Refusal) -> Failure {
        Failure::new(refusal.code.exit_code(), refusal.what, refusal.hint)
    }
}

impl From<LinkError> for Failure {
    fn from(error: LinkError) -> Failure {
        match error {
            LinkError::Refused(refusal) => refusal.into(),
            LinkError::Unreachable(text) => Failure::new(
                UNREACHABLE,
                text,
                "`holdshort server status` says whether a server runs",
            ),
            LinkError::Protocol(text) => Failure::failed(
                text,
                "is the server of another version? `holdshort server restart` starts this one",
            ),
        }
    }
}

/// The exit code that stands for how a job ended: its own code, 128+n for signal n, 125 if it
/// ended without one. `None` while it has not ended.
pub fn of_job(row: &JobRow) -> Option<u8> {
    let State::Ended(outcome) = &row.state else { return None };
    let own = || {
        let code = row.exit.as_ref().and_then(crate::model::job::Exit::shell_code);
        code.and_then(|code| u8::try_from(code & 0xff).ok())
    };
    Some(match outcome {
        JobOutcome::Succeeded => OK,
        JobOutcome::Failed(_) | JobOutcome::TimedOut => match own() {
            // A job that failed by rule although its process said 0 must not look like success.
            Some(OK) | None => NO_CODE,
            Some(code) => code,
        },
        JobOutcome::Cancelled | JobOutcome::Denied | JobOutcome::Lost => NO_CODE,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::job::{Exit, FailureClass};
    use crate::model::refusal::RefusalCode;

    #[test]
    fn refusals_keep_their_code_and_a_lost_server_is_6() {
        for code in RefusalCode::ALL {
            let failure = Failure::from(LinkError::Refused(Refusal::new(code, "no", "")));
            assert_eq!(failure.code, code.exit_code());
        }
        assert_eq!(Failure::from(LinkError::Unreachable("gone".into())).code, UNREACHABLE);
        assert_eq!(Failure::from(LinkError::Protocol("odd".into())).code, FAILED);
    }

    #[test]
    fn a_failure_in_place_of_a_jobs_code_is_125_unless_the_usage_was_wrong() {
        let code = |code| Failure::new(code, "x", "").instead_of_a_job().code;
        assert_eq!(code(NOT_FOUND), NO_CODE);
        assert_eq!(code(UNREACHABLE), NO_CODE);
        assert_eq!(code(USAGE), USAGE);
    }

    #[test]
    fn a_jobs_end_maps_to_the_code_a_shell_would_show() {
        let ended = |outcome, exit| {
            of_job(&JobRow { state: State::Ended(outcome), exit, ..crate::cli::tests::row(1) })
        };
        let failed = JobOutcome::Failed(FailureClass::Exit);
        assert_eq!(ended(JobOutcome::Succeeded, Some(Exit::Code(0))), Some(0));
        assert_eq!(ended(failed, Some(Exit::Code(3))), Some(3));
        assert_eq!(ended(failed, Some(Exit::Signal(9))), Some(137));
        assert_eq!(ended(failed, Some(Exit::NotStarted("gone".into()))), Some(127));
        assert_eq!(ended(failed, Some(Exit::Unknown)), Some(NO_CODE));
        assert_eq!(ended(JobOutcome::TimedOut, Some(Exit::Signal(15))), Some(143));
        assert_eq!(ended(JobOutcome::TimedOut, Some(Exit::Code(0))), Some(NO_CODE));
        assert_eq!(ended(JobOutcome::Cancelled, Some(Exit::Signal(15))), Some(NO_CODE));
        assert_eq!(ended(JobOutcome::Lost, None), Some(NO_CODE));
        assert_eq!(of_job(&crate::cli::tests::row(1)), None);
    }
}
