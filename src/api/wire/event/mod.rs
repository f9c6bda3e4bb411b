//! A fact of the journal, as `/events` shows it: `{seq, at, at_mono, by, job, kind, data}`.
//!
//! [`fact`] has the shapes of `data`, [`out`] and [`back`] the two directions.

mod back;
pub mod fact;
mod out;

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::time::{Time, join, split};
use super::{SCHEMA_VERSION, WireError};
use crate::base::{At, JobId};
use crate::model::Fact;
use crate::model::page::EventRow;
use fact::FactShown;

/// Name of the server-sent event that says that facts are missing: the reader must read its
/// pages anew and go on from the given number.
pub const RESET: &str = "reset";

/// One fact.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Event {
    /// 1.
    pub schema_version: u32,
    /// The record of the journal; several facts may share one.
    pub seq: u64,
    /// When.
    pub at: Time,
    /// The same on the scheduler's clock.
    pub at_mono: u64,
    /// Who caused it, if a person or a job did.
    pub by: Option<String>,
    /// The job it is about, if it is about one.
    pub job: Option<u64>,
    /// What became so.
    #[serde(flatten)]
    pub fact: FactShown,
}

/// Some facts in order, for those who want one document.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct EventList {
    /// 1.
    pub schema_version: u32,
    /// The facts.
    pub events: Vec<Event>,
}

/// Facts are missing.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Reset {
    /// 1.
    pub schema_version: u32,
    /// The stream goes on after this record.
    pub seq: u64,
}

impl Reset {
    /// The stream goes on after `seq`.
    pub fn new(seq: u64) -> Reset {
        Reset { schema_version: SCHEMA_VERSION, seq }
    }
}

impl Event {
    /// The document of a fact.
    pub fn new(seq: u64, at: At, by: Option<String>, fact: &Fact) -> Event {
        let (at, at_mono) = split(at);
        Event {
            schema_version: SCHEMA_VERSION,
            seq,
            at,
            at_mono,
            by,
            job: fact.job().map(|job| job.0),
            fact: FactShown::from(fact),
        }
    }
}

impl From<&EventRow> for Event {
    fn from(row: &EventRow) -> Event {
        Event::new(row.seq, row.at, row.by.as_ref().map(ToString::to_string), &row.fact)
    }
}

impl TryFrom<Event> for EventRow {
    type Error = WireError;

    fn try_from(from: Event) -> Result<EventRow, WireError> {
        super::check_version(from.schema_version)?;
        Ok(EventRow {
            seq: from.seq,
            at: join(from.at, from.at_mono),
            by: from.by.map(Into::into),
            fact: from.fact.into_fact(from.job.map(JobId))?,
        })
    }
}
