//! The moves of a job's life that several commands share.

use std::collections::VecDeque;

use crate::base::{JobId, Name, TaskId};
use crate::model::fact::Class;
use crate::model::finding::{Level, Signal};
use crate::model::job::state::EXIT_PARKED;
use crate::model::job::{
    BoostCause, Cause, DependencyKind, Exit, FailureClass, Job, Outcome, State, StopFor, TaskState,
};
use crate::model::reason::Numbers;
use crate::model::{Fact, Reason};
use crate::sched::actions::urgency;
use crate::sched::decide::service;
use crate::sched::explain::never_fits;
use crate::sched::plan::Plan;
use crate::sched::policy::boost;
use crate::sched::policy::retry::backoff;
use crate::sched::review::{close, park};

/// Puts a job that has no processes where it belongs: held, waiting for others, for its time or
/// for room. One that can never start for a reason that is final ends.
pub(in crate::sched) fn settle(plan: &mut Plan, id: JobId) {
    if plan.job(id).is_some_and(|job| job.asking.blocks()) {
        return park::wait(plan, id);
    }
    if let Some(outcome) = await_turn(plan, id) {
        end(plan, id, outcome);
    }
}

/// As [`settle`], but an end that is due is only returned.
fn await_turn(plan: &mut Plan, id: JobId) -> Option<Outcome> {
    let job = plan.job(id)?;
    if job.hold.is_some() {
        plan.note(Fact::JobPaused { job: id });
    } else {
        let dependencies = match job.attempt {
            0 => dependencies(plan, &job),
            _ => Dependencies::Met,
        };
        match dependencies {
            Dependencies::Impossible => return Some(Outcome::Failed(FailureClass::Dependency)),
            Dependencies::Open => plan.note(Fact::JobWaits { job: id, cause: Cause::After }),
            Dependencies::Met if job.spec.start_at.is_some_and(|at| at > plan.at().wall) => {
                plan.note(Fact::JobWaits { job: id, cause: Cause::StartAt });
            }
            Dependencies::Met => plan.note(Fact::JobQueued { job: id }),
        }
    }
    let verdict = never_fits(plan.world(), &job.spec);
    judge(plan, id, verdict.as_ref())
}

/// Takes note of whether a job could start here if everything were free. One that must fit and
/// does not is over: its outcome is returned.
pub(super) fn judge(plan: &mut Plan, id: JobId, never_fits: Option<&Reason>) -> Option<Outcome> {
    let job = plan.job(id).filter(|job| job.is_live())?;
    if job.spec.must_fit && never_fits.is_some() {
        return Some(Outcome::Failed(FailureClass::NeverFits));
    }
    let level = never_fits.map(|_| Level::Stuck);
    let evidence = never_fits.map(|reason| reason.numbers.clone()).unwrap_or_default();
    find(plan, id, Signal::NeverFits, level, &evidence);
    None
}

enum Dependencies {
    Met,
    Open,
    Impossible,
}

/// A job that is not in the world any more counts as met: submission checked it by its summary.
fn dependencies(plan: &Plan, job: &Job) -> Dependencies {
    let mut open = false;
    for dependency in &job.spec.after {
        let Some(other) = plan.job(dependency.job) else { continue };
        match other.state {
            State::Ended(outcome) if !meets(dependency.kind, outcome) => {
                return Dependencies::Impossible;
            }
            State::Ended(_) => {}
            _ => open = true,
        }
    }
    if open { Dependencies::Open } else { Dependencies::Met }
}

/// Whether an end is the one that is waited for.
pub(super) fn meets(kind: DependencyKind, outcome: Outcome) -> bool {
    match kind {
        DependencyKind::Any => true,
        DependencyKind::Ok => outcome == Outcome::Succeeded,
        DependencyKind::Failed => outcome != Outcome::Succeeded,
    }
}

