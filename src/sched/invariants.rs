//! What must hold after every step (DESIGN.md section 5). Asserted in tests and simulation, and
//! cheaply in release.

mod reviews;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use crate::base::{At, JobId, Name};
use crate::model::fact::{Eviction, Rule};
use crate::model::job::{GpuShare, Job, Placement, State, Task, TaskState};
use crate::model::team::parent;
use crate::model::{Fact, Resources};
use crate::sched::board::Board;
use crate::sched::ends::Ends;
use crate::sched::future::estimate;
use crate::sched::gangs;
use crate::sched::index::{Index, Use};
use crate::sched::plan::Plan;
use crate::sched::policy::amounts::Amounts;
use crate::sched::policy::fit::{Grip, WHOLE};
use crate::sched::policy::gates::over;
use crate::sched::world::World;

/// Everything that does not hold, in words; empty when all does.
pub fn check(world: &World, at: At) -> Vec<String> {
    let mut broken = Vec::new();
    let (mut rebuilt, mut ends) = (Index::default(), Ends::default());
    let learns = world.setup().cycle.on("estimate");
    for job in world.jobs() {
        rebuilt.insert(job);
        ends.put(job, || estimate::basis(&world.history, learns, &job.spec));
        check_job(job, &mut broken);
    }
    if rebuilt != *world.index() {
        broken.push("the index differs from one built anew".into());
    }
    if ends != *world.ends() {
        broken.push("the expected ends differ from those put in order anew".into());
    }
    reviews::check(world, &mut broken);
    promises(world, at, &mut broken);
    let mut plan = Plan::new(world, at);
    crate::sched::actions::cycle(&mut plan);
    let (facts, _) = plan.commit();
    if let Some(fact) = facts.first() {
        broken.push(format!("a second cycle changes something: {fact:?}"));
    }
    broken
}

/// No room is promised twice: what stays and what is promised fits.
fn promises(world: &World, at: At, broken: &mut Vec<String>) {
    let mut promised: BTreeMap<&Name, Resources> = BTreeMap::new();
    let mut devices: BTreeMap<(&Name, u32), u64> = BTreeMap::new();
    for job in world.jobs() {
        for task in job.tasks.iter().filter(|task| task.state == TaskState::Nominated) {
            let Some(placement) = &task.placement else {
                broken.push(format!("job {}: a promise of nothing", job.id));
                continue;
            };
            promised.entry(&placement.node).or_default().add(job.spec.request_of(task.group));
            for share in &placement.gpus {
                *devices.entry((&placement.node, share.index)).or_default() += share.milli;
            }
        }
    }
    let board = Board::of(world, at);
    for place in &board.held {
        let name = &board.nodes[place.spot.node].name;
        promised.entry(name).or_default().add(place.job.spec.request_of(place.group));
        if let Grip::Known(shares) = &place.spot.grip {
            let devices = &mut devices;
            shares.iter().for_each(|share| {
                *devices.entry((name, share.index)).or_default() += share.milli;
            });
        }
    }
    for (name, promised) in promised {
        let used = world.index().used(name);
        let releasing = used.releasing.clone().unwrap_or_default();
        let mut then = used.held.clone();
        then.sub(&releasing.held);
        then.add(&promised);
        let capacity = world.node(name).map(|node| node.capacity.clone()).unwrap_or_default();
        let device = |index: u32| {
            let at = |used: &Use| used.gpus.get(&index).copied().unwrap_or(0);
            let more = devices.get(&(name, index)).copied().unwrap_or(0);
            more > 0 && at(&used) - at(&releasing) + more > WHOLE
        };
        let over = |wanted: u64, then: u64, there: u64| wanted > 0 && then > there;
        if over(promised.cpu_milli, then.cpu_milli, capacity.cpu_milli)
            || over(promised.mem_bytes, then.mem_bytes, capacity.mem_bytes)
            || (0..64).any(device)
        {
            broken.push(format!("node {name}: room is promised twice"));
        }
    }
}

