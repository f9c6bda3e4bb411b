//! A team: a queue in a tree, with what it is owed and what it may hold.

pub mod change;

use serde::{Deserialize, Serialize};

use crate::base::{Name, Span};
use crate::model::Resources;
use crate::model::job::Hold;

pub use change::{BoundsChange, TeamEdit, TermsChange, WeightsChange};

/// The team of a job that names none.
pub const DEFAULT_TEAM: &str = "default";

/// The queue priority of a team that names none.
pub const DEFAULT_QUEUE_PRIORITY: u16 = 100;

/// The weight of a team that names none: one, in thousandths.
pub const DEFAULT_WEIGHT: u64 = 1000;

/// A queue of jobs, named by its path in the tree: `org/ml/research`. Only leaves hold jobs.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Team {
    /// Its path.
    pub name: Name,
    /// What it is owed and may hold.
    #[serde(default)]
    pub terms: Terms,
    /// Its age among teams: lower came first. Given when it is first seen.
    #[serde(default)]
    pub created: u64,
    /// The configuration names it; others were added at run time and stay.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub configured: bool,
    /// Set while a person holds the whole team back.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub paused: Option<Hold>,
}

/// What a team is owed and may hold. The default owes and forbids nothing: no bound on quota
/// means that everything the team holds is within its quota.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Terms {
    /// What it is owed whenever it asks.
    pub quota: Bounds,
    /// What a new placement may never exceed.
    pub limit: Bounds,
    /// Its part of the surplus, against its siblings of the same queue priority.
    pub weight: Weights,
    /// Surplus goes to the highest first, and so does room among teams that are owed.
    pub priority: u16,
    /// A job may not be preempted before it has run so long; `None` asks the parent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub preempt_min_runtime: Option<Span>,
    /// A job may not be reclaimed before it has run so long; `None` asks the parent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reclaim_min_runtime: Option<Span>,
}

impl Default for Terms {
    fn default() -> Terms {
        Terms {
            quota: Bounds::default(),
            limit: Bounds::default(),
            weight: Weights::default(),
            priority: DEFAULT_QUEUE_PRIORITY,
            preempt_min_runtime: None,
            reclaim_min_runtime: None,
        }
    }
}

/// A bound of each shared resource; `None` is no bound.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(default)]
pub struct Bounds {
    /// Thousandths of a core.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cpu_milli: Option<u64>,
    /// Bytes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub mem_bytes: Option<u64>,
    /// Thousandths of a GPU.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub gpu_milli: Option<u64>,
}

/// Over-quota weights by resource, in thousandths; 0 never gets surplus.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(default)]
pub struct Weights {
    /// For cores.
    pub cpu: u64,
    /// For memory.
    pub mem: u64,
    /// For GPUs.
    pub gpu: u64,
}

impl Weights {
    /// The same weight for every resource, in thousandths.
    pub const fn all(weight: u64) -> Weights {
        Weights { cpu: weight, mem: weight, gpu: weight }
    }
}

impl Default for Weights {
    fn default() -> Weights {
        Weights::all(DEFAULT_WEIGHT)
    }
}

impl Bounds {
    /// Whether `held` is within every bound.
    pub fn hold(&self, held: &Resources) -> bool {
        let within = |bound: Option<u64>, held| bound.is_none_or(|bound| held <= bound);
        within(self.cpu_milli, held.cpu_milli)
            && within(self.mem_bytes, held.mem_bytes)
            && within(self.gpu_milli, held.gpu_milli)
    }
}

impl Terms {
    /// The resource of which the quota is above the limit, so that it could never be had.
    pub fn quota_above_limit(&self) -> Option<&'static str> {
        let (quota, limit) = (&self.quota, &self.limit);
        let pairs = [
            ("cpu", quota.cpu_milli, limit.cpu_milli),
            ("mem", quota.mem_bytes, limit.mem_bytes),
            ("gpu", quota.gpu_milli, limit.gpu_milli),
        ];
        let above = |(_, quota, limit): &(_, Option<u64>, Option<u64>)| {
            quota.zip(*limit).is_some_and(|(quota, limit)| quota > limit)
        };
        pairs.into_iter().find(above).map(|(what, ..)| what)
    }
}

impl Team {
    /// A team with default terms.
    pub fn named(name: &str) -> Team {
        Team { name: name.into(), ..Team::default() }
    }

    /// Path of the team above it, if it is not a root.
    pub fn parent(&self) -> Option<&str> {
        parent(&self.name)
    }
}

/// Path of the team above `path`, if it is not a root.
pub fn parent(path: &str) -> Option<&str> {
    Some(path.rsplit_once('/')?.0)
}

/// Whether a team is another or stands below it.
pub fn is_within(path: &str, above: &str) -> bool {
    path.strip_prefix(above).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}