/// Ends a job that has no processes, and lets those that waited for it go on. Those that can
/// then never start end too, one after the other: chains may be long.
pub(in crate::sched) fn end(plan: &mut Plan, id: JobId, outcome: Outcome) {
    let mut ends = VecDeque::from([(id, outcome)]);
    while let Some((id, outcome)) = ends.pop_front() {
        if !plan.job(id).is_some_and(|job| job.is_live()) {
            continue;
        }
        plan.note(Fact::JobEnded { job: id, outcome });
        close::job_ended(plan, id);
        let waiting: Vec<JobId> =
            plan.world().index().dependents.get(&id).into_iter().flatten().copied().collect();
        for dependent in waiting {
            let state = plan.job(dependent).map(|job| job.state.clone());
            if state == Some(State::Waiting(Cause::After)) {
                let outcome = await_turn(plan, dependent);
                ends.extend(outcome.map(|outcome| (dependent, outcome)));
            }
        }
    }
}

/// Ends a job for good at a person's wish; again changes nothing.
pub(in crate::sched) fn cancel(plan: &mut Plan, job: &Job, by: &Name, reason: Option<String>) {
    if job.stop == Some(StopFor::Cancel) {
        return;
    }
    if job.active_tasks().next().is_some() {
        stop(plan, job.id, StopFor::Cancel, by, reason);
        return;
    }
    let (why, by, class) = (StopFor::Cancel, by.clone(), Class::StartStop);
    plan.note(Fact::JobStopping { job: job.id, why, by, reason, class });
    end(plan, job.id, Outcome::Cancelled);
}

/// Tells all processes of a job to end. If the last one is over already, the attempt is too.
pub(in crate::sched) fn stop(
    plan: &mut Plan,
    id: JobId,
    why: StopFor,
    by: &str,
    reason: Option<String>,
) {
    let by: Name = by.into();
    plan.note(Fact::JobStopping { job: id, why, by, reason, class: Class::StartStop });
    finish_attempt(plan, id);
}

/// Lifts a hold: a frozen job waits for its cores, a parked one goes back to the queue.
pub(in crate::sched) fn release(plan: &mut Plan, id: JobId, by: &str) {
    plan.note(Fact::JobReleased { job: id, by: by.into() });
    let Some(job) = plan.job(id) else { return };
    match job.state {
        State::Paused if job.asking.waits => plan.note(Fact::JobInReview { job: id }),
        State::Paused if job.frozen => plan.note(Fact::JobQueued { job: id }),
        State::Paused => settle(plan, id),
        _ => {}
    }
}

/// When the last task of an attempt is over, decides what becomes of the job.
pub(super) fn finish_attempt(plan: &mut Plan, id: JobId) {
    let Some(job) = plan.job(id) else { return };
    if job.tasks.is_empty() || job.active_tasks().next().is_some() {
        return;
    }
    let exit = worst_exit(&job);
    let stopped_for = job.stop;
    plan.note(Fact::AttemptEnded { job: id, stopped_for, exit: exit.clone() });
    after_attempt(plan, id, stopped_for, exit);
}

fn after_attempt(plan: &mut Plan, id: JobId, stopped_for: Option<StopFor>, exit: Option<Exit>) {
    let Some(job) = plan.job(id) else { return };
    match stopped_for {
        Some(StopFor::Cancel) => end(plan, id, Outcome::Cancelled),
        Some(StopFor::Deny) => end(plan, id, Outcome::Denied),
        Some(StopFor::Park) => park::parked(plan, id),
        None if exit.as_ref().is_some_and(|e| park::is_lawful(plan.world(), &job, e)) => {
            park::parked(plan, id);
        }
        Some(StopFor::Timeout) => end(plan, id, Outcome::TimedOut),
        Some(StopFor::Pause | StopFor::Requeue | StopFor::Preempt | StopFor::Spot) => {
            settle(plan, id);
        }
        Some(StopFor::Gang) if exit != Some(Exit::Unknown) => settle(plan, id),
        Some(StopFor::Unhealthy | StopFor::Failure | StopFor::Gang) | None
            if service::restarts(&job, exit.as_ref()) =>
        {
            service::restart(plan, &job);
        }
        Some(StopFor::Unhealthy | StopFor::Failure | StopFor::Gang) | None => match exit {
            Some(Exit::Unknown) if job.spec.comes_back() || job.continues() => settle(plan, id),
            Some(exit) if !exit.is_success() => fail(plan, &job, &exit),
            _ => end(plan, id, Outcome::Succeeded),
        },
    }
}

