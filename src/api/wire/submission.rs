//! Jobs somebody wants to run. The keys are the options of `submit`; a missing one takes the
//! default.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::asked::NewGroups;
use super::detail::Dependency;
use super::groups::{GraceShown, Service};
use super::time::Time;
use super::words::Word as _;
use super::{WireError, labels_out, name_map, text_map};
use crate::base::{Name, Span};
use crate::model;
use crate::model::program::Environment;
use crate::model::setup::Tier;

/// Jobs to queue: all or none.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct SubmitRequest {
    /// The jobs, in order.
    pub jobs: Vec<Submission>,
    /// Working directory of those that name none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cwd: Option<String>,
    /// Environment of those that name none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub env: Option<BTreeMap<String, String>>,
}

/// One job; also what `again` changes.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Submission {
    /// Command and arguments.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub command: Vec<String>,
    /// Absolute working directory.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cwd: Option<String>,
    /// The whole environment it shall have.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub env: Option<BTreeMap<String, String>>,
    /// Shown name.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// Team.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub team: Option<String>,
    /// `production`, `deadline`, `research` or `batch`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tier: Option<String>,
    /// 0 to 1000; wins over the tier.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub priority: Option<u16>,
    /// What each task asks for.
    #[serde(skip_serializing_if = "Request::is_empty")]
    pub request: Request,
    /// Tasks.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub gang: Option<u32>,
    /// Tasks that must start together.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub min: Option<u32>,
    /// Jobs before it.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub after: Vec<Dependency>,
    /// Not before.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub start_at: Option<Time>,
    /// One job for each index.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub array: Option<ArrayRequest>,
    /// Guess of the run time, in milliseconds.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub estimate_ms: Option<u64>,
    /// Limit of the run time, in milliseconds.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub time_limit_ms: Option<u64>,
    /// Between TERM and KILL, in milliseconds.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub grace_ms: Option<u64>,
    /// A signal before a stop.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub warn_signal: Option<WarnSignal>,
    /// May be started again from the beginning.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub requeue: bool,
    /// Continues by itself.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub resumable: bool,
    /// Further attempts after a failure.
    #[serde(skip_serializing_if = "is_zero")]
    pub retry: u32,
    /// Labels.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub labels: BTreeMap<String, String>,
    /// Refuse rather than wait for room that cannot come.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub must_fit: bool,
    /// Requests are limits too.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub hard: bool,
    /// With a terminal.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub pty: bool,
    /// May be stopped to make room for others; only with a way back.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub preemptible: Option<bool>,
    /// Only nodes with these labels.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub node_labels: BTreeMap<String, String>,
    /// May run on spot nodes; only with a way back.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub spot: bool,
    /// Should have ended by then.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub deadline: Option<Time>,
    /// How long its gang may stay below its minimum.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub stale_grace: Option<GraceShown>,
    /// It makes nobody give room before it has waited so many milliseconds.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub preemption_delay_ms: Option<u64>,
    /// Quiet for so many milliseconds, it is parked.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub idle_timeout_ms: Option<u64>,
    /// It runs on and on.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub service: Option<Service>,
    /// Its kinds of tasks; in place of `gang` and `min`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub groups: Option<NewGroups>,
    /// Effect classes it will probably ask people for; it plans, it does not permit.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub may_ask: Vec<String>,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde calls it with a reference")]
fn is_zero(n: &u32) -> bool {
    *n == 0
}

/// Amounts per task; a missing one takes the default.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Request {
    /// Thousandths of a core.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cpu_milli: Option<u64>,
    /// Bytes of memory.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub mem_bytes: Option<u64>,
    /// Thousandths of a GPU.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub gpu_milli: Option<u64>,
    /// Countable resources by name.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub custom: BTreeMap<String, u64>,
}

impl Request {
    pub(super) fn is_empty(&self) -> bool {
        *self == Request::default()
    }
}

/// One job for each index.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct ArrayRequest {
    /// The indices, ascending, each once.
    pub indices: Vec<u32>,
    /// Elements at once.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub throttle: Option<u32>,
}

/// A signal some time before a stop.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct WarnSignal {
    /// The signal's number.
    pub signal: i32,
    /// How long before, in milliseconds.
    pub before_ms: u64,
}

impl SubmitRequest {
    /// The document of some submissions; what all share is said once.
    pub fn new(jobs: &[model::submission::Submission]) -> SubmitRequest {
        type One = model::submission::Submission;
        let mut request = SubmitRequest::default();
        let shared = |same: fn(&One, &One) -> bool| {
            jobs.first().filter(|first| jobs.iter().all(|job| same(job, first)))
        };
        request.env = shared(|job, first| job.env == first.env).map(|one| env_out(&one.env));
        request.cwd = shared(|job, first| job.cwd == first.cwd).map(|one| one.cwd.clone());
        request.jobs = jobs
            .iter()
            .map(|job| {
                let mut own = Submission::options(job);
                own.env = request.env.is_none().then(|| env_out(&job.env));
                own.cwd = request.cwd.is_none().then(|| job.cwd.clone());
                own
            })
            .collect();
        request
    }

