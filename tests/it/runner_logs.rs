//! Output of tasks, however much and whatever it is.

use holdshort::base::Span;
use holdshort::model::job::{Exit, StopFor};
use holdshort::model::ports::Runner;
use holdshort::model::ports::runner::Launch;

use crate::runner::{Bench, task, until};

fn size(bench: &Bench, name: &str) -> u64 {
    std::fs::metadata(bench.path(name)).map_or(0, |file| file.len())
}

#[test]
fn a_hundred_megabytes_without_a_line_end_stay_bounded_and_keep_the_end() {
    let bench = Bench::new();
    let script = "head -c 100000000 /dev/zero; printf end";
    let launch = Launch { log_bytes_max: 1_000_000, ..bench.script(1, script) };
    bench.runner().start(launch);
    assert_eq!(bench.ended(1), Exit::Code(0));
    assert_eq!((size(&bench, "1.log.1"), size(&bench, "1.log.2")), (1_000_000, 1_000_000));
    assert!(size(&bench, "1.log") <= 1_000_000);
    assert!(!bench.path("1.log.3").exists());
    assert!(bench.read("1.log").ends_with("end") || bench.read("1.log.1").ends_with("end"));
    assert_eq!(bench.runner().output_bytes(task(1)), Some(100_000_003));
}

#[test]
fn any_bytes_of_both_streams_arrive_as_they_are() {
    let bench = Bench::new();
    let script = "printf '\\377\\376\\000\\033[2J' ; printf 'err' >&2";
    assert_eq!(bench.end_of(1, script), Exit::Code(0));
    let log = std::fs::read(bench.path("1.log")).unwrap();
    assert_eq!(log, b"\xff\xfe\0\x1b[2Jerr");
}

#[test]
fn a_task_that_closes_its_output_runs_on() {
    let bench = Bench::new();
    bench
        .run(1, "echo before; exec >&- 2>&-; touch closed; while [ ! -e go ]; do sleep 0.01; done");
    until("it closed", || bench.path("closed").exists());
    let supervisor = bench.runner().supervisor_pid(task(1)).unwrap();
    let spent = || {
        let stat = std::fs::read_to_string(format!("/proc/{supervisor}/stat")).unwrap();
        let fields: Vec<&str> = stat.rsplit(')').next().unwrap().split(' ').collect();
        fields[12].parse::<u64>().unwrap() + fields[13].parse::<u64>().unwrap()
    };
    let before = spent();
    assert_eq!(bench.end_of(2, "sleep 0.3"), Exit::Code(0));
    assert!(spent() - before < 10, "nobody spins on a closed pipe");
    std::fs::write(bench.path("go"), "").unwrap();
    assert_eq!(bench.ended(1), Exit::Code(0));
    assert_eq!(bench.read("1.log"), "before\n");
}

#[test]
fn output_held_open_by_nobody_of_the_task_does_not_delay_its_end() {
    let bench = Bench::new();
    // A process outside the tree opens the pipe through /proc and keeps it.
    let pid = bench.run(1, "while [ ! -e go ]; do sleep 0.01; done; echo last");
    let pipe = std::fs::OpenOptions::new().write(true).open(format!("/proc/{pid}/fd/1")).unwrap();
    std::fs::write(bench.path("go"), "").unwrap();
    assert_eq!(bench.ended(1), Exit::Code(0));
    assert_eq!(bench.read("1.log"), "last\n");
    drop(pipe);
}

#[test]
fn a_full_disk_neither_blocks_nor_ends_a_task() {
    let bench = Bench::new();
    let log = std::path::PathBuf::from("/dev/full");
    bench.runner().start(Launch { log, ..bench.script(1, "head -c 1000000 /dev/zero; exit 6") });
    assert_eq!(bench.ended(1), Exit::Code(6));

    // A directory that cannot be written, and then can.
    std::fs::write(bench.path("blocked"), "").unwrap();
    let log = bench.path("blocked/out");
    let script = "echo lost; touch wrote; while [ ! -e go ]; do sleep 0.01; done; echo kept";
    bench.runner().start(Launch { log, ..bench.script(2, script) });
    until("it wrote", || bench.path("wrote").exists());
    std::fs::remove_file(bench.path("blocked")).unwrap();
    std::fs::write(bench.path("go"), "").unwrap();
    assert_eq!(bench.ended(2), Exit::Code(0));
    let log = bench.read("blocked/out");
    assert!(log.ends_with("kept\n"), "{log}");
}

#[test]
fn output_goes_on_while_no_server_is_there() {
    let bench = Bench::new();
    bench.run(1, "while :; do echo x; sleep 0.01; done");
    until("it writes", || size(&bench, "1.log") > 0);
    let bench = bench.restart();
    let before = size(&bench, "1.log");
    until("it writes on", || size(&bench, "1.log") > before);
    assert_eq!(bench.runner().recover(), [task(1)]);
    bench.started(1);
    assert!(bench.runner().output_bytes(task(1)).unwrap() > before);
    bench.runner().stop(task(1), StopFor::Cancel, Span::ZERO);
    bench.ended(1);
}
