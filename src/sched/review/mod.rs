//! Human review in the core: a job asks, people decide, a right is used once.
//!
//! [`decide`] takes every command about reviews. [`ask`] opens one, [`who`] says who may decide
//! it ([`check`] says so beforehand), [`vote`] counts, [`talk`] is everything said around it,
//! [`close`] decides and tells the job, [`grants`] watches over the right that a yes gives,
//! [`step`] has it used while the job is away,
//! [`park`] is what becomes of the job meanwhile, [`timers`] is what time does, [`returns`] when
//! an answer is expected, [`compare`] what differs from earlier yeses, [`telling`] who is still to
//! be told. The rules in plain numbers are in `sched/policy/review`; [`desk`] is where the world
//! keeps it all.

pub mod ask;
pub mod check;
pub mod close;
pub mod compare;
pub mod desk;
pub mod grants;
pub mod park;
pub mod returns;
pub(in crate::sched) mod step;
pub mod talk;
pub mod telling;
pub mod timers;
pub mod vote;
pub mod who;

use std::sync::Arc;

use crate::base::{JobId, Name, ReviewId};
use crate::model::Fact;
use crate::model::fact::ReviewFact;
use crate::model::refusal::{Refusal, RefusalCode};
use crate::model::review::{Review, ReviewAct, ReviewCommand, ReviewVerb};
use crate::sched::decide::{act, rights};
use crate::sched::plan::Plan;

/// Takes a command about reviews. The plan then says which review it was about.
///
/// # Errors
/// A refusal; the plan must then be dropped.
pub(in crate::sched) fn decide(plan: &mut Plan, command: &ReviewCommand) -> Result<(), Refusal> {
    match command {
        ReviewCommand::Ask { job, ask, by } => ask::decide(plan, *job, ask, by),
        ReviewCommand::Act(act) => decide_act(plan, act),
        ReviewCommand::Away { from, to, until, by } => {
            talk::hand_all_on(plan, from, to.as_ref(), *until, by)
        }
        ReviewCommand::Told { review, delivery } => {
            let review = known(plan, *review)?;
            telling::may_tell(plan, &review, delivery)?;
            let fact = ReviewFact::Told { delivery: delivery.clone() };
            note(plan, &review, fact);
            Ok(())
        }
    }
}

fn decide_act(plan: &mut Plan, act: &ReviewAct) -> Result<(), Refusal> {
    plan.answer(act.review);
    if act::earlier(plan, act.key.as_ref())?.is_some() {
        return Ok(());
    }
    let review = known(plan, act.review)?;
    let by = &act.by;
    match &act.verb {
        ReviewVerb::Vote { .. } => vote::decide(plan, &review, &act.verb, by)?,
        ReviewVerb::Edit { action, hash } => {
            vote::edit(plan, &review, action, hash.as_deref(), by)?;
        }
        ReviewVerb::Withdraw { reason, abandoned } => {
            close::withdraw(plan, &review, reason.as_deref(), *abandoned, by)?;
        }
        ReviewVerb::Revoke { reason } => close::revoke(plan, &review, reason.as_deref(), by)?,
        ReviewVerb::Redeem { hash, action, conditions } => {
            grants::redeem(plan, &review, *hash, action.as_deref(), conditions, by)?;
        }
        verb => talk::decide(plan, &review, verb, by)?,
    }
    if let Some(key) = &act.key {
        let (key, body) = (key.key.clone(), key.body.clone());
        plan.note(Fact::KeyUsed { key, first: JobId(0), count: 0, body });
    }
    Ok(())
}

fn known(plan: &Plan, id: ReviewId) -> Result<Arc<Review>, Refusal> {
    plan.world().desk().get(id).cloned().ok_or_else(|| {
        let hint = "`holdshort reviews --all` lists them";
        Refusal::new(RefusalCode::NotFound, format!("there is no review {id}"), hint)
    })
}

/// Makes something so of a review.
fn note(plan: &mut Plan, review: &Review, fact: ReviewFact) {
    let (review, job) = (review.id, review.job);
    plan.note(Fact::Review { review, job, fact: Box::new(fact) });
}

/// It must still be open, and its time not over.
///
/// # Errors
/// Where it stands since when, and who brought it there.
fn still_open(plan: &Plan, review: &Review) -> Result<(), Refusal> {
    let (id, since) = (review.id, review.since.wall.rfc3339());
    if review.is_open() {
        let over = review.stopped.is_none() && review.deadline <= plan.at().wall;
        if !over {
            return Ok(());
        }
        let what = format!("{id} expired at {}", review.deadline.rfc3339());
        return Err(Refusal::new(RefusalCode::Conflict, what, "the job is told so"));
    }
    let by = review.decision.as_ref().map(|decision| names(&decision.by)).unwrap_or_default();
    let by = if by.is_empty() { by } else { format!(" by {by}") };
    let state = review.state.word();
    let what = format!("{id} is not open: it is {state}{by} since {since}");
    Err(Refusal::new(RefusalCode::Conflict, what, format!("`holdshort show {id}` says more")))
}

fn names(names: &[Name]) -> String {
    names.iter().map(|name| &**name).collect::<Vec<_>>().join(", ")
}

fn usage(what: impl Into<String>, hint: impl Into<String>) -> Refusal {
    Refusal::new(RefusalCode::Usage, what, hint)
}

/// May the caller speak for the job that asks: a process in its tree, its owner, an operator?
fn speaks_for(plan: &Plan, job: JobId, by: &crate::model::Actor) -> Result<(), Refusal> {
    let Some(job) = plan.job(job) else {
        return Err(Refusal::new(RefusalCode::NotFound, "its job is not known any more", ""));
    };
    rights::on_job(plan.world(), by, &job, crate::model::access::Right::Ask)
}
