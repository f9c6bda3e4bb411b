//! Keeps true what lifts jobs: boosts for waiting and for deadlines, the latest start, and the
//! priority of those who wait (DESIGN.md 5.5 and 5.6). Each may be switched off by name:
//! `ageing`, `deadline`, `retry`, `inheritance`.
//!
//! Looks only at what changed since the last time and at timers that are due, so that a cycle
//! costs nothing per waiting job.

mod demand;
mod inheritance;

use std::collections::BTreeSet;

use crate::base::{JobId, Mono, Span, Wall};
use crate::model::Fact;
use crate::model::estimate::Confidence;
use crate::model::finding::{Level, Signal};
use crate::model::job::{BoostCause, Job, State};
use crate::model::reason::{Numbers, Value};
use crate::sched::actions::urgency::demand::Demands;
use crate::sched::decide::life;
use crate::sched::future::estimate;
use crate::sched::plan::Plan;
use crate::sched::policy::boost;
use crate::sched::policy::deadline::Due;
use crate::sched::world::World;

/// Jobs that age in one instant at most; the others follow in the next: whoever submits a
/// hundred thousand jobs at once shall not stop the server half an hour later.
pub const AGED_AT_ONCE: u32 = 1000;

/// Looks at what the facts from `from` on changed and at what is due. Answers up to which fact
/// it has looked, and whether it changed anything.
pub fn run(plan: &mut Plan, from: usize) -> (usize, bool) {
    let before = plan.facts().len();
    let touched = Touched::by(plan.world(), plan.facts().get(from..).unwrap_or_default());
    if touched.anew {
        take_back_what_is_off(plan);
    }
    age(plan);
    let mut demands = Demands::default();
    for job in touched.jobs.iter().copied().chain(due(plan)) {
        meet_deadline(plan, job, &mut demands);
    }
    inheritance::run(plan, from, touched.anew);
    let changed = plan.facts().get(before..).unwrap_or_default().iter().any(reorders);
    (plan.facts().len(), changed)
}

/// Whether a fact changes who goes before whom.
fn reorders(fact: &Fact) -> bool {
    matches!(fact, Fact::JobBoosted { .. } | Fact::JobDue { .. } | Fact::JobInherits { .. })
}

/// Live jobs of which something changed that matters here.
struct Touched {
    jobs: BTreeSet<JobId>,
    /// The rules themselves changed: all jobs are looked at.
    anew: bool,
}

impl Touched {
    fn by(world: &World, facts: &[Fact]) -> Touched {
        let anew = facts.iter().any(|fact| matches!(fact, Fact::Configured(_)));
        let matters = |fact: &&Fact| {
            matches!(
                fact,
                Fact::JobSubmitted { .. }
                    | Fact::JobQueued { .. }
                    | Fact::JobChanged { .. }
                    | Fact::JobPaused { .. }
                    | Fact::JobWaits { .. }
                    | Fact::TaskStarted { .. }
                    | Fact::JobThawed { .. }
            )
        };
        let live = |id: &JobId| world.job(*id).is_some_and(|job| job.is_live());
        let jobs = match anew {
            true => world.jobs().filter(|job| job.is_live()).map(|job| job.id).collect(),
            false => facts.iter().filter(matters).filter_map(Fact::job).filter(live).collect(),
        };
        Touched { jobs, anew }
    }
}

/// A boost whose rule is switched off ends.
fn take_back_what_is_off(plan: &mut Plan) {
    let off = |cause: &BoostCause| !plan.world().setup().cycle.on(cause.word());
    for cause in BoostCause::ALL.into_iter().filter(off).collect::<Vec<_>>() {
        let boosted = plan.world().jobs().filter(|job| job.is_live() && job.boosts.of(cause) > 0);
        let boosted: Vec<JobId> = boosted.map(|job| job.id).collect();
        boosted.into_iter().for_each(|job| set_boost(plan, job, cause, 0));
    }
}

/// Sorts a job so many steps higher, if that is news and the rule is in force.
pub fn set_boost(plan: &mut Plan, id: JobId, cause: BoostCause, steps: u8) {
    let steps = if plan.world().setup().cycle.on(cause.word()) { steps } else { 0 };
    if plan.job(id).is_some_and(|job| job.boosts.of(cause) != steps) {
        plan.note(Fact::JobBoosted { job: id, cause, steps });
    }
}

