//! The right that a yes gives: used as often as it says, no later, for exactly the hashed action,
//! by the job that asked.
//!
//! Its clock runs while the job runs and no longer: a job that waits for room loses nothing, and
//! an attempt that never came to anything leaves the right as it was.

use std::collections::{BTreeMap, BTreeSet};

use crate::base::{Digest, JobId, Name};
use crate::model::action::Action;
use crate::model::fact::ReviewFact;
use crate::model::job::{Job, State};
use crate::model::refusal::{Refusal, RefusalCode};
use crate::model::review::{Ask, Decision, Grant, Review, ReviewState, Wait};
use crate::model::{Actor, Fact};
use crate::sched::plan::Plan;
use crate::sched::review::{ask, close, note, speaks_for, step, usage, who};

/// Uses a right once. When what is to be done is not what was approved, or the world is not as it
/// was, a new review takes the place of the old one and nothing may be done; the plan then says
/// which.
///
/// # Errors
/// From somebody else, before it takes effect, when it is used up, over or was never given, and
/// for another hash.
pub(super) fn redeem(
    plan: &mut Plan,
    review: &Review,
    hash: Option<Digest>,
    action: Option<&Action>,
    conditions: &BTreeMap<Name, Option<String>>,
    by: &Actor,
) -> Result<(), Refusal> {
    if let Some(step) = step::caller(review, by) {
        return step::redeem(plan, review, step, hash, action);
    }
    speaks_for(plan, review.job, by)?;
    let Some(job) = plan.job(review.job) else { return Ok(()) };
    in_force(plan, review)?;
    if job.active_tasks().next().is_none() || job.frozen {
        let what = format!("job {} does not run, so it can use no right", job.id);
        return Err(Refusal::new(RefusalCode::Conflict, what, "it may once it is back"));
    }
    if let Some(problem) = action.and_then(Action::problem) {
        return Err(usage(problem, "give the action that will be done"));
    }
    if let Some(other) = action.filter(|action| action.hash(review.bound()) != review.hash) {
        return supersede(plan, review, &job, other.clone(), BTreeMap::new());
    }
    if hash.is_none() && action.is_none() {
        return Err(usage("a right is used for a hash", "give --hash"));
    }
    if hash.is_some_and(|hash| hash != review.hash) {
        let what = format!("what is to be done is not what {} approved", review.id);
        return Err(Refusal::new(RefusalCode::Changed, what, "ask again for what is to be done"));
    }
    if let Some(missing) = review.ask.conditions.keys().find(|name| !conditions.contains_key(*name))
    {
        let what = format!("{} is good only while {missing} is as it was", review.id);
        return Err(usage(what, format!("say what {missing} is now")));
    }
    let told = |name: &Name| conditions.get(name).and_then(Clone::clone);
    let known = review.ask.conditions.iter();
    if let Some((gone, _)) = known.clone().find(|(name, _)| told(name).is_none()) {
        let reason = Some(format!("{gone} is gone"));
        let decision = Decision { reason, ..Decision::of(ReviewState::Abandoned) };
        close::decide(plan, review, decision, review.grant.as_deref().cloned());
        return Ok(());
    }
    if known.clone().any(|(name, was)| told(name).as_ref() != Some(was)) {
        let changed = known.filter_map(|(name, _)| Some((name.clone(), told(name)?))).collect();
        return supersede(plan, review, &job, review.action().clone(), changed);
    }
    if !still_approved(plan, review) {
        let reason = Some("not enough of those who said yes may decide any more".to_owned());
        let decision = Decision { reason, ..Decision::of(ReviewState::Revoked) };
        close::decide(plan, review, decision, review.grant.as_deref().cloned());
        return Ok(());
    }
    step::make_way(plan, review);
    note(plan, review, ReviewFact::Redeemed { attempt: job.attempt });
    Ok(())
}

/// The right can be used now.
///
/// # Errors
/// When it is not to be had: not given, not yet good, spent or over.
pub(super) fn in_force(plan: &Plan, review: &Review) -> Result<(), Refusal> {
    let gone = |what: String, hint: &str| Err(Refusal::new(RefusalCode::Spent, what, hint));
    let id = review.id;
    let silent = review.state == ReviewState::Expired;
    let grant = match (review.state, &review.grant) {
        (ReviewState::Redeemed, _) => return Err(spent(review)),
        (ReviewState::Approved | ReviewState::Open | ReviewState::Expired, Some(grant)) => grant,
        (ReviewState::Open, None) => {
            let what = format!("{id} is not decided yet");
            return Err(Refusal::new(RefusalCode::Conflict, what, "wait for the answer"));
        }
        (state, _) => {
            return gone(format!("{id} gives no right: it is {}", state.word()), "ask again");
        }
    };
    if grant.left() == 0 {
        return Err(spent(review));
    }
    let wall = plan.at().wall;
    if grant.from > wall {
        let what = format!("the yes to {id} takes effect at {}", grant.from.rfc3339());
        return Err(Refusal::new(RefusalCode::Conflict, what, "try again then"));
    }
    if let Some(until) = grant.until.filter(|until| !silent && *until <= wall) {
        return gone(format!("the yes to {id} was good until {}", until.rfc3339()), "ask again");
    }
    Ok(())
}

