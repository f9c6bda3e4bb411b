//! What was asked for.

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};

use crate::base::{Digest, JobId, Name, ReviewId, Span, Wall};
use crate::model::Resources;
use crate::model::action::EffectClass;

/// A submission, all defaults filled in. Shared by the attempts of a job; a change by `set`
/// replaces it.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct JobSpec {
    /// Shown name; the executable's if none was given.
    pub name: Name,
    /// The executable's own name, without its directory; empty if nobody said.
    #[serde(default, skip_serializing_if = "str::is_empty")]
    pub executable: Name,
    /// Path of its team.
    pub team: Name,
    /// 0 to 1000, higher goes first.
    pub priority: u16,
    /// What *each task* asks for.
    pub request: Resources,
    /// How many tasks; with `groups` the sum over them.
    pub gang: Gang,
    /// The task groups, if it has several; ranks go through them in order.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub groups: Option<Box<Groups>>,
    /// May be stopped to make room for others; only with a way back.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub preemptible: bool,
    /// Only nodes with these labels.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub node_labels: BTreeMap<Name, Name>,
    /// May run on spot nodes.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub spot: bool,
    /// Should have ended by then.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub deadline: Option<Wall>,
    /// How long a gang may stay below its minimum before its rest is stopped; `None` asks the
    /// configuration.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stale_grace: Option<Grace>,
    /// It makes nobody give room before it has waited so long.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub preemption_delay: Option<Span>,
    /// A person works in it: quiet for this long, it gets a notice and is parked.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub idle_timeout: Option<Span>,
    /// It runs on and on: what keeps it well and how many tasks it has at least.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub service: Option<Box<Service>>,
    /// What it may ask people for, as far as it says so ahead. This plans, it permits nothing.
    #[serde(default, skip_serializing_if = "BTreeSet::is_empty")]
    pub may_ask: BTreeSet<EffectClass>,
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
    /// It does what its parent asked in this review, once, and nothing else.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub step: Option<ReviewId>,
    /// Digest of the stored [`crate::model::program::Program`].
    pub program: Digest,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde calls it with a reference")]
fn is_zero(n: &u32) -> bool {
    *n == 0
}

/// Identical tasks of a job, whether it names groups or not.
#[derive(Debug, Clone, Copy)]
pub struct Kind<'a> {
    /// Tasks it wants and needs.
    pub gang: Gang,
    /// What each of them asks for.
    pub request: &'a Resources,
    /// Labels its nodes must have beside those of the job.
    pub node_labels: Option<&'a BTreeMap<Name, Name>>,
}

impl JobSpec {
    /// Its kinds of tasks, in order of their ranks: the groups, or one.
    pub fn kinds(&self) -> impl Iterator<Item = Kind<'_>> {
        let whole = Kind { gang: self.gang, request: &self.request, node_labels: None };
        let groups = self.groups.as_deref().map_or(&[][..], |groups| &groups.groups[..]);
        let single = groups.is_empty().then_some(whole);
        single.into_iter().chain(groups.iter().map(|group| Kind {
            gang: group.gang,
            request: &group.request,
            node_labels: Some(&group.node_labels),
        }))
    }

    /// What a task of a group asks for.
    pub fn request_of(&self, group: u32) -> &Resources {
        let groups = self.groups.as_deref().map_or(&[][..], |groups| &groups.groups[..]);
        let group = usize::try_from(group).ok().and_then(|at| groups.get(at));
        group.map_or(&self.request, |group| &group.request)
    }

    /// The group of each rank of a new attempt, in order.
    pub fn groups_by_rank(&self) -> impl Iterator<Item = u32> + '_ {
        let kinds = (0..).zip(self.kinds());
        kinds.flat_map(|(at, kind)| std::iter::repeat_n(at, kind.gang.size as usize))
    }
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

impl Default for Gang {
    fn default() -> Gang {
        Gang::ONE
    }
}

/// The task groups of a job and the tree they stand in.
#[derive(Debug, Clone, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(default)]
pub struct Groups {
    /// The groups, in order of their ranks.
    pub groups: Vec<TaskGroup>,
    /// Sets of groups, each of which may stand in another.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub sets: Vec<GroupSet>,
    /// How many of the topmost groups and sets must be satisfied; `None` is all.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub min_members: Option<u32>,
}

/// Identical tasks of a job that has several kinds.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct TaskGroup {
    /// Its name, unique in the job.
    pub name: Name,
    /// The set it stands in; `None` is the job itself.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub within: Option<Name>,
    /// Tasks it wants and needs.
    pub gang: Gang,
    /// What each of its tasks asks for.
    pub request: Resources,
    /// Only nodes with these labels, beside those of the job.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub node_labels: BTreeMap<Name, Name>,
}

/// A set of task groups of which some must be satisfied together.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct GroupSet {
    /// Its name, unique in the job.
    pub name: Name,
    /// The set it stands in; `None` is the job itself.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub within: Option<Name>,
    /// How many of its members must be satisfied; `None` is all.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub min_members: Option<u32>,
}

/// A time that may never come.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Grace {
    /// After this.
    After(Span),
    /// Never.
    Never,
}

/// What a service needs beside its command.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Service {
    /// A command that says by its code whether the service is well; run by `sh -c`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub health: Option<String>,
    /// How often that command is run.
    #[serde(default = "health_every")]
    pub health_every: Span,
    /// Tasks that are never taken from it, if any.
    #[serde(default)]
    pub baseline: u32,
    /// The tasks it may have at most, once `scale` has changed how many it wants.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub most: Option<u32>,
}

fn health_every() -> Span {
    HEALTH_EVERY
}

/// How often a health check runs that does not say.
pub const HEALTH_EVERY: Span = Span::secs(30);

impl Default for Service {
    fn default() -> Service {
        Service { health: None, health_every: HEALTH_EVERY, baseline: 0, most: None }
    }
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
