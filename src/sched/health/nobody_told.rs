//! People were asked, and every message about it was lost.

use std::collections::BTreeSet;

use crate::base::At;
use crate::model::finding::Level;
use crate::model::job::Job;
use crate::model::reason::{Numbers, Value};
use crate::model::review::Review;
use crate::sched::health::{Signals, Verdict};
use crate::sched::world::World;

/// Suspect once all that was to be sent has failed and nobody has it open.
pub(super) fn check(world: &World, job: &Job, _signals: &Signals, _at: At) -> Verdict {
    let open = job.asking.open.iter().filter_map(|open| world.desk().get(open.review));
    let mut unheard = open.filter(|review| review.blocks() && nobody_knows(review));
    let Some(review) = unheard.next() else {
        return Verdict { level: None, evidence: Numbers::new(), next: None };
    };
    let failed: BTreeSet<String> =
        review.told.iter().filter(|told| told.gave_up()).map(|told| told.via.to_string()).collect();
    let why = review.told.iter().rev().find_map(|told| told.failed.clone()).unwrap_or_default();
    let evidence = [
        ("review".into(), Value::from(review.id.to_string())),
        ("tried".into(), Value::from(failed.into_iter().collect::<Vec<_>>().join(", "))),
        ("because".into(), Value::from(why)),
    ];
    Verdict { level: Some(Level::Suspect), evidence: evidence.into(), next: None }
}

fn nobody_knows(review: &Review) -> bool {
    let failed = review.told.iter().any(|told| told.gave_up());
    let hopeless = review.told.iter().all(|told| told.gave_up());
    failed && hopeless && review.opened.is_empty()
}
