//! Asks the table of rights.

use std::sync::Arc;

use crate::base::JobId;
use crate::model::access::{Relation, Right, may, role_in};
use crate::model::refusal::{Refusal, RefusalCode};
use crate::model::{Actor, Job};
use crate::sched::plan::Plan;
use crate::sched::world::World;

/// May the caller do this with a job?
///
/// # Errors
/// A refusal that names caller and job.
pub fn on_job(world: &World, by: &Actor, job: &Job, right: Right) -> Result<(), Refusal> {
    let setup = world.setup();
    let role = role_in(by, &job.spec.team, &setup.users, setup.owner_uid);
    let owner = job.owner_uid.is_some() && job.owner_uid == by.uid;
    let relation = Relation { owner, own_tree: own_tree(world, by, job) };
    if may(right, role, by.in_job.is_some(), relation) {
        return Ok(());
    }
    let what = match by.in_job {
        Some(inside) => format!(
            "a process of job {inside} may not do this with job {}; it may look at, report for \
             and submit below its own job only",
            job.id
        ),
        None => format!("{} may not do this with job {} of {}", by.user, job.id, job.owner),
    };
    let hint = match by.in_job {
        Some(_) => "do this from outside the job",
        None => "ask an operator of the team",
    };
    Err(Refusal::new(RefusalCode::Forbidden, what, hint))
}

/// May the caller hold back a team (or everything), drain a node?
pub(in crate::sched) fn operate(
    plan: &Plan,
    by: &Actor,
    team: Option<&str>,
) -> Result<(), Refusal> {
    on_team(plan.world(), by, team.unwrap_or(""), Right::Operate)
}

/// May the caller do this in a team?
///
/// # Errors
/// A refusal that names caller and team.
pub fn on_team(world: &World, by: &Actor, team: &str, right: Right) -> Result<(), Refusal> {
    let setup = world.setup();
    let role = role_in(by, team, &setup.users, setup.owner_uid);
    // A job's tree stands in its own team for looking and submitting.
    let inside = by.in_job.and_then(|job| world.job(job));
    let own_tree = inside.is_some_and(|job| &*job.spec.team == team || team.is_empty());
    let relation = Relation { owner: true, own_tree };
    if may(right, role, by.in_job.is_some(), relation) {
        return Ok(());
    }
    let place = match team {
        "" => "with the server as a whole".to_owned(),
        team => format!("in team {team}"),
    };
    let (what, hint) = match by.in_job {
        Some(job) => (
            format!("a process of job {job} may not do this {place}"),
            "a job may look at, report for and submit below itself; do this from outside",
        ),
        None => (
            format!("{} has no right to do this {place}", by.user),
            "`[[user]]` in the configuration grants rights",
        ),
    };
    Err(Refusal::new(RefusalCode::Forbidden, what, hint))
}

/// The job is the one the caller runs in, or a descendant of it.
fn own_tree(world: &World, by: &Actor, job: &Job) -> bool {
    let Some(inside) = by.in_job else { return false };
    let mut next: Option<(JobId, Option<JobId>)> = Some((job.id, job.spec.parent));
    while let Some((id, parent)) = next {
        if id == inside {
            return true;
        }
        // A parent's number is smaller than its child's, so this walk ends.
        next = parent.filter(|p| *p < id).and_then(|p| {
            let parent: &Arc<Job> = world.job(p)?;
            Some((parent.id, parent.spec.parent))
        });
    }
    false
}
