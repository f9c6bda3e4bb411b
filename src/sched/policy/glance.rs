//! The numbers of a room that a choice of nodes looks at, worked out once for each change of the
//! room instead of once for each look.
//!
//! A cycle asks of every node whether a task fits there far more often than it changes one.
//! [`choose`] decides as [`fit::choose`](super::fit::choose) does.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use crate::model::Resources;
use crate::sched::policy::fit::{By, Room, WHOLE, When};

/// What is free in a room now and later.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Glance {
    now: Free,
    later: Free,
    /// Thousandths of devices that are not spoken for.
    gpu_later: u64,
    cpu_total: u64,
    devices: u64,
}

/// What is free at a time.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
struct Free {
    tasks: u64,
    cpu_milli: u64,
    mem_bytes: u64,
    whole_devices: u64,
}

impl Free {
    fn of(room: &Room, when: When) -> Free {
        Free {
            tasks: room.tasks.at(when),
            cpu_milli: room.cpu.at(when),
            mem_bytes: room.mem.at(when),
            whole_devices: room.whole_devices(when),
        }
    }

    /// All but a share of a device is there.
    fn fits(&self, request: &Resources) -> bool {
        self.tasks >= 1
            && self.cpu_milli >= request.cpu_milli
            && self.mem_bytes >= request.mem_bytes
            && self.whole_devices >= request.gpu_milli / WHOLE
    }
}

impl Glance {
    /// Of a room as it is.
    pub fn of(room: &Room) -> Glance {
        Glance {
            now: Free::of(room, When::Now),
            later: Free::of(room, When::Later),
            gpu_later: room.gpu_later(),
            cpu_total: room.cpu.total,
            devices: room.devices.len() as u64,
        }
    }

    /// Whether a task fits, countable resources left out; the room is asked about shares only.
    pub fn fits(&self, room: &Room, request: &Resources, when: When) -> bool {
        let free = match when {
            When::Now => &self.now,
            When::Later => &self.later,
        };
        let shares = !request.gpu_milli.is_multiple_of(WHOLE);
        free.fits(request) && (!shares || room.fits(request, when))
    }

    /// How good the node at a place is for a task; smaller is better.
    fn score(
        &self,
        (at, room): (usize, &Room),
        request: &Resources,
        by: By<'_>,
    ) -> (bool, bool, i64, u64) {
        let now = self.fits(room, request, When::Now);
        let misused = request.gpu_milli == 0 && self.devices > 0;
        let (free, total) = match request.gpu_milli {
            0 => (self.later.cpu_milli, self.cpu_total),
            _ => (self.gpu_later, self.devices * WHOLE),
        };
        let strands = match by {
            By::BinPack | By::Spread => 0,
            By::LeastFragmentation(costs) => {
                let when = if now { When::Now } else { When::Later };
                costs.increase(at, room, request, when)
            }
        };
        (!now, misused, strands, by.density(free, total))
    }
}

