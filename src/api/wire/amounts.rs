//! Amounts of resources.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::{name_map, text_map};
use crate::model::Resources;

/// Amounts of what jobs ask for and nodes have.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Amounts {
    /// Thousandths of a core.
    pub cpu_milli: u64,
    /// Bytes of memory.
    pub mem_bytes: u64,
    /// Thousandths of a GPU.
    pub gpu_milli: u64,
    /// Countable resources by name.
    pub custom: BTreeMap<String, u64>,
}

impl From<&Resources> for Amounts {
    fn from(from: &Resources) -> Amounts {
        Amounts {
            cpu_milli: from.cpu_milli,
            mem_bytes: from.mem_bytes,
            gpu_milli: from.gpu_milli,
            custom: text_map(&from.custom),
        }
    }
}

impl From<Amounts> for Resources {
    fn from(from: Amounts) -> Resources {
        Resources {
            cpu_milli: from.cpu_milli,
            mem_bytes: from.mem_bytes,
            gpu_milli: from.gpu_milli,
            custom: name_map(from.custom),
        }
    }
}
