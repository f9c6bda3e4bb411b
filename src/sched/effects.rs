//! What must be done outside, derived from facts, and derived again from a world after a crash.

use crate::base::{JobId, Name, Span, TaskId};
use crate::model::fact::ReviewFact;
use crate::model::job::{Job, StopFor, Task, TaskState};
use crate::model::node::Warning;
use crate::model::pool::Stage;
use crate::model::{Effect, Fact};
use crate::sched::policy::spot;
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
        Fact::PoolGrew { pool, node } => by_command(world, pool, node),
        Fact::PoolShrank { pool, node } => by_command(world, pool, node),
        Fact::NodeWarned { node, .. } => hurried(world, node),
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
        // While it holds what it has and waits for people its time limit stands still.
        Fact::Review { job, fact, .. }
            if matches!(**fact, ReviewFact::Requested(_) | ReviewFact::Decided { .. }) =>
        {
            wanted(job, |e| matches!(e, Effect::Limit { .. }))
        }
        Fact::JobChanged { job, .. } => wanted(job, |e| matches!(e, Effect::Limit { .. })),
        Fact::TaskEnded { task, .. } | Fact::TaskUnplaced { task } => {
            vec![Effect::Forget { task: *task }]
        }
        Fact::JobForgotten { job } => vec![Effect::Archive { job: *job }],
        _ => Vec::new(),
    }
}

/// What was being stopped on a node anyway has no longer than the node.
fn hurried(world: &World, node: &Name) -> Vec<Effect> {
    let there = |job: &Job| job.active_tasks().any(|task| stands_on(task, node));
    let jobs = world.jobs().filter(|job| there(job));
    let effects = jobs.flat_map(|job| of_job(world, job));
    effects.filter(|effect| matches!(effect, Effect::Stop { .. })).collect()
}

fn stands_on(task: &Task, node: &Name) -> bool {
    task.placement.as_ref().is_some_and(|placement| placement.node == *node)
}

/// The time a task gets between TERM and KILL. On a node that is about to vanish nothing lasts
/// longer than the node, and a stop for that very reason may take all the time there is.
fn grace(world: &World, job: &Job, task: &Task, why: StopFor) -> Span {
    let Some(warning) = warning(world, task) else { return job.spec.grace };
    let left = spot::within(warning.due.now.since(world.at().now));
    if why == StopFor::Spot { left } else { left.min(job.spec.grace) }
}

/// Why a task ends while the rest of its gang goes on.
fn given_up(world: &World, task: &Task) -> Option<StopFor> {
    let why = if warning(world, task).is_some() { StopFor::Spot } else { StopFor::Preempt };
    task.given_up.then_some(why)
}

/// The word that the task's node is about to vanish.
fn warning<'a>(world: &'a World, task: &Task) -> Option<&'a Warning> {
    world.node(&task.placement.as_ref()?.node)?.warning.as_ref()
}

/// Everything a world still wants of the outside: what a server does at its start, after it
/// learned which tasks already run. Doing an effect that was done before changes nothing.
///
/// Tasks the runner knows and the world does not, or no longer, are to be forgotten; only
/// whoever compares both can say which.
pub fn of_world(world: &World) -> Vec<Effect> {
    let live = world.jobs().filter(|job| job.is_live());
    let nodes =
        world.pools().flat_map(|(pool, state)| state.members.keys().map(move |n| (pool, n)));
    let pools = nodes.flat_map(|(pool, node)| by_command(world, pool, node));
    live.flat_map(|job| of_job(world, job)).chain(pools).collect()
}

/// A node of a pool that is being made, or taken away, by a command.
fn by_command(world: &World, pool: &Name, node: &Name) -> Vec<Effect> {
    let state = world.pools().find(|(name, _)| *name == pool).map(|(_, state)| state);
    let stage = state.and_then(|state| state.members.get(node)).map(|member| member.stage);
    let up = match stage {
        Some(Stage::Coming) => true,
        Some(Stage::Going) => false,
        Some(Stage::Here) | None => return Vec::new(),
    };
    vec![Effect::Pool { pool: pool.clone(), node: node.clone(), up }]
}

/// What each task of a job is to be like: started, and then stopped, frozen or going on with
/// what is left of its limit.
fn of_job(world: &World, job: &Job) -> Vec<Effect> {
    let used = job.run_time(world.active(world.at().now));
    let counts = job.asking.holds().is_none();
    let left = job.spec.time_limit.map(|limit| limit - used).filter(|_| counts);
    let mut effects = Vec::new();
    for task in job.active_tasks() {
        let id = TaskId { job: job.id, attempt: job.attempt, rank: task.rank };
        if task.state == TaskState::Starting {
            effects.push(Effect::Start { task: id });
        }
        if let Some(why) = job.stop.or(given_up(world, task)) {
            effects.push(Effect::Stop { task: id, why, grace: grace(world, job, task, why) });
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
