//! S20: close to its time limit.

use crate::base::At;
use crate::model::finding::Level;
use crate::model::job::Job;
use crate::model::reason::{Numbers, Value};
use crate::sched::health::{Signals, Verdict, graded};
use crate::sched::world::World;

/// 80 %, 95 % and all of the limit.
pub(super) fn check(world: &World, job: &Job, _signals: &Signals, at: At) -> Verdict {
    let quiet = Verdict { level: None, evidence: Numbers::new(), next: None };
    let (Some(limit), Some(since)) = (job.spec.time_limit, job.ran_since) else { return quiet };
    let due = |percent| world.from_active(since + (limit.percent(percent) - job.ran));
    let steps = [(due(80), Level::Notice), (due(95), Level::Suspect), (due(100), Level::Stuck)];
    let (level, next) = graded(at.now, steps);
    let ran = job.run_time(world.active(at.now));
    let evidence =
        [("ran_ms".into(), Value::from(ran.0)), ("limit_ms".into(), Value::from(limit.0))].into();
    Verdict { level, evidence, next }
}
