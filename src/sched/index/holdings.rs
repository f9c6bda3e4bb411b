//! What the tasks of a job hold and ask for, and where.

use crate::base::Name;
use crate::model::Resources;
use crate::model::job::{Job, Placement, Task, TaskState};
use crate::sched::policy::amounts::Amounts;

/// What one task holds, and where.
pub(in crate::sched) struct Holding<'a> {
    /// Where.
    pub placement: &'a Placement,
    /// What.
    pub held: Resources,
    /// It is being given back.
    pub stops: bool,
}

/// What each active task holds.
pub(in crate::sched) fn holdings(job: &Job) -> impl Iterator<Item = Holding<'_>> {
    job.active_tasks().filter_map(move |task| {
        let stops = task.state == TaskState::Stopping;
        let placement = task.placement.as_ref()?;
        Some(Holding { placement, held: holding(job, task), stops })
    })
}

/// What an active task holds: frozen it keeps memory and those devices only that it did not lend.
fn holding(job: &Job, task: &Task) -> Resources {
    let request = job.spec.request_of(task.group);
    let gpu_milli = if task.lent.is_empty() { request.gpu_milli } else { 0 };
    match job.frozen {
        false => Resources { gpu_milli, ..request.clone() },
        true => Resources {
            cpu_milli: 0,
            mem_bytes: request.mem_bytes,
            gpu_milli,
            custom: Default::default(),
        },
    }
}

/// What each active task of a job asks for, and on which node it has it.
pub(super) fn asked_on(job: &Job) -> impl Iterator<Item = (Name, Amounts)> + '_ {
    job.active_tasks().filter_map(|task| {
        let node = task.placement.as_ref()?.node.clone();
        Some((node, Amounts::from(job.spec.request_of(task.group))))
    })
}