fn fail(plan: &mut Plan, job: &Job, exit: &Exit) {
    if job.retries < job.spec.retry && !matches!(exit, Exit::NotStarted(_)) {
        let until = plan.at().wall + backoff(job.retries);
        plan.note(Fact::RetryCounted { job: job.id });
        let steps = boost::retry(job.retries.saturating_add(1));
        urgency::set_boost(plan, job.id, BoostCause::Retry, steps);
        match job.hold {
            Some(_) => plan.note(Fact::JobPaused { job: job.id }),
            None => plan.note(Fact::JobWaits { job: job.id, cause: Cause::Backoff(until) }),
        }
        return;
    }
    match exit {
        Exit::Unknown => end(plan, job.id, Outcome::Lost),
        exit => end(plan, job.id, Outcome::Failed(failure_class(exit))),
    }
}

fn failure_class(exit: &Exit) -> FailureClass {
    match exit {
        Exit::NotStarted(_) => FailureClass::CannotStart,
        Exit::Signal(_) => FailureClass::Signal,
        Exit::Code(EXIT_PARKED) => FailureClass::ParkedWithoutAsking,
        Exit::Code(_) | Exit::Unknown => FailureClass::Exit,
    }
}

/// How an attempt ended: by the task that first ended badly, else by the last one.
fn worst_exit(job: &Job) -> Option<Exit> {
    let any_left = job.tasks.iter().any(|task| task.is_over());
    // What had to give its room speaks for the job only if nothing else does.
    let ended = |task: &&crate::model::job::Task| {
        task.state == TaskState::Ended && (!any_left || !task.given_up)
    };
    let bad = job.tasks.iter().filter(ended).filter(|t| !exit_is_success(t.exit.as_ref()));
    let first_bad = bad.min_by_key(|task| (task.ended.map(|at| at.now), task.rank));
    let last = job.tasks.iter().filter(ended).max_by_key(|task| task.ended.map(|at| at.now));
    first_bad.or(last).and_then(|task| task.exit.clone())
}

pub(super) fn exit_is_success(exit: Option<&Exit>) -> bool {
    exit.is_some_and(Exit::is_success)
}

/// Everything that runs on a job's behalf is gone, and nobody knows how it ended.
pub(super) fn lose_tasks(plan: &mut Plan, id: JobId) {
    let Some(job) = plan.job(id) else { return };
    for task in job.active_tasks() {
        let task = TaskId { job: id, attempt: job.attempt, rank: task.rank };
        plan.note(Fact::TaskEnded { task, exit: Exit::Unknown, ended: None });
    }
    finish_attempt(plan, id);
}

/// Notes a finding if it is news.
pub(in crate::sched) fn find(
    plan: &mut Plan,
    id: JobId,
    signal: Signal,
    level: Option<Level>,
    evidence: &Numbers,
) {
    let Some(job) = plan.job(id).filter(|job| job.is_live()) else { return };
    let stands = job.findings.get(&signal).map(|finding| finding.level);
    match level {
        Some(level) if stands != Some(level) => {
            let evidence = evidence.clone();
            plan.note(Fact::Found { job: id, signal, level, evidence });
        }
        None if stands.is_some() => plan.note(Fact::FindingOver { job: id, signal }),
        _ => {}
    }
}
