//! What time does to reviews: reminds, asks the next people, lets noes count that could be taken
//! back, sees who looks no more, lets reviews expire and rights lapse.

use crate::base::Wall;
use crate::model::fact::ReviewFact;
use crate::model::review::{Fallback, OPEN_FOR_MAX, Review, Wait};
use crate::sched::plan::Plan;
use crate::sched::policy::review::Due;
use crate::sched::review::desk::{Timer, leaves_first, timer};
use crate::sched::review::{close, grants, note, vote, who};

/// Does what is due.
pub(in crate::sched) fn run(plan: &mut Plan) {
    let wall = plan.at().wall;
    // Each step moves the review's next one on, so this ends.
    loop {
        let next = plan.world().desk().due(wall).next();
        let Some(id) = next else { break };
        let Some(review) = plan.world().desk().get(id).cloned() else { break };
        let Some((_, due)) = timer(&review).filter(|(at, _)| *at <= wall) else { break };
        match due {
            Timer::Lapse => grants::lapse(plan, &review),
            Timer::Count => vote::begin_to_count(plan, &review),
            Timer::Leave => leave(plan, &review),
            Timer::Open(Due::Remind) => escalate(plan, &review, 1),
            Timer::Open(Due::Escalate) => escalate(plan, &review, 2),
            // Whoever said no in time is not late because it could be taken back.
            Timer::Open(Due::Expire) if review.held_no().is_some() => {
                vote::begin_to_count(plan, &review);
            }
            Timer::Open(Due::Expire) => expire(plan, &review),
        }
    }
}

/// A console that crashed says no more that somebody looks.
fn leave(plan: &mut Plan, review: &Review) {
    if let Some((_, name)) = leaves_first(review) {
        note(plan, review, ReviewFact::Left { by: name.clone() });
    }
}

fn escalate(plan: &mut Plan, review: &Review, level: u8) {
    let to = who::listed(plan.world(), review, level >= 2);
    note(plan, review, ReviewFact::Escalated { level, by: None, to });
}

/// Its time is over. One that shall keep waiting gets its time again, but not for ever.
fn expire(plan: &mut Plan, review: &Review) {
    let last: Wall = review.asked.wall + OPEN_FOR_MAX;
    let waits_on = review.rule.fallback == Fallback::KeepWaiting && review.ask.wait != Wait::Go;
    if waits_on && review.deadline < last && review.stopped.is_none() {
        let more = review.rule.within.max(crate::base::Span::mins(1));
        let deadline = (review.deadline + more).max(plan.at().wall + more).min(last);
        if deadline > plan.at().wall {
            note(plan, review, ReviewFact::Extended { deadline, by: None });
            return;
        }
    }
    close::expire(plan, review);
}
