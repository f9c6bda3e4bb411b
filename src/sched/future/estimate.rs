//! How long a job will run: its own guess, else what was learned, within its limit
//! (DESIGN.md 5.4).

use crate::base::{At, Mono, Span};
use crate::model::estimate::{Confidence, Estimate, Origin};
use crate::model::job::{Exit, Job, JobSpec, StopFor, state::EXIT_PARKED};
use crate::sched::future::learned::{Class, Learned, PRIOR};
use crate::sched::policy::estimate::live;
use crate::sched::policy::history::{Estimate as Estimated, Sample, corrected};
use crate::sched::review::returns;
use crate::sched::world::World;

/// What a job that has not begun is expected to take. `estimate` switched off, nothing is learned
/// and only what the job itself says counts.
pub fn of_spec(world: &World, spec: &JobSpec) -> Estimate {
    let learns = world.setup().cycle.on("estimate");
    let asks = learns && spec.estimate.is_none();
    let known = asks.then(|| learned(world, spec)).flatten();
    live(spec.estimate, spec.time_limit, known, PRIOR)
}

/// What the length of a run goes by as long as it has not outlived it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Basis {
    /// So long, whatever others do.
    Sure(Span),
    /// What the runs of a class come to, within the job's limit.
    Class(Class),
}

/// What [`of_spec`] goes by; `learns` says whether anything is learned.
pub fn basis(history: &Learned, learns: bool, spec: &JobSpec) -> Basis {
    let sure = |own: Option<Span>| Basis::Sure(live(own, spec.time_limit, None, PRIOR).p90);
    if spec.estimate.is_some() || !learns {
        return sure(spec.estimate);
    }
    let known = history.of(spec);
    let class = |at: usize| Class::all_of(spec).into_iter().nth(at).map(Basis::Class);
    let is_trusted = |known: &Estimated| known.confidence > Confidence::None;
    let trusted = known.iter().position(|known| known.as_ref().is_some_and(is_trusted));
    let any = || known.iter().position(Option::is_some).filter(|_| spec.time_limit.is_none());
    trusted.or_else(any).and_then(class).unwrap_or_else(|| sure(None))
}

fn learned(world: &World, spec: &JobSpec) -> Option<Estimate> {
    let origins = [Origin::Name, Origin::Executable, Origin::Team];
    let mut prior: Option<Estimate> = None;
    for (known, origin) in world.history.of(spec).into_iter().zip(origins) {
        let Some(known) = known else { continue };
        let estimate = Estimate {
            median: known.median,
            p90: known.p90,
            origin,
            // A team does all kinds of things: many runs say little of the next.
            confidence: match origin {
                Origin::Team => known.confidence.min(Confidence::Low),
                _ => known.confidence,
            },
        };
        if known.confidence > Confidence::None {
            return Some(estimate);
        }
        prior.get_or_insert(Estimate { origin: Origin::Prior, ..estimate });
    }
    prior
}

/// What a job is expected to take in all, corrected if it has outlived that. What it did in
/// earlier attempts that it continues from counts.
pub fn of_job(world: &World, job: &Job, now: Mono) -> Estimate {
    let estimate = of_spec(world, &job.spec);
    let done = job.worked + job.run_time(world.active(now));
    let limit = job.spec.time_limit.map(|limit| limit + job.worked);
    let p90 = corrected(estimate.p90, done, limit);
    let median = if estimate.median > done { estimate.median.min(p90) } else { p90 };
    // What lasts longer than anybody thought may last for ever; a limit still holds.
    let outlived = estimate.p90 <= done && limit.is_none();
    let confidence = if outlived { Confidence::None } else { estimate.confidence };
    Estimate { median, p90, confidence, ..estimate }
}

/// Whether a job has run longer than it was expected to at most.
pub fn overstays(world: &World, job: &Job, now: Mono) -> bool {
    let done = job.worked + job.run_time(world.active(now));
    job.ran_since.is_some() && of_spec(world, &job.spec).p90 <= done
}

/// How long a job will still run, as a median and at most; nothing of it that is over counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Left {
    /// As likely shorter as longer.
    pub median: Span,
    /// Nine of ten are no longer.
    pub p90: Span,
    /// How much that is worth.
    pub confidence: Confidence,
}

/// How long a job will still run from now on, or from its start if it has not begun.
pub fn left(world: &World, job: &Job, at: At) -> Left {
    let estimate = of_job(world, job, at.now);
    let done = job.worked + job.run_time(world.active(at.now));
    let rest = |length: Span| (length - done).max(Span(1));
    let (median, p90) = (rest(estimate.median), rest(estimate.p90));
    // What it holds while people are asked it holds until they have answered, and works on then.
    match returns::held(world, job, at) {
        Some((likely, late, known)) => Left {
            median: median + likely,
            p90: p90 + late,
            confidence: estimate.confidence.min(known),
        },
        None => Left { median, p90, confidence: estimate.confidence },
    }
}

/// What the run that is over says of others like it; `None` if no process ever ran.
pub fn sample(
    job: &Job,
    stopped_for: Option<StopFor>,
    exit: Option<&Exit>,
    active: Mono,
) -> Option<Sample> {
    job.tasks.iter().find(|task| task.started.is_some())?;
    let ran = job.worked + job.run_time(active);
    let by_itself = match exit {
        Some(Exit::Code(code)) => *code != EXIT_PARKED,
        Some(Exit::Signal(_) | Exit::NotStarted(_) | Exit::Unknown) | None => false,
    };
    let stopped = matches!(stopped_for, Some(why) if why != StopFor::Failure);
    Some(Sample { ran, complete: by_itself && !stopped })
}
