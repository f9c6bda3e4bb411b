//! The imperative shell around the core: one loop owns the world.
//!
//! (The handle below is the contract that `api/server` is written against; the loop follows.)

use std::path::PathBuf;
use std::sync::Arc;

use tokio::sync::broadcast;

use crate::base::{JobId, TaskId};
use crate::model::command::Command;
use crate::model::fact::Record;
use crate::model::page::{JobDetail, JobPage, LogQuery, Query, ServerStatus, Summary, Why};
use crate::model::submission::Submission;
use crate::model::{Actor, Refusal};

/// The engine as everything outside sees it. Cheap to clone.
#[derive(Clone)]
pub struct Handle {}

/// What a command came to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Receipt {
    /// The record that holds it.
    pub seq: u64,
    /// The jobs it made, for a submission.
    pub jobs: Vec<JobId>,
}

#[allow(unused_variables, clippy::unused_async, clippy::todo, missing_docs)]
impl Handle {
    /// Decides a command and waits until it is durable. `Command::Submit` is built by
    /// [`Handle::submit`].
    pub async fn command(&self, command: Command) -> Result<Receipt, Refusal> {
        todo!()
    }
    /// Fills in defaults, stores programs and environments, and queues the jobs.
    pub async fn submit(
        &self,
        jobs: Vec<Submission>,
        key: Option<String>,
        by: Actor,
    ) -> Result<Receipt, Refusal> {
        todo!()
    }
    /// A copy of a job as a new one; set fields of `changes` win.
    pub async fn again(
        &self,
        job: JobId,
        changes: Submission,
        key: Option<String>,
        by: Actor,
    ) -> Result<Receipt, Refusal> {
        todo!()
    }
    pub async fn jobs(&self, by: &Actor, query: Query) -> Result<JobPage, Refusal> {
        todo!()
    }
    pub async fn job(&self, by: &Actor, job: JobId) -> Result<JobDetail, Refusal> {
        todo!()
    }
    pub async fn why(&self, by: &Actor, job: JobId) -> Result<Why, Refusal> {
        todo!()
    }
    pub async fn summary(&self, by: &Actor) -> Result<Summary, Refusal> {
        todo!()
    }
    pub async fn status(&self) -> ServerStatus {
        todo!()
    }
    /// Durable records as they come. A receiver that lags gets `Lagged` and reads the gap with
    /// [`Handle::records`].
    pub fn follow(&self) -> broadcast::Receiver<Arc<Record>> {
        todo!()
    }
    /// At most `limit` records after `seq`.
    pub async fn records(
        &self,
        by: &Actor,
        seq: u64,
        limit: usize,
    ) -> Result<Vec<Arc<Record>>, Refusal> {
        todo!()
    }
    /// The files with a job's output, oldest attempt first, oldest rotation first; checks rights.
    /// The last one is still being written if `live`.
    pub async fn log_files(
        &self,
        by: &Actor,
        job: JobId,
        query: LogQuery,
    ) -> Result<LogFiles, Refusal> {
        todo!()
    }
    /// Bytes for a terminal; checks rights; a question at its prompt is then answered.
    pub async fn input(
        &self,
        by: Actor,
        job: JobId,
        rank: u32,
        bytes: &[u8],
    ) -> Result<(), Refusal> {
        todo!()
    }
    pub async fn resize(
        &self,
        by: &Actor,
        job: JobId,
        rank: u32,
        rows: u16,
        cols: u16,
    ) -> Result<(), Refusal> {
        todo!()
    }
    /// The job in whose process tree `pid` lives, if any.
    pub fn job_of_process(&self, pid: u32) -> Option<JobId> {
        todo!()
    }
    /// The job and attempt a token of ours was given to; `None` if it is forged or over.
    pub fn job_of_token(&self, token: &str) -> Option<JobId> {
        todo!()
    }
    /// Name shown for a uid: from `[[user]]`, else the system's name, else the number.
    pub fn user_of(&self, uid: u32) -> crate::base::Name {
        todo!()
    }
    /// When `user` last looked at what ended; `Some` moves the mark (kept over restarts).
    pub async fn looked(
        &self,
        by: &Actor,
        mark: Option<crate::base::Wall>,
    ) -> Result<crate::base::Wall, Refusal> {
        todo!()
    }
    /// Drops journal records that a fresh snapshot covers; how many.
    pub async fn compact(&self, by: &Actor) -> Result<u64, Refusal> {
        todo!()
    }
    /// Ends the server: with its jobs, or leaving them to their supervisors.
    pub async fn stop(&self, by: &Actor, with_jobs: bool) -> Result<(), Refusal> {
        todo!()
    }
    /// Prometheus-ready numbers: name, help, labels, value. Bounded label values.
    pub async fn metrics(&self) -> Vec<Metric> {
        todo!()
    }
}

/// A number for `/metrics`.
#[derive(Debug, Clone, PartialEq)]
pub struct Metric {
    /// `holdshort_…`, base units.
    pub name: &'static str,
    /// One sentence.
    pub help: &'static str,
    /// It only grows.
    pub counter: bool,
    /// Label pairs.
    pub labels: Vec<(&'static str, String)>,
    /// The value.
    pub value: f64,
}

/// Files with a job's output.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LogFiles {
    /// In reading order.
    pub files: Vec<PathBuf>,
    /// The task whose output goes on, if the job's newest attempt runs.
    pub live: Option<TaskId>,
}
