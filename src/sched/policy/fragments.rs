//! How much of a node's free devices is stranded, and what placing a task adds to that.
//!
//! Free devices that no likely task can use are lost, whether for want of cores, of memory, of a
//! label, or because too little of each device is left. A [`Mix`] says which tasks are likely and
//! how likely. For one [`Shape`] of it all that is free on a node is stranded if it cannot run
//! there, else what is free of those devices that are too small for it; for the mix, the mean of
//! these by weight. A task goes where it adds the least ([`Mix::increase`]), and a share of a
//! device to the device where it adds the least ([`Mix::device`]). (The measure is that of Weng
//! et al., "Beware of fragmentation", USENIX ATC 2023; on purpose different: the large shapes
//! belong to the mix although few ask for them, since who keeps whole nodes free for them is
//! otherwise the accident of names. A shape without devices is left out: it would count all that
//! is free, which a task changes by the same everywhere.)
//!
//! Start with [`target`], then [`Mix::strands`]; [`Costs`] remembers what was worked out.

mod costs;
#[cfg(test)]
mod tests;

use crate::model::Resources;
use crate::sched::policy::fit::{Room, WHOLE, When};

pub use costs::Costs;

/// Shapes of a mix that are there because many ask for them, at most.
const FREQUENT: usize = 64;

/// Further shapes that are there because they are large, at most.
const LARGE: usize = 32;

/// The frequent shapes are enough when so many of a hundred tasks have one of them.
const COVERED: u64 = 95;

/// Sets of labels that shapes of a mix may ask for, at most.
pub const CLASSES: usize = 64;

/// The sum of the weights of a mix, about.
const PARTS: u64 = 1_000_000;

/// What a task of the mix asks for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Shape {
    /// Thousandths of devices.
    pub gpu_milli: u64,
    /// Thousandths of cores.
    pub cpu_milli: u64,
    /// Bytes.
    pub mem_bytes: u64,
    /// The set of labels its node must have, below [`CLASSES`]; see [`Room::open_to`].
    pub class: u32,
}

/// Which tasks are likely: shapes with weights, which sum to at most about a million.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Mix {
    shapes: Vec<(Shape, u64)>,
}

/// Room on a node once all that is being released is free.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Space {
    tasks: u64,
    cpu_milli: u64,
    mem_bytes: u64,
    open_to: u64,
    /// Whole devices that are free.
    whole: u64,
    /// What is free of the others.
    parts: Vec<u64>,
}

/// Belongs to the mix whoever asks for it: more than one device.
pub const fn is_large(gpu_milli: u64) -> bool {
    gpu_milli > WHOLE
}

/// Of shapes with how many tasks have each, those that make the mix: the most frequent that
/// together cover 95 % of `total` tasks, 64 at most, and of all others that are [large](is_large)
/// the largest, 32 at most. So it takes no longer when there are more shapes.
pub fn target<K: Ord + Clone>(
    frequent: impl Iterator<Item = (K, u64)>,
    largest: impl Iterator<Item = (K, u64)>,
    total: u64,
) -> Vec<(K, u64)> {
    let mut covered: u64 = 0;
    let short = |(_, tasks): &(K, u64)| {
        let enough = u128::from(covered) * 100 >= u128::from(total) * u128::from(COVERED);
        covered = covered.saturating_add(*tasks);
        !enough
    };
    let mut chosen: Vec<(K, u64)> = frequent.take(FREQUENT).take_while(short).collect();
    let mut known: Vec<K> = chosen.iter().map(|(key, _)| key.clone()).collect();
    known.sort_unstable();
    let others = largest.take(FREQUENT + LARGE);
    let others = others.filter(|(key, _)| known.binary_search(key).is_err());
    chosen.extend(others.take(LARGE));
    chosen
}

impl Mix {
    /// Of shapes with how many of `total` tasks have each; none weighs nothing.
    pub fn of(shapes: impl Iterator<Item = (Shape, u64)>, total: u64) -> Mix {
        let weight = |tasks: u64| (tasks.saturating_mul(PARTS) / total.max(1)).max(1);
        Mix { shapes: shapes.map(|(shape, tasks)| (shape, weight(tasks))).collect() }
    }

    /// Nothing is likely: then nothing is ever stranded.
    pub fn is_empty(&self) -> bool {
        self.shapes.is_empty()
    }

    /// Its shapes with their weights.
    pub fn shapes(&self) -> &[(Shape, u64)] {
        &self.shapes
    }

    /// Thousandths of devices that are stranded on a node, times the weights.
    pub fn strands(&self, room: &Room) -> u64 {
        self.strands_of(&Space::of(room))
    }

