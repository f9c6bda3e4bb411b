//! Whether a scenario makes sense at all: what it names exists, and every word is a known one.
//! A case that does not is no proof of anything, so it fails before it is played.

use std::collections::{BTreeMap, BTreeSet};

use super::case::{Case, JobCase, TaskExpect};
use crate::model::setup::SWITCHES;

/// States a task may begin in.
const STATES: &[&str] = &[
    "pending",
    "gated",
    "pipelined",
    "allocated",
    "binding",
    "bound",
    "running",
    "releasing",
    "stuck_releasing",
    "succeeded",
    "failed",
];
/// Statuses that may be expected.
const STATUSES: &[&str] = &[
    "pending",
    "gated",
    "pipelined",
    "binding",
    "running",
    "releasing",
    "stuck_releasing",
    "succeeded",
    "failed",
];
/// More devices than any node has.
const MOST_GPUS: u32 = 4096;
/// More of a resource, in its small unit, than anything has.
const MOST: u64 = 1_000_000_000_000_000;
/// Tasks of a job.
const MOST_TASKS: usize = 1000;
/// Rounds a case may take.
const MOST_ROUNDS: u32 = 1000;
/// Minutes: more than a year.
const OLDEST: u64 = 1_000_000;

/// Says what is wrong with a case.
///
/// # Errors
/// The field, what is wrong with it, and what would be right.
pub fn check(case: &Case) -> Result<(), String> {
    distinct("nodes", case.nodes.iter().map(|node| &*node.name))?;
    distinct("queues", case.queues.iter().map(|queue| &*queue.name))?;
    distinct("jobs", case.jobs.iter().map(|job| &*job.name))?;
    let queue = |queue: &super::case::QueueCase| (queue.name.clone(), queue.parent.clone());
    no_circle("queues", &case.queues.iter().map(queue).collect())?;
    for (at, node) in case.nodes.iter().enumerate() {
        let at = format!("nodes[{at}]");
        amounts(&at, [node.cpu_milli, node.mem_bytes], [f64::from(node.gpus)])?;
    }
    for word in [&case.config.placement_gpu, &case.config.placement_cpu].into_iter().flatten() {
        let known = ["binpack", "spread", "least_fragmentation"];
        one_of("config.placement_…", word, &known)?;
    }
    if let Some(word) = &case.config.reclaim_resolve_method {
        one_of("config.reclaim_resolve_method", word, &["lca", "queue"])?;
    }
    case.config.off.iter().try_for_each(|name| one_of("config.off", name, SWITCHES))?;
    for (field, rounds) in [
        ("rounds_until_match", case.rounds_until_match),
        ("rounds_after_match", case.rounds_after_match),
    ] {
        if rounds > MOST_ROUNDS {
            return Err(format!("`{field}` is {rounds}; it may be {MOST_ROUNDS} at most"));
        }
    }
    for (at, job) in case.jobs.iter().enumerate() {
        of_job(case, &format!("jobs[{at}]"), job)?;
    }
    expectations(case)
}

fn of_job(case: &Case, at: &str, job: &JobCase) -> Result<(), String> {
    let queues: Vec<&str> = case.queues.iter().map(|queue| &*queue.name).collect();
    one_of(&format!("{at}.queue"), &job.queue, &queues)?;
    let spans = [job.started_ago_s, job.stale_for_s, job.preemption_delay_s];
    let minutes = spans.into_iter().flatten().map(|seconds| seconds / 60);
    if minutes.chain([job.created_ago_min]).any(|minutes| minutes > OLDEST) {
        return Err(format!("`{at}` is older than {OLDEST} minutes; shorten its times"));
    }
    let gpus = job.tasks.iter().filter_map(|task| task.gpus).chain([job.gpus_per_task]);
    amounts(at, [job.cpu_milli_per_task, job.mem_bytes_per_task], gpus)?;
    if job.tasks.len() > MOST_TASKS {
        return Err(format!("`{at}.tasks` has more than {MOST_TASKS} tasks; leave some out"));
    }
    let groups: Vec<&str> = job.subgroups.iter().map(|group| &*group.name).collect();
    let sets = job.subgroup_sets.iter().map(|set| (set.name.clone(), set.parent.clone()));
    let sets: BTreeMap<String, Option<String>> = sets.collect();
    let named = job.subgroup_sets.iter().map(|set| &*set.name);
    distinct(&format!("{at}.subgroups and sets"), groups.iter().copied().chain(named))?;
    no_circle(&format!("{at}.subgroup_sets"), &sets)?;
    let known: Vec<&str> = sets.keys().map(|name| &**name).collect();
    let parents = job.subgroups.iter().filter_map(|group| group.parent.as_deref());
    for parent in parents.chain(sets.values().filter_map(|parent| parent.as_deref())) {
        one_of(&format!("{at}.subgroup….parent"), parent, &known)?;
    }
    let nodes: Vec<&str> = case.nodes.iter().map(|node| &*node.name).collect();
    for (number, task) in job.tasks.iter().enumerate() {
        let at = format!("{at}.tasks[{number}]");
        one_of(&format!("{at}.state"), &task.state, STATES)?;
        if let Some(group) = task.subgroup.as_ref().filter(|_| !groups.is_empty()) {
            one_of(&format!("{at}.subgroup"), group, &groups)?;
        }
        // A node of a task that waits is meaningless.
        let has_begun = !["pending", "gated", "pipelined"].contains(&&*task.state);
        let is_over = ["succeeded", "failed"].contains(&&*task.state);
        match &task.node {
            Some(node) if has_begun => one_of(&format!("{at}.node"), node, &nodes)?,
            None if has_begun && !is_over => {
                return Err(format!("`{at}` is {}: give it a `node`", task.state));
            }
            _ => {}
        }
    }
    Ok(())
}

