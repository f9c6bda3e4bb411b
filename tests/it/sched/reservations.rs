//! Backfill never delays a reserved start computed from the same information.
//!
//! The same decision is taken twice from where it stands, without the steps that take room from
//! others: once as it is, once with nobody let past a reservation. Who gets the first
//! reservation in the second must start no later in the first. So it is without patience; with
//! it, whoever has waited past it goes before others wherever it can, and only what is reserved
//! for the one that has waited longest is comparable.

use holdshort::base::{At, JobId, Mono, Name, Span, TaskId};
use holdshort::model::Fact;
use holdshort::model::command::Command;
use holdshort::model::job::State;
use holdshort::model::setup::Setup;
use holdshort::sched::{World, decide};

/// Steps that take room, and thereby decide for themselves who goes first.
const TAKING: [&str; 4] = ["consolidate", "reclaim", "preempt", "overstayed"];

/// Reserved starts that letting others in has delayed.
pub fn delayed(before: &World, command: &Command, facts: &[Fact], at: At) -> Vec<String> {
    let on = |name| before.setup().cycle.on(name);
    let placed = facts.iter().any(|fact| matches!(fact, Fact::TaskPlaced { .. }));
    // A change of what is switched on is none of the same information.
    let told = matches!(command, Command::Configure(_));
    if !placed || !on("reservation") || !on("backfill") || told {
        return Vec::new();
    }
    let patience = before.setup().cycle.patience;
    [Span::ZERO, patience].iter().filter_map(|it| delayed_one(before, command, at, *it)).collect()
}

fn delayed_one(before: &World, command: &Command, at: At, patience: Span) -> Option<String> {
    let (facts, strict) = after(before, command, at, patience, true)?;
    // Nor is a node that comes because nobody was let in.
    if facts.iter().any(|fact| matches!(fact, Fact::PoolGrew { .. })) {
        return None;
    }
    let job = facts.iter().find_map(|fact| match fact {
        Fact::ReservationMade { job, .. } => Some(*job),
        _ => None,
    })?;
    let queued = strict.jobs().filter(|job| job.state == State::Queued);
    let longest = queued.map(|job| (job.since.now, job.id)).min()?;
    if patience > Span::ZERO && (longest.1 != job || at.now.since(longest.0) < patience) {
        return None;
    }
    // Passes of one decision work it out anew: what counts is when it starts in the end.
    let due = start(&strict, job, at)?;
    let (facts, world) = after(before, command, at, patience, false)?;
    // One whose team got room beside it comes later in the order of teams, or has none now.
    let side = |job: JobId| world.job(job).map(|job| job.spec.team.split('/').next());
    let got = |world: &World, job: JobId| {
        world.job(job).is_some_and(|job| job.active_tasks().count() > 0)
    };
    let beside = facts.iter().any(|fact| match fact {
        Fact::TaskPlaced { task: TaskId { job: other, .. }, .. } => {
            *other != job && side(*other) == side(job) && !got(&strict, *other)
        }
        _ => false,
    });
    if beside {
        return None;
    }
    let start = start(&world, job, at).filter(|start| *start > due)?;
    Some(format!(
        "job {job} would start at {due:?}, and at {start:?} behind those that were let past it \
         (patience {patience:?})"
    ))
}

/// When a job starts, or what is reserved for it does.
fn start(world: &World, job: JobId, at: At) -> Option<Mono> {
    let job = world.job(job)?;
    let runs = job.active_tasks().next().is_some();
    job.reserved.as_ref().map(|reserved| reserved.at).or_else(|| runs.then_some(at.now))
}

fn after(
    before: &World,
    command: &Command,
    at: At,
    patience: Span,
    strict: bool,
) -> Option<(Vec<Fact>, World)> {
    let mut world = before.clone();
    let reserved: Vec<JobId> =
        world.jobs().filter(|job| job.reserved.is_some()).map(|job| job.id).collect();
    reserved.into_iter().for_each(|job| world.apply(at, &Fact::ReservationOver { job }));
    let mut setup = Setup::clone(before.setup());
    setup.cycle.patience = patience;
    let backfill = strict.then_some("backfill");
    setup.cycle.off.extend(TAKING.into_iter().chain(backfill).map(Name::from));
    world.apply(at, &Fact::Configured(Box::new(setup)));
    let decision = decide(&world, command, at).ok()?;
    Some((decision.facts, decision.world))
}
