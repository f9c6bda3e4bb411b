//! Reasons that lie in room: what is asked for against what there is.

use std::collections::BTreeSet;
use std::sync::Arc;

use crate::base::{At, JobId, Mono, Name};
use crate::model::Resources;
use crate::model::estimate::Confidence;
use crate::model::job::{GpuShare, Job, JobSpec, State, TaskState};
use crate::model::node::{Gpu, Node};
use crate::model::page::Lane;
use crate::model::pool::Stage;
use crate::model::reason::{Code, Reason};
use crate::model::setup::Countable;
use crate::sched::actions::pools;
use crate::sched::board::moved::held;
use crate::sched::board::place::Fussy;
use crate::sched::board::thaw::device_has;
use crate::sched::board::usual::Usual;
use crate::sched::board::{room as room_of, stuck};
use crate::sched::explain::nodes;
use crate::sched::future::estimate;
use crate::sched::gangs;
use crate::sched::index::Holding;
use crate::sched::policy::fit::{self, Best, By, Grip, Room, When};
use crate::sched::policy::fragments::Costs;
use crate::sched::policy::gang::Share;
use crate::sched::world::World;

/// Running jobs that are looked at for one whose end would help.
const OTHERS: usize = 64;

/// Nodes and the room on them, by the same place.
#[derive(Debug, Clone)]
pub(in crate::sched) struct Rooms {
    nodes: Vec<Arc<Node>>,
    rooms: Vec<Room>,
    /// Spot nodes are for those only who can leave them.
    spot_rule: bool,
    /// Nodes are chosen as they are when a task is placed.
    usual: Usual,
    costs: Costs,
}

impl Rooms {
    /// All nodes that take new work, as they are.
    pub(in crate::sched) fn open(world: &World, now: Mono) -> Rooms {
        rooms(world, now, None, |node| node.up && node.drain.is_none())
    }

    /// Adds an empty node.
    pub(in crate::sched) fn push(&mut self, node: &Arc<Node>) {
        self.rooms.push(Room { open_to: self.usual.open_to(node), ..all_of(node) });
        self.nodes.push(node.clone());
    }

    /// Takes the last one away again.
    pub(in crate::sched) fn pop(&mut self) {
        self.rooms.pop();
        self.nodes.pop();
    }

    /// How many there are.
    pub(in crate::sched) fn len(&self) -> usize {
        self.rooms.len()
    }

    /// Takes room for the least that a job starts with, from a place on; whether there is enough.
    pub(in crate::sched) fn hold(&mut self, spec: &JobSpec, comes_back: bool, from: usize) -> bool {
        self.place_from(spec, comes_back, &at_least(spec), from).is_none()
    }

    /// Whether there is room for some tasks.
    fn fits(&self, spec: &JobSpec, comes_back: bool, tasks: &[Share]) -> bool {
        if let [Share { id, tasks: 1 }] = tasks {
            let fussy = Fussy::of(spec, *id, comes_back, self.spot_rule);
            let may_use = |at: usize| fussy.takes(&self.nodes[at].traits);
            let (request, by) = (spec.request_of(*id), By::BinPack);
            return fit::choose(&self.rooms, request, by, When::Now, may_use).is_some();
        }
        self.clone().place(spec, comes_back, tasks).is_none()
    }

