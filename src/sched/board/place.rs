//! Placing and evicting on the board: what a placement asks, and what it does to the numbers.

use crate::base::{JobId, Name};
use crate::model::Resources;
use crate::model::job::{GpuShare, JobSpec};
use crate::sched::board::heads::{Head, asks};
use crate::sched::board::seat::{Mark, Seat, Spot, Waiting};
use crate::sched::board::{Board, Undo};
use crate::sched::future::guard::surely_over;
use crate::sched::policy::amounts::Amounts;
use crate::sched::policy::fit::{Grip, When};
use crate::sched::policy::gates;
use crate::sched::policy::glance;
use crate::sched::policy::queue::lineage;
use crate::sched::policy::spot;

/// How tasks are placed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Mode {
    /// They start if they can, else they are promised room.
    Start,
    /// They are promised room: others must be stopped first. What is to be stopped stays where
    /// it is if it can.
    Stay,
    /// The same, but what is to be stopped goes to the best place, even if it could stay.
    Move,
}

impl Mode {
    fn latest_start(self) -> Option<When> {
        match self {
            Mode::Start => Some(When::Now),
            Mode::Stay | Mode::Move => None,
        }
    }
}

impl Board {
    /// Places tasks of a job together or not at all. They start, or are promised room if fewer
    /// than the gang's minimum could start or something they need is still being released.
    pub fn place(&mut self, id: JobId, ranks: &[usize], mode: Mode) -> bool {
        let before = self.checkpoint();
        let placed = self.try_place(id, ranks, mode);
        if !placed {
            self.rollback(before);
        }
        placed
    }

    fn try_place(&mut self, id: JobId, ranks: &[usize], mode: Mode) -> bool {
        let fresh = self.log.is_empty();
        let Some(seat) = self.seat(id) else { return false };
        let (spec, team) = (seat.job.spec.clone(), seat.team);
        let requests: Vec<Resources> =
            ranks.iter().map(|rank| spec.request_of(seat.tasks[*rank].group).clone()).collect();
        let sum = sum(&requests);
        let grows = seat.tasks.iter().any(|cell| matches!(cell.mark, Mark::Holds(_)));
        let starts_element = !grows && is_new_element(seat);
        if ranks.is_empty()
            || gates::open(&self.teams.queues, team, &Amounts::from(&sum), spec.preemptible)
                .is_err()
            || !self.array_is_open(&spec, starts_element)
        {
            return false;
        }
        let asks: Vec<Amounts> = requests.iter().map(Amounts::from).collect();
        if mode == Mode::Start && asks.iter().any(|ask| self.is_hopeless(ask)) {
            return false;
        }
        let Some(units_at) = self.units_fit(&sum, mode) else { return false };
        let mode = match (units_at, mode) {
            (When::Later, Mode::Start) => Mode::Stay,
            _ => mode,
        };
        if !self.admits_units(id, &sum) {
            return false;
        }
        if starts_element {
            self.count_element(&spec);
        }
        let plain = spec.node_labels.is_empty() && spec.groups.is_none() && !self.has_spot;
        for (at, (rank, request)) in ranks.iter().zip(&requests).enumerate() {
            if self.place_task(id, *rank, request, mode) {
                continue;
            }
            // Nothing was tried before it that would be taken back now.
            if at == 0 && fresh && plain && mode == Mode::Start && !self.keeps_any() {
                self.hopeless.push(asks[0]);
            }
            return false;
        }
        self.promise_all_if_short(id);
        true
    }

