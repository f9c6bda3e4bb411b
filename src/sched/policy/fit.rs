//! Which node, and which devices on it.
//!
//! A [`Room`] counts what is held, what of it is being released, and what is promised of what
//! will then be free. Something fits *now* if it is free and no promise is broken by taking it;
//! it fits *later* if it will be free once everything that is being released is gone. Of the
//! nodes with room one where the task fits now is better, then for a task without GPUs one that
//! has none, then the fullest (or the emptiest, or where least is stranded, [`By`]), then the
//! first by name (kai.md 1.3). A share of a device goes to the fullest device that has room for
//! it, so that whole devices stay whole; whole devices are counted here and dealt out last, by
//! [`Deal`].

use std::cmp::Reverse;

use crate::base::Name;
use crate::model::Resources;
use crate::model::job::GpuShare;
use crate::model::setup::PlaceBy;
use crate::sched::policy::fragments::Costs;

#[cfg(test)]
mod tests;

/// How the best of several nodes with room is chosen, and the device for a share.
#[derive(Debug, Clone, Copy)]
pub enum By<'a> {
    /// The fullest.
    BinPack,
    /// The emptiest.
    Spread,
    /// Where least of what is free becomes useless, then the fullest.
    LeastFragmentation(&'a Costs),
}

impl<'a> By<'a> {
    /// As configured.
    pub fn of(place: PlaceBy, costs: &'a Costs) -> By<'a> {
        match place {
            PlaceBy::BinPack => By::BinPack,
            PlaceBy::Spread => By::Spread,
            PlaceBy::LeastFragmentation => By::LeastFragmentation(costs),
        }
    }

    /// How dense a node with so much free of so much is; smaller is better.
    pub(super) fn density(self, free: u64, total: u64) -> u64 {
        match self {
            By::BinPack | By::LeastFragmentation(_) => free,
            By::Spread => 1000 - free.saturating_mul(1000) / total.max(1),
        }
    }
}

/// Thousandths of one device.
pub const WHOLE: u64 = 1000;

/// So much of one thing in one place.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Level {
    /// What there is.
    pub total: u64,
    /// What tasks hold.
    pub held: u64,
    /// What of that is being given back.
    pub releasing: u64,
    /// What is promised of what is or will be free.
    pub promised: u64,
}

/// When something is to be taken.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum When {
    /// At once.
    Now,
    /// Once what is being released is free.
    Later,
}

impl Level {
    /// All free.
    pub const fn all(total: u64) -> Level {
        Level { total, held: 0, releasing: 0, promised: 0 }
    }

    /// What will be free once everything that is being released is.
    pub fn later(&self) -> u64 {
        let taken = self.held.saturating_sub(self.releasing).saturating_add(self.promised);
        self.total.saturating_sub(taken)
    }

    /// What is free now and not needed for a promise.
    pub fn free(&self) -> u64 {
        self.total.saturating_sub(self.held).min(self.later())
    }

    /// What is free at a time.
    pub fn at(&self, when: When) -> u64 {
        match when {
            When::Now => self.free(),
            When::Later => self.later(),
        }
    }

    /// Takes or promises.
    pub fn take(&mut self, n: u64, when: When) {
        let taken = match when {
            When::Now => &mut self.held,
            When::Later => &mut self.promised,
        };
        *taken = taken.saturating_add(n);
    }

    /// Takes back what [`Level::take`] took.
    pub fn untake(&mut self, n: u64, when: When) {
        let taken = match when {
            When::Now => &mut self.held,
            When::Later => &mut self.promised,
        };
        *taken = taken.saturating_sub(n);
    }
}

/// What tasks get of a room's devices.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Grip {
    /// None.
    Nothing,
    /// A share of the device at this place of the room's list.
    Share {
        /// Place in the list.
        at: usize,
        /// Thousandths.
        milli: u64,
    },
    /// So many whole devices, whichever.
    Whole(u64),
    /// Exactly these, held already.
    Known(Vec<GpuShare>),
}

/// One usable device.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Device {
    /// Its index on the node.
    pub index: u32,
    /// Its thousandths.
    pub level: Level,
}

impl Device {
    /// Nobody uses it, or will use it, or has a share of it promised.
    pub fn is_whole(&self, when: When) -> bool {
        match when {
            When::Now => self.level.held == 0 && self.level.promised == 0,
            When::Later => self.level.held <= self.level.releasing && self.level.promised == 0,
        }
    }
}

