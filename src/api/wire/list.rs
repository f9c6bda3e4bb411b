//! A page of jobs.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::cursor::{cursor_of, cursor_text};
use super::job::Job;
use super::time::{Time, join, split};
use super::{SCHEMA_VERSION, WireError, Words};
use crate::model::page;

/// Jobs by urgency.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct JobList {
    /// 1.
    pub schema_version: u32,
    /// The jobs.
    pub jobs: Vec<Job>,
    /// Where the next page starts, if there is one.
    pub next_cursor: Option<String>,
    /// How many jobs there are, whatever the filter says.
    pub counts: Counts,
    /// The last record of the journal that the page includes; `/events` goes on from it.
    pub seq: u64,
    /// When the page was made.
    pub at: Time,
    /// The same on the scheduler's clock.
    pub at_mono: u64,
}

/// How many jobs are where. A stuck job counts in its lane too.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Counts {
    /// Wait on a person.
    pub human: u64,
    /// Hold room.
    pub running: u64,
    /// Wait for room or for something else.
    pub queued: u64,
    /// Have a finding at suspect or above, or can never start.
    pub stuck: u64,
    /// Ended, still at hand.
    pub ended: u64,
}

impl JobList {
    /// The document of a page.
    pub fn new(page: &page::JobPage, words: &dyn Words) -> JobList {
        let (at, at_mono) = split(page.at);
        JobList {
            schema_version: SCHEMA_VERSION,
            jobs: page.jobs.iter().map(|row| Job::new(row, words)).collect(),
            next_cursor: page.next.map(cursor_text),
            counts: Counts::from(page.counts),
            seq: page.seq,
            at,
            at_mono,
        }
    }
}

impl TryFrom<JobList> for page::JobPage {
    type Error = WireError;

    fn try_from(from: JobList) -> Result<page::JobPage, WireError> {
        super::check_version(from.schema_version)?;
        let jobs: Result<Vec<_>, _> = from.jobs.into_iter().map(TryInto::try_into).collect();
        Ok(page::JobPage {
            jobs: jobs?,
            next: from.next_cursor.as_deref().map(cursor_of).transpose()?,
            counts: from.counts.into(),
            seq: from.seq,
            at: join(from.at, from.at_mono),
        })
    }
}

impl From<page::Counts> for Counts {
    fn from(from: page::Counts) -> Counts {
        let page::Counts { human, running, queued, stuck, ended } = from;
        Counts { human, running, queued, stuck, ended }
    }
}

impl From<Counts> for page::Counts {
    fn from(from: Counts) -> page::Counts {
        let Counts { human, running, queued, stuck, ended } = from;
        page::Counts { human, running, queued, stuck, ended }
    }
}
