//! Whether task groups and their sets make sense, and what they add up to.

use std::collections::BTreeSet;

use crate::base::Name;
use crate::model::Resources;
use crate::model::job::{Gang, Groups, JobSpec, Task, TaskGroup};

/// Groups and sets a job may have at most.
pub const GROUPS_MAX: usize = 64;

impl JobSpec {
    /// What a task asks for.
    pub fn request_of_task(&self, task: &Task) -> &Resources {
        self.request_of(task.group)
    }

    /// What all tasks together would like to have.
    pub fn request_of_all(&self) -> Resources {
        let Some(groups) = &self.groups else {
            return self.request.times(u64::from(self.gang.size));
        };
        let mut sum = Resources::default();
        for group in &groups.groups {
            sum.add(&group.request.times(u64::from(group.gang.size)));
        }
        sum
    }

    /// The group a task belongs to, if there are groups.
    pub fn group_of_task(&self, task: &Task) -> Option<&TaskGroup> {
        let place = usize::try_from(task.group).ok()?;
        self.groups.as_deref()?.groups.get(place)
    }

    /// Something declares how it comes back after it was stopped (DESIGN.md 5.12). Who may try
    /// again after a failure may as well after a stop, which is none and takes no try away.
    pub fn has_way_back(&self) -> bool {
        self.comes_back() || self.retry > 0
    }

    /// It starts again after it lost its processes, however often that happens.
    pub fn comes_back(&self) -> bool {
        self.requeue || self.resumable || self.service.is_some()
    }
}

impl Groups {
    /// All of them together.
    pub fn gang(&self) -> Gang {
        let sum =
            |pick: fn(&TaskGroup) -> u32| self.groups.iter().map(pick).fold(0, u32::saturating_add);
        Gang { size: sum(|group| group.gang.size), min: sum(|group| group.gang.min) }
    }

    /// What makes no sense, in a sentence.
    pub fn problem(&self) -> Option<String> {
        if self.groups.is_empty() || self.groups.len() + self.sets.len() > GROUPS_MAX {
            return Some(format!("a job with groups has 1 to {GROUPS_MAX} groups and sets"));
        }
        let names = || self.groups.iter().map(|g| &g.name).chain(self.sets.iter().map(|s| &s.name));
        let mut seen = BTreeSet::new();
        for name in names() {
            if name.is_empty() || name.chars().any(|c| c.is_control() || c.is_whitespace()) {
                return Some(format!("{name:?} is no name of a group"));
            }
            if !seen.insert(name) {
                return Some(format!("{name} stands twice among groups and sets"));
            }
        }
        self.sets.iter().find_map(|set| self.problem_of_set(&set.name)).or_else(|| {
            self.groups
                .iter()
                .find_map(|group| self.problem_of_group(group))
                .or_else(|| self.problem_of_minimum(None, self.min_members))
        })
    }

    fn problem_of_set(&self, name: &Name) -> Option<String> {
        let set = self.sets.iter().find(|set| set.name == *name)?;
        // Each step goes one set up; more steps than sets is a ring.
        let mut above = set.within.as_ref();
        for _ in 0..=self.sets.len() {
            let Some(outer) = above else {
                return self.problem_of_minimum(Some(name), set.min_members);
            };
            let Some(next) = self.sets.iter().find(|other| other.name == *outer) else {
                return Some(format!("set {name} is in {outer}, which is no set"));
            };
            above = next.within.as_ref();
        }
        Some(format!("set {name} contains itself"))
    }

    fn problem_of_group(&self, group: &TaskGroup) -> Option<String> {
        let (name, gang) = (&group.name, group.gang);
        if gang.min == 0 || gang.min > gang.size {
            return Some(format!("group {name}: min lies between 1 and its size {}", gang.size));
        }
        let gpu = group.request.gpu_milli;
        if gpu > 1000 && !gpu.is_multiple_of(1000) {
            return Some(format!("group {name}: more than one GPU comes in whole devices"));
        }
        let outer = group.within.as_ref()?;
        let missing = !self.sets.iter().any(|set| set.name == *outer);
        missing.then(|| format!("group {name} is in {outer}, which is no set"))
    }

    /// A minimum of members lies between 1 and as many as there are.
    fn problem_of_minimum(&self, set: Option<&Name>, min: Option<u32>) -> Option<String> {
        let of = |within: Option<&Name>| within == set;
        let members = self.groups.iter().filter(|group| of(group.within.as_ref())).count()
            + self.sets.iter().filter(|inner| of(inner.within.as_ref())).count();
        let what = set.map_or("the job".to_owned(), |name| format!("set {name}"));
        if members == 0 {
            return Some(format!("{what} has no members"));
        }
        let few = min.is_some_and(|min| min == 0 || u64::from(min) > members as u64);
        few.then(|| format!("{what}: min lies between 1 and its {members} members"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::job::GroupSet;

    fn group(name: &str, within: Option<&str>) -> TaskGroup {
        TaskGroup {
            name: name.into(),
            within: within.map(Name::from),
            gang: Gang { size: 2, min: 1 },
            request: Resources::default(),
            node_labels: Default::default(),
        }
    }

    fn set(name: &str, within: Option<&str>, min_members: Option<u32>) -> GroupSet {
        GroupSet { name: name.into(), within: within.map(Name::from), min_members }
    }

    fn problem(groups: Vec<TaskGroup>, sets: Vec<GroupSet>) -> Option<String> {
        Groups { groups, sets, min_members: None }.problem()
    }

    #[test]
    fn a_tree_of_groups_makes_sense() {
        let groups = vec![group("a", Some("x")), group("b", Some("y")), group("c", None)];
        let sets = vec![set("x", None, Some(2)), set("y", Some("x"), None)];
        assert_eq!(problem(groups, sets), None);
    }

    #[test]
    fn what_makes_no_sense_is_said() {
        let twice = problem(vec![group("a", None), group("a", None)], vec![]);
        let nowhere = problem(vec![group("a", Some("z"))], vec![set("y", None, None)]);
        let ring = vec![set("x", Some("y"), None), set("y", Some("x"), None)];
        let ring = problem(vec![group("a", Some("x"))], ring);
        let many = problem(vec![group("a", Some("x"))], vec![set("x", None, Some(2))]);
        let empty = problem(vec![group("a", None)], vec![set("x", None, None)]);
        let mut wide = group("a", None);
        wide.gang.min = 3;
        for (found, part) in [
            (twice, "stands twice"),
            (nowhere, "has no members"),
            (ring, "contains itself"),
            (many, "between 1 and its 1 members"),
            (empty, "has no members"),
            (problem(vec![wide], vec![]), "between 1 and its size 2"),
            (problem(vec![], vec![]), "1 to 64"),
            (problem(vec![group("a b", None)], vec![]), "is no name"),
            (problem(vec![group("a", Some("b")), group("b", None)], vec![]), "which is no set"),
        ] {
            assert!(found.as_ref().is_some_and(|text| text.contains(part)), "{part}: {found:?}");
        }
        let none = Groups { groups: vec![group("a", None)], sets: vec![], min_members: Some(0) };
        assert!(none.problem().is_some());
    }
}