/// Room on a node.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Room {
    /// The node.
    pub name: Name,
    /// Thousandths of cores.
    pub cpu: Level,
    /// Bytes.
    pub mem: Level,
    /// Tasks it takes.
    pub tasks: Level,
    /// Its devices that are not used by others, by index.
    pub devices: Vec<Device>,
    /// Whole devices taken and promised that are not dealt out yet.
    pub whole: Level,
    /// For which sets of labels it will do: a bit for each class of shapes in a mix
    /// ([`super::fragments::Shape::class`]).
    pub open_to: u64,
}

/// The largest amounts of anything that were free in one place, when nothing fitted.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Best {
    /// Thousandths of a core.
    pub cpu_milli: u64,
    /// Bytes.
    pub mem_bytes: u64,
    /// Thousandths of devices, as far as they can serve the request.
    pub gpu_milli: u64,
}

impl Room {
    /// An empty room: cores, bytes, tasks at most, devices.
    pub fn empty(name: Name, cpu: u64, mem: u64, tasks: Option<u32>, devices: &[u32]) -> Room {
        let device = |index: &u32| Device { index: *index, level: Level::all(WHOLE) };
        Room {
            name,
            cpu: Level::all(cpu),
            mem: Level::all(mem),
            tasks: Level::all(tasks.map_or(u64::MAX, u64::from)),
            devices: devices.iter().map(device).collect(),
            whole: Level::default(),
            open_to: u64::MAX,
        }
    }

    /// Whole devices that are free.
    pub fn whole_devices(&self, when: When) -> u64 {
        let count =
            |when| self.devices.iter().filter(|device| device.is_whole(when)).count() as u64;
        let taken = self.whole.held.saturating_add(self.whole.promised);
        let later = count(When::Later).saturating_sub(taken);
        match when {
            When::Later => later,
            When::Now => count(When::Now).saturating_sub(self.whole.held).min(later),
        }
    }

    /// What of the devices a request would get; `None` if they cannot serve it. A share goes to
    /// the fullest device, or to the emptiest if tasks are spread, or where it strands least.
    pub fn grip(&self, request: &Resources, when: When, by: By<'_>) -> Option<Grip> {
        let gpu_milli = request.gpu_milli;
        if gpu_milli == 0 {
            return Some(Grip::Nothing);
        }
        if gpu_milli >= WHOLE {
            let count = gpu_milli / WHOLE;
            return (self.whole_devices(when) >= count).then_some(Grip::Whole(count));
        }
        let fits = |(_, device): &(usize, &Device)| self.shares(device, gpu_milli, when);
        let fitting = self.devices.iter().enumerate().filter(fits);
        let full = |(_, d): &(usize, &Device)| (d.level.at(when), d.level.free(), d.index);
        let chosen = match by {
            By::LeastFragmentation(costs) if !costs.mix().is_empty() => {
                costs.mix().device(self, request, when)
            }
            By::BinPack | By::LeastFragmentation(_) => fitting.min_by_key(full).map(|(at, _)| at),
            By::Spread => {
                let empty = |(_, d): &(usize, &Device)| (WHOLE - d.level.at(when), d.index);
                fitting.min_by_key(empty).map(|(at, _)| at)
            }
        };
        let at = chosen?;
        Some(Grip::Share { at, milli: gpu_milli })
    }

    /// Whether a task fits with exactly this part of the devices.
    pub fn fits_so(&self, request: &Resources, grip: &Grip, when: When) -> bool {
        let rest = Resources { gpu_milli: 0, ..request.clone() };
        self.fits(&rest, when)
            && match grip {
                Grip::Nothing => true,
                Grip::Known(shares) => shares.iter().all(|share| {
                    let device = self.devices.iter().find(|device| device.index == share.index);
                    device.is_some_and(|device| device.level.at(when) >= share.milli)
                }),
                Grip::Whole(count) => self.whole_devices(when) >= *count,
                Grip::Share { at, milli } => {
                    self.devices.get(*at).is_some_and(|device| self.shares(device, *milli, when))
                }
            }
    }

    /// Whether the devices can serve a request.
    fn serves(&self, gpu_milli: u64, when: When) -> bool {
        match gpu_milli {
            0 => true,
            WHOLE.. => self.whole_devices(when) >= gpu_milli / WHOLE,
            milli => self.devices.iter().any(|device| self.shares(device, milli, when)),
        }
    }

    /// A share fits on a device, and the whole ones that are spoken for stay whole.
    pub(super) fn shares(&self, device: &Device, milli: u64, when: When) -> bool {
        let stays = |at| !device.is_whole(at) || self.whole_devices(at) > 0;
        device.level.at(when) >= milli
            && stays(When::Later)
            && (when == When::Later || stays(When::Now))
    }

    /// Whether a task fits, countable resources left out.
    pub fn fits(&self, request: &Resources, when: When) -> bool {
        self.tasks.at(when) >= 1
            && self.cpu.at(when) >= request.cpu_milli
            && self.mem.at(when) >= request.mem_bytes
            && self.serves(request.gpu_milli, when)
    }

