//! `cancel`, `requeue`, `next`, `ack`: something done with jobs, all or none.

use clap::Args;

use crate::cli::exit::{OK, Outcome};
use crate::cli::session::Session;
use crate::cli::targets::{self, Many};
use crate::link::Link;
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
}

/// `next`.
#[derive(Debug, Args)]
pub struct Next {
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
        act(session, link, &self.which, Verb::Requeue, Ended::None, "requeue").await
    }
}

impl Next {
    /// Moves jobs to the front of their team.
    ///
    /// # Errors
    /// The server's, or no confirmation.
    pub async fn run(self, session: &Session, link: &dyn Link) -> Outcome {
        act(session, link, &self.which, Verb::Next, Ended::None, "move up").await
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
    link.act(hit.ids(), verb).await?;
    Ok(OK)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::JobId;
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
}
