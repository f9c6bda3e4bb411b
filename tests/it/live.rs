//! Recorded workloads through the real core.
#![allow(clippy::unwrap_used, clippy::panic, reason = "a test that cannot go on fails")]
#![allow(clippy::print_stderr, reason = "what a test skips is said")]

use std::collections::BTreeMap;
use std::path::PathBuf;

use proptest::collection::vec;
use proptest::prelude::*;

use holdshort::base::{Digest, JobId, Mono, Name, Span};
use holdshort::model::job::{Gang, Groups, JobSpec, TaskGroup};
use holdshort::model::node::{Gpu, Traits};
use holdshort::model::setup::Setup;
use holdshort::model::{Command, Resources};
use holdshort::sim::lab::live::{Live, Ran, Work};

/// A file of the test data, if there is any here.
fn data(file: &str) -> Option<String> {
    let Some(root) = std::env::var_os("HOLDSHORT_TEST_DATA") else {
        eprintln!("skipped: HOLDSHORT_TEST_DATA is not set ({file})");
        return None;
    };
    let path = PathBuf::from(root).join(file);
    Some(std::fs::read_to_string(&path).unwrap_or_else(|e| panic!("{}: {e}", path.display())))
}

fn gpus(n: u64) -> Resources {
    Resources { gpu_milli: n * 1000, cpu_milli: 100, ..Resources::default() }
}

/// Nodes with two GPUs each.
fn nodes(count: usize) -> Vec<Command> {
    let node = |n: usize| Command::NodeSeen {
        name: format!("n{n}").into(),
        capacity: Resources { cpu_milli: 64_000, mem_bytes: 1 << 40, ..gpus(2) },
        gpus: (0..2)
            .map(|index| Gpu {
                index,
                uuid: format!("gpu-{n}-{index}").into(),
                model: "pretend".into(),
                mem_bytes: 1 << 34,
                foreign: None,
            })
            .collect(),
        traits: Traits::default(),
    };
    (1..=count).map(node).collect()
}

/// One line: `id,submit_offset_s,gpus,nodes,duration_s,limit_s,user`.
fn work(line: &str) -> Work {
    let fields: Vec<&str> = line.split(',').collect();
    let millis = |at: usize| {
        let (whole, part) = fields[at].split_once('.').unwrap_or((fields[at], ""));
        let digits = format!("{part:0<3}");
        Span(whole.parse::<u64>().unwrap() * 1000 + digits[..3].parse::<u64>().unwrap())
    };
    let mut spec = JobSpec {
        name: format!("job-{}", fields[0]).into(),
        team: "default".into(),
        priority: 200,
        grace: Span::secs(1),
        program: Digest::of(b"true"),
        estimate: Some(millis(5)),
        ..JobSpec::default()
    };
    // Three are two and one on two nodes, four are two on each of two.
    match fields[2].parse::<u64>().unwrap() {
        3 => {
            let group = |name: &str, n: u64| TaskGroup {
                name: Name::from(name),
                within: None,
                gang: Gang::ONE,
                request: gpus(n),
                node_labels: [].into(),
            };
            let groups = vec![group("two", 2), group("one", 1)];
            spec.groups = Some(Box::new(Groups { groups, ..Groups::default() }));
            spec.gang = Gang { size: 2, min: 2 };
            spec.request = gpus(2);
        }
        4 => {
            spec.gang = Gang { size: 2, min: 2 };
            spec.request = gpus(2);
        }
        n => spec.request = gpus(n),
    }
    Work { submit: millis(1), run: millis(4), spec }
}

#[derive(Debug)]
struct Measured {
    makespan: f64,
    longest_wait: f64,
    mean_wait: f64,
    gpu_use: f64,
}

