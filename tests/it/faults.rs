//! Bad input and bad days: each has a clear answer or a defined behaviour, and nothing
//! acknowledged is lost.

use std::path::Path;

use crate::place::{Place, alive, wait_for};

#[test]
fn a_command_that_is_not_there_fails_with_127_and_says_so() {
    let place = Place::with_slots(1);
    let id: u64 = place.ok("submit -- /no/such/program").parse().unwrap();
    let job = place.until_state(id, "failed");
    assert_eq!(job["state_detail"]["class"], "cannot_start");
    assert_eq!(job["exit_code"], 127);
    assert!(place.ok(&format!("show {id}")).contains("/no/such/program"));
    assert_eq!(place.run("run -- /no/such/program").code, 127);
}

#[test]
fn a_directory_that_vanished_before_the_start_is_named() {
    let place = Place::with_slots(1);
    let gone = place.path("gone");
    std::fs::create_dir(&gone).unwrap();
    place.ok("pause all --reason test --yes");
    let id: u64 = place.ok(&format!("submit --cwd {} -- true", gone.display())).parse().unwrap();
    std::fs::remove_dir(&gone).unwrap();
    place.ok("resume all --yes");
    let job = place.until_state(id, "failed");
    assert_eq!(job["state_detail"]["class"], "cannot_start");
    assert!(place.ok(&format!("show {id}")).contains("gone"));
}

#[test]
fn an_environment_no_kernel_takes_is_refused_and_queues_nothing() {
    let place = Place::with_slots(1);
    place.ok("server start");
    // No command line could carry these, so they come over the API. Each variable is allowed,
    // all of them together are not.
    let big: Vec<String> =
        (0..30).map(|n| format!("\"BIG_{n}\":\"{}\"", "x".repeat(100_000))).collect();
    let body = |env: &str| {
        format!("{{\"jobs\":[{{\"command\":[\"true\"],\"cwd\":\"/\",\"env\":{{{env}}}}}]}}")
    };
    let refused = post(&place, "/api/v1/jobs", &body(&big.join(",")));
    assert!(refused.starts_with("HTTP/1.1 400"), "{refused}");
    assert!(refused.contains("--clean-env"), "{refused}");
    // 80 MB are more than any request may have.
    let huge = format!("\"A\":\"{}\"", "x".repeat(80 << 20));
    let refused = post(&place, "/api/v1/jobs", &body(&huge));
    assert!(refused.starts_with("HTTP/1.1 413"), "{refused}");
    let jobs = place.json("ls --all");
    assert_eq!(jobs["jobs"].as_array().unwrap().len(), 0);
    let next: u64 = place.ok("submit --clean-env -- true").parse().unwrap();
    assert_eq!(next, 1, "a refusal burns no number");
}

/// Posts a document and returns the answer, head and all.
fn post(place: &Place, path: &str, body: &str) -> String {
    use std::io::{Read, Write};
    let mut stream =
        std::os::unix::net::UnixStream::connect(place.path("run/holdshort/socket")).unwrap();
    let head = format!(
        "POST {path} HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\n\
         content-length: {}\r\nconnection: close\r\n\r\n",
        body.len()
    );
    // A server that refuses early closes before it has read all.
    let _ = stream.write_all(head.as_bytes()).and_then(|()| stream.write_all(body.as_bytes()));
    let mut answer = Vec::new();
    let _ = stream.read_to_end(&mut answer);
    String::from_utf8_lossy(&answer).into_owned()
}

#[test]
fn a_journal_of_a_newer_version_is_refused_and_left_alone() {
    let place = Place::with_slots(1);
    place.submit("", "true");
    place.ok("wait --all");
    place.ok("server stop");
    let journal = place.data().join("journal.db");
    let connection = rusqlite::Connection::open(&journal).unwrap();
    connection.pragma_update(None, "user_version", 9_999).unwrap();
    connection.close().unwrap();
    let before = std::fs::read(&journal).unwrap();
    let ran = place.run("ls");
    assert_ne!(ran.code, 0);
    assert!(ran.err.contains("newer"), "{}", ran.err);
    assert_eq!(std::fs::read(&journal).unwrap(), before);
}

#[test]
fn a_journal_that_is_no_journal_is_kept_and_said_so() {
    let place = Place::with_slots(1);
    place.submit("", "true");
    place.ok("wait --all");
    place.ok("server stop");
    let journal = place.data().join("journal.db");
    std::fs::write(&journal, b"this is not what it was").unwrap();
    let ran = place.run("ls");
    assert_ne!(ran.code, 0);
    assert!(ran.err.contains("journal.db"), "{}", ran.err);
    assert_eq!(std::fs::read(&journal).unwrap(), b"this is not what it was");
}

#[test]
fn a_second_server_on_one_data_directory_is_refused_with_the_others_pid() {
    let place = Place::with_slots(1);
    place.ok("server start");
    let pid = place.server().unwrap();
    let other = place.path("other.sock");
    let ran = place.run(&format!("serve --socket {}", other.display()));
    assert_eq!(ran.code, 4, "{ran:?}");
    assert!(ran.err.contains(&pid.to_string()), "{}", ran.err);
    assert_eq!(place.server(), Some(pid));
}

