//! Services: they start again when they end or are not well, and want as many tasks as they say.

use crate::base::{JobId, TaskId};
use crate::model::fact::Class;
use crate::model::job::state::TIME;
use crate::model::job::{Cause, Exit, Job, JobSpec, State, StopFor};
use crate::model::refusal::{Refusal, RefusalCode};
use crate::model::{Actor, Fact};
use crate::sched::decide::life;
use crate::sched::plan::Plan;
use crate::sched::policy::service;

/// Whether the end of an attempt is only a pause. A command that cannot be started at all will not
/// be there in a moment either.
pub(super) fn restarts(job: &Job, exit: Option<&Exit>) -> bool {
    job.spec.service.is_some() && !matches!(exit, Some(Exit::NotStarted(_)))
}

/// Starts a service again after a pause, which grows while its runs are short.
pub(super) fn restart(plan: &mut Plan, job: &Job) {
    let ran = job.attempts.last().map(|run| run.ended.now.since(run.started.now));
    let short = service::short_runs(job.retries, ran.unwrap_or_default());
    let until = plan.at().wall + service::pause(short);
    plan.note(Fact::ServiceRestarts { job: job.id, short });
    match job.hold {
        Some(_) => plan.note(Fact::JobPaused { job: job.id }),
        None => plan.note(Fact::JobWaits { job: job.id, cause: Cause::Backoff(until) }),
    }
}

/// Its health check failed too often.
pub(super) fn unwell(plan: &mut Plan, id: JobId) {
    let Some(job) = plan.job(id) else { return };
    let runs = matches!(job.state, State::Starting | State::Running) && !job.frozen;
    if job.spec.service.is_some() && runs && job.stop.is_none() {
        life::stop(plan, id, StopFor::Unhealthy, TIME, None);
    }
}

/// Changes how many tasks a service wants: more start when there is room, of fewer the surplus
/// is told to end.
pub(super) fn scale(plan: &mut Plan, job: &Job, size: u32, by: &Actor) -> Result<(), Refusal> {
    let refuse = |what: String, hint: &str| Err(Refusal::new(RefusalCode::Conflict, what, hint));
    let Some(service) = &job.spec.service else {
        return refuse(format!("job {} is no service", job.id), "submit it with --service");
    };
    if job.spec.groups.is_some() {
        let what = format!("job {} has several kinds of tasks", job.id);
        return refuse(what, "submit one service for each kind to scale them");
    }
    let most = service.most.unwrap_or(job.spec.gang.size);
    let sizes = service::sizes(job.spec.gang.min, most);
    if !sizes.contains(&size) {
        let what = format!("job {} cannot have {size} tasks", job.id);
        let hint = format!("{} to {most}, as it was submitted", job.spec.gang.min);
        return Err(Refusal::new(RefusalCode::Usage, what, hint));
    }
    if size == job.spec.gang.size {
        return Ok(());
    }
    let mut spec = JobSpec::clone(&job.spec);
    spec.gang.size = size;
    if let Some(service) = &mut spec.service {
        service.most = Some(most);
    }
    plan.note(Fact::JobChanged { job: job.id, spec: Box::new(spec), by: by.user.clone() });
    give_back(plan, job.id);
    Ok(())
}

/// Tasks beyond the size that is wanted end, the youngest first. Those without room are gone.
fn give_back(plan: &mut Plan, id: JobId) {
    let Some(job) = plan.job(id).filter(|job| job.stop.is_none()) else { return };
    let wanted = usize::try_from(job.spec.gang.size).unwrap_or(usize::MAX);
    let counted = job.tasks.iter().filter(|task| !task.given_up && !task.is_over());
    let surplus = counted.count().saturating_sub(wanted);
    let active = job.tasks.iter().rev().filter(|task| task.state.is_active() && !task.given_up);
    for task in active.take(surplus) {
        let task = TaskId { job: id, attempt: job.attempt, rank: task.rank };
        plan.note(Fact::TaskStopping { task, class: Class::StartStop });
    }
}