    fn of<'a>(
        world: &World,
        nodes: impl Iterator<Item = &'a Arc<Node>>,
        room: impl Fn(&Node) -> Room,
    ) -> Rooms {
        let nodes: Vec<Arc<Node>> = nodes.cloned().collect();
        let usual = Usual::of(world);
        let room = |node: &Arc<Node>| Room { open_to: usual.open_to(node), ..room(node) };
        let (rooms, costs) = (nodes.iter().map(room).collect(), usual.costs());
        Rooms { nodes, rooms, spot_rule: spot_rule(world), usual, costs }
    }

    /// Places tasks together, and answers how many could be placed and the best that was free
    /// when the next one could not.
    fn place(&mut self, spec: &JobSpec, comes_back: bool, tasks: &[Share]) -> Option<(u32, Best)> {
        self.place_from(spec, comes_back, tasks, 0)
    }

    /// The same in the rooms from a place on.
    fn place_from(
        &mut self,
        spec: &JobSpec,
        comes_back: bool,
        tasks: &[Share],
        from: usize,
    ) -> Option<(u32, Best)> {
        let mut placed = 0;
        for share in tasks {
            let fussy = Fussy::of(spec, share.id, comes_back, self.spot_rule);
            let request = spec.request_of(share.id);
            for _ in 0..share.tasks {
                let may_use = |at: usize| fussy.takes(&self.nodes[from + at].traits);
                let by = self.usual.by(&self.costs, request);
                let rooms = self.rooms.get(from..).unwrap_or_default();
                let Some((at, _)) = fit::choose(rooms, request, by, When::Now, may_use) else {
                    return Some((placed, fit::best(rooms, request)));
                };
                let room = &mut self.rooms[from + at];
                let grip = room.grip(request, When::Now, by).unwrap_or(Grip::Nothing);
                room.take(request, &grip, When::Now);
                placed += 1;
            }
        }
        None
    }
}

fn spot_rule(world: &World) -> bool {
    world.setup().cycle.on("spot")
}

/// The least tasks of each group that must be placed together at the start.
fn at_least(spec: &JobSpec) -> Vec<Share> {
    let sizes: Vec<u32> = spec.kinds().map(|kind| kind.gang.size).collect();
    let gang = gangs::tree(spec, |group| {
        let size = usize::try_from(group).ok().and_then(|at| sizes.get(at));
        (0, size.copied().unwrap_or(0))
    });
    crate::sched::policy::gang::next_chunk(&gang)
}

/// Nodes that pools could still add, and how many of each.
fn could_come(world: &World) -> impl Iterator<Item = (u32, Arc<Node>)> + '_ {
    let pools = world.setup().pools.iter().filter(|_| world.setup().cycle.on("pool"));
    pools.map(|pool| {
        let state = world.pools().find(|(name, _)| **name == pool.name);
        let here = state.map_or(0, |(_, state)| {
            state.members.values().filter(|member| member.stage == Stage::Here).count()
        });
        let here = u32::try_from(here).unwrap_or(u32::MAX);
        (pool.most().saturating_sub(here), pools::template(pool))
    })
}

/// Why this could never start here even if everything were free; `None` if it could.
pub fn never_fits(world: &World, spec: &JobSpec) -> Option<Reason> {
    // Where there is no node at the moment, nothing can be said.
    let any = world.nodes().any(|node| node.up) || could_come(world).next().is_some();
    any.then_some(())?;
    let tasks = at_least(spec);
    for (name, units) in &sum(spec, &tasks).custom {
        let there = world.countable(name);
        let most = there.map_or(0, |c| c.per_minute.map_or(c.count, |rate| rate.min(c.count)));
        if *units > most {
            let reason = Reason::bare(Code::NeverFits).with("resource", &**name);
            return Some(reason.with("need", *units).with("count", most));
        }
    }
    // Equal tasks do not get into each other's way: node by node as many as each has room for.
    // Whether the job can come back may yet change.
    if let [Share { id, tasks: mut left }] = *tasks {
        let (request, fussy) = (spec.request_of(id), Fussy::of(spec, id, true, spot_rule(world)));
        let mut fill = |node: &Arc<Node>| {
            let (by, mut room) = (By::BinPack, all_of(node));
            while left > 0 && fussy.takes(&node.traits) && room.fits(request, When::Now) {
                let grip = room.grip(request, When::Now, by).unwrap_or(Grip::Nothing);
                room.take(request, &grip, When::Now);
                left -= 1;
            }
            left == 0
        };
        let few = |most: u32| most.min(spec.gang.min) as usize;
        let mut come =
            could_come(world).flat_map(|(most, node)| std::iter::repeat_n(node, few(most)));
        if world.nodes().any(&mut fill) || come.any(|node| fill(&node)) {
            return None;
        }
    }
    let mut rooms = Rooms::of(world, world.nodes(), all_of);
    for (count, node) in could_come(world) {
        (0..count.min(spec.gang.min)).for_each(|_| rooms.push(&node));
    }
    let request = largest(spec, &tasks);
    let empty = fit::best(&rooms.rooms, request);
    let (placed, left) = rooms.place(spec, true, &tasks)?;
    // What is short is what is left once the others stand; what there is is an empty node.
    let reason = shortage_of(Code::NeverFits, request, left, empty, "largest");
    Some(gang(reason, spec.gang.min, placed))
}

