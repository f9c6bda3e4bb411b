//! Gives those who are waited for the priority of those who wait, along whole chains.
//!
//! Two things are waited for: the end of a job (`--after`), and units of a countable resource.
//! A job that only waits passes on what it has from others; jobs come only after older ones, so
//! going from the youngest to the oldest sees each once. Those who hold units come last: what
//! they have they pass on to nobody, for they wait for nobody.

use std::collections::{BTreeMap, BTreeSet};

use crate::base::{JobId, Name, Wall};
use crate::model::Fact;
use crate::model::job::{Cause, Inherited, Job, State};
use crate::sched::board::heads::asks;
use crate::sched::plan::Plan;
use crate::sched::policy::inheritance::{Waiter, inherits};
use crate::sched::world::World;

/// Notes who has whose priority now. Looks at the jobs that facts from `from` on are about, or
/// at all jobs.
pub(super) fn run(plan: &mut Plan, from: usize, anew: bool) {
    let on = plan.world().setup().cycle.on("inheritance");
    let mut todo = match anew {
        true => plan.world().jobs().filter(|job| job.is_live()).map(|job| job.id).collect(),
        false => touched(plan.world(), plan.facts().get(from..).unwrap_or_default()),
    };
    let mut holders: BTreeSet<JobId> = plan.world().index().heirs.iter().copied().collect();
    while let Some(id) = todo.pop_last() {
        let Some(job) = plan.job(id).filter(|job| job.is_live()) else { continue };
        if holds(&job) {
            holders.insert(id);
            continue;
        }
        if settle(plan, &job, on, &Contended::new()) && waits(&job) {
            todo.extend(job.spec.after.iter().map(|dependency| dependency.job));
        }
    }
    let contended = if on { contended(plan.world(), plan.at().wall) } else { Contended::new() };
    for resource in contended.keys() {
        holders.extend(plan.world().index().holders.get(resource).into_iter().flatten());
    }
    for id in holders {
        let Some(job) = plan.job(id).filter(|job| job.is_live()) else { continue };
        settle(plan, &job, on, &contended);
    }
}

/// Resources that are short, each with the first of those who wait for it.
type Contended = BTreeMap<Name, Waiter>;

fn holds(job: &Job) -> bool {
    job.active_tasks().next().is_some()
}

/// It waits for the end of others.
fn waits(job: &Job) -> bool {
    job.state == State::Waiting(Cause::After)
}

/// Those whose place may have changed, and those they wait for if that may matter to them.
fn touched(world: &World, facts: &[Fact]) -> BTreeSet<JobId> {
    let mut todo = BTreeSet::new();
    for id in facts.iter().filter(|fact| matters(fact)).filter_map(Fact::job) {
        let Some(job) = world.job(id) else { continue };
        todo.insert(id);
        for dependency in &job.spec.after {
            let Some(other) = world.job(dependency.job) else { continue };
            let from_it = other.inherited.as_ref().is_some_and(|from| from.from == id);
            // One of many that wait for the same is cheap unless it changes something there.
            if from_it || (waits(job) && job.sort_priority() > other.sort_priority()) {
                todo.insert(other.id);
            }
        }
    }
    todo
}

/// Facts that change a job's priority, or whether it waits or holds something.
fn matters(fact: &Fact) -> bool {
    matches!(
        fact,
        Fact::JobSubmitted { .. }
            | Fact::JobQueued { .. }
            | Fact::JobWaits { .. }
            | Fact::JobPaused { .. }
            | Fact::JobFrozen { .. }
            | Fact::JobThawed { .. }
            | Fact::AttemptBegan { .. }
            | Fact::AttemptEnded { .. }
            | Fact::JobEnded { .. }
            | Fact::JobChanged { .. }
            | Fact::JobMovedUp { .. }
            | Fact::JobBoosted { .. }
    )
}

/// Notes whose priority a job has, if that is news; whether it was.
fn settle(plan: &mut Plan, job: &Job, on: bool, contended: &Contended) -> bool {
    let world = plan.world();
    let dependents = world.index().dependents.get(&job.id).into_iter().flatten();
    let dependents = dependents.filter_map(|id| world.job(*id)).filter(|other| waits(other));
    let after = dependents.map(|other| Waiter { job: other.id, priority: other.sort_priority() });
    let wanted: Vec<(&Name, Waiter)> = held(world, job)
        .filter_map(|name| Some((name, *contended.get(name)?)))
        .filter(|(_, waiter)| waiter.job != job.id)
        .collect();
    let all = after.filter(|_| on).chain(wanted.iter().map(|(_, waiter)| *waiter));
    let found = inherits(own(job), all);
    let from = found.map(|waiter| {
        let over = wanted.iter().find(|(_, wanted)| *wanted == waiter);
        let resource = over.map(|(name, _)| (*name).clone());
        Inherited { priority: waiter.priority, from: waiter.job, resource }
    });
    if from.as_ref() == job.inherited.as_deref() {
        return false;
    }
    plan.note(Fact::JobInherits { job: job.id, from });
    true
}

/// What it would be sorted by if nobody waited for it.
fn own(job: &Job) -> u16 {
    job.own_priority().max(job.front.map_or(0, |front| front.priority))
}

/// The countable resources of which a job holds units.
fn held<'a>(world: &'a World, job: &'a Job) -> impl Iterator<Item = &'a Name> {
    let resources = job.spec.kinds().flat_map(|kind| kind.request.custom.keys());
    resources.filter(|name| {
        world.index().holders.get(*name).is_some_and(|holders| holders.contains(&job.id))
    })
}

/// For each resource that is short, the first of those who wait for it. Who holds room already
/// and only wants more does not count: two that want each other's would lift each other.
fn contended(world: &World, wall: Wall) -> Contended {
    let mut contended = Contended::new();
    for (shape, places) in &world.index().queue {
        let asks_for_some = shape.requests().any(|request| !request.custom.is_empty());
        if !asks_for_some || shape.grows || shape.thaw.is_some() || world.is_held(&shape.team) {
            continue;
        }
        let Some(first) = places.get_min() else { continue };
        for (name, need) in asks(shape).custom {
            let Some(count) = world.countable(&name).map(|c| c.count) else { continue };
            let free = count.saturating_sub(world.index().custom_held(&name));
            if need <= free || need > count || world.limit_of(&name, wall).is_some() {
                continue;
            }
            let waiter = Waiter { job: first.id, priority: first.priority.0 };
            let known = contended.entry(name).or_insert(waiter);
            if (waiter.priority, known.job) > (known.priority, waiter.job) {
                *known = waiter;
            }
        }
    }
    contended
}
