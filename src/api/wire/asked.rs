//! How a job wants to be scheduled: as it is submitted, and as it is shown.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::groups::{GraceShown, GroupSet, Groups, Service};
use super::submission::{Request, Submission};
use super::time::Time;
use super::words::Word as _;
use super::{WireError, labels_out, name_map, text_map};
use crate::base::Span;
use crate::model::action::EffectClass;
use crate::model::page;
use crate::model::submission::{GroupRequest, GroupsRequest, Wishes};

/// What a job asked for beside what a list shows of it.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(default)]
pub struct Asked {
    /// Its task groups, if it has several.
    pub groups: Option<Groups>,
    /// Only nodes with these labels.
    pub node_labels: BTreeMap<String, String>,
    /// May run on spot nodes.
    pub spot: bool,
    /// How long its gang may stay below its minimum; null asks the configuration.
    pub stale_grace: Option<GraceShown>,
    /// It makes nobody give room before it has waited so many milliseconds.
    pub preemption_delay_ms: Option<u64>,
    /// Quiet for so many milliseconds, it is parked.
    pub idle_timeout_ms: Option<u64>,
    /// It runs on and on.
    pub service: Option<Service>,
    /// Effect classes it will probably ask people for.
    pub may_ask: Vec<String>,
}

/// Several kinds of tasks in one gang.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(default, deny_unknown_fields)]
pub struct NewGroups {
    /// The groups, in order of their ranks.
    pub groups: Vec<NewGroup>,
    /// Sets of groups.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub sets: Vec<GroupSet>,
    /// How many of the topmost must be satisfied; all if missing.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub min_members: Option<u32>,
}

/// One kind of tasks; an amount that is missing is the job's own.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct NewGroup {
    /// Its name, unique in the job.
    pub name: String,
    /// The set it stands in; the job itself if missing.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub within: Option<String>,
    /// Tasks it wants; 1 if missing.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub size: Option<u32>,
    /// Tasks it needs; all if missing.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub min: Option<u32>,
    /// What each of its tasks asks for.
    #[serde(default, skip_serializing_if = "Request::is_empty")]
    pub request: Request,
    /// Only nodes with these labels, beside those of the job.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub node_labels: BTreeMap<String, String>,
}

impl Submission {
    /// Puts the wishes of a submission into its document.
    pub(super) fn wish(&mut self, from: &Wishes) {
        self.preemptible = from.preemptible;
        self.node_labels = labels_out(&from.node_labels);
        self.spot = from.spot;
        self.deadline = from.deadline.map(Time);
        self.stale_grace = from.stale_grace.map(GraceShown::from);
        self.preemption_delay_ms = from.preemption_delay.map(|span| span.0);
        self.idle_timeout_ms = from.idle_timeout.map(|span| span.0);
        self.service = from.service.as_ref().map(Service::from);
        self.groups = from.groups.as_ref().map(NewGroups::from);
        self.may_ask = from.may_ask.iter().map(|effect| effect.to_word()).collect();
    }

    /// Takes them out again.
    ///
    /// # Errors
    /// When it names an unknown effect class.
    pub(super) fn wishes(&mut self) -> Result<Wishes, WireError> {
        let may_ask = self.may_ask.iter().map(|word| EffectClass::of_word(word));
        let may_ask = may_ask.collect::<Result<_, _>>()?;
        Ok(Wishes {
            preemptible: self.preemptible,
            node_labels: name_map(std::mem::take(&mut self.node_labels)),
            spot: self.spot,
            deadline: self.deadline.map(|time| time.0),
            stale_grace: self.stale_grace.map(Into::into),
            preemption_delay: self.preemption_delay_ms.map(Span),
            idle_timeout: self.idle_timeout_ms.map(Span),
            service: self.service.take().map(Into::into),
            groups: self.groups.take().map(Into::into),
            may_ask,
        })
    }
}

impl From<&GroupsRequest> for NewGroups {
    fn from(from: &GroupsRequest) -> NewGroups {
        let group = |group: &GroupRequest| NewGroup {
            name: group.name.to_string(),
            within: group.within.as_ref().map(ToString::to_string),
            size: group.size,
            min: group.min,
            request: Request {
                cpu_milli: group.cpu_milli,
                mem_bytes: group.mem_bytes,
                gpu_milli: group.gpu_milli,
                custom: text_map(&group.custom),
            },
            node_labels: labels_out(&group.node_labels),
        };
        NewGroups {
            groups: from.groups.iter().map(group).collect(),
            sets: from.sets.iter().map(GroupSet::from).collect(),
            min_members: from.min_members,
        }
    }
}

impl From<NewGroups> for GroupsRequest {
    fn from(from: NewGroups) -> GroupsRequest {
        let group = |group: NewGroup| GroupRequest {
            name: group.name.into(),
            within: group.within.map(Into::into),
            size: group.size,
            min: group.min,
            cpu_milli: group.request.cpu_milli,
            mem_bytes: group.request.mem_bytes,
            gpu_milli: group.request.gpu_milli,
            custom: name_map(group.request.custom),
            node_labels: name_map(group.node_labels),
        };
        GroupsRequest {
            groups: from.groups.into_iter().map(group).collect(),
            sets: from.sets.into_iter().map(Into::into).collect(),
            min_members: from.min_members,
        }
    }
}

impl From<&page::Asked> for Asked {
    fn from(from: &page::Asked) -> Asked {
        Asked {
            groups: from.groups.as_ref().map(Groups::from),
            node_labels: labels_out(&from.node_labels),
            spot: from.spot,
            stale_grace: from.stale_grace.map(GraceShown::from),
            preemption_delay_ms: from.preemption_delay.map(|span| span.0),
            idle_timeout_ms: from.idle_timeout.map(|span| span.0),
            service: from.service.as_ref().map(Service::from),
            may_ask: from.may_ask.iter().map(|effect| effect.to_word()).collect(),
        }
    }
}

impl TryFrom<Asked> for page::Asked {
    type Error = WireError;

    fn try_from(from: Asked) -> Result<page::Asked, WireError> {
        let may_ask = from.may_ask.iter().map(|word| EffectClass::of_word(word));
        Ok(page::Asked {
            may_ask: may_ask.collect::<Result<_, _>>()?,
            groups: from.groups.map(Into::into),
            node_labels: name_map(from.node_labels),
            spot: from.spot,
            stale_grace: from.stale_grace.map(Into::into),
            preemption_delay: from.preemption_delay_ms.map(Span),
            idle_timeout: from.idle_timeout_ms.map(Span),
            service: from.service.map(Into::into),
        })
    }
}
