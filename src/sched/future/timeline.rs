//! Free room over time: what is free on each node once what runs has ended as expected, and what
//! is reserved of that.
//!
//! Made from a [`Board`], so that what the cycle has decided so far counts. What is being
//! stopped counts as gone. A [`Line`] of a node is over cores, bytes, tasks and devices; devices
//! are counted, so that a share of one is taken to fit wherever as much is left over in all. Start
//! with [`Timeline::of`], then [`Timeline::earliest`].

use std::collections::{BTreeMap, BTreeSet, BinaryHeap};
use std::rc::Rc;

use crate::base::{Mono, Name, Span};
use crate::model::Resources;
use crate::model::job::Job;
use crate::sched::board::Board;
use crate::sched::board::seat::{Mark, Spot};
use crate::sched::board::settle::Deed;
use crate::sched::ends::holds;
use crate::sched::future::ask::{Ask, Counter, Slot, Wish};
use crate::sched::future::estimate::{self, Left};
use crate::sched::future::line::{Line, Shared};
use crate::sched::future::walk::{Gives, Scene, Walk};
use crate::sched::policy::capacity::Capacity;
use crate::sched::policy::fit::{Grip, Level, Room, WHOLE, When};
use crate::sched::policy::profile::Profile;

/// Thousandths of cores, bytes, tasks, thousandths of devices, whole devices.
pub type Parts = [i64; 5];

/// Which of the expected ends counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum By {
    /// The one that is as likely too early as too late.
    Median,
    /// The one that nine of ten keep.
    P90,
}

impl By {
    /// How long a job will still run.
    pub const fn of(self, left: &Left) -> Span {
        match self {
            By::Median => left.median,
            By::P90 => left.p90,
        }
    }
}

/// So many changes on nodes are looked at for one that asks for several kinds of tasks.
const CHANGES: usize = 64;
/// How often a search goes back and forth between nodes and countable resources.
const ROUNDS: usize = 16;

/// Free room over time.
#[derive(Debug, Clone)]
pub struct Timeline {
    by: By,
    now: Mono,
    /// By node.
    lines: Vec<Line>,
    /// What is not on a node, once somebody asked for it.
    units: BTreeMap<Counter, Profile<i64>>,
}

/// A number as the profiles count.
pub(in crate::sched) fn signed(n: u64) -> i64 {
    // A quarter of all there is, so that sums of a few stay far from the edge.
    i64::try_from(n).unwrap_or(i64::MAX).min(i64::MAX / 4)
}

/// What a task takes of a node.
pub fn parts(request: &Resources) -> Parts {
    let whole = request.gpu_milli / WHOLE;
    [
        signed(request.cpu_milli),
        signed(request.mem_bytes),
        1,
        signed(request.gpu_milli),
        signed(whole),
    ]
}

/// So many times as much.
pub(super) fn times(parts: &Parts, n: u32) -> Parts {
    parts.map(|part| part.saturating_mul(i64::from(n)))
}

/// What is free on a node once what is being released is gone and what is promised is taken.
pub fn free(room: &Room) -> Parts {
    let level = |level: &Level| {
        let there = signed(level.total).saturating_add(signed(level.releasing));
        there.saturating_sub(signed(level.held)).saturating_sub(signed(level.promised))
    };
    let (cpu, mem, tasks) = (level(&room.cpu), level(&room.mem), level(&room.tasks));
    [cpu, mem, tasks, signed(room.gpu_later()), signed(room.whole_devices(When::Later))]
}

impl Timeline {
    /// The timeline of a board as it stands.
    pub fn of(board: &Board, by: By) -> Timeline {
        let (now, units) = (board.at().now, BTreeMap::new());
        let mut timeline = Timeline { by, now, lines: Vec::new(), units };
        let scene = Rc::new(timeline.scene(board));
        let walk = |(node, room)| Line::new(Walk::new(&scene, node, free(room)));
        timeline.lines = board.rooms.iter().enumerate().map(walk).collect();
        timeline
    }

