//! `cancel`, `requeue`, `preempt`, `next`, `ack`: something done with jobs, all or none.

use clap::Args;

use crate::base::JobId;
use crate::cli::exit::{Failure, NOT_FOUND, OK, Outcome};
use crate::cli::session::Session;
use crate::cli::targets::{self, Many};
use crate::link::{Link, LinkError};
use crate::model::command::Verb;
use crate::model::page::Ended;

/// `cancel`.
#[derive(Debug, Args)]
pub struct Cancel {
    #[command(flatten)]
    which: Many,
    /// Why; kept with the job
    #[arg(long, value_name = "TEXT")]
    reason: Option<String>,
}

/// `requeue`.
#[derive(Debug, Args)]
pub struct Requeue {
    #[command(flatten)]
    which: Many,
    /// Why; kept in the journal
    #[arg(long, value_name = "TEXT")]
    reason: Option<String>,
}

/// `preempt`.
#[derive(Debug, Args)]
#[command(after_help = "Only a job that says how it comes back can be asked for its room: \
                        --requeue, --resumable or a saved checkpoint.")]
pub struct Preempt {
    #[command(flatten)]
    which: Many,
    /// Why; kept in the journal
    #[arg(long, value_name = "TEXT")]
    reason: Option<String>,
}

/// `next`.
#[derive(Debug, Args)]
pub struct Next {
    #[command(flatten)]
    which: Many,
    /// Why; kept in the journal
    #[arg(long, value_name = "TEXT")]
    reason: Option<String>,
}

/// `keep`.
#[derive(Debug, Args)]
pub struct Keep {
    #[command(flatten)]
    which: Many,
}

/// `ack`.
#[derive(Debug, Args)]
pub struct Ack {
    #[command(flatten)]
    which: Many,
}

impl Cancel {
    /// Ends jobs for good.
    ///
    /// # Errors
    /// The server's, or no confirmation.
    pub async fn run(self, session: &Session, link: &dyn Link) -> Outcome {
        let verb = Verb::Cancel { reason: self.reason };
        act(session, link, &self.which, verb, Ended::None, "cancel").await
    }
}

impl Requeue {
    /// Stops processes and queues the jobs again.
    ///
    /// # Errors
    /// The server's, or no confirmation.
    pub async fn run(self, session: &Session, link: &dyn Link) -> Outcome {
        let verb = Verb::Requeue.because(self.reason);
        act(session, link, &self.which, verb, Ended::None, "requeue").await
    }
}

impl Preempt {
    /// Stops processes so that others get their room; the jobs queue again.
    ///
    /// # Errors
    /// The server's, or no confirmation.
    pub async fn run(self, session: &Session, link: &dyn Link) -> Outcome {
        let verb = Verb::Preempt.because(self.reason);
        act(session, link, &self.which, verb, Ended::None, "preempt").await
    }
}

impl Next {
    /// Moves jobs to the front of their team.
    ///
    /// # Errors
    /// The server's, or no confirmation.
    pub async fn run(self, session: &Session, link: &dyn Link) -> Outcome {
        let verb = Verb::Next.because(self.reason);
        act(session, link, &self.which, verb, Ended::None, "move up").await
    }
}

impl Keep {
    /// Takes back cancellations that a console has put on their way.
    ///
    /// # Errors
    /// The server's, or no confirmation.
    pub async fn run(self, session: &Session, link: &dyn Link) -> Outcome {
        act(session, link, &self.which, Verb::Keep, Ended::None, "keep").await
    }
}

impl Ack {
    /// Says that somebody has seen them.
    ///
    /// # Errors
    /// The server's, or no confirmation.
    pub async fn run(self, session: &Session, link: &dyn Link) -> Outcome {
        act(session, link, &self.which, Verb::Ack, Ended::All, "acknowledge").await
    }
}