/// A node as if nothing ran on it and nobody else used its devices.
fn all_of(node: &Node) -> Room {
    let (name, most) = (node.name.clone(), node.traits.max_tasks);
    let devices: Vec<u32> = node.gpus.iter().map(|gpu| gpu.index).collect();
    Room::empty(name, node.capacity.cpu_milli, node.capacity.mem_bytes, most, &devices)
}

/// What some tasks ask for together.
fn sum(spec: &JobSpec, tasks: &[Share]) -> Resources {
    let mut sum = Resources::default();
    for share in tasks {
        sum.add(&spec.request_of(share.id).times(u64::from(share.tasks)));
    }
    sum
}

/// What the first of the tasks asks for, which stands for all in a sentence.
fn largest<'a>(spec: &'a JobSpec, tasks: &[Share]) -> &'a Resources {
    let requests = tasks.iter().map(|share| spec.request_of(share.id));
    requests.max_by_key(|r| (r.gpu_milli, r.cpu_milli, r.mem_bytes)).unwrap_or(&spec.request)
}

/// The array and its limit, for an element that would count as one more.
fn throttle(job: &Job) -> Option<(JobId, u32)> {
    let array = job.spec.array.filter(|_| !job.frozen)?;
    Some((array.id, array.throttle?))
}

/// Everything about room that keeps a job from its next chunk, dominant first.
pub(super) fn reasons(world: &World, job: &Job, at: At) -> Vec<Reason> {
    let spec = &job.spec;
    let tasks = match job.frozen {
        true => running(job),
        false => Some(gangs::next_chunk(job)).filter(|c| !c.is_empty()).unwrap_or(at_least(spec)),
    };
    let mut reasons = Vec::new();
    if let Some(reason) = never_fits(world, spec).filter(|_| !job.frozen) {
        return vec![reason];
    }
    if let Some((array, throttle)) = throttle(job) {
        let running = world.index().elements(array);
        if running >= throttle {
            let reason = Reason::bare(Code::ArrayThrottle).with("running", u64::from(running));
            reasons.push(reason.with("throttle", u64::from(throttle)));
        }
    }
    let chunk = sum(spec, &tasks);
    if !job.frozen {
        reasons.extend(super::gates::reasons(world, job, &chunk, at.now));
    }
    countables(world, job, &chunk, at, &mut reasons);
    if job.frozen {
        reasons.extend(thaw_waits(world, job, at.now));
        return reasons;
    }
    reasons.extend(promised(world, job));
    let mut free = rooms(world, at.now, Some(job.id), |node| node.up && node.drain.is_none());
    if let Some((placed, best)) = free.place(spec, job.has_way_back(), &tasks) {
        reasons.push(no_room(world, at.now, job, &tasks, (placed, best)));
    }
    if reasons.is_empty() {
        reasons.extend(reserved(world, job, at));
    }
    reasons
}

