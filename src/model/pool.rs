//! Elastic pools: nodes that come when work waits for them and go when nobody uses them.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::base::{At, Mono, Name, Span};
use crate::model::Resources;
use crate::model::node::{Gpu, Traits};

/// A pool, as it is configured.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Pool {
    /// Its name; its nodes are `NAME-1` and so on.
    pub name: Name,
    /// Nodes it always has.
    pub min: u32,
    /// Nodes it has at most.
    pub max: u32,
    /// What each of its nodes has.
    pub capacity: Resources,
    /// What they are beside that; `pool` is this one's name.
    pub traits: Traits,
    /// It grows for what has waited so long for room that a node of it would give.
    pub grow_after: Span,
    /// A node that nobody has used for so long goes.
    pub shrink_after: Span,
    /// Price of a node in thousandths per hour.
    #[serde(default)]
    pub price_milli: u64,
    /// It never costs more, in thousandths per hour.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cost_cap_milli: Option<u64>,
    /// The command that makes a node; without one a node is there at once, on this machine.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub up: Option<String>,
    /// The command that takes one away.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub down: Option<String>,
}

impl Pool {
    /// How many nodes it may have: its maximum, or what its cap pays for if that is less.
    pub fn most(&self) -> u32 {
        let paid = self.cost_cap_milli.and_then(|cap| cap.checked_div(self.price_milli));
        paid.map_or(self.max, |paid| self.max.min(u32::try_from(paid).unwrap_or(u32::MAX)))
    }

    /// The devices of a node: only the books know them.
    pub fn gpus(&self) -> Vec<Gpu> {
        let count = u32::try_from(self.capacity.gpu_milli / 1000).unwrap_or(u32::MAX);
        let gpu = |index| Gpu {
            index,
            uuid: format!("{}-gpu-{index}", self.name).into(),
            model: "pretend".into(),
            mem_bytes: 24 << 30,
            foreign: None,
        };
        (0..count).map(gpu).collect()
    }
}

/// The nodes of a pool.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct PoolState {
    /// Its nodes by name.
    pub members: BTreeMap<Name, Member>,
    /// When a node last could not be made.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub failed: Option<Mono>,
}

/// A node of a pool.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Member {
    /// Where it stands.
    pub stage: Stage,
    /// Since when.
    pub since: At,
    /// When somebody last used it, or it came.
    pub used: Mono,
}

/// Where a node of a pool stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Stage {
    /// Being made.
    Coming,
    /// It takes work.
    Here,
    /// Nothing new goes there; it is being taken away.
    Going,
}
