//! The three resources that teams share, as plain numbers: amounts, with the model's bounds and
//! weights.
//!
//! CPU in thousandths of a core, memory in bytes, GPUs in thousandths of a device. All
//! arithmetic saturates. Countable resources are nobody's share and do not appear here.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::model::Resources;
pub use crate::model::team::{Bounds, Weights};

/// One of the resources that teams share.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Kind {
    /// Thousandths of a core.
    Cpu,
    /// Bytes.
    Mem,
    /// Thousandths of a device.
    Gpu,
}

/// How much of each.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Amounts {
    /// Thousandths of a core.
    pub cpu_milli: u64,
    /// Bytes.
    pub mem_bytes: u64,
    /// Thousandths of a device.
    pub gpu_milli: u64,
}

/// The most there may be of one resource; `None` is unlimited.
pub type Bound = Option<u64>;

impl Kind {
    /// All of them, in the order in which refusals name them.
    pub const ALL: [Kind; 3] = [Kind::Cpu, Kind::Mem, Kind::Gpu];

    /// All of them, the scarcest first: of several that are short this one is named.
    pub const SCARCEST: [Kind; 3] = [Kind::Gpu, Kind::Cpu, Kind::Mem];

    /// What surplus is rounded to: GPUs are dealt out as whole devices.
    pub const fn unit(self) -> u64 {
        match self {
            Kind::Cpu | Kind::Mem => 1,
            Kind::Gpu => 1000,
        }
    }
}

impl Kind {
    /// How its amounts are called in the numbers of a reason: with their unit.
    pub const fn unit_name(self) -> &'static str {
        match self {
            Kind::Cpu => "cpu_milli",
            Kind::Mem => "mem_bytes",
            Kind::Gpu => "gpu_milli",
        }
    }
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Kind::Cpu => "cpu",
            Kind::Mem => "mem",
            Kind::Gpu => "gpu",
        })
    }
}

impl Amounts {
    /// How much of one.
    pub const fn get(&self, kind: Kind) -> u64 {
        match kind {
            Kind::Cpu => self.cpu_milli,
            Kind::Mem => self.mem_bytes,
            Kind::Gpu => self.gpu_milli,
        }
    }

    /// The place of one.
    pub const fn get_mut(&mut self, kind: Kind) -> &mut u64 {
        match kind {
            Kind::Cpu => &mut self.cpu_milli,
            Kind::Mem => &mut self.mem_bytes,
            Kind::Gpu => &mut self.gpu_milli,
        }
    }

    /// Each made by a function of its kind.
    pub fn each(of: impl Fn(Kind) -> u64) -> Amounts {
        Amounts { cpu_milli: of(Kind::Cpu), mem_bytes: of(Kind::Mem), gpu_milli: of(Kind::Gpu) }
    }

    /// Both together.
    #[must_use]
    pub fn plus(&self, other: &Amounts) -> Amounts {
        Amounts::each(|kind| self.get(kind).saturating_add(other.get(kind)))
    }

    /// What is left without `other`, never below zero.
    #[must_use]
    pub fn minus(&self, other: &Amounts) -> Amounts {
        Amounts::each(|kind| self.get(kind).saturating_sub(other.get(kind)))
    }

    /// Whether there is no more of any resource than in `other`.
    pub const fn fits_in(&self, other: &Amounts) -> bool {
        self.cpu_milli <= other.cpu_milli
            && self.mem_bytes <= other.mem_bytes
            && self.gpu_milli <= other.gpu_milli
    }

    /// Whether every resource is within its bound.
    pub fn within(&self, bounds: &Bounds) -> bool {
        self.first_over(bounds).is_none()
    }

    /// The first resource of which there is more than the bound, if any.
    pub fn first_over(&self, bounds: &Bounds) -> Option<Kind> {
        let over = |kind: &Kind| bounds.get(*kind).is_some_and(|bound| self.get(*kind) > bound);
        Kind::ALL.into_iter().find(over)
    }
}

impl Bounds {
    /// The bound of one.
    pub const fn get(&self, kind: Kind) -> Bound {
        match kind {
            Kind::Cpu => self.cpu_milli,
            Kind::Mem => self.mem_bytes,
            Kind::Gpu => self.gpu_milli,
        }
    }

    /// Each made by a function of its kind.
    pub fn each(of: impl Fn(Kind) -> Bound) -> Bounds {
        Bounds { cpu_milli: of(Kind::Cpu), mem_bytes: of(Kind::Mem), gpu_milli: of(Kind::Gpu) }
    }
}

impl From<&Resources> for Amounts {
    /// What of them teams share; countable resources are left out.
    fn from(resources: &Resources) -> Amounts {
        let Resources { cpu_milli, mem_bytes, gpu_milli, .. } = *resources;
        Amounts { cpu_milli, mem_bytes, gpu_milli }
    }
}

impl From<Amounts> for Bounds {
    fn from(amounts: Amounts) -> Bounds {
        Bounds::each(|kind| Some(amounts.get(kind)))
    }
}

impl Weights {
    /// The weight for one.
    pub const fn get(&self, kind: Kind) -> u64 {
        match kind {
            Kind::Cpu => self.cpu,
            Kind::Mem => self.mem,
            Kind::Gpu => self.gpu,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_wraps_and_unlimited_bounds_nothing() {
        let most = Amounts::each(|_| u64::MAX);
        assert_eq!(most.plus(&most), most);
        assert_eq!(Amounts::default().minus(&most), Amounts::default());
        assert!(most.within(&Bounds::default()));
        let bounds = Bounds { mem_bytes: Some(7), gpu_milli: Some(7), ..Bounds::default() };
        assert_eq!(most.first_over(&bounds), Some(Kind::Mem));
        assert_eq!(Amounts::each(|_| 7).first_over(&bounds), None);
    }
}
