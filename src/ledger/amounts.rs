//! Amounts of everything that is metered, device by device.

use std::collections::BTreeMap;

use crate::base::Name;
use crate::model::job::GpuShare;
use crate::model::{Node, Resources};

/// Thousandths of one device.
const WHOLE: u64 = 1000;

/// Amounts at one instant. Nothing is listed that is zero.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Amounts {
    /// Thousandths of a core.
    pub cpu_milli: u64,
    /// Bytes.
    pub mem_bytes: u64,
    /// Thousandths of devices, by index.
    pub gpus: Vec<GpuShare>,
    /// Units of countable resources.
    pub custom: BTreeMap<Name, u64>,
}

impl Amounts {
    /// What a node has.
    pub fn of_node(node: &Node) -> Amounts {
        Amounts::of_capacity(&node.capacity, node.gpus.iter().map(|gpu| gpu.index))
    }

    /// Cores and memory of a capacity, and so many whole devices.
    pub(super) fn of_capacity(capacity: &Resources, gpus: impl Iterator<Item = u32>) -> Amounts {
        let mut amounts = Amounts {
            cpu_milli: capacity.cpu_milli,
            mem_bytes: capacity.mem_bytes,
            ..Amounts::default()
        };
        gpus.for_each(|index| amounts.set_gpu(index, WHOLE));
        amounts
    }

    /// What a task with these devices holds; frozen it keeps memory and devices only.
    pub fn of_task(request: &Resources, gpus: &[GpuShare], frozen: bool) -> Amounts {
        let mut amounts = Amounts { mem_bytes: request.mem_bytes, ..Amounts::default() };
        for share in gpus {
            amounts.set_gpu(share.index, amounts.gpu(share.index).saturating_add(share.milli));
        }
        if !frozen {
            amounts.cpu_milli = request.cpu_milli;
            amounts.custom.clone_from(&request.custom);
            amounts.custom.retain(|_, units| *units > 0);
        }
        amounts
    }

    /// Nothing at all.
    pub fn is_empty(&self) -> bool {
        self.cpu_milli == 0 && self.mem_bytes == 0 && self.gpus.is_empty() && self.custom.is_empty()
    }

    /// Thousandths of one device.
    pub fn gpu(&self, index: u32) -> u64 {
        self.gpus.iter().find(|share| share.index == index).map_or(0, |share| share.milli)
    }

    fn set_gpu(&mut self, index: u32, milli: u64) {
        match self.gpus.binary_search_by_key(&index, |share| share.index) {
            Ok(at) if milli == 0 => drop(self.gpus.remove(at)),
            Ok(at) => self.gpus.iter_mut().skip(at).take(1).for_each(|share| share.milli = milli),
            Err(_) if milli == 0 => {}
            Err(at) => self.gpus.insert(at, GpuShare { index, milli }),
        }
    }

    /// Cores, memory and devices of `other` on top; countable resources are no node's.
    pub(super) fn add_local(&mut self, other: &Amounts) {
        self.cpu_milli = self.cpu_milli.saturating_add(other.cpu_milli);
        self.mem_bytes = self.mem_bytes.saturating_add(other.mem_bytes);
        for share in &other.gpus {
            self.set_gpu(share.index, self.gpu(share.index).saturating_add(share.milli));
        }
    }

    /// Cores, memory and devices without those of `other`, never below zero.
    #[must_use]
    pub(super) fn less_local(&self, other: &Amounts) -> Amounts {
        let mut left = Amounts {
            cpu_milli: self.cpu_milli.saturating_sub(other.cpu_milli),
            mem_bytes: self.mem_bytes.saturating_sub(other.mem_bytes),
            gpus: self.gpus.clone(),
            custom: BTreeMap::new(),
        };
        for share in &other.gpus {
            left.set_gpu(share.index, left.gpu(share.index).saturating_sub(share.milli));
        }
        left
    }

    /// Takes the devices for which `which` holds out, as amounts of their own.
    pub(super) fn split_gpus(&mut self, which: impl Fn(u32) -> bool) -> Amounts {
        let (taken, kept) = self.gpus.iter().copied().partition(|share| which(share.index));
        self.gpus = kept;
        Amounts { gpus: taken, ..Amounts::default() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_taken_away_again_leaves_no_trace() {
        let share = |index, milli| GpuShare { index, milli };
        let request = Resources { cpu_milli: 5, mem_bytes: 7, ..Resources::default() };
        let task = Amounts::of_task(&request, &[share(3, 500), share(1, 1000)], false);
        assert_eq!(task.gpus, [share(1, 1000), share(3, 500)]);
        let mut held = Amounts::default();
        held.add_local(&task);
        held.add_local(&task);
        assert_eq!((held.cpu_milli, held.gpu(3), held.gpu(1)), (10, 1000, 2000));
        assert_eq!(held.less_local(&task).less_local(&task), Amounts::default());
    }

    #[test]
    fn frozen_it_keeps_memory_and_devices() {
        let custom = [("lic".into(), 2)].into();
        let request = Resources { cpu_milli: 5, mem_bytes: 7, gpu_milli: 500, custom };
        let frozen = Amounts::of_task(&request, &[GpuShare { index: 0, milli: 500 }], true);
        assert_eq!((frozen.cpu_milli, frozen.mem_bytes, frozen.gpu(0)), (0, 7, 500));
        assert!(frozen.custom.is_empty());
    }
}
