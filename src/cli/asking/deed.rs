//! What was approved is done: the right is used for it as it is now, and it runs, once. A job does
//! it itself, or hears what came of the step that did.

use std::path::{Path, PathBuf};
use std::process::ExitStatus;
use std::time::Duration;

use futures::StreamExt as _;
use nix::sys::signal::Signal;
use nix::unistd::Pid;
use tokio::signal::unix::{SignalKind, signal};

use super::answer;
use super::covered::{Covered, look};
use super::{BAD_CALL, CHANGED, LOST, OVER};
use crate::base::text::sanitise;
use crate::base::{JobId, Name, ReviewId};
use crate::cli::clock;
use crate::cli::exit::{Failure, Outcome};
use crate::cli::follow::Sink;
use crate::cli::session::Session;
use crate::cli::terminal::filter::Pass;
use crate::link::Link;
use crate::model::action::command::Said;
use crate::model::page::LogQuery;
use crate::model::review::{Review, ReviewState, ReviewVerb, StepState};

/// What a shell says of a program that it could not execute.
const CANNOT_RUN: u8 = 126;

/// Does what was approved, or says what came of it where it was done already.
///
/// # Errors
/// As [`perform`] and [`done_before`]; of a step that was lost.
pub async fn done_once(session: &Session, link: &dyn Link, mut review: Review) -> Outcome {
    loop {
        if let Some(code) = by_step(session, link, &mut review).await? {
            return Ok(code);
        }
        if review.state == ReviewState::Redeemed {
            return done_before(session, &review);
        }
        match perform(session, link, &review).await {
            // A step may have been quicker by a moment.
            Err(failure) if failure.code == OVER => {
                review = answer::known(link, review.id).await?;
                let done = review.step.as_deref().is_some_and(|s| s.state.used_the_right());
                if !done {
                    return Err(failure);
                }
            }
            done => return done,
        }
    }
}

/// What came of the step that does it, once that is known; `None` where this job is to do it.
async fn by_step(
    session: &Session,
    link: &dyn Link,
    review: &mut Review,
) -> Result<Option<u8>, Failure> {
    loop {
        let Some(step) = review.step.as_deref() else { return Ok(None) };
        let (id, job) = (review.id, step.job);
        match &step.state {
            StepState::Waits | StepState::Unused(_) => return Ok(None),
            StepState::Runs => *review = answer::news_of(link, id).await?,
            StepState::Done(code) => {
                let code = u8::try_from(code & 0xff).unwrap_or(1);
                let output = format!("its output, also by `holdshort logs {job}`:");
                session.output.note(&format!("{id} ran as step {job}, exit {code}; {output}"));
                replay(session, link, job).await;
                return Ok(Some(code));
            }
            StepState::Lost => {
                let what = format!(
                    "step {job} was doing {id} and was lost: whether it took effect \
                                    is not known, and it is not done again"
                );
                let hint = format!("holdshort logs {job}; --idempotency-key KEY asks for it anew");
                return Err(Failure::new(LOST, what, hint));
            }
        }
    }
}

/// What a step wrote, as if it had been written here. Where that is gone its code still counts.
async fn replay(session: &Session, link: &dyn Link, step: JobId) {
    let query =
        LogQuery { attempt: None, rank: None, follow: false, tail_bytes: None, times: false };
    let mut sink = Sink::new(Pass::Colours);
    let shown = async {
        let mut pieces = link.logs(step, query).await?;
        while let Some(piece) = pieces.next().await {
            sink.write(&piece?.bytes)?;
        }
        Ok::<(), Failure>(())
    };
    if let Err(failure) = shown.await {
        session.output.warn(&format!("the output of step {step} cannot be shown: {failure}"));
    }
}

/// Uses the right for what was approved, as it is now, and runs it.
///
/// # Errors
/// Before it runs with the codes of the contract; its own code is none.
pub async fn perform(session: &Session, link: &dyn Link, review: &Review) -> Outcome {
    let action = review.action();
    let Some(said) = Said::of(action) else {
        let what = format!("{} was changed into something that is no command", review.id);
        return Err(Failure::new(BAD_CALL, what, "`holdshort redeem` uses it"));
    };
    until_it_holds(review).await;
    let names: Vec<Name> = said.env.into_keys().collect();
    let covered = look(said.argv, Path::new(&said.cwd), &names)
        .map_err(|failure| Failure { code: CHANGED, ..failure })?;
    let now = covered.line.action(action.target.clone(), action.amount.clone());
    let (hash, action) = (Some(review.hash), Some(Box::new(now)));
    let verb = ReviewVerb::Redeem { hash, action, conditions: Default::default() };
    let redeemed = answer::redeem(link, review.id, verb).await?.review;
    if review.edited.is_some() {
        let words = covered.line.argv.join(" ");
        session.output.note(&format!("{} was changed: {}", review.id, sanitise(&words)));
    }
    if !covered.is_as_it_was() {
        let what = format!("what {} approved changed while it was used; nothing ran", review.id);
        return Err(Failure::new(CHANGED, what, "ask again for what is to be done"));
    }
    let code = run(&covered, &said.cwd).await?;
    keep(&redeemed, code);
    Ok(code)
}

