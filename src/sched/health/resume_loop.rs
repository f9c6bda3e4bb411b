//! S18: it comes back with a yes, does not use it, and asks the same again.

use std::collections::BTreeMap;

use crate::base::At;
use crate::model::job::Job;
use crate::model::reason::{Numbers, Value};
use crate::model::review::{Review, ReviewState};
use crate::sched::health::{Signals, Verdict, counted};
use crate::sched::world::World;

/// Two, three and five times.
const STEPS: [usize; 3] = [2, 3, 5];

/// Counts for each action how often it was asked again although a yes to it was not used.
pub(super) fn check(world: &World, job: &Job, _signals: &Signals, _at: At) -> Verdict {
    // For each hash: is the last yes unused, and how often was it asked again after such a one.
    let mut again: BTreeMap<_, (bool, usize, &Review)> = BTreeMap::new();
    for review in world.desk().of_job(job.id) {
        let (unused, times, _) = again.get(&review.hash).copied().unwrap_or((false, 0, review));
        let used = review.grant.as_ref().is_some_and(|grant| grant.used > 0);
        let yes = matches!(review.state, ReviewState::Approved | ReviewState::Lapsed);
        let times = if used { 0 } else { times + usize::from(unused) };
        again.insert(review.hash, (yes && !used, times, review));
    }
    let worst = again.into_values().max_by_key(|(_, times, review)| (*times, review.id));
    let Some((_, times, review)) = worst else {
        return Verdict { level: None, evidence: Numbers::new(), next: None };
    };
    let evidence = [
        ("review".into(), Value::from(review.id.to_string())),
        ("times".into(), Value::from(times as u64)),
    ];
    Verdict { level: counted(times, STEPS), evidence: evidence.into(), next: None }
}
