//! Which node, and which devices on it.
//!
//! Bin-packing: of the nodes with room the fullest, ties by name; tasks without a GPU prefer
//! nodes without any (kai.md 1.3). A share of a device goes to the fullest device that has
//! room for it, so that whole devices stay whole; whole devices are taken lowest index first.

use crate::base::Name;
use crate::model::Resources;
use crate::model::job::{GpuShare, Placement};

/// Thousandths of one device.
pub const WHOLE: u64 = 1000;

/// Free room on a node.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Room {
    /// The node.
    pub name: Name,
    /// Free thousandths of a core.
    pub cpu_milli: u64,
    /// Free bytes.
    pub mem_bytes: u64,
    /// Free thousandths of each usable device, by index.
    pub gpus: Vec<(u32, u64)>,
    /// Cores there are, for judging how full it is.
    pub cpu_total: u64,
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
    /// The devices a request would get here; `None` if it does not fit.
    pub fn devices(&self, gpu_milli: u64) -> Option<Vec<GpuShare>> {
        if gpu_milli == 0 {
            return Some(Vec::new());
        }
        if gpu_milli < WHOLE {
            let fits = self.gpus.iter().filter(|(_, free)| *free >= gpu_milli);
            let (index, _) = fits.min_by_key(|(index, free)| (*free, *index))?;
            return Some(vec![GpuShare { index: *index, milli: gpu_milli }]);
        }
        let count = usize::try_from(gpu_milli / WHOLE).ok()?;
        let whole = self.gpus.iter().filter(|(_, free)| *free == WHOLE);
        let taken = whole.take(count).map(|(index, _)| GpuShare { index: *index, milli: WHOLE });
        let taken: Vec<_> = taken.collect();
        (taken.len() == count).then_some(taken)
    }

    /// Whether the request fits, countable resources left out.
    pub fn fits(&self, request: &Resources) -> bool {
        self.cpu_milli >= request.cpu_milli
            && self.mem_bytes >= request.mem_bytes
            && self.devices(request.gpu_milli).is_some()
    }

    /// Takes the room of a placement.
    pub fn take(&mut self, request: &Resources, devices: &[GpuShare]) {
        self.cpu_milli = self.cpu_milli.saturating_sub(request.cpu_milli);
        self.mem_bytes = self.mem_bytes.saturating_sub(request.mem_bytes);
        for share in devices {
            for (index, free) in &mut self.gpus {
                if *index == share.index {
                    *free = free.saturating_sub(share.milli);
                }
            }
        }
    }

    /// What of `gpu_milli` could be served here.
    fn gpu_best(&self, gpu_milli: u64) -> u64 {
        if gpu_milli < WHOLE {
            return self.gpus.iter().map(|(_, free)| *free).max().unwrap_or(0);
        }
        self.gpus.iter().filter(|(_, free)| *free == WHOLE).count() as u64 * WHOLE
    }

    /// Smaller is better: GPU nodes last for tasks without GPUs, then the fullest first.
    fn score(&self, request: &Resources) -> (bool, u64, &str) {
        let misused = request.gpu_milli == 0 && !self.gpus.is_empty();
        let free_permille = self.cpu_milli.saturating_mul(1000) / self.cpu_total.max(1);
        (misused, free_permille, &self.name)
    }
}

/// Places `count` tasks, all or nothing, and takes their room.
///
/// # Errors
/// How many could be placed, and the best that was free when the next one could not. The rooms
/// are then as they were.
pub fn place(
    rooms: &mut [Room],
    request: &Resources,
    count: u32,
) -> Result<Vec<Placement>, (u32, Best)> {
    let mut trial = rooms.to_vec();
    let mut placed = Vec::new();
    for done in 0..count {
        let fits = trial.iter_mut().filter(|room| room.fits(request));
        let Some(room) = fits.min_by(|a, b| a.score(request).cmp(&b.score(request))) else {
            return Err((done, best(&trial, request)));
        };
        let gpus = room.devices(request.gpu_milli).unwrap_or_default();
        room.take(request, &gpus);
        placed.push(Placement { node: room.name.clone(), gpus });
    }
    rooms.clone_from_slice(&trial);
    Ok(placed)
}

/// The most that is free in one place.
pub fn best(rooms: &[Room], request: &Resources) -> Best {
    Best {
        cpu_milli: rooms.iter().map(|room| room.cpu_milli).max().unwrap_or(0),
        mem_bytes: rooms.iter().map(|room| room.mem_bytes).max().unwrap_or(0),
        gpu_milli: rooms.iter().map(|room| room.gpu_best(request.gpu_milli)).max().unwrap_or(0),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn room(name: &str, cpu_milli: u64, gpus: &[u64]) -> Room {
        let gpus = (0..).zip(gpus.iter().copied()).collect();
        Room { name: name.into(), cpu_milli, mem_bytes: 100, gpus, cpu_total: 4000 }
    }

    fn ask(cpu_milli: u64, gpu_milli: u64) -> Resources {
        Resources { cpu_milli, mem_bytes: 1, gpu_milli, ..Resources::default() }
    }

    fn nodes(placed: &[Placement]) -> Vec<&str> {
        placed.iter().map(|p| &*p.node).collect()
    }

    #[test]
    fn the_fullest_node_that_has_room_is_taken() {
        let mut rooms = [room("a", 4000, &[]), room("b", 2000, &[]), room("c", 500, &[])];
        let placed = place(&mut rooms, &ask(1000, 0), 4).unwrap();
        assert_eq!(nodes(&placed), ["b", "b", "a", "a"]);
    }

    #[test]
    fn a_task_without_gpus_leaves_gpu_nodes_alone_while_it_can() {
        let mut rooms = [room("a", 1000, &[WHOLE]), room("b", 4000, &[])];
        let placed = place(&mut rooms, &ask(4000, 0), 1).unwrap();
        assert_eq!(nodes(&placed), ["b"]);
        let placed = place(&mut rooms, &ask(1000, 0), 1).unwrap();
        assert_eq!(nodes(&placed), ["a"]);
    }

    #[test]
    fn shares_fill_a_started_device_and_whole_devices_must_be_whole() {
        let mut rooms = [room("a", 4000, &[WHOLE, 700, WHOLE])];
        let placed = place(&mut rooms, &ask(0, 500), 1).unwrap();
        assert_eq!(placed[0].gpus, [GpuShare { index: 1, milli: 500 }]);
        let placed = place(&mut rooms, &ask(0, 2000), 1).unwrap();
        assert_eq!(placed[0].gpus.iter().map(|g| g.index).collect::<Vec<_>>(), [0, 2]);
        let refused = place(&mut rooms, &ask(0, 500), 1).unwrap_err();
        assert_eq!(refused.1.gpu_milli, 200);
    }

    #[test]
    fn a_gang_is_placed_whole_or_not_at_all() {
        let mut rooms = [room("a", 2500, &[])];
        let before = rooms.clone();
        let (placed, best) = place(&mut rooms, &ask(1000, 0), 3).unwrap_err();
        assert_eq!((placed, best.cpu_milli), (2, 500));
        assert_eq!(rooms, before);
    }
}
