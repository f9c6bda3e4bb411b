//! `server start|stop|status|restart`.

use std::fs::File;
use std::path::PathBuf;

use clap::{Args, Subcommand};

use crate::api::wire::status::ServerStatus;
use crate::base::At;
use crate::cli::autostart::{self, Turn};
use crate::cli::clock;
use crate::cli::exit::{OK, Outcome};
use crate::cli::session::{Session, block_on};
use crate::cli::shown;
use crate::link::Link;
use crate::view::describe;

/// `server`.
#[derive(Debug, Args)]
pub struct Server {
    #[command(subcommand)]
    verb: ServerVerb,
}

/// What is done with the server.
#[derive(Debug, Clone, Copy, Subcommand)]
enum ServerVerb {
    /// Start it in the background, if none runs
    Start,
    /// End it; jobs go on and are found again
    Stop {
        /// Cancel all jobs first
        #[arg(long)]
        with_jobs: bool,
    },
    /// Show it; exits with 6 if none runs
    Status,
    /// End it and start this version; jobs go on
    Restart,
}

impl Server {
    /// Does it.
    ///
    /// # Errors
    /// The server's, or that it cannot be started.
    pub fn run(self, session: &Session) -> Outcome {
        match self.verb {
            ServerVerb::Start => start(session),
            ServerVerb::Stop { with_jobs } => stop(session, with_jobs),
            ServerVerb::Status => status(session),
            ServerVerb::Restart => restart(session),
        }
    }
}

fn start(session: &Session) -> Outcome {
    if !autostart::ensure(&session.places)? {
        session.output.note("it runs already");
    }
    // A server that was just killed may still answer the door; this link starts the next one.
    let link = session.link()?;
    block_on(show(session, link.as_ref()))
}

fn restart(session: &Session) -> Outcome {
    session.places.prepare()?;
    let turn = autostart::take_turn(&session.places)?;
    end(&turn, session, false)?;
    autostart::start(&turn, &session.places)?;
    drop(turn);
    status(session)
}

fn status(session: &Session) -> Outcome {
    let link = session.running_link().ok_or_else(|| session.unreachable())?;
    block_on(show(session, link.as_ref()))
}

/// Ends the server and returns when it is gone; nothing happens if none runs.
///
/// # Errors
/// The server's.
pub fn stop(session: &Session, with_jobs: bool) -> Outcome {
    if session.running_link().is_none() {
        return Ok(OK);
    }
    // Nobody starts another one while this one still has the data directory.
    let turn = autostart::take_turn(&session.places)?;
    end(&turn, session, with_jobs)
}

fn end(_turn: &Turn, session: &Session, with_jobs: bool) -> Outcome {
    let Some(link) = session.running_link() else { return Ok(OK) };
    let mut data_dir = PathBuf::new();
    block_on(async {
        data_dir = PathBuf::from(link.status().await?.data_dir);
        link.stop(with_jobs).await?;
        Ok(OK)
    })?;
    // The server holds this lock until its very end. No lock is no server.
    if let Ok(lock) = File::open(data_dir.join("lock")) {
        let _ = lock.lock_shared();
    }
    Ok(OK)
}

async fn show(session: &Session, link: &dyn Link) -> Outcome {
    let status = link.status().await?;
    if session.globals.json {
        session.json(&ServerStatus::from(status))?;
    } else {
        let now = At { wall: clock::wall(), ..At::default() };
        let lines = describe::status(&status, &shown::sight(now));
        session.output.out(&shown::text(&lines, session.output))?;
    }
    Ok(OK)
}