/// Whether room is all that a waiting job lacks: `open` are the nodes that take new work.
pub(in crate::sched) fn lacks_only_room(world: &World, open: &Rooms, job: &Job, at: At) -> bool {
    let spec = &job.spec;
    let tasks = gangs::next_chunk(job);
    let is_full = |(array, throttle)| world.index().elements(array) >= throttle;
    if open.fits(spec, job.has_way_back(), &tasks)
        || world.is_held(&spec.team)
        || throttle(job).is_some_and(is_full)
    {
        return false;
    }
    let chunk = sum(spec, &tasks);
    let mut others = super::gates::reasons(world, job, &chunk, at.now);
    countables(world, job, &chunk, at, &mut others);
    others.is_empty()
}

/// It would fit, but room is kept for another.
fn reserved(world: &World, job: &Job, at: At) -> Option<Reason> {
    let (from, holder) = world.index().reserved().find(|(_, holder)| *holder != job.id)?;
    let reason = Reason::bare(Code::RoomReserved).with("job", holder.0);
    let reason = reason.with("start_at", (at.wall + from.since(at.now)).0);
    let estimate = estimate::of_job(world, job, at.now);
    Some(match estimate.confidence {
        Confidence::None => reason,
        _ => reason.with("need_ms", estimate.p90.0),
    })
}

/// The tasks of a job that hold room, by group.
fn running(job: &Job) -> Vec<Share> {
    job.active_tasks().map(|task| Share { id: task.group, tasks: 1 }).collect()
}

/// Free room as it is, less what is promised to others than `but` and held for those who move.
fn rooms(world: &World, now: Mono, but: Option<JobId>, which: impl Fn(&Node) -> bool) -> Rooms {
    let nodes = world.nodes().filter(|node| which(node));
    let used = |node: &Node| room_of(node, Some(&world.index().used(&node.name)));
    let mut rooms = Rooms::of(world, nodes, used);
    for Holding { placement, held, .. } in stuck(world, now) {
        let room = rooms.rooms.iter_mut().find(|room| room.name == placement.node);
        if let Some(room) = room {
            room.release(&held, &placement.gpus, false);
        }
    }
    for id in world.index().promised.iter().filter(|id| Some(**id) != but) {
        let Some(job) = world.job(*id) else { continue };
        for task in job.tasks.iter().filter(|task| task.state == TaskState::Nominated) {
            let Some(placement) = &task.placement else { continue };
            let room = rooms.rooms.iter_mut().find(|room| room.name == placement.node);
            let (request, grip) = (job.spec.request_of(task.group), &placement.gpus);
            if let Some(room) = room {
                room.take(request, &Grip::Known(grip.clone()), When::Later);
            }
        }
    }
    for (job, _, group, to) in held(world, now) {
        if let Some(room) = rooms.rooms.iter_mut().find(|room| room.name == to.node) {
            let grip = Grip::Known(to.gpus.clone());
            room.take(job.spec.request_of(group), &grip, When::Later);
        }
    }
    rooms
}

/// It is promised room that is still being released.
fn promised(world: &World, job: &Job) -> Option<Reason> {
    let tasks = job.tasks.iter().filter(|task| task.state == TaskState::Nominated);
    let nodes = tasks.filter_map(|task| Some(&*task.placement.as_ref()?.node));
    let names: BTreeSet<&str> = nodes.collect();
    let known = !names.is_empty() && world.job(job.id).is_some();
    let names: Vec<&str> = names.into_iter().collect();
    let on_them = |job: &Arc<Job>| {
        let tasks = job.tasks.iter().filter(|task| task.state == TaskState::Stopping);
        tasks.filter_map(|t| t.placement.as_ref()).any(|at| names.contains(&&*at.node))
    };
    let leaving = world.index().lane(Lane::Running, None).filter_map(|(_, id)| world.job(id));
    let leaving = leaving.filter(|job| on_them(job)).take(OTHERS);
    let jobs: Vec<String> = leaving.map(|job| job.id.to_string()).collect();
    known.then(|| {
        let reason = Reason::bare(Code::Promised).with("node", names.join(", "));
        if jobs.is_empty() { reason } else { reason.with("jobs", jobs.join(", ")) }
    })
}

