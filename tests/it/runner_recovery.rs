//! What survives which death.

use std::collections::BTreeSet;
use std::io::{BufRead as _, BufReader};
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::sync::{Arc, Barrier};

use holdshort::base::Span;
use holdshort::model::job::{Exit, StopFor};
use holdshort::model::ports::Runner;
use holdshort::model::ports::runner::{Launch, RunnerEvent};
use holdshort::runner::local::{LocalRunner, spool};

use crate::runner::{Bench, gone, is_alive, kill_hard, launch, options, task, until};

#[test]
fn a_restarted_server_finds_what_runs_what_ended_and_nothing_else() {
    let bench = Bench::new();
    let pid = bench.run(1, "while [ ! -e go ]; do sleep 0.01; done; exit 11");
    bench.run(2, "while [ ! -e go2 ]; do sleep 0.01; done; exit 12");
    let bench = bench.restart();
    std::fs::write(bench.path("go2"), "").unwrap();
    let second = spool::dir(&bench.path("spool"), task(2));
    until("the second ended", || {
        matches!(spool::inspect(&second).unwrap(), spool::Found::Ended(_))
    });
    std::fs::create_dir(bench.path("spool/3.1.0")).unwrap();
    std::fs::write(bench.path("spool/4.1.0"), "not a directory").unwrap();
    assert_eq!(bench.runner().recover(), [task(1), task(2), task(4)]);
    assert_eq!(bench.started(1), pid);
    assert_eq!(bench.ended(2), Exit::Code(12));
    assert_eq!(bench.ended(4), Exit::Unknown);
    assert_eq!(bench.runner().task_of(pid), Some(task(1)));
    std::fs::write(bench.path("go"), "").unwrap();
    assert_eq!(bench.ended(1), Exit::Code(11));
}

#[test]
fn an_adopted_task_can_be_stopped_and_frozen() {
    let bench = Bench::new();
    let pid = bench.run(1, "echo ready; sleep 1000");
    let bench = bench.restart();
    bench.runner().recover();
    // Said before the line to the supervisor is there.
    bench.runner().freeze(task(1));
    bench.runner().stop(task(1), StopFor::Cancel, Span::secs(30));
    assert_eq!(bench.ended(1), Exit::Signal(15));
    assert!(!is_alive(pid));
}

#[test]
fn a_start_said_again_after_a_restart_adopts_instead() {
    let bench = Bench::new();
    let script = "echo once >> count; while [ ! -e go ]; do sleep 0.01; done; exit 13";
    let pid = bench.run(1, script);
    let bench = bench.restart();
    bench.runner().start(bench.script(1, script));
    assert_eq!(bench.started(1), pid);
    std::fs::write(bench.path("go"), "").unwrap();
    assert_eq!(bench.ended(1), Exit::Code(13));
    let bench = bench.restart();
    bench.runner().start(bench.script(1, script));
    assert_eq!(bench.ended(1), Exit::Code(13));
    assert_eq!(bench.read("count"), "once\n");
}

#[test]
fn a_dead_zygote_is_replaced_and_its_tasks_live_on() {
    let bench = Bench::new();
    bench.run(1, "while [ ! -e go ]; do sleep 0.01; done; exit 14");
    for n in 10..40 {
        let zygote = bench.runner().zygote_pid().unwrap();
        if n % 3 == 0 && is_alive(zygote) {
            kill_hard(zygote);
        }
        bench.runner().start(bench.script(n, &format!("echo {n} >> ran")));
    }
    for n in 10..40 {
        assert_eq!(bench.ended(n), Exit::Code(0), "{n}");
    }
    let ran: Vec<u64> = bench.read("ran").lines().map(|line| line.parse().unwrap()).collect();
    assert_eq!(ran.len(), 30, "each once: {ran:?}");
    assert_eq!(ran.into_iter().collect::<BTreeSet<_>>(), (10..40).collect());
    std::fs::write(bench.path("go"), "").unwrap();
    assert_eq!(bench.ended(1), Exit::Code(14));
}

#[test]
fn a_killed_supervisor_takes_its_task_with_it() {
    let bench = Bench::new();
    let script = "sh -c 'echo $$ > child; exec sleep 1000' & sleep 1000";
    let pid = bench.run(1, script);
    until("the child runs", || bench.read("child").ends_with('\n'));
    let child: u32 = bench.read("child").trim().parse().unwrap();
    kill_hard(bench.runner().supervisor_pid(task(1)).unwrap());
    assert_eq!(bench.ended(1), Exit::Unknown);
    gone(pid);
    gone(child);

    // The same while no server looks.
    let pid = bench.run(2, script);
    let supervisor = bench.runner().supervisor_pid(task(2)).unwrap();
    let bench = bench.restart();
    kill_hard(supervisor);
    gone(supervisor);
    assert_eq!(bench.runner().recover(), [task(1), task(2)]);
    assert_eq!(bench.ended(2), Exit::Unknown);
    gone(pid);
    bench.runner().forget(task(2));
    assert!(!spool::dir(&bench.path("spool"), task(2)).exists());
}

