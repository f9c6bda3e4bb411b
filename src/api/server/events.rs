//! Facts as they become so: server-sent events.
//!
//! New records come by broadcast; a reader that is behind reads on in the journal. Each fact is
//! shown only to those who may see what it is about.

use std::convert::Infallible;
use std::time::Duration;

use axum::extract::State;
use axum::http::HeaderMap;
use axum::response::IntoResponse;
use axum::response::sse::{Event as Sse, KeepAlive, Sse as SseStream};
use serde::Deserialize;
use tokio::sync::broadcast::error::RecvError;
use tokio::sync::{broadcast, mpsc};
use tokio_stream::wrappers::ReceiverStream;
use utoipa::IntoParams;

use super::app::App;
use super::control::may_look;
use super::extract::{Caller, Params};
use super::fault::{Answer, Fault};
use crate::api::wire::event::{Event, RESET, Reset};
use crate::api::wire::problem::Problem;
use crate::base::JobId;
use crate::model::fact::Record;
use crate::model::{Actor, Command, Fact};

/// A comment is sent this often while a client is connected, so that dead ones are noticed.
const KEEP_ALIVE: Duration = Duration::from_secs(15);
/// Records read at once.
const BATCH: usize = 256;
/// Facts that wait for a slow reader; the rest waits in the journal.
const AHEAD: usize = 64;

/// Which facts.
#[derive(Debug, Default, Deserialize, IntoParams)]
#[serde(default, deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub struct EventParams {
    /// Facts after this record; from the oldest on if not given. The header `Last-Event-ID`
    /// wins.
    since: Option<u64>,
    /// Go on with new facts as they come (the default).
    follow: Option<bool>,
    /// Only facts about this job; from its submission on if `since` is not given.
    job: Option<u64>,
}

/// Facts after a record, then new ones as they come. The id of an event is the record's number
/// and stands at the last fact of a record. An event `reset` says that facts in between are no
/// longer there: read the pages anew.
#[utoipa::path(get, path = "/api/v1/events", tag = "events",
    params(EventParams, ("Last-Event-ID" = Option<u64>, Header)), responses(
    (status = 200, body = Event, content_type = "text/event-stream"),
    (status = "default", body = Problem, content_type = "application/problem+json")))]
pub async fn events(
    State(app): State<App>,
    Caller(by): Caller,
    Params(params): Params<EventParams>,
    headers: HeaderMap,
) -> Answer<impl IntoResponse> {
    let since = last_event_id(&headers)?.or(params.since);
    let job = params.job.map(JobId);
    let since = match job {
        // Who may see the job may see what happened to it.
        Some(job) => {
            let first = app.handle.before_submission(&by, job).await?;
            Some(since.unwrap_or(first))
        }
        None => {
            may_look(&app, &by).await?;
            since
        }
    };
    let room = app.stream()?;
    let (out, stream) = mpsc::channel(AHEAD);
    let feed = Feed { bell: app.handle.follow(), app, by, job, last: since, out };
    let follow = params.follow.unwrap_or(true);
    tokio::spawn(async move {
        let _room = room;
        feed.run(follow).await;
    });
    let keep_alive = KeepAlive::new().interval(KEEP_ALIVE);
    let sse = SseStream::new(ReceiverStream::new(stream)).keep_alive(keep_alive);
    Ok(([("x-accel-buffering", "no")], sse))
}

fn last_event_id(headers: &HeaderMap) -> Answer<Option<u64>> {
    let Some(value) = headers.get("last-event-id") else { return Ok(None) };
    let number = value.to_str().ok().and_then(|text| text.trim().parse().ok());
    match number {
        Some(number) => Ok(Some(number)),
        None => Err(Fault::usage("Last-Event-ID is not a number", "send the id of an event")),
    }
}

/// One reader.
struct Feed {
    app: App,
    by: Actor,
    /// Only what is about it.
    job: Option<JobId>,
    bell: broadcast::Receiver<std::sync::Arc<Record>>,
    /// The last record it has seen, or has nothing to see in.
    last: Option<u64>,
    out: mpsc::Sender<Result<Sse, Infallible>>,
}

/// The reader has gone, or the engine has.
struct Over;

impl Feed {
    async fn run(mut self, follow: bool) {
        let over = self.app.clone();
        tokio::select! {
            _ = self.feed(follow) => {}
            () = over.ended() => {}
        }
    }

