//! Why a job waits for people.

use crate::model::job::Job;
use crate::model::reason::{Code, Reason};
use crate::sched::world::World;

/// The review it waits for: of several the one that expires first.
pub(super) fn reason(world: &World, job: &Job) -> Option<Reason> {
    let open = job.asking.open.iter().filter_map(|open| world.desk().get(open.review));
    let review = open.filter(|review| review.blocks()).min_by_key(|review| review.deadline)?;
    let more = job.asking.open.len().saturating_sub(1) as u64;
    let reason = Reason::bare(Code::InReview)
        .with("review", review.id.to_string())
        .with("effect", review.ask.effect.word())
        .with("since_at", review.asked.wall.0)
        .with("until_at", review.deadline.0)
        .with("then", review.rule.fallback.word())
        .with("more", more);
    Some(match review.stopped {
        Some(since) => reason.with("asked_back_at", since.0),
        None => reason,
    })
}
