//! `events [JOB] [-f]`: what happened, fact by fact.

use clap::Args;
use futures::StreamExt;

use crate::api::wire::SCHEMA_VERSION;
use crate::api::wire::event::{Event, EventList};
use crate::base::At;
use crate::cli::args::target::Target;
use crate::cli::clock;
use crate::cli::exit::{Failure, OK, Outcome};
use crate::cli::session::Session;
use crate::cli::shown;
use crate::cli::targets;
use crate::link::{Link, LinkError};
use crate::model::page::EventRow;
use crate::view::describe;

/// `events`.
#[derive(Debug, Args)]
#[command(after_help = "With --json also what the server notes for itself, such as the keys of \
                        requests.")]
pub struct Events {
    /// Only what happened to this job, from its submission on
    #[arg(value_name = "JOB")]
    target: Option<Target>,
    /// Go on as things happen
    #[arg(long, short = 'f')]
    follow: bool,
    /// Only after this record of the journal
    #[arg(long, value_name = "SEQ")]
    since: Option<u64>,
}

impl Events {
    /// Prints them: one document, or with `-f` one on each line as they come.
    ///
    /// # Errors
    /// The server's.
    pub async fn run(self, session: &Session, link: &dyn Link) -> Outcome {
        let job = match &self.target {
            Some(target) => Some(targets::id(link, target).await?),
            None => None,
        };
        let mut since = self.since;
        loop {
            let mut events = match job {
                Some(job) => link.events_of(job, since, self.follow).await?,
                None => link.events(since, self.follow).await?,
            };
            let mut listed = Vec::new();
            let lost = loop {
                match events.next().await {
                    None => break false,
                    Some(Err(LinkError::Unreachable(_))) if self.follow => break true,
                    // Older facts are gone; those after the gap follow.
                    Some(Err(LinkError::Protocol(gap))) => session.output.warn(&gap),
                    Some(Err(error)) => return Err(error.into()),
                    Some(Ok(row)) => {
                        since = Some(row.seq);
                        if session.globals.json && !self.follow {
                            listed.push(Event::from(&row));
                        } else {
                            print(session, &row)?;
                        }
                    }
                }
            };
            if lost {
                drop(session.link()?);
                continue;
            }
            if session.globals.json && !self.follow {
                let document = EventList { schema_version: SCHEMA_VERSION, events: listed };
                session.json(&document)?;
            }
            return Ok(OK);
        }
    }
}

fn print(session: &Session, row: &EventRow) -> Result<(), Failure> {
    if session.globals.json {
        return session.json(&Event::from(row));
    }
    if describe::is_bookkeeping(&row.fact) {
        return Ok(());
    }
    // Both clocks of the fact say where the scheduler's stands by now: its instants lie ahead.
    let wall = clock::wall();
    let now = At { now: row.at.now + wall.since(row.at.wall), wall };
    let line = describe::event_line(row, &shown::sight(now));
    session.output.out(&shown::text(&[line], session.output))
}