    /// What ends: what is in order already, without what the board has taken its room from, and
    /// with what is not in that order.
    fn scene(&self, board: &Board) -> Scene {
        let mut gone = BTreeSet::new();
        for (id, seat) in &board.seats {
            for (rank, cell) in (0..).zip(&seat.tasks) {
                if matches!(cell.mark, Mark::Evicted(_) | Mark::Moves { .. }) {
                    gone.insert((*id, rank));
                }
            }
        }
        let mut more: BTreeMap<usize, Vec<(Mono, Gives)>> = BTreeMap::new();
        let mut see = |job: &Job, (_, group): (usize, u32), spot: &Spot, end| {
            let request = job.spec.request_of(group);
            let gives = Gives::of(&board.rooms[spot.node], request, &spot.grip);
            more.entry(spot.node).or_default().push((end, gives));
        };
        for job in board.world().ends().still().filter_map(|id| board.world().job(id)) {
            let end = self.end_of(board, job);
            self.each_task(board, job, end, &mut see);
        }
        self.each_start(board, &mut see);
        let (world, at, nodes) = (board.world().clone(), board.at(), board.nodes.clone());
        Scene { world, at, by: self.by, nodes, gone, more }
    }

    /// Looks at each task that holds room or gets some, with its expected end.
    /// Of each task its rank and its group are told.
    pub fn each_end(&self, board: &Board, mut see: impl FnMut(&Job, (usize, u32), &Spot, Mono)) {
        for (job, left) in board.runs() {
            self.each_task(board, job, self.end_after(left), &mut see);
        }
        self.each_start(board, &mut see);
    }

    /// Looks at the tasks of a job that has run since before the cycle.
    fn each_task(
        &self,
        board: &Board,
        job: &Job,
        end: Mono,
        see: &mut impl FnMut(&Job, (usize, u32), &Spot, Mono),
    ) {
        if let Some(seat) = board.seated(job.id) {
            for (rank, cell) in seat.tasks.iter().enumerate() {
                if let Mark::Holds(spot) = &cell.mark {
                    see(job, (rank, cell.group), spot, end);
                }
            }
            return;
        }
        for (rank, task) in job.tasks.iter().enumerate().filter(|(_, task)| holds(task)) {
            let Some(placement) = &task.placement else { continue };
            let Some(node) = board.node(&placement.node) else { continue };
            let spot = Spot { node, grip: Grip::Known(placement.gpus.clone()) };
            see(job, (rank, task.group), &spot, end);
        }
    }

    /// Looks at what the cycle starts, promises or lets go on.
    fn each_start(&self, board: &Board, see: &mut impl FnMut(&Job, (usize, u32), &Spot, Mono)) {
        for place in &board.held {
            let end = self.end_of(board, &place.job);
            see(&place.job, (place.rank, place.group), &place.spot, end);
        }
        let mut seen = BTreeSet::new();
        for deed in &board.deeds {
            let (Deed::Goes(id) | Deed::Evicts { job: id, .. }) = deed;
            let Some(seat) = board.seated(*id).filter(|_| seen.insert(*id)) else { continue };
            let end = self.end_of(board, &seat.job);
            for (rank, cell) in seat.tasks.iter().enumerate() {
                let whose = (rank, cell.group);
                match &cell.mark {
                    Mark::Starts(to) | Mark::Promised(to) | Mark::Moves { to, .. } => {
                        see(&seat.job, whose, to, end);
                    }
                    // What goes on after a freeze was not among those that run.
                    Mark::Holds(spot) if seat.thaws => see(&seat.job, whose, spot, end),
                    _ => {}
                }
            }
        }
    }

    /// When a job ends that runs, or starts now.
    fn end_of(&self, board: &Board, job: &Job) -> Mono {
        self.end_after(&estimate::left(board.world(), job, board.at()))
    }

    fn end_after(&self, left: &Left) -> Mono {
        self.now + self.by.of(left)
    }

    /// How long a job will take that starts later.
    pub fn length_of(&self, board: &Board, job: &Job) -> Span {
        self.end_of(board, job).since(self.now)
    }

