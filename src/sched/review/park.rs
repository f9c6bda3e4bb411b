//! What becomes of a job that waits for people: parked or frozen it holds as little as it can,
//! and on the answer it comes back where it was.

use crate::base::{JobId, ReviewId};
use crate::model::Fact;
use crate::model::fact::{Class, ReviewFact};
use crate::model::job::state::EXIT_PARKED;
use crate::model::job::{Exit, Job, Outcome, State, StopFor, state};
use crate::model::review::{Review, ReviewState, Wait};
use crate::sched::decide::life;
use crate::sched::plan::Plan;
use crate::sched::policy::review::PARKED_FOR;
use crate::sched::review::note;
use crate::sched::world::World;

/// The program ended with 75 and is right to: it asked and waits for the answer, or the answer
/// came while it was saving itself.
pub(in crate::sched) fn is_lawful(world: &World, job: &Job, exit: &Exit) -> bool {
    *exit == Exit::Code(EXIT_PARKED) && (job.asking.blocks() || unheard(world, job).is_some())
}

/// The last answer that came in this attempt and that the program has not seen: it had stopped
/// listening before.
fn unheard(world: &World, job: &Job) -> Option<ReviewId> {
    let of_attempt = world.desk().of_job(job.id).rev().filter(|r| r.attempt == job.attempt);
    let missed = |review: &Review| match review.ask.wait {
        _ if review.is_open() => false,
        Wait::Park => true,
        Wait::Hold { most } => review.asked.now + most <= review.since.now,
        Wait::Freeze | Wait::Go => false,
    };
    let fresh = |review: &Review| Some(review.id) != job.asking.answered;
    let answered = |review: &Review| {
        !matches!(
            review.state,
            ReviewState::Redeemed | ReviewState::Withdrawn | ReviewState::Superseded
        )
    };
    let mut found = of_attempt.filter(|r| missed(r) && fresh(r) && answered(r));
    found.next().map(|review| review.id)
}

/// Its processes are gone and it had saved itself for that: it waits for people, or goes on at
/// once if the answer is there.
pub(in crate::sched) fn parked(plan: &mut Plan, id: JobId) {
    let Some(job) = plan.job(id) else { return };
    if job.asking.blocks() {
        return wait(plan, id);
    }
    if let Some(review) = unheard(plan.world(), &job) {
        returns(plan, id, review);
    }
    life::settle(plan, id);
}

/// A job without processes waits for people. A review that was to be answered while its job held
/// what it has may take as long as others now.
pub(in crate::sched) fn wait(plan: &mut Plan, id: JobId) {
    plan.note(Fact::JobInReview { job: id });
    let Some(job) = plan.job(id) else { return };
    for open in job.asking.open.clone() {
        let Some(review) = plan.world().desk().get(open.review).cloned() else { continue };
        let later = review.asked.wall + PARKED_FOR;
        let held = matches!(open.wait, Wait::Hold { .. });
        if held && review.rule.policy.is_none() && review.deadline < later {
            note(plan, &review, ReviewFact::Extended { deadline: later, by: None });
        }
    }
    if job.hold.is_some() {
        plan.note(Fact::JobPaused { job: id });
    }
}

/// Freezes a job where it stands: cores and countable units go to others.
pub(super) fn freeze(plan: &mut Plan, id: JobId) {
    let Some(job) = plan.job(id) else { return };
    if job.state != State::Running || job.stop.is_some() {
        return;
    }
    plan.note(Fact::JobFrozen { job: id, class: Class::Parked });
    plan.note(Fact::JobInReview { job: id });
}

/// An answer came. When nothing else it asked is open the job comes back: to its place in the
/// queue, or, if a person holds it, to its pause.
pub(super) fn comes_back(plan: &mut Plan, id: JobId, review: ReviewId) {
    let Some(job) = plan.job(id) else { return };
    if !job.asking.waits || job.asking.blocks() || job.stop.is_some() {
        return;
    }
    returns(plan, id, review);
    if job.hold.is_some() {
        plan.note(Fact::JobPaused { job: id });
    } else if job.frozen {
        plan.note(Fact::JobQueued { job: id });
    } else {
        life::settle(plan, id);
    }
}

fn returns(plan: &mut Plan, job: JobId, review: ReviewId) {
    plan.note(Fact::Review { review, job, fact: Box::new(ReviewFact::JobReturns) });
}

/// A person said no, and that the job shall stop.
pub(super) fn stop(plan: &mut Plan, job: &Job, by: &str, reason: Option<String>) {
    if matches!(job.stop, Some(StopFor::Cancel | StopFor::Deny)) {
        return;
    }
    let by = if by.is_empty() { state::TIME } else { by };
    if job.active_tasks().next().is_some() {
        return life::stop(plan, job.id, StopFor::Deny, by, reason);
    }
    let (job, why, by, class) = (job.id, StopFor::Deny, by.into(), Class::StartStop);
    plan.note(Fact::JobStopping { job, why, by, reason, class });
    life::end(plan, job, Outcome::Denied);
}
