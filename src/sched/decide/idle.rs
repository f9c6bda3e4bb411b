//! A job in which nobody has worked for long is put away: parked if it can go on later, frozen if
//! nothing says how it could. Whoever comes back to it lets it go on.

use crate::base::{JobId, duration};
use crate::model::job::state::TIME;
use crate::model::job::{Hold, State};
use crate::sched::decide::holds;
use crate::sched::plan::Plan;

/// Puts a running job away.
pub(super) fn put_away(plan: &mut Plan, id: JobId) {
    let Some(job) = plan.job(id) else { return };
    let Some(timeout) = job.spec.idle_timeout else { return };
    if job.state != State::Running || job.frozen || job.stop.is_some() || job.hold.is_some() {
        return;
    }
    if job.asking.holds().is_some() {
        return;
    }
    let how = match job.continues() {
        true => "parked, for it can go on later",
        false => "frozen, for nothing says how it could go on after a stop",
    };
    let reason = Some(format!("quiet for {}: {how}", duration::exact(timeout)));
    let hold = Hold { by: TIME.into(), since: plan.at(), until: None, reason };
    // It is refused only to what is being ended for good, which was ruled out.
    let _ = holds::pause_job(plan, &job, hold);
}
