//! A process on its own.

use super::*;
use crate::base::JobId;
use crate::sim::voice::Voice;

fn at(secs: u64) -> At {
    At { now: Mono(secs * 1000), wall: Wall(1_796_000_000_000) + Span::secs(secs) }
}

fn started(conduct: Conduct) -> Process {
    let task = TaskId { job: JobId(1), attempt: 1, rank: 0 };
    let mut process = Process::new(task, "p".into(), Arc::new(conduct), 7, Span::ZERO);
    process.began = true;
    process.go_on(at(0));
    process
}

fn asking() -> Process {
    let mut conduct = Conduct::of(Voice::Agent, Span::mins(2));
    conduct.asks = vec![Ask { after: Span::secs(30), text: "A or B?".into(), patience: None }];
    started(conduct)
}

#[test]
fn work_stands_still_while_it_is_frozen_or_asks() {
    let mut process = asking();
    assert_eq!(process.next(), Some((Mono(30_000), Step::Ask)));
    process.freeze(Mono(10_000));
    assert_eq!(process.next(), None);
    assert_eq!(process.thaw(at(100)), None);
    assert_eq!(process.next(), Some((Mono(120_000), Step::Ask)));
    process.done(Step::Ask, Mono(120_000));
    assert_eq!((process.next(), process.work_at(Mono(999_000))), (None, Span::secs(30)));
    assert_eq!(process.thaw(at(130)).as_deref(), Some("A or B?"));
    assert!(process.hear(Mono(140_000), "A\r"));
    process.answered(at(140));
    assert_eq!(process.next(), Some((Mono(230_000), Step::End)));
}

#[test]
fn output_read_in_pieces_is_the_output_read_at_once() {
    let mut process = asking();
    let mut read = Read::default();
    let mut pieces = Vec::new();
    let mut take = |process: &Process, secs: u64| {
        let (lines, next) = process.output(read, Mono(secs * 1000));
        pieces.extend(lines);
        read = next;
    };
    take(&process, 20);
    process.done(Step::Ask, Mono(30_000));
    take(&process, 30);
    process.hear(Mono(45_000), "A\n");
    take(&process, 45);
    process.answered(at(45));
    take(&process, 50);
    process.end(Mono(135_000), Exit::Code(0));
    take(&process, 140);
    take(&process, 150);
    let (whole, _) = process.output(Read::default(), Mono(150_000));
    assert_eq!(pieces, whole);
    assert!(whole.is_sorted_by_key(|line| line.at));
    let whole: String = whole.into_iter().map(|line| line.text).collect();
    assert!(whole.contains("A or B?\n") && whole.contains("> A\n"), "{whole}");
    assert!(whole.ends_with("pushed.\n"), "{whole}");
}

#[test]
fn output_is_bounded() {
    let process = started(Conduct::of(Voice::Build, Span::hours(100)));
    let (lines, _) = process.output(Read::default(), Mono(Span::hours(99).0));
    assert_eq!(lines.len() as u64, LINES_MAX);
}

#[test]
fn what_was_saved_is_not_done_again() {
    let mut conduct = Conduct::of(Voice::Training, Span::mins(10));
    conduct.saves = Some(Span::mins(3));
    let mut process = started(conduct.clone());
    assert_eq!(process.next(), Some((Mono(180_000), Step::Save)));
    process.leave(Mono(240_000));
    let task = TaskId { attempt: 2, ..process.task };
    let mut second = Process::new(task, "p".into(), Arc::new(conduct), 7, process.saved());
    second.began = true;
    second.go_on(at(300));
    second.done(Step::Save, Mono(480_000));
    second.done(Step::Save, Mono(659_000));
    assert_eq!(second.next(), Some((Mono(660_000), Step::End)));
}
