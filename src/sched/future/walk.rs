//! What comes free on a node, one end after the other, as far as somebody looks.
//!
//! The tasks of a node are in a few orders that each follow time
//! ([`Ends`](crate::sched::ends::Ends)): those whose ends stand fast, and of each class those that
//! began after each other. A class in turn falls apart by how often its runs have outlived what was
//! expected: those that have done so as often still end in the order in which they began. These
//! orders are merged step by step. Where tasks share devices, or hold such as are not ours any
//! more, all are asked at once, since they are few there.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet, BinaryHeap, VecDeque};
use std::ops::Bound::{Excluded, Included, Unbounded};
use std::rc::Rc;
use std::sync::Arc;

use crate::base::{At, JobId, Mono, Span};
use crate::model::Resources;
use crate::model::job::GpuShare;
use crate::model::node::Node;
use crate::sched::board;
use crate::sched::ends::{Key, Kin, OnNode};
use crate::sched::future::estimate::{self, Left};
use crate::sched::future::learned::PRIOR;
use crate::sched::future::timeline::{By, Parts, parts, signed};
use crate::sched::policy::capacity::Capacity;
use crate::sched::policy::fit::{Grip, Room, WHOLE};
use crate::sched::policy::history::outlived;
use crate::sched::world::World;

/// A whole device, and nothing of it: what the shares of one cost those who want it whole.
pub(super) const ONE_DEVICE: Parts = [0, 0, 0, 0, 1];
/// So many tasks of an order are fetched at first, then twice as many each time.
const FETCHED: usize = 4;

/// What a task gives back when it ends.
#[derive(Debug, Clone)]
pub(super) struct Gives {
    pub parts: Parts,
    /// Devices of which it has a share.
    pub shared: Vec<u32>,
}

impl Gives {
    /// What of a room's devices is not ours does not come back.
    pub(super) fn of(room: &Room, request: &Resources, grip: &Grip) -> Gives {
        let ours = |share: &&GpuShare| room.devices.iter().any(|d| d.index == share.index);
        let mut shared = Vec::new();
        let (milli, whole) = match grip {
            Grip::Nothing => (0, 0),
            Grip::Whole(count) => (count * WHOLE, *count),
            Grip::Share { at, milli } => {
                shared.extend(room.devices.get(*at).map(|device| device.index));
                (*milli, 0)
            }
            Grip::Known(shares) => {
                let ours = || shares.iter().filter(ours);
                let parts = ours().filter(|share| share.milli < WHOLE);
                shared.extend(parts.map(|share| share.index));
                let whole = ours().filter(|share| share.milli >= WHOLE).count() as u64;
                (ours().map(|share| share.milli).sum(), whole)
            }
        };
        let [cpu, mem, task, ..] = parts(request);
        Gives { parts: [cpu, mem, task, signed(milli), signed(whole)], shared }
    }
}

/// What ends on all nodes, as a board saw it.
#[derive(Debug)]
pub(super) struct Scene {
    pub world: World,
    pub at: At,
    pub by: By,
    pub nodes: Arc<[Arc<Node>]>,
    /// Tasks that the board has taken their room from.
    pub gone: BTreeSet<(JobId, u32)>,
    /// What ends beside those that are in order, by node.
    pub more: BTreeMap<usize, Vec<(Mono, Gives)>>,
}

/// What comes free on a node.
#[derive(Debug)]
pub(super) struct Walk {
    scene: Rc<Scene>,
    node: usize,
    begun: bool,
    /// What is free before the first end.
    free: Parts,
    /// What is free from each end on, as far as somebody looked.
    steps: Vec<(Mono, Parts)>,
    orders: Vec<Order>,
    /// The next end of each order.
    heads: BinaryHeap<Reverse<(Mono, usize)>>,
    /// When the last that shares a device ends.
    shared: BTreeMap<u32, Mono>,
}

/// Tasks that end one after the other.
#[derive(Debug)]
struct Order {
    fetched: VecDeque<(Mono, Parts)>,
    rest: Option<Rest>,
}

/// Those that have not been fetched.
#[derive(Debug)]
struct Rest {
    on: OnNode,
    after: Option<Key>,
    from: Key,
    to: Key,
    end: End,
    fetch: usize,
}

/// When a task ends.
#[derive(Debug, Clone, Copy)]
enum End {
    /// So long after what it is ordered by.
    After(Span),
    At(Mono),
}

impl Scene {
    pub(super) fn end_after(&self, left: &Left) -> Mono {
        self.at.now + self.by.of(left)
    }

    fn active(&self) -> i64 {
        i64::try_from(self.world.active(self.at.now).0).unwrap_or(i64::MAX)
    }

