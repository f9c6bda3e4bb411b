//! Starting tasks: what a command gets, how its end is told, why it could not start.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;

use holdshort::base::TaskId;
use holdshort::model::Resources;
use holdshort::model::job::{Exit, GpuShare};
use holdshort::model::ports::Runner;
use holdshort::model::ports::runner::{Launch, RunnerEvent};
use holdshort::runner::local::gpu::PretendGpu;
use holdshort::runner::local::{spool, tree};

use crate::runner::{Bench, is_alive, task, until};

#[test]
fn ends_are_told_as_they_were() {
    let bench = Bench::new();
    for (n, script, exit) in [
        (1, "exit 0", Exit::Code(0)),
        (2, "exit 75", Exit::Code(75)),
        (3, "exit 255", Exit::Code(255)),
        (4, "kill -9 $$", Exit::Signal(9)),
        (5, "kill -TERM $$", Exit::Signal(15)),
        (6, "kill -PIPE $$", Exit::Signal(13)),
        (7, "kill -HUP $$", Exit::Signal(1)),
    ] {
        assert_eq!(bench.end_of(n, script), exit, "{script}");
    }
}

#[test]
fn a_command_gets_its_own_environment_directory_and_input_and_nothing_of_ours() {
    let bench = Bench::new();
    let script = "env | sort | grep -v -e ^PWD= -e ^_= -e ^SHLVL= -e ^OLDPWD=; pwd; cat; \
                  ls /proc/self/fd | tr '\\n' ' '; ps -o sid= -p $$ | tr -d ' '; echo $$; \
                  grep -i -e sigblk -e sigign /proc/self/status";
    assert_eq!(bench.end_of(1, script), Exit::Code(0));
    let log = bench.read("1.log");
    let lines: Vec<&str> = log.lines().collect();
    let dir = bench.dir.path().to_str().unwrap();
    assert_eq!(lines[..3], ["HOLDSHORT_JOB_ID=7", "PATH=/usr/local/bin:/usr/bin:/bin", dir]);
    // 3 is the directory that ls itself reads; the rest of the line is the session's id.
    let session = lines[3].strip_prefix("0 1 2 3 ").unwrap();
    assert_eq!(session, lines[4], "leader of its own session");
    for mask in &lines[5..7] {
        // The C library keeps 32 and 33 for itself, whatever it inherits.
        let mask = u64::from_str_radix(mask.split_once(":\t").unwrap().1, 16).unwrap();
        assert_eq!(mask & !0x1_8000_0000, 0);
    }
    let mode = fs::metadata(bench.path("1.log")).unwrap().permissions().mode();
    assert_eq!(mode & 0o777, 0o600);
}

#[test]
fn what_cannot_start_says_what_and_why() {
    let bench = Bench::new();
    let sh = |n| bench.script(n, "true");
    let argv = |n, word: &str| Launch { argv: vec![word.to_owned()], ..sh(n) };
    let why = bench.not_started(argv(1, "no-such-command"));
    assert_eq!(why, "command not found: no-such-command (PATH is /usr/local/bin:/usr/bin:/bin)");
    let why = bench.not_started(argv(2, "/no/such/command"));
    assert_eq!(why, "command not found: /no/such/command");

    let plain = bench.path("plain");
    fs::write(&plain, "data").unwrap();
    let plain = plain.to_str().unwrap();
    let why = bench.not_started(argv(3, plain));
    assert!(why.starts_with(plain) && why.contains("permission denied"), "{why}");
    let why = bench.not_started(argv(4, bench.dir.path().to_str().unwrap()));
    assert!(why.ends_with("is a directory, not a program"), "{why}");
    fs::set_permissions(plain, fs::Permissions::from_mode(0o755)).unwrap();
    let why = bench.not_started(argv(5, "./plain"));
    assert!(why.contains("./plain") && why.contains("#!"), "{why}");
    fs::write(plain, "#!/no/such/interpreter\n").unwrap();
    let why = bench.not_started(argv(6, "./plain"));
    assert!(why.contains("interpreter"), "{why}");

    let lost = bench.path("vanished");
    let why = bench.not_started(Launch { cwd: lost.clone(), ..sh(7) });
    assert_eq!(why, format!("the working directory {} does not exist", lost.display()));
    let why = bench.not_started(Launch { cwd: plain.into(), ..sh(8) });
    assert!(why.ends_with("is not a directory"), "{why}");

    let long = vec![("X".to_owned(), "x".repeat(10 << 20))];
    let why = bench.not_started(Launch { env: long, ..sh(9) });
    assert!(why.contains("10240 KiB") && why.contains("files"), "{why}");
    let why = bench.not_started(Launch { argv: vec![], ..sh(10) });
    assert_eq!(why, "there is no command");
    let why = bench.not_started(argv(11, "a\0b"));
    assert!(why.contains("zero byte"), "{why}");
    assert_eq!(bench.end_of(12, "exit 0"), Exit::Code(0), "and it goes on");
}

