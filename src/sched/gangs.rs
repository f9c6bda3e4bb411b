//! From a job to the tree of its gang, which the policies speak of ([`policy::gang`]).
//!
//! [`policy::gang`]: crate::sched::policy::gang

use crate::model::job::{Groups, Job, JobSpec, State, Task, TaskState};
use crate::sched::policy::gang::{self, Group, Member, Set, Share, Standing};

/// The tree of a job's gang; `count` says of each group how many tasks have room and how many
/// wait for some.
pub fn tree(spec: &JobSpec, count: impl Fn(u32) -> (u32, u32)) -> Member {
    let group = |(id, kind): (u32, crate::model::job::Kind<'_>)| {
        let (active, waiting) = count(id);
        Group { id, min: kind.gang.min, active, waiting }
    };
    let kinds: Vec<Group> = (0..).zip(spec.kinds()).map(group).collect();
    match (&spec.groups, kinds.as_slice()) {
        (Some(groups), kinds) if !groups.groups.is_empty() => {
            Member::Set(set(groups, kinds, None, groups.min_members))
        }
        (_, kinds) => Member::Group(kinds.first().copied().unwrap_or_default()),
    }
}

/// The members that stand in a set, or at the top. Submission sees to it that sets stand in
/// each other without a circle.
fn set(groups: &Groups, kinds: &[Group], within: Option<&str>, min: Option<u32>) -> Set {
    let inside = |name: &Option<crate::base::Name>| name.as_deref() == within;
    let sets = groups.sets.iter().filter(|set| inside(&set.within));
    let sets =
        sets.map(|inner| Member::Set(set(groups, kinds, Some(&inner.name), inner.min_members)));
    let leaves = groups.groups.iter().zip(kinds).filter(|(group, _)| inside(&group.within));
    let leaves = leaves.map(|(_, kind)| Member::Group(*kind));
    Set { min, members: leaves.chain(sets).collect() }
}

/// Counts the tasks of a group.
fn of_group(job: &Job, group: u32, which: impl Fn(&Task) -> bool) -> u32 {
    let tasks = job.tasks.iter().filter(|task| task.group == group && which(task));
    u32::try_from(tasks.count()).unwrap_or(u32::MAX)
}

/// The tree of a job as it stands: who holds room, and who could get some. Before an attempt all
/// its tasks wait.
pub fn of_job(job: &Job) -> Member {
    let sizes: Vec<u32> = job.spec.kinds().map(|kind| kind.gang.size).collect();
    let begun = matches!(job.state, State::Starting | State::Running | State::Stopping(_));
    tree(&job.spec, |group| {
        if !begun {
            let size = usize::try_from(group).ok().and_then(|at| sizes.get(at));
            return (0, size.copied().unwrap_or(0));
        }
        let holds = |task: &Task| matches!(task.state, TaskState::Starting | TaskState::Running);
        let waits = |task: &Task| matches!(task.state, TaskState::Pending | TaskState::Nominated);
        (of_group(job, group, holds), of_group(job, group, waits))
    })
}

/// Whether the tasks that `count` are enough for the gang's minimum.
pub fn has_its_minimum(job: &Job, counts: impl Fn(&Task) -> bool) -> bool {
    tree(&job.spec, |group| (of_group(job, group, &counts), 0)).is_satisfied()
}

/// Part of the gang holds room, it is below its minimum, and no task has done its work: nothing
/// comes of it any more.
pub fn is_short(job: &Job) -> bool {
    let runs = matches!(job.state, State::Starting | State::Running) && !job.frozen;
    let succeeded =
        || job.tasks.iter().any(|t| t.is_over() && t.exit.as_ref().is_some_and(|e| e.is_success()));
    runs && gang::is_stale(&of_job(job), succeeded())
}

/// The standing of a job's gang to its minimum.
pub fn standing(job: &Job) -> Standing {
    standing_of(&of_job(job))
}

/// The standing of a gang: exactly at its minimum if it can spare nothing.
pub fn standing_of(gang: &Member) -> Standing {
    if !gang.is_satisfied() {
        return Standing::Below;
    }
    match gang::next_to_give_up(gang) {
        (_, true) => Standing::Above,
        (_, false) => Standing::Exactly,
    }
}

/// Tasks that must get room together next; nothing if none can.
///
/// A gang of which a task has ended does not grow any more: it is finishing.
pub fn next_chunk(job: &Job) -> Vec<Share> {
    match job.state {
        State::Queued if !job.frozen => gang::next_chunk(&of_job(job)),
        State::Starting | State::Running if !job.tasks.iter().any(Task::is_over) => {
            gang::next_chunk(&of_job(job))
        }
        _ => Vec::new(),
    }
}
