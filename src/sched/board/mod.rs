//! The board: the numeric working picture of one cycle.
//!
//! Built from a world once for each pass of a cycle, in as many steps as there are nodes and
//! teams; jobs take their [`seat`] when an action looks at them. Actions move tasks about on the
//! board, try things and take them back ([`Board::checkpoint`]), and nothing becomes a fact
//! before [`settle`] notes the differences between board and world. Room that was promised
//! before is promised anew each time, so that a promise lasts exactly as long as it is right.
//!
//! Start with [`Board::of`], then [`place`] for what a placement asks, [`turns`] for whose turn
//! it is.

pub mod heads;
pub(in crate::sched) mod moved;
pub mod place;
pub(in crate::sched) mod potential;
pub mod seat;
pub mod settle;
pub mod standing;
pub mod teams;
pub(in crate::sched) mod thaw;
pub mod turns;
mod units;
pub(in crate::sched) mod usual;

use std::cell::OnceCell;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use crate::base::{At, JobId, Mono, Name, Span};
use crate::model::job::Job;
use crate::model::node::Node;
use crate::sched::board::heads::Head;
use crate::sched::board::moved::Held;
use crate::sched::board::place::Fussy;
use crate::sched::board::potential::Potential;
use crate::sched::board::seat::{Mark, Seat};
use crate::sched::board::settle::Deed;
use crate::sched::board::standing::Standing;
use crate::sched::board::teams::Teams;
use crate::sched::board::usual::Usual;
use crate::sched::future::ask::Counter;
use crate::sched::future::estimate::Left;
use crate::sched::future::guard::{Guard, Kept};
use crate::sched::future::line::Line;
use crate::sched::future::timeline::Timeline;
use crate::sched::index::{Holding, Use, holdings};
use crate::sched::policy::amounts::{Amounts, Kind};
use crate::sched::policy::fit::{Device, Level, Room};
use crate::sched::policy::fragments::Costs;
use crate::sched::policy::glance::Glance;
use crate::sched::policy::profile::Profile;
use crate::sched::policy::queue::Queue;
use crate::sched::world::World;

/// So long after its grace a process that was told to end counts as one that does not.
const STUCK_AFTER: Span = Span::mins(5);

/// The numeric working picture of one cycle.
#[derive(Debug, Clone)]
pub struct Board {
    world: World,
    at: At,
    /// The tree of teams.
    pub teams: Teams,
    /// Room on each node, by name.
    pub rooms: Vec<Room>,
    pub(in crate::sched) nodes: Arc<[Arc<Node>]>,
    pub(in crate::sched) seats: BTreeMap<JobId, Seat>,
    custom: BTreeMap<Name, Level>,
    rates: BTreeMap<Name, u64>,
    arrays: BTreeMap<JobId, u32>,
    /// The best of each shape that has found no room so far.
    pub left: Vec<Head>,
    /// What was decided, in order.
    pub deeds: Vec<Deed>,
    /// Nodes looked at, which is what searching costs.
    pub looks: u64,
    /// What is reserved while free room is given out, once that matters.
    pub(in crate::sched) guard: Option<Box<Guard>>,
    /// Somebody could have started if nothing were reserved, or did.
    pub(in crate::sched) guarded: bool,
    /// Somebody got room by a search for victims: more of it may grow from there.
    pub(in crate::sched) hunted: bool,
    /// Promises and reservations of the world stand; else they are worked out anew.
    standing: Option<Box<Standing>>,
    /// What is reserved in the end.
    pub kept: Vec<Kept>,
    /// What each room comes to, for whoever looks at all of them.
    glances: Vec<Glance>,
    /// What tasks would strand where, if anything is placed by that.
    costs: Costs,
    usual: Usual,
    /// What is or will be free on each node that takes new work.
    frees: Vec<Amounts>,
    /// The sum of that.
    free: Amounts,
    /// Free room over time as long as nothing is decided, once asked for.
    pub(in crate::sched) timeline: OnceCell<Timeline>,
    /// What has run since before the cycle, once asked for.
    pub(in crate::sched) runs: OnceCell<Vec<(Arc<Job>, Left)>>,
    /// Some nodes are not for everybody.
    has_spot: bool,
    /// What found no room since the last time some became free: nor does anything larger.
    hopeless: Vec<Amounts>,
    /// Places that are held for jobs that are being stopped in order to move.
    pub held: Vec<Held>,
    /// Jobs that have just stopped in order to move: they go on before anybody else is asked.
    pub(in crate::sched) movers: BTreeSet<JobId>,
    /// What could come free at most, as far as somebody asked.
    pub(in crate::sched) potential: Potential,
    log: Vec<Undo>,
}

