//! Work conservation, checked the slow way: every queued job against every node, from the jobs
//! alone and without a look at how the core keeps count.

use std::collections::BTreeMap;

use std::sync::Arc;

use holdshort::base::{At, Name, Span};
use holdshort::model::job::{GpuShare, Job, Placement, State, StopFor, Task, TaskState};
use holdshort::model::team::Bounds;
use holdshort::model::{Node, Resources, Team};
use holdshort::sched::{World, explain};

/// What is free on a node.
#[derive(Debug, Clone)]
struct Free {
    cpu: i128,
    mem: i128,
    gpus: Vec<u64>,
}

/// Jobs that could start now and do not.
pub fn idle_room(world: &World, at: At) -> Vec<String> {
    // Which of several kinds of tasks come first is left to others.
    let queued = world.jobs().filter(|job| job.spec.groups.is_none());
    let queued = queued.filter(|job| wants_room(job).is_some());
    let moving = &moving(world, at)[..];
    let may = |job: &&Arc<Job>| gates_open(world, job, at, moving) && fits(world, job, at, moving);
    let idle = queued.filter(may);
    let why = |job: &Job| explain::reason(world, job, at);
    idle.map(|job| format!("job {} fits and does not start: {:?}", job.id, why(job))).collect()
}

/// At most one job wants room, so that none is kept for others.
pub fn alone(world: &World) -> bool {
    world.jobs().filter(|job| wants_room(job).is_some()).count() < 2
}

/// Tasks it wants to place together, and whether it is a new start.
fn wants_room(job: &Job) -> Option<(u32, bool)> {
    let waits = |task: &Task| matches!(task.state, TaskState::Pending | TaskState::Nominated);
    let pending = job.tasks.iter().any(waits);
    let ended = job.tasks.iter().any(Task::is_over);
    match job.state {
        State::Queued => Some((job.spec.gang.min, !job.frozen)),
        State::Starting | State::Running if pending && !ended => Some((1, false)),
        _ => None,
    }
}

fn active(job: &Job) -> u64 {
    job.tasks.iter().filter(|task| task.state.is_active()).count() as u64
}

fn gates_open(world: &World, job: &Job, at: At, moving: &[Move<'_>]) -> bool {
    let line = |team: &&Team| is_at_or_below(&job.spec.team, &team.name);
    if world.paused().is_some() || world.teams().filter(line).any(|team| team.paused.is_some()) {
        return false;
    }
    let Some((chunk, new)) = wants_room(job) else { return false };
    if !job.frozen
        && !world.teams().filter(line).all(|team| bounds_hold(world, team, job, chunk, moving))
    {
        return false;
    }
    if let Some(array) = job.spec.array.filter(|_| new)
        && let Some(throttle) = array.throttle
    {
        let same = |other: &&std::sync::Arc<Job>| {
            other.spec.array.is_some_and(|a| a.id == array.id) && active(other) > 0
        };
        if world.jobs().filter(same).count() >= throttle as usize {
            return false;
        }
    }
    let tasks = if job.frozen { active(job) } else { u64::from(chunk) };
    job.spec.request.custom.iter().all(|(name, units)| {
        let Some(countable) = world.countable(name) else { return false };
        let units_of = |job: &Job, task: &Task| {
            let units = job.spec.request_of_task(task).custom.get(name).copied();
            u128::from(units.unwrap_or(0))
        };
        let holders = world.jobs().filter(|job| !job.frozen);
        let held: u128 =
            holders.flat_map(|job| job.active_tasks().map(|task| units_of(job, task))).sum();
        let need = u128::from(*units) * u128::from(tasks);
        let promised: u128 = promised(world, job).map(|(other, task)| units_of(other, task)).sum();
        let moving = moving.iter().map(|(job, task, _)| units_of(job, task));
        let held = held + promised + moving.sum::<u128>();
        let taken = u128::from(world.taken(name, at.now));
        let rate = countable.per_minute.filter(|_| !job.frozen && world.setup().cycle.on("rate"));
        let closed = !job.frozen && world.limit_of(name, at.wall).is_some();
        !closed
            && held + need <= u128::from(countable.count)
            && rate.is_none_or(|rate| taken + need <= u128::from(rate))
    })
}

/// Tasks of others that are promised room.
fn promised<'a>(world: &'a World, but: &Job) -> impl Iterator<Item = (&'a Job, &'a Task)> {
    let but = but.id;
    let others = world.jobs().filter(move |other| other.id != but);
    others.flat_map(|other| {
        let tasks = other.tasks.iter().filter(|task| task.state == TaskState::Nominated);
        tasks.map(move |task| (&**other, task))
    })
}

