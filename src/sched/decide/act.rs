//! Does something with jobs that exist: with all that are named, or with none.

use std::collections::BTreeSet;
use std::sync::Arc;

use crate::base::{At, JobId, Name, Span};
use crate::model::access::Right;
use crate::model::command::{Act, CANCEL_IN_MAX, Change, Key, Verb};
use crate::model::fact::Eviction;
use crate::model::job::{Cause, Front, Job, JobSpec, State, StopFor};
use crate::model::page::Lane;
use crate::model::refusal::{Refusal, RefusalCode};
use crate::model::setup::PRIORITY_MAX;
use crate::model::{Actor, Fact};
use crate::sched::decide::{
    check_deadline, check_limit, hold, holds, known_team, life, rights, submit,
};
use crate::sched::plan::Plan;
use crate::sched::world::World;

/// Bytes of a reason at most.
const REASON_MAX: usize = 1024;

/// Decides an act. A plan that fails half-way is dropped whole by the caller.
pub(super) fn decide(plan: &mut Plan, act: &Act) -> Result<(), Refusal> {
    if earlier(plan, act.key.as_ref())?.is_some() {
        return Ok(());
    }
    if act.jobs.is_empty() {
        return Err(Refusal::new(RefusalCode::Usage, "no job is named", "give its number"));
    }
    for id in in_order(act) {
        let Some(job) = plan.job(id) else {
            let what = format!("there is no job {id}");
            return Err(Refusal::new(RefusalCode::NotFound, what, "`holdshort ls` lists the jobs"));
        };
        let (verb, reason) = act.verb.parts();
        rights::on_job(plan.world(), &act.by, &job, right(verb, &job))?;
        if let Some(reason) = reason {
            let (by, reason) = (act.by.user.clone(), given(reason)?);
            plan.note(Fact::ReasonGiven { job: id, by, reason });
        }
        apply(plan, &job, verb, &act.by)?;
    }
    if let Some(key) = &act.key {
        let (key, body) = (key.key.clone(), key.body.clone());
        plan.note(Fact::KeyUsed { key, first: JobId(0), count: 0, body });
    }
    Ok(())
}

/// The named jobs, each once. A job may only come after one with a smaller number, so cancelling
/// the highest first leaves none to fail for want of the one before; of those moved to the
/// front the first named shall be first, and the last moved wins.
fn in_order(act: &Act) -> Vec<JobId> {
    let mut seen = BTreeSet::new();
    let mut jobs: Vec<JobId> = act.jobs.iter().copied().filter(|id| seen.insert(*id)).collect();
    match act.verb.parts().0 {
        Verb::Cancel { .. } => jobs.sort_unstable_by(|a, b| b.cmp(a)),
        Verb::Next => jobs.reverse(),
        _ => {}
    }
    jobs
}

/// A reason that says something.
fn given(reason: &str) -> Result<String, Refusal> {
    let usage = |what: &str, hint| Err(Refusal::new(RefusalCode::Usage, what, hint));
    match reason.trim() {
        "" => usage("the reason is empty", "leave it out, or say why"),
        long if long.len() > REASON_MAX => usage("the reason is too long", "at most 1024 bytes"),
        reason => Ok(reason.to_owned()),
    }
}

/// What a key stands for already.
pub(in crate::sched) fn earlier(
    plan: &Plan,
    key: Option<&Key>,
) -> Result<Option<Vec<JobId>>, Refusal> {
    let Some(key) = key else { return Ok(None) };
    let used = plan.world().keys.get(&key.key);
    let Some(used) = used.filter(|used| used.is_fresh(plan.at().now)) else { return Ok(None) };
    if used.body != key.body {
        let what = "this idempotency key was used for another request";
        return Err(Refusal::new(RefusalCode::KeyReused, what, "use a new key for a new request"));
    }
    let jobs = (used.first.0..).take(used.count as usize).map(JobId).collect();
    Ok(Some(jobs))
}

