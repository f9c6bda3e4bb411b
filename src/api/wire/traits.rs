//! What a node is beside its amounts.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::{labels_out, name_map};
use crate::model::node;

/// What a node is beside its amounts.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(default)]
pub struct Traits {
    /// Labels.
    pub labels: BTreeMap<String, String>,
    /// It may vanish after a warning.
    pub spot: bool,
    /// Tasks it takes at most.
    pub max_tasks: Option<u32>,
    /// The elastic pool it belongs to.
    pub pool: Option<String>,
}

impl From<&node::Traits> for Traits {
    fn from(from: &node::Traits) -> Traits {
        Traits {
            labels: labels_out(&from.labels),
            spot: from.spot,
            max_tasks: from.max_tasks,
            pool: from.pool.as_ref().map(ToString::to_string),
        }
    }
}

impl From<Traits> for node::Traits {
    fn from(from: Traits) -> node::Traits {
        node::Traits {
            labels: name_map(from.labels),
            spot: from.spot,
            max_tasks: from.max_tasks,
            pool: from.pool.map(Into::into),
        }
    }
}
