//! A person holds something back: a job, a team, everything; and lets it go again.
//!
//! What runs is parked if something says how it continues, and frozen otherwise (INTERFACE.md,
//! `pause`). A job that a team's hold stopped carries that very hold, so that lifting it lets
//! exactly those jobs go on and leaves alone what somebody had held by itself.

use crate::base::{JobId, Name};
use crate::model::Fact;
use crate::model::fact::Class;
use crate::model::job::{Hold, Job, State, StopFor};
use crate::model::page::Lane;
use crate::model::refusal::Refusal;
use crate::model::team::is_within;
use crate::sched::decide::{act, life};
use crate::sched::plan::Plan;

/// Holds back one job.
///
/// # Errors
/// When it is being ended for good.
pub(super) fn pause_job(plan: &mut Plan, job: &Job, hold: Hold) -> Result<(), Refusal> {
    let by = hold.by.clone();
    let reason = hold.reason.clone();
    if !comes_back(job) {
        return Err(act::is_stopping(job));
    }
    plan.note(Fact::JobHeld { job: job.id, hold });
    if job.stop.is_some() || job.state == State::Paused {
        return Ok(());
    }
    if job.active_tasks().next().is_none() || job.frozen {
        plan.note(Fact::JobPaused { job: job.id });
    } else if job.continues() {
        life::stop(plan, job.id, StopFor::Pause, &by, reason);
    } else {
        plan.note(Fact::JobFrozen { job: job.id, class: Class::Held });
        plan.note(Fact::JobPaused { job: job.id });
    }
    Ok(())
}

/// It is not being ended for good.
fn comes_back(job: &Job) -> bool {
    let comes_back = |why| match why {
        StopFor::Pause | StopFor::Park | StopFor::Requeue | StopFor::Preempt => true,
        StopFor::Gang | StopFor::Spot | StopFor::Unhealthy => true,
        StopFor::Cancel | StopFor::Deny | StopFor::Timeout | StopFor::Failure => false,
    };
    job.stop.is_none_or(comes_back)
}

/// Holds back a team, or everything: nothing new starts, and what runs is paused.
pub(super) fn pause_all(plan: &mut Plan, team: Option<&Name>, hold: &Hold) {
    let before = held(plan, team);
    plan.note(Fact::TeamPaused { team: team.cloned(), hold: hold.clone() });
    for id in members(plan, team, before.as_ref()) {
        let Some(job) = plan.job(id).filter(|job| comes_back(job)) else { continue };
        if job.hold.is_some() {
            // Stopped by the earlier hold: it goes on when the new one is lifted.
            plan.note(Fact::JobHeld { job: id, hold: hold.clone() });
        } else if pause_job(plan, &job, hold.clone()).is_err() {
            // It is being ended for good, which `comes_back` has ruled out.
            continue;
        }
    }
}

/// Lifts the hold of a team, or of everything, from it and from the jobs it stopped.
pub(in crate::sched) fn resume_all(plan: &mut Plan, team: Option<&Name>, by: &Name) {
    let Some(hold) = held(plan, team) else { return };
    plan.note(Fact::TeamResumed { team: team.cloned(), by: by.clone() });
    for id in members(plan, team, Some(&hold)) {
        if plan.job(id).is_some_and(|job| job.hold.as_ref() == Some(&hold)) {
            life::release(plan, id, by);
        }
    }
}

fn held(plan: &Plan, team: Option<&Name>) -> Option<Hold> {
    match team {
        None => plan.world().paused().cloned(),
        Some(name) => plan.world().teams.get(name).and_then(|team| team.paused.clone()),
    }
}

/// Jobs of a team and those below it, or all, that run or that `hold` had stopped.
fn members(plan: &Plan, team: Option<&Name>, hold: Option<&Hold>) -> Vec<JobId> {
    let world = plan.world();
    let lanes = [Lane::Human, Lane::Running, Lane::Queued].into_iter();
    let ids = lanes.flat_map(|lane| world.index().lane(lane, None));
    let jobs = ids.filter_map(|(_, id)| world.job(id));
    let inside = jobs.filter(|job| team.is_none_or(|team| is_within(&job.spec.team, team)));
    let meant = inside.filter(|job| match &job.hold {
        None => job.active_tasks().next().is_some() && !job.frozen,
        Some(_) => job.hold.as_ref() == hold,
    });
    meant.map(|job| job.id).collect()
}
