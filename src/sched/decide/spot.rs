//! A spot node is about to vanish: nothing new goes there, and what runs there and can come back
//! saves itself and queues again. What can't goes on as long as the node does.

use std::sync::Arc;

use crate::base::{At, JobId, Name, Span, TaskId};
use crate::model::command::WARNING_MAX;
use crate::model::fact::{Class, Eviction, Rule};
use crate::model::job::{Job, StopFor, Task};
use crate::model::reason::{Numbers, Value};
use crate::model::refusal::{Refusal, RefusalCode};
use crate::model::{Actor, Fact};
use crate::sched::decide::{life, rights};
use crate::sched::gangs;
use crate::sched::plan::Plan;

/// Takes a warning. One that says no more than is known changes nothing.
pub(super) fn warn(plan: &mut Plan, node: &Name, left: Span, by: &Actor) -> Result<(), Refusal> {
    rights::operate(plan, by, None)?;
    let Some(known) = plan.world().node(node).cloned() else {
        let what = format!("there is no node {node}");
        return Err(Refusal::new(RefusalCode::NotFound, what, "`holdshort nodes` lists them"));
    };
    if !known.traits.spot {
        let hint = "`drain` keeps work from any node; `spot = true` in [[node]] makes it one";
        return Err(Refusal::new(RefusalCode::Conflict, format!("{node} is no spot node"), hint));
    }
    if left == Span::ZERO || left > WARNING_MAX {
        let what = "a node's end is announced up to a day ahead, and not for the past";
        return Err(Refusal::new(RefusalCode::Usage, what, "say --in 120s"));
    }
    let at = plan.at();
    let due = At { now: at.now + left, wall: at.wall + left };
    // A warning that is over is of an earlier life of the node.
    let sooner = known.warning.as_ref().is_some_and(|w| w.due.now > at.now && w.due.now <= due.now);
    if sooner {
        return Ok(());
    }
    let by = by.user.clone();
    if known.drain.is_none() {
        plan.note(Fact::NodeDrained { node: node.clone(), on: true, by: by.clone(), reason: None });
    }
    plan.note(Fact::NodeWarned { node: node.clone(), due, by: by.clone() });
    for id in there(plan, node) {
        leave(plan, id, node, due, &by);
    }
    Ok(())
}

/// Jobs with a process on the node that are not being stopped.
fn there(plan: &Plan, node: &Name) -> Vec<JobId> {
    let jobs = plan.world().jobs().filter(|job| job.stop.is_none() && job.has_way_back());
    let jobs = jobs.filter(|job| !ranks(job, node).is_empty());
    jobs.map(|job| job.id).collect()
}

/// The ranks of a job on a node.
fn ranks(job: &Arc<Job>, node: &Name) -> Vec<u32> {
    let on =
        |task: &&Task| task.placement.as_ref().is_some_and(|placement| placement.node == *node);
    job.active_tasks().filter(on).map(|task| task.rank).collect()
}

fn leave(plan: &mut Plan, id: JobId, node: &Name, due: At, by: &Name) {
    let numbers: Numbers =
        [("node".into(), Value::from(&**node)), ("due_at".into(), Value::from(due.wall.0))].into();
    let whole = Eviction { by: Some(by.clone()), ..Eviction::whole(Rule::Spot, None, numbers) };
    let Some(job) = plan.job(id) else { return };
    let leaving = ranks(&job, node);
    // A gang that keeps its minimum elsewhere goes on without its tasks here.
    let stays =
        |task: &Task| task.state.is_active() && !task.given_up && !leaving.contains(&task.rank);
    if !gangs::has_its_minimum(&job, stays) {
        plan.note(Fact::JobEvicted { job: id, eviction: Box::new(whole) });
        return life::stop(plan, id, StopFor::Spot, by, None);
    }
    let given_up = |rank: &u32| job.tasks.iter().any(|task| task.rank == *rank && task.given_up);
    let ranks: Vec<u32> = leaving.iter().copied().filter(|rank| !given_up(rank)).collect();
    if ranks.is_empty() {
        return;
    }
    let eviction = Eviction { ranks: ranks.clone(), ..whole };
    plan.note(Fact::JobEvicted { job: id, eviction: Box::new(eviction) });
    for rank in ranks {
        let task = TaskId { job: id, attempt: job.attempt, rank };
        plan.note(Fact::TaskStopping { task, class: Class::StartStop });
    }
}
