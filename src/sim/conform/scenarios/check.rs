//! Compares a stage with what a case expects.

use crate::model::job::TaskState;

use super::case::{Case, TaskExpect};
use super::round::Work;
use super::stage::Stage;

/// Whether a round kept within its limits.
pub fn limits(case: &Case, done: &Work) -> Result<(), String> {
    let limits = &case.limits_per_round;
    for (what, most, did) in [
        ("binds", limits.binds, done.binds),
        ("evictions", limits.evictions, done.evictions),
        ("nominations", limits.pipelines, done.pipelines),
    ] {
        if let Some(most) = most.filter(|most| did > *most) {
            return Err(format!("{did} {what}, at most {most}"));
        }
    }
    Ok(())
}

/// Whether everything stands as expected.
pub fn expectations(case: &Case, stage: &Stage) -> Result<(), String> {
    let mut wrong = Vec::new();
    for (at, job) in case.jobs.iter().enumerate() {
        for task in 0..job.tasks.len() {
            let name = format!("{}/{task}", job.name);
            let single = case.expect.tasks.get(&name);
            for expected in single.into_iter().chain(case.expect.jobs.get(&job.name)) {
                wrong.extend(
                    differs(stage, at, task, expected).map(|what| format!("{name} {what}")),
                );
            }
        }
    }
    for (name, expected) in &case.expect.nodes {
        let (releasing, idle) = stage.devices(name);
        for (what, expected, is) in
            [("releasing", expected.releasing_gpus, releasing), ("idle", expected.idle_gpus, idle)]
        {
            if let Some(expected) = expected.filter(|expected| (expected - is).abs() > 1e-9) {
                wrong.push(format!("{name} has {is} GPUs {what}, expected {expected}"));
            }
        }
    }
    if wrong.is_empty() { Ok(()) } else { Err(wrong.join("; ")) }
}

fn differs(stage: &Stage, job: usize, task: usize, expected: &TaskExpect) -> Option<String> {
    let (status, node, devices) = stage.standing(job, task);
    if status != expected.status {
        return Some(format!("is {status}, expected {}", expected.status));
    }
    let has_place = !matches!(status, "pending" | "succeeded" | "failed");
    if let Some(expected) = expected.node.as_ref().filter(|_| has_place)
        && stage.world.node(expected).is_some()
        && node.as_deref() != Some(expected)
    {
        return Some(format!("is {status} on {}, expected {expected}", node.unwrap_or_default()));
    }
    let expected = expected.device.as_ref().filter(|_| has_place && !devices.is_empty())?;
    let same = expected.iter().all(|device| devices.contains(device));
    (!same).then(|| format!("has devices {devices:?}, expected {expected:?}"))
}

/// The word of a case for a task's state.
pub fn word(state: TaskState) -> &'static str {
    match state {
        TaskState::Pending => "pending",
        TaskState::Nominated => "pipelined",
        TaskState::Starting => "binding",
        TaskState::Running => "running",
        TaskState::Stopping => "releasing",
        TaskState::Ended => "ended",
    }
}
