//! A step used a right, and nobody knows how what it did ended: a person must look.

use crate::base::At;
use crate::model::finding::Level;
use crate::model::job::Job;
use crate::model::reason::{Numbers, Value};
use crate::model::review::StepState;
use crate::sched::health::{Signals, Verdict};
use crate::sched::world::World;

/// Suspect from then on: what may have been done is never done again by itself.
pub(super) fn check(world: &World, job: &Job, _signals: &Signals, _at: At) -> Verdict {
    let steps = world.desk().of_job(job.id).filter_map(|r| Some((r.id, r.step.as_deref()?)));
    let lost = steps.rev().find(|(_, step)| step.state == StepState::Lost);
    let Some((review, step)) = lost else {
        return Verdict { level: None, evidence: Numbers::new(), next: None };
    };
    let evidence = [
        ("review".into(), Value::from(review.to_string())),
        ("step".into(), Value::from(step.job.0)),
    ];
    Verdict { level: Some(Level::Suspect), evidence: evidence.into(), next: None }
}