    fn place_task(&mut self, id: JobId, rank: usize, request: &Resources, mode: Mode) -> bool {
        let Some(seat) = self.seats.get(&id) else { return false };
        let cell = &seat.tasks[rank];
        let from = match &cell.mark {
            Mark::Evicted(from) => Some(from.clone()),
            _ => None,
        };
        let could_keep = from
            .as_ref()
            .filter(|from| self.rooms[from.node].could_keep(request, known(&from.grip)));
        if let Some(from) = could_keep.filter(|_| mode == Mode::Stay) {
            self.keep(id, rank, request, from.clone());
            return true;
        }
        // What does not run yet may start anywhere, if all it needs beside room is there.
        let ready = || self.units_fit(request, Mode::Start) == Some(When::Now);
        let (mode, leaves) = match (&cell.mark, mode) {
            (Mark::Undone(node), Mode::Move) if ready() => (Mode::Start, Some(*node)),
            (Mark::Undone(_), _) if ready() => (Mode::Start, None),
            _ => (mode, None),
        };
        let own_node = could_keep.map(|from| from.node);
        let elsewhere = leaves.and_then(|_| self.choose(seat, cell.group, request, leaves));
        let Some((node, when)) = elsewhere.or_else(|| self.choose(seat, cell.group, request, None))
        else {
            return false;
        };
        let when = mode.latest_start().filter(|_| when == When::Now).unwrap_or(When::Later);
        let Some(grip) = self.rooms[node].grip(request, when, self.by(request)) else {
            return false;
        };
        let stays = from.clone().filter(|from| own_node == Some(node) && self.same(from, &grip));
        if let Some(from) = stays {
            self.keep(id, rank, request, from);
            return true;
        }
        self.looks += self.rooms.len() as u64;
        self.guard_takes(id, node, request, &grip);
        self.change_room(node, |room| room.take(request, &grip, when));
        self.take_units(request, when);
        let to = Spot { node, grip };
        let mark = match (from, when) {
            (Some(from), _) => Mark::Moves { from, to },
            (None, When::Now) => Mark::Starts(to),
            (None, When::Later) => Mark::Promised(to),
        };
        self.mark(id, rank, mark);
        self.book(id, request, true);
        true
    }

    /// Whether a task would get the device it has; whole devices are all the same.
    fn same(&self, from: &Spot, grip: &Grip) -> bool {
        let Grip::Share { at, .. } = grip else { return true };
        let device = &self.rooms[from.node].devices[*at];
        known(&from.grip).iter().all(|share| share.index == device.index)
    }

    /// The best node for a task, other than `but`.
    fn choose(
        &self,
        seat: &Seat,
        group: u32,
        request: &Resources,
        but: Option<usize>,
    ) -> Option<(usize, When)> {
        let fussy = Fussy::of(&seat.job.spec, group, seat.job.has_way_back(), self.spot_rule());
        let need = Amounts::from(request);
        let over = self.keeps_any().then(|| surely_over(self, &seat.job));
        glance::choose(&self.rooms, &self.glances, request, self.by(request), |node| {
            Some(node) != but
                && need.fits_in(&self.frees[node])
                && self.takes(node, &fussy)
                && over.is_none_or(|over| {
                    self.admits(node, request, over) && self.stands_beside(seat, node, &need, over)
                })
        })
    }

    /// A task that was to be stopped stays where it is.
    fn keep(&mut self, id: JobId, rank: usize, request: &Resources, spot: Spot) {
        let shares = known(&spot.grip).to_vec();
        self.change_room(spot.node, |room| room.release(request, &shares, false));
        self.release_units(request, false);
        self.mark(id, rank, Mark::Holds(spot));
        self.book(id, request, true);
    }

    /// Stops a task: what it holds will be free. One that had got room in this cycle only has
    /// none any more.
    pub fn evict(&mut self, id: JobId, rank: usize) {
        self.hopeless.clear();
        let Some(seat) = self.seats.get(&id) else { return };
        let cell = &seat.tasks[rank];
        let request = seat.job.spec.request_of(cell.group).clone();
        let after = match cell.mark.clone() {
            Mark::Holds(spot) => {
                let shares = known(&spot.grip).to_vec();
                self.change_room(spot.node, |room| room.release(&request, &shares, true));
                self.release_units(&request, true);
                Mark::Evicted(spot)
            }
            Mark::Starts(Spot { node, grip }) => {
                self.change_room(node, |room| room.untake(&request, &grip, When::Now));
                self.untake_units(&request, When::Now);
                Mark::Undone(node)
            }
            Mark::Promised(Spot { node, grip }) => {
                self.change_room(node, |room| room.untake(&request, &grip, When::Later));
                self.untake_units(&request, When::Later);
                Mark::Undone(node)
            }
            _ => return,
        };
        self.mark(id, rank, after);
        self.book(id, &request, false);
        let over = self.seats.get(&id).filter(|seat| is_new_element(seat));
        if let Some(spec) = over.map(|seat| seat.job.spec.clone()) {
            self.uncount_element(&spec);
        }
    }

