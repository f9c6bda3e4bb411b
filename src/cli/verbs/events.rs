//! `events [-f]`: what happened, fact by fact.

use clap::Args;
use futures::StreamExt;

use crate::api::wire::SCHEMA_VERSION;
use crate::api::wire::event::{Event, EventList};
use crate::base::text::sanitise;
use crate::cli::exit::{Failure, OK, Outcome};
use crate::cli::session::Session;
use crate::link::{Link, LinkError};
use crate::model::page::EventRow;

/// `events`.
#[derive(Debug, Args)]
pub struct Events {
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
        let mut since = self.since;
        loop {
            let mut events = link.events(since, self.follow).await?;
            let mut listed = Vec::new();
            let lost = loop {
                match events.next().await {
                    None => break false,
                    Some(Err(LinkError::Unreachable(_))) if self.follow => break true,
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
    let event = Event::from(row);
    if session.globals.json {
        return session.json(&event);
    }
    session.output.line(&line(row, &event))
}

/// Number, time, kind, job, who, and what else there is to know.
fn line(row: &EventRow, event: &Event) -> String {
    let job = event.job.map_or_else(|| "-".to_owned(), |job| job.to_string());
    let by = row.by.as_deref().map(|by| format!(" by {}", sanitise(by))).unwrap_or_default();
    let data = serde_json::to_value(&event.fact).unwrap_or_default();
    let data = data.get("data").map(brief).unwrap_or_default();
    format!("{:>7} {} {:<16} {job:>6}{by}{data}", row.seq, row.at.wall, row.fact.word())
}

/// The plain values of a fact as `key=value`.
fn brief(data: &serde_json::Value) -> String {
    use serde_json::Value;
    let Some(map) = data.as_object() else { return String::new() };
    let mut text = String::new();
    for (key, value) in map {
        let shown = match value {
            Value::String(text) => sanitise(text).into_owned(),
            Value::Number(n) => n.to_string(),
            Value::Bool(true) => "yes".to_owned(),
            _ => continue,
        };
        text.push_str(&format!(" {key}={shown}"));
    }
    text
}
