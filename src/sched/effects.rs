//! What must be done outside, derived from facts, and derived again from a world after a crash.

use crate::base::{JobId, TaskId};
use crate::model::job::{Job, StopFor, TaskState};
use crate::model::{Effect, Fact};
use crate::sched::world::World;

/// What a decision's facts ask of the outside, in order. `world` is the one after them.
pub fn of_facts(facts: &[Fact], world: &World) -> Vec<Effect> {
    facts.iter().flat_map(|fact| of_fact(fact, world)).collect()
}

/// What the last fact of a decision left behind counts: the same decision may have ended the
/// attempt a fact speaks of and begun the next one, which is neither stopped nor frozen.
fn of_fact(fact: &Fact, world: &World) -> Vec<Effect> {
    let wanted = |job: &JobId, about: fn(&Effect) -> bool| match world.job(*job) {
        Some(job) => of_job(world, job).into_iter().filter(about).collect(),
        None => Vec::new(),
    };
    match fact {
        Fact::TaskPlaced { task, .. } => vec![Effect::Start { task: *task }],
        Fact::JobStopping { job, .. } => wanted(job, |e| matches!(e, Effect::Stop { .. })),
        Fact::TaskStopping { task, .. } => {
            let stops =
                |effect: &Effect| matches!(effect, Effect::Stop { task: t, .. } if t == task);
            let of_job = world.job(task.job).map(|job| of_job(world, job));
            of_job.into_iter().flatten().filter(stops).collect()
        }
        Fact::JobFrozen { job, .. } => wanted(job, |e| matches!(e, Effect::Freeze { .. })),
        Fact::JobThawed { job, .. } => {
            wanted(job, |e| matches!(e, Effect::Thaw { .. } | Effect::Limit { .. }))
        }
        Fact::JobChanged { job, .. } => wanted(job, |e| matches!(e, Effect::Limit { .. })),
        Fact::TaskEnded { task, .. } | Fact::TaskUnplaced { task } => {
            vec![Effect::Forget { task: *task }]
        }
        Fact::JobForgotten { job } => vec![Effect::Archive { job: *job }],
        _ => Vec::new(),
    }
}

/// Everything a world still wants of the outside: what a server does at its start, after it
/// learned which tasks already run. Doing an effect that was done before changes nothing.
///
/// Tasks the runner knows and the world does not, or no longer, are to be forgotten; only
/// whoever compares both can say which.
pub fn of_world(world: &World) -> Vec<Effect> {
    let live = world.jobs().filter(|job| job.is_live());
    live.flat_map(|job| of_job(world, job)).collect()
}

/// What each task of a job is to be like: started, and then stopped, frozen or going on with
/// what is left of its limit.
fn of_job(world: &World, job: &Job) -> Vec<Effect> {
    let used = job.run_time(world.active(world.at().now));
    let left = job.spec.time_limit.map(|limit| limit - used);
    let mut effects = Vec::new();
    for task in job.active_tasks() {
        let id = TaskId { job: job.id, attempt: job.attempt, rank: task.rank };
        if task.state == TaskState::Starting {
            effects.push(Effect::Start { task: id });
        }
        let given_up = task.given_up.then_some(StopFor::Preempt);
        if let Some(why) = job.stop.or(given_up) {
            effects.push(Effect::Stop { task: id, why, grace: job.spec.grace });
            continue;
        }
        effects.push(match job.frozen {
            true => Effect::Freeze { task: id },
            false => Effect::Thaw { task: id },
        });
        effects.push(Effect::Limit { task: id, left });
    }
    effects
}
