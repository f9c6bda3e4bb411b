//! Amounts of what jobs ask for and nodes have.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::base::Name;

/// Amounts of CPU (thousandths of a core), memory (bytes), GPU (thousandths of a device) and
/// named countable resources (whole units).
#[derive(Debug, Clone, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(default)]
pub struct Resources {
    /// Thousandths of a core.
    #[serde(skip_serializing_if = "is_zero")]
    pub cpu_milli: u64,
    /// Bytes.
    #[serde(skip_serializing_if = "is_zero")]
    pub mem_bytes: u64,
    /// Thousandths of a GPU. Below 1000 it is a share of one device, above it a whole number
    /// of devices.
    #[serde(skip_serializing_if = "is_zero")]
    pub gpu_milli: u64,
    /// Countable things by name, such as `api:anthropic`.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub custom: BTreeMap<Name, u64>,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde calls it with a reference")]
fn is_zero(n: &u64) -> bool {
    *n == 0
}

impl Resources {
    /// Adds `other`, saturating.
    pub fn add(&mut self, other: &Resources) {
        self.cpu_milli = self.cpu_milli.saturating_add(other.cpu_milli);
        self.mem_bytes = self.mem_bytes.saturating_add(other.mem_bytes);
        self.gpu_milli = self.gpu_milli.saturating_add(other.gpu_milli);
        for (name, n) in &other.custom {
            let held = self.custom.entry(name.clone()).or_default();
            *held = held.saturating_add(*n);
        }
    }

    /// Takes `other` away, stopping at zero; a countable resource that reaches zero disappears.
    pub fn sub(&mut self, other: &Resources) {
        self.cpu_milli = self.cpu_milli.saturating_sub(other.cpu_milli);
        self.mem_bytes = self.mem_bytes.saturating_sub(other.mem_bytes);
        self.gpu_milli = self.gpu_milli.saturating_sub(other.gpu_milli);
        for (name, n) in &other.custom {
            if let Some(held) = self.custom.get_mut(name) {
                *held = held.saturating_sub(*n);
                if *held == 0 {
                    self.custom.remove(name);
                }
            }
        }
    }

    /// `n` times this amount.
    pub fn times(&self, n: u64) -> Resources {
        Resources {
            cpu_milli: self.cpu_milli.saturating_mul(n),
            mem_bytes: self.mem_bytes.saturating_mul(n),
            gpu_milli: self.gpu_milli.saturating_mul(n),
            custom: self.custom.iter().map(|(k, v)| (k.clone(), v.saturating_mul(n))).collect(),
        }
    }

    /// Nothing at all.
    pub fn is_empty(&self) -> bool {
        *self == Resources::default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn taking_away_what_was_added_leaves_no_trace() {
        let api = Resources { custom: [("api:x".into(), 2)].into(), ..Resources::default() };
        let base = Resources { cpu_milli: 500, mem_bytes: 7, ..Resources::default() };
        let mut sum = base.clone();
        sum.add(&api);
        sum.add(&api);
        sum.sub(&api.times(2));
        assert_eq!(sum, base);
    }
}
