//! Gives free room to the jobs that want it, best first, and never leaves room that one of
//! them could use (work conserving).
//!
//! Jobs that want the same in the same team share a [`Shape`]: when the best of them cannot be
//! placed, none of them can, so a cycle looks at one job of each shape and not at every job.

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::base::{JobId, Mono, Name, TaskId};
use crate::model::Fact;
use crate::model::fact::Class;
use crate::model::job::{Job, Placement, TaskState};
use crate::model::node::Node;
use crate::sched::index::{Shape, wants};
use crate::sched::plan::Plan;
use crate::sched::policy::fit::{self, Room, WHOLE};
use crate::sched::policy::order::Place;
use crate::sched::world::World;

/// Places all that can be placed.
pub fn run(plan: &mut Plan) {
    let index = plan.world().index();
    let head = |(shape, places): (&Arc<Shape>, &imbl::OrdSet<Place>)| {
        places.get_min().map(|place| (*place, shape.clone()))
    };
    let mut heads: BTreeMap<Place, Arc<Shape>> = index.queue.iter().filter_map(head).collect();
    if heads.is_empty() {
        return;
    }
    let mut rooms = rooms(plan.world());
    while let Some((place, shape)) = heads.pop_first() {
        if start(plan, &mut rooms, place.id, &shape) {
            // The job may have a next chunk of another shape; its old shape has a new head.
            let after = plan.job(place.id).and_then(|job| wants(&job));
            let next = after.map(|(shape, place)| (place, Arc::new(shape)));
            let again = plan.world().index().queue.get(&shape).and_then(|set| set.get_min());
            heads.extend(next);
            heads.extend(again.map(|place| (*place, shape)));
        }
    }
}

/// Free room on every node that takes new work.
pub fn rooms(world: &World) -> Vec<Room> {
    world.nodes().filter(|node| node.up && node.drain.is_none()).map(|n| room(world, n)).collect()
}

/// Free room on one node, whatever its state.
pub fn room(world: &World, node: &Node) -> Room {
    let used = world.index().used(&node.name);
    let free = |index: u32| WHOLE.saturating_sub(used.gpus.get(&index).copied().unwrap_or(0));
    let usable = node.gpus.iter().filter(|gpu| gpu.foreign.is_none());
    Room {
        name: node.name.clone(),
        cpu_milli: node.capacity.cpu_milli.saturating_sub(used.held.cpu_milli),
        mem_bytes: node.capacity.mem_bytes.saturating_sub(used.held.mem_bytes),
        gpus: usable.map(|gpu| (gpu.index, free(gpu.index))).collect(),
        cpu_total: node.capacity.cpu_milli,
    }
}

/// Starts the next chunk of a job if everything it needs is there.
fn start(plan: &mut Plan, rooms: &mut [Room], id: JobId, shape: &Shape) -> bool {
    if !gates_open(plan.world(), shape, plan.at().now) {
        return false;
    }
    let Some(job) = plan.job(id) else { return false };
    if shape.thaw.is_some() {
        return thaw(plan, rooms, &job);
    }
    let Ok(placed) = fit::place(rooms, &shape.request, shape.chunk) else { return false };
    if job.tasks.is_empty() {
        let attempt = job.attempt + 1;
        let resume = job.attempt > 0 && job.continues();
        plan.note(Fact::AttemptBegan { job: id, attempt, resume });
    }
    note_placements(plan, id, placed);
    true
}

fn note_placements(plan: &mut Plan, id: JobId, placed: Vec<Placement>) {
    let Some(job) = plan.job(id) else { return };
    let pending = job.tasks.iter().filter(|task| task.state == TaskState::Pending);
    let ranks: Vec<u32> = pending.map(|task| task.rank).take(placed.len()).collect();
    for (resource, units) in &job.spec.request.custom {
        let rated = plan.world().countable(resource).is_some_and(|c| c.per_minute.is_some());
        if rated {
            let units = units.saturating_mul(ranks.len() as u64);
            plan.note(Fact::RateUsed { resource: resource.clone(), units });
        }
    }
    for (rank, placement) in ranks.into_iter().zip(placed) {
        let task = TaskId { job: id, attempt: job.attempt, rank };
        plan.note(Fact::TaskPlaced { task, placement, class: Class::StartStop });
    }
}

/// A frozen job goes on where it is, once the cores it gave back are free there.
fn thaw(plan: &mut Plan, rooms: &mut [Room], job: &Job) -> bool {
    let need = thaw_needs(job);
    if !thaw_fits(plan.world(), &need) {
        return false;
    }
    for room in rooms.iter_mut() {
        let taken = need.get(&room.name).copied().unwrap_or(0);
        room.cpu_milli = room.cpu_milli.saturating_sub(taken);
    }
    plan.note(Fact::JobThawed { job: job.id, class: Class::Productive });
    true
}

/// The cores a frozen job needs to go on, by node.
fn thaw_needs(job: &Job) -> BTreeMap<&Name, u64> {
    let mut need: BTreeMap<&Name, u64> = BTreeMap::new();
    for placement in job.active_tasks().filter_map(|task| task.placement.as_ref()) {
        *need.entry(&placement.node).or_default() += job.spec.request.cpu_milli;
    }
    need
}

/// Whether the cores are free. A drained node takes no new work, but what is there may go on:
/// else it would never become empty.
fn thaw_fits(world: &World, need: &BTreeMap<&Name, u64>) -> bool {
    let fits = |node: &Node, cpu| node.up && room(world, node).cpu_milli >= cpu;
    need.iter().all(|(name, cpu)| world.node(name).is_some_and(|node| fits(node, *cpu)))
}

/// Whether the cores a frozen job needs to go on are free where it is.
pub fn cores_free(world: &World, job: &Job) -> bool {
    thaw_fits(world, &thaw_needs(job))
}

/// Whether a job that wants room could have its next chunk now.
pub fn could_start(world: &World, job: &Job, now: Mono) -> bool {
    let Some((shape, _)) = wants(job) else { return false };
    gates_open(world, &shape, now)
        && match shape.thaw {
            Some(_) => cores_free(world, job),
            None => fit::place(&mut rooms(world), &shape.request, shape.chunk).is_ok(),
        }
}

/// Whether anything other than room on a node keeps this shape from starting.
fn gates_open(world: &World, shape: &Shape, now: Mono) -> bool {
    let team_paused = || world.teams.get(&shape.team).is_some_and(|team| team.paused.is_some());
    if world.paused().is_some() || team_paused() {
        return false;
    }
    // What grows or thaws is counted among those that run already.
    if let Some((array, throttle)) = shape.array.filter(|_| !shape.grows && shape.thaw.is_none())
        && world.index().arrays.get(&array).copied().unwrap_or(0) >= throttle
    {
        return false;
    }
    shape.request.custom.iter().all(|(name, units)| {
        let Some(countable) = world.countable(name) else { return false };
        let need = units.saturating_mul(u64::from(shape.chunk));
        let free = countable.count.saturating_sub(world.index().custom_held(name));
        // A thaw is no new start: only starts count against a rate.
        let rate = countable.per_minute.filter(|_| shape.thaw.is_none());
        need <= free && rate.is_none_or(|rate| world.taken(name, now).saturating_add(need) <= rate)
    })
}