/// The bounds of a team and those above it, after a task of a job was placed.
fn bounds(world: &World, job: &Job, request: &Resources) -> Vec<String> {
    let need = Amounts::from(request);
    let mut broken = Vec::new();
    let mut above = Some(&*job.spec.team);
    while let Some(name) = above {
        above = parent(name);
        let Some(team) = world.teams.get(name) else { continue };
        let (held, firm) = crate::sched::explain::in_all(world, name);
        let bounds = [("limit", &team.terms.limit, held), ("quota", &team.terms.quota, firm)];
        let asked = if job.spec.preemptible { 1 } else { 2 };
        for (what, bounds, held) in bounds.into_iter().take(asked) {
            if let Some(over) = over(bounds, &held.minus(&need), &need) {
                broken.push(format!("job {}: above the {what} of {name}: {over:?}", job.id));
            }
        }
    }
    broken
}

/// Whether a job may lose room so, and only once.
fn eviction(
    world: &World,
    job: &Job,
    eviction: &Eviction,
    seen: &mut BTreeSet<(JobId, u32)>,
) -> Vec<String> {
    let mut broken = Vec::new();
    let mut expect = |holds: bool, what: &str| {
        if !holds {
            broken.push(format!("job {}: {what} ({:?})", job.id, eviction.rule));
        }
    };
    let goes_on = job.active_tasks().filter(|task| task.state != TaskState::Stopping);
    let all: Vec<u32> = goes_on.map(|task| task.rank).collect();
    let ranks = if eviction.ranks.is_empty() { &all } else { &eviction.ranks };
    expect(ranks.iter().all(|rank| seen.insert((job.id, *rank))), "is evicted twice");
    let baseline = job.spec.service.as_ref().map_or(0, |service| service.baseline as usize);
    let takes = matches!(eviction.rule, Rule::Preempt | Rule::ReclaimFairness | Rule::ReclaimQuota);
    let keeps = baseline == 0 || all.len().saturating_sub(ranks.len()) >= baseline;
    expect(!takes || keeps, "loses its baseline");
    let taker = eviction.taker.and_then(|taker| world.job(taker));
    match eviction.rule {
        Rule::Person | Rule::Spot | Rule::StaleGang | Rule::Overstayed => {}
        Rule::Consolidate => expect(job.gives_way() && eviction.moved, "is not moved"),
        Rule::Preempt => {
            let less = |taker: &Arc<Job>| {
                taker.spec.team == job.spec.team && taker.priority() > job.priority()
            };
            expect(job.gives_way() && taker.is_some_and(less), "is no lawful victim");
        }
        Rule::ReclaimFairness | Rule::ReclaimQuota => {
            let other = |taker: &Arc<Job>| taker.spec.team != job.spec.team;
            expect(job.gives_way() && taker.is_some_and(other), "is no lawful victim");
        }
    }
    broken
}

/// Everything that is wrong with where a decision placed work: looked at fact by fact, for
/// capacity may shrink below what is in use, but no placement may take what is not there.
pub fn check_placements(before: &World, facts: &[Fact], at: At) -> Vec<String> {
    let mut world = before.clone();
    let mut broken = Vec::new();
    let mut evicted = BTreeSet::new();
    for fact in facts {
        let was = world.clone();
        if let Fact::JobEvicted { job, eviction: why } = fact
            && let Some(job) = world.job(*job)
        {
            broken.extend(eviction(&world, job, why, &mut evicted));
        }
        world.apply(at, fact);
        let places = matches!(fact, Fact::TaskPlaced { .. } | Fact::JobThawed { .. });
        let Some(job) = fact.job().filter(|_| places).and_then(|id| world.job(id)) else {
            continue;
        };
        let more = |name| world.index().custom_held(name) > was.index().custom_held(name);
        let names = job.spec.request_of_all().custom;
        for name in names.keys().filter(|name| more(name)) {
            let held = world.index().custom_held(name);
            if world.countable(name).is_none_or(|countable| held > countable.count) {
                broken.push(format!("job {}: {held} units of {name} are held", job.id));
            }
        }
        match fact {
            Fact::TaskPlaced { task, placement, .. } => {
                let rank = usize::try_from(task.rank).unwrap_or(usize::MAX);
                let group = job.tasks.get(rank).map_or(0, |task| task.group);
                broken.extend(overfull(&world, placement, job.spec.request_of(group)));
                broken.extend(unusable(&world, placement));
                broken.extend(bounds(&world, job, job.spec.request_of(group)));
            }
            _ => {
                let cores = Resources { cpu_milli: job.spec.request.cpu_milli, ..NOTHING };
                let places = job.active_tasks().filter_map(|task| task.placement.as_ref());
                broken.extend(places.filter_map(|place| overfull(&world, place, &cores)));
            }
        }
    }
    broken
}