fn right(verb: &Verb, job: &Job) -> Right {
    match verb {
        Verb::Next | Verb::Preempt => Right::Reorder,
        Verb::Set(Change { priority: Some(new), .. }) if *new > job.spec.priority => Right::Reorder,
        Verb::Answered => Right::Type,
        _ => Right::ActOnOwn,
    }
}

fn apply(plan: &mut Plan, job: &Arc<Job>, verb: &Verb, by: &Actor) -> Result<(), Refusal> {
    let id = job.id;
    let name = by.user.clone();
    if !job.is_live() && !matches!(verb, Verb::Ack) {
        let what = format!("job {id} has ended ({})", job.state.word());
        let hint = format!("`holdshort again {id}` queues a copy of it");
        return Err(Refusal::new(RefusalCode::Conflict, what, hint));
    }
    match verb {
        Verb::Cancel { reason } => life::cancel(plan, job, &name, reason.clone()),
        Verb::CancelIn { after, reason } => cancel_in(plan, job, *after, name, reason.clone())?,
        Verb::Keep => keep(plan, job, name)?,
        Verb::Pause { until, reason } => {
            let hold = hold(plan, by, *until, reason.clone())?;
            holds::pause_job(plan, job, hold)?;
        }
        Verb::Resume => {
            if job.hold.is_none() {
                let what = format!("job {id} is not paused");
                return Err(Refusal::new(RefusalCode::Conflict, what, "`holdshort why` says more"));
            }
            life::release(plan, id, &name);
        }
        Verb::Requeue => requeue(plan, job, by)?,
        Verb::Preempt => preempt(plan, job, by)?,
        Verb::Next => next(plan, job, by)?,
        Verb::Ack => plan.note(Fact::JobAcked { job: id, by: name }),
        Verb::Set(change) => set(plan, job, change, by)?,
        // Its parts have been taken apart.
        Verb::Because { .. } => {}
        Verb::Answered => {
            if job.prompt.is_some() {
                plan.note(Fact::PromptOver { job: id, by: Some(name) });
            }
        }
    }
    Ok(())
}

/// Puts a cancellation on its way. One that is on its way already stays as it is.
fn cancel_in(
    plan: &mut Plan,
    job: &Job,
    after: Span,
    by: Name,
    reason: Option<String>,
) -> Result<(), Refusal> {
    if after > CANCEL_IN_MAX {
        let hint = "cancel it when the time has come";
        return Err(Refusal::new(
            RefusalCode::Usage,
            "a cancellation more than a minute ahead",
            hint,
        ));
    }
    if job.cancel.is_none() && job.stop != Some(StopFor::Cancel) {
        let at = plan.at();
        let due = At { now: at.now + after, wall: at.wall + after };
        plan.note(Fact::CancelScheduled { job: job.id, due, by, reason });
    }
    Ok(())
}

fn keep(plan: &mut Plan, job: &Job, by: Name) -> Result<(), Refusal> {
    if job.cancel.is_none() {
        let what = format!("no cancellation of job {} is on its way", job.id);
        let hint = "once it has begun it can't be taken back; `again` queues a copy";
        return Err(Refusal::new(RefusalCode::Conflict, what, hint));
    }
    plan.note(Fact::CancelRevoked { job: job.id, by });
    Ok(())
}

/// Back to the queue: from its run, or before the pause after a failure is over.
fn requeue(plan: &mut Plan, job: &Job, by: &Actor) -> Result<(), Refusal> {
    if let State::Waiting(Cause::Backoff(_)) = job.state {
        plan.note(Fact::JobQueued { job: job.id });
        return Ok(());
    }
    if job.active_tasks().next().is_none() {
        let what = format!("job {} does not run", job.id);
        let hint = format!("`holdshort why {}` says what it waits for", job.id);
        return Err(Refusal::new(RefusalCode::Conflict, what, hint));
    }
    if !job.has_way_back() {
        let what = format!("nothing says how job {} could start again", job.id);
        let hint = "submit with --requeue or --resumable, or cancel it and use `again`";
        return Err(Refusal::new(RefusalCode::Conflict, what, hint));
    }
    match job.stop {
        None => life::stop(plan, job.id, StopFor::Requeue, &by.user, None),
        Some(StopFor::Requeue | StopFor::Gang) => {}
        Some(_) => return Err(is_stopping(job)),
    }
    Ok(())
}