/// Finds the jobs, asks if they are many, and does it.
///
/// # Errors
/// The server's, or no confirmation.
pub async fn act(
    session: &Session,
    link: &dyn Link,
    which: &Many,
    verb: Verb,
    ended: Ended,
    word: &str,
) -> Outcome {
    let hit = targets::resolve(link, which, ended).await?;
    targets::confirm(session.output, &hit, word, which.yes)?;
    let mut jobs = hit.ids();
    loop {
        let refusal = match link.act(jobs.clone(), verb.clone()).await {
            Ok(()) => return Ok(OK),
            Err(LinkError::Refused(refusal)) if hit.implied => refusal,
            Err(error) => return Err(error.into()),
        };
        // Jobs of a filter or an array that ended meanwhile are not meant any more.
        let still = still_meant(link, which, ended).await?;
        let left: Vec<JobId> = jobs.iter().copied().filter(|job| still.contains(job)).collect();
        if left.is_empty() {
            return Ok(OK);
        }
        if left.len() == jobs.len() {
            return Err(refusal.into());
        }
        jobs = left;
    }
}

async fn still_meant(link: &dyn Link, which: &Many, ended: Ended) -> Result<Vec<JobId>, Failure> {
    match targets::resolve(link, which, ended).await {
        Ok(hit) => Ok(hit.ids()),
        Err(failure) if failure.code == NOT_FOUND => Ok(Vec::new()),
        Err(failure) => Err(failure),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cli::exit::NEEDS_YES;
    use crate::cli::output;
    use crate::cli::tests::{Scripted, row, session};

    async fn cancelled(words: &[&str], yes: bool) -> (Outcome, Vec<(Vec<JobId>, Verb)>) {
        let dir = tempfile::tempdir().unwrap();
        let link = Scripted::default();
        link.put(row(1));
        link.put(row(2));
        let targets = words.iter().map(|word| word.parse().unwrap()).collect();
        let which = Many { targets, filter: None, yes };
        let cancel = Cancel { which, reason: Some("enough".into()) };
        let outcome = cancel.run(&session(dir.path()), &link).await;
        (outcome, link.acted())
    }

    #[tokio::test]
    async fn all_jobs_are_hit_in_one_request_or_none_is() {
        let verb = Verb::Cancel { reason: Some("enough".into()) };
        let (outcome, acted) = cancelled(&["2", "1"], true).await;
        assert_eq!((outcome, acted), (Ok(OK), vec![(vec![JobId(2), JobId(1)], verb.clone())]));
        let (outcome, acted) = cancelled(&["1"], false).await;
        assert_eq!((outcome, acted), (Ok(OK), vec![(vec![JobId(1)], verb)]));
        let (outcome, acted) = cancelled(&["1", "9"], true).await;
        assert!(outcome.is_err() && acted.is_empty());
        if !output::can_ask() {
            let (outcome, acted) = cancelled(&["1", "2"], false).await;
            assert_eq!(outcome.unwrap_err().code, NEEDS_YES);
            assert!(acted.is_empty());
        }
    }

    #[tokio::test]
    async fn a_job_of_an_array_that_ended_meanwhile_does_not_save_the_others() {
        use crate::model::job::{ArrayPlace, Outcome as End, State};
        use crate::model::page::JobRow;
        let dir = tempfile::tempdir().unwrap();
        let link = Scripted::default();
        let place = |index| Some(ArrayPlace { id: JobId(1), index, throttle: None });
        for id in 1..=3u32 {
            link.put(JobRow { array: place(id), ..row(u64::from(id)) });
        }
        let over = State::Ended(End::Succeeded);
        link.refuse_once(JobRow { array: place(2), state: over, ..row(2) });
        let targets = vec!["1".parse().unwrap()];
        let cancel = Cancel { which: Many { targets, ..Many::default() }, reason: None };
        assert_eq!(cancel.run(&session(dir.path()), &link).await, Ok(OK));
        let acted = link.acted();
        assert_eq!(acted.last().map(|(jobs, _)| jobs.clone()), Some(vec![JobId(1), JobId(3)]));
    }
}
