//! What was approved of a command line runs as a small job of its own, while the job that asked
//! waits for its room: the right is used once, by the step or by the asker.
//!
//! [`follow`] makes steps, takes back those whose right is gone, and notes what became of them;
//! [`redeem`] is how a step uses the right, and [`make_way`] how the asker does if it was quicker.

use std::collections::BTreeSet;
use std::sync::Arc;

use crate::base::{Digest, JobId, ReviewId};
use crate::model::action::Action;
use crate::model::action::command::Said;
use crate::model::fact::ReviewFact;
use crate::model::job::state;
use crate::model::job::{Exit, Gang, Job, JobSpec, Outcome, State, StopFor};
use crate::model::refusal::{Refusal, RefusalCode};
use crate::model::review::step::{CPU_MILLI, ESTIMATE, MEM_BYTES, NEVER_EVICTS};
use crate::model::review::{Decision, Review, ReviewState, Step, StepState, Wait};
use crate::model::setup::PRIORITY_MAX;
use crate::model::{Actor, Fact, Resources};
use crate::sched::decide::life;
use crate::sched::plan::Plan;
use crate::sched::review::{close, grants, note};

/// Does what the facts of this decision mean for steps; again it changes nothing.
pub(in crate::sched) fn follow(plan: &mut Plan) {
    if plan.world().desk().is_empty() {
        return;
    }
    let mut touched: BTreeSet<ReviewId> = BTreeSet::new();
    for fact in plan.facts() {
        match fact {
            Fact::Review { review, fact, .. } if matches!(**fact, ReviewFact::Decided { .. }) => {
                touched.insert(*review);
            }
            Fact::JobHeld { job, .. } | Fact::JobEnded { job, .. } => {
                touched.extend(plan.world().desk().of_job(*job).map(|review| review.id));
                touched.extend(plan.job(*job).and_then(|job| job.spec.step));
            }
            _ => {}
        }
    }
    for id in touched {
        let Some(review) = plan.world().desk().get(id).cloned() else { continue };
        match &review.step {
            None => make(plan, &review),
            Some(step) => attend(plan, &review, step),
        }
    }
}

/// Makes the step of a review that was just approved, if it is to have one.
fn make(plan: &mut Plan, review: &Review) {
    let Some(asker) = plan.job(review.job).filter(|asker| is_wanted(review, asker)) else { return };
    let (Some(program), Some(grant)) = (review.ask.step, &review.grant) else { return };
    let job = JobId(plan.world().next_job);
    let parent = &asker.spec;
    let request = Resources {
        cpu_milli: CPU_MILLI.min(parent.request.cpu_milli),
        mem_bytes: MEM_BYTES.min(parent.request.mem_bytes),
        ..Resources::default()
    };
    let executable = executable(review.action());
    let spec = JobSpec {
        name: executable.as_str().into(),
        executable: executable.as_str().into(),
        team: parent.team.clone(),
        priority: asker.sort_priority().min(PRIORITY_MAX),
        request,
        gang: Gang::ONE,
        node_labels: parent.node_labels.clone(),
        start_at: Some(grant.from).filter(|from| *from > plan.at().wall),
        estimate: Some(ESTIMATE),
        time_limit: parent.time_limit,
        preemption_delay: Some(NEVER_EVICTS),
        grace: parent.grace,
        labels: parent.labels.clone(),
        parent: Some(asker.id),
        step: Some(review.id),
        program,
        ..JobSpec::default()
    };
    let (owner, uid) = (asker.owner.clone(), asker.owner_uid);
    plan.note(Fact::JobSubmitted { job, spec: Box::new(spec), owner, uid });
    note(plan, review, ReviewFact::StepMade { step: job });
    life::settle(plan, job);
}

/// People said yes, once; the asker is not there to do it, and nobody holds it back.
fn is_wanted(review: &Review, asker: &Job) -> bool {
    let by_people = review.decision.as_ref().is_some_and(|decision| !decision.by.is_empty());
    let once = review.grant.as_ref().is_some_and(|grant| grant.uses == 1 && grant.used == 0);
    let gone = asker.active_tasks().next().is_none();
    let away = !asker.frozen
        && match review.ask.wait {
            // It was told to save itself and to end, and hears nothing more.
            Wait::Park => true,
            // Its process waited and gave up.
            Wait::Hold { .. } => gone,
            Wait::Freeze | Wait::Go => false,
        };
    let free = asker.hold.is_none() && asker.stop.is_none_or(|why| why == StopFor::Park);
    review.ask.step.is_some()
        && review.state == ReviewState::Approved
        && review.ask.conditions.is_empty()
        && (by_people && once && away && free && asker.is_live())
}

