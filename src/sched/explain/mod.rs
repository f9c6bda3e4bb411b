//! Why a job is where it is: one dominant reason with numbers, the others, and what would
//! change it (DESIGN.md 5.13). The words are made elsewhere.

mod asked;
mod gates;
mod nodes;
mod room;
mod running;
mod share;
mod standings;
mod urgency;
mod windows;
mod would;

use crate::base::{At, JobId};
use crate::model::finding::Level;
use crate::model::job::{Cause, Exit, FailureClass, Job, Outcome, State};
use crate::model::page::{Lane, Why};
use crate::model::reason::{Code, Reason};
use crate::model::team::parent;
use crate::sched::world::World;

pub(super) use gates::in_all;
pub use room::never_fits;
pub(in crate::sched) use room::{Rooms, lacks_only_room};
pub use standings::{Standing, standings};

/// The whole answer for one job; `None` when it is not in the world.
pub fn why(world: &World, id: JobId, at: At) -> Option<Why> {
    let job = world.job(id)?;
    let mut reasons = reasons(world, job, at);
    let reason = if reasons.is_empty() { soon(job) } else { reasons.remove(0) };
    let mut would_change = changes(job, std::iter::once(&reason).chain(&reasons));
    would_change.extend(room::would_change(world, job, at));
    if reason.code != Code::NeverFits {
        would_change.extend(would::reasons(world, job, at));
    }
    reasons.extend(beside(world, job, at, &reason));
    let position = position(world, job);
    let state = job.state.clone();
    Some(Why {
        job: id,
        state,
        reason,
        also: reasons,
        would_change,
        expected_start: None,
        position,
    })
}

/// What explains more and is never the dominant reason.
fn beside(world: &World, job: &Job, at: At, dominant: &Reason) -> Vec<Reason> {
    let mut reasons = Vec::new();
    match &job.state {
        State::Queued => {
            if matches!(dominant.code, Code::NoRoom | Code::GangIncomplete) {
                reasons.extend(share::reasons(world, job, at));
            }
            reasons.extend(windows::reasons(world, job));
            reasons.extend(running::evicted(job));
            // A place in the queue means nothing where more than room is missing.
            let no_turn = matches!(
                dominant.code,
                Code::NeverFits | Code::AllPaused | Code::TeamPaused | Code::NodesUnavailable
            );
            reasons.extend(urgency::turn(world, job).filter(|_| !no_turn));
            reasons.extend(urgency::reasons(job));
        }
        State::Starting | State::Running => {
            reasons.extend(asked::back(world, job, at));
            reasons.extend(running::reasons(world, job, at));
            reasons.extend(windows::reasons(world, job));
            reasons.extend(running::evicted(job));
            reasons.extend(urgency::reasons(job));
        }
        State::Stopping(_) | State::Paused | State::InReview | State::Waiting(_) => {
            reasons.extend(asked::back(world, job, at));
            reasons.extend(running::evicted(job));
            reasons.extend(urgency::reasons(job));
        }
        State::Ended(_) => {}
    }
    reasons
}

/// The answer for a job that has left the world: it ended.
pub fn ended(job: &Job) -> Why {
    let (job_id, state) = (job.id, job.state.clone());
    let reason = ended_reason(job);
    let would_change = changes(job, std::iter::once(&reason));
    Why {
        job: job_id,
        state,
        reason,
        also: vec![],
        would_change,
        expected_start: None,
        position: None,
    }
}

/// Of the reasons, those whose end is a condition that can be named or something a person can
/// do. Room is left out: whose end would make it is looked for apart.
fn changes<'a>(job: &Job, reasons: impl Iterator<Item = &'a Reason>) -> Vec<Reason> {
    let change = |reason: &Reason| match reason.code {
        Code::Ended if job.state == State::Ended(Outcome::Succeeded) => None,
        Code::Ended
        | Code::DependencyFailed
        | Code::AtPrompt
        | Code::InReview
        | Code::Found
        | Code::Paused => Some(reason.clone().with("job", job.id.0)),
        Code::AllPaused
        | Code::TeamPaused
        | Code::AfterJobs
        | Code::PreemptionDelay
        | Code::StartAt
        | Code::Children
        | Code::Backoff
        | Code::ArrayThrottle
        | Code::NeverFits
        | Code::OverLimit
        | Code::OverQuota
        | Code::Promised
        | Code::RoomReserved
        | Code::RateLimited
        | Code::Limited
        | Code::NodesUnavailable
        | Code::GpuForeign => Some(reason.clone()),
        Code::Running
        | Code::AnswerExpected
        | Code::Starting
        | Code::Stopping
        | Code::ResourceBusy
        | Code::NoRoom
        | Code::GangIncomplete
        | Code::ThawWaits
        | Code::AtShare
        | Code::Owed
        | Code::WindowOpen
        | Code::Evicted
        | Code::Turn
        | Code::Boosted
        | Code::Inherits
        | Code::Deadline
        | Code::Displaced
        | Code::MayGiveWay
        | Code::KeepsRoom
        | Code::QuotaWouldDo
        | Code::PriorityWouldDo => None,
    };
    reasons.filter_map(change).collect()
}

