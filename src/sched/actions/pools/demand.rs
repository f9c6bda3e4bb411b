//! For how many waiting jobs a pool should have room.
//!
//! All jobs count, however many wait. Those that want the same are told apart only by since when
//! they have: what one of them lacks all of them lack, and when one of them finds no room on all
//! the nodes that a pool could add, neither does the next. So a look costs a step for each kind of
//! job and for each job that gets room. What gets room counts for its team, its array and its
//! countable resources, so that nothing grows for more jobs than could run.

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::base::{At, JobId, Mono, Name};
use crate::model::job::Job;
use crate::model::node::Node;
use crate::model::pool::{Pool, Stage};
use crate::sched::actions::pools::template;
use crate::sched::board::heads::{amounts, asks};
use crate::sched::board::teams::Teams;
use crate::sched::explain::{Rooms, lacks_only_room};
use crate::sched::index::Shape;
use crate::sched::policy::gates;
use crate::sched::policy::queue::lineage;
use crate::sched::world::World;

/// What waits for room, less what pools grow for already.
pub(super) struct Demand {
    world: World,
    at: At,
    open: Rooms,
    teams: Teams,
    units: BTreeMap<Name, u64>,
    elements: BTreeMap<JobId, u32>,
    /// Jobs of each kind that pools grow for.
    served: BTreeMap<Arc<Shape>, usize>,
    /// Whether a kind lacks room and nothing else.
    lacks: BTreeMap<Arc<Shape>, bool>,
}

/// Room that a pool could make.
struct Ground {
    rooms: Rooms,
    /// From this place on rooms are the pool's, on which nothing runs yet.
    own: usize,
    node: Arc<Node>,
    budget: u32,
    added: u32,
}

impl Demand {
    pub(super) fn of(world: &World, at: At) -> Demand {
        Demand {
            world: world.clone(),
            at,
            open: Rooms::open(world, at.now),
            teams: Teams::of(world),
            units: BTreeMap::new(),
            elements: BTreeMap::new(),
            served: BTreeMap::new(),
            lacks: BTreeMap::new(),
        }
    }

    /// How many nodes of a pool, `budget` at most, those need that have waited long enough, beside
    /// all there are and those that come.
    pub(super) fn nodes(&mut self, pool: &Pool, budget: u32) -> u32 {
        if budget == 0 || self.at.now.0 < pool.grow_after.0 {
            return 0;
        }
        let (node, mut rooms) = (template(pool), self.open.clone());
        let own = rooms.len();
        let members = self.world.pools.get(&pool.name).map(|state| &state.members);
        let coming = members.into_iter().flatten().filter(|(_, m)| m.stage == Stage::Coming);
        coming.for_each(|_| rooms.push(&node));
        let mut ground = Ground { rooms, own, node, budget, added: 0 };
        let world = self.world.clone();
        for (shape, waits) in world.index().waiting() {
            let long = self.at.now - pool.grow_after;
            let mut jobs = waits.range(..=(long, JobId(u64::MAX))).map(|(_, id)| *id);
            let served = self.served.get(shape).copied().unwrap_or(0);
            if jobs.next().is_none() || !self.lacks_room(shape, waits.get_min()) {
                continue;
            }
            let jobs = waits.range(..=(long, JobId(u64::MAX))).map(|(_, id)| *id);
            let unpromised = jobs.filter(|id| !world.index().promised.contains(id)).skip(served);
            for job in unpromised.filter_map(|id| world.job(id)) {
                if !self.may_start(shape) || !ground.hold(job) {
                    break;
                }
                self.starts(shape);
            }
        }
        ground.added
    }

    /// Whether jobs of a kind, of which one is named, lack room and nothing else.
    fn lacks_room(&mut self, shape: &Arc<Shape>, one: Option<&(Mono, JobId)>) -> bool {
        if let Some(known) = self.lacks.get(shape) {
            return *known;
        }
        let job = one.and_then(|(_, id)| self.world.job(*id));
        let lacks = job.is_some_and(|job| lacks_only_room(&self.world, &self.open, job, self.at));
        self.lacks.insert(shape.clone(), lacks);
        lacks
    }

    /// Whether one more of a kind could run, if there were room.
    fn may_start(&self, shape: &Shape) -> bool {
        let Some(team) = self.teams.place(&shape.team) else { return false };
        let open = gates::open(&self.teams.queues, team, &amounts(shape), shape.preemptible);
        let elements = |(array, throttle): (JobId, u32)| {
            let more = self.elements.get(&array).copied().unwrap_or(0);
            self.world.index().elements(array).saturating_add(more) < throttle
        };
        let units = |(name, need): (&Name, &u64)| {
            let more = self.units.get(name).copied().unwrap_or(0);
            let held = self.world.index().custom_held(name).saturating_add(more);
            let count = self.world.countable(name).map_or(0, |countable| countable.count);
            held.saturating_add(*need) <= count
        };
        open.is_ok() && shape.array.is_none_or(elements) && asks(shape).custom.iter().all(units)
    }

    fn starts(&mut self, shape: &Arc<Shape>) {
        *self.served.entry(shape.clone()).or_default() += 1;
        if let Some((array, _)) = shape.array {
            *self.elements.entry(array).or_default() += 1;
        }
        for (name, need) in asks(shape).custom {
            *self.units.entry(name).or_default() += need;
        }
        let Some(team) = self.teams.place(&shape.team) else { return };
        let more = amounts(shape);
        for level in lineage(&self.teams.queues, team) {
            let queue = &mut self.teams.queues[level];
            queue.allocated = queue.allocated.plus(&more);
            if !shape.preemptible {
                queue.firm = queue.firm.plus(&more);
            }
        }
    }
}

impl Ground {
    /// Takes room for what a job starts with, and adds nodes for that if there is none; whether
    /// there are enough.
    fn hold(&mut self, job: &Job) -> bool {
        let (spec, comes_back) = (&job.spec, job.has_way_back());
        // One task finds no room where the others of its kind found none.
        let own = if spec.gang.min == 1 { self.own } else { 0 };
        let mut tried = None;
        for more in 0..=(self.budget - self.added) {
            if more > 0 {
                self.rooms.push(&self.node);
            }
            // A gang that does not fit takes some of the room before that is known.
            let before = (spec.gang.min > 1).then(|| self.rooms.clone());
            if self.rooms.hold(spec, comes_back, own) {
                self.added += more;
                return true;
            }
            if let Some(before) = before {
                self.rooms = before;
            }
            tried = Some(more);
            // On an empty node of its own it would have fitted.
            if spec.gang.min == 1 && more > 0 {
                break;
            }
        }
        (0..tried.unwrap_or(0)).for_each(|_| self.rooms.pop());
        false
    }
}
