//! Jobs that a person works in, in the real server: put away when nobody does, and brought back by
//! whoever comes.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]

use serde_json::json;

use crate::place::{Place, wait_for};

/// Answers each line it gets.
const ECHOES: &str = "echo ready; while read line; do echo got $line; done";

#[test]
fn an_idle_job_freezes_and_what_is_typed_wakes_it() {
    let place = Place::with_slots(2);
    let job = place.submit("--interactive --idle-timeout 1s", ECHOES);
    let idle = place.until_state(job, "paused");
    assert_eq!(idle["hold"]["by"], "holdshort");
    let text = place.ok(&format!("show {job}"));
    assert!(text.contains("frozen, for nothing says how it could go on"), "{text}");
    place.kill_server();
    place.ok(&format!("send {job} hello"));
    wait_for("its answer", || place.ok(&format!("logs {job}")).contains("got hello"));
    let events = place.ok("events");
    assert!(events.contains("has been quiet for long"), "{events}");
    place.until_state(job, "paused");
    place.ok(&format!("cancel {job}"));
}

#[test]
fn one_that_can_go_on_is_parked_and_queued_again_by_whoever_types() {
    let place = Place::with_slots(2);
    let saves = "trap 'exit 75' TERM; echo attempt $HOLDSHORT_ATTEMPT; while :; do read x; done";
    let job = place.submit("--interactive --idle-timeout 1s --resumable", saves);
    let idle = place.until_state(job, "paused");
    assert_eq!(idle["nodes"], json!([]), "it holds nothing");
    let typed = place.run(&format!("send {job} hello"));
    assert_eq!(typed.code, 4, "{typed:?}");
    assert!(typed.err.contains("queued again now"), "{typed:?}");
    wait_for("its next run", || place.ok(&format!("logs {job}")).contains("attempt 2"));
    place.ok(&format!("cancel {job}"));
}
