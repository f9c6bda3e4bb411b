//! What would happen if: a command is decided on a copy of the world, and told apart from what
//! would happen anyway. The world itself is not touched.

use std::collections::{BTreeMap, BTreeSet};

use crate::base::{At, JobId, Name, Span, Wall};
use crate::model::estimate::Forecast;
use crate::model::job::State;
use crate::model::outlook::{Outlook, Shift, Start, Taken};
use crate::model::refusal::Refusal;
use crate::model::{Command, Fact};
use crate::sched::decide::{Decision, decide};
use crate::sched::future::forecast::forecasts;
use crate::sched::world::World;

/// A forecast that moves by less does not change.
const LITTLE: Span = Span::secs(5);

/// What would happen if these commands came now, one after the other. The first `most` waiting
/// jobs are looked at.
///
/// # Errors
/// What the core would refuse.
pub fn outlook(
    world: &World,
    commands: &[Command],
    at: At,
    most: usize,
) -> Result<Outlook, Refusal> {
    let before = forecasts(world, at, most);
    let (mut then, mut facts, mut made) = (world.clone(), Vec::new(), Vec::new());
    for command in commands {
        let Decision { facts: more, world, jobs, .. } = decide(&then, command, at)?;
        facts.extend(more);
        made.extend(jobs);
        then = world;
    }
    let after = forecasts(&then, at, most);
    let started: BTreeSet<JobId> = starts(&facts).into_keys().collect();
    let name = |id: JobId| {
        let job = then.job(id).or_else(|| world.job(id));
        job.map(|job| job.spec.name.clone()).unwrap_or_default()
    };
    let start = |(job, nodes): (JobId, BTreeSet<Name>)| Start {
        job,
        name: name(job),
        nodes: nodes.into_iter().collect(),
    };
    Ok(Outlook {
        starts: starts(&facts).into_iter().map(start).collect(),
        evictions: evictions(&facts, name),
        shifts: shifts(&before, &after, &started, |id| (name(id), back(&then, id))),
        made,
    })
}

/// Where jobs start.
fn starts(facts: &[Fact]) -> BTreeMap<JobId, BTreeSet<Name>> {
    let mut starts: BTreeMap<JobId, BTreeSet<Name>> = BTreeMap::new();
    for fact in facts {
        if let Fact::TaskPlaced { task, placement, .. } = fact {
            starts.entry(task.job).or_default().insert(placement.node.clone());
        }
    }
    starts
}

fn evictions(facts: &[Fact], name: impl Fn(JobId) -> Name) -> Vec<Taken> {
    let taken = facts.iter().filter_map(|fact| match fact {
        Fact::JobEvicted { job, eviction } => Some(Taken {
            job: *job,
            name: name(*job),
            rule: eviction.rule,
            taker: eviction.taker,
            moved: eviction.moved,
        }),
        _ => None,
    });
    taken.collect()
}

/// For a job that people are asked about, on which nodes room is kept for when it is back.
fn back(world: &World, id: JobId) -> Option<Vec<Name>> {
    let job = world.job(id).filter(|job| job.state == State::InReview)?;
    let kept = job.reserved.iter().flat_map(|reserved| reserved.room.keys());
    Some(kept.cloned().collect())
}

/// Whose forecast changes; those that start are told apart.
fn shifts(
    before: &BTreeMap<JobId, Forecast>,
    after: &BTreeMap<JobId, Forecast>,
    started: &BTreeSet<JobId>,
    about: impl Fn(JobId) -> (Name, Option<Vec<Name>>),
) -> Vec<Shift> {
    let jobs: BTreeSet<JobId> = before.keys().chain(after.keys()).copied().collect();
    let same = |a: &Forecast, b: &Forecast| {
        let near = |a: Wall, b: Wall| a.since(b).max(b.since(a)) < LITTLE;
        near(a.from, b.from) && near(a.to, b.to)
    };
    let shift = |job: JobId| {
        let (before, after) = (before.get(&job).copied(), after.get(&job).copied());
        let unchanged = match (&before, &after) {
            (Some(before), Some(after)) => same(before, after),
            (None, None) => true,
            _ => false,
        };
        let told = unchanged || started.contains(&job);
        (!told).then(|| {
            let (name, back) = about(job);
            let (returns, kept_on) = (back.is_some(), back.unwrap_or_default());
            Shift { job, name, before, after, returns, kept_on }
        })
    };
    jobs.into_iter().filter_map(shift).collect()
}
