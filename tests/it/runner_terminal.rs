//! Tasks with a terminal.

use holdshort::base::Span;
use holdshort::model::job::{Exit, StopFor};
use holdshort::model::ports::Runner;
use holdshort::model::ports::runner::{Launch, RunnerEvent, TrafficError};

use crate::runner::{Bench, task, until};

fn with_terminal(bench: &Bench, n: u64, script: &str) {
    bench.runner().start(Launch { pty: true, ..bench.script(n, script) });
    bench.started(n);
}

fn asks(bench: &Bench) -> String {
    bench.event("question", |event| match event {
        RunnerEvent::AtPrompt { text, .. } => Some(text.clone()),
        _ => None,
    })
}

fn over(bench: &Bench) {
    bench.event("end of the question", |event| {
        matches!(event, RunnerEvent::PromptOver { .. }).then_some(())
    });
}

#[test]
fn a_terminal_is_controlling_echoes_and_has_a_size() {
    let bench = Bench::new();
    with_terminal(
        &bench,
        1,
        "tty >/dev/tty; stty size; read x; stty size; echo \"got $x\"; exit 3",
    );
    until("it asks", || bench.read("1.log").contains("24 80"));
    assert!(bench.read("1.log").contains("/dev/pts/"));
    bench.runner().resize(task(1), 50, 132).unwrap();
    bench.runner().input(task(1), b"hello\n").unwrap();
    assert_eq!(bench.ended(1), Exit::Code(3));
    let log = bench.read("1.log");
    assert!(log.contains("hello\r\n50 132\r\ngot hello\r\n"), "{log:?}");
}

#[test]
fn a_job_that_blocks_on_a_line_asks_a_question() {
    let bench = Bench::new();
    with_terminal(
        &bench,
        1,
        "printf 'old\\nDelete everything? [y/N] '; read x; echo \"said $x\"; sleep 1000",
    );
    assert_eq!(asks(&bench), "Delete everything? [y/N]");

    let bench = bench.restart();
    assert_eq!(bench.runner().recover(), [task(1)]);
    assert_eq!(asks(&bench), "Delete everything? [y/N]", "a new server hears of it");
    bench.runner().freeze(task(1));
    bench.runner().thaw(task(1));
    assert_eq!(asks(&bench), "Delete everything? [y/N]", "it still stands after a freeze");
    bench.runner().input(task(1), b"y\n").unwrap();
    over(&bench);
    until("it heard", || bench.read("1.log").contains("said y"));
    bench.runner().stop(task(1), StopFor::Cancel, Span::ZERO);
    bench.ended(1);
}

#[test]
fn a_job_that_rings_and_falls_silent_asks_a_question() {
    let bench = Bench::new();
    with_terminal(&bench, 1, "printf '\\033[1mReady?\\033[0m \\a'; sleep 1000");
    assert_eq!(asks(&bench), "Ready?");
    with_terminal(
        &bench,
        2,
        "printf '\\033]133;A\\a$ \\033]133;B\\a'; sleep 0.5; echo on; sleep 1000",
    );
    assert_eq!(asks(&bench), "$");
    over(&bench);
    for n in [1, 2] {
        bench.runner().stop(task(n), StopFor::Cancel, Span::ZERO);
        bench.ended(n);
    }
}

#[test]
fn a_shell_can_be_talked_to_over_a_restart() {
    let bench = Bench::new();
    let launch = bench.script(1, "");
    let argv = ["bash", "--norc", "-i"].map(str::to_owned).into();
    bench.runner().start(Launch { pty: true, argv, ..launch });
    bench.started(1);
    bench.runner().input(task(1), b"x=4; echo $((x+1))-first\n").unwrap();
    until("it answers", || bench.read("1.log").contains("5-first\r\n"));
    let bench = bench.restart();
    bench.runner().recover();
    bench.started(1);
    bench.runner().input(task(1), b"echo $((x+2))-second; exit 9\n").unwrap();
    assert_eq!(bench.ended(1), Exit::Code(9));
    assert!(bench.read("1.log").contains("6-second\r\n"));
}

#[test]
fn what_is_typed_is_bounded_and_never_blocks() {
    let bench = Bench::new();
    with_terminal(&bench, 1, "stty raw -echo; echo ready; sleep 1000");
    until("it is ready", || bench.read("1.log").contains("ready"));
    let piece = [b'x'; 4096];
    let mut taken = 0;
    let refusal = loop {
        match bench.runner().input(task(1), &piece) {
            Ok(()) => taken += piece.len(),
            Err(refusal) => break refusal,
        }
        assert!(taken < 10 << 20, "there is a bound");
    };
    assert_eq!(refusal, TrafficError::Busy);
    let long = bench.runner().input(task(1), &vec![b'x'; 1 << 20]);
    assert!(matches!(long, Err(TrafficError::Failed(_))), "{long:?}");
    bench.runner().stop(task(1), StopFor::Cancel, Span::ZERO);
    bench.ended(1);
    assert_eq!(bench.runner().input(task(1), b"x"), Err(TrafficError::NotRunning));
    assert_eq!(bench.runner().input(task(9), b"x"), Err(TrafficError::NotRunning));
    bench.run(2, "sleep 1000");
    assert_eq!(bench.runner().resize(task(2), 1, 1), Err(TrafficError::NoTerminal));
    bench.runner().stop(task(2), StopFor::Cancel, Span::ZERO);
    bench.ended(2);
}

#[test]
fn a_job_that_lets_go_of_its_terminal_runs_on_and_output_before_the_end_is_kept() {
    let bench = Bench::new();
    with_terminal(&bench, 1, "echo here; exec </dev/null >/dev/null 2>&1; sleep 0.2; exit 5");
    assert_eq!(bench.ended(1), Exit::Code(5));
    assert_eq!(bench.read("1.log"), "here\r\n");
    for n in 10..20 {
        with_terminal(&bench, n, "seq 2000; printf end");
        assert_eq!(bench.ended(n), Exit::Code(0));
        assert!(bench.read(&format!("{n}.log")).ends_with("end"));
    }
}
