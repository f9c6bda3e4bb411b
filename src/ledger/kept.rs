//! What of the free room is kept for waiting jobs.
//!
//! A reservation says how much of a node it needs from some time on. Until then, and after it as
//! long as the job does not run, what is free of that is idle because it is reserved: of each
//! amount the smaller of what is free on the node and what all reservations together keep there.
//! What a short job uses meanwhile is held, and not free. It is never less than what the
//! reservations cost: where others give back more in time than is needed, a job of unknown length
//! could have had some of it. Countable resources are no node's and never kept.

use std::collections::BTreeMap;

use crate::base::{JobId, Name};
use crate::ledger::amounts::Amounts;
use crate::ledger::interval::Interval;
use crate::ledger::meter::Meter;
use crate::ledger::place::Room;
use crate::model::fact::Fact;
use crate::model::{Node, Resources};

/// What is kept, by node.
pub(super) type ByNode = BTreeMap<Name, Resources>;

/// Sums of what reservations keep of a node; devices are counted, not named.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Kept {
    cpu_milli: u64,
    mem_bytes: u64,
    gpu_milli: u64,
}

impl Kept {
    fn add(&mut self, more: &Resources) {
        self.cpu_milli = self.cpu_milli.saturating_add(more.cpu_milli);
        self.mem_bytes = self.mem_bytes.saturating_add(more.mem_bytes);
        self.gpu_milli = self.gpu_milli.saturating_add(more.gpu_milli);
    }

    fn take(&mut self, less: &Resources) {
        self.cpu_milli = self.cpu_milli.saturating_sub(less.cpu_milli);
        self.mem_bytes = self.mem_bytes.saturating_sub(less.mem_bytes);
        self.gpu_milli = self.gpu_milli.saturating_sub(less.gpu_milli);
    }

    /// The part of what is free that is kept, taken out of it. Whole devices before parts of one,
    /// then those with the lowest index.
    pub fn split(self, free: &mut Amounts) -> Amounts {
        if self == Kept::default() {
            return Amounts::default();
        }
        let mut kept = Amounts {
            cpu_milli: self.cpu_milli.min(free.cpu_milli),
            mem_bytes: self.mem_bytes.min(free.mem_bytes),
            ..Amounts::default()
        };
        let mut left = self.gpu_milli;
        let mut devices = free.gpus.clone();
        devices.sort_by_key(|share| (std::cmp::Reverse(share.milli), share.index));
        for mut share in devices {
            share.milli = share.milli.min(left);
            left -= share.milli;
            kept.add_local(&Amounts { gpus: vec![share], ..Amounts::default() });
        }
        *free = free.less_local(&kept);
        kept
    }
}

/// What of a node is idle because it is kept for waiting jobs, while this much of it is held.
pub fn idle<'a>(node: &Node, held: Amounts, kept: impl Iterator<Item = &'a Resources>) -> Amounts {
    let mut room = Room { held, ..Room::of(node, Default::default()) };
    kept.for_each(|kept| room.kept.add(kept));
    room.split().reserved
}

impl Meter {
    /// Takes what a fact says of reservations: a job that does not wait for room has none.
    pub(super) fn take_reservation(&mut self, fact: &Fact, closed: &mut Vec<Interval>) {
        match fact {
            Fact::ReservationMade { job, room, .. } | Fact::ReservationMoved { job, room, .. } => {
                self.keep(*job, room, closed);
            }
            Fact::ReservationOver { job }
            | Fact::JobWaits { job, .. }
            | Fact::JobPaused { job }
            | Fact::JobThawed { job, .. }
            | Fact::AttemptBegan { job, .. }
            | Fact::JobRunning { job }
            | Fact::JobStopping { job, .. }
            | Fact::JobEnded { job, .. }
            | Fact::JobForgotten { job }
                if self.kept.contains_key(job) =>
            {
                self.keep(*job, &ByNode::new(), closed);
            }
            _ => {}
        }
    }

    /// So much is kept for a job from now on, instead of what was before.
    fn keep(&mut self, job: JobId, room: &ByNode, closed: &mut Vec<Interval>) {
        let before = match room.is_empty() {
            true => self.kept.remove(&job),
            false => self.kept.insert(job, room.clone()),
        };
        for (node, amounts) in before.iter().flatten() {
            self.change_node(node, closed, |room| room.kept.take(amounts));
        }
        for (node, amounts) in room {
            self.change_node(node, closed, |room| room.kept.add(amounts));
        }
    }

    /// Puts what is kept for a job of a world in place.
    pub(super) fn put_kept(&mut self, job: JobId, room: &ByNode) {
        if room.is_empty() {
            return;
        }
        for (node, amounts) in room {
            self.nodes.entry(node.clone()).or_default().kept.add(amounts);
        }
        self.kept.insert(job, room.clone());
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::job::GpuShare;

    fn share(index: u32, milli: u64) -> GpuShare {
        GpuShare { index, milli }
    }

    #[test]
    fn of_what_is_free_no_more_is_kept_than_is_asked_for() {
        let gpus = vec![share(0, 400), share(2, 1000), share(5, 1000)];
        let mut free = Amounts { cpu_milli: 3000, mem_bytes: 5, gpus, ..Amounts::default() };
        let asked = Kept { cpu_milli: 9000, mem_bytes: 2, gpu_milli: 1500 };
        let kept = asked.split(&mut free);
        assert_eq!((kept.cpu_milli, kept.mem_bytes), (3000, 2));
        assert_eq!(kept.gpus, [share(2, 1000), share(5, 500)], "whole ones first");
        assert_eq!((free.cpu_milli, free.mem_bytes), (0, 3));
        assert_eq!(free.gpus, [share(0, 400), share(5, 500)]);
        let before = free.clone();
        assert!(Kept::default().split(&mut free).is_empty());
        assert_eq!(free, before);
    }
}
