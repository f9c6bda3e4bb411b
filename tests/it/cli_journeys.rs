//! The whole program as a person at a shell meets it.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]

use std::io::Write;
use std::process::Stdio;

use crate::cli_world::{Said, World, end_of};

#[test]
fn a_job_is_queued_run_read_and_waited_for() {
    let world = World::new();
    assert_eq!(world.submit(&[], "echo hi"), "1");
    assert_eq!(world.run(&["wait", "1"]).code, 0);
    assert_eq!(world.ok(&["logs", "1"]), "hi\n");
    assert_eq!(world.ok(&["logs", "#1", "-f"]), "hi\n");
    assert!(world.ok(&["show", "1"]).contains("succeeded"));
    assert!(world.ok(&["ls", "state=succeeded"]).contains("ENDED"));
}

#[test]
fn codes_of_wait_are_those_of_the_jobs() {
    let world = World::new();
    for (line, code) in [("exit 3", 3), ("kill -9 $$", 137)] {
        let job = world.submit(&[], line);
        assert_eq!(world.run(&["wait", &job]).code, code, "{line}");
    }
    let missing = world.ok(&["submit", "--", "/no/such/program"]);
    assert_eq!(world.run(&["wait", missing.trim()]).code, 127);
    let sleeper = world.submit(&[], "exec sleep 600");
    assert_eq!(world.run(&["wait", &sleeper, "--timeout", "50ms"]).code, 124);
    assert_eq!(world.run(&["wait", "1", &sleeper, "--timeout", "50ms"]).code, 7);
    world.ok(&["cancel", &sleeper]);
    let said = world.run(&["wait", &sleeper]);
    assert_eq!(said.code, 125);
    assert!(said.err.contains("cancelled"), "{said:?}");
    assert_eq!(world.run(&["wait", "1", &sleeper]).code, 1);
    assert_eq!(world.run(&["wait", "--all"]).code, 0, "nothing is live");
    assert_eq!(world.run(&["wait", "99"]).code, 125);
    assert_eq!(world.run(&["show", "99"]).code, 3);
}

#[test]
fn run_shows_the_output_and_ends_with_the_code() {
    let world = World::new();
    let said = world.run(&["run", "--", "sh", "-c", "echo out; echo more >&2; exit 7"]);
    assert_eq!(said.code, 7);
    assert_eq!(said.out, "out\nmore\n");
    assert_eq!(world.run(&["run", "--team", "a//b", "--", "true"]).code, 2);
}

#[test]
fn ctrl_c_in_run_explains_then_cancels_and_ctrl_backslash_leaves() {
    use nix::sys::signal::{Signal, kill};
    let world = World::new();
    let signal = |child: &std::process::Child, signal| {
        let pid = i32::try_from(child.id()).unwrap();
        kill(nix::unistd::Pid::from_raw(pid), signal).unwrap();
    };
    let child = world.start(&["run", "--", "sh", "-c", "echo up; exec sleep 600"]);
    world.until("the job runs", || world.run(&["logs", "1"]).out == "up\n");
    signal(&child, Signal::SIGQUIT);
    let said = end_of(child);
    assert_eq!(said.code, 0, "{said:?}");
    assert_eq!(world.json(&["show", "1"])["job"]["state"], "running");

    let child = world.start(&["run", "--", "sh", "-c", "echo up; exec sleep 600"]);
    world.until("the job runs", || world.run(&["logs", "2"]).out == "up\n");
    signal(&child, Signal::SIGINT);
    world.until("it was cancelled", || {
        // Two quick signals may arrive as one; a person would press again, too.
        signal(&child, Signal::SIGINT);
        world.json(&["show", "2"])["job"]["state"] != "running"
    });
    let said = end_of(child);
    assert_eq!(said.code, 125, "{said:?}");
    assert!(said.err.contains("ctrl-c again cancels 2"), "{said:?}");
}

