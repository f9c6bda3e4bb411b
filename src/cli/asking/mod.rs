//! What a job says to people, and how it goes on: what `ask`, `gate`, `redeem` and `withdraw`
//! share.
//!
//! [`options`] is what is said, [`action`] makes of words or a file what a yes is bound to,
//! [`covered`] reads the files that a command line would run, [`answer`] waits, [`deed`]
//! does what was approved. Exit codes here are
//! those of the contract for jobs: other programs than people read them.

pub mod action;
pub mod answer;
pub mod covered;
pub mod deed;
pub mod options;

use std::ffi::OsString;

use super::exit::{FAILED, Failure, NOT_FOUND, REFUSED, UNREACHABLE, USAGE};
use super::session::Session;
use crate::base::{JobId, ReviewId};
use crate::link::LinkError;
use crate::model::refusal::RefusalCode;

/// Withdrawn, or spent: nothing may be done by it any more.
pub const OVER: u8 = 12;
/// What is to be done is not what was approved.
pub const CHANGED: u8 = 13;
/// A step was doing it and was lost: it may have taken effect, and is not done again.
pub const LOST: u8 = 14;
/// The call makes no sense, or is not this job's to make.
pub const BAD_CALL: u8 = 64;
/// There is no answer to be had: nothing may be done.
pub const NO_ANSWER: u8 = 69;
/// It waits for people: the job saves itself and ends with this.
pub const PARKED: u8 = 75;

/// The verbs whose codes a job's program reads.
const VERBS: [&str; 5] = ["ask", "gate", "redeem", "step", "withdraw"];
/// Options that stand before a verb and have a value.
const VALUED: [&str; 4] = ["--color", "--socket", "--data-dir", "--config"];

/// This command line is one of those verbs.
pub fn is_one_of_them(args: &[OsString]) -> bool {
    let mut words = args.iter().skip(1);
    while let Some(word) = words.next() {
        match word.to_str() {
            Some(option) if VALUED.contains(&option) => drop(words.next()),
            Some(option) if option.starts_with('-') => {}
            word => return word.is_some_and(|word| VERBS.contains(&word)),
        }
    }
    false
}

/// A failure with the code that a job's program understands: before anything was done, 69 says
/// that no answer is to be had, 64 that the call is wrong.
pub fn for_programs(failure: Failure) -> Failure {
    let code = match failure.code {
        USAGE | NOT_FOUND | REFUSED => BAD_CALL,
        FAILED | UNREACHABLE => NO_ANSWER,
        other => other,
    };
    Failure { code, ..failure }
}

/// Why a call brought nothing.
pub fn failed(error: LinkError) -> Failure {
    let code = match &error {
        LinkError::Refused(refusal) => match refusal.code {
            RefusalCode::Changed => CHANGED,
            RefusalCode::Spent => OVER,
            RefusalCode::DiskFull
            | RefusalCode::TooMany
            | RefusalCode::ShuttingDown
            | RefusalCode::Internal => NO_ANSWER,
            _ => BAD_CALL,
        },
        LinkError::Unreachable(_) | LinkError::Protocol(_) => NO_ANSWER,
    };
    Failure { code, ..Failure::from(error) }
}

/// The job in which this runs.
///
/// # Errors
/// Outside of any job: people decide by `approve` and `deny`, they ask nobody.
pub fn own_job(session: &Session, verb: &str) -> Result<JobId, Failure> {
    session.inside().ok_or_else(|| {
        let what = format!("`{verb}` is for a process of a job, and this runs in none");
        let hint =
            format!("put it into what you submit: holdshort submit -- sh -c 'holdshort {verb} …'");
        Failure::new(BAD_CALL, what, hint)
    })
}

/// A review by its number.
///
/// # Errors
/// How it is written.
pub fn review(text: &str) -> Result<ReviewId, String> {
    text.parse().map_err(|()| format!("`{text}` is no review; write its number: R17"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_verbs_of_jobs_are_told_from_others() {
        let is = |line: &str| {
            let args: Vec<OsString> = line.split(' ').map(Into::into).collect();
            is_one_of_them(&args)
        };
        assert!(is("holdshort ask --effect money"));
        assert!(is("holdshort --json --socket /tmp/x gate --nonsense"));
        assert!(!is("holdshort --socket ask ls"));
        assert!(!is("holdshort submit -- ask"));
        assert!(!is("holdshort"));
    }

    #[test]
    fn codes_before_anything_was_done_are_those_of_the_contract() {
        let code = |code| for_programs(Failure::new(code, "x", "")).code;
        assert_eq!([USAGE, NOT_FOUND, REFUSED].map(code), [BAD_CALL; 3]);
        assert_eq!([FAILED, UNREACHABLE].map(code), [NO_ANSWER; 2]);
        assert_eq!([OVER, CHANGED, PARKED].map(code), [OVER, CHANGED, PARKED]);
    }
}