/// What a change on the board overwrote.
#[derive(Debug, Clone)]
enum Undo {
    Room(usize, Box<Room>),
    Queue(usize, Box<Queue>),
    Mark(JobId, usize, Mark),
    Thaw(JobId),
    Custom(Name, Level),
    Rate(Name, u64),
    Array(JobId, u32),
    Deed,
    Line(usize, Box<Line>),
    Units(Counter, Box<Profile<i64>>),
}

/// A point to go back to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Checkpoint(usize);

impl Board {
    /// The board of a world at a time, on which all that was promised is promised anew.
    pub fn of(world: &World, at: At) -> Board {
        let mut board = Board::bare(world, at);
        board.left = board.heads();
        board
    }

    fn bare(world: &World, at: At) -> Board {
        let nodes: Arc<[Arc<Node>]> = world.nodes().cloned().collect();
        let mut uses = world.index().uses().peekable();
        let mut rooms = Vec::with_capacity(nodes.len());
        for node in &*nodes {
            while uses.next_if(|(name, _)| **name < node.name).is_some() {}
            let used = uses.next_if(|(name, _)| **name == node.name).map(|(_, used)| used);
            rooms.push(room(node, used));
        }
        let mut board = Board {
            world: world.clone(),
            at,
            teams: Teams::of(world),
            rooms,
            nodes,
            seats: BTreeMap::new(),
            custom: BTreeMap::new(),
            rates: BTreeMap::new(),
            arrays: BTreeMap::new(),
            left: Vec::new(),
            deeds: Vec::new(),
            looks: 0,
            guard: None,
            guarded: false,
            hunted: false,
            standing: None,
            kept: Vec::new(),
            glances: Vec::new(),
            costs: Costs::default(),
            usual: Usual::default(),
            frees: Vec::new(),
            free: Amounts::default(),
            timeline: OnceCell::new(),
            runs: OnceCell::new(),
            has_spot: world.nodes().any(|node| node.traits.spot),
            hopeless: Vec::new(),
            held: Vec::new(),
            movers: BTreeSet::new(),
            potential: Potential::default(),
            log: Vec::new(),
        };
        board.doubt_the_stuck();
        board.weigh();
        board.glances = board.rooms.iter().map(Glance::of).collect();
        board.frees = (0..board.rooms.len()).map(|node| board.free_now_or_later(node)).collect();
        board.free = board.frees.iter().fold(Amounts::default(), |sum, free| sum.plus(free));
        board.hold_places();
        board
    }

    /// Room of processes that should long be gone is not counted on.
    fn doubt_the_stuck(&mut self) {
        let world = self.world.clone();
        for Holding { placement, held, .. } in stuck(&world, self.at.now) {
            if let Some(node) = self.node(&placement.node) {
                self.rooms[node].release(&held, &placement.gpus, false);
            }
        }
    }

    /// The world it was built from.
    pub fn world(&self) -> &World {
        &self.world
    }

    /// When.
    pub fn at(&self) -> At {
        self.at
    }

    /// The place of a node.
    pub fn node(&self, name: &str) -> Option<usize> {
        self.rooms.binary_search_by(|room| (*room.name).cmp(name)).ok()
    }

    /// Whether a node takes new work.
    pub fn is_open(&self, node: usize) -> bool {
        self.nodes[node].up && self.nodes[node].drain.is_none()
    }

    /// Whether a node takes new work of a kind.
    pub fn takes(&self, node: usize, fussy: &Fussy<'_>) -> bool {
        self.is_open(node) && fussy.takes(&self.nodes[node].traits)
    }

