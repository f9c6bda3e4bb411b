//! A review is decided, and its job told.

use crate::base::JobId;
use crate::model::action::EffectClass;
use crate::model::fact::{Class, ReviewFact};
use crate::model::job::{Hold, Job, State, state};
use crate::model::refusal::Refusal;
use crate::model::review::{
    AFTER_OUTAGE, Decision, Fallback, Grant, Review, ReviewState, TEXT_MAX, Wait,
};
use crate::model::{Actor, Fact};
use crate::sched::decide::life;
use crate::sched::plan::Plan;
use crate::sched::review::{grants, note, park, speaks_for, still_open, usage, vote, who};

/// Decides a review: a fact, and what it means for the job.
pub(super) fn decide(plan: &mut Plan, review: &Review, decision: Decision, grant: Option<Grant>) {
    let was_open = review.is_open();
    let held = review.holds();
    let grant = grant.map(|grant| grants::started(plan, review, grant)).map(Box::new);
    let decision = Box::new(decision);
    let after = decision.clone();
    note(plan, review, ReviewFact::Decided { decision, grant });
    if was_open {
        tell(plan, review, &after, held);
    }
}

/// What an answer means for the job.
fn tell(plan: &mut Plan, review: &Review, decision: &Decision, held: bool) {
    let Some(job) = plan.job(review.job).filter(|job| job.is_live()) else { return };
    if decision.stop {
        return park::stop(
            plan,
            &job,
            &crate::sched::review::names(&decision.by),
            decision.reason.clone(),
        );
    }
    if decision.fallback == Some(Fallback::DenyAndCancel) {
        let reason = Some(format!("nobody answered {}", review.id));
        return life::cancel(plan, &job, &state::TIME.into(), reason);
    }
    if held && job.asking.holds().is_none() && is_up(&job) {
        note(plan, review, ReviewFact::JobBooked { class: Class::Productive });
    }
    let unpaid = review.ask.effect == EffectClass::Money
        && decision.state == ReviewState::Expired
        && review.ask.wait != Wait::Go;
    if unpaid && job.hold.is_none() && job.asking.waits {
        let reason = Some(format!("nobody answered {}, and it is about money", review.id));
        let hold = Hold { by: state::REVIEW.into(), since: plan.at(), until: None, reason };
        plan.note(Fact::JobHeld { job: job.id, hold });
    }
    park::comes_back(plan, job.id, review.id);
}

fn is_up(job: &Job) -> bool {
    matches!(job.state, State::Starting | State::Running) && !job.frozen
}

/// The asker takes it back, or says that it was never done.
///
/// # Errors
/// From somebody else, or when it is over.
pub(super) fn withdraw(
    plan: &mut Plan,
    review: &Review,
    reason: Option<&str>,
    abandoned: bool,
    by: &Actor,
) -> Result<(), Refusal> {
    speaks_for(plan, review.job, by)?;
    if review.state != ReviewState::Approved {
        still_open(plan, review)?;
    }
    let state = if abandoned { ReviewState::Abandoned } else { ReviewState::Withdrawn };
    let reason = checked(reason)?;
    let decision = Decision { by: vec![by.shown()], reason, ..Decision::of(state) };
    decide(plan, review, decision, None);
    Ok(())
}

/// Somebody takes a yes back that was not used yet; while it is open, their own vote.
///
/// # Errors
/// From somebody who could not have given it, or when it was used.
pub(super) fn revoke(
    plan: &mut Plan,
    review: &Review,
    reason: Option<&str>,
    by: &Actor,
) -> Result<(), Refusal> {
    who::seat(plan.world(), review, by, plan.at().wall)?;
    match review.state {
        ReviewState::Approved => {}
        ReviewState::Open => return vote::take_back(plan, review, by),
        ReviewState::Redeemed => return Err(grants::spent(review)),
        _ => still_open(plan, review)?,
    }
    let reason = checked(reason)?;
    let (by, state) = (vec![by.user.clone()], ReviewState::Revoked);
    let decision = Decision { by, reason, ..Decision::of(state) };
    decide(plan, review, decision, review.grant.as_deref().cloned());
    Ok(())
}

fn checked(reason: Option<&str>) -> Result<Option<String>, Refusal> {
    match reason.filter(|reason| reason.len() > TEXT_MAX) {
        Some(_) => Err(usage("the reason is too long", format!("at most {TEXT_MAX} bytes"))),
        None => Ok(reason.map(ToOwned::to_owned)),
    }
}

/// Nobody decided in time: what the rule says then. The record says so and names nobody.
pub(super) fn expire(plan: &mut Plan, review: &Review) {
    let fallback = review.rule.fallback.clone();
    let go = review.ask.wait == Wait::Go;
    let approved = fallback == Fallback::Approve && review.ask.effect.may_pass_in_silence();
    let reason = match &fallback {
        _ if go => "nobody looked at it in time; it stands as it is".to_owned(),
        Fallback::RunAlternative(name) => format!("nobody decided in time; do {name} instead"),
        Fallback::Approve if approved => {
            "nobody decided in time, and the rule allows it".to_owned()
        }
        _ => "nobody decided in time".to_owned(),
    };
    let decision = Decision {
        reason: Some(reason),
        fallback: (!go).then_some(fallback),
        ..Decision::of(ReviewState::Expired)
    };
    let grant = match &review.grant {
        Some(grant) if go => Some((**grant).clone()),
        _ => approved.then(|| super::ask::grant(&review.rule, plan.at().wall, None)),
    };
    decide(plan, review, decision, grant);
}

/// A job ended: nobody waits for its reviews, and nobody can use its rights.
pub(in crate::sched) fn job_ended(plan: &mut Plan, job: JobId) {
    let ids: Vec<_> = plan
        .world()
        .desk()
        .of_job(job)
        .filter(|review| matches!(review.state, ReviewState::Open | ReviewState::Approved))
        .cloned()
        .collect();
    for review in ids {
        let state = match review.state {
            ReviewState::Open => ReviewState::Withdrawn,
            _ => ReviewState::Lapsed,
        };
        let reason = Some("its job ended".to_owned());
        let decision = Box::new(Decision { reason, ..Decision::of(state) });
        let grant = review.grant.clone();
        note(plan, &review, ReviewFact::Decided { decision, grant });
    }
}

/// Nobody could answer for a while: every open review gets at least ten more minutes, and every
/// right that was running too.
pub(in crate::sched) fn outage(plan: &mut Plan) {
    let least = plan.at().wall + AFTER_OUTAGE;
    let short: Vec<_> = plan.world().desk().open_before(least).cloned().collect();
    for review in short.iter().filter(|review| review.stopped.is_none()) {
        note(plan, review, ReviewFact::Extended { deadline: least, by: None });
    }
    let due: Vec<_> = plan.world().desk().due(least).collect();
    for id in due {
        let Some(review) = plan.world().desk().get(id).cloned() else { continue };
        let running = review.grant.as_ref().filter(|_| review.state == ReviewState::Approved);
        if running.and_then(|grant| grant.until).is_some_and(|until| until < least) {
            note(plan, &review, ReviewFact::GrantRuns { until: Some(least) });
        }
    }
}
