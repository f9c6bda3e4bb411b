//! Columns, bars and lines.

use super::*;
use crate::base::JobId;
use crate::model::node::{Gpu, Traits};
use crate::model::page::{KeptFor, OnGpu};
use crate::view::list::Folded;
use crate::view::sample::{NOON, at, queued, running};

#[test]
fn time_is_spread_over_the_columns() {
    let now = Wall(NOON);
    let axis = Axis::around(now, Span::hours(4), 80);
    assert_eq!(axis.column(now), 10, "an eighth lies behind");
    assert_eq!(axis.column(now + Span::hours(1)), 30);
    assert_eq!(axis.column(now + Span::hours(90)), 80);
    assert_eq!(axis.column(Wall(0)), 0);
    let marks = axis.marks(&Sight::utc(at(0)));
    let first: Vec<(u16, &str)> = marks.iter().map(|(x, text)| (*x, &**text)).collect();
    assert_eq!(first[..3], [(20, "13:30"), (30, "14:00"), (40, "14:30")]);
    assert!(Axis::around(now, Span::hours(168), 0).marks(&Sight::utc(at(0))).is_empty());
}

#[test]
fn a_window_is_one_line_with_all_its_openings() {
    let now = Wall(NOON);
    let open = |window: &str, from: u64, until: u64| Opening {
        team: "org/ml".into(),
        window: window.into(),
        zone: "Europe/Berlin".into(),
        from: now + Span::hours(from),
        until: now + Span::hours(until),
    };
    let openings = [open("day", 0, 2), open("day", 20, 30), open("night", 3, 9)];
    let seen = Seen { openings: &openings, ..Seen::default() };
    let lines = rows(&seen, Detail::Devices);
    assert_eq!(lines, [Row::Window(&openings[..2]), Row::Window(&openings[2..])]);
    let (axis, sight) = (Axis::around(now, Span::hours(4), 80), Sight::utc(at(0)));
    let (spans, said) = opening(&openings[..2], &axis, &sight);
    assert_eq!((spans, said), (vec![(10, 50)], Some("open until 16:00 Berlin".into())));
    let (spans, said) = opening(&openings[2..], &axis, &sight);
    assert_eq!((spans, said), (vec![(70, 80)], Some("opens 17:00 Berlin".into())));
}

#[test]
fn what_ends_first_stands_first_and_an_unknown_end_is_open() {
    let (mut soon, mut late, open) = (running(1, "a"), running(2, "b"), running(3, "c"));
    soon.expected_end = Some(Wall(NOON) + Span::mins(30));
    late.expected_end = Some(Wall(NOON));
    let waits = queued(4, "d");
    let single = Folded { row: &waits, count: 1, open: false, gpu_milli: 0 };
    let seen = Seen { running: vec![&soon], waiting: vec![&waits], queued: 1, ..Seen::default() };
    let rows = rows(&seen, Detail::Devices);
    assert_eq!(rows, [Row::Waiting(1), Row::Waits(single)], "no node, nothing on it");
    assert_eq!(job_at(&rows, 1), Some(JobId(4)));
    let now = Wall(NOON) + Span::mins(1);
    let axis = Axis::around(now, Span::hours(2), 120);
    let of = |row: &JobRow| bar(row, &axis, now).map(|bar| (bar.likely, bar.open, bar.overdue));
    assert_eq!(of(&soon), Some((44, false, false)));
    assert_eq!(of(&late), Some((15, false, true)));
    assert_eq!(of(&open), Some((15, true, false)));
    assert_eq!(of(&waits), None);
}

fn gpus(count: u64) -> Resources {
    Resources { gpu_milli: count * 1000, ..Resources::default() }
}

/// A node of so many devices, with jobs on them: device, job, thousandths.
fn node_of(devices: u32, on: &[(u32, u64, u64)]) -> NodeRow {
    let gpu = |index| Gpu {
        index,
        uuid: "u".into(),
        model: "A100".into(),
        mem_bytes: 80 << 30,
        foreign: None,
    };
    let has = |&(index, job, milli): &(u32, u64, u64)| OnGpu { index, job: JobId(job), milli };
    NodeRow {
        name: "n1".into(),
        up: true,
        capacity: gpus(u64::from(devices)),
        used: Resources {
            gpu_milli: on.iter().map(|(.., milli)| milli).sum(),
            ..Resources::default()
        },
        reserved: Resources::default(),
        kept: Vec::new(),
        foreign: Resources::default(),
        gpus: (0..devices).map(gpu).collect(),
        on_gpus: on.iter().map(has).collect(),
        drain: None,
        warning: None,
        tasks: 1,
        traits: Traits::default(),
    }
}

