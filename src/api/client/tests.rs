//! The client against a server that answers from a script, over a real socket.

use std::path::{Path, PathBuf};
use std::time::Duration;

use bytes::Bytes;
use futures::StreamExt;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{UnixListener, UnixStream};
use tokio::task::JoinHandle;

use super::follow::Heard;
use super::{CallError, Client};
use crate::api::wire::event::{Event, Reset};
use crate::base::{At, JobId, Mono, Wall};
use crate::model::Fact;
use crate::model::command::Verb;
use crate::model::job::Outcome;
use crate::model::page::EventRow;
use crate::model::refusal::RefusalCode;

/// What the server does with one request, each on a connection of its own.
enum Answer {
    /// Hangs up.
    HangUp,
    /// Sends these bytes and hangs up.
    Say(String),
}

fn document(status: &str, kind: &str, body: &str) -> Answer {
    let length = body.len();
    Answer::Say(format!(
        "HTTP/1.1 {status}\r\ncontent-type: {kind}\r\ncontent-length: {length}\r\n\
         connection: close\r\n\r\n{body}"
    ))
}

fn stream(body: &str) -> Answer {
    let head = "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\nconnection: close\r\n\r\n";
    Answer::Say(format!("{head}{body}"))
}

const RECEIPT: &str = r#"{"schema_version":1,"seq":7,"ids":[42]}"#;

/// Answers in order and gives the heads of the requests.
fn serve(path: &Path, answers: Vec<Answer>) -> JoinHandle<Vec<String>> {
    let listener = UnixListener::bind(path).unwrap();
    tokio::spawn(async move {
        let mut heads = Vec::new();
        for answer in answers {
            let (mut stream, _) = listener.accept().await.unwrap();
            heads.push(head(&mut stream).await);
            if let Answer::Say(text) = answer {
                stream.write_all(text.as_bytes()).await.unwrap();
            }
        }
        heads
    })
}

async fn head(stream: &mut UnixStream) -> String {
    let mut bytes = Vec::new();
    while !bytes.windows(4).any(|four| four == b"\r\n\r\n") {
        assert_ne!(stream.read_buf(&mut bytes).await.unwrap(), 0, "the client hung up");
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

fn header<'a>(head: &'a str, name: &str) -> Option<&'a str> {
    let line = head.lines().find(|line| line.to_ascii_lowercase().starts_with(name))?;
    line.split_once(':').map(|(_, value)| value.trim())
}

struct Place {
    _dir: tempfile::TempDir,
    path: PathBuf,
}

fn place() -> Place {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("s");
    Place { _dir: dir, path }
}

const SOON: Duration = Duration::from_secs(20);

#[tokio::test]
async fn a_lost_connection_is_looked_for_with_the_same_key() {
    let place = place();
    let answers = vec![Answer::HangUp, document("200 OK", "application/json", RECEIPT)];
    let server = serve(&place.path, answers);
    let client = Client::new(&place.path).with_token(Some("t".into()));
    client.act(&[JobId(1)], Verb::Resume).await.unwrap();
    let heads = server.await.unwrap();
    let keys: Vec<_> = heads.iter().map(|head| header(head, "idempotency-key")).collect();
    assert!(keys[0].is_some_and(|key| key.len() == 36), "{heads:?}");
    assert_eq!(keys[0], keys[1]);
    assert_eq!(header(&heads[0], "authorization"), Some("Bearer t"));
    assert_eq!(header(&heads[0], "content-type"), Some("application/json"));
}

#[tokio::test]
async fn what_was_typed_is_never_sent_twice() {
    let place = place();
    let server = serve(&place.path, vec![Answer::HangUp]);
    let client = Client::new(&place.path);
    let typed = client.input(JobId(1), 0, Bytes::from_static(b"y\n")).await;
    assert!(matches!(typed, Err(CallError::Unreachable(_))), "{typed:?}");
    assert_eq!(server.await.unwrap().len(), 1);
}

#[tokio::test]
async fn where_nobody_has_ever_answered_nobody_is_waited_for() {
    let place = place();
    let client = Client::new(&place.path);
    // Well below the patience for a server that is known.
    let called = tokio::time::timeout(super::PATIENCE / 2, client.status()).await.unwrap();
    let Err(CallError::Unreachable(text)) = called else { panic!("{called:?}") };
    assert!(text.contains(&place.path.display().to_string()), "{text}");
}

