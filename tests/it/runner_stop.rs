//! Ending and freezing whole trees.

use holdshort::base::Span;
use holdshort::model::job::{Exit, StopFor, WarnSignal};
use holdshort::model::ports::Runner;
use holdshort::model::ports::runner::Launch;
use holdshort::runner::local::tree;

use crate::runner::{Bench, gone, is_alive, task, until, with_argument};

/// Each test of a mechanism runs with groups, if they are to be had, and without.
fn both(test: impl Fn(&Bench)) {
    for cgroups in [true, false] {
        let bench = Bench::with(|options| options.cgroups = cgroups);
        let says = bench.runner().mechanism();
        assert!(cgroups || says.starts_with("signals (control groups switched off)"), "{says}");
        test(&bench);
    }
}

#[test]
fn a_stop_asks_first() {
    let bench = Bench::new();
    bench.run(1, "trap 'echo saved; exit 75' TERM; echo ready; while :; do sleep 0.01; done");
    until("it is ready", || bench.read("1.log").contains("ready"));
    bench.runner().stop(task(1), StopFor::Pause, Span::secs(30));
    assert_eq!(bench.ended(1), Exit::Code(75));
    assert!(bench.read("1.log").contains("saved"));
}

#[test]
fn what_ignores_term_is_killed_after_its_grace_and_a_second_stop_hurries_it() {
    both(|bench| {
        bench.run(1, "trap '' TERM; echo ready; while :; do sleep 0.01; done");
        until("it is ready", || bench.read("1.log").contains("ready"));
        bench.runner().stop(task(1), StopFor::Cancel, Span::secs(3600));
        bench.runner().stop(task(1), StopFor::Cancel, Span(20));
        assert_eq!(bench.ended(1), Exit::Signal(9));
    });
}

#[test]
fn children_that_left_the_session_and_lost_their_parents_end_too() {
    both(|bench| {
        let script = "trap '' TERM; \
            (setsid sh -c \"trap '' TERM; echo \\$\\$ > far; while :; do sleep 1; done\" &) & \
            sh -c \"trap '' TERM; echo \\$\\$ > near; while :; do sleep 1; done\" & \
            wait; while :; do sleep 1; done";
        let main = bench.run(1, script);
        let (far, near) = (bench.pid_in("far"), bench.pid_in("near"));
        bench.runner().stop(task(1), StopFor::Cancel, Span(10));
        assert_eq!(bench.ended(1), Exit::Signal(9));
        for pid in [main, far, near] {
            assert!(!is_alive(pid), "{pid}");
        }
    });
}

#[test]
fn what_outlives_its_command_is_ended_before_the_end_is_told() {
    both(|bench| {
        let script = "(setsid sh -c 'echo $$ > far; exec sleep 1000' &); \
            while [ ! -s far ]; do sleep 0.01; done; exit 4";
        assert_eq!(bench.end_of(1, script), Exit::Code(4));
        assert!(!is_alive(bench.pid_in("far")));
    });
}

#[test]
fn a_storm_of_forks_is_ended() {
    both(|bench| {
        // Every process forks the next one, in a session of its own, and leaves: never many at
        // a time, but always others than a moment ago.
        let name = format!("storm-{}", bench.dir.path().file_name().unwrap().display());
        let storm = "trap '' TERM\necho x >> count\nsetsid sh $0 $1 &\n";
        std::fs::write(bench.path("storm.sh"), storm).unwrap();
        let starts = format!("sh storm.sh {name}; ").repeat(8);
        bench.run(1, &format!("{starts} sleep 1000"));
        until("it rages", || bench.read("count").len() > 400);
        bench.runner().stop(task(1), StopFor::Cancel, Span::ZERO);
        bench.ended(1);
        assert_eq!(with_argument(&name), Vec::<u32>::new());
    });
}