    /// The lengths at which runs of a kind are looked at anew, up to the first that is longer than
    /// `longest`, which is the length of the longest run so far.
    fn lengths(&self, kin: &Kin, longest: i64) -> Vec<Span> {
        let known = self.world.history.estimate(&kin.class);
        let within = |length: Span| kin.limit.map_or(length, |(limit, _)| limit.min(length));
        let (median, p90) = known.map_or((PRIOR, PRIOR), |known| (known.median, known.p90));
        let (median, p90) = (within(median), within(p90));
        let mut lengths = match self.by {
            By::Median if median < p90 => vec![median, p90],
            By::Median | By::P90 => vec![p90],
        };
        while let Some(last) = lengths.last().copied().filter(|last| span(*last) <= longest) {
            let next = match kin.limit {
                Some((_, all)) => all,
                None => outlived(p90, last),
            };
            if next <= last {
                break;
            }
            lengths.push(next);
        }
        lengths
    }
}

fn span(span: Span) -> i64 {
    i64::try_from(span.0).unwrap_or(i64::MAX)
}

impl Rest {
    fn fetch(&mut self, scene: &Scene) -> VecDeque<(Mono, Parts)> {
        let mut fetched = VecDeque::new();
        while fetched.is_empty() {
            let from = match self.after.take() {
                Some(after) => Excluded(after),
                None => Included(self.from.clone()),
            };
            let tasks = self.on.tasks.range((from, Included(self.to.clone()))).take(self.fetch);
            let mut last = None;
            for (key, parts) in tasks {
                last = Some(key);
                if scene.gone.is_empty() || !scene.gone.contains(&(key.2, key.3)) {
                    fetched.push_back((self.end.of(key.1, &scene.world), *parts));
                }
            }
            let Some(last) = last.cloned() else { break };
            self.after = Some(last);
            self.fetch *= 2;
        }
        fetched
    }
}

impl End {
    fn of(self, time: i64, world: &World) -> Mono {
        match self {
            End::At(at) => at,
            End::After(length) => {
                let then = time.saturating_add(span(length));
                world.from_active(Mono(u64::try_from(then).unwrap_or(0)))
            }
        }
    }
}

impl Walk {
    pub(super) fn new(scene: &Rc<Scene>, node: usize, free: Parts) -> Walk {
        Walk {
            scene: scene.clone(),
            node,
            begun: false,
            free,
            steps: Vec::new(),
            orders: Vec::new(),
            heads: BinaryHeap::new(),
            shared: BTreeMap::new(),
        }
    }

    /// When the last of those that share a device ends; `None` if nobody does.
    pub(super) fn shared_until(&mut self, device: u32) -> Option<Mono> {
        self.next();
        self.shared.get(&device).copied()
    }

    /// What is free at a time.
    pub(super) fn free_at(&mut self, at: Mono) -> Parts {
        while self.next().is_some_and(|next| next <= at) {
            self.step();
        }
        let passed = self.steps.partition_point(|(end, _)| *end <= at);
        passed.checked_sub(1).map_or(self.free, |last| self.steps[last].1)
    }

    /// The first end after a time.
    pub(super) fn next_after(&mut self, at: Mono) -> Option<Mono> {
        while self.next().is_some_and(|next| next <= at) {
            self.step();
        }
        let passed = self.steps.partition_point(|(end, _)| *end <= at);
        self.steps.get(passed).map(|(end, _)| *end).or_else(|| self.next())
    }

    /// The first end after a time from which on so much is free. None after `within` is looked for.
    pub(super) fn first_with(&mut self, need: &Parts, after: Mono, within: Mono) -> Option<Mono> {
        let first = self.steps.partition_point(|(end, _)| *end <= after);
        // Nothing is taken here, so there only comes to be more.
        let less = self.steps[first..].partition_point(|(_, free)| !free.covers(need));
        if let Some((end, _)) = self.steps.get(first + less) {
            return Some(*end);
        }
        while self.next().is_some_and(|next| next <= within) {
            let (end, free) = self.step()?;
            if end > after && free.covers(need) {
                return Some(end);
            }
        }
        None
    }

    /// The next end that nobody looked at.
    fn next(&mut self) -> Option<Mono> {
        if !self.begun {
            self.begun = true;
            self.begin();
        }
        self.heads.peek().map(|Reverse((end, _))| *end)
    }

    fn step(&mut self) -> Option<(Mono, Parts)> {
        let end = self.next()?;
        let mut free = self.steps.last().map_or(self.free, |(_, free)| *free);
        while let Some(Reverse((next, index))) = self.heads.peek().copied() {
            if next != end {
                break;
            }
            self.heads.pop();
            let order = &mut self.orders[index];
            while order.fetched.front().is_some_and(|(at, _)| *at == end)
                && let Some((_, parts)) = order.fetched.pop_front()
            {
                free.give(&parts);
                if order.fetched.is_empty()
                    && let Some(rest) = &mut order.rest
                {
                    order.fetched = rest.fetch(&self.scene);
                }
            }
            if let Some((next, _)) = order.fetched.front() {
                self.heads.push(Reverse((*next, index)));
            }
        }
        self.steps.push((end, free));
        Some((end, free))
    }

    fn begin(&mut self) {
        let scene = self.scene.clone();
        let node = &scene.nodes[self.node];
        let on = scene.world.ends().on(&node.name);
        let none = Vec::new();
        let more = scene.more.get(&self.node).unwrap_or(&none);
        if on.is_some_and(|on| on.shared > 0)
            || more.iter().any(|(_, gives)| !gives.shared.is_empty())
            || holds_foreign(&scene.world, node)
        {
            return self.ask_all(node, on, more);
        }
        let mut more: Vec<(Mono, Parts)> =
            more.iter().map(|(at, gives)| (*at, gives.parts)).collect();
        if let Some(on) = on {
            self.order_fast(on, &mut more);
            self.order_kin(on);
        }
        self.add_sorted(more);
    }

