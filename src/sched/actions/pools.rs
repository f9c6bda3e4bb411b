//! Elastic pools: nodes come for what has waited long enough for room that they would give, and go
//! when nobody has used them for long. A node is drained before it goes.

mod demand;

use std::ops::Bound::{Excluded, Unbounded};
use std::sync::Arc;

use crate::base::{JobId, Mono, Name};
use crate::model::job::state::TIME;
use crate::model::node::Node;
use crate::model::pool::{Member, Pool, PoolState, Stage};
use crate::model::{Fact, Resources};
use crate::sched::actions::pools::demand::Demand;
use crate::sched::board::moved::held;
use crate::sched::plan::Plan;
use crate::sched::policy::pool::{RETRY_AFTER, goes, grows};
use crate::sched::world::World;

/// The name of the switch.
const SWITCH: &str = "pool";

/// Lets pools grow and shrink; whether that changed anything.
pub fn run(plan: &mut Plan) -> bool {
    let setup = plan.world().setup();
    if setup.pools.is_empty() && plan.world().pools.is_empty() || !setup.cycle.on(SWITCH) {
        return false;
    }
    let (pools, before) = (setup.pools.clone(), plan.facts().len());
    leave_unknown(plan, &pools);
    for pool in &pools {
        shrink(plan, pool);
    }
    let mut demand = Demand::of(plan.world(), plan.at());
    for pool in &pools {
        grow(plan, pool, &mut demand);
    }
    plan.facts().len() > before
}

/// When a pool may next grow or shrink by itself, after `now`.
pub fn next_due(world: &World, now: Mono) -> Option<Mono> {
    let pools = world.setup().pools.iter().filter(|_| world.setup().cycle.on(SWITCH));
    let due = pools.flat_map(|pool| {
        let state = world.pools.get(&pool.name);
        let unused = state.into_iter().flat_map(|state| unused(world, pool, state, now));
        let unused = unused.map(|(_, member)| member.used + pool.shrink_after);
        let retry = state.and_then(|state| Some(state.failed? + RETRY_AFTER));
        // Those that will have waited long enough next, of each kind.
        let after = (now - pool.grow_after, JobId(u64::MAX));
        let waits = world.index().waiting().filter_map(|(_, waits)| {
            let next = waits.range((Excluded(after), Unbounded)).next();
            next.map(|(since, _)| *since + pool.grow_after)
        });
        let waits = waits.min();
        unused.chain(retry).chain(waits).collect::<Vec<_>>()
    });
    due.filter(|due| *due > now).min()
}

/// Nodes of a pool on which nothing runs, and nothing is to start before they would have to come
/// back.
fn unused<'a>(
    world: &'a World,
    pool: &Pool,
    state: &'a PoolState,
    now: Mono,
) -> impl Iterator<Item = (&'a Name, &'a Member)> {
    let here = state.members.iter().filter(|(_, member)| member.stage == Stage::Here);
    let soon = now + pool.shrink_after;
    here.filter(move |(node, _)| is_unused(world, node, now) && !is_reserved(world, node, soon))
}

/// Room on it is kept for a job that starts by then.
fn is_reserved(world: &World, node: &str, by: Mono) -> bool {
    let reserves = world.setup().cycle.on("reservation");
    let reserved = world.index().reserved().take_while(|(at, _)| *at <= by);
    let mut jobs = reserved.filter(|_| reserves).filter_map(|(_, id)| world.job(id));
    jobs.any(|job| job.reserved.as_ref().is_some_and(|reserved| reserved.room.contains_key(node)))
}

fn is_unused(world: &World, node: &str, now: Mono) -> bool {
    let promised = world.index().promised_jobs().filter_map(|id| world.job(id));
    let places = promised.flat_map(|job| &job.tasks).filter_map(|task| task.placement.as_ref());
    let mut places = places.chain(held(world, now).map(|(.., to)| to));
    world.index().used(node).tasks == 0 && !places.any(|placement| &*placement.node == node)
}

/// Nodes of pools that are no longer configured take nothing new and go once they are empty.
fn leave_unknown(plan: &mut Plan, pools: &[Pool]) {
    let world = plan.world();
    let unknown = world.pools.iter().filter(|(name, _)| !pools.iter().any(|p| p.name == **name));
    let nodes = unknown.flat_map(|(pool, state)| {
        state.members.keys().map(|node| (pool.clone(), node.clone())).collect::<Vec<_>>()
    });
    for (pool, node) in nodes.collect::<Vec<_>>() {
        drain(plan, &node);
        if is_unused(plan.world(), &node, plan.at().now) {
            plan.note(Fact::PoolShrank { pool, node: node.clone() });
            gone(plan, &node);
        }
    }
}