/// The best of the rooms, sorted by name, that may be used, and when the task fits there; who may
/// be used is asked from the best room on, and only until one may.
pub fn choose(
    rooms: &[Room],
    glances: &[Glance],
    request: &Resources,
    by: By<'_>,
    may_use: impl Fn(usize) -> bool,
) -> Option<(usize, When)> {
    let rooms = rooms.iter().zip(glances).enumerate();
    let fits = rooms.filter(|(_, (room, glance))| glance.fits(room, request, When::Later));
    let scores =
        fits.map(|(at, (room, glance))| Reverse((glance.score((at, room), request, by), at)));
    let mut best: BinaryHeap<_> = scores.collect();
    while let Some(Reverse(((later, ..), at))) = best.pop() {
        if may_use(at) {
            return Some((at, if later { When::Later } else { When::Now }));
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::job::GpuShare;
    use crate::sched::policy::fit::{self, Grip};
    use crate::sched::policy::fragments::{Costs, Mix, Shape};
    use proptest::collection::vec;
    use proptest::prelude::*;

    /// Cores and bytes of a room, its devices, and what is taken there, when.
    type Filled = (u64, u64, Vec<u64>, Vec<(u64, u64, bool)>);

    fn room(at: usize, (cpu, mem, devices, taken): &Filled) -> Room {
        let indices: Vec<u32> = (0..).take(devices.len()).collect();
        let mut room = Room::empty(format!("n{at}").into(), *cpu, *mem, Some(4), &indices);
        for (device, held) in room.devices.iter_mut().zip(devices) {
            device.level.held = *held;
        }
        for (cpu_milli, gpus, later) in taken {
            let request = Resources {
                cpu_milli: *cpu_milli,
                mem_bytes: 1,
                gpu_milli: gpus * WHOLE,
                ..Resources::default()
            };
            let when = if *later { When::Later } else { When::Now };
            if room.fits(&request, when) {
                room.take(&request, &Grip::Whole(*gpus), when);
            }
        }
        if let Some(device) = room.devices.first().filter(|device| device.level.held > 0) {
            let share = GpuShare { index: device.index, milli: device.level.held };
            let gone = Resources { gpu_milli: share.milli, ..Resources::default() };
            room.tasks.held += 1;
            room.release(&gone, &[share], true);
        }
        room
    }

    fn filled() -> impl Strategy<Value = Filled> {
        let device = prop_oneof![Just(0), Just(0), Just(WHOLE), Just(500)];
        (0..5u64, 1..5u64, vec(device, 0..4), vec((0..3u64, 0..3u64, any::<bool>()), 0..3))
    }

    fn mix() -> impl Strategy<Value = Mix> {
        let gpu_milli = prop_oneof![Just(300), Just(500), Just(WHOLE), Just(3 * WHOLE)];
        let shape = (gpu_milli, 0..4u64, 0..3u64, 0..2u32, 1..9u64);
        vec(shape, 0..5).prop_map(|shapes| {
            let shape =
                |(gpu_milli, cpu_milli, mem_bytes, class, tasks): &(u64, u64, u64, u32, u64)| {
                    (
                        Shape {
                            gpu_milli: *gpu_milli,
                            cpu_milli: *cpu_milli,
                            mem_bytes: *mem_bytes,
                            class: *class,
                        },
                        *tasks,
                    )
                };
            Mix::of(shapes.iter().map(shape), shapes.iter().map(|shape| shape.4).sum())
        })
    }

    proptest! {
        #[test]
        fn it_chooses_as_the_rooms_themselves_do(
            all in vec(filled(), 0..5),
            cpu_milli in 0..4u64,
            gpu_milli in prop_oneof![Just(0), Just(300), Just(500), Just(WHOLE), Just(2 * WHOLE)],
            mix in mix(),
            open_to in vec(0..4u64, 5),
            place in 0..3usize,
            closed in 0..5usize,
        ) {
            let mut rooms: Vec<Room> =
                all.iter().enumerate().map(|(at, all)| room(at, all)).collect();
            rooms.iter_mut().zip(open_to).for_each(|(room, open_to)| room.open_to = open_to);
            let mut glances: Vec<Glance> = rooms.iter().map(Glance::of).collect();
            let request = Resources { cpu_milli, mem_bytes: 1, gpu_milli, ..Resources::default() };
            let mut costs = Costs::of(mix);
            // Until none fits any more, so that what is remembered must follow what changes.
            for _ in 0..8 {
                let by = [By::BinPack, By::Spread, By::LeastFragmentation(&costs)][place];
                let may_use = |at| at != closed;
                let expected = fit::choose(&rooms, &request, by, When::Later, may_use);
                prop_assert_eq!(choose(&rooms, &glances, &request, by, may_use), expected);
                let Some((at, when)) = expected else { break };
                let grip = rooms[at].grip(&request, when, by).unwrap();
                prop_assert!(rooms[at].fits_so(&request, &grip, when));
                rooms[at].take(&request, &grip, when);
                glances[at] = Glance::of(&rooms[at]);
                costs.changed(at);
            }
        }
    }
}