/// Jobs that have waited for long go up.
fn age(plan: &mut Plan) {
    let cycle = &plan.world().setup().cycle;
    if !cycle.on(BoostCause::Ageing.word()) {
        return;
    }
    let (patience, now) = (cycle.patience, plan.at().now);
    let left = AGED_AT_ONCE.saturating_sub(plan.world().aged_now(now));
    let mut old: Vec<(Mono, JobId)> = Vec::new();
    for (steps, jobs) in &plan.world().index().ageing {
        let due = |(since, _): &&(Mono, JobId)| {
            boost::next_ageing(*since, *steps, patience).is_some_and(|due| due <= now)
        };
        old.extend(jobs.iter().take_while(due).take(usize::try_from(left).unwrap_or(0)));
    }
    old.sort_unstable();
    old.truncate(usize::try_from(left).unwrap_or(0));
    for (since, job) in old {
        let steps = boost::ageing(now.since(since), patience);
        set_boost(plan, job, BoostCause::Ageing, steps);
    }
}

/// When the next job goes up for waiting.
pub fn next_ageing(world: &World, now: Mono) -> Option<Mono> {
    let cycle = &world.setup().cycle;
    if !cycle.on(BoostCause::Ageing.word()) {
        return None;
    }
    let oldest = world.index().ageing.iter().filter_map(|(steps, jobs)| {
        let (since, _) = jobs.get_min()?;
        boost::next_ageing(*since, *steps, cycle.patience)
    });
    // Those for whom there was no time follow soon.
    oldest.min().map(|due| if due > now { due } else { now + Span::secs(1) })
}

/// Jobs whose deadline makes a difference by now.
fn due(plan: &Plan) -> Vec<JobId> {
    let until = (plan.at().wall, JobId(u64::MAX));
    plan.world().index().due.range(..=until).map(|(_, job)| *job).collect()
}

/// Sees to it that a job's latest start, its boost and its finding are those of now.
fn meet_deadline(plan: &mut Plan, id: JobId, demands: &mut Demands) {
    let Some(job) = plan.job(id).filter(|job| job.is_live()) else { return };
    let wall = plan.at().wall;
    let on = plan.world().setup().cycle.on(BoostCause::Deadline.word());
    let due = job.spec.deadline.filter(|_| on);
    let due = due.map(|deadline| Due { deadline, p90: p90(plan.world(), &job) });
    let latest_start = due.map(|due| due.latest_start());
    if job.latest_start != latest_start {
        plan.note(Fact::JobDue { job: id, latest_start });
    }
    if job.state == State::Queued {
        let steps = due.map_or(0, |due| due.steps(wall));
        set_boost(plan, id, BoostCause::Deadline, steps);
    }
    let ran = job.run_time(plan.active());
    let waits = job.active_tasks().next().is_none();
    let demand = due.filter(|_| waits).and_then(|due| demands.of(plan, &job, due.deadline));
    let level = due.and_then(|due| due.risk(wall, ran)).or(demand.map(|_| Level::Notice));
    let mut evidence = due.map(|due| evidence(due, wall, ran)).unwrap_or_default();
    evidence.extend(demand.map(|percent| ("demand_percent".into(), Value::from(percent))));
    life::find(plan, id, Signal::DeadlineAtRisk, level, &evidence);
}

/// What nine of ten such runs take at most, as far as it is known: an estimate that is not worth
/// anything alarms nobody.
fn p90(world: &World, job: &Job) -> Span {
    let estimate = estimate::of_spec(world, &job.spec);
    if estimate.confidence == Confidence::None { Span::ZERO } else { estimate.p90 }
}

fn evidence(due: Due, wall: Wall, ran: Span) -> Numbers {
    let left = Span(due.p90.0.saturating_sub(ran.0));
    let ends = wall + left;
    [
        ("deadline_at".into(), Value::from(due.deadline.0)),
        ("expected_ms".into(), Value::from(left.0)),
        ("late_ms".into(), Value::from(ends.since(due.deadline).0)),
    ]
    .into()
}