    async fn feed(&mut self, follow: bool) -> Result<(), Over> {
        self.check_future().await?;
        self.catch_up().await?;
        if !follow {
            return Ok(());
        }
        loop {
            let gone = self.out.clone();
            let heard = tokio::select! {
                heard = self.bell.recv() => heard,
                () = gone.closed() => return Err(Over),
            };
            match heard {
                Ok(record) if self.last.is_some_and(|last| record.seq <= last) => {}
                Ok(record) if self.last == record.seq.checked_sub(1) => self.send(&record).await?,
                Ok(_) => self.catch_up().await?,
                Err(RecvError::Lagged(_)) => self.catch_up().await?,
                Err(RecvError::Closed) => return Err(Over),
            }
        }
    }

    /// A reader may know records that were never written here: the data directory is another.
    async fn check_future(&mut self) -> Result<(), Over> {
        let newest = self.app.handle.status().await.seq;
        if self.last.is_some_and(|last| last > newest) {
            self.reset(newest).await?;
        }
        Ok(())
    }

    async fn reset(&mut self, seq: u64) -> Result<(), Over> {
        let event = Sse::default().event(RESET).id(seq.to_string());
        let event = event.json_data(Reset::new(seq)).map_err(|_| Over)?;
        self.last = Some(seq);
        self.out.send(Ok(event)).await.map_err(|_| Over)
    }

    /// Everything that is in the journal and was not sent yet.
    async fn catch_up(&mut self) -> Result<(), Over> {
        let own = self.app.own();
        loop {
            let from = self.last.unwrap_or(0);
            let read = self.app.handle.records_about(&own, self.job, from, BATCH).await;
            let records = read.map_err(|_| Over)?;
            if records.is_empty() {
                return Ok(());
            }
            for (seq, record) in records {
                // The journal no longer has the record that was due.
                if self.last.is_some_and(|last| seq > last.saturating_add(1)) {
                    self.reset(seq.saturating_sub(1)).await?;
                }
                match record {
                    Some(record) => self.send(&record).await?,
                    None => self.last = Some(seq),
                }
            }
        }
    }

    async fn send(&mut self, record: &Record) -> Result<(), Over> {
        for message in self.messages(record)? {
            self.out.send(Ok(message)).await.map_err(|_| Over)?;
        }
        self.last = Some(record.seq);
        Ok(())
    }

    fn messages(&self, record: &Record) -> Result<Vec<Sse>, Over> {
        let by = record.command.author().map(|by| by.shown().to_string());
        let ours = |fact: &&Fact| self.job.is_none() || fact.job() == self.job;
        let facts = record.facts.iter().filter(ours);
        let mut facts = facts.filter(|fact| self.may_see(record, fact)).peekable();
        let mut messages = Vec::new();
        while let Some(fact) = facts.next() {
            let document = Event::new(record.seq, record.at, by.clone(), fact);
            let mut message = Sse::default().event(fact.word());
            if facts.peek().is_none() {
                message = message.id(record.seq.to_string());
            }
            messages.push(message.json_data(document).map_err(|_| Over)?);
        }
        Ok(messages)
    }

    /// One record holds facts about jobs of several people: the engine is asked about each as if
    /// it stood alone.
    fn may_see(&self, record: &Record, fact: &Fact) -> bool {
        if self.app.is_own(&self.by) {
            return true;
        }
        let Record { seq, at, .. } = *record;
        let alone = Record { seq, at, command: Command::Tick, facts: vec![fact.clone()] };
        self.app.handle.may_see(&self.by, &alone)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use axum::http::HeaderValue;

    #[test]
    fn an_event_id_is_a_number_or_refused() {
        let read = |value: Option<&'static str>| {
            let mut headers = HeaderMap::new();
            value.map(|value| headers.insert("Last-Event-ID", HeaderValue::from_static(value)));
            last_event_id(&headers)
        };
        assert_eq!(read(None), Ok(None));
        assert_eq!(read(Some("17")), Ok(Some(17)));
        assert!(read(Some("seventeen")).is_err());
    }

    #[test]
    fn a_fact_is_shown_with_the_job_that_caused_it_not_its_owner() {
        let by = Actor { user: "ana".into(), uid: Some(7), in_job: Some(JobId(4)), job_by: None };
        let command = Command::Resume { team: None, by };
        assert_eq!(command.author().map(Actor::shown).as_deref(), Some("job 4"));
        assert_eq!(Command::Tick.author(), None);
    }
}
