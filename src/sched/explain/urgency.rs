//! Reasons that lie in whose turn it is: the place in the queue with the keys that put it there,
//! boosts, deadlines, whose priority a job has; and resources that nobody may take for now.

use crate::base::Name;
use crate::model::job::{BoostCause, Job, State};
use crate::model::reason::{Code, Reason};
use crate::model::setup::Limited;
use crate::sched::index::wants;
use crate::sched::world::World;

/// Nobody may take units of a countable resource for now.
pub(super) fn limited(name: &Name, limited: &Limited) -> Reason {
    let mut reason = Reason::bare(Code::Limited)
        .with("resource", &**name)
        .with("until_at", limited.until.0)
        .with("by", &*limited.by);
    if let Some(job) = limited.job {
        reason = reason.with("job", job.0);
    }
    if let Some(why) = &limited.reason {
        reason = reason.with("why", why.clone());
    }
    reason
}

/// Everything that lifts a job or says how urgent it is.
pub(super) fn reasons(job: &Job) -> Vec<Reason> {
    let mut reasons = Vec::new();
    for cause in BoostCause::ALL.into_iter().filter(|cause| job.boosts.of(*cause) > 0) {
        reasons.push(boosted(job, cause));
    }
    reasons.extend(job.inherited.as_ref().map(|from| {
        let reason = Reason::bare(Code::Inherits)
            .with("priority", u64::from(from.priority))
            .with("own", u64::from(job.own_priority()))
            .with("job", from.from.0);
        match &from.resource {
            Some(resource) => reason.with("resource", &**resource),
            None => reason,
        }
    }));
    reasons.extend(deadline(job));
    reasons
}

fn boosted(job: &Job, cause: BoostCause) -> Reason {
    let reason = Reason::bare(Code::Boosted)
        .with("cause", cause.word())
        .with("steps", u64::from(job.boosts.of(cause)))
        .with("priority", u64::from(job.priority()))
        .with("sorted", u64::from(job.own_priority()));
    match cause {
        BoostCause::Ageing => reason.with("since_at", job.since.wall.0),
        BoostCause::Deadline => match job.spec.deadline {
            Some(deadline) => reason.with("deadline_at", deadline.0),
            None => reason,
        },
        BoostCause::Retry => reason.with("retries", u64::from(job.retries)),
    }
}

fn deadline(job: &Job) -> Option<Reason> {
    let (deadline, latest) = (job.spec.deadline?, job.latest_start?);
    let reason = Reason::bare(Code::Deadline).with("deadline_at", deadline.0);
    Some(match job.active_tasks().next() {
        Some(_) => reason,
        None => reason.with("latest_start_at", latest.0),
    })
}

/// Its place among those of its team that want room, and the keys that put it there.
pub(super) fn turn(world: &World, job: &Job) -> Option<Reason> {
    let (position, queued) = in_team(world, job)?;
    let mut reason = Reason::bare(Code::Turn)
        .with("team", &*job.spec.team)
        .with("position", position)
        .with("queued", queued)
        .with("priority", u64::from(job.priority()))
        .with("submitted_at", job.submitted.wall.0);
    if job.sort_priority() != job.priority() {
        reason = reason.with("sorted", u64::from(job.sort_priority()));
    }
    if let Some(front) = job.front {
        reason = reason.with("next", front.rank);
    }
    if job.attempt > 0 {
        reason = reason.with("resumed", 1u64);
    }
    Some(reason)
}

/// Its place among the queued jobs of its team, from 1, and how many these are.
fn in_team(world: &World, job: &Job) -> Option<(u64, u64)> {
    let (_, own) = wants(job).filter(|_| job.state == State::Queued)?;
    let same_team = world.index().queue.iter().filter(|(shape, _)| shape.team == job.spec.team);
    let queued = same_team.clone().map(|(_, places)| places.len() as u64).sum();
    let ahead: u64 = same_team.map(|(_, places)| places.range(..own).count() as u64).sum();
    Some((ahead + 1, queued))
}