#[test]
fn after_a_reboot_nothing_is_looked_for_among_living_processes() {
    let bench = Bench::new();
    let pid = bench.run(1, "sleep 1000");
    kill_hard(bench.runner().supervisor_pid(task(1)).unwrap());
    bench.ended(1);
    gone(pid);
    // The claim of another boot that names this very process.
    let dir = spool::dir(&bench.path("spool"), task(2));
    std::fs::create_dir(&dir).unwrap();
    let own = holdshort::runner::local::tree::own_stat().unwrap().stamp();
    let claim = spool::Claim { boot: "another".into(), supervisor: own, main: own, cgroup: None };
    spool::Held::claim(&dir).unwrap().unwrap().record(&claim).unwrap();
    let bench = bench.restart();
    assert_eq!(bench.runner().recover(), [task(1), task(2)]);
    assert_eq!(bench.ended(2), Exit::Unknown);
}

#[test]
fn of_servers_that_race_to_start_a_task_one_wins_and_the_command_runs_once() {
    for round in 0..20 {
        let bench = Bench::new();
        let dir = bench.dir.path().to_owned();
        let rivals: Vec<Bench> =
            (0..4).map(|_| Bench::over(Arc::clone(&bench.dir), options(&dir))).collect();
        let barrier = Barrier::new(rivals.len());
        std::thread::scope(|scope| {
            for rival in &rivals {
                let runner: &LocalRunner = rival.runner();
                let (barrier, order) = (&barrier, launch(&dir, 1, "echo ran >> count; exit 3"));
                scope.spawn(move || {
                    barrier.wait();
                    runner.start(order);
                });
            }
        });
        // Only the newest server's order counts.
        assert_eq!(rivals.last().unwrap().ended(1), Exit::Code(3));
        assert_eq!(bench.read("count"), "ran\n", "round {round}");
    }
}

/// Plays the server in a process of its own when a test starts it so; else nothing.
#[test]
fn role_of_a_server_that_is_killed() {
    let Some(dir) = std::env::var_os("HOLDSHORT_TEST_SERVER") else { return };
    let dir = PathBuf::from(dir);
    let first: u64 = std::env::var("HOLDSHORT_TEST_FIRST").unwrap().parse().unwrap();
    let (sender, events) = std::sync::mpsc::channel();
    let tell = Arc::new(move |event| drop(sender.send(event)));
    let runner = LocalRunner::new(options(&dir), tell).unwrap();
    runner.recover();
    for n in first.. {
        println!("start {n}");
        runner.start(short(&dir, n));
        // It may have run already, for a server that died before its word was read.
        let heard = |event| match event {
            RunnerEvent::Started { task, .. } | RunnerEvent::Ended { task, .. } => task.job.0 == n,
            _ => false,
        };
        while events.recv().is_ok_and(|event| !heard(event)) {}
    }
}

fn short(dir: &std::path::Path, n: u64) -> Launch {
    launch(dir, n, &format!("echo {n} >> ran; sleep 0.03; exit {}", n % 100))
}

#[test]
fn a_server_killed_again_and_again_loses_no_end_and_runs_nothing_twice() {
    let dir = Arc::new(tempfile::tempdir().unwrap());
    let program = std::env::current_exe().unwrap();
    let mut next = 1;
    for round in 0..12usize {
        let mut server = Command::new(&program)
            .args(["runner_recovery::role_of_a_server_that_is_killed", "--exact", "--nocapture"])
            .env("HOLDSHORT_TEST_SERVER", dir.path())
            .env("HOLDSHORT_TEST_FIRST", next.to_string())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let lines = BufReader::new(server.stdout.take().unwrap()).lines();
        let starts = lines.filter_map(|line| line.unwrap().strip_prefix("start ")?.parse().ok());
        // Killed at another place in its work each time: right after it said so.
        let last: u64 = starts.take(1 + (round * 7) % 5).last().unwrap();
        server.kill().unwrap();
        server.wait().unwrap();
        next = last + 1;
    }
    let bench = Bench::over(Arc::clone(&dir), options(dir.path()));
    let found: BTreeSet<u64> = bench.runner().recover().iter().map(|task| task.job.0).collect();
    for n in 1..next {
        if !found.contains(&n) {
            // Never started, says the runner: so it may be started now.
            bench.runner().start(short(dir.path(), n));
        }
        assert_eq!(bench.ended(n), Exit::Code(i32::try_from(n % 100).unwrap()));
    }
    let mut ran: Vec<u64> = bench.read("ran").lines().map(|line| line.parse().unwrap()).collect();
    ran.sort_unstable();
    ran.retain(|n| *n < next);
    assert_eq!(ran, (1..next).collect::<Vec<_>>(), "each exactly once");
}
