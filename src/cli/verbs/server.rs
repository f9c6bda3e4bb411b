//! `server start|stop|status|restart`.

use std::io::Read;
use std::os::unix::net::UnixStream;

use clap::{Args, Subcommand};

use crate::api::wire::status;
use crate::base::At;
use crate::cli::autostart;
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
            ServerVerb::Status => {
                let link = session.running_link().ok_or_else(|| session.unreachable())?;
                block_on(show(session, link.as_ref()))
            }
            ServerVerb::Restart => {
                stop(session, false)?;
                start(session)
            }
        }
    }
}

fn start(session: &Session) -> Outcome {
    let started = autostart::ensure(&session.places)?;
    let link = session.running_link().ok_or_else(|| session.unreachable())?;
    if !started {
        session.output.note("it runs already");
    }
    block_on(show(session, link.as_ref()))
}

/// Returns when the server is gone, so that the next command starts a new one.
fn stop(session: &Session, with_jobs: bool) -> Outcome {
    let Some(link) = session.running_link() else { return Ok(OK) };
    // A connection of our own: it ends when the server does.
    let witness = UnixStream::connect(&session.places.paths.socket).ok();
    block_on(async {
        link.stop(with_jobs).await?;
        Ok(OK)
    })?;
    if let Some(mut witness) = witness {
        let mut rest = Vec::new();
        // A connection that breaks is over as well.
        let _ = witness.read_to_end(&mut rest);
    }
    Ok(OK)
}

async fn show(session: &Session, link: &dyn Link) -> Outcome {
    let status = link.status().await?;
    if session.globals.json {
        session.json(&status::ServerStatus::from(status))?;
    } else {
        let now = At { wall: clock::wall(), ..At::default() };
        let lines = describe::status(&status, &shown::sight(now));
        session.output.out(&shown::text(&lines, session.output))?;
    }
    Ok(OK)
}
