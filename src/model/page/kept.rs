//! Who has a node's devices and for whom its room is kept, as readers get it.

use crate::base::{JobId, Name, Wall};
use crate::model::Resources;
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
    /// How much of the node, whether it is free now or not.
    pub room: Resources,
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
