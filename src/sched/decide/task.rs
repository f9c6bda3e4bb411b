//! What the runner saw of a task. News about a task that is over, or of an attempt that is
//! over, changes nothing: the runner may say things twice.

use crate::base::{At, TaskId};
use crate::model::Fact;
use crate::model::command::TaskEvent;
use crate::model::fact::Class;
use crate::model::job::{Exit, Job, State, StopFor, Task};
use crate::sched::decide::life;
use crate::sched::gangs;
use crate::sched::plan::Plan;
use crate::sched::review::park;

/// Takes one event.
pub(super) fn decide(plan: &mut Plan, id: TaskId, event: &TaskEvent) {
    let Some(job) = plan.job(id.job).filter(|job| job.attempt == id.attempt) else { return };
    let task = rank(id).and_then(|rank| job.tasks.get(rank));
    let Some(task) = task.filter(|task| task.state.is_active()) else { return };
    match event {
        TaskEvent::Started { pid } => {
            if task.started.is_none() {
                let waits = job.asking.holds().is_some();
                let class = if waits { Class::Parked } else { Class::Productive };
                plan.note(Fact::TaskStarted { task: id, pid: *pid, class });
                run_if_enough(plan, id);
            }
        }
        TaskEvent::Ended { exit } => ended(plan, &job, id, exit, None),
        TaskEvent::EndedUnseen { exit, at, by_limit } => {
            if *by_limit && job.stop.is_none() {
                life::stop(plan, id.job, StopFor::Timeout, "holdshort", None);
            }
            let Some(job) = plan.job(id.job) else { return };
            ended(plan, &job, id, exit, Some(*at));
        }
        TaskEvent::GpuTaken { index, by } => {
            let node = task.placement.as_ref().map(|placement| placement.node.clone());
            if let Some(node) = node {
                plan.note(Fact::GpuForeign { node, index: *index, by: Some(by.clone()) });
            }
            not_started(plan, &job, id, format!("GPU {index} is used by {by}"));
        }
        TaskEvent::Froze { in_devices } => {
            // Said late, it may be about a freeze that is over.
            let stands = job.frozen && job.stop.is_none();
            let has = task.placement.as_ref().is_some_and(|place| !place.gpus.is_empty());
            if stands && has && !in_devices {
                plan.note(Fact::DevicesLent { task: id });
            }
        }
        TaskEvent::AtPrompt { text } => {
            let news = job.prompt.as_ref().is_none_or(|p| p.text != *text || p.rank != id.rank);
            if job.stop.is_none() && !job.frozen && news {
                plan.note(Fact::AtPrompt { task: id, text: text.clone() });
            }
        }
        TaskEvent::PromptOver => {
            if job.prompt.as_ref().is_some_and(|prompt| prompt.rank == id.rank) {
                plan.note(Fact::PromptOver { job: id.job, by: None });
            }
        }
    }
}

fn rank(id: TaskId) -> Option<usize> {
    usize::try_from(id.rank).ok()
}

/// A task whose device is taken looks for another. A gang that has its minimum without it goes
/// on; any other gives its room back and waits for all of it.
fn not_started(plan: &mut Plan, job: &Job, id: TaskId, why: String) {
    let mut others = job.active_tasks().filter(|task| task.rank != id.rank);
    let given_up = rank(id).and_then(|rank| job.tasks.get(rank)).is_some_and(|t| t.given_up);
    let counts = |task: &Task| {
        task.rank != id.rank && !task.given_up && (task.state.is_active() || task.is_over())
    };
    if given_up {
        plan.note(Fact::TaskEnded { task: id, exit: Exit::NotStarted(why), ended: None });
        return life::finish_attempt(plan, id.job);
    }
    if job.stop.is_none() && others.next().is_some() && gangs::has_its_minimum(job, counts) {
        plan.note(Fact::TaskUnplaced { task: id });
        return;
    }
    plan.note(Fact::TaskEnded { task: id, exit: Exit::NotStarted(why), ended: None });
    match job.stop {
        Some(_) => life::finish_attempt(plan, id.job),
        None => life::stop(plan, id.job, StopFor::Gang, "holdshort", None),
    }
}

/// The job runs once the minimum of its gang does.
fn run_if_enough(plan: &mut Plan, id: TaskId) {
    let Some(job) = plan.job(id.job) else { return };
    let runs = |task: &Task| task.started.is_some() && !task.given_up;
    if job.state == State::Starting && gangs::has_its_minimum(&job, runs) {
        plan.note(Fact::JobRunning { job: job.id });
    }
}

fn ended(plan: &mut Plan, job: &Job, id: TaskId, exit: &Exit, at: Option<At>) {
    plan.note(Fact::TaskEnded { task: id, exit: exit.clone(), ended: at });
    let others = job.active_tasks().any(|task| task.rank != id.rank);
    let given_up = rank(id).and_then(|rank| job.tasks.get(rank)).is_some_and(|t| t.given_up);
    // One bad end ends a gang: the rest could only wait for a peer that is gone.
    if others && !given_up && job.stop.is_none() && !exit.is_success() {
        let why = match exit {
            Exit::Unknown => StopFor::Gang,
            exit if park::is_lawful(plan.world(), job, exit) => StopFor::Park,
            _ => StopFor::Failure,
        };
        life::stop(plan, job.id, why, "holdshort", None);
        return;
    }
    life::finish_attempt(plan, job.id);
}