fn executable(action: &Action) -> String {
    let said = Said::of(action);
    let first = said.as_ref().and_then(|said| said.argv.first()).map_or("step", String::as_str);
    first.rsplit('/').find(|part| !part.is_empty()).unwrap_or("step").to_owned()
}

/// Notes the end of a step, and takes one back whose right is gone or whose asker is held back.
fn attend(plan: &mut Plan, review: &Review, step: &Step) {
    if step.state.is_over() {
        return;
    }
    let job = plan.job(step.job);
    let state = match job.as_ref().map(|job| &job.state) {
        Some(State::Ended(outcome)) => {
            let exit = job.as_ref().and_then(|job| job.exit.clone());
            end_of(&step.state, *outcome, exit.as_ref())
        }
        None => end_of(&step.state, Outcome::Lost, None),
        Some(_) if step.state == StepState::Runs => return,
        Some(_) => {
            let held = plan.job(review.job).is_none_or(|asker| asker.hold.is_some());
            return match review.state {
                ReviewState::Approved if !held => {}
                ReviewState::Approved => take_back(plan, review, step, "its job is held back"),
                state => take_back(plan, review, step, &format!("the yes is {}", state.word())),
            };
        }
    };
    note(plan, review, ReviewFact::StepEnded { step: step.job, state });
}

/// How far a step came whose job is over.
fn end_of(before: &StepState, outcome: Outcome, exit: Option<&Exit>) -> StepState {
    match (before, exit) {
        (StepState::Runs, Some(Exit::Code(code))) => StepState::Done(*code),
        // Its own process was ended before it could say how what it ran ended.
        (StepState::Runs, _) => StepState::Lost,
        (_, Some(Exit::Code(13))) => StepState::Unused("what would run had changed".to_owned()),
        (_, Some(Exit::NotStarted(why))) => StepState::Unused(why.clone()),
        _ => StepState::Unused(format!("its job is {}", outcome.word())),
    }
}

/// A step that has not used the right will not.
fn take_back(plan: &mut Plan, review: &Review, step: &Step, why: &str) {
    let state = StepState::Unused(why.to_owned());
    note(plan, review, ReviewFact::StepEnded { step: step.job, state });
    let Some(job) = plan.job(step.job).filter(|job| job.is_live()) else { return };
    life::cancel(plan, &job, &state::TIME.into(), Some(why.to_owned()));
}

/// The asker came to the place itself and uses the right: whoever is first does it.
pub(super) fn make_way(plan: &mut Plan, review: &Review) {
    if let Some(step) = review.step.as_deref().filter(|step| step.state == StepState::Waits) {
        take_back(plan, review, step, "its job came first");
    }
}

/// The step of a review, if that is who calls.
pub(super) fn caller<'a>(review: &'a Review, by: &Actor) -> Option<&'a Step> {
    review.step.as_deref().filter(|step| by.in_job == Some(step.job))
}

/// A step uses the right, for exactly what was approved and nothing else.
///
/// # Errors
/// When it was taken back from it, when the right is not to be had, and for something else.
pub(super) fn redeem(
    plan: &mut Plan,
    review: &Review,
    step: &Step,
    hash: Option<Digest>,
    action: Option<&Action>,
) -> Result<(), Refusal> {
    if step.state == StepState::Runs {
        return Err(grants::spent(review));
    }
    grants::in_force(plan, review)?;
    if let StepState::Unused(why) = &step.state {
        let what = format!("step {} does not do it any more: {why}", step.job);
        return Err(Refusal::new(RefusalCode::Spent, what, "its job does it once it is back"));
    }
    let job: Option<Arc<Job>> = plan.job(step.job);
    let Some(job) = job.filter(|job| job.active_tasks().next().is_some() && !job.frozen) else {
        let what = format!("step {} does not run, so it can use no right", step.job);
        return Err(Refusal::new(RefusalCode::Conflict, what, "it may once it runs"));
    };
    let other = action.is_some_and(|action| action.hash(review.bound()) != review.hash);
    if other || hash != Some(review.hash) {
        let what = format!("what is to be done is not what {} approved", review.id);
        return Err(Refusal::new(RefusalCode::Changed, what, "its job asks anew once it is back"));
    }
    if !grants::still_approved(plan, review) {
        let reason = Some("not enough of those who said yes may decide any more".to_owned());
        let decision = Decision { reason, ..Decision::of(ReviewState::Revoked) };
        close::decide(plan, review, decision, review.grant.as_deref().cloned());
        return Ok(());
    }
    note(plan, review, ReviewFact::RedeemedByStep { step: step.job, attempt: job.attempt });
    Ok(())
}
