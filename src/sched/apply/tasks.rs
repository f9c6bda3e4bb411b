//! Facts about one task of a job.

use crate::base::{At, Mono, TaskId};
use crate::model::fact::Fact;
use crate::model::job::{Exit, Job, State, Task, TaskState};
use crate::sched::apply::jobs::new_tasks;

/// Changes a task of the job's current attempt; a fact of another attempt changes nothing.
pub(super) fn change(job: &mut Job, fact: &Fact, at: At, active: Mono) {
    match fact {
        Fact::TaskPlaced { task, placement, .. } => {
            if let Some(task) = find(job, *task) {
                task.state = TaskState::Starting;
                task.placement = Some(placement.clone());
                task.placed = Some(at);
            }
        }
        Fact::TaskNominated { task, placement } => {
            if job.tasks.is_empty() && task.attempt == job.attempt_of_promises() {
                job.tasks = new_tasks(&job.spec);
            }
            if let Some(task) = promised(job, *task) {
                task.state = TaskState::Nominated;
                task.placement = Some(placement.clone());
            }
        }
        Fact::TaskStopping { task, .. } => {
            if let Some(task) = find(job, *task) {
                task.state = TaskState::Stopping;
                task.given_up = true;
            }
        }
        Fact::DevicesLent { task } => {
            if let Some(task) = find(job, *task)
                && let Some(placement) = &mut task.placement
            {
                task.lent = std::mem::take(&mut placement.gpus);
            }
        }
        Fact::TaskUnplaced { task } => {
            if let Some(task) = find(job, *task) {
                *task = Task::pending(task.rank, task.group);
            }
        }
        Fact::NominationOver { task } => {
            if let Some(task) = promised(job, *task) {
                *task = Task::pending(task.rank, task.group);
            }
            // Before an attempt there are only the tasks that are promised something.
            let begun = job.tasks.iter().any(|task| task.state != TaskState::Pending);
            if job.state == State::Queued && !begun {
                job.tasks.clear();
            }
        }
        Fact::TaskStarted { task: id, pid, .. } => {
            let stopping = job.stop.is_some();
            let holds = job.asking.holds().is_some();
            if let Some(task) = find(job, *id) {
                task.pid = Some(*pid);
                task.started = Some(at);
                if !stopping && task.state != TaskState::Stopping {
                    task.state = TaskState::Running;
                }
                if !stopping && !job.frozen && job.ran_since.is_none() && !holds {
                    job.ran_since = Some(active);
                }
            }
        }
        Fact::TaskEnded { task, exit, ended } => end(job, *task, exit, ended.unwrap_or(at)),
        _ => {}
    }
}

/// Its process is over. One that gave its room to others is followed by another rank, which
/// takes its part when there is room again.
fn end(job: &mut Job, id: TaskId, exit: &Exit, ended: At) {
    let stops = job.stop.is_some();
    let mut follows = None;
    if let Some(task) = find(job, id) {
        task.state = TaskState::Ended;
        task.ended = Some(task.started.map_or(ended, |started| ended.max(started)));
        task.exit = Some(exit.clone());
        follows = (task.given_up && !stops).then_some(task.group);
    }
    // A service that was scaled down wants no other in its place.
    let follows = follows.filter(|group| {
        let counted = job.tasks.iter().filter(|task| task.group == *group && !task.given_up);
        wanted(job, *group).is_none_or(|wanted| counted.count() < wanted)
    });
    if let Some(group) = follows {
        let rank = u32::try_from(job.tasks.len()).unwrap_or(u32::MAX);
        job.tasks.push(Task::pending(rank, group));
    }
    if job.prompt.as_ref().is_some_and(|prompt| prompt.rank == id.rank) {
        job.prompt = None;
    }
}

/// How many tasks of a group the job wants.
fn wanted(job: &Job, group: u32) -> Option<usize> {
    let kind = job.spec.kinds().nth(usize::try_from(group).ok()?)?;
    usize::try_from(kind.gang.size).ok()
}

/// As many tasks as the job wants now: more wait for room, and of those without room the last go.
pub(super) fn resize(job: &mut Job) {
    if job.tasks.is_empty() || job.spec.groups.is_some() {
        return;
    }
    let Some(wanted) = wanted(job, 0) else { return };
    let counted = job.tasks.iter().filter(|task| !task.given_up).count();
    for _ in wanted..counted {
        let idle = matches!(job.tasks.last(), Some(task) if task.state == TaskState::Pending
            || task.state == TaskState::Nominated);
        if !idle {
            break;
        }
        job.tasks.pop();
    }
    for _ in counted..wanted {
        let rank = u32::try_from(job.tasks.len()).unwrap_or(u32::MAX);
        job.tasks.push(Task::pending(rank, 0));
    }
}

/// A task that is promised something, perhaps of an attempt that has not begun.
fn promised(job: &mut Job, id: TaskId) -> Option<&mut Task> {
    let rank = usize::try_from(id.rank).ok()?;
    (job.attempt_of_promises() == id.attempt).then_some(job.tasks.get_mut(rank)).flatten()
}

fn find(job: &mut Job, id: TaskId) -> Option<&mut Task> {
    let rank = usize::try_from(id.rank).ok()?;
    (job.attempt == id.attempt).then_some(job.tasks.get_mut(rank)).flatten()
}