/// Expectations speak of what there is, in words that are known.
fn expectations(case: &Case) -> Result<(), String> {
    let jobs: Vec<&str> = case.jobs.iter().map(|job| &*job.name).collect();
    let of = |job: &JobCase| {
        let name = job.name.clone();
        (0..job.tasks.len()).map(move |task| format!("{name}/{task}"))
    };
    let tasks: Vec<String> = case.jobs.iter().flat_map(of).collect();
    let tasks: Vec<&str> = tasks.iter().map(|task| &**task).collect();
    let nodes: Vec<&str> = case.nodes.iter().map(|node| &*node.name).collect();
    let status = |at: &str, name: &str, expect: &TaskExpect| {
        one_of(&format!("expect.{at}.{name}.status"), &expect.status, STATUSES)
    };
    for (name, expect) in &case.expect.jobs {
        one_of("expect.jobs", name, &jobs)?;
        status("jobs", name, expect)?;
    }
    for (name, expect) in &case.expect.tasks {
        one_of("expect.tasks", name, &tasks)?;
        status("tasks", name, expect)?;
    }
    case.expect.nodes.keys().try_for_each(|name| one_of("expect.nodes", name, &nodes))
}

/// What a node has or a task asks for: cores and memory in small units, devices.
fn amounts(at: &str, small: [u64; 2], gpus: impl IntoIterator<Item = f64>) -> Result<(), String> {
    if small.into_iter().any(|amount| amount > MOST) {
        return Err(format!("`{at}` has or asks for more than {MOST} of a resource; lower it"));
    }
    match gpus.into_iter().find(|gpus| !(0.0..=f64::from(MOST_GPUS)).contains(gpus)) {
        Some(gpus) => Err(format!("`{at}`: {gpus} GPUs; it must be 0 to {MOST_GPUS}")),
        None => Ok(()),
    }
}

fn distinct<'a>(field: &str, names: impl Iterator<Item = &'a str>) -> Result<(), String> {
    let mut seen = BTreeSet::new();
    for name in names {
        if !seen.insert(name) {
            return Err(format!("`{field}` has `{name}` twice; rename one"));
        }
    }
    Ok(())
}

fn one_of(field: &str, word: &str, known: &[&str]) -> Result<(), String> {
    if known.contains(&word) {
        return Ok(());
    }
    let shown: Vec<&str> = known.iter().copied().take(SWITCHES.len()).collect();
    let more = if known.len() > shown.len() { " …" } else { "" };
    Err(format!("`{field}` is `{word}`; it must be one of {}{more}", shown.join(", ")))
}

/// Names with their parents; a parent that does not exist ends a line.
fn no_circle(field: &str, parents: &BTreeMap<String, Option<String>>) -> Result<(), String> {
    for name in parents.keys() {
        let mut above = parents.get(name).and_then(Option::as_ref);
        for _ in 0..=parents.len() {
            above = above.and_then(|name| parents.get(name)).and_then(Option::as_ref);
        }
        if above.is_some() {
            return Err(format!("`{field}`: `{name}` stands in a circle; break it"));
        }
    }
    Ok(())
}