const NOTHING: Resources =
    Resources { cpu_milli: 0, mem_bytes: 0, gpu_milli: 0, custom: BTreeMap::new() };

/// A node whose tasks hold more than it has of something that was taken now.
fn overfull(world: &World, placement: &Placement, taken: &Resources) -> Option<String> {
    let name = &placement.node;
    let Some(node) = world.node(name) else { return Some(format!("there is no node {name}")) };
    let used = world.index().used(name);
    let (held, capacity) = (&used.held, &node.capacity);
    let over = |index: &u32| used.gpus.get(index).is_some_and(|milli| *milli > WHOLE);
    let broken = (taken.cpu_milli > 0 && held.cpu_milli > capacity.cpu_milli)
        || (taken.mem_bytes > 0 && held.mem_bytes > capacity.mem_bytes)
        || (taken.gpu_milli > 0 && placement.gpus.iter().any(|share| over(&share.index)));
    broken.then(|| format!("node {name} holds more than it has: {used:?}"))
}

/// A placement on a node or device that takes no new work.
fn unusable(world: &World, placement: &Placement) -> Option<String> {
    let node = world.node(&placement.node)?;
    let ours = |share: &GpuShare| {
        node.gpus.iter().any(|gpu| gpu.index == share.index && gpu.foreign.is_none())
    };
    let usable = node.up && node.drain.is_none() && placement.gpus.iter().all(ours);
    (!usable).then(|| format!("node {} takes no new work there: {placement:?}", node.name))
}

fn check_job(job: &Job, broken: &mut Vec<String>) {
    let mut expect = |holds: bool, what: &str| {
        if !holds {
            broken.push(format!("job {}: {what} ({:?})", job.id, job.state));
        }
    };
    let active = job.active_tasks().count();
    match &job.state {
        State::Ended(_) => expect(active == 0, "has ended and holds room"),
        State::Waiting(_) => expect(active == 0, "waits and holds room"),
        State::Queued => expect(active == 0 || job.frozen, "is queued and holds room"),
        State::InReview => {
            expect(active == 0 || job.frozen, "is in review and runs");
            expect(job.asking.waits && job.asking.blocks(), "is in review and asks nothing");
        }
        State::Paused => {
            expect(active == 0 || job.frozen, "is paused and runs");
            expect(job.hold.is_some(), "is paused by nobody");
        }
        State::Starting | State::Running => {
            let counts = |task: &Task| task.state.is_active() || task.is_over();
            expect(gangs::has_its_minimum(job, counts), "runs below the minimum of its gang");
            expect(active > 0, "runs without a task");
        }
        State::Stopping(_) => expect(active > 0, "is being stopped and has no process"),
    }
    let may_hold = matches!(job.state, State::Paused | State::Stopping(_));
    expect(!job.asking.returning || may_hold || job.state == State::Queued, "returns twice");
    expect(job.hold.is_none() || may_hold, "is held back and goes on");
    let runs = matches!(job.state, State::Starting | State::Running) && !job.frozen;
    let began = job.tasks.iter().any(|task| task.started.is_some());
    expect(job.ran_since.is_none() || (runs && began), "does not run and its time counts");
    expect(job.stop.is_some() == matches!(job.state, State::Stopping(_)), "stops, or does not");
    expect(!job.frozen || active > 0, "is frozen and has no process");
    let placed = job.active_tasks().all(|task| task.placement.is_some());
    expect(placed, "has an active task without a place");
    expect(job.is_live() == job.ended.is_none(), "has an end and lives, or the reverse");
}