    /// Takes or promises a task's room.
    pub fn take(&mut self, request: &Resources, grip: &Grip, when: When) {
        self.tasks.take(1, when);
        self.cpu.take(request.cpu_milli, when);
        self.mem.take(request.mem_bytes, when);
        match grip {
            Grip::Nothing => {}
            Grip::Share { at, milli } => {
                if let Some(device) = self.devices.get_mut(*at) {
                    device.level.take(*milli, when);
                }
            }
            Grip::Whole(count) => self.whole.take(*count, when),
            Grip::Known(shares) => {
                self.each_device(shares, |level, milli| level.take(milli, when));
            }
        }
    }

    /// Takes back what [`Room::take`] took.
    pub fn untake(&mut self, request: &Resources, grip: &Grip, when: When) {
        self.tasks.untake(1, when);
        self.cpu.untake(request.cpu_milli, when);
        self.mem.untake(request.mem_bytes, when);
        match grip {
            Grip::Nothing => {}
            Grip::Share { at, milli } => {
                if let Some(device) = self.devices.get_mut(*at) {
                    device.level.untake(*milli, when);
                }
            }
            Grip::Whole(count) => self.whole.untake(*count, when),
            Grip::Known(shares) => {
                self.each_device(shares, |level, milli| level.untake(milli, when));
            }
        }
    }

    /// What a task holds is being released, or after all not.
    pub fn release(&mut self, request: &Resources, shares: &[GpuShare], on: bool) {
        let change = |level: &mut Level, n: u64| {
            level.releasing = match on {
                true => level.releasing.saturating_add(n),
                false => level.releasing.saturating_sub(n),
            };
        };
        change(&mut self.tasks, 1);
        change(&mut self.cpu, request.cpu_milli);
        change(&mut self.mem, request.mem_bytes);
        self.each_device(shares, change);
    }

    /// Whether a task that is being released here could stay after all.
    pub fn could_keep(&self, request: &Resources, shares: &[GpuShare]) -> bool {
        let device = |share: &GpuShare| self.devices.iter().find(|d| d.index == share.index);
        let shares_kept = |share: &GpuShare| {
            device(share).is_none_or(|device| match share.milli {
                WHOLE => device.is_whole(When::Later),
                milli => self.shares(device, milli, When::Later),
            })
        };
        let whole = shares.iter().filter(|share| share.milli >= WHOLE).count() as u64;
        self.tasks.later() >= 1
            && self.cpu.later() >= request.cpu_milli
            && self.mem.later() >= request.mem_bytes
            && (whole == 0 || self.whole_devices(When::Later) >= whole)
            && shares.iter().all(shares_kept)
    }

    fn each_device(&mut self, shares: &[GpuShare], change: impl Fn(&mut Level, u64)) {
        for share in shares {
            for device in self.devices.iter_mut().filter(|device| device.index == share.index) {
                change(&mut device.level, share.milli);
            }
        }
    }

    /// Thousandths of devices that are not spoken for.
    pub fn gpu_later(&self) -> u64 {
        let devices = self.devices.iter().fold(0, |sum: u64, device| sum + device.level.later());
        devices.saturating_sub((self.whole.held + self.whole.promised) * WHOLE)
    }

    /// What of `gpu_milli` could be served here.
    fn gpu_best(&self, gpu_milli: u64) -> u64 {
        if gpu_milli < WHOLE {
            let spoken_for =
                |device: &&Device| device.is_whole(When::Now) && self.whole_devices(When::Now) == 0;
            let usable = self.devices.iter().filter(|device| !spoken_for(device));
            return usable.map(|device| device.level.free()).max().unwrap_or(0);
        }
        self.whole_devices(When::Now) * WHOLE
    }

    /// How good a node is for a task; smaller is better.
    fn score(&self, request: &Resources, by: By<'_>) -> Score<'_> {
        let now = self.fits(request, When::Now);
        let misused = request.gpu_milli == 0 && !self.devices.is_empty();
        let (free, total) = match request.gpu_milli {
            0 => (self.cpu.later(), self.cpu.total),
            _ => (self.gpu_later(), self.devices.len() as u64 * WHOLE),
        };
        let strands = match by {
            By::BinPack | By::Spread => 0,
            By::LeastFragmentation(costs) => {
                let when = if now { When::Now } else { When::Later };
                costs.mix().increase(self, request, when)
            }
        };
        (!now, misused, strands, by.density(free, total), &self.name)
    }
}

/// Does not fit now; would misuse devices; what it strands; density; name.
type Score<'a> = (bool, bool, i64, u64, &'a str);