/// Its room goes to others at a person's order; it queues again at its old place.
fn preempt(plan: &mut Plan, job: &Job, by: &Actor) -> Result<(), Refusal> {
    if job.active_tasks().next().is_none() {
        let what = format!("job {} does not run", job.id);
        return Err(Refusal::new(RefusalCode::Conflict, what, "`preempt` is for jobs that run"));
    }
    if !job.has_way_back() {
        let what = format!("nothing says how job {} could go on later", job.id);
        let hint = "pause it to freeze it where it is, or cancel it and use `again`";
        return Err(Refusal::new(RefusalCode::Conflict, what, hint));
    }
    match job.stop {
        None => {
            let eviction = Eviction::by_person(by.user.clone());
            plan.note(Fact::JobEvicted { job: job.id, eviction: Box::new(eviction) });
            life::stop(plan, job.id, StopFor::Preempt, &by.user, None);
        }
        Some(StopFor::Preempt | StopFor::Requeue | StopFor::Gang) => {}
        Some(_) => return Err(is_stopping(job)),
    }
    Ok(())
}

/// It can't be held back or moved any more.
pub(super) fn is_stopping(job: &Job) -> Refusal {
    let why = job.stop.map_or("", StopFor::word);
    let what = format!("job {} is being stopped ({why})", job.id);
    Refusal::new(RefusalCode::Conflict, what, "wait for its end")
}

/// Before every job of its team that is queued now: sorted by the priority of the team's first.
fn next(plan: &mut Plan, job: &Job, by: &Actor) -> Result<(), Refusal> {
    if job.active_tasks().next().is_some() && !job.frozen {
        let what = format!("job {} runs already", job.id);
        return Err(Refusal::new(RefusalCode::Conflict, what, "`next` is for jobs that wait"));
    }
    let priority = team_head(plan.world(), &job.spec.team).unwrap_or(job.priority());
    let front = Front { rank: plan.world().next_front, priority };
    plan.note(Fact::JobMovedUp { job: job.id, front, by: by.user.clone() });
    Ok(())
}

/// What the first queued job of a team is sorted by.
fn team_head(world: &World, team: &Name) -> Option<u16> {
    let mut jobs = world.index().lane(Lane::Queued, None).filter_map(|(_, id)| world.job(id));
    let head = jobs.find(|job| job.spec.team == *team)?;
    (head.state == State::Queued).then(|| head.sort_priority())
}

fn set(plan: &mut Plan, job: &Arc<Job>, change: &Change, by: &Actor) -> Result<(), Refusal> {
    let mut spec = JobSpec::clone(&job.spec);
    if let Some(priority) = change.priority {
        if priority > PRIORITY_MAX {
            let what = format!("priority {priority} is out of range");
            let hint = format!("0 to {PRIORITY_MAX}, higher goes first");
            return Err(Refusal::new(RefusalCode::Usage, what, hint));
        }
        spec.priority = priority;
    }
    if let Some(team) = &change.team {
        known_team(plan, team)?;
        rights::on_team(plan.world(), by, team, Right::Submit)?;
        submit::check_leaf(plan, team)?;
        spec.team = team.clone();
    }
    if let Some(preemptible) = change.preemptible {
        if preemptible && !job.has_way_back() {
            return Err(submit::no_way_back("preemptible"));
        }
        spec.preemptible = preemptible;
    }
    if let Some(deadline) = change.deadline {
        check_deadline(plan, deadline)?;
        spec.deadline = deadline;
    }
    if let Some(limit) = change.time_limit {
        check_limit(limit)?;
        spec.time_limit = limit;
    }
    if spec != *job.spec {
        let by = by.user.clone();
        plan.note(Fact::JobChanged { job: job.id, spec: Box::new(spec), by });
    }
    Ok(())
}