#[test]
fn many_short_tasks_all_end_and_leave_no_supervisor_behind() {
    let bench = Bench::new();
    for n in 0..200 {
        bench.runner().start(Launch { argv: vec!["true".into()], ..bench.script(n, "") });
    }
    for n in 0..200 {
        assert_eq!(bench.ended(n), Exit::Code(0), "{n}");
        bench.runner().forget(task(n));
    }
    let zygote = bench.runner().zygote_pid().unwrap();
    until("all supervisors are gone", || tree::descendants(zygote).is_empty());
    assert_eq!(spool::tasks(&bench.path("spool")).unwrap(), []);
    let left = fs::read_dir(bench.path("spool")).unwrap().count();
    assert!(left < 100, "the epoch and some spare directories, not {left}");
    let bench = bench.restart();
    assert_eq!(fs::read_dir(bench.path("spool")).unwrap().count(), 1, "only the epoch");
}

#[test]
fn a_started_task_is_never_started_again() {
    let bench = Bench::new();
    let script = "echo once >> count; sleep 1000";
    let pid = bench.run(1, script);
    bench.runner().start(bench.script(1, script));
    assert_eq!(bench.started(1), pid, "its events are sent again");
    until("it has run", || bench.read("count") == "once\n");
    bench.runner().stop(
        task(1),
        holdshort::model::job::StopFor::Cancel,
        holdshort::base::Span::ZERO,
    );
    bench.ended(1);
    bench.runner().start(bench.script(1, script));
    assert!(matches!(bench.ended(1), Exit::Signal(_)));
    assert_eq!(bench.read("count"), "once\n");
}

#[test]
fn a_process_is_traced_to_its_task_over_sessions_and_dead_parents() {
    let bench = Bench::new();
    let script = "(setsid sh -c 'echo $$ > far; exec sleep 1000' &) ; echo $$ > near; sleep 1000";
    let pid = bench.run(1, script);
    until("both wrote", || bench.read("far").ends_with('\n') && bench.read("near").ends_with('\n'));
    let far: u32 = bench.read("far").trim().parse().unwrap();
    assert_eq!(bench.read("near").trim(), pid.to_string());
    assert_eq!(bench.runner().task_of(pid), Some(task(1)));
    assert_eq!(bench.runner().task_of(far), Some(task(1)));
    assert_eq!(bench.runner().task_of(std::process::id()), None);
    assert_eq!(bench.runner().task_of(1), None);
    assert_eq!(bench.runner().task_of(u32::MAX), None);
    drop_tasks(&bench, &[task(1)]);
    assert!(!is_alive(far));
}

