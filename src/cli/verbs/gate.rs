//! `gate`: asks for exactly this command, waits, uses the yes and runs it.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::ExitStatus;
use std::time::Duration;

use clap::Args;
use nix::sys::signal::Signal;
use nix::unistd::Pid;
use tokio::signal::unix::{SignalKind, signal};

use crate::base::text::sanitise;
use crate::base::{JobId, Name, ReviewId};
use crate::cli::asking::answer::{self, Standing};
use crate::cli::asking::covered::{Covered, look};
use crate::cli::asking::options::AskOptions;
use crate::cli::asking::{self, BAD_CALL, CHANGED, OVER, failed};
use crate::cli::clock;
use crate::cli::exit::{Failure, OK, Outcome};
use crate::cli::session::Session;
use crate::link::Link;
use crate::model::action::command::{KIND, Said};
use crate::model::page::ReviewQuery;
use crate::model::page::reviews::Which;
use crate::model::review::{Review, ReviewState, ReviewVerb};
use crate::sched::policy::review::{Subject, fitting};

/// What a shell says of a program that it could not execute.
const CANNOT_RUN: u8 = 126;

/// `gate`.
#[derive(Debug, Args)]
#[command(before_help = "Examples, in a job:
  holdshort gate --effect irreversible -- ./drop-old-tables.sh
  holdshort gate --effect external --wait 10m --summary 'as agreed' -- curl -fsS -X POST …")]
#[command(
    after_help = "A yes covers the words, the directory, the executable and the script that \
                        an interpreter is given, byte by byte, and the variables that the rule \
                        lists. Exit codes before it runs: 10 no, 11 expired, 12 withdrawn or \
                        spent, 13 changed since the yes, 75 parked, 69 no answer to be had, 64 \
                        usage; after that the command's own. Run again after it was done, it gives \
                        that code once more and runs nothing; --idempotency-key asks anew."
)]
pub struct Gate {
    #[command(flatten)]
    options: AskOptions,
    /// The command
    #[arg(value_name = "CMD", last = true, required = true)]
    words: Vec<OsString>,
}

impl Gate {
    /// Refuses what makes no sense.
    ///
    /// # Errors
    /// A usage failure.
    pub fn check(&self, session: &Session) -> Result<(), Failure> {
        asking::own_job(session, "gate").map(drop)?;
        let action =
            self.look(&[])?.line.action(self.options.target.clone(), self.options.money()?);
        self.options.ask(action).map(drop)
    }

    /// Asks, waits, runs.
    ///
    /// # Errors
    /// The server's, with the codes of the contract; the command's own code is no error.
    pub async fn run(self, session: &Session, link: &dyn Link) -> Outcome {
        let job = asking::own_job(session, "gate")?;
        let covered = self.look(&self.env(session, link, job).await?)?;
        for file in &covered.unreadable {
            let file = sanitise(file);
            session.output.warn(&format!("{file} cannot be read: a yes does not cover its bytes"));
        }
        let action = covered.line.action(self.options.target.clone(), self.options.money()?);
        let question = self.options.ask(action)?;
        if !covered.line.scripts.is_empty() {
            session.output.note(&format!("a yes covers {}", sanitise(&covered.files())));
        }
        if let Some(code) = self.outdated(session, link, job, &question).await? {
            return Ok(code);
        }
        let standing = answer::ask(link, question).await?;
        let review = match standing {
            Standing::Answered(review, OK) => review,
            standing => {
                let note = answer::note(standing.review()).unwrap_or_default();
                session.output.note(&note);
                return Ok(standing.code());
            }
        };
        if review.state == ReviewState::Redeemed {
            return done_before(session, &review);
        }
        perform(session, link, &review).await
    }

    fn look(&self, env: &[Name]) -> Result<Covered, Failure> {
        let text = |word: &OsString| {
            word.to_str().map(str::to_owned).ok_or_else(|| {
                let what = format!("the argument {} is not UTF-8 text", word.display());
                Failure::usage(what, "put it into a script")
            })
        };
        look(self.words.iter().map(text).collect::<Result<_, _>>()?, &here()?, env)
    }

    /// The variables that the rule lists which this would meet.
    async fn env(
        &self,
        session: &Session,
        link: &dyn Link,
        job: JobId,
    ) -> Result<Vec<Name>, Failure> {
        let policies = &session.places.config.review_policies;
        if policies.iter().all(|policy| policy.env.is_empty()) {
            return Ok(Vec::new());
        }
        let team = link.job(job).await.map_err(failed)?.row.team;
        let amount = self.options.money()?;
        let (effect, amount) = (self.options.effect, amount.as_ref());
        let policy = fitting(policies, Subject { team: &team, effect, tool: None, amount });
        Ok(policy.map(|policy| policy.env.iter().cloned().collect()).unwrap_or_default())
    }

    /// Earlier questions about the same words, place and variables, whose files are not those of
    /// now: a yes to one is for something else (13, and it is asked anew), an open one is taken
    /// back.
    async fn outdated(
        &self,
        session: &Session,
        link: &dyn Link,
        job: JobId,
        question: &crate::model::review::Ask,
    ) -> Result<Option<u8>, Failure> {
        let query = ReviewQuery { job: Some(job), which: Which::All, ..ReviewQuery::default() };
        let said = Said::of(&question.action);
        for row in link.reviews(query).await.map_err(failed)?.reviews {
            let state = row.state;
            let waits = matches!(state, ReviewState::Open | ReviewState::Approved);
            if !waits || row.effect != question.effect {
                continue;
            }
            let review = link.review(row.id, None).await.map_err(failed)?.review;
            let hash = question.action.hash(review.bound());
            let same = review.hash == hash || review.ask.action.hash(review.bound()) == hash;
            let alike = &*review.ask.action.kind == KIND
                && review.ask.key == question.key
                && Said::of(&review.ask.action) == said;
            if same || !alike {
                continue;
            }
            if state == ReviewState::Open {
                let reason = Some("what would run changed while it was asked".to_owned());
                let verb = ReviewVerb::Withdraw { reason, abandoned: true };
                link.review_act(review.id, verb).await.map_err(failed)?;
                continue;
            }
            let action = Some(Box::new(question.action.clone()));
            let conditions = Default::default();
            let verb = ReviewVerb::Redeem { hash: None, action, conditions };
            return match answer::redeem(link, review.id, verb).await {
                Err(failure) if failure.code == CHANGED => {
                    session.output.failure(&failure);
                    Ok(Some(CHANGED))
                }
                Err(failure) => Err(failure),
                // Another action never uses this right.
                Ok(_) => Ok(Some(OVER)),
            };
        }
        Ok(None)
    }
}

fn here() -> Result<PathBuf, Failure> {
    std::env::current_dir().map_err(|error| {
        Failure::usage(format!("the current directory is gone: {error}"), "cd somewhere else")
    })
}

/// Uses the right for what was approved, as it is now, and runs it.
async fn perform(session: &Session, link: &dyn Link, review: &Review) -> Outcome {
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
fn done_before(session: &Session, review: &Review) -> Outcome {
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
