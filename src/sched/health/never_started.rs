//! S2: started, and no sign of life: not a byte written, no report, no question.

use crate::base::{At, Span, TaskId};
use crate::model::finding::{Level, Signal};
use crate::model::job::Job;
use crate::model::reason::{Numbers, Value};
use crate::sched::health::{Signals, Verdict, graded};
use crate::sched::world::World;

/// A sign of life may still be missing in this attempt.
pub(super) fn is_open(job: &Job) -> bool {
    job.heartbeat.is_none() && job.prompt.is_none()
}

/// 60 s, 3 min, 5 min of run time; time the machine slept and frozen time are no silence.
pub(super) fn check(world: &World, job: &Job, signals: &Signals, at: At) -> Verdict {
    let quiet = Verdict { level: None, evidence: Numbers::new(), next: None };
    let Some(since) = job.ran_since.filter(|_| is_open(job)) else { return quiet };
    let id = |rank| TaskId { job: job.id, attempt: job.attempt, rank };
    let tasks: Vec<TaskId> = job.active_tasks().map(|task| id(task.rank)).collect();
    if tasks.iter().any(|task| signals.wrote.contains(task)) {
        return quiet;
    }
    let due = |span| world.from_active(since + (span - job.ran));
    let steps = [
        (due(Span::secs(60)), Level::Notice),
        (due(Span::mins(3)), Level::Suspect),
        (due(Span::mins(5)), Level::Stuck),
    ];
    let (reached, next) = graded(at.now, steps);
    // Silence that nobody measured is no evidence, and none against what was measured before:
    // after a restart it is unknown at first.
    let measured = tasks.iter().all(|task| signals.silent.contains(task));
    let stands = job.findings.get(&Signal::NeverStarted).map(|finding| finding.level);
    let level = if measured { reached } else { stands };
    let ran = job.run_time(world.active(at.now));
    let evidence = [("ran_ms".into(), Value::from(ran.0))].into();
    Verdict { level, evidence, next }
}
