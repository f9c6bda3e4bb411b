//! What must be done outside, derived from facts, and derived again from a world after a crash.

use crate::base::{JobId, TaskId};
use crate::model::job::{Job, StopFor, TaskState};
use crate::model::{Effect, Fact};
use crate::sched::world::World;

/// What a decision's facts ask of the outside, in order. `world` is the one after them.
pub fn of_facts(facts: &[Fact], world: &World) -> Vec<Effect> {
    facts.iter().flat_map(|fact| of_fact(fact, world)).collect()
}

fn of_fact(fact: &Fact, world: &World) -> Vec<Effect> {
    let each_active = |job: &JobId, effect: fn(TaskId, &Job) -> Effect| match world.job(*job) {
        Some(job) => active(job).map(|task| effect(task, job)).collect(),
        None => Vec::new(),
    };
    match fact {
        Fact::TaskPlaced { task, .. } => vec![Effect::Start { task: *task }],
        Fact::JobFrozen { job, .. } => each_active(job, |task, _| Effect::Freeze { task }),
        Fact::JobThawed { job, .. } => {
            let mut effects = each_active(job, |task, _| Effect::Thaw { task });
            effects.extend(limits(world, *job));
            effects
        }
        Fact::JobStopping { job, why, .. } => match world.job(*job) {
            Some(job) => active(job).map(|task| stop(task, job, *why)).collect(),
            None => Vec::new(),
        },
        Fact::JobChanged { job, .. } => limits(world, *job),
        Fact::TaskEnded { task, .. } => vec![Effect::Forget { task: *task }],
        Fact::JobForgotten { job } => vec![Effect::Archive { job: *job }],
        _ => Vec::new(),
    }
}

/// Everything a world still wants of the outside: what a server does at its start, after it
/// learned which tasks already run. Doing an effect that was done before changes nothing.
pub fn of_world(world: &World) -> Vec<Effect> {
    let mut effects = Vec::new();
    for job in world.jobs().filter(|job| job.is_live()) {
        for task in job.active_tasks() {
            let id = TaskId { job: job.id, attempt: job.attempt, rank: task.rank };
            match (task.state, job.stop) {
                (TaskState::Starting, _) => effects.push(Effect::Start { task: id }),
                (_, Some(why)) => effects.push(stop(id, job, why)),
                _ => {}
            }
            if job.frozen && job.stop.is_none() {
                effects.push(Effect::Freeze { task: id });
            }
        }
    }
    effects
}

fn stop(task: TaskId, job: &Job, why: StopFor) -> Effect {
    Effect::Stop { task, why, grace: job.spec.grace }
}

fn limits(world: &World, job: JobId) -> Vec<Effect> {
    let Some(job) = world.job(job) else { return Vec::new() };
    let used = job.run_time(world.active(world.at().now));
    let left = job.spec.time_limit.map(|limit| limit - used);
    active(job).map(|task| Effect::Limit { task, left }).collect()
}

fn active(job: &Job) -> impl Iterator<Item = TaskId> + '_ {
    let id = |rank| TaskId { job: job.id, attempt: job.attempt, rank };
    job.active_tasks().map(move |task| id(task.rank))
}