#[test]
fn a_batch_is_one_request_and_prints_a_number_for_each_line() {
    let world = World::new();
    let file = world.write("lines", "echo one\n\n# no\necho two\n");
    let ids = world.ok(&["submit", "--label", "b=1", "--batch", file.to_str().unwrap()]);
    assert_eq!(ids, "1\n2\n");
    assert_eq!(world.run(&["wait", "1", "2"]).code, 0);
    assert_eq!(world.ok(&["logs", "2"]), "two\n");
    let mut child = world
        .command(&["submit", "--batch", "-"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    child.stdin.take().unwrap().write_all(b"true\n").unwrap();
    assert_eq!(end_of(child).out, "3\n");
}

#[test]
fn a_script_carries_its_options() {
    let world = World::new();
    let text = "#!/bin/sh\n#SBATCH -J slurmish --partition=gpu\n#HOLDSHORT --label k=v\necho $1\n";
    let script = world.write("job.sh", text);
    let said = world.run(&["submit", script.to_str().unwrap(), "word"]);
    assert_eq!((said.code, said.out.as_str()), (0, "1\n"));
    assert!(said.err.contains("partition"), "{said:?}");
    assert_eq!(world.run(&["wait", "1"]).code, 0);
    assert_eq!(world.ok(&["logs", "1"]), "word\n");
    let job = &world.json(&["show", "1"])["job"];
    assert_eq!((&job["name"], &job["labels"]["k"]), (&"slurmish".into(), &"v".into()));
}

#[test]
fn an_array_is_one_target_and_many_targets_need_a_yes() {
    let world = World::new();
    world.ok(&["pause", "all", "--reason", "a test looks at the queue"]);
    assert_eq!(world.submit(&["--array", "5-7"], "true"), "1");
    assert_eq!(world.submit(&[], "true"), "4");
    assert_eq!(world.json(&["show", "1_6"])["job"]["id"], 2);
    assert_eq!(world.run(&["show", "1_9"]).code, 3);
    assert_eq!(world.json(&["why", "4"])["why"]["reason"]["code"], "all_paused");
    let said = world.run(&["cancel", "--where", "state=queued"]);
    assert_eq!(said.code, 8, "{said:?}");
    assert!(said.err.contains("--yes"), "{said:?}");
    world.ok(&["cancel", "1"]);
    let state = |job: &str| world.json(&["show", job])["job"]["state"].clone();
    assert!(["1", "2", "3"].iter().all(|job| state(job) == "cancelled"));
    assert_eq!(state("4"), "queued");
    world.ok(&["resume", "all"]);
    assert_eq!(world.run(&["wait", "4"]).code, 0);
    assert_eq!(world.run(&["cancel", "4"]).code, 4, "it is over");
}

#[test]
fn a_job_speaks_about_itself() {
    let world = World::new();
    let line = "holdshort progress 40% half way && holdshort checkpoint saved --path here && \
                holdshort heartbeat && holdshort usage calls=2 tokens=1k";
    let job = world.submit(&[], line);
    let said = world.run(&["wait", &job]);
    assert_eq!(said.code, 0, "{}", world.ok(&["logs", &job]));
    let job = &world.json(&["show", &job])["job"];
    assert_eq!(job["checkpoint"]["path"], "here", "{job}");
    assert_eq!(job["usage"]["tokens"], 1000, "{job}");
    let said = world.run(&["heartbeat"]);
    assert_eq!(said.code, 2, "{said:?}");
    assert!(said.err.contains("--job"), "{said:?}");
}

#[test]
fn every_read_is_one_document_of_version_1() {
    let world = World::new();
    let job = world.submit(&["--name", "train"], "true");
    world.run(&["wait", &job]);
    for words in [
        ["ls"].as_slice(),
        &["show", &job],
        &["why", &job],
        &["nodes"],
        &["events"],
        &["server", "status"],
        &["verify", "journal"],
        &["paths"],
        &["config", "show"],
    ] {
        world.json(words);
    }
    let list = world.json(&["ls", "--all", "train"]);
    assert_eq!(list["jobs"][0]["name"], "train");
    assert!(list.as_object().unwrap().contains_key("next_cursor"));
    let events = world.ok(&["events"]);
    assert!(events.contains("submitted"), "{events}");
}

#[test]
fn changes_copies_and_acknowledgements_reach_the_job() {
    let world = World::new();
    world.ok(&["pause", "all", "--reason", "a test looks at the queue"]);
    let job = world.submit(&["--label", "k=v"], "echo $WORD");
    world.ok(&["set", &job, "priority=300", "time-limit=1h"]);
    let shown = world.json(&["show", &job]);
    assert_eq!(shown["job"]["priority"], 300);
    assert_eq!(shown["job"]["time_limit_ms"], 3_600_000);
    let copy = world.ok(&["again", &job, "--env", "WORD=again", "--name", "copy"]);
    let shown = world.json(&["show", copy.trim()]);
    assert_eq!(shown["job"]["labels"]["k"], "v");
    assert_eq!(shown["job"]["name"], "copy");
    world.ok(&["next", copy.trim()]);
    world.ok(&["resume", "all"]);
    assert_eq!(world.run(&["wait", "--all"]).code, 0);
    assert_eq!(world.ok(&["logs", copy.trim()]), "again\n");
    world.ok(&["ack", &job]);
}

#[test]
fn the_environment_goes_along_but_no_secret_does() {
    let world = World::new();
    let mut command = world.command(&["submit", "--", "sh", "-c", "env"]);
    let said = command
        .env("PLAIN", "value")
        .env("SSH_AUTH_SOCK", "/s")
        .env("HOLDSHORT_REVIEW_TOKEN", "secret")
        .env("LATIN", std::ffi::OsStr::new("x"))
        .output()
        .unwrap();
    assert_eq!(Said::of(&said).out, "1\n");
    assert_eq!(world.run(&["wait", "1"]).code, 0);
    let env = world.ok(&["logs", "1"]);
    assert!(env.contains("PLAIN=value\n"), "{env}");
    assert!(!env.contains("SSH_AUTH_SOCK=") && !env.contains("HOLDSHORT_REVIEW_TOKEN"), "{env}");
}
