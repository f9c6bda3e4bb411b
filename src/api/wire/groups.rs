//! The task groups of a job, and what a service needs.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::amounts::Amounts;
use super::{labels_out, name_map};
use crate::base::Span;
use crate::model::job::{self, Gang, Grace};

/// The task groups of a job and the tree they stand in.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Groups {
    /// The groups, in order of their ranks.
    pub groups: Vec<TaskGroup>,
    /// Sets of groups.
    pub sets: Vec<GroupSet>,
    /// How many of the topmost must be satisfied; null is all.
    pub min_members: Option<u32>,
}

/// Identical tasks of a job that has several kinds.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct TaskGroup {
    /// Its name, unique in the job.
    pub name: String,
    /// The set it stands in; null is the job itself.
    #[serde(default)]
    pub within: Option<String>,
    /// Tasks it wants.
    pub size: u32,
    /// Tasks it needs.
    pub min: u32,
    /// What each of its tasks asks for.
    pub request: Amounts,
    /// Only nodes with these labels.
    #[serde(default)]
    pub node_labels: BTreeMap<String, String>,
}

/// A set of task groups of which some must be satisfied together.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct GroupSet {
    /// Its name, unique in the job.
    pub name: String,
    /// The set it stands in; null is the job itself.
    #[serde(default)]
    pub within: Option<String>,
    /// How many of its members must be satisfied; null is all.
    #[serde(default)]
    pub min_members: Option<u32>,
}

/// What a service needs beside its command.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct Service {
    /// A command that says by its code whether the service is well.
    #[serde(default)]
    pub health: Option<String>,
    /// How often it is run, in milliseconds; 30 s if it does not say.
    #[serde(default = "health_every")]
    pub health_every_ms: u64,
    /// Tasks that are never taken from it.
    #[serde(default)]
    pub baseline: u32,
    /// The tasks it may have at most, once it was scaled; null: its gang's size.
    #[serde(default)]
    pub most: Option<u32>,
}

fn health_every() -> u64 {
    job::spec::HEALTH_EVERY.0
}

/// A time in milliseconds that may never come: a number, or null for never.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct GraceShown {
    /// Milliseconds; null is never.
    pub after_ms: Option<u64>,
}

impl From<Grace> for GraceShown {
    fn from(from: Grace) -> GraceShown {
        let after_ms = match from {
            Grace::After(span) => Some(span.0),
            Grace::Never => None,
        };
        GraceShown { after_ms }
    }
}

impl From<GraceShown> for Grace {
    fn from(from: GraceShown) -> Grace {
        from.after_ms.map_or(Grace::Never, |ms| Grace::After(Span(ms)))
    }
}

impl From<&job::Service> for Service {
    fn from(from: &job::Service) -> Service {
        Service {
            health: from.health.clone(),
            health_every_ms: from.health_every.0,
            baseline: from.baseline,
            most: from.most,
        }
    }
}

impl From<Service> for job::Service {
    fn from(from: Service) -> job::Service {
        job::Service {
            health: from.health,
            health_every: Span(from.health_every_ms),
            baseline: from.baseline,
            most: from.most,
        }
    }
}

impl From<&job::GroupSet> for GroupSet {
    fn from(from: &job::GroupSet) -> GroupSet {
        let within = from.within.as_ref().map(ToString::to_string);
        GroupSet { name: from.name.to_string(), within, min_members: from.min_members }
    }
}

impl From<GroupSet> for job::GroupSet {
    fn from(from: GroupSet) -> job::GroupSet {
        let GroupSet { name, within, min_members } = from;
        job::GroupSet { name: name.into(), within: within.map(Into::into), min_members }
    }
}

impl From<&job::Groups> for Groups {
    fn from(from: &job::Groups) -> Groups {
        let group = |group: &job::TaskGroup| TaskGroup {
            name: group.name.to_string(),
            within: group.within.as_ref().map(ToString::to_string),
            size: group.gang.size,
            min: group.gang.min,
            request: Amounts::from(&group.request),
            node_labels: labels_out(&group.node_labels),
        };
        Groups {
            groups: from.groups.iter().map(group).collect(),
            sets: from.sets.iter().map(GroupSet::from).collect(),
            min_members: from.min_members,
        }
    }
}

impl From<Groups> for job::Groups {
    fn from(from: Groups) -> job::Groups {
        let group = |group: TaskGroup| job::TaskGroup {
            name: group.name.into(),
            within: group.within.map(Into::into),
            gang: Gang { size: group.size, min: group.min },
            request: group.request.into(),
            node_labels: name_map(group.node_labels),
        };
        job::Groups {
            groups: from.groups.into_iter().map(group).collect(),
            sets: from.sets.into_iter().map(Into::into).collect(),
            min_members: from.min_members,
        }
    }
}