fn device<'a, 'b>(row: &'b Row<'a>) -> &'b Device<'a> {
    match row {
        Row::Device(device) => device,
        other => panic!("no device: {other:?}"),
    }
}

#[test]
fn each_device_has_a_line_and_what_is_kept_stands_where_it_is_free_first() {
    let ends = |id, mins| {
        let end = Some(Wall(NOON) + Span::mins(mins));
        JobRow { expected_end: end, latest_end: end, ..running(id, "a") }
    };
    let (gang, shares, cores) = (ends(1, 60), ends(2, 30), running(3, "c"));
    let on = [(0, 1, 1000), (1, 1, 1000), (2, 2, 500), (2, 9, 250)];
    let mut node = node_of(4, &on);
    let from = Wall(NOON) + Span::mins(60);
    node.kept = vec![
        KeptFor { job: JobId(7), from, until: Some(from + Span::mins(10)), room: gpus(2) },
        KeptFor { job: JobId(8), from, until: None, room: gpus(2) },
    ];
    let running = vec![&gang, &shares, &cores];
    let seen = Seen { nodes: std::slice::from_ref(&node), running, ..Seen::default() };
    let lines = rows(&seen, Detail::Devices);
    let of = |at: usize| {
        let device = device(&lines[at]);
        let kept: Vec<u64> = device.kept.iter().map(|kept| kept.job.0).collect();
        (device.gpu.index, device.on.map(|on| on.job.0), device.again, device.same, kept)
    };
    assert_eq!(lines.len(), 7);
    // Nobody knows when job 9 ends, so nothing is drawn on the device that it shares.
    assert_eq!(of(1), (0, Some(1), false, false, vec![7, 8]));
    assert_eq!(of(2), (1, Some(1), false, true, vec![8]));
    assert_eq!(of(3), (2, Some(2), false, false, vec![]));
    assert_eq!(of(4), (2, Some(9), true, false, vec![]));
    assert_eq!(of(5), (3, None, false, false, vec![7]));
    assert_eq!(lines[6], Row::Job(&cores));
    assert_eq!([job_at(&lines, 4), job_at(&lines, 5)], [Some(JobId(9)), Some(JobId(7))]);
    let jobs = rows(&seen, Detail::Jobs);
    assert_eq!(jobs.len(), 4);
    let one = rows(&seen, Detail::Nodes);
    assert!(matches!(&one[..], [Row::Load(_, here)] if here.len() == 3), "{one:?}");
}

#[test]
fn as_much_is_told_as_fits() {
    let nodes = [node_of(8, &[]), node_of(8, &[])];
    let waits: Vec<JobRow> = (0..9).map(|id| queued(id, "w")).collect();
    let waiting = waits.iter().collect();
    let seen = Seen { nodes: &nodes, waiting, ..Seen::default() };
    assert_eq!(Detail::that_fits(&seen, 22), Detail::Devices);
    assert_eq!(Detail::that_fits(&seen, 21), Detail::Jobs);
    assert_eq!(Detail::that_fits(&seen, 3), Detail::Nodes);
    assert_eq!(Detail::that_fits(&Seen::default(), 0), Detail::Devices);
}

#[test]
fn a_node_empties_as_its_jobs_end_and_fills_with_what_is_kept() {
    let now = Wall(NOON);
    let end = |id, mins| JobRow { expected_end: Some(now + Span::mins(mins)), ..running(id, "a") };
    let (soon, late) = (end(1, 30), end(2, 60));
    let mut node = node_of(4, &[(0, 1, 1000), (1, 2, 1000), (2, 3, 1000)]);
    let from = now + Span::mins(90);
    node.kept = vec![KeptFor { job: JobId(7), from, until: None, room: gpus(3) }];
    let axis = Axis::around(now, Span::hours(2), 16);
    let levels = load(&node, &[&soon, &late], &axis, now);
    let of = |at: usize| (levels[at].eighths, levels[at].kept);
    assert_eq!(levels.len(), 14, "two columns lie behind");
    assert_eq!([of(0), of(3), of(4), of(7), of(8)].map(|(eighths, _)| eighths), [6, 6, 4, 4, 2]);
    assert_eq!([of(11), of(12)], [(2, false), (8, true)]);
}
