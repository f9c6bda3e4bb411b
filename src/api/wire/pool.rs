//! Elastic pools.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::amounts::Amounts;
use super::traits::Traits;
use crate::base::Span;
use crate::model::pool::Pool;

/// A pool, as it is configured.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct PoolShown {
    /// Its name; its nodes are `NAME-1` and so on.
    pub name: String,
    /// Nodes it always has.
    pub min: u32,
    /// Nodes it has at most.
    pub max: u32,
    /// What each of its nodes has.
    pub capacity: Amounts,
    /// What they are beside that.
    pub traits: Traits,
    /// It grows for what has waited so many milliseconds.
    pub grow_after_ms: u64,
    /// A node that nobody has used for so many milliseconds goes.
    pub shrink_after_ms: u64,
    /// Price of a node in thousandths per hour.
    pub price_milli: u64,
    /// It never costs more, in thousandths per hour; null is no cap.
    pub cost_cap_milli: Option<u64>,
    /// The command that makes a node; null: it is there at once.
    pub up: Option<String>,
    /// The command that takes one away.
    pub down: Option<String>,
}

impl From<&Pool> for PoolShown {
    fn from(from: &Pool) -> PoolShown {
        PoolShown {
            name: from.name.to_string(),
            min: from.min,
            max: from.max,
            capacity: (&from.capacity).into(),
            traits: (&from.traits).into(),
            grow_after_ms: from.grow_after.0,
            shrink_after_ms: from.shrink_after.0,
            price_milli: from.price_milli,
            cost_cap_milli: from.cost_cap_milli,
            up: from.up.clone(),
            down: from.down.clone(),
        }
    }
}

impl From<PoolShown> for Pool {
    fn from(from: PoolShown) -> Pool {
        Pool {
            name: from.name.into(),
            min: from.min,
            max: from.max,
            capacity: from.capacity.into(),
            traits: from.traits.into(),
            grow_after: Span(from.grow_after_ms),
            shrink_after: Span(from.shrink_after_ms),
            price_milli: from.price_milli,
            cost_cap_milli: from.cost_cap_milli,
            up: from.up,
            down: from.down,
        }
    }
}