    /// A line of the guard is about to change.
    pub(in crate::sched) fn keep_line(&mut self, node: usize, line: Line) {
        self.log.push(Undo::Line(node, Box::new(line)));
    }

    /// A line of a countable resource is about to change.
    pub(in crate::sched) fn keep_units(&mut self, name: Counter, line: Profile<i64>) {
        self.log.push(Undo::Units(name, Box::new(line)));
    }

    /// A job's seat; it takes it if it has none yet.
    pub fn seat(&mut self, id: JobId) -> Option<&Seat> {
        if !self.seats.contains_key(&id) {
            let seat = Seat::of(self, self.world.job(id)?)?;
            self.seats.insert(id, seat);
        }
        self.seats.get(&id)
    }

    /// A job's seat, if it has taken one.
    pub fn seated(&self, id: JobId) -> Option<&Seat> {
        self.seats.get(&id)
    }

    /// What was decided could let another pass decide more: somebody lost room, or what this
    /// cycle had given, or a search gave somebody some. `changed` says that it decided anything:
    /// then those who are promised room, or for whom some is reserved, may no longer be the first.
    pub fn is_unsettled(&self, changed: bool) -> bool {
        let evicts = self.deeds.iter().any(|deed| matches!(deed, Deed::Evicts { .. }));
        let mut cells = self.seats.values().flat_map(|seat| &seat.tasks);
        let changed = changed && !self.left.is_empty();
        let is_open = |mark: &Mark| match mark {
            Mark::Undone(_) => true,
            Mark::Promised(_) => changed,
            _ => false,
        };
        evicts
            || self.hunted
            || (changed && !self.kept.is_empty())
            || cells.any(|cell| is_open(&cell.mark))
    }

    /// Somebody lost what this cycle had given.
    pub fn takes_back(&self) -> bool {
        let mut cells = self.seats.values().flat_map(|seat| &seat.tasks);
        cells.any(|cell| matches!(cell.mark, Mark::Undone(_)))
    }

    fn free_now_or_later(&self, node: usize) -> Amounts {
        if !self.is_open(node) {
            return Amounts::default();
        }
        let room = &self.rooms[node];
        let gpu_milli = room.gpu_later();
        Amounts { cpu_milli: room.cpu.later(), mem_bytes: room.mem.later(), gpu_milli }
    }

    /// What is or will be free on a node that takes new work.
    pub fn free_on(&self, node: usize) -> Amounts {
        self.frees[node]
    }

    /// The same of all of them together.
    pub fn free(&self) -> Amounts {
        self.free
    }

    fn count_free(&mut self, node: usize) {
        self.glances[node] = Glance::of(&self.rooms[node]);
        self.costs.changed(node);
        let (before, after) = (self.frees[node], self.free_now_or_later(node));
        self.free = self.free.minus(&before).plus(&after);
        self.frees[node] = after;
    }

    /// A job is promised room that others are giving back.
    pub fn is_promised(&self, id: JobId) -> bool {
        let tasks = self.seats.get(&id).map_or(&[][..], |seat| &seat.tasks);
        tasks.iter().any(|cell| matches!(cell.mark, Mark::Promised(_)))
    }

    /// A point to go back to.
    pub fn checkpoint(&self) -> Checkpoint {
        Checkpoint(self.log.len())
    }

    /// Everything since is as if it had never been.
    pub fn rollback(&mut self, to: Checkpoint) {
        while self.log.len() > to.0 {
            match self.log.pop() {
                Some(Undo::Room(at, room)) => {
                    self.rooms[at] = *room;
                    self.count_free(at);
                }
                Some(Undo::Queue(at, queue)) => self.teams.queues[at] = *queue,
                Some(Undo::Mark(id, rank, mark)) => {
                    if let Some(seat) = self.seats.get_mut(&id) {
                        seat.tasks[rank].mark = mark;
                    }
                }
                Some(Undo::Thaw(id)) => {
                    if let Some(seat) = self.seats.get_mut(&id) {
                        seat.thaws = false;
                    }
                }
                Some(Undo::Custom(name, level)) => drop(self.custom.insert(name, level)),
                Some(Undo::Rate(name, used)) => drop(self.rates.insert(name, used)),
                Some(Undo::Array(id, more)) => drop(self.arrays.insert(id, more)),
                Some(Undo::Deed) => drop(self.deeds.pop()),
                Some(Undo::Line(node, line)) => {
                    self.guard.iter_mut().for_each(|guard| guard.put_back(node, (*line).clone()));
                }
                Some(Undo::Units(name, line)) => {
                    let line = || (*line).clone();
                    self.guard.iter_mut().for_each(|g| g.put_units_back(name.clone(), line()));
                }
                None => {}
            }
        }
    }