#[test]
fn supervisors_are_small_and_named_after_their_task() {
    let bench = Bench::new();
    let mut launch = bench.script(1, "sleep 1000");
    launch.env.push(("BIG".into(), "x".repeat(100 << 10)));
    bench.runner().start(launch);
    bench.started(1);
    let pid = bench.runner().supervisor_pid(task(1)).unwrap();
    assert_eq!(tree::name(pid).unwrap(), "hs:1.1.0");
    let rollup = fs::read_to_string(format!("/proc/{pid}/smaps_rollup")).unwrap();
    // Pages of the program itself are clean; whether they count as private depends on who else
    // runs the same file just now.
    let private: u64 = rollup
        .lines()
        .filter(|line| line.starts_with("Private_Dirty"))
        .map(|line| line.split_ascii_whitespace().nth(1).unwrap().parse::<u64>().unwrap())
        .sum();
    assert!(private < 3 << 10, "{private} KiB");
    drop_tasks(&bench, &[task(1)]);
}

#[test]
fn the_machine_has_what_is_found_or_what_it_was_given() {
    let bench = Bench::with(|options| {
        options.cpu_milli = Some(64_000);
        options.gpus = Some(vec![PretendGpu { name: "H100".into(), mem_bytes: 80 << 30 }; 2]);
    });
    let machine = bench.runner().machine();
    let Resources { cpu_milli, mem_bytes, gpu_milli, custom } = machine.capacity;
    assert_eq!((cpu_milli, gpu_milli, custom.len()), (64_000, 2000, 0));
    assert!(mem_bytes > 1 << 26);
    assert_eq!(machine.gpus[1].index, 1);
    assert_eq!(&*machine.gpus[1].model, "H100");
    assert_eq!(machine.gpus[1].mem_bytes, 80 << 30);
}

#[test]
fn a_gpu_that_another_server_hands_out_is_not_used_until_it_is_free() {
    let bench = Bench::with(|options| {
        options.gpus = Some(vec![PretendGpu { name: "H100".into(), mem_bytes: 80 << 30 }]);
    });
    let uuid = bench.runner().machine().gpus[0].uuid.clone();
    let path = bench.path(&format!("holdshort-gpu-{uuid}.lock"));
    let other = fs::File::create(path).unwrap();
    other.lock().unwrap();
    let launch = || {
        let gpus = vec![GpuShare { index: 0, milli: 500 }];
        Launch { gpus, ..bench.script(1, "sleep 1000") }
    };
    bench.runner().start(launch());
    let taken = |event: &RunnerEvent| match event {
        RunnerEvent::GpuTaken { task, index, by } => Some((*task, *index, by.to_string())),
        _ => None,
    };
    let want: (TaskId, u32, String) = (task(1), 0, "another server".into());
    assert_eq!(bench.event("taken GPU", taken), want);
    other.unlock().unwrap();
    let free = |event: &RunnerEvent| match event {
        RunnerEvent::Machine(machine) => machine.gpus[0].foreign.is_none().then_some(()),
        _ => None,
    };
    bench.event("free GPU", free);
    bench.runner().start(launch());
    bench.started(1);
    assert!(other.try_lock().is_err(), "now it is ours");

    let bench = bench.restart();
    assert_eq!(bench.runner().recover(), [task(1)]);
    bench.started(1);
    assert!(other.try_lock().is_err(), "the supervisor held it all the while");
    let gpus = vec![GpuShare { index: 0, milli: 500 }];
    bench.runner().start(Launch { gpus, ..bench.script(2, "sleep 1000") });
    bench.started(2);
    drop_tasks(&bench, &[task(1)]);
    assert!(other.try_lock().is_err(), "a share of the same lock keeps it");
    drop_tasks(&bench, &[task(2)]);
    until("the lock is free", || other.try_lock().is_ok());
}

fn drop_tasks(bench: &Bench, tasks: &[TaskId]) {
    for task in tasks {
        let why = holdshort::model::job::StopFor::Cancel;
        bench.runner().stop(*task, why, holdshort::base::Span::ZERO);
        bench.ended(task.job.0);
    }
}