    /// The submissions it asks for.
    ///
    /// # Errors
    /// When a job has no command or no absolute directory, or says something unknown.
    pub fn into_model(self) -> Result<Vec<model::submission::Submission>, WireError> {
        let (cwd, env) = (self.cwd, self.env.map(env_in).unwrap_or_default());
        let one = |(index, job): (usize, Submission)| {
            let own_env = job.env.is_some();
            let mut made = job.into_model()?;
            if made.cwd.is_empty() {
                made.cwd = cwd.clone().unwrap_or_default();
            }
            if !own_env {
                made.env = env.clone();
            }
            if made.argv.is_empty() {
                return Err(WireError(format!("jobs[{index}].command is empty")));
            }
            if !made.cwd.starts_with('/') {
                return Err(WireError(format!("jobs[{index}].cwd is not an absolute path")));
            }
            Ok(made)
        };
        self.jobs.into_iter().enumerate().map(one).collect()
    }
}

impl Submission {
    /// The document of what changes, directory and environment included if they are given.
    pub fn changes(from: &model::submission::Submission) -> Submission {
        let mut made = Submission::options(from);
        made.cwd = Some(from.cwd.clone()).filter(|cwd| !cwd.is_empty());
        made.env = (from.env != Environment::default()).then(|| env_out(&from.env));
        made
    }

    /// Everything but directory and environment.
    fn options(from: &model::submission::Submission) -> Submission {
        let mut made = Submission {
            command: from.argv.clone(),
            cwd: None,
            env: None,
            name: from.name.as_ref().map(ToString::to_string),
            team: from.team.as_ref().map(ToString::to_string),
            tier: from.tier.map(Tier::to_word),
            priority: from.priority,
            request: Request {
                cpu_milli: from.cpu_milli,
                mem_bytes: from.mem_bytes,
                gpu_milli: from.gpu_milli,
                custom: text_map(&from.custom),
            },
            gang: from.gang,
            min: from.min,
            after: from.after.iter().copied().map(Dependency::from).collect(),
            start_at: from.start_at.map(Time),
            array: from.array.as_ref().map(|array| ArrayRequest {
                indices: array.indices.clone(),
                throttle: array.throttle,
            }),
            estimate_ms: from.estimate.map(|span| span.0),
            time_limit_ms: from.time_limit.map(|span| span.0),
            grace_ms: from.grace.map(|span| span.0),
            warn_signal: from.warn.map(WarnSignal::from),
            requeue: from.requeue,
            resumable: from.resumable,
            retry: from.retry,
            labels: labels_out(&from.labels),
            must_fit: from.must_fit,
            hard: from.hard,
            pty: from.pty,
            ..Submission::default()
        };
        made.wish(&from.wishes);
        made
    }

    /// The submission it asks for; what it does not say stays unsaid.
    ///
    /// # Errors
    /// When it says something unknown.
    pub fn into_model(mut self) -> Result<model::submission::Submission, WireError> {
        let wishes = self.wishes()?;
        if wishes.groups.is_some() && (self.gang.is_some() || self.min.is_some()) {
            return Err(WireError("groups take the place of gang and min; keep one".to_owned()));
        }
        let after: Result<Vec<_>, _> = self.after.into_iter().map(TryInto::try_into).collect();
        Ok(model::submission::Submission {
            argv: self.command,
            cwd: self.cwd.unwrap_or_default(),
            env: self.env.map(env_in).unwrap_or_default(),
            name: self.name.map(Name::from),
            team: self.team.map(Name::from),
            tier: self.tier.map(|tier| Tier::of_word(&tier)).transpose()?,
            priority: self.priority,
            cpu_milli: self.request.cpu_milli,
            mem_bytes: self.request.mem_bytes,
            gpu_milli: self.request.gpu_milli,
            custom: name_map(self.request.custom),
            gang: self.gang,
            min: self.min,
            after: after?,
            start_at: self.start_at.map(|time| time.0),
            array: self.array.map(|array| model::submission::ArrayRequest {
                indices: array.indices,
                throttle: array.throttle,
            }),
            estimate: self.estimate_ms.map(Span),
            time_limit: self.time_limit_ms.map(Span),
            grace: self.grace_ms.map(Span),
            warn: self.warn_signal.map(Into::into),
            requeue: self.requeue,
            resumable: self.resumable,
            retry: self.retry,
            labels: name_map(self.labels),
            must_fit: self.must_fit,
            hard: self.hard,
            pty: self.pty,
            wishes,
        })
    }
}

impl From<model::job::WarnSignal> for WarnSignal {
    fn from(from: model::job::WarnSignal) -> WarnSignal {
        WarnSignal { signal: from.signal, before_ms: from.before.0 }
    }
}

impl From<WarnSignal> for model::job::WarnSignal {
    fn from(from: WarnSignal) -> model::job::WarnSignal {
        model::job::WarnSignal { signal: from.signal, before: Span(from.before_ms) }
    }
}

fn env_out(env: &Environment) -> BTreeMap<String, String> {
    env.0.iter().cloned().collect()
}

fn env_in(env: BTreeMap<String, String>) -> Environment {
    Environment::new(env)
}
