//! The board of a world in which promises and reservations stand: only what is free is given out.

use std::collections::BTreeMap;

use crate::base::{At, JobId, Mono};
use crate::model::Resources;
use crate::model::job::TaskState;
use crate::sched::board::Board;
use crate::sched::board::heads::Head;
use crate::sched::board::seat::Seat;
use crate::sched::future::guard::surely_over;
use crate::sched::policy::amounts::Amounts;
use crate::sched::policy::fit::{Grip, When};
use crate::sched::world::World;

/// What stands: room that is kept on nodes for others, with from when on.
#[derive(Debug, Clone, Default)]
pub struct Standing {
    kept: BTreeMap<usize, Vec<(JobId, Mono, Amounts)>>,
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
            for task in job.tasks.iter().filter(|task| task.state == TaskState::Nominated) {
                let Some(placement) = &task.placement else { continue };
                let Some(node) = board.node(&placement.node) else { continue };
                let request = job.spec.request_of(task.group);
                let grip = Grip::Known(placement.gpus.clone());
                board.change_room(node, |room| room.take(request, &grip, When::Later));
                let units = Resources { custom: request.custom.clone(), ..Resources::default() };
                board.take_units(&units, When::Later);
            }
        }
        board.standing = Some(Box::new(standing));
        board.commit();
        board
    }

    /// Whether a node has room for a task of a job beside what is kept there for others: they
    /// begin once it is over, or do with what it leaves.
    pub(super) fn stands_beside(&self, seat: &Seat, node: usize, request: &Resources) -> bool {
        let kept = self.standing.as_ref().and_then(|standing| standing.kept.get(&node));
        let Some(kept) = kept else { return true };
        let over = surely_over(self, &seat.job);
        let others = kept.iter().filter(|(job, at, _)| *job != seat.id() && *at < over);
        let sum = others.fold(Amounts::default(), |sum, (.., room)| sum.plus(room));
        let (free, need) = (self.free_on(node), sum.plus(&Amounts::from(request)));
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
    pub fn served_heads(&self) -> Vec<Head> {
        let free = |node: usize| {
            let room = &self.rooms[node];
            let milli = room.devices.iter().map(|device| device.level.free()).sum();
            let (cpu_milli, mem_bytes) = (room.cpu.free(), room.mem.free());
            Amounts { cpu_milli, mem_bytes, gpu_milli: milli }
        };
        let open = (0..self.rooms.len()).filter(|node| self.is_open(*node));
        let rooms: Vec<(usize, Amounts)> = open.map(|node| (node, free(node))).collect();
        let mut known: Vec<(&Resources, bool)> = Vec::new();
        let mut served = |request| match known.iter().find(|(known, _)| *known == request) {
            Some((_, served)) => *served,
            None => {
                let need = Amounts::from(request);
                let fits = |(node, free): &(usize, Amounts)| {
                    need.fits_in(free) && self.rooms[*node].fits(request, When::Now)
                };
                let served = rooms.iter().any(fits);
                known.push((request, served));
                served
            }
        };
        let world = self.world();
        let queue = world.index().queue.iter();
        let served = queue.filter(|(shape, _)| match shape.thaw {
            Some(_) => true,
            None => shape.requests().all(&mut served),
        });
        served.filter_map(|(shape, places)| self.first_head(shape, places.iter())).collect()
    }
}
