//! S2: started, and no sign of life: not a byte written, no report, no question.

use crate::base::{At, Span};
use crate::model::finding::Level;
use crate::model::job::Job;
use crate::model::reason::{Numbers, Value};
use crate::sched::health::{Signals, Verdict, graded};
use crate::sched::world::World;

/// A sign of life may still be missing.
pub(super) fn is_open(job: &Job) -> bool {
    job.heartbeat.is_none() && job.progress.is_none() && job.prompt.is_none()
}

/// 60 s, 3 min, 5 min after the start.
pub(super) fn check(world: &World, job: &Job, signals: &Signals, at: At) -> Verdict {
    let quiet = Verdict { level: None, evidence: Numbers::new(), next: None };
    let started = job.active_tasks().filter_map(|task| task.started).map(|at| at.now).min();
    let Some(started) = started.filter(|_| is_open(job)) else { return quiet };
    let mut known = job.active_tasks().map(|task| crate::base::TaskId {
        job: job.id,
        attempt: job.attempt,
        rank: task.rank,
    });
    if known.any(|task| signals.wrote.contains(&task)) {
        return quiet;
    }
    let due = |secs| started + Span::secs(secs);
    let steps = [(due(60), Level::Notice), (due(180), Level::Suspect), (due(300), Level::Stuck)];
    let (level, next) = graded(at.now, steps);
    // Silence that nobody measured is no evidence: after a restart it is unknown at first.
    let measured = job.active_tasks().all(|task| {
        let (job, attempt, rank) = (job.id, job.attempt, task.rank);
        signals.silent.contains(&crate::base::TaskId { job, attempt, rank })
    });
    let ran = job.run_time(world.active(at.now));
    let evidence = [("ran_ms".into(), Value::from(ran.0))].into();
    Verdict { level: level.filter(|_| measured), evidence, next }
}
