//! Why no other team gives room: the job's team has its share, or nobody may be taken from.

use crate::base::At;
use crate::model::job::Job;
use crate::model::reason::{Code, Reason};
use crate::sched::board::heads::asks;
use crate::sched::board::teams::Teams;
use crate::sched::index::wants;
use crate::sched::policy::amounts::{Amounts, Kind};
use crate::sched::policy::protection::may_evict_from;
use crate::sched::policy::taking::{self, NoStart};
use crate::sched::world::World;

/// What keeps a job from taking room of others, if it wants some.
pub(super) fn reasons(world: &World, job: &Job, at: At) -> Vec<Reason> {
    let mut reasons = Vec::new();
    let waits_since = job.evicted.as_ref().map_or(job.submitted, |evicted| evicted.1);
    let delay = may_evict_from(waits_since.now, job.spec.preemption_delay);
    if delay > at.now {
        let until = at.wall + delay.since(at.now);
        reasons.push(Reason::bare(Code::PreemptionDelay).with("until_at", until.0));
    }
    reasons.extend(share(world, job));
    reasons
}

/// How its team stands against its share, if other teams hold something that it wants.
fn share(world: &World, job: &Job) -> Option<Reason> {
    let (shape, _) = wants(job)?;
    let need = Amounts::from(&asks(&shape));
    let teams = Teams::of(world);
    let team = teams.place(&job.spec.team)?;
    let wanted = |kind: &Kind| need.get(*kind) > 0;
    let others = (0..teams.queues.len()).filter(|other| *other != team).filter(|other| {
        // Those that hold room themselves, not those above them.
        let held = world.index().account_of(teams.name(*other)).held;
        Kind::ALL.iter().filter(|kind| wanted(kind)).any(|kind| held.get(*kind) > 0)
    });
    let others: Vec<usize> = others.collect();
    if others.is_empty() {
        return None;
    }
    let queue = &teams.queues[team];
    let over = match taking::may_start(queue, &need, job.spec.preemptible) {
        Err(NoStart::OverFairShare(over)) => over,
        // A reason of its own says that.
        Err(NoStart::OverQuota(_)) => return None,
        Ok(()) => {
            let configured = Kind::ALL.iter().filter(|kind| wanted(kind));
            let configured = configured.copied().any(|kind| queue.quota.get(kind).is_some());
            return configured.then(|| owed(world, &teams, team, &need, &others));
        }
    };
    let unit = over.kind.unit_name();
    let reason = Reason::bare(Code::AtShare)
        .with("team", &*job.spec.team)
        .with(&format!("need_{unit}"), over.need)
        .with(&format!("used_{unit}"), over.have)
        .with(&format!("share_{unit}"), over.bound);
    Some(match queue.quota.get(over.kind) {
        Some(quota) => reason.with(&format!("quota_{unit}"), quota),
        None => reason,
    })
}

/// Its team may take, and yet nobody gives: those who are over their share never give way or are
/// still protected, or nobody is over.
fn owed(world: &World, teams: &Teams, team: usize, need: &Amounts, others: &[usize]) -> Reason {
    let kind = Kind::SCARCEST.into_iter().find(|kind| need.get(*kind) > 0).unwrap_or(Kind::Cpu);
    let (queue, unit) = (&teams.queues[team], kind.unit_name());
    let over = others.iter().filter(|other| {
        let other = &teams.queues[**other];
        !other.allocated.within(&other.allocatable())
    });
    let over: Vec<&str> = over.map(|other| &**teams.name(*other)).collect();
    let give = over.iter().filter(|name| world.index().givers.contains_key(**name)).count();
    let reason = Reason::bare(Code::Owed)
        .with("team", &**teams.name(team))
        .with(&format!("used_{unit}"), queue.allocated.get(kind))
        .with(&format!("share_{unit}"), queue.fair.get(kind))
        .with("giving", give as u64);
    if over.is_empty() { reason } else { reason.with("teams", over.join(", ")) }
}
