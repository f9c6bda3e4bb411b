//! For a job that runs: whom it has displaced, and who could take its place. For one that gave
//! its room: to whom, by which rule.

use crate::base::{At, JobId, Span};
use crate::model::finding::Level;
use crate::model::job::Job;
use crate::model::reason::{Code, Reason};
use crate::model::{Finding, Team};
use crate::sched::board::teams::Teams;
use crate::sched::policy::amounts::Kind;
use crate::sched::policy::protection::{self, Level as Terms, Method};
use crate::sched::world::World;

/// Jobs that are named at most.
const NAMED: usize = 8;

/// Something is wrong with it: the worst that nobody has seen yet.
pub(super) fn found(job: &Job, at_least: Level) -> Option<Reason> {
    let open = job.findings.values().filter(|found| found.acked.is_none());
    let worst = open.max_by_key(|found| (found.level, std::cmp::Reverse(found.signal)))?;
    (worst.level >= at_least).then(|| finding(worst))
}

fn finding(found: &Finding) -> Reason {
    let reason = Reason { code: Code::Found, numbers: found.evidence.clone() };
    reason.with("signal", found.signal.word()).with("level", found.level.word())
}

/// What is to be said of a job that holds room.
pub(super) fn reasons(world: &World, job: &Job, at: At) -> Vec<Reason> {
    let mut reasons = Vec::new();
    reasons.extend(displaced(world, job.id));
    reasons.push(if job.gives_way() { may_give_way(world, job, at) } else { keeps_room(job) });
    reasons
}

/// Those who gave it their room and wait since.
fn displaced(world: &World, id: JobId) -> Option<Reason> {
    let mine = world.jobs().filter(|job| job.is_live()).filter_map(|job| {
        let (eviction, _) = &**job.evicted.as_ref()?;
        (eviction.taker == Some(id)).then_some((job.id, eviction.rule))
    });
    let mine: Vec<_> = mine.collect();
    let (_, rule) = mine.first()?;
    let names: Vec<String> = mine.iter().take(NAMED).map(|(id, _)| id.to_string()).collect();
    let reason = Reason::bare(Code::Displaced).with("jobs", names.join(", "));
    Some(reason.with("count", mine.len() as u64).with("rule", rule.word()))
}

/// No rule takes its room.
fn keeps_room(job: &Job) -> Reason {
    let why = if job.spec.preemptible { "no_way_back" } else { "not_preemptible" };
    Reason::bare(Code::KeepsRoom).with("for", why)
}

/// Rules may take its room: whose, and from when on.
fn may_give_way(world: &World, job: &Job, at: At) -> Reason {
    let teams = Teams::of(world);
    let mut reason = Reason::bare(Code::MayGiveWay)
        .with("team", &*job.spec.team)
        .with("priority", u64::from(job.sort_priority()));
    let Some(team) = teams.place(&job.spec.team) else { return reason };
    let queue = &teams.queues[team];
    let may = queue.allocatable();
    let over = Kind::SCARCEST.into_iter().find_map(|kind| {
        let (held, may) = (queue.allocated.get(kind), may.get(kind)?);
        (held > may).then_some((kind.unit_name(), held, may))
    });
    if let Some((unit, held, may)) = over {
        reason = reason.with(&format!("used_{unit}"), held).with(&format!("share_{unit}"), may);
    }
    let levels = levels(world, &teams);
    let started = job.started.map_or(at, |started| started);
    let until = |span: Span| (started.now + span > at.now).then(|| (started.wall + span).0);
    let preempt = protection::against_preempt(&levels, team, Span::ZERO);
    // Another team may read a longer or shorter one further up; this is the one closest to it.
    let reclaim = protection::against_reclaim(&levels, Method::Queue, team, team, Span::ZERO);
    if let Some(until) = until(preempt) {
        reason = reason.with("preempt_from_at", until);
    }
    if let Some(until) = until(reclaim) {
        reason = reason.with("reclaim_from_at", until);
    }
    reason
}

fn levels(world: &World, teams: &Teams) -> Vec<Terms> {
    let level = |(at, team): (usize, &Team)| Terms {
        parent: teams.queues[at].parent,
        preempt: team.terms.preempt_min_runtime,
        reclaim: team.terms.reclaim_min_runtime,
    };
    world.teams().enumerate().map(level).collect()
}

/// It gave its room: to whom, by which rule, with what was compared.
pub(super) fn evicted(job: &Job) -> Option<Reason> {
    let (eviction, at) = &**job.evicted.as_ref()?;
    let numbers = eviction.numbers.clone();
    let mut reason = Reason { code: Code::Evicted, numbers }
        .with("rule", eviction.rule.word())
        .with("since_at", at.wall.0);
    if let Some(taker) = eviction.taker {
        reason = reason.with("job", taker.0);
    }
    if let Some(by) = &eviction.by {
        reason = reason.with("by", &**by);
    }
    if !eviction.ranks.is_empty() {
        reason = reason.with("tasks", eviction.ranks.len() as u64);
    }
    Some(reason)
}
