//! The server itself.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::list::Counts;
use super::time::Time;
use super::{SCHEMA_VERSION, WireError};
use crate::model::page;

/// The server itself.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct ServerStatus {
    /// 1.
    pub schema_version: u32,
    /// Its process.
    pub pid: u32,
    /// The program's version.
    pub version: String,
    /// Where its journal lies.
    pub data_dir: String,
    /// Where it listens.
    pub socket: String,
    /// Since when it runs.
    pub since: Time,
    /// Jobs by lane.
    pub jobs: Counts,
    /// How freeze, kill and limits are done here.
    pub mechanism: String,
    /// What people should know.
    pub notes: Vec<String>,
    /// The last record of the journal.
    pub seq: u64,
}

impl From<page::ServerStatus> for ServerStatus {
    fn from(from: page::ServerStatus) -> ServerStatus {
        ServerStatus {
            schema_version: SCHEMA_VERSION,
            pid: from.pid,
            version: from.version,
            data_dir: from.data_dir,
            socket: from.socket,
            since: Time(from.since),
            jobs: Counts::from(from.counts),
            mechanism: from.mechanism,
            notes: from.notes,
            seq: from.seq,
        }
    }
}

impl TryFrom<ServerStatus> for page::ServerStatus {
    type Error = WireError;

    fn try_from(from: ServerStatus) -> Result<page::ServerStatus, WireError> {
        super::check_version(from.schema_version)?;
        Ok(page::ServerStatus {
            pid: from.pid,
            version: from.version,
            data_dir: from.data_dir,
            socket: from.socket,
            since: from.since.0,
            counts: from.jobs.into(),
            mechanism: from.mechanism,
            notes: from.notes,
            seq: from.seq,
        })
    }
}
