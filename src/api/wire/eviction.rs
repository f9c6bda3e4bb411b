//! Why a job had to give room.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::reason::Value;
use super::words::Word as _;
use super::{WireError, name_map, text_map};
use crate::base::JobId;
use crate::model::{fact, page};

/// Why a job had to give room.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Eviction {
    /// The rule: `preempt`, `reclaim_fairness`, `reclaim_quota`, `consolidate`, `stale_gang`,
    /// `overstayed` or `person`.
    pub rule: String,
    /// The job that gets the room.
    pub taker: Option<u64>,
    /// The ranks that are stopped; empty if the whole job is.
    pub ranks: Vec<u32>,
    /// It is promised room elsewhere at once.
    pub moved: bool,
    /// The person who ordered it.
    pub by: Option<String>,
    /// What was compared.
    pub numbers: BTreeMap<String, Value>,
}

/// Who took a job's room, and by which rule.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct EvictedBy {
    /// The rule, as in an eviction.
    pub rule: String,
    /// The job that got the room.
    pub taker: Option<u64>,
    /// The person who ordered it.
    pub by: Option<String>,
}

impl From<&page::EvictedBy> for EvictedBy {
    fn from(from: &page::EvictedBy) -> EvictedBy {
        EvictedBy {
            rule: from.rule.to_word(),
            taker: from.taker.map(|job| job.0),
            by: from.by.as_ref().map(ToString::to_string),
        }
    }
}

impl TryFrom<EvictedBy> for page::EvictedBy {
    type Error = WireError;

    fn try_from(from: EvictedBy) -> Result<page::EvictedBy, WireError> {
        Ok(page::EvictedBy {
            rule: fact::Rule::of_word(&from.rule)?,
            taker: from.taker.map(JobId),
            by: from.by.map(Into::into),
        })
    }
}

impl From<&fact::Eviction> for Eviction {
    fn from(from: &fact::Eviction) -> Eviction {
        Eviction {
            rule: from.rule.to_word(),
            taker: from.taker.map(|job| job.0),
            ranks: from.ranks.clone(),
            moved: from.moved,
            by: from.by.as_ref().map(ToString::to_string),
            numbers: text_map(&from.numbers),
        }
    }
}

impl TryFrom<Eviction> for fact::Eviction {
    type Error = WireError;

    fn try_from(from: Eviction) -> Result<fact::Eviction, WireError> {
        Ok(fact::Eviction {
            rule: fact::Rule::of_word(&from.rule)?,
            taker: from.taker.map(JobId),
            ranks: from.ranks,
            moved: from.moved,
            // Where it goes is in the numbers, for readers.
            to: Vec::new(),
            by: from.by.map(Into::into),
            numbers: name_map(from.numbers),
        })
    }
}