    fn add_sorted(&mut self, mut ends: Vec<(Mono, Parts)>) {
        ends.sort_unstable();
        self.add(Order { fetched: ends.into(), rest: None });
    }

    fn add(&mut self, order: Order) {
        if let Some((first, _)) = order.fetched.front() {
            self.heads.push(Reverse((*first, self.orders.len())));
            self.orders.push(order);
        }
    }

    fn add_range(&mut self, on: &OnNode, from: Key, to: Key, end: End) {
        let (on, after, fetch) = (on.clone(), None, FETCHED);
        let mut rest = Rest { on, after, from, to, end, fetch };
        let fetched = rest.fetch(&self.scene);
        self.add(Order { fetched, rest: Some(rest) });
    }

    /// Those whose ends stand fast; of those that have outlived them each is asked.
    fn order_fast(&mut self, on: &OnNode, more: &mut Vec<(Mono, Parts)>) {
        let scene = self.scene.clone();
        let from = (None, scene.active().saturating_add(1), JobId(0), 0);
        for ((.., id, rank), parts) in on.tasks.range((Unbounded, Excluded(from.clone()))) {
            let job = scene.world.job(*id).filter(|_| !scene.gone.contains(&(*id, *rank)));
            let left = job.map(|job| estimate::left(&scene.world, job, scene.at));
            more.extend(left.map(|left| (scene.end_after(&left), *parts)));
        }
        let to = (None, i64::MAX, JobId(u64::MAX), u32::MAX);
        self.add_range(on, from, to, End::After(Span::ZERO));
    }

    /// Those that go by a class, in as many orders as there are lengths that they go by.
    fn order_kin(&mut self, on: &OnNode) {
        let scene = self.scene.clone();
        let active = scene.active();
        let mut after: Key = (None, i64::MAX, JobId(u64::MAX), u32::MAX);
        while let Some(((Some(kin), begin, ..), _)) =
            on.tasks.range((Excluded(after.clone()), Unbounded)).next()
        {
            let lengths = scene.lengths(kin, active.saturating_sub(*begin));
            // From the longest runs on. Those at their limit are about to be stopped.
            let mut end = End::At(scene.at.now + Span(1));
            let mut from = i64::MIN;
            for length in lengths.iter().rev() {
                let to = active.saturating_sub(span(*length));
                self.add_kin(on, kin, (from, to), end);
                (end, from) = (End::After(*length), to.saturating_add(1));
            }
            self.add_kin(on, kin, (from, i64::MAX), end);
            after = (Some(kin.clone()), i64::MAX, JobId(u64::MAX), u32::MAX);
        }
    }

    fn add_kin(&mut self, on: &OnNode, kin: &Arc<Kin>, (from, to): (i64, i64), end: End) {
        let from = (Some(kin.clone()), from, JobId(0), 0);
        let to = (Some(kin.clone()), to, JobId(u64::MAX), u32::MAX);
        self.add_range(on, from, to, end);
    }

    /// Asks each task on the node.
    fn ask_all(&mut self, node: &Node, on: Option<&OnNode>, more: &[(Mono, Gives)]) {
        let scene = self.scene.clone();
        let room = board::room(node, None);
        let tasks = on.into_iter().flat_map(|on| on.tasks.keys());
        let goes_on = tasks.filter(|key| !scene.gone.contains(&(key.2, key.3)));
        let asked = goes_on.filter_map(|(.., id, rank)| {
            let job = scene.world.job(*id)?;
            let task = job.tasks.get(usize::try_from(*rank).ok()?)?;
            let grip = Grip::Known(task.placement.as_ref()?.gpus.clone());
            let gives = Gives::of(&room, job.spec.request_of(task.group), &grip);
            Some((scene.end_after(&estimate::left(&scene.world, job, scene.at)), gives))
        });
        let mut ends = Vec::new();
        let mut shared: BTreeMap<u32, Mono> = BTreeMap::new();
        for (end, gives) in asked.chain(more.iter().cloned()) {
            for device in gives.shared {
                let last = shared.entry(device).or_insert(end);
                *last = end.max(*last);
            }
            ends.push((end, gives.parts));
        }
        // A device is whole again after the last that shares it.
        ends.extend(shared.values().map(|end| (*end, ONE_DEVICE)));
        self.shared = shared;
        self.add_sorted(ends);
    }
}

/// Something on a node holds a device that is not, or no longer, ours to give.
fn holds_foreign(world: &World, node: &Node) -> bool {
    let ours = |index: &u32| {
        let mut gpus = node.gpus.iter();
        gpus.any(|gpu| gpu.index == *index && gpu.foreign.is_none())
    };
    let used = world.index().uses.get(&node.name);
    used.is_some_and(|used| !used.gpus.keys().all(ours))
}