/// A yes may take effect a little later, so that it can be taken back.
async fn until_it_holds(review: &Review) {
    let Some(grant) = &review.grant else { return };
    let left = grant.from.since(clock::wall());
    if left.0 > 0 {
        tokio::time::sleep(Duration::from_millis(left.0)).await;
    }
}

/// Runs it to its end. A request to end is passed on; what a terminal sends reaches it by itself.
async fn run(covered: &Covered, cwd: &str) -> Result<u8, Failure> {
    let unable = |error: &std::io::Error| {
        let what = format!("cannot run {}: {error}", covered.program.display());
        Failure::new(CANNOT_RUN, what, "the yes is spent; ask again with --idempotency-key")
    };
    let mut terms = signal(SignalKind::terminate()).map_err(|error| unable(&error))?;
    let quiet = [SignalKind::interrupt(), SignalKind::quit(), SignalKind::hangup()];
    // Taken and dropped: this process stays for as long as the command does.
    let _taken: Vec<_> = quiet.into_iter().filter_map(|kind| signal(kind).ok()).collect();
    let mut command = std::process::Command::new(&covered.program);
    if let Some((name, words)) = covered.line.argv.split_first() {
        std::os::unix::process::CommandExt::arg0(&mut command, name);
        command.args(words);
    }
    let mut command = tokio::process::Command::from(command);
    let mut child = command.current_dir(cwd).spawn().map_err(|error| unable(&error))?;
    loop {
        tokio::select! {
            ended = child.wait() => return ended.map(code_of).map_err(|error| unable(&error)),
            _ = terms.recv() => {
                let pid = child.id().and_then(|pid| i32::try_from(pid).ok());
                // One that is gone already needs no signal.
                let _ = pid.map(|pid| nix::sys::signal::kill(Pid::from_raw(pid), Signal::SIGTERM));
            }
        }
    }
}

/// The code that a shell would show.
fn code_of(status: ExitStatus) -> u8 {
    let signal = || std::os::unix::process::ExitStatusExt::signal(&status).map(|n| 128 + n);
    let code = status.code().or_else(signal).unwrap_or(1);
    u8::try_from(code & 0xff).unwrap_or(1)
}

/// Beside the job's other files: how what a right was used for ended.
fn record(job: JobId, review: ReviewId) -> Option<PathBuf> {
    let output = PathBuf::from(std::env::var_os("HOLDSHORT_OUTPUT")?);
    Some(output.parent()?.join(format!("{job}.{review}.ended")))
}

/// Keeps the code for the job's next attempt. Where that fails it only does not know it.
fn keep(review: &Review, code: u8) {
    let Some(file) = record(review.job, review.id) else { return };
    let used = review.grant.as_ref().map_or(1, |grant| grant.used);
    let new = file.with_extension("new");
    if std::fs::write(&new, format!("{used} {code}\n")).is_ok() {
        let _ = std::fs::rename(new, file);
    }
}

/// The right was used by an earlier run of the same line: its code, if it came to one.
///
/// # Errors
/// Where nobody knows it.
pub fn done_before(session: &Session, review: &Review) -> Outcome {
    let text = record(review.job, review.id).and_then(|file| std::fs::read_to_string(file).ok());
    let used = review.grant.as_ref().map_or(0, |grant| grant.used);
    let code = text.as_deref().and_then(|text| {
        let (n, code) = text.trim().split_once(' ')?;
        (n.parse() == Ok(used)).then(|| code.parse::<u8>().ok())?
    });
    let last = review.grant.as_ref().and_then(|grant| grant.spent.last());
    let when = last.map_or_else(String::new, |spent| {
        format!(" by attempt {} at {}", spent.attempt, spent.at.wall.rfc3339())
    });
    let anew = "--idempotency-key KEY asks for it anew";
    match code {
        Some(code) => {
            let id = review.id;
            session.output.note(&format!("{id} was done{when} and ended with {code}; {anew}"));
            Ok(code)
        }
        None => {
            let what = format!(
                "the yes to {} was used{when}; whether what it was for took effect is not known",
                review.id
            );
            Err(Failure::new(OVER, what, anew))
        }
    }
}
