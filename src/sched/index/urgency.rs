//! What the index keeps for whom goes before whom: timers of boosts and deadlines, and who is
//! waited for.

use std::collections::BTreeSet;

use super::{Index, gives_way, take};
use crate::base::{Mono, Name, Span, Wall};
use crate::model::finding::{Level, Signal};
use crate::model::job::{Job, State};
use crate::sched::policy::boost::AGEING_MAX;
use crate::sched::policy::deadline::{Due, OUT, SOON};

pub(super) fn insert(index: &mut Index, job: &Job) {
    if let Some((steps, since)) = ages(job) {
        index.ageing.entry(steps).or_default().insert((since, job.id));
    }
    index.due.extend(next_due(job).map(|at| (at, job.id)));
    for name in held(job) {
        index.holders.entry(name).or_default().insert(job.id);
    }
    if is_heir(job) {
        index.heirs.insert(job.id);
    }
    if is_sheltered(job) {
        index.sheltered.insert(job.id);
    }
}

pub(super) fn remove(index: &mut Index, job: &Job) {
    if let Some((steps, since)) = ages(job) {
        take(&mut index.ageing, &steps, &(since, job.id));
    }
    if let Some(at) = next_due(job) {
        index.due.remove(&(at, job.id));
    }
    for name in held(job) {
        take(&mut index.holders, &name, &job.id);
    }
    index.heirs.remove(&job.id);
    index.sheltered.remove(&job.id);
}

/// Steps so far, and since when it waits, of a job that can still go up.
fn ages(job: &Job) -> Option<(u8, Mono)> {
    let steps = job.boosts.ageing;
    (job.state == State::Queued && steps < AGEING_MAX).then_some((steps, job.since.now))
}

/// The countable resources of which it holds units.
fn held(job: &Job) -> BTreeSet<Name> {
    let holds = !job.frozen && job.active_tasks().next().is_some();
    let active = job.active_tasks().filter(|_| holds);
    active.flat_map(|task| job.spec.request_of(task.group).custom.keys().cloned()).collect()
}

fn is_heir(job: &Job) -> bool {
    job.is_live() && job.inherited.as_ref().is_some_and(|from| from.resource.is_some())
}

fn is_sheltered(job: &Job) -> bool {
    job.inherited.is_some() && gives_way(job).is_some()
}

/// When its deadline makes the next difference: to its boost, or to its finding.
fn next_due(job: &Job) -> Option<Wall> {
    let (deadline, latest) = (job.spec.deadline?, job.latest_start?);
    if !job.is_live() {
        return None;
    }
    let due = Due { deadline, p90: deadline.since(latest) };
    let boost = match job.boosts.deadline {
        _ if job.state != State::Queued => None,
        steps if steps < SOON => Some(due.soon()),
        steps if steps < OUT => Some(latest),
        _ => None,
    };
    let level = job.findings.get(&Signal::DeadlineAtRisk).map(|finding| finding.level);
    let risk = match level {
        // While it runs the time that is left shrinks as fast as its run does.
        None if job.ran_since.is_none() => {
            let left = Span(due.p90.0.saturating_sub(job.ran.0));
            Some(Due { p90: left, ..due }.late().min(deadline))
        }
        None | Some(Level::Notice) => Some(deadline),
        Some(Level::Suspect | Level::Stuck) => None,
    };
    boost.into_iter().chain(risk).min()
}