/// A task that moves, and where.
pub type Move<'a> = (&'a Job, &'a Task, &'a Placement);

/// Tasks that are being stopped in order to go on elsewhere, with where.
pub fn moving(world: &World, at: At) -> Vec<Move<'_>> {
    let mut all = Vec::new();
    for job in world.jobs() {
        let Some((eviction, _)) = job.evicted.as_deref().filter(|(why, _)| !why.to.is_empty())
        else {
            continue;
        };
        let goes = match job.state {
            State::Stopping(StopFor::Preempt) => eviction.ranks.is_empty(),
            State::Starting | State::Running => !eviction.ranks.is_empty(),
            _ => false,
        };
        let stuck = job.since.now + job.spec.grace + Span::mins(5) <= at.now;
        let stuck = stuck && matches!(job.state, State::Stopping(_));
        let held = world.is_held(&job.spec.team) || job.hold.is_some() || job.frozen;
        if !goes || stuck || held {
            continue; // One that is queued again has no tasks.
        }
        for (rank, to) in &eviction.to {
            let task = &job.tasks[*rank as usize];
            if task.state == TaskState::Stopping {
                all.push((&**job, task, to));
            }
        }
    }
    all
}

fn is_at_or_below(team: &str, above: &str) -> bool {
    team.strip_prefix(above).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}

