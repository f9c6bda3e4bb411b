//! How the server comes and goes under the command line.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]

use std::collections::BTreeSet;
use std::io::Read;
use std::os::unix::process::CommandExt;
use std::path::Path;

use nix::sys::signal::{Signal, kill};

use crate::cli_world::{DEADLINE, World, end_of};

#[test]
fn ten_racing_commands_start_one_server() {
    let world = World::new();
    let racing: Vec<_> = (0..10).map(|_| world.start(&["submit", "--", "true"])).collect();
    let ids: BTreeSet<u32> = racing
        .into_iter()
        .map(|child| {
            let said = end_of(child);
            assert_eq!(said.code, 0, "{said:?}");
            said.out.trim().parse().unwrap()
        })
        .collect();
    assert_eq!(ids, (1..=10).collect());
    world.server();
}

#[test]
fn a_machine_that_gets_another_name_does_not_count_twice() {
    let world = World::new();
    let config = |name: &str| format!("[[node]]\nname = \"{name}\"\ncpu = 2\nmem = \"8Gi\"\n");
    let file = world.write("config.toml", &config("old"));
    let file = file.to_str().unwrap();
    let names = || {
        let nodes = world.json(&["nodes", "--config", file])["nodes"].clone();
        let nodes = nodes.as_array().unwrap().clone();
        nodes.iter().map(|n| n["name"].as_str().unwrap().to_owned()).collect::<Vec<_>>()
    };
    assert_eq!(names(), ["old"]);
    world.ok(&["server", "stop"]);
    world.write("config.toml", &config("new"));
    assert_eq!(names(), ["new"]);
}

#[test]
fn the_server_keeps_no_descriptor_of_its_caller() {
    let world = World::new();
    let (mut reader, writer) = std::io::pipe().unwrap();
    let mut command = world.program(Path::new("/bin/sh"));
    // Descriptor 7 is one that a careless shell leaves open.
    command.args(["-c", "\"$BIN\" server start 7>&1 >/dev/null"]);
    let mut child = command.stdout(writer).spawn().unwrap();
    drop(command);
    assert!(child.wait().unwrap().success());
    let (sender, receiver) = std::sync::mpsc::channel();
    std::thread::spawn(move || sender.send(reader.read_to_end(&mut Vec::new())));
    receiver.recv_timeout(DEADLINE).expect("the server holds the pipe open").unwrap();
    world.server();
}

#[test]
fn the_server_leaves_its_callers_session_and_directory() {
    let world = World::new();
    let mut command = world.command(&["server", "start"]);
    assert!(command.process_group(0).output().unwrap().status.success());
    let pid = world.server();
    assert_eq!(nix::unistd::getsid(Some(pid)).unwrap(), pid);
    assert_eq!(std::fs::read_link(format!("/proc/{pid}/cwd")).unwrap(), Path::new("/"));
}

#[test]
fn a_start_that_fails_names_the_reason_and_the_log() {
    let world = World::new();
    let data = world.path("file");
    std::fs::write(&data, "not a directory").unwrap();
    let said = world.run(&["--data-dir", data.to_str().unwrap(), "ls"]);
    assert_ne!(said.code, 0);
    assert!(said.err.contains("file"), "{said:?}");
}

#[test]
fn stop_returns_when_the_server_is_gone_and_jobs_go_on() {
    let world = World::new();
    let job = world.submit(&[], "echo up; while ! test -e go; do sleep 0.02; done; echo done");
    world.until("it runs", || world.run(&["logs", &job]).out == "up\n");
    let pid = world.server();
    world.ok(&["server", "stop"]);
    assert_eq!(world.run(&["server", "status"]).code, 6);
    // Its data directory is free at once; the process itself may take a moment longer.
    world.until("it is gone", || !runs(pid));
    world.write("go", "");
    assert_eq!(world.run(&["wait", &job]).code, 0);
    assert_eq!(world.ok(&["logs", &job]), "up\ndone\n");
    let before = world.server();
    world.ok(&["server", "restart"]);
    assert_ne!(world.server(), before);
}

fn runs(pid: nix::unistd::Pid) -> bool {
    let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
    stat.rsplit(") ").next().is_some_and(|rest| !rest.is_empty() && !rest.starts_with('Z'))
}

#[test]
fn those_who_wait_bring_a_killed_server_back() {
    let world = World::new();
    let job = world.submit(&[], "echo up; while ! test -e go; do sleep 0.02; done; exit 5");
    world.until("it runs", || world.run(&["logs", &job]).out == "up\n");
    let waiting = world.start(&["wait", &job]);
    let following = world.start(&["logs", &job, "-f"]);
    kill(world.server(), Signal::SIGKILL).unwrap();
    world.write("go", "");
    assert_eq!(end_of(waiting).code, 5);
    assert_eq!(end_of(following).out, "up\n");
}

#[test]
fn sixty_jobs_survive_ten_kills() {
    let world = World::new();
    for n in 1..=60 {
        let line = format!("echo {n}; exit {}", n % 3);
        assert_eq!(world.submit(&[], &line), n.to_string());
        if n % 6 == 0 {
            kill(world.server(), Signal::SIGKILL).unwrap();
        }
    }
    // Whether a failure counts depends on whether it came while somebody waited.
    assert!(world.run(&["wait", "--all"]).code <= 1);
    for n in 1..=60 {
        let job = n.to_string();
        assert_eq!(world.run(&["wait", &job]).code, n % 3, "{job}");
        assert_eq!(world.ok(&["logs", &job]), format!("{n}\n"));
    }
}
