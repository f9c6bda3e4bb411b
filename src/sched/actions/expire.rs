//! What time alone changes: start times, pauses before retries, holds with an end, time limits.

use crate::base::{JobId, Wall};
use crate::model::Fact;
use crate::model::job::{Cause, State, StopFor};
use crate::sched::decide::{holds, life};
use crate::sched::plan::Plan;

/// The name shown as the author of what time does.
const BY: &str = "holdshort";

/// Does what is due.
pub fn run(plan: &mut Plan) {
    lift_holds(plan);
    cancel_due(plan);
    lift_limits(plan);
    let due = (plan.at().wall, JobId(u64::MAX));
    let jobs: Vec<JobId> =
        plan.world().index().calendar.range(..=due).map(|(_, job)| *job).collect();
    for job in jobs {
        calendar(plan, job);
    }
    let due = (plan.active(), JobId(u64::MAX));
    let jobs: Vec<JobId> = plan.world().index().limits.range(..=due).map(|(_, job)| *job).collect();
    for job in jobs {
        life::stop(plan, job, StopFor::Timeout, BY, None);
    }
}

/// Cancellations nobody has taken back in time.
fn cancel_due(plan: &mut Plan) {
    let due = (plan.at().now, JobId(u64::MAX));
    let jobs: Vec<JobId> =
        plan.world().index().cancels.range(..=due).map(|(_, job)| *job).collect();
    for id in jobs {
        let Some(job) = plan.job(id) else { continue };
        if let Some(cancel) = job.cancel.clone() {
            life::cancel(plan, &job, &cancel.by, cancel.reason);
        }
    }
}

fn calendar(plan: &mut Plan, id: JobId) {
    let wall = plan.at().wall;
    let passed = |until: Option<Wall>| until.is_some_and(|until| until <= wall);
    let Some(job) = plan.job(id) else { return };
    if job.hold.as_ref().is_some_and(|hold| passed(hold.until)) {
        life::release(plan, id, BY);
    }
    match job.state {
        State::Waiting(Cause::StartAt) if passed(job.spec.start_at) => {
            plan.note(Fact::JobQueued { job: id });
        }
        State::Waiting(Cause::Backoff(until)) if passed(Some(until)) => {
            plan.note(Fact::JobQueued { job: id });
        }
        _ => {}
    }
}

fn lift_limits(plan: &mut Plan) {
    let wall = plan.at().wall;
    let over = plan.world().limited.iter().filter(|(_, limited)| limited.until <= wall);
    let over: Vec<_> = over.map(|(resource, _)| resource.clone()).collect();
    for resource in over {
        plan.note(Fact::LimitLifted { resource, by: BY.into() });
    }
}

fn lift_holds(plan: &mut Plan) {
    let wall = plan.at().wall;
    let over = |hold: &crate::model::job::Hold| hold.until.is_some_and(|until| until <= wall);
    if plan.world().paused().is_some_and(over) {
        holds::resume_all(plan, None, &BY.into());
    }
    let teams = plan.world().teams().filter(|team| team.paused.as_ref().is_some_and(over));
    let lifted: Vec<_> = teams.map(|team| team.name.clone()).collect();
    for team in lifted {
        holds::resume_all(plan, Some(&team), &BY.into());
    }
}
