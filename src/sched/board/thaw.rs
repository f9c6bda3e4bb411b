//! What a frozen job needs to go on where it is.

use std::collections::BTreeMap;

use crate::base::{JobId, Name};
use crate::model::Resources;
use crate::model::job::{GpuShare, Job, TaskState};
use crate::sched::board::settle::Deed;
use crate::sched::board::{Board, Undo};
use crate::sched::policy::fit::{Grip, Room, When};

impl Board {
    /// A frozen job goes on where it is, if the cores, units and devices it gave back are free. A
    /// drained node takes no new work, but what is there may go on: else it would never become
    /// empty.
    pub fn thaw(&mut self, id: JobId) -> bool {
        let Some(seat) = self.seat(id) else { return false };
        let job = seat.job.clone();
        let mut cores: BTreeMap<Name, u64> = BTreeMap::new();
        let (mut units, mut booked) = (Resources::default(), Resources::default());
        for task in job.active_tasks() {
            let request = job.spec.request_of(task.group);
            units.add(&Resources { custom: request.custom.clone(), ..Resources::default() });
            if let Some(placement) = &task.placement {
                *cores.entry(placement.node.clone()).or_default() += request.cpu_milli;
            }
            // What is being stopped needs its cores to end, and counts for nobody any more.
            if task.state != TaskState::Stopping {
                booked.cpu_milli += request.cpu_milli;
                booked.gpu_milli += task.lent.iter().map(|share| share.milli).sum::<u64>();
            }
        }
        let free = |node: usize, need| self.nodes[node].up && self.rooms[node].cpu.free() >= need;
        let fit = |(name, need): (&Name, &u64)| self.node(name).is_some_and(|n| free(n, *need));
        let held =
            |(name, need): (&Name, &u64)| self.units(name).is_some_and(|l| l.free() >= *need);
        let lent = lent(&job);
        let back = |((name, index), need): (&(Name, u32), &u64)| {
            self.node(name).is_some_and(|node| device_has(&self.rooms[node], *index, *need))
        };
        if !cores.iter().all(fit) || !units.custom.iter().all(held) || !lent.iter().all(back) {
            return false;
        }
        for ((name, index), need) in &lent {
            if let Some(node) = self.node(name) {
                let devices = Resources { gpu_milli: *need, ..Resources::default() };
                let grip = Grip::Known(vec![GpuShare { index: *index, milli: *need }]);
                self.guard_takes(id, node, &devices, &grip);
                self.change_room(node, |room| {
                    let device = room.devices.iter_mut().find(|device| device.index == *index);
                    device.into_iter().for_each(|device| device.level.take(*need, When::Now));
                });
            }
        }
        for (name, need) in &cores {
            if let Some(node) = self.node(name) {
                self.change_room(node, |room| room.cpu.take(*need, When::Now));
                let cores = Resources { cpu_milli: *need, ..Resources::default() };
                self.guard_takes(id, node, &cores, &Grip::Nothing);
            }
        }
        for (name, need) in &units.custom {
            self.change_units(name, |level| level.take(*need, When::Now));
        }
        self.book(id, &booked, true);
        if let Some(seat) = self.seats.get_mut(&id) {
            seat.thaws = true;
            self.log.push(Undo::Thaw(id));
        }
        self.note(Deed::Goes(id));
        true
    }
}

/// What a frozen job lent out, by node and device.
fn lent(job: &Job) -> BTreeMap<(Name, u32), u64> {
    let mut lent = BTreeMap::new();
    for task in job.active_tasks() {
        let Some(placement) = &task.placement else { continue };
        for share in &task.lent {
            *lent.entry((placement.node.clone(), share.index)).or_default() += share.milli;
        }
    }
    lent
}

/// So much of a device is free.
pub fn device_has(room: &Room, index: u32, need: u64) -> bool {
    let device = room.devices.iter().find(|device| device.index == index);
    device.is_some_and(|device| device.level.free() >= need)
}
