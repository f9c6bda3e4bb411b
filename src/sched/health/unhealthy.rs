//! A service that does not answer its health check.

use crate::base::{At, Mono, TaskId};
use crate::model::finding::Level;
use crate::model::job::{Job, State, TaskState};
use crate::model::reason::{Numbers, Value};
use crate::sched::health::{Checks, Signals, Verdict, watched};
use crate::sched::policy::service::FAILED_CHECKS;
use crate::sched::world::World;

/// Tasks whose health should be checked now. The first check of a task comes one interval after
/// it was first seen here.
pub fn due_checks(world: &World, signals: &mut Signals, at: At) -> Vec<TaskId> {
    let mut due = Vec::new();
    for job in watched(world) {
        let Some(service) = job.spec.service.as_ref().filter(|_| is_checked(job)) else { continue };
        for id in running(job) {
            let next = at.now + service.health_every;
            let new = || Checks { next, failed: 0, said: String::new() };
            let checks = signals.checks.entry(id).or_insert_with(new);
            if checks.next <= at.now {
                checks.next = next;
                due.push(id);
            }
        }
    }
    due
}

fn is_checked(job: &Job) -> bool {
    let service = job.spec.service.as_ref();
    service.is_some_and(|service| service.health.is_some())
        && job.state == State::Running
        && !job.frozen
}

fn running(job: &Job) -> impl Iterator<Item = TaskId> + '_ {
    let runs = job.tasks.iter().filter(|task| task.state == TaskState::Running);
    runs.map(|task| TaskId { job: job.id, attempt: job.attempt, rank: task.rank })
}

/// Stuck once three checks of a task in a row have failed.
pub(super) fn check(_world: &World, job: &Job, signals: &Signals, at: At) -> Verdict {
    let nothing = Verdict { level: None, evidence: Numbers::new(), next: None };
    if !is_checked(job) {
        return nothing;
    }
    let checks: Vec<(TaskId, &Checks)> =
        running(job).filter_map(|id| Some((id, signals.checks.get(&id)?))).collect();
    let next = checks.iter().map(|(_, checks)| checks.next).filter(|next| *next > at.now).min();
    // A task that was not looked at yet is looked at soon.
    let next = next.or(Some(Mono(at.now.0.saturating_add(1000))));
    let Some((id, worst)) = checks.iter().max_by_key(|(_, checks)| checks.failed) else {
        return Verdict { next, ..nothing };
    };
    let level = (worst.failed >= FAILED_CHECKS).then_some(Level::Stuck);
    let evidence = [
        ("checks".into(), Value::from(u64::from(worst.failed))),
        ("rank".into(), Value::from(u64::from(id.rank))),
        ("said".into(), Value::from(worst.said.clone())),
    ];
    Verdict { level, evidence: evidence.into(), next }
}
