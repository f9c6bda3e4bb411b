//! Answers to what changed something.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::SCHEMA_VERSION;
use super::time::Time;
use crate::base::{JobId, Wall};

/// It is done and durable.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Receipt {
    /// 1.
    pub schema_version: u32,
    /// The record of the journal that holds it; 0 when nothing had to be recorded.
    pub seq: u64,
    /// Numbers of the jobs it made, in order.
    pub ids: Vec<u64>,
}

/// When this user last looked at what ended.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Looked {
    /// 1.
    pub schema_version: u32,
    /// The mark.
    pub looked_at: Time,
}

/// The journal is shorter.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Compacted {
    /// 1.
    pub schema_version: u32,
    /// Records dropped.
    pub dropped: u64,
}

impl Receipt {
    /// The document of a receipt.
    pub fn new(seq: u64, jobs: &[JobId]) -> Receipt {
        let ids = jobs.iter().map(|job| job.0).collect();
        Receipt { schema_version: SCHEMA_VERSION, seq, ids }
    }
}

impl Looked {
    /// The document of a mark.
    pub fn new(mark: Wall) -> Looked {
        Looked { schema_version: SCHEMA_VERSION, looked_at: Time(mark) }
    }
}

impl Compacted {
    /// The document of a compaction.
    pub fn new(dropped: u64) -> Compacted {
        Compacted { schema_version: SCHEMA_VERSION, dropped }
    }
}
