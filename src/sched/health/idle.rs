//! A person works in it and has not for long: nothing written, nothing typed, no word of its own.

use crate::base::{At, Span, TaskId};
use crate::model::finding::{Level, Signal};
use crate::model::job::{Job, State};
use crate::model::reason::{Numbers, Value};
use crate::sched::health::{Signals, Verdict};
use crate::sched::world::World;

/// The notice comes so long before the timeout, or a quarter of it if that is less.
const NOTICE_BEFORE: Span = Span::mins(2);
/// Output is looked at in steps of a tenth of the timeout, within these bounds.
const LOOK: (Span, Span) = (Span(200), Span::secs(30));

/// It has an idle timeout.
pub(super) fn is_watched(job: &Job) -> bool {
    job.spec.idle_timeout.is_some() && job.state == State::Running && !job.frozen
}

/// A notice before the timeout, and a suspicion at it, upon which it is put away. What nobody
/// measured is no evidence: after a restart the quiet begins anew.
pub(super) fn check(world: &World, job: &Job, signals: &Signals, at: At) -> Verdict {
    let nothing = Verdict { level: None, evidence: Numbers::new(), next: None };
    let Some(timeout) = job.spec.idle_timeout.filter(|_| is_watched(job)) else { return nothing };
    let look = Span((timeout.0 / 10).clamp(LOOK.0.0, LOOK.1.0));
    let id = |rank| TaskId { job: job.id, attempt: job.attempt, rank };
    let since = job.active_tasks().map(|task| signals.quiet.get(&id(task.rank)));
    let since = since.map(|quiet| quiet.map(|quiet| quiet.since));
    let Some(since) = since.collect::<Option<Vec<_>>>().and_then(|all| all.into_iter().max())
    else {
        let stands = job.findings.get(&Signal::Idle).map(|finding| finding.level);
        return Verdict { level: stands, next: Some(at.now + look), ..nothing };
    };
    let heard = job.heartbeat.map_or(Span(u64::MAX), |heard| at.now.since(heard));
    let quiet = world.active(at.now).since(since).min(heard);
    let notice = timeout - NOTICE_BEFORE.min(timeout.percent(25));
    let (level, left) = if quiet >= timeout {
        (Some(Level::Suspect), look)
    } else if quiet >= notice {
        (Some(Level::Notice), timeout - quiet)
    } else {
        (None, notice - quiet)
    };
    let evidence =
        [("quiet_ms".into(), Value::from(quiet.0)), ("timeout_ms".into(), Value::from(timeout.0))];
    Verdict { level, evidence: evidence.into(), next: Some(at.now + left.min(look)) }
}
