//! Recorded workloads through the real core.

use std::path::PathBuf;

use holdshort::base::{Digest, Name, Span};
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
        let seconds: f64 = fields[at].parse().unwrap();
        Span((seconds * 1000.0).round() as u64)
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

struct Measured {
    makespan: f64,
    mean_wait: f64,
    gpu_use: f64,
}

fn measure(works: &[Work], ran: &[Ran]) -> Measured {
    let secs = |span: Span| span.0 as f64 / 1000.0;
    let makespan = ran.iter().map(|ran| secs(ran.end)).fold(0.0, f64::max);
    let waits = works.iter().zip(ran).map(|(work, ran)| secs(ran.start - work.submit));
    let mean_wait = waits.sum::<f64>() / works.len() as f64;
    let used = works.iter().map(|work| {
        let gpus = work.spec.request_in_all().gpu_milli as f64 / 1000.0;
        gpus * secs(work.run)
    });
    Measured { makespan, mean_wait, gpu_use: used.sum::<f64>() / (8.0 * makespan) }
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
    let Measured { makespan, mean_wait, gpu_use } = replay(&works, &[]);
    eprintln!("makespan {makespan:.1} s, mean wait {mean_wait:.1} s, GPU use {gpu_use:.3}");
    assert!(makespan <= 75.5 * 1.02, "{makespan}");
    assert!(mean_wait <= 13.4 * 1.02, "{mean_wait}");
    assert!(gpu_use >= 0.933 * 0.98, "{gpu_use}");
    for off in [&["reservation"][..], &["backfill"]] {
        let Measured { makespan, mean_wait, gpu_use } = replay(&works, off);
        eprintln!("{off:?}: makespan {makespan:.1} s, wait {mean_wait:.1} s, use {gpu_use:.3}");
    }
}
