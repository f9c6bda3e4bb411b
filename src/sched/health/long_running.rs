//! No time limit, and running for longer than anybody should find normal.

use crate::base::At;
use crate::model::finding::Level;
use crate::model::job::Job;
use crate::model::reason::{Numbers, Value};
use crate::sched::health::{Signals, Verdict};
use crate::sched::world::World;

/// A notice after `defaults.long_running`.
pub(super) fn check(world: &World, job: &Job, _signals: &Signals, at: At) -> Verdict {
    let quiet = Verdict { level: None, evidence: Numbers::new(), next: None };
    let (None, Some(since)) = (job.spec.time_limit, job.ran_since) else { return quiet };
    let due = world.from_active(since + (world.setup().defaults.long_running - job.ran));
    let ran = job.run_time(world.active(at.now));
    let evidence = [("ran_ms".into(), Value::from(ran.0))].into();
    match due <= at.now {
        true => Verdict { level: Some(Level::Notice), evidence, next: None },
        false => Verdict { next: Some(due), ..quiet },
    }
}
