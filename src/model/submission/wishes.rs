//! How a job wants to be scheduled, beyond amounts and order.

use std::collections::{BTreeMap, BTreeSet};

use crate::base::{Name, Span, Wall};
use crate::model::Resources;
use crate::model::action::EffectClass;
use crate::model::job::{Gang, Grace, GroupSet, Groups, JobSpec, Service, TaskGroup};

/// What was said; `None` means "not said".
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Wishes {
    /// May be stopped to make room for others.
    pub preemptible: Option<bool>,
    /// Only nodes with these labels.
    pub node_labels: BTreeMap<Name, Name>,
    /// May run on spot nodes.
    pub spot: bool,
    /// Should have ended by then.
    pub deadline: Option<Wall>,
    /// How long its gang may stay below its minimum.
    pub stale_grace: Option<Grace>,
    /// It makes nobody give room before it has waited so long.
    pub preemption_delay: Option<Span>,
    /// Quiet for so long, it is parked.
    pub idle_timeout: Option<Span>,
    /// It runs on and on.
    pub service: Option<Service>,
    /// Its kinds of tasks.
    pub groups: Option<GroupsRequest>,
    /// What it will probably ask people for; it plans, it does not permit.
    pub may_ask: BTreeSet<EffectClass>,
}

/// Several kinds of tasks in one gang.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct GroupsRequest {
    /// The groups, in order of their ranks.
    pub groups: Vec<GroupRequest>,
    /// Sets of groups.
    pub sets: Vec<GroupSet>,
    /// How many of the topmost must be satisfied; `None` is all.
    pub min_members: Option<u32>,
}

/// One kind of tasks; an amount that is not said is the job's own.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct GroupRequest {
    /// Its name, unique in the job.
    pub name: Name,
    /// The set it stands in; `None` is the job itself.
    pub within: Option<Name>,
    /// Tasks it wants; one if not said.
    pub size: Option<u32>,
    /// Tasks it needs; all if not said.
    pub min: Option<u32>,
    /// Thousandths of a core per task.
    pub cpu_milli: Option<u64>,
    /// Bytes per task.
    pub mem_bytes: Option<u64>,
    /// Thousandths of a GPU per task.
    pub gpu_milli: Option<u64>,
    /// Countable resources per task.
    pub custom: BTreeMap<Name, u64>,
    /// Only nodes with these labels, beside those of the job.
    pub node_labels: BTreeMap<Name, Name>,
}

impl GroupsRequest {
    /// The groups with all amounts filled in from what the job asks for.
    pub fn over(&self, job: &Resources) -> Groups {
        let group = |group: &GroupRequest| {
            let size = group.size.unwrap_or(1);
            let mut request = job.clone();
            request.cpu_milli = group.cpu_milli.unwrap_or(request.cpu_milli);
            request.mem_bytes = group.mem_bytes.unwrap_or(request.mem_bytes);
            request.gpu_milli = group.gpu_milli.unwrap_or(request.gpu_milli);
            request.custom.extend(group.custom.iter().map(|(name, n)| (name.clone(), *n)));
            TaskGroup {
                name: group.name.clone(),
                within: group.within.clone(),
                gang: Gang { size, min: group.min.unwrap_or(size) },
                request,
                node_labels: group.node_labels.clone(),
            }
        };
        let groups = self.groups.iter().map(group).collect();
        Groups { groups, sets: self.sets.clone(), min_members: self.min_members }
    }
}

impl Wishes {
    /// `spec` with what is said here; with groups its gang is their sum.
    #[must_use]
    pub fn over(&self, mut spec: JobSpec) -> JobSpec {
        spec.preemptible = self.preemptible.unwrap_or(spec.preemptible);
        let labels = self.node_labels.iter().map(|(key, value)| (key.clone(), value.clone()));
        spec.node_labels.extend(labels);
        spec.spot |= self.spot;
        spec.deadline = self.deadline.or(spec.deadline);
        spec.stale_grace = self.stale_grace.or(spec.stale_grace);
        spec.preemption_delay = self.preemption_delay.or(spec.preemption_delay);
        spec.idle_timeout = self.idle_timeout.or(spec.idle_timeout);
        spec.may_ask.extend(&self.may_ask);
        if let Some(service) = &self.service {
            spec.service = Some(Box::new(service.clone()));
        }
        if let Some(groups) = &self.groups {
            let groups = groups.over(&spec.request);
            spec.gang = groups.gang();
            spec.groups = Some(Box::new(groups));
        }
        spec
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::job::Task;

    #[test]
    fn groups_take_over_what_they_do_not_say_and_add_up_to_the_gang() {
        let group = |name: &str, size, min, gpu_milli| GroupRequest {
            name: name.into(),
            size,
            min,
            gpu_milli,
            ..GroupRequest::default()
        };
        let groups = GroupsRequest {
            groups: vec![
                group("head", None, None, None),
                group("work", Some(4), Some(2), Some(1000)),
            ],
            ..GroupsRequest::default()
        };
        let wishes = Wishes { groups: Some(groups), spot: true, ..Wishes::default() };
        let request = Resources { cpu_milli: 2000, ..Resources::default() };
        let spec = wishes.over(JobSpec { request: request.clone(), ..JobSpec::default() });
        assert_eq!(spec.gang, Gang { size: 5, min: 3 });
        assert!(spec.spot && !spec.preemptible);
        let worker = Resources { gpu_milli: 1000, ..request.clone() };
        assert_eq!(spec.groups_by_rank().collect::<Vec<_>>(), [0, 1, 1, 1, 1]);
        let task = Task::pending(4, 1);
        assert_eq!(spec.request_of_task(&task), &worker);
        assert_eq!(spec.group_of_task(&task).map(|group| &*group.name), Some("work"));
        let all = Resources { cpu_milli: 10_000, gpu_milli: 4000, ..Resources::default() };
        assert_eq!(spec.request_of_all(), all);
    }
}
