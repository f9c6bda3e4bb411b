//! Everything about one job.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::asked::Asked;
use super::estimate::Estimate;
use super::eviction::Eviction;
use super::job::Job;
use super::review::step::StepOf;
use super::task::{Attempt, Task};
use super::time::{Time, join, split};
use super::words::Word as _;
use super::{SCHEMA_VERSION, WireError, Words, name_map, text_map};
use crate::base::{JobId, Span};
use crate::model;
use crate::model::job::DependencyKind;
use crate::model::page;

/// The document of one job.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct JobDocument {
    /// 1.
    pub schema_version: u32,
    /// The job.
    pub job: JobDetail,
}

/// A job with its tasks, its attempts and the rest of what was asked for.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct JobDetail {
    /// What a list shows of it.
    #[serde(flatten)]
    pub row: Job,
    /// The tasks of its current or last attempt.
    pub tasks: Vec<Task>,
    /// Its past attempts.
    pub attempts: Vec<Attempt>,
    /// Jobs it comes after.
    pub after: Vec<Dependency>,
    /// Its last checkpoint.
    pub checkpoint: Option<Checkpoint>,
    /// What it reported to have used.
    pub usage: BTreeMap<String, u64>,
    /// Not before this.
    pub start_at: Option<Time>,
    /// Time limit per attempt, in milliseconds.
    pub time_limit_ms: Option<u64>,
    /// The submitter's guess of the run time, in milliseconds.
    pub estimate_ms: Option<u64>,
    /// How long it is expected to run; null once it ended.
    pub estimate: Option<Estimate>,
    /// May be started again from the beginning.
    pub requeue: bool,
    /// Continues by itself.
    pub resumable: bool,
    /// Further attempts after a failure.
    pub retry: u32,
    /// How it wants to be scheduled.
    #[serde(flatten)]
    pub asked: Asked,
    /// Why it last had to give room, until it runs again.
    #[serde(default)]
    pub evicted: Option<Evicted>,
    /// Small jobs that did, or do, what it was allowed to do.
    #[serde(default)]
    pub steps: Vec<StepOf>,
    /// Names of its environment; the values are not kept where this reads.
    pub env_names: Vec<String>,
}

/// Must come after another job.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct Dependency {
    /// The other job.
    pub job: u64,
    /// How it must end: `ok`, `any` or `failed`.
    #[serde(default = "ok")]
    pub kind: String,
}

fn ok() -> String {
    DependencyKind::Ok.to_word()
}

/// Why a job had to give room, and when.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Evicted {
    /// Why.
    #[serde(flatten)]
    pub eviction: Eviction,
    /// When.
    pub at: Time,
    /// The same on the scheduler's clock.
    pub at_mono: u64,
}

/// A checkpoint a job announced.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Checkpoint {
    /// Where it lies, if the job said.
    pub path: Option<String>,
    /// The attempt that wrote it.
    pub attempt: u32,
    /// When.
    pub at: Time,
    /// The same on the scheduler's clock.
    pub at_mono: u64,
}

impl JobDocument {
    /// The document of a job.
    pub fn new(detail: &page::JobDetail, words: &dyn Words) -> JobDocument {
        let job = JobDetail {
            row: Job::new(&detail.row, words),
            tasks: detail.tasks.iter().map(Task::from).collect(),
            attempts: detail.attempts.iter().map(Attempt::from).collect(),
            after: detail.after.iter().copied().map(Dependency::from).collect(),
            checkpoint: detail.checkpoint.as_ref().map(Checkpoint::from),
            usage: text_map(&detail.usage),
            start_at: detail.start_at.map(Time),
            time_limit_ms: detail.time_limit.map(|span| span.0),
            estimate_ms: detail.estimate.map(|span| span.0),
            estimate: detail.expected.map(Estimate::from),
            requeue: detail.requeue,
            resumable: detail.resumable,
            retry: detail.retry,
            asked: Asked::from(&detail.asked),
            evicted: detail.evicted.as_ref().map(|(eviction, at)| {
                let (at, at_mono) = split(*at);
                Evicted { eviction: eviction.into(), at, at_mono }
            }),
            steps: detail.steps.iter().map(StepOf::from).collect(),
            env_names: detail.env_names.clone(),
        };
        JobDocument { schema_version: SCHEMA_VERSION, job }
    }
}

impl TryFrom<JobDocument> for page::JobDetail {
    type Error = WireError;

    fn try_from(document: JobDocument) -> Result<page::JobDetail, WireError> {
        super::check_version(document.schema_version)?;
        let from = document.job;
        let tasks: Result<Vec<_>, _> = from.tasks.into_iter().map(TryInto::try_into).collect();
        let attempts: Result<Vec<_>, _> =
            from.attempts.into_iter().map(TryInto::try_into).collect();
        let after: Result<Vec<_>, _> = from.after.into_iter().map(TryInto::try_into).collect();
        Ok(page::JobDetail {
            row: from.row.try_into()?,
            tasks: tasks?,
            attempts: attempts?,
            after: after?,
            checkpoint: from.checkpoint.map(Into::into),
            usage: name_map(from.usage),
            start_at: from.start_at.map(|time| time.0),
            time_limit: from.time_limit_ms.map(Span),
            estimate: from.estimate_ms.map(Span),
            expected: from.estimate.map(TryInto::try_into).transpose()?,
            requeue: from.requeue,
            resumable: from.resumable,
            retry: from.retry,
            asked: from.asked.try_into()?,
            evicted: from
                .evicted
                .map(|evicted| {
                    let at = join(evicted.at, evicted.at_mono);
                    evicted.eviction.try_into().map(|eviction| (eviction, at))
                })
                .transpose()?,
            steps: from.steps.into_iter().map(TryInto::try_into).collect::<Result<_, _>>()?,
            env_names: from.env_names,
        })
    }
}

impl From<model::job::Dependency> for Dependency {
    fn from(from: model::job::Dependency) -> Dependency {
        Dependency { job: from.job.0, kind: from.kind.to_word() }
    }
}

impl TryFrom<Dependency> for model::job::Dependency {
    type Error = WireError;

    fn try_from(from: Dependency) -> Result<model::job::Dependency, WireError> {
        let kind = DependencyKind::of_word(&from.kind)?;
        Ok(model::job::Dependency { job: JobId(from.job), kind })
    }
}

impl From<&model::job::Checkpoint> for Checkpoint {
    fn from(from: &model::job::Checkpoint) -> Checkpoint {
        let (at, at_mono) = split(from.at);
        Checkpoint { path: from.path.clone(), attempt: from.attempt, at, at_mono }
    }
}

impl From<Checkpoint> for model::job::Checkpoint {
    fn from(from: Checkpoint) -> model::job::Checkpoint {
        let at = join(from.at, from.at_mono);
        model::job::Checkpoint { path: from.path, attempt: from.attempt, at }
    }
}
