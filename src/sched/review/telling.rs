//! Who is still to be told of a review, worked out from what is so: after a crash the same comes
//! out, less what was recorded as told. Nothing is sent here; the engine does that after the
//! commit, and each message is recorded before it goes.

use std::sync::Arc;

use crate::base::{Name, Span, Wall};
use crate::model::refusal::{Refusal, RefusalCode};
use crate::model::review::{Delivery, Moment, Review, ReviewState, Target};
use crate::sched::plan::Plan;
use crate::sched::policy::review::wake;
use crate::sched::review::who;
use crate::sched::world::World;

/// People are told that time runs out a tenth of it before, and no earlier than this.
const LEAD_MAX: Span = Span::mins(10);
/// That something is over is no news any more after this.
const NEWS_FOR: Span = Span::hours(1);

/// A message that was not sent yet.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Message {
    /// About which review.
    pub review: Arc<Review>,
    /// At which moment of it.
    pub moment: Moment,
    /// To which target.
    pub via: Name,
    /// Whom that reaches.
    pub to: Name,
    /// Who may decide now.
    pub asked: Vec<Name>,
}

/// What is still to be told of a review: to each target the last that it wants to hear, unless it
/// heard that or something later.
pub fn missing(world: &World, review: &Arc<Review>, wall: Wall) -> Vec<Message> {
    let targets = &world.setup().notify;
    if targets.is_empty() {
        return Vec::new();
    }
    let reached: Vec<Moment> =
        Moment::ALL.into_iter().filter(|m| is_now(review, *m, wall)).collect();
    let asked = who::listed(world, review, false);
    let asked = if asked.is_empty() { vec![review.owner.clone()] } else { asked };
    let of_target = |target: &Target| {
        let heard = |from: Moment| {
            // What failed for now is tried on; what was cut off by a crash was recorded as lost.
            let of = |told: &&Delivery| told.moment >= from && told.via == target.name;
            review.told.iter().filter(of).any(|told| !(told.open && told.failed.is_some()))
        };
        let moment = reached.iter().rev().copied().find(|moment| target.wants(*moment))?;
        let to = reaches(target, &asked)?;
        let message = Message {
            review: Arc::clone(review),
            moment,
            via: target.name.clone(),
            to,
            asked: asked.clone(),
        };
        (target.is_for(review) && !heard(moment)).then_some(message)
    };
    targets.iter().filter_map(of_target).collect()
}

/// The names by which a target is known to whoever looks at the card; `None` if none of its people
/// is asked.
fn reaches(target: &Target, asked: &[Name]) -> Option<Name> {
    if target.people.is_empty() {
        return Some(target.name.clone());
    }
    let of_them = target.people.iter().filter(|name| asked.contains(name));
    let names: Vec<&str> = of_them.map(|name| &**name).collect();
    (!names.is_empty()).then(|| names.join(", ").into())
}

/// The moment is there, or was and nothing later took its place.
fn is_now(review: &Review, moment: Moment, wall: Wall) -> bool {
    let fresh = wall.since(review.since.wall) < NEWS_FOR;
    // A read that a rule lets through asks nobody.
    let by_people = review.decision.as_ref().is_some_and(|decision| !decision.by.is_empty());
    match moment {
        Moment::Asked => review.is_open(),
        Moment::Reminded => review.is_open() && review.level >= 1,
        Moment::Escalated => review.is_open() && review.level >= 2,
        Moment::Expiring => review.is_open() && expiring_at(review).is_some_and(|at| at <= wall),
        Moment::Expired => review.state == ReviewState::Expired && fresh,
        Moment::Decided => {
            let over = matches!(
                review.state,
                ReviewState::Approved
                    | ReviewState::Denied
                    | ReviewState::Redeemed
                    | ReviewState::Withdrawn
                    | ReviewState::Revoked
            );
            let known = by_people || !review.told.is_empty();
            over && known && fresh
        }
    }
}

/// When people are told that its time is nearly over: not in quiet hours, and not while its clock
/// stands.
pub fn expiring_at(review: &Review) -> Option<Wall> {
    let window = review.deadline.since(review.asked.wall);
    let lead = window.percent(10).min(LEAD_MAX);
    let at = wake(review.rule.quiet.as_ref(), review.deadline - lead);
    (review.is_open() && review.stopped.is_none() && at < review.deadline).then_some(at)
}

/// Reviews whose time is nearly over at `wall`.
pub fn expiring(world: &World, wall: Wall) -> impl Iterator<Item = &Arc<Review>> {
    let near = world.desk().open_before(wall + LEAD_MAX);
    near.filter(move |review| expiring_at(review).is_some_and(|at| at <= wall))
}

/// When the next review will be so.
pub fn next_expiring(world: &World, wall: Wall) -> Option<Wall> {
    if world.setup().notify.is_empty() {
        return None;
    }
    let mut soonest: Option<Wall> = None;
    // Those that expire first come first, and none is told of earlier than so long before.
    for review in world.desk().open() {
        if soonest.is_some_and(|soonest| review.deadline - LEAD_MAX > soonest) {
            break;
        }
        let at = expiring_at(review).filter(|at| *at > wall);
        soonest = match (soonest, at) {
            (Some(one), Some(other)) => Some(one.min(other)),
            (one, other) => one.or(other),
        };
    }
    soonest
}

/// Checks that a message may be recorded: what is begun must not have been begun before, and it
/// must still be so, also for another try. What came of it in the end always may.
///
/// # Errors
/// Why it must not be sent.
pub(super) fn may_tell(plan: &Plan, review: &Review, delivery: &Delivery) -> Result<(), Refusal> {
    if !delivery.open {
        return Ok(());
    }
    let (moment, via) = (delivery.moment, &*delivery.via);
    let no = |what: &str| {
        let what = format!("{} ({}) {what}", review.id, moment.word());
        Err(Refusal::new(RefusalCode::Conflict, what, ""))
    };
    let known = review.told.iter().find(|told| told.is_of(moment, via));
    let begun = known.is_some_and(|known| !(known.open && known.failed.is_some()));
    if delivery.is_in_flight() && begun {
        return no("was told there before");
    }
    match is_now(review, moment, plan.at().wall) {
        true => Ok(()),
        false => no("is no news any more"),
    }
}