    /// Sees to it that what requests need that is not on a node is known.
    pub fn know<'a>(&mut self, board: &Board, asks: impl IntoIterator<Item = &'a Ask>) {
        let counters = asks.into_iter().flat_map(|ask| ask.counters.keys());
        let unknown: BTreeSet<Counter> =
            counters.filter(|name| !self.units.contains_key(*name)).cloned().collect();
        if unknown.is_empty() {
            return;
        }
        let mut ends: BTreeMap<&Counter, Vec<(Mono, i64)>> = BTreeMap::new();
        self.each_end(board, |job, whose, _, end| {
            for (counter, held) in Counter::held_by(&unknown, board, job, whose) {
                ends.entry(counter).or_default().push((end, signed(held)));
            }
        });
        for counter in &unknown {
            let mut ends = ends.remove(counter).unwrap_or_default();
            ends.sort_unstable();
            let line = Profile::with_ends(counter.free(board), ends);
            self.units.insert(counter.clone(), line);
        }
    }

    /// The earliest start for a request, not before `from`; `None` if there is none.
    pub fn earliest(&self, ask: &Ask, from: Mono) -> Option<Slot> {
        let mut from = from.max(ask.not_before);
        for _ in 0..ROUNDS {
            let slot = self.room_from(ask, self.units_from(ask, from)?)?;
            let units = self.units_from(ask, slot.at)?;
            if units == slot.at {
                return Some(slot);
            }
            from = units;
        }
        None
    }

    /// The earliest start at which everything is there that is not on a node.
    fn units_from(&self, ask: &Ask, from: Mono) -> Option<Mono> {
        let mut at = from;
        for _ in 0..ROUNDS {
            let before = at;
            for (name, units) in &ask.counters {
                at = self.units.get(name)?.earliest(units, ask.length, at)?;
            }
            if at == before {
                return Some(at);
            }
        }
        None
    }

    /// The earliest start at which there is room on nodes: of the instants at which one more
    /// task fits somewhere, the first at which all of them do.
    fn room_from(&self, ask: &Ask, from: Mono) -> Option<Slot> {
        // Mostly there is room as soon as enough tasks could start one by one.
        if let [wish] = &*ask.wishes {
            let at = self.enough_from(wish, ask.length, from)?;
            if let Some(slot) = self.room_at(ask, at) {
                return Some(slot);
            }
        }
        let mut starts: Vec<(Mono, usize)> = Vec::new();
        for (at, wish) in ask.wishes.iter().enumerate() {
            for node in &*wish.nodes {
                for n in 1..=wish.tasks {
                    let need = times(&wish.need, n);
                    let Some(start) = self.lines[*node].earliest(&need, ask.length, from) else {
                        break;
                    };
                    starts.push((start, at));
                }
            }
        }
        starts.sort_unstable();
        let mut could = vec![0; ask.wishes.len()];
        for (index, (start, at)) in starts.iter().enumerate() {
            could[*at] += 1;
            let last = starts.get(index + 1).is_none_or(|(next, _)| next != start);
            let enough = || ask.wishes.iter().zip(&could).all(|(wish, could)| *could >= wish.tasks);
            if last
                && enough()
                && let Some(slot) = self.room_at_or_after(ask, *start)
            {
                return Some(slot);
            }
        }
        None
    }

    /// Room at a time, or for several kinds of tasks at one of the next changes: each of them may
    /// fit without the others before all do together.
    fn room_at_or_after(&self, ask: &Ask, at: Mono) -> Option<Slot> {
        let slot = self.room_at(ask, at);
        if slot.is_some() || ask.wishes.len() < 2 {
            return slot;
        }
        let nodes: BTreeSet<usize> =
            ask.wishes.iter().flat_map(|wish| wish.nodes.iter().copied()).collect();
        let next =
            |at: &Mono| nodes.iter().filter_map(|node| self.lines[*node].next_after(*at)).min();
        let changes = std::iter::successors(next(&at), next);
        changes.take(CHANGES).find_map(|at| self.room_at(ask, at))
    }

    /// From when on as many of its tasks could have started as a wish is for, each by itself.
    fn enough_from(&self, wish: &Wish, length: Span, from: Mono) -> Option<Mono> {
        let tasks = usize::try_from(wish.tasks).unwrap_or(usize::MAX);
        let mut first: BinaryHeap<Mono> = BinaryHeap::new();
        for node in &*wish.nodes {
            for n in 1..=wish.tasks {
                let full = first.len() >= tasks;
                let latest = first.peek().filter(|_| full).copied().unwrap_or(Mono(u64::MAX));
                let need = times(&wish.need, n);
                let line = &self.lines[*node];
                let Some(start) = line.earliest_by(&need, length, from, latest) else { break };
                first.push(start);
                if full {
                    first.pop();
                }
            }
        }
        if first.len() < tasks { None } else { first.peek().copied() }
    }

    /// Where all tasks would go at a time: to those nodes they are to stay on, then to those of
    /// which least is free until then, so that others lose least, then to the fullest. What is
    /// promised keeps away from what is reserved, and changes what is free: would that come
    /// first, both could go on changing places.
    fn room_at(&self, ask: &Ask, at: Mono) -> Option<Slot> {
        let until = at + ask.length;
        let mut taken: BTreeMap<usize, Parts> = BTreeMap::new();
        for wish in &ask.wishes {
            let fits = |node: &&usize| self.lines[**node].fits(&wish.need, at, until);
            let mut nodes: Vec<usize> = wish.nodes.iter().filter(fits).copied().collect();
            nodes.sort_by_cached_key(|node| {
                let key = |free: &Parts| (free[4], free[3], free[0]);
                let line = &self.lines[*node];
                let (now, then) = (key(&line.free_at(self.now)), key(&line.free_at(at)));
                (!ask.rather.contains(node), now, then, *node)
            });
            let mut left = wish.tasks;
            for node in nodes {
                let before = taken.get(&node).copied().unwrap_or_default();
                let mut sum = before;
                while left > 0 {
                    let mut more = sum;
                    more.give(&wish.need);
                    if !self.lines[node].fits(&more, at, until) {
                        break;
                    }
                    (sum, left) = (more, left - 1);
                }
                if sum != before {
                    taken.insert(node, sum);
                }
            }
            if left > 0 {
                return None;
            }
        }
        Some(Slot { job: ask.job, at, until, room: taken, counters: ask.counters.clone() })
    }

    /// Keeps the room of a slot for it.
    pub fn reserve(&mut self, slot: &Slot) {
        for (node, parts) in &slot.room {
            self.lines[*node].reserve(slot.at, slot.until, parts);
        }
        for (name, units) in &slot.counters {
            if let Some(line) = self.units.get_mut(name) {
                line.reserve(slot.at, slot.until, units);
            }
        }
    }

    /// Gives the room of a slot back.
    pub fn release(&mut self, slot: &Slot) {
        for (node, parts) in &slot.room {
            self.lines[*node].release(slot.at, slot.until, parts);
        }
        for (name, units) in &slot.counters {
            if let Some(line) = self.units.get_mut(name) {
                line.release(slot.at, slot.until, units);
            }
        }
    }

    /// The line of a node.
    pub fn line(&self, node: usize) -> &Line {
        &self.lines[node]
    }

    /// Whether room on a node is there from now until `until` beside what is reserved; `shared` is
    /// the device that the task would get a share of.
    pub fn admits(&self, node: usize, need: &Parts, shared: Option<Shared>, until: Mono) -> bool {
        let line = &self.lines[node];
        line.fits(need, self.now, until)
            && shared.is_none_or(|device| line.may_share(device, self.now, until))
    }

    /// Whether countable resources are there from now until `until` beside what is reserved.
    pub fn admits_units(&self, units: &BTreeMap<Name, u64>, until: Mono) -> bool {
        let there = |(name, units): (&Name, &u64)| {
            let line = self.units.get(&Counter::Units((*name).clone()));
            line.is_none_or(|line| line.fits(&signed(*units), self.now, until))
        };
        units.iter().all(there)
    }

    /// Something starts now and takes that on a node; the line as it was before.
    pub fn take(&mut self, node: usize, need: &Parts, shared: Option<Shared>, until: Mono) -> Line {
        let before = self.lines[node].clone();
        self.lines[node].reserve(self.now, until, need);
        if let Some(device) = shared {
            self.lines[node].share(device, self.now, until);
        }
        before
    }

    /// Something starts now and takes countable resources; the lines as they were before.
    pub fn take_units(
        &mut self,
        units: &BTreeMap<Name, u64>,
        until: Mono,
    ) -> Vec<(Counter, Profile<i64>)> {
        let mut before = Vec::new();
        for (name, units) in units {
            let counter = Counter::Units(name.clone());
            if let Some(line) = self.units.get_mut(&counter) {
                before.push((counter, line.clone()));
                line.reserve(self.now, until, &signed(*units));
            }
        }
        before
    }

    /// Takes that back.
    pub fn put_back(&mut self, node: usize, line: Line) {
        self.lines[node] = line;
    }

    /// Takes that back.
    pub fn put_units_back(&mut self, counter: Counter, line: Profile<i64>) {
        self.units.insert(counter, line);
    }
}
