//! Reasons that lie in room: what is asked for against what there is.

use crate::base::At;
use crate::model::Resources;
use crate::model::job::{Job, JobSpec, State};
use crate::model::node::Node;
use crate::model::reason::{Code, Reason};
use crate::sched::actions::allocate::{room, rooms};
use crate::sched::index::next_chunk;
use crate::sched::policy::fit::{self, Best, Room, WHOLE};
use crate::sched::world::World;

/// Why this could never start here even if everything were free; `None` if it could.
pub fn never_fits(world: &World, spec: &JobSpec) -> Option<Reason> {
    world.nodes().next()?;
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

/// Everything about room that keeps a job from its next chunk, dominant first.
pub(super) fn reasons(world: &World, job: &Job, at: At) -> Vec<Reason> {
    let spec = &job.spec;
    let Some(chunk) = next_chunk(job).or(Some(spec.gang.min)) else { return Vec::new() };
    let mut reasons = Vec::new();
    if let Some(reason) = never_fits(world, spec).filter(|_| !job.frozen) {
        return vec![reason];
    }
    if let Some((array, throttle)) = spec.array.and_then(|a| Some((a.id, a.throttle?))) {
        let running = world.index().arrays.get(&array).copied().unwrap_or(0);
        if running >= throttle {
            let reason = Reason::bare(Code::ArrayThrottle).with("running", u64::from(running));
            reasons.push(reason.with("throttle", u64::from(throttle)));
        }
    }
    if job.state == State::Queued && job.frozen {
        let nodes = job.active_tasks().filter_map(|task| task.placement.as_ref());
        let names: std::collections::BTreeSet<&str> = nodes.map(|p| &*p.node).collect();
        let names: Vec<&str> = names.into_iter().collect();
        let reason = Reason::bare(Code::ThawWaits).with("node", names.join(", "));
        reasons.push(reason.with("need_cpu_milli", spec.request.cpu_milli));
        return reasons;
    }
    countables(world, &spec.request, u64::from(chunk), at, &mut reasons);
    let mut free = rooms(world);
    if let Err((placed, best)) = fit::place(&mut free, &spec.request, chunk) {
        reasons.push(no_room(world, spec, placed, best));
    }
    reasons
}

fn countables(world: &World, request: &Resources, n: u64, at: At, reasons: &mut Vec<Reason>) {
    for (name, units) in &request.custom {
        let Some(countable) = world.countable(name) else { continue };
        let need = units.saturating_mul(n);
        let free = countable.count.saturating_sub(world.index().custom_held(name));
        if need > free {
            let reason = Reason::bare(Code::ResourceBusy).with("resource", &**name);
            reasons
                .push(reason.with("need", need).with("free", free).with("count", countable.count));
        }
        let Some(rate) = countable.per_minute else { continue };
        let taken = world.taken(name, at.now);
        if taken + need > rate {
            let mut left = taken;
            let enough = world.rate_frees(name, at.now).find(|(_, units)| {
                left = left.saturating_sub(*units);
                left + need <= rate
            });
            let reason = Reason::bare(Code::RateLimited).with("resource", &**name);
            let reason = reason.with("need", need).with("per_minute", rate).with("taken", taken);
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
    if spec.request.gpu_milli > 0 && placed == 0 && best.gpu_milli < spec.request.gpu_milli {
        let foreign = world.nodes().flat_map(|node| &node.gpus).find_map(|g| g.foreign.clone());
        if let Some(by) = foreign.filter(|_| world.index().uses.is_empty()) {
            let reason = shortage(Code::GpuForeign, &spec.request, best, "best");
            return reason.with("by", &*by);
        }
    }
    let code = if min > 1 { Code::GangIncomplete } else { Code::NoRoom };
    gang(shortage(code, &spec.request, best, "best"), min, placed)
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

/// What would let it start: the holds that could be lifted, the jobs whose end would make room.
pub(super) fn would_change(world: &World, job: &Job, at: At) -> Vec<Reason> {
    if job.state != State::Queued || never_fits(world, &job.spec).is_some() {
        return Vec::new();
    }
    let waits_for_room = reasons(world, job, at)
        .iter()
        .any(|r| matches!(r.code, Code::NoRoom | Code::GangIncomplete | Code::ThawWaits));
    if !waits_for_room {
        return Vec::new();
    }
    // The first running job, oldest first, whose end alone would make the room.
    let index = world.index();
    let running = index.lane(crate::model::page::Lane::Running, None).take(64);
    let enough = running.filter_map(|(_, id)| world.job(id)).find(|other| {
        let mut without = world.clone();
        without.drop_job(other.id);
        fit::place(&mut rooms(&without), &job.spec.request, job.spec.gang.min).is_ok()
    });
    enough.map(|other| Reason::bare(Code::Running).with("job", other.id.0)).into_iter().collect()
}