    /// What was done since the last time is decided and will not be taken back.
    pub fn commit(&mut self) {
        self.log.clear();
    }

    fn change_room(&mut self, at: usize, change: impl FnOnce(&mut Room)) {
        self.log.push(Undo::Room(at, Box::new(self.rooms[at].clone())));
        change(&mut self.rooms[at]);
        self.count_free(at);
    }

    fn change_queue(&mut self, at: usize, change: impl FnOnce(&mut Queue)) {
        self.log.push(Undo::Queue(at, Box::new(self.teams.queues[at])));
        change(&mut self.teams.queues[at]);
    }

    fn mark(&mut self, id: JobId, rank: usize, mark: Mark) {
        if let Some(cell) = self.seats.get_mut(&id).and_then(|seat| seat.tasks.get_mut(rank)) {
            let before = std::mem::replace(&mut cell.mark, mark);
            self.log.push(Undo::Mark(id, rank, before));
        }
    }

    /// Some nodes are not for everybody.
    pub fn has_spot(&self) -> bool {
        self.has_spot
    }

    /// One of its tasks asks for no less than what has found no room.
    pub(in crate::sched) fn is_hopeless_head(&self, head: &Head) -> bool {
        let mut requests = head.shape.requests().map(Amounts::from);
        requests.any(|request| self.is_hopeless(&request))
    }

    /// Something no larger has found no room.
    fn is_hopeless(&self, request: &Amounts) -> bool {
        let larger = |known: &Amounts| {
            Kind::ALL.into_iter().all(|kind| request.get(kind) >= known.get(kind))
        };
        self.hopeless.iter().any(larger)
    }

    /// Notes a decision.
    pub fn note(&mut self, deed: Deed) {
        self.deeds.push(deed);
        self.log.push(Undo::Deed);
    }
}

/// What processes hold that were told to stop and should long be gone.
pub(in crate::sched) fn stuck(world: &World, now: Mono) -> impl Iterator<Item = Holding<'_>> {
    let long = world.index().stopping.iter();
    let long = long.take_while(move |(since, _)| *since + STUCK_AFTER <= now);
    let jobs = long.filter_map(|(_, id)| world.job(*id));
    let jobs = jobs.filter(move |job| job.since.now + job.spec.grace + STUCK_AFTER <= now);
    jobs.flat_map(|job| holdings(job))
}

/// Room on one node, whatever its state.
pub fn room(node: &Node, used: Option<&Use>) -> Room {
    let ours = node.gpus.iter().filter(|gpu| gpu.foreign.is_none());
    let devices: Vec<u32> = ours.map(|gpu| gpu.index).collect();
    let capacity = &node.capacity;
    let (name, most) = (node.name.clone(), node.traits.max_tasks);
    let mut room = Room::empty(name, capacity.cpu_milli, capacity.mem_bytes, most, &devices);
    if let Some(used) = used {
        fill(&mut room, used, |level, n| level.held = n);
        if let Some(releasing) = &used.releasing {
            fill(&mut room, releasing, |level, n| level.releasing = n);
        }
    }
    room
}

fn fill(room: &mut Room, used: &Use, set: impl Fn(&mut Level, u64)) {
    set(&mut room.cpu, used.held.cpu_milli);
    set(&mut room.mem, used.held.mem_bytes);
    set(&mut room.tasks, used.tasks);
    for Device { index, level } in &mut room.devices {
        set(level, used.gpus.get(index).copied().unwrap_or(0));
    }
}