fn ended_reason(job: &Job) -> Reason {
    if job.state == State::Ended(Outcome::Failed(FailureClass::Dependency)) {
        let names: Vec<String> = job.spec.after.iter().map(|on| on.job.to_string()).collect();
        return Reason::bare(Code::DependencyFailed).with("jobs", names.join(", "));
    }
    let reason = Reason::bare(Code::Ended).with("outcome", job.state.word());
    let reason = match job.exit.as_ref().and_then(|exit| exit.shell_code()) {
        Some(code) => reason.with("code", i64::from(code)),
        None => reason,
    };
    match &job.exit {
        Some(Exit::Signal(signal)) => reason.with("signal", i64::from(*signal)),
        Some(Exit::NotStarted(why)) => reason.with("text", why.clone()),
        Some(Exit::Code(_) | Exit::Unknown) | None => reason,
    }
}

/// The dominant reason alone, for a row of a list.
pub fn reason(world: &World, job: &Job, at: At) -> Reason {
    reasons(world, job, at).into_iter().next().unwrap_or_else(|| soon(job))
}

/// Nothing holds it any more: the next cycle starts it.
fn soon(job: &Job) -> Reason {
    Reason::bare(if job.is_live() { Code::Starting } else { Code::Ended })
}

fn reasons(world: &World, job: &Job, at: At) -> Vec<Reason> {
    let mut reasons = Vec::new();
    match &job.state {
        State::Ended(_) => reasons.push(ended_reason(job)),
        State::Stopping(why) => {
            reasons.push(Reason::bare(Code::Stopping).with("for", why.word()));
        }
        State::Starting => reasons.push(Reason::bare(Code::Starting)),
        State::Running => {
            if let Some(prompt) = &job.prompt {
                let since = prompt.since.wall.0;
                let asks = Reason::bare(Code::AtPrompt).with("text", prompt.text.clone());
                reasons.push(asks.with("since_at", since));
            }
            if job.asking.holds().is_some() {
                reasons.extend(asked::reason(world, job));
            }
            // What may need somebody comes before that it runs.
            reasons.extend(running::found(job, Level::Suspect));
            let since = job.started.map_or(0, |at| at.wall.0);
            reasons.push(Reason::bare(Code::Running).with("since_at", since));
        }
        State::Paused => reasons.extend(job.hold.as_ref().map(|hold| paused(Code::Paused, hold))),
        State::InReview => reasons.extend(asked::reason(world, job)),
        State::Waiting(cause) => reasons.push(waiting(world, job, *cause)),
        State::Queued => {}
    }
    if matches!(job.state, State::Queued | State::Waiting(_)) {
        holds(world, job, &mut reasons);
        reasons.extend(room::reasons(world, job, at));
    }
    reasons
}

fn holds(world: &World, job: &Job, reasons: &mut Vec<Reason>) {
    reasons.extend(world.paused().map(|hold| paused(Code::AllPaused, hold)));
    let mut above = Some(&*job.spec.team);
    while let Some(name) = above {
        let hold = world.teams.get(name).and_then(|team| team.paused.as_ref());
        reasons.extend(hold.map(|hold| paused(Code::TeamPaused, hold).with("team", name)));
        above = parent(name);
    }
}

fn paused(code: Code, hold: &crate::model::job::Hold) -> Reason {
    let mut reason = Reason::bare(code).with("by", &*hold.by).with("since_at", hold.since.wall.0);
    if let Some(until) = hold.until {
        reason = reason.with("until_at", until.0);
    }
    if let Some(why) = &hold.reason {
        reason = reason.with("why", why.clone());
    }
    reason
}

fn waiting(world: &World, job: &Job, cause: Cause) -> Reason {
    match cause {
        Cause::After => {
            let open = job.spec.after.iter().map(|dependency| dependency.job);
            let open = open.filter(|id| world.job(*id).is_some_and(|job| job.is_live()));
            let names: Vec<String> = open.map(|id| id.to_string()).collect();
            Reason::bare(Code::AfterJobs).with("jobs", names.join(", "))
        }
        Cause::StartAt => {
            let start = job.spec.start_at.map_or(0, |at| at.0);
            Reason::bare(Code::StartAt).with("start_at", start)
        }
        Cause::Children => Reason::bare(Code::Children),
        Cause::Backoff(until) => Reason::bare(Code::Backoff)
            .with("until_at", until.0)
            .with("retry", u64::from(job.retries))
            .with("retries", u64::from(job.spec.retry)),
    }
}

/// Its place among all queued jobs, from 1.
fn position(world: &World, job: &Job) -> Option<u64> {
    if job.state != State::Queued {
        return None;
    }
    let ahead = world.index().lane(Lane::Queued, None).position(|(_, id)| id == job.id)?;
    Some(ahead as u64 + 1)
}
