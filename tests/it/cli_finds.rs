//! What somebody finds who looks for the reason of a silence.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]

use crate::cli_world::World;

#[test]
fn output_that_is_not_there_is_explained() {
    let world = World::new();
    let missing = world.ok(&["submit", "--", "no-such-command"]).trim().to_owned();
    world.until_state(&missing, "failed");
    let said = world.run(&["logs", &missing]);
    assert_eq!((said.code, said.out.as_str()), (0, ""));
    assert!(said.err.contains("was not started: command not found"), "{said:?}");
    let why = world.ok(&["why", &missing]);
    assert!(why.contains("it could not be started: command not found"), "{why}");
    assert!(why.contains(&format!("next: holdshort again {missing}")), "{why}");
    let waits = world.submit(&["--start-at", "+1h"], "true");
    let said = world.run(&["logs", &waits]);
    assert!(said.err.contains("has not started"), "{said:?}");
    let said = world.run(&["logs", &waits, "--attempt", "7"]);
    assert_eq!(said.code, 3, "{said:?}");
    world.ok(&["cancel", &waits]);
}

#[test]
fn a_drain_that_cannot_wait_sends_back_what_can_come_back() {
    let world = World::new();
    let node = world.json(&["nodes"])["nodes"][0]["name"].as_str().unwrap().to_owned();
    let small = ["--cpu", "100m", "--mem", "1Mi", "--grace", "1s"];
    let back = world.submit(&[&small[..], &["--requeue"]].concat(), "exec sleep 300");
    let stays = world.submit(&small, "exec sleep 300");
    world.until_state(&back, "running");
    world.until_state(&stays, "running");
    let said = world.run(&["drain", &node, "--now", "--reason", "new disk"]);
    assert_eq!(said.code, 0, "{said:?}");
    assert!(said.err.ends_with(&format!("go on to their end: {stays}\n")), "{said:?}");
    world.until_state(&back, "queued");
    let why = world.ok(&["why", &back]);
    assert!(why.contains(&format!("holdshort undrain {node}")), "{why}");
    assert!(world.ok(&["nodes"]).contains(": \"new disk\""), "{}", world.ok(&["nodes"]));
    assert_eq!(world.json(&["nodes"])["nodes"][0]["drain"]["reason"], "new disk");
    let events = world.ok(&["events"]);
    assert!(events.contains(&format!("node {node} drained by ")) && events.contains("new disk"));
    world.ok(&["undrain", &node]);
    world.until_state(&back, "running");
    world.ok(&["cancel", "--yes", &back, &stays]);
}

#[test]
fn a_job_that_waits_for_all_does_not_wait_for_itself() {
    let world = World::new();
    let line = "$BIN submit --cpu 100m --mem 1Mi -- true >/dev/null && $BIN wait --all && \
                ! $BIN wait $HOLDSHORT_JOB_ID";
    let job = world.submit(&["--cpu", "100m", "--mem", "1Mi"], line);
    let said = world.run(&["wait", &job, "--timeout", "50s"]);
    assert_eq!(said.code, 0, "{said:?}\n{}", world.ok(&["logs", &job]));
}

#[test]
fn plain_events_leave_out_what_the_server_notes_for_itself() {
    let world = World::new();
    world.submit(&[], "true");
    let plain = world.ok(&["events"]);
    assert!(plain.contains("submitted") && !plain.contains("key"), "{plain}");
    let json = world.ok(&["events", "--json"]);
    assert!(json.contains("key_used"), "{json}");
}