fn shrink(plan: &mut Plan, pool: &Pool) {
    let now = plan.at().now;
    loop {
        let world = plan.world();
        let Some(state) = world.pools.get(&pool.name) else { return };
        let stays = state.members.values().filter(|member| member.stage != Stage::Going);
        let have = u32::try_from(stays.count()).unwrap_or(u32::MAX);
        // The one with the highest number first, so that numbers stay low.
        let mut unused: Vec<_> = unused(world, pool, state, now).collect();
        unused.sort_by_key(|(node, _)| std::cmp::Reverse(number(node)));
        let leaves = unused.into_iter().find(|(_, member)| {
            goes(have, pool.min, pool.most(), member.used, pool.shrink_after, now)
        });
        let Some((node, _)) = leaves else { return };
        let node = node.clone();
        drain(plan, &node);
        plan.note(Fact::PoolShrank { pool: pool.name.clone(), node: node.clone() });
        if pool.down.is_none() {
            gone(plan, &node);
        }
    }
}

fn drain(plan: &mut Plan, node: &Name) {
    if plan.world().node(node).is_some_and(|node| node.drain.is_none()) {
        plan.note(Fact::NodeDrained {
            node: node.clone(),
            on: true,
            by: TIME.into(),
            reason: None,
        });
    }
}

/// The node is no more.
pub(in crate::sched) fn gone(plan: &mut Plan, node: &Name) {
    let traits = plan.world().node(node).map(|node| node.traits.clone()).unwrap_or_default();
    let (name, capacity, gpus) = (node.clone(), Resources::default(), Vec::new());
    plan.note(Fact::NodeSeen { name, capacity, gpus, traits });
}

/// The node takes work from now on.
pub(in crate::sched) fn here(plan: &mut Plan, pool: &Pool, node: &Name) {
    if plan.world().node(node).is_some_and(|node| node.drain.is_some()) {
        plan.note(Fact::NodeDrained {
            node: node.clone(),
            on: false,
            by: TIME.into(),
            reason: None,
        });
    }
    let (name, capacity) = (node.clone(), pool.capacity.clone());
    plan.note(Fact::NodeSeen { name, capacity, gpus: pool.gpus(), traits: pool.traits.clone() });
}

fn grow(plan: &mut Plan, pool: &Pool, demand: &mut Demand) {
    let now = plan.at().now;
    let world = plan.world();
    let members = world.pools.get(&pool.name).map(|state| &state.members);
    let stays = members.into_iter().flatten().filter(|(_, m)| m.stage != Stage::Going);
    let have = u32::try_from(stays.count()).unwrap_or(u32::MAX);
    let budget = pool.most().saturating_sub(have);
    let needed = demand.nodes(pool, budget);
    let failed = world.pools.get(&pool.name).and_then(|state| state.failed);
    let more = grows(have, pool.min, pool.most(), needed, failed, now);
    for _ in 0..more {
        let Some(node) = free_name(plan.world(), pool) else { break };
        plan.note(Fact::PoolGrew { pool: pool.name.clone(), node: node.clone() });
        if pool.up.is_none() {
            here(plan, pool, &node);
        }
    }
}

/// The first name of the pool that nothing has.
fn free_name(world: &World, pool: &Pool) -> Option<Name> {
    let members = world.pools.get(&pool.name).map(|state| &state.members);
    let taken = |name: &Name| {
        let member = members.is_some_and(|members| members.contains_key(name));
        member || world.node(name).is_some_and(|node| node.up) || world.index().used(name).tasks > 0
    };
    (1..=u32::MAX).map(|n| Name::from(format!("{}-{n}", pool.name))).find(|name| !taken(name))
}

fn number(node: &str) -> u32 {
    node.rsplit('-').next().and_then(|n| n.parse().ok()).unwrap_or(0)
}

/// A node of the pool that is not there yet.
pub(in crate::sched) fn template(pool: &Pool) -> Arc<Node> {
    Arc::new(Node {
        name: pool.name.clone(),
        capacity: pool.capacity.clone(),
        gpus: pool.gpus(),
        drain: None,
        warning: None,
        up: true,
        traits: pool.traits.clone(),
    })
}
