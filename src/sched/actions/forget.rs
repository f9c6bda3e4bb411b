//! Lets the oldest ended jobs leave the world; the store keeps their summaries.

use crate::base::JobId;
use crate::model::Fact;
use crate::model::page::Lane;
use crate::sched::plan::Plan;

/// Forgets ended jobs beyond the bound, a few more at a time so that it does not happen at
/// every end. One that a live job still refers to stays.
pub fn run(plan: &mut Plan) {
    let keep = plan.world().setup().defaults.keep_ended;
    let ended = usize::try_from(plan.world().index().counts().ended).unwrap_or(usize::MAX);
    let slack = keep / 8;
    if ended <= keep + slack {
        return;
    }
    let old: Vec<JobId> =
        plan.world().index().lane(Lane::Ended, None).skip(keep).map(|(_, id)| id).collect();
    for job in old {
        if !plan.world().index().dependents.contains_key(&job) {
            plan.note(Fact::JobForgotten { job });
        }
    }
}
