//! Of all nodes, how many are out for which reason: each is counted once.

use crate::model::Node;
use crate::model::job::JobSpec;
use crate::model::reason::Reason;
use crate::sched::board::place::Fussy;
use crate::sched::board::room;
use crate::sched::policy::fit::{By, Room, When};
use crate::sched::policy::gang::Share;
use crate::sched::world::World;

/// Adds how many nodes there are and why they do not take the next task, if there are several.
pub(super) fn histogram(
    world: &World,
    spec: &JobSpec,
    comes_back: bool,
    tasks: &[Share],
    reason: Reason,
) -> Reason {
    let Some(group) = tasks.first().map(|share| share.id) else { return reason };
    let nodes = world.nodes().count() as u64;
    if nodes < 2 {
        return reason;
    }
    let mut counts = std::collections::BTreeMap::<&str, u64>::new();
    for node in world.nodes() {
        let why = out(world, spec, comes_back, group, node).unwrap_or("nodes_fit");
        *counts.entry(why).or_default() += 1;
    }
    let reason = reason.with("nodes", nodes);
    counts.into_iter().fold(reason, |reason, (why, count)| reason.with(why, count))
}

/// Why a node does not take one more such task.
fn out(
    world: &World,
    spec: &JobSpec,
    comes_back: bool,
    group: u32,
    node: &Node,
) -> Option<&'static str> {
    let request = spec.request_of(group);
    if !node.up {
        return Some("nodes_down");
    }
    if node.drain.is_some() {
        return Some("nodes_drained");
    }
    let rule = world.setup().cycle.on("spot");
    if !Fussy::of(spec, group, comes_back, rule).takes(&node.traits) {
        return Some("nodes_unfit");
    }
    let room: Room = room(node, Some(&world.index().used(&node.name)));
    if request.gpu_milli > 0 && room.grip(request, When::Now, By::BinPack).is_none() {
        return Some("nodes_short_gpu");
    }
    if request.cpu_milli > room.cpu.free() {
        return Some("nodes_short_cpu");
    }
    if request.mem_bytes > room.mem.free() {
        return Some("nodes_short_mem");
    }
    (room.tasks.free() == 0).then_some("nodes_full")
}