/// A frozen job can only go on where it is.
fn thaw_waits(world: &World, job: &Job, now: Mono) -> Option<Reason> {
    let mut cores: std::collections::BTreeMap<&Name, u64> = Default::default();
    for task in job.active_tasks() {
        if let Some(placement) = &task.placement {
            let need = job.spec.request_of(task.group).cpu_milli;
            *cores.entry(&placement.node).or_default() += need;
        }
    }
    let rooms = rooms(world, now, None, |node| node.up);
    let free = |name: &Name| rooms.rooms.iter().find(|room| room.name == *name);
    let fits = |(name, need): (&&Name, &u64)| free(name).is_some_and(|r| r.cpu.free() >= *need);
    let has = |(name, share): (&Name, &GpuShare)| {
        free(name).is_some_and(|room| device_has(room, share.index, share.milli))
    };
    let lent = job.active_tasks().filter_map(|task| Some((task, task.placement.as_ref()?)));
    let mut lent = lent.flat_map(|(task, place)| task.lent.iter().map(move |s| (&place.node, s)));
    if let Some((node, share)) = lent.find(|lent| !has(*lent)) {
        let reason = Reason::bare(Code::ThawWaits).with("node", node.to_string());
        return Some(reason.with("gpu", u64::from(share.index)));
    }
    if cores.iter().all(fits) {
        return None;
    }
    let names: Vec<&str> = cores.keys().map(|name| &***name).collect();
    let reason = Reason::bare(Code::ThawWaits).with("node", names.join(", "));
    Some(reason.with("need_cpu_milli", cores.values().sum::<u64>()))
}

/// Units that are promised to others, or held for those who move.
fn promised_units(world: &World, name: &str, but: JobId, now: Mono) -> u64 {
    let jobs = world.index().promised.iter().filter(|id| **id != but);
    let jobs = jobs.filter_map(|id| world.job(*id));
    let tasks = jobs.flat_map(|job| job.tasks.iter().map(move |task| (job, task)));
    let nominated = tasks.filter(|(_, task)| task.state == TaskState::Nominated);
    let units =
        nominated.filter_map(|(job, task)| job.spec.request_of(task.group).custom.get(name));
    let moving = held(world, now).map(|(job, _, group, _)| job.spec.request_of(group));
    let moving = moving.filter_map(|request| request.custom.get(name));
    units.chain(moving).sum()
}

fn countables(world: &World, job: &Job, chunk: &Resources, at: At, reasons: &mut Vec<Reason>) {
    for (name, need) in &chunk.custom {
        // One that is no longer there has no unit; who was frozen meanwhile waits for it.
        let nothing = Countable { count: 0, per_minute: None };
        let (need, countable) = (*need, world.countable(name).unwrap_or(nothing));
        if let Some(limited) = world.limit_of(name, at.wall).filter(|_| !job.frozen) {
            reasons.push(super::urgency::limited(name, limited));
        }
        let taken = world.index().custom_held(name) + promised_units(world, name, job.id, at.now);
        let free = countable.count.saturating_sub(taken);
        if need > free {
            let reason = Reason::bare(Code::ResourceBusy).with("resource", &**name);
            reasons
                .push(reason.with("need", need).with("free", free).with("count", countable.count));
        }
        // Going on after a freeze is no start.
        let Some(rate) = countable.per_minute.filter(|_| !job.frozen) else { continue };
        let taken = world.taken(name, at.now);
        if taken.saturating_add(need) > rate {
            let mut left = taken;
            let enough = world.rate_frees(name, at.now).find(|(_, units)| {
                left = left.saturating_sub(*units);
                left.saturating_add(need) <= rate
            });
            let reason = Reason::bare(Code::RateLimited).with("resource", &**name);
            let reason = reason.with("need", need).with("count", rate).with("taken", taken);
            reasons.push(match enough {
                Some((when, _)) => reason.with("next_at", (at.wall + when.since(at.now)).0),
                None => reason,
            });
        }
    }
}

