//! Facts about one task of a job.

use crate::base::{At, Mono, TaskId};
use crate::model::fact::Fact;
use crate::model::job::{Job, Task, TaskState};

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
            if let Some(task) = find(job, *task) {
                task.state = TaskState::Nominated;
                task.placement = Some(placement.clone());
            }
        }
        Fact::TaskStopping { task, .. } => {
            if let Some(task) = find(job, *task) {
                task.state = TaskState::Stopping;
            }
        }
        Fact::TaskUnplaced { task } | Fact::NominationOver { task } => {
            if let Some(task) = find(job, *task) {
                *task = Task::pending(task.rank);
            }
        }
        Fact::TaskStarted { task: id, pid, .. } => {
            let stopping = job.stop.is_some();
            if let Some(task) = find(job, *id) {
                task.pid = Some(*pid);
                task.started = Some(at);
                if !stopping && task.state != TaskState::Stopping {
                    task.state = TaskState::Running;
                }
                if !stopping && !job.frozen && job.ran_since.is_none() {
                    job.ran_since = Some(active);
                }
            }
        }
        Fact::TaskEnded { task: id, exit, ended } => {
            if let Some(task) = find(job, *id) {
                task.state = TaskState::Ended;
                let ended = ended.unwrap_or(at);
                task.ended = Some(task.started.map_or(ended, |started| ended.max(started)));
                task.exit = Some(exit.clone());
            }
            if job.prompt.as_ref().is_some_and(|prompt| prompt.rank == id.rank) {
                job.prompt = None;
            }
        }
        _ => {}
    }
}

fn find(job: &mut Job, id: TaskId) -> Option<&mut Task> {
    let rank = usize::try_from(id.rank).ok()?;
    (job.attempt == id.attempt).then_some(job.tasks.get_mut(rank)).flatten()
}
