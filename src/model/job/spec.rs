//! What was asked for.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::base::{Digest, JobId, Name, Span, Wall};
use crate::model::Resources;

/// A submission, all defaults filled in. Shared by the attempts of a job; a change by `set`
/// replaces it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct JobSpec {
    /// Shown name; the executable's if none was given.
    pub name: Name,
    /// Path of its team.
    pub team: Name,
    /// 0 to 1000, higher goes first.
    pub priority: u16,
    /// What *each task* asks for.
    pub request: Resources,
    /// How many tasks.
    pub gang: Gang,
    /// Jobs that must end first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub after: Vec<Dependency>,
    /// Not before this.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub start_at: Option<Wall>,
    /// Its place in an array.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub array: Option<ArrayPlace>,
    /// The submitter's guess of the run time.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub estimate: Option<Span>,
    /// Hard limit of run time per attempt.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub time_limit: Option<Span>,
    /// A signal sent some time before the time limit or another stop.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub warn: Option<WarnSignal>,
    /// Between TERM and KILL.
    pub grace: Span,
    /// May be started again from the beginning after it lost its processes.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub requeue: bool,
    /// Saves itself on TERM or by checkpoint and continues in the next attempt.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub resumable: bool,
    /// Further attempts after a failure.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub retry: u32,
    /// Free labels.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub labels: BTreeMap<Name, Name>,
    /// Refuse instead of queueing when it could never start.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub must_fit: bool,
    /// Requests are limits too, enforced by the kernel where it can.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub hard: bool,
    /// It gets a terminal of its own.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub pty: bool,
    /// The job that submitted it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub parent: Option<JobId>,
    /// Digest of the stored [`crate::model::program::Program`].
    pub program: Digest,
}

#[allow(clippy::trivially_copy_pass_by_ref, reason = "serde calls it with a reference")]
fn is_zero(n: &u32) -> bool {
    *n == 0
}

/// The number of tasks: starts with `min` at once or not at all, grows to `size`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Gang {
    /// Tasks it wants.
    pub size: u32,
    /// Tasks it needs.
    pub min: u32,
}

impl Gang {
    /// A job of one task.
    pub const ONE: Gang = Gang { size: 1, min: 1 };
}

/// Must come after another job.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Dependency {
    /// The other job.
    pub job: JobId,
    /// How the other must end.
    pub kind: DependencyKind,
}

/// How a job that is waited for must end.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum DependencyKind {
    /// With success.
    Ok,
    /// In any way.
    Any,
    /// Without success.
    Failed,
}

/// A job's place in an array: elements share the array's number, which is the first element's.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct ArrayPlace {
    /// The array: id of its first element.
    pub id: JobId,
    /// `HOLDSHORT_ARRAY_INDEX`.
    pub index: u32,
    /// Elements that may run at once, if limited.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub throttle: Option<u32>,
}

/// `--warn-signal USR1@120s`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct WarnSignal {
    /// The signal's number.
    pub signal: i32,
    /// How long before the stop.
    pub before: Span,
}
