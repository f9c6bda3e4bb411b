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