/// The limit of a team, and for a job that never gives way its quota, with so many tasks more.
fn bounds_hold(world: &World, team: &Team, job: &Job, chunk: u32, moving: &[Move<'_>]) -> bool {
    let below = |other: &&Arc<Job>| is_at_or_below(&other.spec.team, &team.name);
    let sum = |firm: bool| {
        let mut sum = job.spec.request.times(u64::from(chunk));
        for other in world.jobs().filter(below).filter(|o| !firm || !o.spec.preemptible) {
            let stays = |task: &&Task| {
                let promised = task.state == TaskState::Nominated && other.id != job.id;
                promised || matches!(task.state, TaskState::Starting | TaskState::Running)
            };
            let moves = moving.iter().filter(|(job, ..)| job.id == other.id);
            let moves = moves.map(|(_, task, _)| *task);
            for task in other.tasks.iter().filter(stays).chain(moves) {
                let held = other.spec.request_of_task(task);
                let cpu_milli = if other.frozen { 0 } else { held.cpu_milli };
                let gpu_milli = if task.lent.is_empty() { held.gpu_milli } else { 0 };
                sum.add(&Resources { cpu_milli, gpu_milli, ..held.clone() });
            }
        }
        sum
    };
    let asked = &job.spec.request;
    let within = |bound: Option<u64>, need: u64, sum: u64| {
        need == 0 || bound.is_none_or(|bound| sum <= bound)
    };
    let holds = |bounds: &Bounds, sum: &Resources| {
        within(bounds.cpu_milli, asked.cpu_milli, sum.cpu_milli)
            && within(bounds.mem_bytes, asked.mem_bytes, sum.mem_bytes)
            && within(bounds.gpu_milli, asked.gpu_milli, sum.gpu_milli)
    };
    holds(&team.terms.limit, &sum(false))
        && (job.spec.preemptible || holds(&team.terms.quota, &sum(true)))
}

fn fits(world: &World, job: &Job, at: At, moving: &[Move<'_>]) -> bool {
    let request = &job.spec.request;
    if job.frozen {
        let mut need: BTreeMap<&Name, i128> = BTreeMap::new();
        for task in job.tasks.iter().filter(|task| task.state.is_active()) {
            let node = &task.placement.as_ref().unwrap().node;
            *need.entry(node).or_default() += i128::from(request.cpu_milli);
        }
        let node = |name: &Name| world.node(name).filter(|node| node.up);
        let lent = job.tasks.iter().flat_map(|task| task.lent.iter().map(move |s| (task, s)));
        let back = |(task, share): (&Task, &GpuShare)| {
            let place = task.placement.as_ref().unwrap();
            let Some(node) = node(&place.node) else { return false };
            let mut ours = node.gpus.iter().filter(|gpu| gpu.foreign.is_none());
            let at_all = ours.position(|gpu| gpu.index == share.index);
            at_all.is_some_and(|nth| free(world, node, job, at, moving).gpus[nth] >= share.milli)
        };
        if !lent.into_iter().all(back) {
            return false;
        }
        return need.iter().all(|(name, need)| {
            *need == 0 || node(name).is_some_and(|n| free(world, n, job, at, moving).cpu >= *need)
        });
    }
    let (mut left, _) = wants_room(job).unwrap();
    let open = world.nodes().filter(|node| node.up && node.drain.is_none());
    let open = open.filter(|node| takes(world, node, job));
    for mut free in open.map(|node| free(world, node, job, at, moving)) {
        while left > 0 && take(&mut free, request) {
            left -= 1;
        }
    }
    left == 0
}

/// A node takes a job by its labels, its kind and the number of its tasks. (Which of several
/// tasks is the one too many is left to others: such nodes take all or nothing here.)
fn takes(world: &World, node: &Node, job: &Job) -> bool {
    let traits = &node.traits;
    let comes_back = job.has_way_back();
    let on_node = |task: &&Task| {
        let there = task.placement.as_ref().is_some_and(|p| p.node == node.name);
        there && (task.state.is_active() || task.state == TaskState::Nominated)
    };
    let tasks = world.jobs().map(|other| other.tasks.iter().filter(on_node).count()).sum::<usize>();
    job.spec.node_labels.iter().all(|(name, value)| traits.labels.get(name) == Some(value))
        && (!traits.spot || !world.setup().cycle.on("spot") || job.spec.spot && comes_back)
        && traits.max_tasks.is_none_or(|most| tasks + job.spec.gang.min as usize <= most as usize)
}

/// What is free on a node now and not needed for what others are promised.
fn free(world: &World, node: &Node, job: &Job, at: At, moving: &[Move<'_>]) -> Free {
    let mut held = Free { cpu: 0, mem: 0, gpus: vec![0; 8] };
    let mut later = held.clone();
    for other in world.jobs() {
        for task in &other.tasks {
            let promised = task.state == TaskState::Nominated && other.id != job.id;
            let active = task.state.is_active();
            let Some(placement) = task.placement.as_ref().filter(|p| p.node == node.name) else {
                continue;
            };
            let request = other.spec.request_of_task(task);
            let cpu = if other.frozen { 0 } else { request.cpu_milli };
            let count = |sums: &mut Free| {
                sums.cpu += i128::from(cpu);
                sums.mem += i128::from(request.mem_bytes);
                for share in &placement.gpus {
                    sums.gpus[share.index as usize] += share.milli;
                }
            };
            if active {
                count(&mut held);
            }
            // Nobody counts on what should have gone long ago.
            let patience = other.spec.grace + Span::mins(5);
            let stuck =
                matches!(other.state, State::Stopping(_)) && other.since.now + patience <= at.now;
            if promised || (active && (stuck || task.state != TaskState::Stopping)) {
                count(&mut later);
            }
        }
    }
    for (other, task, to) in moving.iter().filter(|(.., to)| to.node == node.name) {
        let request = other.spec.request_of_task(task);
        later.cpu += i128::from(request.cpu_milli);
        later.mem += i128::from(request.mem_bytes);
        to.gpus.iter().for_each(|share| later.gpus[share.index as usize] += share.milli);
    }
    let ours = node.gpus.iter().filter(|gpu| gpu.foreign.is_none());
    let left = |index: u32| {
        let index = index as usize;
        // A device of which something is promised is not whole.
        1000u64.saturating_sub(held.gpus[index].max(later.gpus[index]))
    };
    Free {
        cpu: i128::from(node.capacity.cpu_milli) - held.cpu.max(later.cpu),
        mem: i128::from(node.capacity.mem_bytes) - held.mem.max(later.mem),
        gpus: ours.map(|gpu| left(gpu.index)).collect(),
    }
}

/// One task on one node. Shares of a device go where least is free, as nobody could do better.
fn take(free: &mut Free, request: &holdshort::model::Resources) -> bool {
    let (cpu, mem) = (i128::from(request.cpu_milli), i128::from(request.mem_bytes));
    if (cpu > 0 && free.cpu < cpu) || (mem > 0 && free.mem < mem) {
        return false;
    }
    let gpu = request.gpu_milli;
    if gpu >= 1000 {
        let whole: Vec<usize> = (0..free.gpus.len()).filter(|i| free.gpus[*i] == 1000).collect();
        let need = (gpu / 1000) as usize;
        if whole.len() < need {
            return false;
        }
        whole.iter().take(need).for_each(|i| free.gpus[*i] = 0);
    } else if gpu > 0 {
        let Some(best) = free.gpus.iter_mut().filter(|free| **free >= gpu).min() else {
            return false;
        };
        *best -= gpu;
    }
    free.cpu -= cpu;
    free.mem -= mem;
    true
}
