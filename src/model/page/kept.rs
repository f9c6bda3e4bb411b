//! Who has a node's devices, for whom its room is kept, and who took whose, as readers get it.

use crate::base::{JobId, Name, Wall};
use crate::model::Resources;
use crate::model::fact::{Eviction, Rule};
use crate::model::page::usage::Used;

/// Room that is kept for a job.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KeptRoom {
    /// From then on nothing else gets it.
    pub from: Wall,
    /// Where.
    pub nodes: Vec<Name>,
}

/// Room of a node that is kept for a job.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KeptFor {
    /// The job.
    pub job: JobId,
    /// From then on nothing else gets it.
    pub from: Wall,
    /// When it will probably end if it starts then; `None` where nothing is known.
    pub until: Option<Wall>,
    /// How much of the node, whether it is free now or not.
    pub room: Resources,
}

/// Who took a job's room, and by which rule.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EvictedBy {
    /// The rule.
    pub rule: Rule,
    /// The job that got the room, if one did.
    pub taker: Option<JobId>,
    /// The person who ordered it, if one did.
    pub by: Option<Name>,
}

impl From<&Eviction> for EvictedBy {
    fn from(from: &Eviction) -> EvictedBy {
        EvictedBy { rule: from.rule, taker: from.taker, by: from.by.clone() }
    }
}

/// A job on a device of a node.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct OnGpu {
    /// The device.
    pub index: u32,
    /// The job.
    pub job: JobId,
    /// Thousandths of the device that it holds.
    pub milli: u64,
}

/// What was free but kept for waiting jobs over the last day, on all nodes together.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct KeptDay {
    /// That.
    pub reserved: Used,
    /// All there was, in whatever class.
    pub all: Used,
}