    /// Counts what a task takes, or gives back, for its team and all above it.
    pub(super) fn book(&mut self, id: JobId, request: &Resources, on: bool) {
        let Some(seat) = self.seats.get(&id) else { return };
        let (team, firm) = (seat.team, !seat.job.spec.preemptible);
        self.book_for(team, firm, request, on);
    }

    /// The same for a task of a team's job, which is `firm` if it never gives way.
    pub(super) fn book_for(&mut self, team: usize, firm: bool, request: &Resources, on: bool) {
        let amounts = Amounts::from(request);
        let change = |sum: &Amounts| match on {
            true => sum.plus(&amounts),
            false => sum.minus(&amounts),
        };
        for level in lineage(&self.teams.queues, team) {
            self.change_queue(level, |queue| {
                queue.allocated = change(&queue.allocated);
                if firm {
                    queue.firm = change(&queue.firm);
                }
            });
        }
    }

    /// Starts what is promised to a job if all of it turns out to be free already: nobody needed
    /// to be stopped for it.
    pub fn start_promised(&mut self, id: JobId) {
        let before = self.checkpoint();
        self.start_free(id);
        if self.is_promised(id) {
            self.rollback(before);
        }
    }

    /// Starts what of that is free, if the gang has its minimum then.
    pub fn start_free(&mut self, id: JobId) {
        let before = self.checkpoint();
        for (rank, spot, request) in self.promised_to(id) {
            let promised = self.checkpoint();
            self.change_room(spot.node, |room| room.untake(&request, &spot.grip, When::Later));
            self.untake_units(&request, When::Later);
            let free = self.rooms[spot.node].fits_so(&request, &spot.grip, When::Now)
                && self.units_fit(&request, Mode::Start) == Some(When::Now);
            if free {
                self.change_room(spot.node, |room| room.take(&request, &spot.grip, When::Now));
                self.take_units(&request, When::Now);
                self.mark(id, rank, Mark::Starts(spot));
            } else {
                self.rollback(promised);
            }
        }
        let real = |mark: &Mark| matches!(mark, Mark::Holds(_) | Mark::Starts(_));
        if !self.seats.get(&id).is_some_and(|seat| seat.gang(Waiting::Fresh, real).is_satisfied()) {
            self.rollback(before);
        }
    }

    /// The tasks of a job that are promised room.
    fn promised_to(&self, id: JobId) -> Vec<(usize, Spot, Resources)> {
        let Some(seat) = self.seats.get(&id) else { return Vec::new() };
        let promised = seat.tasks.iter().enumerate().filter_map(|(rank, cell)| {
            let Mark::Promised(spot) = &cell.mark else { return None };
            Some((rank, spot.clone(), seat.job.spec.request_of(cell.group).clone()))
        });
        promised.collect()
    }

    /// What is promised to a job is free for others, and it waits as if nothing had been.
    pub fn give_up_promise(&mut self, id: JobId) {
        for (rank, spot, request) in self.promised_to(id) {
            self.change_room(spot.node, |room| room.untake(&request, &spot.grip, When::Later));
            self.untake_units(&request, When::Later);
            self.book(id, &request, false);
            self.mark(id, rank, Mark::Waits);
        }
    }

    /// A gang of which fewer than the minimum can start starts none: it is promised all.
    fn promise_all_if_short(&mut self, id: JobId) {
        let Some(seat) = self.seats.get(&id) else { return };
        let promised = seat.tasks.iter().any(|cell| matches!(cell.mark, Mark::Promised(_)));
        let real = |mark: &Mark| matches!(mark, Mark::Holds(_) | Mark::Starts(_));
        if !promised || seat.gang(Waiting::Fresh, real).is_satisfied() {
            return;
        }
        let starts = seat.tasks.iter().enumerate().filter_map(|(rank, cell)| {
            let Mark::Starts(spot) = &cell.mark else { return None };
            Some((rank, spot.clone(), seat.job.spec.request_of(cell.group).clone()))
        });
        for (rank, spot, request) in starts.collect::<Vec<_>>() {
            self.change_room(spot.node, |room| {
                room.untake(&request, &spot.grip, When::Now);
                room.take(&request, &spot.grip, When::Later);
            });
            self.untake_units(&request, When::Now);
            self.take_units(&request, When::Later);
            self.mark(id, rank, Mark::Promised(spot));
        }
    }