#[tokio::test]
async fn a_problem_is_a_refusal_and_anything_else_is_nonsense() {
    let place = place();
    let problem = r#"{"type":"about:blank","title":"Not Found","status":404,
        "detail":"there is no job 9","code":"not_found","hint":"see ls"}"#;
    let newer = r#"{"schema_version":2,"looked_at":"2026-01-01T00:00:00Z"}"#;
    let answers = vec![
        document("404 Not Found", "application/problem+json", problem),
        document("502 Bad Gateway", "text/html", "<p>no"),
        document("200 OK", "application/json", newer),
        document("200 OK", "application/json", "[]"),
    ];
    let server = serve(&place.path, answers);
    let client = Client::new(&place.path);
    let Err(CallError::Refused(refusal)) = client.job(JobId(9)).await else { panic!() };
    assert_eq!(refusal.code, RefusalCode::NotFound);
    assert_eq!((refusal.what.as_str(), refusal.hint.as_str()), ("there is no job 9", "see ls"));
    for _ in 0..3 {
        let called = client.looked(None).await;
        assert!(matches!(called, Err(CallError::Protocol(_))), "{called:?}");
    }
    server.await.unwrap();
}

fn row(seq: u64, fact: Fact) -> EventRow {
    EventRow { seq, at: At { now: Mono(seq), wall: Wall(0) }, by: None, fact }
}

fn event(row: &EventRow, last: bool) -> String {
    let id = if last { format!("id: {}\n", row.seq) } else { String::new() };
    let data = serde_json::to_string(&Event::from(row)).unwrap();
    format!("event: {}\n{id}data: {data}\n\n", row.fact.word())
}

#[tokio::test]
async fn facts_are_heard_once_each_over_a_lost_connection() {
    let place = place();
    let job = JobId(1);
    let facts = [
        row(1, Fact::JobQueued { job }),
        row(2, Fact::JobRunning { job }),
        row(2, Fact::JobEnded { job, outcome: Outcome::Lost }),
        row(9, Fact::JobForgotten { job }),
    ];
    // It breaks in the middle of a record, and in the middle of a fact.
    let first = [event(&facts[0], true), event(&facts[1], false), "event: job_en".into()];
    let reset = serde_json::to_string(&Reset::new(8)).unwrap();
    let second = [
        ": keep-alive\n\n".into(),
        event(&facts[1], false),
        event(&facts[2], true),
        format!("event: reset\nid: 8\ndata: {reset}\n\n"),
        event(&facts[3], true),
    ];
    let answers = vec![Answer::HangUp, stream(&first.concat()), stream(&second.concat())];
    let server = serve(&place.path, answers);
    let client = Client::new(&place.path);
    let stream = client.events(None, true, None).await.unwrap();
    let heard = tokio::time::timeout(SOON, stream.take(5).collect::<Vec<_>>()).await.unwrap();
    let fact = |n: usize| Ok(Heard::Fact(Box::new(facts[n].clone())));
    assert_eq!(heard, [fact(0), fact(1), fact(2), Ok(Heard::Reset(8)), fact(3)]);
    let heads = server.await.unwrap();
    assert!(heads[1].starts_with("GET /api/v1/events?follow=true "), "{}", heads[1]);
    assert!(heads[2].starts_with("GET /api/v1/events?since=1&follow=true "), "{}", heads[2]);
}

#[tokio::test]
async fn without_following_the_end_is_the_end() {
    let place = place();
    let only = row(1, Fact::JobQueued { job: JobId(1) });
    let server = serve(&place.path, vec![stream(&event(&only, true))]);
    let client = Client::new(&place.path);
    let stream = client.events(Some(0), false, None).await.unwrap();
    let heard: Vec<_> = tokio::time::timeout(SOON, stream.collect()).await.unwrap();
    assert_eq!(heard, [Ok(Heard::Fact(Box::new(only)))]);
    server.await.unwrap();
}

#[tokio::test]
async fn a_server_that_was_ended_on_purpose_is_not_looked_for_again() {
    let place = place();
    let only = row(1, Fact::JobQueued { job: JobId(1) });
    let server = serve(&place.path, vec![stream(&event(&only, true))]);
    let asked = std::sync::Arc::new(std::sync::atomic::AtomicU32::new(0));
    let count = asked.clone();
    let client = Client::new(&place.path).reviving(move || {
        count.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
        Err("it was ended".to_owned())
    });
    let stream = client.events(Some(0), true, None).await.unwrap();
    server.await.unwrap();
    let heard: Vec<_> = tokio::time::timeout(SOON, stream.take(2).collect()).await.unwrap();
    assert_eq!(heard[0], Ok(Heard::Fact(Box::new(only))));
    assert!(heard[1].as_ref().is_err_and(|error| error.to_string().contains("it was ended")));
    assert_eq!(asked.load(std::sync::atomic::Ordering::Relaxed), 1);
}
