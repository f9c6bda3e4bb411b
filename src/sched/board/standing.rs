//! The board of a world in which promises and reservations stand: only what is free is given out.

use std::collections::{BTreeMap, BTreeSet};

use crate::base::{At, JobId, Mono};
use crate::model::Resources;
use crate::model::job::{Job, TaskState};
use crate::sched::board::Board;
use crate::sched::board::heads::Head;
use crate::sched::board::seat::Seat;
use crate::sched::policy::amounts::Amounts;
use crate::sched::policy::fit::{Grip, When};
use crate::sched::policy::gates;
use crate::sched::world::World;

/// What stands: room that is kept on nodes for others, with from when on.
#[derive(Debug, Clone, Default)]
pub struct Standing {
    kept: BTreeMap<usize, Vec<(JobId, Mono, Amounts)>>,
    /// Jobs whose promises can no longer be kept: a node went away, or has less than before, or
    /// their team may hold less.
    void: BTreeSet<JobId>,
    /// What is kept is looked away from for a moment.
    looks_away: bool,
}

impl Board {
    /// The board of a world at a time, with its promises taken and its reservations kept.
    pub fn standing(world: &World, at: At) -> Board {
        let mut board = Board::bare(world, at);
        let mut standing = Standing::default();
        let reserves = world.setup().cycle.on("reservation");
        for (_, id) in world.index().reserved.iter().filter(|_| reserves) {
            let Some(held) = world.job(*id).and_then(|job| job.reserved.as_deref()) else {
                continue;
            };
            for (name, room) in &held.room {
                if let Some(node) = board.node(name) {
                    let room = (*id, held.at, Amounts::from(room));
                    standing.kept.entry(node).or_default().push(room);
                }
            }
        }
        for job in world.index().promised.iter().filter_map(|id| world.job(*id)) {
            let before = board.checkpoint();
            if !board.keeps_promise(job) {
                board.rollback(before);
                standing.void.insert(job.id);
            }
        }
        board.standing = Some(Box::new(standing));
        board.commit();
        board
    }

    /// Takes what is promised to a job, which counts as its team's; whether that is still possible.
    fn keeps_promise(&mut self, job: &Job) -> bool {
        let Some(team) = self.teams.place(&job.spec.team) else { return false };
        let mut tasks = job.tasks.iter().filter(|task| task.state == TaskState::Nominated);
        tasks.all(|task| {
            let Some(placement) = &task.placement else { return false };
            let Some(node) = self.node(&placement.node) else { return false };
            let request = job.spec.request_of(task.group);
            let grip = Grip::Known(placement.gpus.clone());
            let (need, preemptible) = (Amounts::from(request), job.spec.preemptible);
            let fits = self.is_open(node)
                && self.rooms[node].fits_so(request, &grip, When::Later)
                && gates::open(&self.teams.queues, team, &need, preemptible).is_ok();
            self.change_room(node, |room| room.take(request, &grip, When::Later));
            self.take_units(request, When::Later);
            self.book_for(team, !preemptible, request, true);
            fits
        })
    }

    /// The promises of the world to a job stand.
    pub fn promise_stands(&self, id: JobId) -> bool {
        let stands = |standing: &Standing| !standing.void.contains(&id);
        self.standing.as_deref().is_some_and(stands) && self.world().index().promised.contains(&id)
    }

    /// Room is kept for others, and not looked away from.
    pub fn keeps_room(&self) -> bool {
        let standing = self.standing.as_ref();
        standing.is_some_and(|held| !held.looks_away && !held.kept.is_empty())
    }

    /// Does something as if nothing were kept for others.
    pub fn beside_nothing<T>(&mut self, act: impl FnOnce(&mut Board) -> T) -> T {
        let look_away = |board: &mut Board, on: bool| {
            board.standing.iter_mut().for_each(|standing| standing.looks_away = on);
        };
        look_away(self, true);
        let done = act(self);
        look_away(self, false);
        done
    }

    /// Something is kept from some: who starts must be over in time.
    pub(super) fn keeps_any(&self) -> bool {
        self.guard.is_some() || self.keeps_room()
    }

    /// Whether a node has room for a task of a job that is over by then beside what is kept there
    /// for others: they begin once it is over, or do with what it leaves.
    pub(super) fn stands_beside(
        &self,
        seat: &Seat,
        node: usize,
        need: &Amounts,
        over: Mono,
    ) -> bool {
        let standing = self.standing.as_ref().filter(|standing| !standing.looks_away);
        let kept = standing.and_then(|standing| standing.kept.get(&node));
        let Some(kept) = kept else { return true };
        let others = kept.iter().filter(|(job, at, _)| *job != seat.id() && *at < over);
        let sum = others.fold(Amounts::default(), |sum, (.., room)| sum.plus(room));
        let (free, need) = (self.free_on(node), sum.plus(need));
        sum == Amounts::default() || need.fits_in(&free)
    }

    /// Whether all that is promised to a job could be free by now: a look at numbers.
    pub fn is_promise_free(&self, id: JobId) -> bool {
        let Some(job) = self.world().job(id) else { return false };
        let mut promised = job.tasks.iter().filter(|task| task.state == TaskState::Nominated);
        promised.all(|task| {
            let Some(placement) = &task.placement else { return false };
            let Some(node) = self.node(&placement.node) else { return false };
            let (room, request) = (&self.rooms[node], job.spec.request_of(task.group));
            let free = |index: u32, milli: u64| {
                let device = room.devices.iter().find(|device| device.index == index);
                device.is_some_and(|device| device.level.held + milli <= device.level.total)
            };
            self.is_open(node)
                && room.cpu.held + request.cpu_milli <= room.cpu.total
                && room.mem.held + request.mem_bytes <= room.mem.total
                && placement.gpus.iter().all(|share| free(share.index, share.milli))
        })
    }

    /// The best of each shape, of those without a promise, for which free room might do.
    pub fn served_heads(&self, served: &mut Served) -> Vec<Head> {
        let queue = self.world().index().queue.iter();
        let heads = queue.filter(|(shape, _)| match shape.thaw {
            Some(_) => {
                served.thaws = true;
                true
            }
            None => shape.requests().all(|request| served.of(self, request)),
        });
        heads.filter_map(|(shape, places)| self.first_head(shape, places.iter())).collect()
    }

    fn serves(&self, request: &Resources) -> bool {
        let need = Amounts::from(request);
        let fits = |node: &usize| {
            need.fits_in(&self.frees[*node])
                && self.glances[*node].fits(&self.rooms[*node], request, When::Now)
        };
        (0..self.rooms.len()).any(|node| fits(&node))
    }
}

/// For which requests of single tasks there is room now.
#[derive(Debug, Default)]
pub struct Served {
    known: Vec<(Resources, bool)>,
    /// Somebody waits who goes on where it is.
    thaws: bool,
}

impl Served {
    fn of(&mut self, board: &Board, request: &Resources) -> bool {
        if let Some((_, served)) = self.known.iter().find(|(known, _)| known == request) {
            return *served;
        }
        let served = board.serves(request);
        self.known.push((request.clone(), served));
        served
    }

    /// Room was taken: for some there may be none left.
    pub fn look_again(&mut self, board: &Board) {
        let served = self.known.iter_mut().filter(|(_, served)| *served);
        served.for_each(|(request, served)| *served = board.serves(request));
    }

    /// Whether anybody could still be served.
    pub fn is_any(&self) -> bool {
        self.thaws || self.known.iter().any(|(_, served)| *served)
    }
}
