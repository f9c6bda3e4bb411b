//! Facts as they become so: server-sent events.
//!
//! The journal is what is read; the broadcast of new records only rings the bell. So nobody
//! sees more than the engine's [`Handle::records`](crate::engine::Handle::records) lets them,
//! and a reader that lags just reads on.

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
use super::extract::{Caller, Params};
use super::fault::{Answer, Fault};
use crate::api::wire::event::{Event, RESET, Reset};
use crate::api::wire::problem::Problem;
use crate::model::fact::Record;
use crate::model::{Actor, Command};

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
    let room = app.stream()?;
    // Asked before the stream starts, so that a refusal is still an answer of its own.
    app.handle.records(&by, since.unwrap_or(0), 1).await?;
    let (out, stream) = mpsc::channel(AHEAD);
    let feed = Feed { bell: app.handle.follow(), app, by, last: since, out };
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
    bell: broadcast::Receiver<std::sync::Arc<Record>>,
    /// The last record it has seen, or that it need not see.
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
                Ok(record) => {
                    self.catch_up().await?;
                    // It may hold nothing that this reader may see.
                    self.last = self.last.max(Some(record.seq));
                }
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
        loop {
            let from = self.last.unwrap_or(0);
            let records = self.app.handle.records(&self.by, from, BATCH).await;
            let records = records.map_err(|_| Over)?;
            if records.is_empty() {
                return Ok(());
            }
            for record in records {
                let due = self.last.map(|last| last.saturating_add(1));
                if due.is_some_and(|due| record.seq > due) {
                    self.check_gap(record.seq).await?;
                }
                self.send(&record).await?;
            }
        }
    }

    /// The next record is not the one that was due: either this reader may not see those in
    /// between, or the journal no longer has them.
    async fn check_gap(&mut self, next: u64) -> Result<(), Over> {
        let from = self.last.unwrap_or(0);
        let oldest = self.app.handle.records(&Actor::system(), from, 1).await.map_err(|_| Over)?;
        let dropped = oldest.first().is_none_or(|record| record.seq != from.saturating_add(1));
        if dropped {
            self.reset(next.saturating_sub(1)).await?;
        }
        Ok(())
    }

    async fn send(&mut self, record: &Record) -> Result<(), Over> {
        let by = causer(&record.command).map(shown);
        let last = record.facts.len().saturating_sub(1);
        for (index, fact) in record.facts.iter().enumerate() {
            let document = Event::new(record.seq, record.at, by.clone(), fact);
            let mut event = Sse::default().event(fact.word());
            if index == last {
                event = event.id(record.seq.to_string());
            }
            let event = event.json_data(document).map_err(|_| Over)?;
            self.out.send(Ok(event)).await.map_err(|_| Over)?;
        }
        self.last = Some(record.seq);
        Ok(())
    }
}

/// The person or job behind a command, if there is one.
fn causer(command: &Command) -> Option<&Actor> {
    match command {
        Command::Submit(submit) => Some(&submit.by),
        Command::Act(act) => Some(&act.by),
        Command::Pause { by, .. }
        | Command::Resume { by, .. }
        | Command::Drain { by, .. }
        | Command::Looked { by, .. }
        | Command::Report { by, .. } => Some(by),
        Command::Task { .. }
        | Command::NodeSeen { .. }
        | Command::Configure(_)
        | Command::Started { .. }
        | Command::Down { .. }
        | Command::Tick
        | Command::Find { .. } => None,
    }
}

fn shown(by: &Actor) -> String {
    by.in_job.map_or_else(|| by.user.to_string(), |job| format!("job {job}"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::JobId;
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
        let by = Actor { user: "ana".into(), uid: Some(7), in_job: Some(JobId(4)) };
        let command = Command::Resume { team: None, by };
        assert_eq!(causer(&command).map(shown), Some("job 4".to_owned()));
        assert_eq!(causer(&Command::Tick), None);
    }
}
