//! When a job that waits for people will probably have its answer.

use crate::base::{At, Span};
use crate::model::estimate::{Confidence, Forecast};
use crate::model::job::Job;
use crate::model::review::Review;
use crate::sched::policy::history::{self, Estimate, History};
use crate::sched::review::desk::group;
use crate::sched::world::World;

/// How long a review probably stays open in all, from what its people took before; half of its
/// time where nothing is known.
pub fn expected(world: &World, review: &Review) -> Estimate {
    let prior = Span(review.rule.within.0 / 2);
    match world.desk().waits(&group(review)) {
        Some(history) => history.estimate(prior),
        None => History::default().estimate(prior),
    }
}

/// When the last answer that a job waits for will probably be there; `None` for a job that waits
/// for nobody, or of whose people nothing is known.
pub fn answer(world: &World, job: &Job, at: At) -> Option<Forecast> {
    if !job.asking.waits {
        return None;
    }
    let open = job.asking.open.iter().filter_map(|open| world.desk().get(open.review));
    let blocking: Vec<_> = open.filter(|review| review.blocks()).collect();
    let mut last: Option<Forecast> = None;
    for review in blocking {
        let estimate = expected(world, review);
        if estimate.confidence == Confidence::None {
            return None;
        }
        let waited = at.wall.since(review.asked.wall);
        let left = |span: Span| {
            let in_all = history::corrected(span, waited, Some(review.left(at.wall) + waited));
            at.wall + (in_all - waited)
        };
        let (from, to) = (left(estimate.median), left(estimate.p90.max(estimate.median)));
        let known = last.map_or((from, to), |f| (f.from.max(from), f.to.max(to)));
        last = Some(Forecast { from: known.0, to: known.1, hits_percent: None });
    }
    last
}