fn measure(works: &[Work], ran: &[Ran]) -> Measured {
    let secs = |span: Span| span.0 as f64 / 1000.0;
    let makespan = ran.iter().map(|ran| secs(ran.end)).fold(0.0, f64::max);
    let waits = works.iter().zip(ran).map(|(work, ran)| secs(ran.start - work.submit));
    let longest_wait = waits.clone().fold(0.0, f64::max);
    let mean_wait = waits.sum::<f64>() / works.len() as f64;
    let used = works.iter().map(|work| {
        let gpus = work.spec.request_of_all().gpu_milli as f64 / 1000.0;
        gpus * secs(work.run)
    });
    let gpu_use = used.sum::<f64>() / (8.0 * makespan);
    Measured { makespan, longest_wait, mean_wait, gpu_use }
}

fn replay(works: &[Work], off: &[&str]) -> Measured {
    let mut setup = Setup::default();
    setup.cycle.off = off.iter().map(|name| Name::from(*name)).collect();
    let mut live = Live::new(setup, nodes(4)).unwrap();
    let ran = live.run(works, |_, _| {}).unwrap();
    measure(works, &ran)
}

#[test]
fn the_slurm_workload_goes_as_well_as_easy_without_any_latency() {
    let Some(text) = data("engines/slurm/workload.csv") else { return };
    let works: Vec<Work> = text.lines().skip(1).map(work).collect();
    assert_eq!(works.len(), 60);
    let easy = replay(&works, &[]);
    assert!(easy.makespan <= 75.5 * 1.02, "{easy:?}");
    assert!(easy.mean_wait <= 13.4 * 1.02, "{easy:?}");
    assert!(easy.gpu_use >= 0.933 * 0.98, "{easy:?}");
    // Both policies play a part: large jobs wait longer without the one, all without the other.
    let passing = replay(&works, &["reservation"]);
    assert!(passing.longest_wait > easy.longest_wait, "{passing:?} {easy:?}");
    let strict = replay(&works, &["backfill"]);
    assert!(strict.mean_wait > easy.mean_wait * 1.2, "{strict:?} {easy:?}");
}

/// What a job of a made-up workload is like: when it comes, how long it says it runs and how
/// long it does at most, GPUs of each task, tasks.
type Made = (u64, u64, u64, u64, u32);

fn made((submit, says, runs, gpus_each, tasks): Made) -> Work {
    let spec = JobSpec {
        name: "job".into(),
        team: "default".into(),
        priority: 200,
        grace: Span::secs(1),
        program: Digest::of(b"true"),
        estimate: Some(Span(says)),
        gang: Gang { size: tasks, min: tasks },
        request: gpus(gpus_each),
        ..JobSpec::default()
    };
    Work { submit: Span(submit), run: Span(runs.min(says - 1)), spec }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 48, ..ProptestConfig::default() })]

    /// Nobody who starts later than a reservation was made puts it off: where estimates hold, a
    /// reserved start is only ever moved forward.
    #[test]
    fn backfill_never_delays_a_reserved_start(
        jobs in vec((0..40_000u64, 1000..20_000u64, 1..20_000u64, 1..=2u64, 1..=3u32), 1..40),
    ) {
        let works: Vec<Work> = jobs.into_iter().map(made).collect();
        let mut live = Live::new(Setup::default(), nodes(3)).unwrap();
        let mut promised: BTreeMap<JobId, Mono> = BTreeMap::new();
        let mut broken = Vec::new();
        live.run(&works, |world, at| {
            for job in world.jobs() {
                let reserved = job.reserved.as_ref().map(|reserved| reserved.at);
                let before = promised.get(&job.id).copied();
                match (before, reserved) {
                    (Some(before), Some(now)) if now > before => {
                        broken.push(format!("{} from {before:?} to {now:?} at {at:?}", job.id));
                    }
                    (Some(before), None) if job.started.is_some_and(|at| at.now > before) => {
                        broken.push(format!("{} started after {before:?}", job.id));
                    }
                    _ => {}
                }
                match reserved {
                    Some(at) => promised.insert(job.id, at),
                    None => promised.remove(&job.id),
                };
            }
        }).unwrap();
        prop_assert!(broken.is_empty(), "{broken:#?}");
    }
}