/// The best of the rooms that may be used, and when the task fits there.
pub fn choose(
    rooms: &[Room],
    request: &Resources,
    by: By<'_>,
    latest: When,
    may_use: impl Fn(usize) -> bool,
) -> Option<(usize, When)> {
    let usable = rooms.iter().enumerate().filter(|(at, _)| may_use(*at));
    let fits = usable.filter(|(_, room)| room.fits(request, latest));
    let (at, room) = fits.min_by_key(|(_, room)| room.score(request, by))?;
    let now = room.fits(request, When::Now);
    Some((at, if now { When::Now } else { When::Later }))
}

/// Places `count` tasks that start now, all or nothing, and takes their room.
///
/// # Errors
/// How many could be placed, and the best that was free when the next one could not. The rooms
/// are then as they were.
pub fn place(rooms: &mut [Room], request: &Resources, count: u32) -> Result<(), (u32, Best)> {
    let mut trial = rooms.to_vec();
    for done in 0..count {
        let chosen = choose(&trial, request, By::BinPack, When::Now, |_| true);
        let Some((at, _)) = chosen else { return Err((done, best(&trial, request))) };
        let room = &mut trial[at];
        let grip = room.grip(request, When::Now, By::BinPack).unwrap_or(Grip::Nothing);
        room.take(request, &grip, When::Now);
    }
    rooms.clone_from_slice(&trial);
    Ok(())
}

/// The most that is free in one place.
pub fn best(rooms: &[Room], request: &Resources) -> Best {
    Best {
        cpu_milli: rooms.iter().map(|room| room.cpu.free()).max().unwrap_or(0),
        mem_bytes: rooms.iter().map(|room| room.mem.free()).max().unwrap_or(0),
        gpu_milli: rooms.iter().map(|room| room.gpu_best(request.gpu_milli)).max().unwrap_or(0),
    }
}

/// Deals out the devices of a room to tasks that start and then to those that are promised some:
/// the former get free ones, the latter rather those that are being released.
#[derive(Debug, Clone)]
pub struct Deal {
    /// Indices of whole devices, and whether each is free now; best for a promise first.
    left: Vec<(bool, u32)>,
    /// Indices that stay with promises made before, as long as there are others.
    wanted: Vec<u32>,
}

impl Deal {
    /// Of a room in which everything is decided.
    pub fn of(room: &Room) -> Deal {
        let whole = room.devices.iter().filter(|device| device.is_whole(When::Later));
        let mut left: Vec<(bool, u32)> =
            whole.map(|device| (device.is_whole(When::Now), device.index)).collect();
        left.sort_unstable();
        Deal { left, wanted: Vec::new() }
    }

    /// What starts gets other devices than these, if there are others.
    pub fn spare(&mut self, shares: &[GpuShare]) {
        self.wanted.extend(shares.iter().map(|share| share.index));
    }

    /// Deals just these whole devices, if they are what the grip comes to, all are left and, for
    /// what starts, free; whether it did.
    pub fn keep(&mut self, grip: &Grip, shares: &[GpuShare], when: When) -> bool {
        let is_left = |share: &GpuShare| {
            let usable = |(free, index): &(bool, u32)| {
                *index == share.index && (*free || when == When::Later)
            };
            share.milli == WHOLE && self.left.iter().any(usable)
        };
        let kept = *grip == Grip::Whole(shares.len() as u64) && shares.iter().all(is_left);
        if kept {
            self.left.retain(|(_, index)| shares.iter().all(|share| share.index != *index));
        }
        kept
    }

    /// What a grip comes to, in indices. Those that start now must be dealt with first.
    pub fn deal(&mut self, room: &Room, grip: &Grip, when: When) -> Vec<GpuShare> {
        match grip {
            Grip::Nothing => Vec::new(),
            Grip::Known(shares) => shares.clone(),
            Grip::Share { at, milli } => {
                let device = room.devices.get(*at);
                device.map(|d| GpuShare { index: d.index, milli: *milli }).into_iter().collect()
            }
            Grip::Whole(count) => {
                let count = usize::try_from(*count).unwrap_or(usize::MAX);
                if when == When::Now {
                    let wanted = &self.wanted;
                    let key = |at: &(bool, u32)| (Reverse(at.0), wanted.contains(&at.1), at.1);
                    self.left.sort_unstable_by_key(key);
                }
                let dealt: Vec<_> = self.left.drain(..count.min(self.left.len())).collect();
                self.left.sort_unstable();
                let mut indices: Vec<u32> = dealt.into_iter().map(|(_, index)| index).collect();
                indices.sort_unstable();
                indices.into_iter().map(|index| GpuShare { index, milli: WHOLE }).collect()
            }
        }
    }
}
