//! Reasons that lie in room: what is asked for against what there is.

use std::collections::BTreeSet;

use crate::base::{At, JobId, Name};
use crate::model::Resources;
use crate::model::job::{Job, JobSpec, State};
use crate::model::node::{Gpu, Node};
use crate::model::page::Lane;
use crate::model::reason::{Code, Reason};
use crate::sched::actions::allocate::{cores_free, could_start, room, rooms};
use crate::sched::index::next_chunk;
use crate::sched::policy::fit::{self, Best, Room, WHOLE};
use crate::sched::world::World;

/// Running jobs that are looked at for one whose end would help.
const OTHERS: usize = 64;

/// Why this could never start here even if everything were free; `None` if it could.
pub fn never_fits(world: &World, spec: &JobSpec) -> Option<Reason> {
    // Where there is no node at the moment, nothing can be said.
    world.nodes().find(|node| node.up)?;
    let min = u64::from(spec.gang.min);
    for (name, units) in &spec.request.custom {
        let there = world.countable(name);
        let most = there.map_or(0, |c| c.per_minute.map_or(c.count, |rate| rate.min(c.count)));
        let need = units.saturating_mul(min);
        if need > most {
            let reason = Reason::bare(Code::NeverFits).with("resource", &**name);
            return Some(reason.with("need", need).with("count", most));
        }
    }
    let mut empty: Vec<Room> = world.nodes().map(|node| all_of(node)).collect();
    match fit::place(&mut empty, &spec.request, spec.gang.min) {
        Ok(_) => None,
        Err((placed, best)) => {
            let reason = shortage(Code::NeverFits, &spec.request, best, "largest");
            Some(gang(reason, spec.gang.min, placed))
        }
    }
}

/// A node as if nothing ran on it and nobody else used its devices.
fn all_of(node: &Node) -> Room {
    Room {
        name: node.name.clone(),
        cpu_milli: node.capacity.cpu_milli,
        mem_bytes: node.capacity.mem_bytes,
        gpus: node.gpus.iter().map(|gpu| (gpu.index, WHOLE)).collect(),
        cpu_total: node.capacity.cpu_milli,
    }
}

/// The array and its limit, for an element that would count as one more.
fn throttle(job: &Job) -> Option<(JobId, u32)> {
    let array = job.spec.array.filter(|_| !job.frozen)?;
    Some((array.id, array.throttle?))
}

/// Everything about room that keeps a job from its next chunk, dominant first.
pub(super) fn reasons(world: &World, job: &Job, at: At) -> Vec<Reason> {
    let spec = &job.spec;
    let chunk = next_chunk(job).unwrap_or(spec.gang.min);
    let mut reasons = Vec::new();
    if let Some(reason) = never_fits(world, spec).filter(|_| !job.frozen) {
        return vec![reason];
    }
    if let Some((array, throttle)) = throttle(job) {
        let running = world.index().arrays.get(&array).copied().unwrap_or(0);
        if running >= throttle {
            let reason = Reason::bare(Code::ArrayThrottle).with("running", u64::from(running));
            reasons.push(reason.with("throttle", u64::from(throttle)));
        }
    }
    countables(world, job, u64::from(chunk), at, &mut reasons);
    if job.frozen {
        reasons.extend(thaw_waits(world, job, chunk));
        return reasons;
    }
    let mut free = rooms(world);
    if let Err((placed, best)) = fit::place(&mut free, &spec.request, chunk) {
        reasons.push(no_room(world, spec, placed, best));
    }
    reasons
}

/// A frozen job can only go on where it is.
fn thaw_waits(world: &World, job: &Job, tasks: u32) -> Option<Reason> {
    if cores_free(world, job) {
        return None;
    }
    let nodes = job.active_tasks().filter_map(|task| task.placement.as_ref());
    let names: BTreeSet<&str> = nodes.map(|placement| &*placement.node).collect();
    let names: Vec<&str> = names.into_iter().collect();
    let need = job.spec.request.cpu_milli.saturating_mul(u64::from(tasks));
    let reason = Reason::bare(Code::ThawWaits).with("node", names.join(", "));
    Some(reason.with("need_cpu_milli", need))
}

fn countables(world: &World, job: &Job, tasks: u64, at: At, reasons: &mut Vec<Reason>) {
    for (name, units) in &job.spec.request.custom {
        let Some(countable) = world.countable(name) else { continue };
        let need = units.saturating_mul(tasks);
        let free = countable.count.saturating_sub(world.index().custom_held(name));
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

fn no_room(world: &World, spec: &JobSpec, placed: u32, best: Best) -> Reason {
    let min = spec.gang.min;
    // Would it fit if the drained nodes or the devices others use were there?
    let mut undrained: Vec<Room> =
        world.nodes().filter(|node| node.up).map(|node| room(world, node)).collect();
    if fit::place(&mut undrained, &spec.request, min).is_ok() {
        let drained = world.nodes().filter(|node| node.drain.is_some()).map(|node| &*node.name);
        let names: Vec<&str> = drained.collect();
        return Reason::bare(Code::NodesUnavailable).with("node", names.join(", "));
    }
    if let Some(by) = foreign_user(world, spec) {
        return shortage(Code::GpuForeign, &spec.request, best, "best").with("by", &*by);
    }
    let code = if min > 1 { Code::GangIncomplete } else { Code::NoRoom };
    gang(shortage(code, &spec.request, best, "best"), min, placed)
}

/// Who uses a device without which the job does not fit and with which it would.
fn foreign_user(world: &World, spec: &JobSpec) -> Option<Name> {
    let by = world.nodes().flat_map(|node| &node.gpus).find_map(|gpu| gpu.foreign.clone())?;
    let ours = |node: &Node| Node {
        gpus: node.gpus.iter().map(|gpu| Gpu { foreign: None, ..gpu.clone() }).collect(),
        ..node.clone()
    };
    let open = world.nodes().filter(|node| node.up && node.drain.is_none());
    let mut rooms: Vec<Room> = open.map(|node| room(world, &ours(node))).collect();
    fit::place(&mut rooms, &spec.request, spec.gang.min).is_ok().then_some(by)
}

/// What is asked for against the most there is in one place, of what is short only.
fn shortage(code: Code, request: &Resources, best: Best, word: &str) -> Reason {
    let mut reason = Reason::bare(code);
    for (name, need, have) in [
        ("gpu_milli", request.gpu_milli, best.gpu_milli),
        ("cpu_milli", request.cpu_milli, best.cpu_milli),
        ("mem_bytes", request.mem_bytes, best.mem_bytes),
    ] {
        if need > have {
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
        could_start(&without, job, at.now)
    });
    enough.map(|other| Reason::bare(Code::Running).with("job", other.id.0)).into_iter().collect()
}
