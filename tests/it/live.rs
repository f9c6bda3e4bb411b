//! Recorded workloads through the real core.
#![allow(clippy::unwrap_used, clippy::panic, reason = "a test that cannot go on fails")]
#![allow(clippy::print_stderr, reason = "what a test skips is said")]

use std::collections::BTreeMap;
use std::path::PathBuf;

use proptest::collection::vec;
use proptest::prelude::*;

use holdshort::base::{Digest, JobId, Mono, Name, Span};
use holdshort::model::job::{Gang, JobSpec};
use holdshort::model::node::{Gpu, Traits};
use holdshort::model::setup::Setup;
use holdshort::model::{Command, Resources};
use holdshort::sim::lab::live::{Live, Work};
use holdshort::sim::lab::{Metrics, Workload, metrics};

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

/// The workload's 60 jobs on four nodes of two devices, with some policies off.
fn replay(text: &str, off: &[&str]) -> Metrics {
    let workload = Workload::of_devices(text, 8, 4).unwrap();
    assert_eq!(workload.works.len(), 60);
    let mut setup = Setup::default();
    setup.cycle.off = off.iter().map(|name| Name::from(*name)).collect();
    let mut live = Live::new(setup, workload.nodes.clone()).unwrap();
    let ran = live.run(&workload.works, |_, _| {}).unwrap();
    Metrics::of(&workload.trace, &workload.schedule(&ran), 8)
}

#[test]
fn the_slurm_workload_goes_as_well_as_easy_without_any_latency() {
    let Some(text) = data("engines/slurm/workload.csv") else { return };
    let easy = replay(&text, &[]);
    let makespan = metrics::seconds(easy.last_end.since(easy.first_submit));
    assert!(makespan <= 75.5 * 1.02, "{easy:?}");
    assert!(easy.wait_s.mean <= 13.4 * 1.02, "{easy:?}");
    assert!(easy.utilisation >= 0.933 * 0.98, "{easy:?}");
    // Both policies play a part: large jobs wait longer without the one, all without the other.
    let passing = replay(&text, &["reservation"]);
    assert!(passing.wait_s.max > easy.wait_s.max, "{passing:?} {easy:?}");
    let strict = replay(&text, &["backfill"]);
    assert!(strict.wait_s.mean > easy.wait_s.mean * 1.2, "{strict:?} {easy:?}");
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
