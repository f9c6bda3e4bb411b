//! A place with capacity.

use std::collections::BTreeMap;

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
    /// Set once it was said that it will vanish; it is drained then.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub warning: Option<Warning>,
    /// False once it was lost; nothing is placed then.
    pub up: bool,
    /// What jobs may ask for by `--node-label`, and how it may be used.
    #[serde(default, skip_serializing_if = "Traits::is_plain")]
    pub traits: Traits,
}

/// What a node is beside its amounts.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Traits {
    /// Labels.
    pub labels: BTreeMap<Name, Name>,
    /// It may vanish after a warning: only jobs that can stop and come back run on it.
    pub spot: bool,
    /// Tasks it takes at most.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_tasks: Option<u32>,
    /// The elastic pool it belongs to.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pool: Option<Name>,
}

impl Traits {
    /// Nothing special.
    pub fn is_plain(&self) -> bool {
        *self == Traits::default()
    }
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
    /// Why, if they said so.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
}

/// A spot node is about to vanish.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Warning {
    /// Who said so.
    pub by: Name,
    /// Since when it is known.
    pub since: At,
    /// When it goes.
    pub due: At,
}
