//! What would let a waiting job start, found out by trying it on a copy of the world: a higher
//! quota of its team, a higher priority.

use std::collections::BTreeSet;
use std::sync::Arc;

use crate::base::{At, JobId};
use crate::model::Fact;
use crate::model::job::{Job, JobSpec, State, TaskState};
use crate::model::reason::{Code, Reason};
use crate::model::setup::PRIORITY_MAX;
use crate::model::team::parent;
use crate::sched::actions;
use crate::sched::board::heads::asks;
use crate::sched::explain::gates::in_all;
use crate::sched::index::wants;
use crate::sched::plan::Plan;
use crate::sched::policy::amounts::{Amounts, Bounds, Kind};
use crate::sched::world::World;

/// Kinds of requests that wait, above which nothing is tried: each try is a whole cycle.
const SHAPES: usize = 2000;
/// Priorities that are tried.
const PRIORITIES: usize = 3;

/// What would let it start.
pub(super) fn reasons(world: &World, job: &Job, at: At) -> Vec<Reason> {
    let waits = job.state == State::Queued && !job.frozen;
    if !waits || world.index().queue.len() > SHAPES || world.is_held(&job.spec.team) {
        return Vec::new();
    }
    if starts(world, job.id, at).is_some() {
        // It has its promise, or will start by itself.
        return Vec::new();
    }
    quota(world, job, at).into_iter().chain(priority(world, job, at)).collect()
}

/// Whether a job starts or is promised room in such a world, and who gives it.
fn starts(world: &World, id: JobId, at: At) -> Option<Vec<JobId>> {
    let mut plan = Plan::new(world, at);
    actions::pass(&mut plan, |_| true);
    let (facts, world) = plan.commit();
    let job = world.job(id)?;
    let has = |state: TaskState| state.is_active() || state == TaskState::Nominated;
    if !job.tasks.iter().any(|task| has(task.state)) {
        return None;
    }
    let gives = facts.iter().filter_map(|fact| match fact {
        Fact::JobEvicted { job, eviction } if eviction.taker == Some(id) => Some(*job),
        _ => None,
    });
    Some(gives.collect())
}

fn given(reason: Reason, gives: &[JobId]) -> Reason {
    let names: Vec<String> = gives.iter().map(ToString::to_string).collect();
    if names.is_empty() { reason } else { reason.with("jobs", names.join(", ")) }
}

/// The quota that would do, for its team and those above it.
fn quota(world: &World, job: &Job, at: At) -> Option<Reason> {
    let (shape, _) = wants(job)?;
    let need = Amounts::from(&asks(&shape));
    let team = world.teams.get(&job.spec.team)?;
    let (held, _) = in_all(world, &team.name);
    let enough = held.plus(&need);
    let short = |kind: &Kind| {
        let quota = team.terms.quota.get(*kind);
        need.get(*kind) > 0 && quota.is_some_and(|quota| quota < enough.get(*kind))
    };
    let kind = Kind::SCARCEST.into_iter().find(short)?;
    let enough = enough.get(kind);
    let mut other = world.clone();
    let mut line = Some(&*job.spec.team);
    while let Some(name) = line {
        line = parent(name);
        let above = in_all(world, name).0.plus(&need);
        let Some(team) = other.teams.get_mut(name) else { continue };
        let quota = team.terms.quota;
        let raised = |kind| quota.get(kind).map(|quota| quota.max(above.get(kind)));
        team.terms.quota = Bounds::each(raised);
    }
    let gives = starts(&other, job.id, at)?;
    let unit = kind.unit_name();
    let reason = Reason::bare(Code::QuotaWouldDo)
        .with("team", &*job.spec.team)
        .with(&format!("quota_{unit}"), enough);
    Some(given(reason, &gives))
}

/// The lowest priority that would do: just above one of those who run in its team.
fn priority(world: &World, job: &Job, at: At) -> Option<Reason> {
    let places = world.index().givers.get(&job.spec.team)?;
    let above = places.keys().map(|place| place.own.saturating_add(1));
    let tries: BTreeSet<u16> =
        above.filter(|p| *p > job.priority() && *p <= PRIORITY_MAX).collect();
    tries.into_iter().take(PRIORITIES).find_map(|priority| {
        let mut other = world.clone();
        let spec = JobSpec { priority, ..JobSpec::clone(&job.spec) };
        other.put_job(Job { spec: Arc::new(spec), ..job.clone() });
        let gives = starts(&other, job.id, at)?;
        let reason = Reason::bare(Code::PriorityWouldDo)
            .with("job", job.id.0)
            .with("priority", u64::from(priority));
        Some(given(reason, &gives))
    })
}
