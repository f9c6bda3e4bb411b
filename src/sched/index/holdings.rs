//! What the tasks of a job hold and ask for, and where.

use crate::base::Name;
use crate::model::Resources;
use crate::model::job::{Job, Placement, TaskState};
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
        Some(Holding { placement, held: holding(job, task.group), stops })
    })
}

/// What one active task of a group holds: frozen it keeps memory and devices only.
pub(in crate::sched) fn holding(job: &Job, group: u32) -> Resources {
    let request = job.spec.request_of(group);
    match job.frozen {
        false => request.clone(),
        true => Resources { cpu_milli: 0, custom: Default::default(), ..request.clone() },
    }
}

/// What each active task of a job asks for, and on which node it has it.
pub(super) fn asked_on(job: &Job) -> impl Iterator<Item = (Name, Amounts)> + '_ {
    job.active_tasks().filter_map(|task| {
        let node = task.placement.as_ref()?.node.clone();
        Some((node, Amounts::from(job.spec.request_of(task.group))))
    })
}
