//! S19: people denied something, and the job tries to reach the same in another way.

use std::sync::Arc;

use crate::base::At;
use crate::model::job::Job;
use crate::model::reason::{Numbers, Value};
use crate::model::review::{Review, ReviewState};
use crate::sched::health::{Signals, Verdict, counted};
use crate::sched::world::World;

/// One, two and three times.
const STEPS: [usize; 3] = [1, 2, 3];

/// Counts what was asked about the same target, by whatever tool, after the last no to it. A yes to
/// such a thing takes that no back.
pub(super) fn check(world: &World, job: &Job, _signals: &Signals, _at: At) -> Verdict {
    let all: Vec<&Arc<Review>> = world.desk().of_job(job.id).collect();
    let denied = all.iter().filter(|review| review.state == ReviewState::Denied);
    let worst = denied.map(|no| (attempts(&all, no), no)).max_by_key(|(n, no)| (n.len(), no.id));
    let Some((attempts, no)) = worst else {
        return Verdict { level: None, evidence: Numbers::new(), next: None };
    };
    let level = counted(attempts.len(), STEPS);
    let last = attempts.last().unwrap_or(no);
    let tool = last.action().tool.as_ref().unwrap_or(&last.action().kind);
    let mut evidence: Numbers = [
        ("denied".into(), Value::from(no.id.to_string())),
        ("tried".into(), Value::from(last.id.to_string())),
        ("by".into(), Value::from(&**tool)),
        ("times".into(), Value::from(attempts.len() as u64)),
    ]
    .into();
    if let Some(target) = &last.action().target {
        evidence.insert("target".into(), Value::from(&**target));
    }
    Verdict { level, evidence, next: None }
}

/// What was asked after a no that comes to the same; nothing once somebody said yes to such a
/// thing.
fn attempts<'a>(all: &[&'a Arc<Review>], no: &Review) -> Vec<&'a Arc<Review>> {
    let after = |review: &&&Arc<Review>| {
        review.id > no.id && review.asked.now >= no.since.now && is_alike(review, no)
    };
    let mut attempts: Vec<&Arc<Review>> = Vec::new();
    for review in all.iter().filter(after) {
        let by_people = review.decision.as_ref().is_some_and(|decision| !decision.by.is_empty());
        match review.state {
            ReviewState::Approved | ReviewState::Redeemed | ReviewState::Lapsed if by_people => {
                return Vec::new();
            }
            _ => attempts.push(review),
        }
    }
    attempts
}

/// The same target by whatever tool; without one, the same again.
fn is_alike(review: &Review, no: &Review) -> bool {
    match (&review.action().target, &no.action().target) {
        (Some(target), Some(denied)) => target == denied,
        _ => review.denied_before == Some(no.id) || review.hash == no.hash,
    }
}
