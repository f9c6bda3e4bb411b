//! Why a job waits for people, and for how long it probably will.

use crate::base::At;
use crate::model::estimate::Confidence;
use crate::model::job::{Job, State};
use crate::model::reason::{Code, Reason};
use crate::sched::review::returns;
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

/// When it probably has its answer and why that is thought, or that nothing is known of it.
pub(super) fn back(world: &World, job: &Job, at: At) -> Option<Reason> {
    let back = returns::of(world, job, at)?;
    let reason = Reason::bare(Code::AnswerExpected)
        .with("review", back.review.to_string())
        .with("basis", back.basis.word())
        .with("answers", back.answers as u64)
        .with("latest_at", back.latest.0);
    // What is kept for it from when it is back on.
    let kept = job.reserved.as_deref().filter(|_| job.state == State::InReview);
    let reason = kept.into_iter().fold(reason, |reason, kept| {
        let nodes: Vec<&str> = kept.room.keys().map(|node| &**node).collect();
        let from = at.wall + kept.at.since(at.now);
        reason.with("node", nodes.join(", ")).with("kept_at", from.0)
    });
    Some(match back.confidence {
        Confidence::None => reason,
        Confidence::Low | Confidence::High => {
            reason.with("from_at", back.median.0).with("to_at", back.p90.0)
        }
    })
}