    fn strands_of(&self, space: &Space) -> u64 {
        let parts: u64 = space.parts.iter().sum();
        let free = parts.saturating_add(space.whole.saturating_mul(WHOLE));
        let most =
            if space.whole > 0 { WHOLE } else { space.parts.iter().copied().fold(0, u64::max) };
        let strands = |(shape, weight): &(Shape, u64)| {
            let milli = match (space.has_room(shape), shape.gpu_milli) {
                (false, _) | (true, 0) => free,
                (true, gpu @ WHOLE..) if space.whole >= gpu / WHOLE => parts,
                (true, gpu) if most >= gpu => space.parts.iter().filter(|part| **part < gpu).sum(),
                (true, _) => free,
            };
            milli.saturating_mul(*weight)
        };
        self.shapes.iter().fold(0, |sum, shape| sum.saturating_add(strands(shape)))
    }

    /// How much more is stranded on a node, in the unit of [`Mix::strands`], with a task that
    /// fits there then; less than nothing if less is.
    pub fn increase(&self, room: &Room, request: &Resources, when: When) -> i64 {
        if room.devices.is_empty() || self.is_empty() {
            return 0;
        }
        let space = Space::of(room);
        let before = self.strands_of(&space);
        let share = self.best_share(room, &space, request, when);
        let after = share.map_or_else(|| self.strands_of(&space.with(request, None)), |(n, ..)| n);
        let whole = |n: u64| i64::try_from(n).unwrap_or(i64::MAX);
        whole(after).saturating_sub(whole(before))
    }

    /// The device that a share goes to: where it strands least, then the fullest, then the first.
    pub fn device(&self, room: &Room, request: &Resources, when: When) -> Option<usize> {
        self.best_share(room, &Space::of(room), request, when).map(|(.., at)| at)
    }

    /// What is stranded with a share of a device in the best place, what is free of the device,
    /// its index and its place in the room's list.
    fn best_share(
        &self,
        room: &Room,
        space: &Space,
        request: &Resources,
        when: When,
    ) -> Option<(u64, u64, u32, usize)> {
        if request.gpu_milli == 0 || request.gpu_milli >= WHOLE {
            return None;
        }
        // Devices of which as much is free are as good.
        let mut known: Vec<(u64, u64)> = Vec::new();
        let devices = room.devices.iter().enumerate();
        let fits = devices.filter(|(_, device)| room.shares(device, request.gpu_milli, when));
        let costs = fits.map(|(at, device)| {
            let later = device.level.later();
            let cost = known.iter().find(|(free, _)| *free == later).map(|(_, cost)| *cost);
            let cost = cost.unwrap_or_else(|| {
                let part = (!device.is_whole(When::Later)).then_some(later);
                let cost = self.strands_of(&space.with(request, part));
                known.push((later, cost));
                cost
            });
            (cost, device.level.at(when), device.index, at)
        });
        costs.min()
    }
}

impl Space {
    fn of(room: &Room) -> Space {
        let parts = room.devices.iter().filter(|device| !device.is_whole(When::Later));
        let parts = parts.map(|device| device.level.later()).filter(|free| *free > 0);
        Space {
            tasks: room.tasks.later(),
            cpu_milli: room.cpu.later(),
            mem_bytes: room.mem.later(),
            open_to: room.open_to,
            whole: room.whole_devices(When::Later),
            parts: parts.collect(),
        }
    }

    /// All but the devices is there.
    fn has_room(&self, shape: &Shape) -> bool {
        self.tasks >= 1
            && self.cpu_milli >= shape.cpu_milli
            && self.mem_bytes >= shape.mem_bytes
            && self.open_to.checked_shr(shape.class).unwrap_or(0) & 1 == 1
    }

    /// What is left beside a task; a share is taken of a part of this size, else of a whole one.
    fn with(&self, request: &Resources, part: Option<u64>) -> Space {
        let mut left = Space {
            tasks: self.tasks.saturating_sub(1),
            cpu_milli: self.cpu_milli.saturating_sub(request.cpu_milli),
            mem_bytes: self.mem_bytes.saturating_sub(request.mem_bytes),
            ..self.clone()
        };
        let share = request.gpu_milli % WHOLE;
        left.whole = left.whole.saturating_sub(request.gpu_milli / WHOLE);
        match part {
            _ if share == 0 => {}
            None => {
                left.whole = left.whole.saturating_sub(1);
                left.parts.push(WHOLE - share);
            }
            Some(size) => {
                let part = left.parts.iter_mut().find(|part| **part == size);
                part.into_iter().for_each(|part| *part = part.saturating_sub(share));
            }
        }
        left
    }
}