#[test]
fn a_frozen_tree_stands_still_and_goes_on_when_thawed() {
    both(|bench| {
        let script = "(setsid sh -c 'while :; do echo x >> far; sleep 0.005; done' &) ; \
            while :; do echo x >> near; sleep 0.005; done";
        bench.run(1, script);
        let sizes = || (bench.read("far").len(), bench.read("near").len());
        until("both write", || sizes().0 > 4 && sizes().1 > 4);
        bench.runner().freeze(task(1));
        let supervisor = bench.runner().supervisor_pid(task(1)).unwrap();
        let stopped =
            |pid: &u32| matches!(tree::stat(*pid).map(|one| one.state), None | Some(b'T' | b'Z'));
        // A shell that was stopped between vfork and exec of its child waits for that, in a
        // sleep that no signal ends, for as long as the child is stopped.
        let waits_for_child = |pid: &u32| {
            let below = tree::descendants(*pid);
            let waits = tree::stat(*pid).is_some_and(|one| one.state == b'D');
            waits && !below.is_empty() && below.iter().all(stopped)
        };
        let still = |pid: &u32| {
            let wchan = std::fs::read_to_string(format!("/proc/{pid}/wchan")).unwrap_or_default();
            stopped(pid) || waits_for_child(pid) || wchan.contains("freez") || frozen_by_group(*pid)
        };
        until("all stand still", || tree::descendants(supervisor).iter().all(still));
        let before = sizes();
        // Another task's whole life passes meanwhile.
        assert_eq!(bench.end_of(2, "sleep 0.2"), Exit::Code(0));
        assert_eq!(sizes(), before);
        bench.runner().thaw(task(1));
        until("both write again", || sizes().0 > before.0 && sizes().1 > before.1);

        bench.runner().freeze(task(1));
        bench.runner().stop(task(1), StopFor::Cancel, Span::secs(30));
        assert_eq!(bench.ended(1), Exit::Signal(15), "a frozen task hears a stop");
    });
}

/// Says whether the group of a process says that it is frozen.
fn frozen_by_group(pid: u32) -> bool {
    let own = std::fs::read_to_string(format!("/proc/{pid}/cgroup")).unwrap_or_default();
    let mounts = std::fs::read_to_string("/proc/self/mountinfo").unwrap_or_default();
    let mount = mounts.lines().find(|line| line.contains(" - cgroup2 "));
    let point = mount.and_then(|line| line.split(' ').nth(4)).unwrap_or_default();
    let path = own.lines().find_map(|line| line.strip_prefix("0::")).unwrap_or_default();
    let events = std::fs::read_to_string(format!("{point}{path}/cgroup.events"));
    events.unwrap_or_default().contains("frozen 1")
}

#[test]
fn the_warn_signal_comes_before_a_stop_that_can_wait() {
    let bench = Bench::new();
    let warn = Some(WarnSignal { signal: 10, before: Span::secs(3600) });
    let script = "trap 'echo warned; exit 75' USR1; echo ready; while :; do sleep 0.01; done";
    for (n, why, exit) in
        [(1, StopFor::Requeue, Exit::Code(75)), (2, StopFor::Cancel, Exit::Signal(15))]
    {
        bench.runner().start(Launch { warn, ..bench.script(n, script) });
        until("it is ready", || bench.read(&format!("{n}.log")).contains("ready"));
        bench.runner().stop(task(n), why, Span::secs(30));
        assert_eq!(bench.ended(n), exit);
    }
}

#[test]
fn without_a_server_the_time_limit_is_kept_all_the_same() {
    let bench = Bench::new();
    let warn = Some(WarnSignal { signal: 10, before: Span(100) });
    let script = "trap 'echo warned' USR1; trap 'echo asked' TERM; echo ready; \
                  while :; do sleep 0.01; done";
    bench.runner().start(Launch { warn, grace: Span(50), ..bench.script(1, script) });
    let pid = bench.started(1);
    until("it is ready", || bench.read("1.log").contains("ready"));
    bench.runner().limit(task(1), Some(Span(300)));
    let bench = bench.restart();
    gone(pid);
    assert_eq!(bench.runner().recover(), [task(1)]);
    assert_eq!(bench.ended(1), Exit::Signal(9));
    assert!(bench.runner().end_note(task(1)).unwrap().by_limit);
    let log = bench.read("1.log");
    assert!(log.contains("warned") && log.contains("asked"), "{log}");
}

#[test]
fn a_supervisor_that_is_asked_to_end_ends_its_task_and_writes_that_down() {
    let bench = Bench::new();
    bench.run(1, "trap 'echo saved; exit 75' TERM; echo ready; while :; do sleep 0.01; done");
    until("it is ready", || bench.read("1.log").contains("ready"));
    let supervisor = bench.runner().supervisor_pid(task(1)).unwrap();
    let bench = bench.restart();
    let pid = nix::unistd::Pid::from_raw(supervisor.try_into().unwrap());
    nix::sys::signal::kill(pid, nix::sys::signal::Signal::SIGTERM).unwrap();
    gone(supervisor);
    assert_eq!(bench.runner().recover(), [task(1)]);
    assert_eq!(bench.ended(1), Exit::Code(75));
}

#[test]
fn hard_requests_limit_memory_where_no_group_can() {
    let bench = Bench::with(|options| options.cgroups = false);
    let mut launch = bench.script(1, "ulimit -d");
    launch.hard = true;
    launch.request.mem_bytes = 64 << 20;
    bench.runner().start(launch);
    assert_eq!(bench.ended(1), Exit::Code(0));
    assert_eq!(bench.read("1.log").trim(), "65536");
}
