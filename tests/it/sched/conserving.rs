//! Work conservation, checked the slow way: every queued job against every node, from the jobs
//! alone and without a look at how the core keeps count.

use std::collections::BTreeMap;

use holdshort::base::{At, Name};
use holdshort::model::Node;
use holdshort::model::job::{Job, State, TaskState};
use holdshort::sched::World;

/// What is free on a node.
#[derive(Debug, Clone)]
struct Free {
    cpu: i128,
    mem: i128,
    gpus: Vec<u64>,
}

/// Jobs that could start now and do not.
pub fn idle_room(world: &World, at: At) -> Vec<String> {
    let queued = world.jobs().filter(|job| wants_room(job).is_some());
    let idle = queued.filter(|job| gates_open(world, job, at) && fits(world, job));
    idle.map(|job| format!("job {} fits and does not start", job.id)).collect()
}

/// Tasks it wants to place together, and whether it is a new start.
fn wants_room(job: &Job) -> Option<(u32, bool)> {
    let pending = job.tasks.iter().any(|task| task.state == TaskState::Pending);
    let ended = job.tasks.iter().any(|task| task.state == TaskState::Ended);
    match job.state {
        State::Queued => Some((job.spec.gang.min, !job.frozen)),
        State::Starting | State::Running if pending && !ended => Some((1, false)),
        _ => None,
    }
}

fn active(job: &Job) -> u64 {
    job.tasks.iter().filter(|task| task.state.is_active()).count() as u64
}

fn gates_open(world: &World, job: &Job, at: At) -> bool {
    let team = world.teams().find(|team| team.name == job.spec.team);
    if world.paused().is_some() || team.is_some_and(|team| team.paused.is_some()) {
        return false;
    }
    let Some((chunk, new)) = wants_room(job) else { return false };
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
        let units_of = |job: &Job| job.spec.request.custom.get(name).copied().unwrap_or(0);
        let holders = world.jobs().filter(|job| !job.frozen);
        let held: u128 =
            holders.map(|job| u128::from(units_of(job)) * u128::from(active(job))).sum();
        let need = u128::from(*units) * u128::from(tasks);
        let taken = u128::from(world.taken(name, at.now));
        let rate = countable.per_minute.filter(|_| !job.frozen);
        let closed = !job.frozen && world.limit_of(name, at.wall).is_some();
        !closed
            && held + need <= u128::from(countable.count)
            && rate.is_none_or(|rate| taken + need <= u128::from(rate))
    })
}

fn fits(world: &World, job: &Job) -> bool {
    let request = &job.spec.request;
    if job.frozen {
        let mut need: BTreeMap<&Name, i128> = BTreeMap::new();
        for task in job.tasks.iter().filter(|task| task.state.is_active()) {
            let node = &task.placement.as_ref().unwrap().node;
            *need.entry(node).or_default() += i128::from(request.cpu_milli);
        }
        let node = |name: &Name| world.node(name).filter(|node| node.up);
        return need.iter().all(|(name, need)| {
            *need == 0 || node(name).is_some_and(|n| free(world, n).cpu >= *need)
        });
    }
    let (mut left, _) = wants_room(job).unwrap();
    let open = world.nodes().filter(|node| node.up && node.drain.is_none());
    for mut free in open.map(|node| free(world, node)) {
        while left > 0 && take(&mut free, request) {
            left -= 1;
        }
    }
    left == 0
}

fn free(world: &World, node: &Node) -> Free {
    let mut free = Free {
        cpu: i128::from(node.capacity.cpu_milli),
        mem: i128::from(node.capacity.mem_bytes),
        gpus: Vec::new(),
    };
    let mut used: BTreeMap<u32, u64> = BTreeMap::new();
    for job in world.jobs() {
        for task in job.tasks.iter().filter(|task| task.state.is_active()) {
            let placement = task.placement.as_ref().unwrap();
            if placement.node != node.name {
                continue;
            }
            let cpu = if job.frozen { 0 } else { job.spec.request.cpu_milli };
            free.cpu -= i128::from(cpu);
            free.mem -= i128::from(job.spec.request.mem_bytes);
            for share in &placement.gpus {
                *used.entry(share.index).or_default() += share.milli;
            }
        }
    }
    let ours = node.gpus.iter().filter(|gpu| gpu.foreign.is_none());
    free.gpus = ours.map(|gpu| 1000 - used.get(&gpu.index).copied().unwrap_or(0)).collect();
    free
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
