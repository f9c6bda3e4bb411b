//! When a job that waits for people will probably have its answer, and so be back.

use std::collections::BTreeSet;
use std::ops::Bound::{Excluded, Included};
use std::sync::Arc;

use crate::base::{At, JobId, ReviewId, Span, Wall};
use crate::model::estimate::{Confidence, Forecast};
use crate::model::job::{Job, State};
use crate::model::review::{Fallback, OPEN_FOR_MAX, Review};
use crate::sched::policy::history::{Estimate, corrected};
use crate::sched::policy::returns::{Basis, NEAR, Waits, expected_next, hour_of_week};
use crate::sched::review::desk::group;
use crate::sched::world::World;

/// When a job is expected to have its answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Return {
    /// The review that is answered last.
    pub review: ReviewId,
    /// As likely earlier as later.
    pub median: Wall,
    /// Nine of ten are there by then.
    pub p90: Wall,
    /// Time alone ends the wait then.
    pub latest: Wall,
    /// Which answers it goes by.
    pub basis: Basis,
    /// Real answers behind it.
    pub answers: usize,
    /// How much it is worth.
    pub confidence: Confidence,
}

/// How long a review probably stays open in all, from what its people took before when they were
/// asked at such an hour; half of its time where nothing is known.
pub fn expected(world: &World, review: &Review) -> (Estimate, Basis) {
    let prior = Span(review.rule.within.0 / 2);
    let hour = hour_of_week(review.asked.wall);
    match world.desk().waits(&group(review)) {
        Some(waits) => waits.estimate(hour, prior),
        None => Waits::default().estimate(hour, prior),
    }
}

/// When time alone ends the wait: silence has an answer at the deadline, unless it asks again.
fn latest(review: &Review, wall: Wall) -> Wall {
    match review.rule.fallback {
        Fallback::KeepWaiting => review.asked.wall + OPEN_FOR_MAX,
        _ => wall + review.left(wall),
    }
}

fn of_review(world: &World, review: &Review, wall: Wall) -> Return {
    let (estimate, basis) = expected(world, review);
    let waited = wall.since(review.asked.wall);
    let latest = latest(review, wall).max(wall);
    let most = latest.since(review.asked.wall);
    let then = |span: Span| wall + (corrected(span, waited, Some(most)) - waited);
    let (median, p90) = (then(estimate.median), then(estimate.p90.max(estimate.median)));
    let (answers, confidence) = (estimate.complete, estimate.confidence);
    Return { review: review.id, median, p90, latest, basis, answers, confidence }
}

/// When the last answer that a job waits for will probably be there; `None` for one that waits for
/// nobody. Where nothing is known of its people it is a prior that nobody trusts.
pub fn of(world: &World, job: &Job, at: At) -> Option<Return> {
    let open = job.asking.open.iter().filter_map(|open| world.desk().get(open.review));
    let blocking = open.filter(|review| review.blocks());
    let each = blocking.map(|review: &Arc<Review>| of_review(world, review, at.wall));
    each.reduce(|one, other| {
        let last = if other.p90 > one.p90 { other } else { one };
        Return {
            median: one.median.max(other.median),
            latest: one.latest.max(other.latest),
            confidence: one.confidence.min(other.confidence),
            ..last
        }
    })
}

/// The same for a job that holds nothing, or nearly nothing, until then, as a forecast; `None`
/// also where nothing is known.
pub fn answer(world: &World, job: &Job, at: At) -> Option<Forecast> {
    let known = |back: &Return| back.confidence > Confidence::None;
    let back = of(world, job, at).filter(|back| job.asking.waits && known(back))?;
    Some(Forecast {
        from: back.median,
        to: back.p90.max(back.median),
        hits_percent: None,
        guess: false,
    })
}

/// When a job that holds nothing is expected back next, of whose people enough is known; `None`
/// also once it is later than nine of ten are.
fn next(world: &World, job: &Job, wall: Wall) -> Option<Wall> {
    let holds_nothing = job.state == State::InReview && !job.frozen && job.asking.waits;
    let open = job.asking.open.iter().filter_map(|open| world.desk().get(open.review));
    let each = open.filter(|review| holds_nothing && review.blocks()).map(|review| {
        let (estimate, _) = expected(world, review);
        let next = expected_next(wall.since(review.asked.wall), &estimate)?;
        Some((review.asked.wall + next).min(latest(review, wall)))
    });
    each.reduce(|one, other| Some(one?.max(other?))).flatten()
}

/// Jobs that hold nothing and are expected back within [`NEAR`], the soonest first. Looks at those
/// only that may be, however many wait.
pub fn near(world: &World, at: At) -> Vec<(JobId, Wall)> {
    let mut jobs = BTreeSet::new();
    for asked in world.desk().awaited() {
        // What is expected of one of them is expected of all, where anything is known.
        let Some(one) = asked.get_min().and_then(|(_, id)| world.desk().get(*id)) else { continue };
        let (estimate, _) = expected(world, one);
        for span in [estimate.median, estimate.p90] {
            // Those that have waited for so long, but for a little while.
            let after = Wall(at.wall.0.saturating_sub_unsigned(span.0));
            let from = Excluded((after, ReviewId(u64::MAX)));
            let to = Included((after + NEAR, ReviewId(u64::MAX)));
            let reviews = asked.range((from, to)).filter_map(|(_, id)| world.desk().get(*id));
            jobs.extend(reviews.map(|review| review.job));
        }
    }
    let back = |id: JobId| Some((next(world, world.job(id)?, at.wall)?, id));
    let mut near: Vec<(Wall, JobId)> = jobs.into_iter().filter_map(back).collect();
    near.retain(|(then, _)| *then > at.wall && then.since(at.wall) <= NEAR);
    near.sort_unstable();
    near.into_iter().map(|(then, id)| (id, then)).collect()
}

/// How long a job that holds what it has will still wait before it goes on, as a median and at
/// most; nothing for one that goes on now.
pub fn held(world: &World, job: &Job, at: At) -> Option<(Span, Span, Confidence)> {
    let holds = job.state == State::Running && job.asking.holds().is_some();
    let back = of(world, job, at).filter(|_| holds)?;
    Some((back.median.since(at.wall), back.p90.since(at.wall), back.confidence))
}
