//! What was asked for, as an event shows it.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::amounts::Amounts;
use super::detail::Dependency;
use super::groups::{GraceShown, Groups, Service};
use super::job::Array;
use super::submission::WarnSignal;
use super::time::Time;
use super::words::Word as _;
use super::{WireError, labels_out, name_map};
use crate::base::{JobId, Span};
use crate::model;
use crate::model::action::EffectClass;

/// A specification, all defaults filled in.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Spec {
    /// Shown name.
    pub name: String,
    /// The executable's own name.
    #[serde(default)]
    pub executable: String,
    /// Path of its team.
    pub team: String,
    /// 0 to 1000, higher goes first.
    pub priority: u16,
    /// What each task asks for.
    pub request: Amounts,
    /// Tasks it wants.
    pub gang: u32,
    /// Tasks it needs.
    pub min: u32,
    /// Its task groups, if it has several.
    #[serde(default)]
    pub groups: Option<Groups>,
    /// May be stopped to make room for others.
    #[serde(default)]
    pub preemptible: bool,
    /// Only nodes with these labels.
    #[serde(default)]
    pub node_labels: BTreeMap<String, String>,
    /// May run on spot nodes.
    #[serde(default)]
    pub spot: bool,
    /// Should have ended by then.
    #[serde(default)]
    pub deadline: Option<Time>,
    /// How long its gang may stay below its minimum; null asks the configuration.
    #[serde(default)]
    pub stale_grace: Option<GraceShown>,
    /// It makes nobody give room before it has waited so many milliseconds.
    #[serde(default)]
    pub preemption_delay_ms: Option<u64>,
    /// Quiet for so many milliseconds, it is parked.
    #[serde(default)]
    pub idle_timeout_ms: Option<u64>,
    /// It runs on and on.
    #[serde(default)]
    pub service: Option<Service>,
    /// What it may ask people for, as far as it said so ahead.
    #[serde(default)]
    pub may_ask: Vec<String>,
    /// Jobs that must end first.
    pub after: Vec<Dependency>,
    /// Not before this.
    pub start_at: Option<Time>,
    /// Its place in an array.
    pub array: Option<Array>,
    /// The submitter's guess of the run time, in milliseconds.
    pub estimate_ms: Option<u64>,
    /// Limit of the run time per attempt, in milliseconds.
    pub time_limit_ms: Option<u64>,
    /// A signal before a stop.
    pub warn_signal: Option<WarnSignal>,
    /// Between TERM and KILL, in milliseconds.
    pub grace_ms: u64,
    /// May be started again from the beginning.
    pub requeue: bool,
    /// Continues by itself.
    pub resumable: bool,
    /// Further attempts after a failure.
    pub retry: u32,
    /// Labels.
    pub labels: BTreeMap<String, String>,
    /// Refused rather than queued when it could never start.
    pub must_fit: bool,
    /// Requests are limits too.
    pub hard: bool,
    /// It has a terminal.
    pub pty: bool,
    /// The job that submitted it.
    pub parent: Option<u64>,
    /// It does what its parent asked in this review, once: `R17`.
    #[serde(default)]
    pub step: Option<String>,
    /// Digest of command, directory and environment: `sha256:HEX`.
    pub program: String,
}

const SHA256: &str = "sha256:";

impl From<&model::JobSpec> for Spec {
    fn from(from: &model::JobSpec) -> Spec {
        Spec {
            name: from.name.to_string(),
            executable: from.executable.to_string(),
            team: from.team.to_string(),
            priority: from.priority,
            request: Amounts::from(&from.request),
            gang: from.gang.size,
            min: from.gang.min,
            groups: from.groups.as_deref().map(Groups::from),
            preemptible: from.preemptible,
            node_labels: labels_out(&from.node_labels),
            spot: from.spot,
            deadline: from.deadline.map(Time),
            stale_grace: from.stale_grace.map(GraceShown::from),
            preemption_delay_ms: from.preemption_delay.map(|span| span.0),
            idle_timeout_ms: from.idle_timeout.map(|span| span.0),
            service: from.service.as_deref().map(Service::from),
            may_ask: from.may_ask.iter().map(|effect| effect.word().to_owned()).collect(),
            after: from.after.iter().copied().map(Dependency::from).collect(),
            start_at: from.start_at.map(Time),
            array: from.array.map(Array::from),
            estimate_ms: from.estimate.map(|span| span.0),
            time_limit_ms: from.time_limit.map(|span| span.0),
            warn_signal: from.warn.map(WarnSignal::from),
            grace_ms: from.grace.0,
            requeue: from.requeue,
            resumable: from.resumable,
            retry: from.retry,
            labels: labels_out(&from.labels),
            must_fit: from.must_fit,
            hard: from.hard,
            pty: from.pty,
            parent: from.parent.map(|parent| parent.0),
            step: from.step.map(|review| review.to_string()),
            program: format!("{SHA256}{}", from.program),
        }
    }
}

impl TryFrom<Spec> for model::JobSpec {
    type Error = WireError;

    fn try_from(from: Spec) -> Result<model::JobSpec, WireError> {
        let after: Result<Vec<_>, _> = from.after.into_iter().map(TryInto::try_into).collect();
        let effect = |word: &String| EffectClass::of_word(word);
        let may_ask: Result<_, _> = from.may_ask.iter().map(effect).collect();
        let program = from.program.strip_prefix(SHA256).and_then(|hex| hex.parse().ok());
        Ok(model::JobSpec {
            name: from.name.into(),
            executable: from.executable.into(),
            team: from.team.into(),
            priority: from.priority,
            request: from.request.into(),
            gang: model::job::Gang { size: from.gang, min: from.min },
            groups: from.groups.map(|groups| Box::new(groups.into())),
            preemptible: from.preemptible,
            node_labels: name_map(from.node_labels),
            spot: from.spot,
            deadline: from.deadline.map(|time| time.0),
            stale_grace: from.stale_grace.map(Into::into),
            preemption_delay: from.preemption_delay_ms.map(Span),
            idle_timeout: from.idle_timeout_ms.map(Span),
            service: from.service.map(|service| Box::new(service.into())),
            may_ask: may_ask?,
            after: after?,
            start_at: from.start_at.map(|time| time.0),
            array: from.array.map(Into::into),
            estimate: from.estimate_ms.map(Span),
            time_limit: from.time_limit_ms.map(Span),
            warn: from.warn_signal.map(Into::into),
            grace: Span(from.grace_ms),
            requeue: from.requeue,
            resumable: from.resumable,
            retry: from.retry,
            labels: name_map(from.labels),
            must_fit: from.must_fit,
            hard: from.hard,
            pty: from.pty,
            parent: from.parent.map(JobId),
            step: from.step.as_deref().map(super::review::review_of).transpose()?,
            program: program.ok_or_else(|| WireError::unknown("digest", &from.program))?,
        })
    }
}
