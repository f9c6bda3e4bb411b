//! What a team is owed and may hold.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::base::Span;
use crate::model::team;

/// What a team is owed and may hold.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct Terms {
    /// What it is owed whenever it asks; null is no bound.
    pub quota: Bounds,
    /// What a new placement may never exceed; null is no bound.
    pub limit: Bounds,
    /// Over-quota weights in thousandths.
    pub weight: Weights,
    /// Queue priority.
    pub priority: u16,
    /// Minimum run time before a preemption, in milliseconds; null asks the parent.
    pub preempt_min_runtime_ms: Option<u64>,
    /// Minimum run time before a reclaim, in milliseconds; null asks the parent.
    pub reclaim_min_runtime_ms: Option<u64>,
}

/// A bound of each shared resource; null is no bound.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct Bounds {
    /// Thousandths of a core.
    pub cpu_milli: Option<u64>,
    /// Bytes.
    pub mem_bytes: Option<u64>,
    /// Thousandths of a GPU.
    pub gpu_milli: Option<u64>,
}

/// Over-quota weights in thousandths.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct Weights {
    /// For cores.
    pub cpu: u64,
    /// For memory.
    pub mem: u64,
    /// For GPUs.
    pub gpu: u64,
}

impl From<team::Bounds> for Bounds {
    fn from(from: team::Bounds) -> Bounds {
        let team::Bounds { cpu_milli, mem_bytes, gpu_milli } = from;
        Bounds { cpu_milli, mem_bytes, gpu_milli }
    }
}

impl From<Bounds> for team::Bounds {
    fn from(from: Bounds) -> team::Bounds {
        let Bounds { cpu_milli, mem_bytes, gpu_milli } = from;
        team::Bounds { cpu_milli, mem_bytes, gpu_milli }
    }
}

impl From<team::Weights> for Weights {
    fn from(from: team::Weights) -> Weights {
        let team::Weights { cpu, mem, gpu } = from;
        Weights { cpu, mem, gpu }
    }
}

impl From<Weights> for team::Weights {
    fn from(from: Weights) -> team::Weights {
        let Weights { cpu, mem, gpu } = from;
        team::Weights { cpu, mem, gpu }
    }
}

impl From<&team::Terms> for Terms {
    fn from(from: &team::Terms) -> Terms {
        Terms {
            quota: from.quota.into(),
            limit: from.limit.into(),
            weight: from.weight.into(),
            priority: from.priority,
            preempt_min_runtime_ms: from.preempt_min_runtime.map(|span| span.0),
            reclaim_min_runtime_ms: from.reclaim_min_runtime.map(|span| span.0),
        }
    }
}

impl From<Terms> for team::Terms {
    fn from(from: Terms) -> team::Terms {
        team::Terms {
            quota: from.quota.into(),
            limit: from.limit.into(),
            weight: from.weight.into(),
            priority: from.priority,
            preempt_min_runtime: from.preempt_min_runtime_ms.map(Span),
            reclaim_min_runtime: from.reclaim_min_runtime_ms.map(Span),
        }
    }
}
