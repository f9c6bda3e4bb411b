//! What somebody wants of a team's terms, said in parts: what is not said stays as it is.

use std::str::FromStr;

use serde::{Deserialize, Serialize};

use crate::base::{Span, quantity};
use crate::model::command::said;
use crate::model::team::{Bounds, Terms, Weights};

/// Something to do with a team, as it was said.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum TeamEdit {
    /// It is new; what is not said is the default.
    Add(TermsChange),
    /// It exists; what is not said stays.
    Set(TermsChange),
    /// It goes.
    Remove,
}

/// Changes of terms; `None` leaves a thing as it is.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct TermsChange {
    /// What it is owed.
    pub quota: BoundsChange,
    /// What it may never exceed.
    pub limit: BoundsChange,
    /// Its part of the surplus.
    pub weight: WeightsChange,
    /// Its queue priority.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub priority: Option<u16>,
    /// Minimum run time before a preemption; `Some(None)` asks the parent again.
    #[serde(skip_serializing_if = "Option::is_none", deserialize_with = "said")]
    pub preempt_min_runtime: Option<Option<Span>>,
    /// Minimum run time before a reclaim; `Some(None)` asks the parent again.
    #[serde(skip_serializing_if = "Option::is_none", deserialize_with = "said")]
    pub reclaim_min_runtime: Option<Option<Span>>,
}

/// Changes of bounds, by resource; `Some(None)` removes one.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct BoundsChange {
    /// Thousandths of a core.
    #[serde(skip_serializing_if = "Option::is_none", deserialize_with = "said")]
    pub cpu_milli: Option<Option<u64>>,
    /// Bytes.
    #[serde(skip_serializing_if = "Option::is_none", deserialize_with = "said")]
    pub mem_bytes: Option<Option<u64>>,
    /// Thousandths of a GPU.
    #[serde(skip_serializing_if = "Option::is_none", deserialize_with = "said")]
    pub gpu_milli: Option<Option<u64>>,
}

/// Changes of weights, by resource, in thousandths.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct WeightsChange {
    /// For cores.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cpu: Option<u64>,
    /// For memory.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub mem: Option<u64>,
    /// For GPUs.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub gpu: Option<u64>,
}

impl TermsChange {
    /// Nothing is said.
    pub fn is_empty(&self) -> bool {
        *self == TermsChange::default()
    }

    /// What takes it back from a team that had these terms before.
    #[must_use]
    pub fn undoing(&self, before: &Terms) -> TermsChange {
        let weights = &before.weight;
        TermsChange {
            quota: self.quota.undoing(&before.quota),
            limit: self.limit.undoing(&before.limit),
            weight: WeightsChange {
                cpu: self.weight.cpu.map(|_| weights.cpu),
                mem: self.weight.mem.map(|_| weights.mem),
                gpu: self.weight.gpu.map(|_| weights.gpu),
            },
            priority: self.priority.map(|_| before.priority),
            preempt_min_runtime: self.preempt_min_runtime.map(|_| before.preempt_min_runtime),
            reclaim_min_runtime: self.reclaim_min_runtime.map(|_| before.reclaim_min_runtime),
        }
    }

    /// `terms` with what is said here.
    #[must_use]
    pub fn over(&self, terms: &Terms) -> Terms {
        Terms {
            quota: self.quota.over(terms.quota),
            limit: self.limit.over(terms.limit),
            weight: self.weight.over(terms.weight),
            priority: self.priority.unwrap_or(terms.priority),
            preempt_min_runtime: self.preempt_min_runtime.unwrap_or(terms.preempt_min_runtime),
            reclaim_min_runtime: self.reclaim_min_runtime.unwrap_or(terms.reclaim_min_runtime),
        }
    }
}

impl BoundsChange {
    /// Removes every bound.
    pub const NONE: BoundsChange =
        BoundsChange { cpu_milli: Some(None), mem_bytes: Some(None), gpu_milli: Some(None) };

    /// Takes what `later` says.
    pub fn extend(&mut self, later: BoundsChange) {
        self.cpu_milli = later.cpu_milli.or(self.cpu_milli);
        self.mem_bytes = later.mem_bytes.or(self.mem_bytes);
        self.gpu_milli = later.gpu_milli.or(self.gpu_milli);
    }

    /// What takes it back where these bounds were before.
    #[must_use]
    pub fn undoing(self, before: &Bounds) -> BoundsChange {
        BoundsChange {
            cpu_milli: self.cpu_milli.map(|_| before.cpu_milli),
            mem_bytes: self.mem_bytes.map(|_| before.mem_bytes),
            gpu_milli: self.gpu_milli.map(|_| before.gpu_milli),
        }
    }

    /// `bounds` with what is said here.
    #[must_use]
    pub fn over(self, bounds: Bounds) -> Bounds {
        Bounds {
            cpu_milli: self.cpu_milli.unwrap_or(bounds.cpu_milli),
            mem_bytes: self.mem_bytes.unwrap_or(bounds.mem_bytes),
            gpu_milli: self.gpu_milli.unwrap_or(bounds.gpu_milli),
        }
    }
}

impl WeightsChange {
    /// The same weight for every resource, in thousandths.
    pub const fn all(weight: u64) -> WeightsChange {
        WeightsChange { cpu: Some(weight), mem: Some(weight), gpu: Some(weight) }
    }