fn no_room(
    world: &World,
    now: Mono,
    job: &Job,
    tasks: &[Share],
    (placed, best): (u32, Best),
) -> Reason {
    let (spec, comes_back) = (&job.spec, job.has_way_back());
    // Would it fit if the drained nodes or the devices others use were there?
    let mut undrained = rooms(world, now, Some(job.id), |node| node.up);
    if undrained.place(spec, comes_back, tasks).is_none() {
        let drained = world.nodes().filter(|node| node.drain.is_some()).map(|node| &*node.name);
        let names: Vec<&str> = drained.collect();
        return Reason::bare(Code::NodesUnavailable).with("node", names.join(", "));
    }
    let request = largest(spec, tasks);
    if let Some(by) = foreign_user(world, job, tasks) {
        return shortage(Code::GpuForeign, request, best, "best").with("by", &*by);
    }
    let min = spec.gang.min;
    let code = if min > 1 { Code::GangIncomplete } else { Code::NoRoom };
    let reason = gang(shortage(code, request, best, "best"), min, placed);
    nodes::histogram(world, spec, comes_back, tasks, reason)
}

/// Who uses a device without which the job does not fit and with which it would.
fn foreign_user(world: &World, job: &Job, tasks: &[Share]) -> Option<Name> {
    let by = world.nodes().flat_map(|node| &node.gpus).find_map(|gpu| gpu.foreign.clone())?;
    let ours = |node: &Node| Node {
        gpus: node.gpus.iter().map(|gpu| Gpu { foreign: None, ..gpu.clone() }).collect(),
        ..node.clone()
    };
    let open = world.nodes().filter(|node| node.up && node.drain.is_none());
    let used = |node: &Node| room_of(&ours(node), Some(&world.index().used(&node.name)));
    let mut rooms = Rooms::of(world, open, used);
    rooms.place(&job.spec, job.has_way_back(), tasks).is_none().then_some(by)
}

/// What is asked for against the most there is in one place, of what is short only.
fn shortage(code: Code, request: &Resources, best: Best, word: &str) -> Reason {
    shortage_of(code, request, best, best, word)
}

/// The same, where what decides what is short is not what is said to be there.
fn shortage_of(code: Code, request: &Resources, left: Best, best: Best, word: &str) -> Reason {
    let mut reason = Reason::bare(code);
    for (name, need, left, have) in [
        ("gpu_milli", request.gpu_milli, left.gpu_milli, best.gpu_milli),
        ("cpu_milli", request.cpu_milli, left.cpu_milli, best.cpu_milli),
        ("mem_bytes", request.mem_bytes, left.mem_bytes, best.mem_bytes),
    ] {
        if need > left {
            reason = reason.with(&format!("need_{name}"), need);
            reason = reason.with(&format!("{word}_{name}"), have);
        }
    }
    reason
}

fn gang(reason: Reason, min: u32, placed: u32) -> Reason {
    if min == 1 {
        return reason;
    }
    reason.with("gang", u64::from(min)).with("placed", u64::from(placed))
}

/// What would let it start: the first running job, longest run first, whose end alone would.
/// Only the first [`OTHERS`] are looked at.
pub(super) fn would_change(world: &World, job: &Job, at: At) -> Vec<Reason> {
    if job.state != State::Queued || never_fits(world, &job.spec).is_some() {
        return Vec::new();
    }
    let others = world.index().lane(Lane::Running, None).take(OTHERS);
    let enough = others.filter_map(|(_, id)| world.job(id)).find(|other| {
        let mut without = world.clone();
        without.drop_job(other.id);
        reasons(&without, job, at).is_empty()
    });
    enough.map(|other| Reason::bare(Code::Running).with("job", other.id.0)).into_iter().collect()
}
