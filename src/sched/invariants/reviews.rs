//! What must hold of reviews.

use crate::model::review::{Review, ReviewState};
use crate::sched::world::World;

pub(super) fn check(world: &World, broken: &mut Vec<String>) {
    let desk = world.desk();
    if desk.rebuilt() != *desk {
        broken.push("what follows from the reviews differs from that built anew".into());
    }
    for review in desk.all() {
        let wrong = faults(world, review);
        broken.extend(wrong.into_iter().map(|what| format!("{} {what}", review.id)));
    }
    for job in world.jobs() {
        for open in &job.asking.open {
            let known = desk.get(open.review).is_some_and(|review| review.is_open());
            if !known || !job.is_live() {
                broken.push(format!("job {}: {} is not open, or it ended", job.id, open.review));
            }
        }
    }
}

fn faults(world: &World, review: &Review) -> Vec<&'static str> {
    let mut broken = Vec::new();
    let mut expect = |holds: bool, what| {
        if !holds {
            broken.push(what);
        }
    };
    let job = world.job(review.job);
    let live = job.is_some_and(|job| job.is_live());
    expect(live || !review.is_open(), "is open and its job is over");
    expect(live || review.state != ReviewState::Approved, "can be used and its job is over");
    let known = job.is_some_and(|job| job.asking.open.iter().any(|o| o.review == review.id));
    expect(known == review.is_open(), "is open or not, and its job says otherwise");
    let once = review.ask.effect.may_repeat();
    let grant = review.grant.as_deref();
    expect(grant.is_none_or(|grant| grant.used <= grant.uses), "was used too often");
    expect(grant.is_none_or(|grant| once || grant.uses == 1), "may be used more than once");
    let used = grant.is_some_and(|grant| grant.used > 0);
    expect(review.state != ReviewState::Redeemed || used, "is redeemed and was never used");
    let by_people = review.decision.as_ref().is_some_and(|decision| !decision.by.is_empty());
    let votes = !review.votes.is_empty();
    let silent = review.state == ReviewState::Expired;
    expect(!silent || !by_people, "expired, and somebody is named for it");
    let safe = review.ask.effect.may_pass_in_silence();
    expect(!silent || grant.is_none() || safe, "was approved by silence");
    let approved = matches!(review.state, ReviewState::Approved | ReviewState::Redeemed);
    expect(!approved || votes || safe, "was approved by nobody");
    let spoke = |name: &crate::base::Name| review.votes.iter().any(|vote| vote.by == *name);
    let meant = |name: &crate::base::Name| {
        let last = review.votes.iter().rev().find(|vote| vote.by == *name);
        last.is_none_or(|vote| vote.back.is_none() && !vote.is_held())
    };
    let decided = matches!(review.state, ReviewState::Approved | ReviewState::Denied);
    let by = review.decision.as_ref().filter(|_| decided).map(|d| &d.by[..]).unwrap_or_default();
    expect(by.iter().all(spoke), "was decided by somebody who said nothing");
    expect(by.iter().all(meant), "was decided by a vote that was taken back or does not count yet");
    let looks = review.leases.keys().all(|name| review.opened.contains_key(name));
    expect(looks && (review.is_open() || review.opened.is_empty()), "is looked at by nobody");
    expect(review.hash == review.action().hash(review.bound()), "has the hash of another action");
    let steps = grant.map_or(0, |grant| grant.spent.iter().filter(|s| s.step.is_some()).count());
    let ran = review.step.as_ref().is_some_and(|step| step.state.used_the_right());
    expect(steps == usize::from(ran), "was used by a step, and its step says otherwise");
    let step = review.step.as_ref().and_then(|step| world.job(step.job));
    expect(step.is_none_or(|job| job.spec.step == Some(review.id)), "has the step of another");
    broken
}