    /// Whether an array may have one more element, if this would be one.
    fn array_is_open(&self, spec: &JobSpec, starts_element: bool) -> bool {
        let Some(array) = spec.array.filter(|_| starts_element) else { return true };
        let Some(throttle) = array.throttle else { return true };
        let more = self.arrays.get(&array.id).copied().unwrap_or(0);
        self.world.index().elements(array.id).saturating_add(more) < throttle
    }

    /// Whether neither its array nor a rate keeps a new start back.
    pub fn is_unhindered(&self, head: &Head) -> bool {
        let job = self.world.job(head.id());
        job.is_some_and(|job| self.array_is_open(&job.spec, true)) && self.has_rate_for(head)
    }

    /// Whether no rate keeps a new start back.
    pub fn has_rate_for(&self, head: &Head) -> bool {
        let rate_allows = |(name, need): (Name, u64)| {
            let Some(countable) = self.world.countable(&name) else { return false };
            let used = self.rates.get(&name).copied().unwrap_or(0);
            let taken = self.world.taken(&name, self.at.now).saturating_add(used);
            countable.per_minute.is_none_or(|rate| taken.saturating_add(need) <= rate)
        };
        asks(&head.shape).custom.into_iter().all(rate_allows)
    }

    fn count_element(&mut self, spec: &JobSpec) {
        if let Some(array) = spec.array {
            let more = self.arrays.get(&array.id).copied().unwrap_or(0);
            self.log.push(Undo::Array(array.id, more));
            self.arrays.insert(array.id, more + 1);
        }
    }

    /// One that this cycle had started has no room any more.
    fn uncount_element(&mut self, spec: &JobSpec) {
        let Some(array) = spec.array else { return };
        let more = self.arrays.get(&array.id).copied().unwrap_or(0);
        self.log.push(Undo::Array(array.id, more));
        self.arrays.insert(array.id, more.saturating_sub(1));
    }

    /// Whether spot nodes are for those only who can leave them.
    pub fn spot_rule(&self) -> bool {
        self.world.setup().cycle.on("spot")
    }
}

/// As an element of an array it would be one more: it had no room before the cycle, and has none.
fn is_new_element(seat: &Seat) -> bool {
    seat.job.active_tasks().next().is_none() && !seat.tasks.iter().any(|cell| cell.mark.is_in())
}

/// The devices of a task that has had room since before the cycle.
fn known(grip: &Grip) -> &[GpuShare] {
    match grip {
        Grip::Known(shares) => shares,
        Grip::Nothing | Grip::Share { .. } | Grip::Whole(_) => &[],
    }
}

/// What several tasks ask for together.
pub fn sum(requests: &[Resources]) -> Resources {
    let mut sum = Resources::default();
    requests.iter().for_each(|request| sum.add(request));
    sum
}

/// What a task asks of a node beside room.
#[derive(Debug, Clone, Copy)]
pub struct Fussy<'a> {
    spec: &'a JobSpec,
    group: u32,
    comes_back: bool,
    rule: bool,
}

impl<'a> Fussy<'a> {
    /// A task of a group. Only a job that can stop and come back goes to a node that may vanish.
    /// `rule` says whether that rule is in force.
    pub fn of(spec: &'a JobSpec, group: u32, comes_back: bool, rule: bool) -> Fussy<'a> {
        Fussy { spec, group, comes_back, rule }
    }

    /// Whether a node will do.
    pub fn takes(&self, traits: &crate::model::node::Traits) -> bool {
        let group = usize::try_from(self.group).unwrap_or(usize::MAX);
        let kind = self.spec.kinds().nth(group);
        let more = kind.and_then(|kind| kind.node_labels).into_iter().flatten();
        let has = |(name, value): (&Name, &Name)| traits.labels.get(name) == Some(value);
        let may = spot::may_use(self.rule, traits.spot, self.spec.spot, self.comes_back);
        may && self.spec.node_labels.iter().chain(more).all(has)
    }
}
