//! Which tasks of a job are alike: the core's groups hold identical tasks, those of a case need
//! not.

use std::collections::BTreeMap;

use crate::base::{Name, Span};
use crate::model::Resources;
use crate::model::job::{Gang, Grace, GroupSet, Groups, JobSpec, TaskGroup};

use super::case::{JobCase, TaskCase};

/// The rank of a task that may not start yet: the core does not know it.
pub const GATED: u32 = u32::MAX;

/// A span.
pub fn seconds(number: f64) -> Span {
    Span(milli(number))
}

/// In thousandths.
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "small and ≥ 0")]
pub fn milli(number: f64) -> u64 {
    (number * 1000.0).round() as u64
}

/// A grace; below zero it never ends.
pub fn grace(number: f64) -> Grace {
    if number < 0.0 { Grace::Never } else { Grace::After(seconds(number)) }
}

/// What nodes carry that a task may go to.
pub fn label(nodes: &[String]) -> Name {
    format!("among:{}", nodes.join(",")).into()
}

/// What makes tasks identical: their group, what they ask for, where they may go.
pub type Sameness = (Option<String>, u64, Option<Vec<String>>);

/// The kinds of a job's tasks, and the rank of each task.
pub struct Kinds {
    /// What each kind is.
    pub kinds: Vec<Sameness>,
    /// How many tasks it has.
    sizes: Vec<u32>,
    /// The rank of each task of the case; [`GATED`] has none.
    pub ranks: Vec<u32>,
    /// The kind of each task of the case.
    pub groups: Vec<u32>,
}

impl Kinds {
    /// Of a job's tasks.
    pub fn of(job: &JobCase) -> Kinds {
        let same = |task: &TaskCase| {
            let gpus = milli(task.gpus.unwrap_or(job.gpus_per_task));
            (task.subgroup.clone(), gpus, task.allowed_nodes.clone())
        };
        let open = |at: &usize| job.tasks[*at].state != "gated";
        let mut order: Vec<usize> = (0..job.tasks.len()).filter(open).collect();
        // Higher goes first.
        order.sort_by_key(|at| std::cmp::Reverse(job.tasks[*at].order.unwrap_or(0)));
        let mut kinds: Vec<Sameness> = Vec::new();
        // Groups in the order the job names them, tasks in their own.
        for group in &job.subgroups {
            let tasks = order.iter().map(|at| same(&job.tasks[*at]));
            let inside = tasks.filter(|kind| kind.0.as_ref() == Some(&group.name));
            let before = kinds.len();
            inside.for_each(|kind| {
                if !kinds.contains(&kind) {
                    kinds.push(kind);
                }
            });
            // A group without tasks is never satisfied if it needs some.
            if kinds.len() == before {
                kinds.push((Some(group.name.clone()), milli(job.gpus_per_task), None));
            }
        }
        for at in &order {
            let kind = same(&job.tasks[*at]);
            if !kinds.contains(&kind) {
                kinds.push(kind);
            }
        }
        let mut ranks = vec![GATED; job.tasks.len()];
        let mut groups = vec![0; job.tasks.len()];
        let mut sizes = Vec::new();
        let mut next = 0;
        for (group, kind) in (0..).zip(&kinds) {
            let before = next;
            for at in order.iter().filter(|at| same(&job.tasks[**at]) == *kind) {
                ranks[*at] = next;
                groups[*at] = group;
                next += 1;
            }
            sizes.push(next - before);
        }
        Kinds { kinds, sizes, ranks, groups }
    }
}

fn request(job: &JobCase, gpu_milli: u64) -> Resources {
    Resources {
        cpu_milli: job.cpu_milli_per_task,
        mem_bytes: job.mem_bytes_per_task,
        gpu_milli,
        ..Resources::default()
    }
}

/// What a job of a case asks for.
pub fn spec(job: &JobCase, team: Name, kinds: &Kinds) -> JobSpec {
    let size = kinds.sizes.iter().sum::<u32>();
    let gpus = kinds.kinds.first().map_or(milli(job.gpus_per_task), |kind| kind.1);
    let plain = kinds.kinds.len() == 1 && job.subgroups.is_empty() && kinds.kinds[0].2.is_none();
    let min = job
        .min_available
        .unwrap_or_else(|| job.subgroups.iter().map(|group| group.min_available).sum::<u32>());
    JobSpec {
        name: Name::from(&*job.name),
        team,
        priority: job.priority,
        request: request(job, gpus),
        gang: Gang { size, min },
        groups: (!plain).then(|| Box::new(groups(job, kinds, min))),
        preemptible: job.gives_way(),
        requeue: true,
        stale_grace: job.stale_grace_s.map(grace),
        preemption_delay: job.preemption_delay_s.map(Span::secs),
        ..JobSpec::default()
    }
}

/// Groups of identical tasks. Where a group of the case has several kinds, its minimum goes to
/// the kinds in their order.
fn groups(job: &JobCase, kinds: &Kinds, min: u32) -> Groups {
    let mut left: BTreeMap<Option<&str>, u32> =
        job.subgroups.iter().map(|group| (Some(&*group.name), group.min_available)).collect();
    left.insert(None, if job.subgroups.is_empty() { min } else { 0 });
    let mut groups = Groups { min_members: job.min_subgroups, ..Groups::default() };
    for ((group, gpus, allowed), size) in kinds.kinds.iter().zip(&kinds.sizes) {
        let is_last = !kinds.kinds.iter().skip(groups.groups.len() + 1).any(|k| k.0 == *group);
        let left = left.entry(group.as_deref()).or_default();
        // What the tasks do not come to is out of reach.
        let min = if is_last { *left } else { (*left).min(*size) };
        *left -= min;
        let case = job.subgroups.iter().find(|case| Some(&case.name) == group.as_ref());
        let number = groups.groups.len();
        groups.groups.push(TaskGroup {
            name: format!("{}-{number}", group.as_deref().unwrap_or("all")).into(),
            within: case.and_then(|case| case.parent.as_deref()).map(Name::from),
            gang: Gang { size: *size, min },
            request: request(job, *gpus),
            node_labels: allowed.iter().map(|set| (label(set), "yes".into())).collect(),
        });
    }
    let set = |set: &super::case::SetCase| GroupSet {
        name: Name::from(&*set.name),
        within: set.parent.as_deref().map(Name::from),
        min_members: set.min_members,
    };
    groups.sets = job.subgroup_sets.iter().map(set).collect();
    groups
}