#[test]
fn a_data_directory_that_cannot_be_made_is_a_clear_refusal() {
    let place = Place::with_slots(1);
    let ran = place.run("submit --data-dir /proc/holdshort -- true");
    assert_eq!(ran.code, 4, "{ran:?}");
    assert!(ran.err.contains("/proc/holdshort"), "{}", ran.err);
}

#[test]
fn a_runtime_directory_that_vanished_is_made_again_by_the_same_server() {
    let place = Place::with_slots(1);
    place.ok("server start");
    let pid = place.server().unwrap();
    // The server may be quicker with its new socket than this is with the old directory.
    let _ = std::fs::remove_dir_all(place.path("run/holdshort"));
    wait_for("the socket", || place.path("run/holdshort/socket").exists());
    assert_eq!(place.server(), Some(pid));
}

#[test]
fn hostile_names_and_output_never_reach_a_listing_raw() {
    let place = Place::with_slots(1);
    let hostile = "x\u{1b}]0;owned\u{7}\u{202e}y";
    let refused = place.args(["submit", "--name", hostile, "--", "true"]);
    assert_eq!(refused.code, 2, "{refused:?}");
    let ran = place.args(["submit", "--", "sh", "-c", "printf '\\033[2J\\377\\n'", hostile]);
    assert_eq!(ran.code, 0, "{ran:?}");
    place.ok("wait --all");
    for line in ["ls --all", "show 1", "why 1", "events"] {
        let text = place.ok(line);
        assert!(!text.contains(['\u{1b}', '\u{7}', '\u{202e}']), "{line}: {text:?}");
    }
    // A pipe gets the bytes as they are.
    let raw = place.command(["logs", "1"]).output().unwrap().stdout;
    assert_eq!(raw, b"\x1b[2J\xff\n");
}

#[test]
fn output_is_bounded_and_its_newest_part_kept() {
    let config = "[server]\nlog_bytes = \"1M\"\n[[node]]\nname = \"n1\"\ncpu = \"1\"\n";
    let place = Place::new(config);
    let id = place.submit("", "head -c 8000000 /dev/zero | tr '\\0' a; echo; echo last");
    place.until_state(id, "succeeded");
    let output = place.command(["logs", &id.to_string()]).output().unwrap().stdout;
    assert!(output.len() <= 3_100_000, "{} bytes", output.len());
    assert!(output.ends_with(b"\nlast\n"));
}

#[test]
fn a_job_that_ignores_term_is_killed_with_everything_it_started() {
    let config = "[defaults]\ngrace = \"1s\"\n[[node]]\nname = \"n1\"\ncpu = \"1\"\n";
    let place = Place::new(config);
    let child = place.path("child");
    let script = format!(
        "trap '' TERM; setsid sh -c 'trap \"\" TERM; echo $$ > {0}.new; mv {0}.new {0}; \
         while :; do sleep 1; done' & while :; do sleep 1; done",
        child.display()
    );
    let id = place.submit("", &script);
    wait_for("the child", || child.exists());
    let pid: i32 = std::fs::read_to_string(&child).unwrap().trim().parse().unwrap();
    place.ok(&format!("cancel {id} --yes"));
    place.until_state(id, "cancelled");
    assert!(!alive(pid), "a child in a session of its own survived");
}

#[test]
fn a_job_that_closes_its_output_runs_on() {
    let place = Place::with_slots(1);
    let id = place.submit("", "exec >&- 2>&-; sleep 0.1; exit 7");
    assert_eq!(place.until_state(id, "failed")["exit_code"], 7);
}

#[test]
fn a_full_disk_refuses_new_jobs_and_still_records_ends() {
    if !nix::unistd::geteuid().is_root() {
        eprintln!("skipped: needs root to mount a small file system");
        return;
    }
    let place = Place::with_slots(2);
    let data = place.data();
    std::fs::create_dir_all(&data).unwrap();
    let mounted = std::process::Command::new("mount")
        .args(["-t", "tmpfs", "-o", "size=48m,mode=700", "tmpfs"])
        .arg(&data)
        .status();
    if !mounted.is_ok_and(|status| status.success()) {
        eprintln!("skipped: no mount is allowed here");
        return;
    }
    let full = || fill(&data.join("filler"));
    let go = place.path("go");
    let script = format!("while [ ! -e {} ]; do sleep 0.05; done; exit 6", go.display());
    let id = place.submit("", &script);
    place.until_state(id, "running");
    full();
    let refused = place.run("submit -- true");
    assert_eq!(refused.code, 4, "{refused:?}");
    assert!(refused.err.contains("full"), "{}", refused.err);
    std::fs::write(&go, "").unwrap();
    let ended = place.until_state(id, "failed");
    assert_eq!(ended["exit_code"], 6);
    std::fs::remove_file(data.join("filler")).unwrap();
    let next = place.submit("", "exit 0");
    assert_eq!(next, id + 1, "a refusal burns no number");
    place.until_state(next, "succeeded");
    place.ok("server stop");
    assert_eq!(place.run("verify journal").code, 0);
    std::process::Command::new("umount").arg("-l").arg(&data).status().unwrap();
}

/// Takes all the room there is.
fn fill(path: &Path) {
    use std::io::Write;
    let mut file = std::fs::File::create(path).unwrap();
    for size in [1 << 20, 1 << 12, 1] {
        let block = vec![0u8; size];
        while file.write_all(&block).is_ok() {}
    }
}
