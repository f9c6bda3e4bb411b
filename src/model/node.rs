//! A place with capacity.

use serde::{Deserialize, Serialize};

use crate::base::{At, Name};
use crate::model::Resources;

/// A machine (here: this one) that tasks run on.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Node {
    /// Its name, unique.
    pub name: Name,
    /// What it has: cores this process may really use, memory, GPUs. `custom` stays empty:
    /// countable resources belong to the whole installation (see [`crate::model::setup`]).
    pub capacity: Resources,
    /// Its devices, by index; `capacity.gpu_milli` is 1000 for each.
    pub gpus: Vec<Gpu>,
    /// Set while a person keeps new work away.
    pub drain: Option<Drain>,
    /// False once it was lost; nothing is placed then.
    pub up: bool,
}

/// One accelerator of a node.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Gpu {
    /// The index that `CUDA_VISIBLE_DEVICES` knows.
    pub index: u32,
    /// The vendor's id; for a pretend device a name of ours.
    pub uuid: Name,
    /// What it calls itself.
    pub model: Name,
    /// Device memory in bytes.
    pub mem_bytes: u64,
    /// Who uses it, if that is neither a task of ours nor nobody.
    pub foreign: Option<Name>,
}

/// A person keeps new work away from a node.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Drain {
    /// Who.
    pub by: Name,
    /// Since when.
    pub since: At,
}