/// It was used by whom, when.
pub(super) fn spent(review: &Review) -> Refusal {
    let last = review.grant.as_ref().and_then(|grant| grant.spent.last());
    let by = last.map_or_else(String::new, |spent| {
        let (attempt, at) = (spent.attempt, spent.at.wall.rfc3339());
        match spent.step {
            Some(step) => format!(" by step {step} at {at}"),
            None => format!(" by attempt {attempt} of job {} at {at}", review.job),
        }
    });
    let what = format!("the yes to {} is already spent{by}", review.id);
    Refusal::new(RefusalCode::Spent, what, "each yes is good as often as it says")
}

/// Enough of those who said yes may still do so. What a rule decided needs nobody.
pub(super) fn still_approved(plan: &Plan, review: &Review) -> bool {
    let by_people = review.state == ReviewState::Approved
        && review.decision.as_ref().is_some_and(|decision| !decision.by.is_empty());
    if !by_people {
        return true;
    }
    let (yes, _) = who::tally(plan.world(), review, plan.at().wall);
    u32::try_from(yes.len()).unwrap_or(u32::MAX) >= review.rule.need
}

/// A new review takes the place of one that was approved for something else.
fn supersede(
    plan: &mut Plan,
    review: &Review,
    job: &Job,
    action: Action,
    conditions: BTreeMap<Name, String>,
) -> Result<(), Refusal> {
    let mut asked: Ask = (*review.ask).clone();
    asked.action = action;
    asked.conditions.extend(conditions);
    let hash = asked.action.hash(review.bound());
    let decision = Decision::of(ReviewState::Superseded);
    close::decide(plan, review, decision, review.grant.as_deref().cloned());
    ask::open(plan, job, asked, hash, Some(review.id))
}

/// A new right, its clock running if the job that will use it does.
pub(super) fn started(plan: &Plan, review: &Review, mut grant: Grant) -> Grant {
    let Some(job) = plan.job(review.job) else { return grant };
    let listens = !matches!(review.ask.wait, Wait::Park | Wait::Freeze) && !job.asking.waits;
    if grant.until.is_none() && listens && runs(&job) {
        grant.until = Some(grant.from.max(plan.at().wall) + grant.life);
    }
    grant
}

fn runs(job: &Job) -> bool {
    job.state == State::Running && !job.frozen
}

/// Starts and stops the clocks of rights whose jobs began or ceased to run in this decision.
pub(in crate::sched) fn follow(plan: &mut Plan) {
    if plan.world().desk().is_empty() {
        return;
    }
    let moved = |fact: &Fact| match fact {
        Fact::JobRunning { job }
        | Fact::JobThawed { job, .. }
        | Fact::JobFrozen { job, .. }
        | Fact::AttemptEnded { job, .. } => Some(*job),
        _ => None,
    };
    let jobs: BTreeSet<JobId> = plan.facts().iter().filter_map(moved).collect();
    for id in jobs {
        let Some(job) = plan.job(id) else { continue };
        let reviews: Vec<_> = plan.world().desk().of_job(id).cloned().collect();
        for review in reviews.iter().filter(|r| r.state == ReviewState::Approved) {
            let Some(grant) = review.grant.as_ref().filter(|grant| !grant.dated) else { continue };
            match (runs(&job), grant.until) {
                (true, None) => {
                    let until = Some(grant.from.max(plan.at().wall) + grant.life);
                    note(plan, review, ReviewFact::GrantRuns { until });
                }
                (false, Some(_)) => note(plan, review, ReviewFact::GrantRuns { until: None }),
                _ => {}
            }
        }
    }
}

/// A right was not used in time.
pub(super) fn lapse(plan: &mut Plan, review: &Review) {
    let used = review.grant.as_ref().is_some_and(|grant| grant.used > 0);
    let state = if used { ReviewState::Redeemed } else { ReviewState::Lapsed };
    let reason = Some("the yes was not used in time".to_owned()).filter(|_| !used);
    let by = review.decision.as_ref().map(|d| d.by.clone()).filter(|_| used).unwrap_or_default();
    let decision = Decision { by, reason, ..Decision::of(state) };
    close::decide(plan, review, decision, review.grant.as_deref().cloned());
}