    /// Takes what `later` says.
    pub fn extend(&mut self, later: WeightsChange) {
        self.cpu = later.cpu.or(self.cpu);
        self.mem = later.mem.or(self.mem);
        self.gpu = later.gpu.or(self.gpu);
    }

    fn over(self, weights: Weights) -> Weights {
        Weights {
            cpu: self.cpu.unwrap_or(weights.cpu),
            mem: self.mem.unwrap_or(weights.mem),
            gpu: self.gpu.unwrap_or(weights.gpu),
        }
    }
}

/// `gpu=8,cpu=64,mem=256Gi`; `none` for a resource removes its bound, alone every bound.
impl FromStr for BoundsChange {
    type Err = String;

    fn from_str(text: &str) -> Result<BoundsChange, String> {
        if text == "none" {
            return Ok(BoundsChange::NONE);
        }
        let mut made = BoundsChange::default();
        for (key, value) in pairs(text)? {
            let amount = |read: fn(&str) -> Result<u64, String>| match value {
                "none" => Ok(Some(None)),
                value => read(value).map(|amount| Some(Some(amount))),
            };
            match key {
                "cpu" => made.cpu_milli = amount(quantity::parse_cpu)?,
                "mem" => made.mem_bytes = amount(quantity::parse_bytes)?,
                "gpu" => made.gpu_milli = amount(quantity::parse_thousandths)?,
                other => return Err(no_resource(other)),
            }
        }
        Ok(made)
    }
}

/// `2`, or by resource `gpu=2,cpu=0.5`.
impl FromStr for WeightsChange {
    type Err = String;

    fn from_str(text: &str) -> Result<WeightsChange, String> {
        if !text.contains('=') {
            return weight(text).map(WeightsChange::all);
        }
        let mut made = WeightsChange::default();
        for (key, value) in pairs(text)? {
            let value = Some(weight(value)?);
            match key {
                "cpu" => made.cpu = value,
                "mem" => made.mem = value,
                "gpu" => made.gpu = value,
                other => return Err(no_resource(other)),
            }
        }
        Ok(made)
    }
}

/// The largest weight, in thousandths: shares are worked out with exact products.
const WEIGHT_MAX: u64 = 1_000_000_000;

fn weight(text: &str) -> Result<u64, String> {
    let weight = quantity::parse_thousandths(text)?;
    if weight > WEIGHT_MAX {
        return Err(format!("a weight is at most {}", WEIGHT_MAX / 1000));
    }
    Ok(weight)
}

fn pairs(text: &str) -> Result<Vec<(&str, &str)>, String> {
    let mut found = Vec::new();
    for part in text.split(',') {
        let Some((key, value)) = part.split_once('=') else {
            return Err(format!("{part:?} is no pair; write gpu=8,cpu=64,mem=256Gi"));
        };
        found.push((key.trim(), value.trim()));
    }
    Ok(found)
}

fn no_resource(name: &str) -> String {
    format!("{name:?} is not shared among teams; there are gpu, cpu and mem")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_not_said_stays_and_a_bound_can_be_removed() {
        let quota = Bounds { gpu_milli: Some(8000), cpu_milli: Some(1), ..Bounds::default() };
        let terms = Terms { quota, priority: 7, ..Terms::default() };
        assert_eq!(TermsChange::default().over(&terms), terms);
        let change = TermsChange {
            quota: BoundsChange { gpu_milli: Some(None), ..BoundsChange::default() },
            weight: WeightsChange { gpu: Some(2500), ..WeightsChange::default() },
            ..TermsChange::default()
        };
        let changed = change.over(&terms);
        assert_eq!(changed.quota, Bounds { cpu_milli: Some(1), ..Bounds::default() });
        assert_eq!(changed.weight, Weights { gpu: 2500, ..Weights::default() });
        assert_eq!(changed.priority, 7);
        assert_eq!(change.undoing(&terms).over(&changed), terms);
        // As it stands in the journal: a bound that is removed is not one that is not said.
        let text = serde_json::to_string(&change).unwrap();
        assert_eq!(serde_json::from_str::<TermsChange>(&text).unwrap(), change, "{text}");
    }

    #[test]
    fn bounds_and_weights_are_read_by_resource() {
        let read: BoundsChange = "gpu=2.5,cpu=none, mem=1Gi".parse().unwrap();
        let wanted = BoundsChange {
            cpu_milli: Some(None),
            mem_bytes: Some(Some(1 << 30)),
            gpu_milli: Some(Some(2500)),
        };
        assert_eq!(read, wanted);
        assert_eq!("none".parse(), Ok(BoundsChange::NONE));
        assert_eq!("0.5".parse(), Ok(WeightsChange::all(500)));
        let gpu = WeightsChange { gpu: Some(0), ..WeightsChange::default() };
        assert_eq!("gpu=0".parse(), Ok(gpu));
        for bad in ["", "gpu", "gpu=", "gpu=-1", "tpu=1", "mem=400m", "gpu=1;cpu=2"] {
            assert!(bad.parse::<BoundsChange>().is_err(), "{bad}");
        }
        for bad in ["", "x", "-1", "gpu=x", "tpu=1", "1000001"] {
            assert!(bad.parse::<WeightsChange>().is_err(), "{bad}");
        }
    }
}
