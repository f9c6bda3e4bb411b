//! From a published world to the pages readers get. Runs beside the loop, on a clone.

use std::collections::BTreeMap;

use crate::base::{At, JobId, Wall};
use crate::model::Resources;
use crate::model::job::{Job, TaskState};
use crate::model::page::{
    Asked, CountableRow, Cursor, Ended, JobDetail, JobPage, JobRow, Lane, NodeRow, Query, Summary,
};
use crate::model::program::Program;
use crate::sched::World;
use crate::sched::explain;

/// The lanes in the order of the home list.
const LANES: [Lane; 4] = [Lane::Human, Lane::Running, Lane::Queued, Lane::Ended];

/// A page by urgency. `program` looks up what a job executes.
pub fn jobs(
    world: &World,
    seq: u64,
    at: At,
    query: &Query,
    may_see: &dyn Fn(&Job) -> bool,
    program: &dyn Fn(&Job) -> Option<Program>,
) -> JobPage {
    let mut jobs = Vec::new();
    let mut next = None;
    'lanes: for lane in LANES {
        let after = match query.cursor {
            Some(cursor) if cursor.lane > lane => continue,
            Some(cursor) if cursor.lane == lane => {
                let (first, second, id) = cursor.place;
                Some(((first, second), JobId(id)))
            }
            _ => None,
        };
        for (order, id) in world.index().lane(lane, after) {
            let Some(job) = world.job(id) else { continue };
            if lane == Lane::Ended && !ended_belongs(job, query.ended) {
                // Ended jobs come latest first: none after this one belongs either.
                break;
            }
            if !may_see(job) || !query.filter.matches(&**job, at) {
                continue;
            }
            if jobs.len() == query.limit {
                next = jobs.last().map(|(cursor, _): &(Cursor, JobRow)| *cursor);
                break 'lanes;
            }
            let cursor = Cursor { lane, place: (order.0, order.1, id.0) };
            jobs.push((cursor, row(world, job, at, program(job))));
        }
    }
    let jobs = jobs.into_iter().map(|(_, row)| row).collect();
    JobPage { jobs, next, counts: world.index().counts(), seq, at }
}

fn ended_belongs(job: &Job, ended: Ended) -> bool {
    match ended {
        Ended::None => false,
        Ended::All => true,
        Ended::Since(mark) => job.ended.is_some_and(|at| at.wall > mark),
    }
}

/// One row.
pub fn row(world: &World, job: &Job, at: At, program: Option<Program>) -> JobRow {
    let spec = &job.spec;
    let running = job.tasks.iter().filter(|t| t.state == TaskState::Running).count();
    let placed = job.tasks.iter().filter_map(|task| Some(task.placement.as_ref()?.node.clone()));
    let nodes: std::collections::BTreeSet<_> = placed.collect();
    let (command, cwd) = program.map(|p| (p.argv, p.cwd)).unwrap_or_default();
    JobRow {
        id: job.id,
        name: spec.name.clone(),
        team: spec.team.clone(),
        priority: spec.priority,
        owner: job.owner.clone(),
        state: job.state.clone(),
        since: job.since,
        hold: job.hold.clone(),
        frozen: job.frozen,
        lane: Lane::of(job),
        reason: explain::reason(world, job, at),
        request: spec.request.clone(),
        gang: spec.gang,
        gang_running: u32::try_from(running).unwrap_or(u32::MAX),
        attempt: job.attempt,
        submitted: job.submitted,
        started: job.started,
        ended: job.ended,
        expected_end: expected_end(world, job, at),
        exit: job.exit.clone(),
        labels: spec.labels.clone(),
        command,
        cwd,
        nodes: nodes.into_iter().collect(),
        parent: spec.parent,
        array: spec.array,
        holds: holds(job),
        prompt: job.prompt.clone(),
        progress: job.progress.clone(),
        findings: job.findings.values().cloned().collect(),
        cancel_at: job.cancel.as_ref().map(|cancel| cancel.due.wall),
        acked: job.acked.clone(),
        pty: spec.pty,
        preemptible: spec.preemptible,
        deadline: spec.deadline,
    }
}

/// What its tasks hold now; frozen ones keep memory and devices only.
pub(super) fn holds(job: &Job) -> Resources {
    let mut holds = Resources::default();
    job.active_tasks().for_each(|task| holds.add(job.spec.request_of_task(task)));
    match job.frozen {
        false => holds,
        true => Resources { cpu_milli: 0, custom: BTreeMap::new(), ..holds },
    }
}

/// When it is over if it keeps its own estimate, else its limit.
fn expected_end(world: &World, job: &Job, at: At) -> Option<Wall> {
    job.ran_since?;
    let length = job.spec.estimate.or(job.spec.time_limit)?;
    Some(at.wall + (length - job.run_time(world.active(at.now))))
}

/// Everything about one job.
pub fn detail(
    world: &World,
    job: &Job,
    at: At,
    program: Option<Program>,
    env_names: Vec<String>,
) -> JobDetail {
    let spec = &job.spec;
    JobDetail {
        row: row(world, job, at, program),
        tasks: job.tasks.clone(),
        attempts: job.attempts.clone(),
        after: spec.after.clone(),
        checkpoint: job.checkpoint.clone(),
        usage: job.usage.clone(),
        start_at: spec.start_at,
        time_limit: spec.time_limit,
        estimate: spec.estimate,
        requeue: spec.requeue,
        resumable: spec.resumable,
        retry: spec.retry,
        asked: Asked::from(&**spec),
        evicted: job.evicted.as_deref().cloned(),
        env_names,
    }
}

/// What every header shows.
pub fn summary(world: &World, seq: u64, at: At) -> Summary {
    let held = world.paused().cloned();
    let paused_teams =
        world.teams().filter_map(|team| Some((team.name.clone(), team.paused.clone()?))).collect();
    Summary {
        counts: world.index().counts(),
        // A node that is gone is shown as long as something still runs there.
        nodes: world
            .nodes()
            .map(|node| node_row(world, node))
            .filter(|row| row.up || row.tasks > 0)
            .collect(),
        countables: countables(world, at),
        paused: held,
        paused_teams,
        seq,
        at,
    }
}

fn node_row(world: &World, node: &crate::model::Node) -> NodeRow {
    let used = world.index().used(&node.name);
    let foreign = node.gpus.iter().filter(|gpu| gpu.foreign.is_some()).count() as u64;
    NodeRow {
        name: node.name.clone(),
        up: node.up,
        capacity: node.capacity.clone(),
        used: used.held,
        foreign: Resources { gpu_milli: foreign * 1000, ..Resources::default() },
        gpus: node.gpus.clone(),
        drain: node.drain.clone(),
        warning: node.warning.clone(),
        tasks: used.tasks,
        traits: node.traits.clone(),
    }
}

fn countables(world: &World, at: At) -> Vec<CountableRow> {
    let configured = world.setup().resources.keys().cloned();
    let held = world.index().custom().map(|(name, _)| name.clone());
    let names: std::collections::BTreeSet<_> = configured.chain(held).collect();
    let row = |name: crate::base::Name| {
        let countable = world.countable(&name)?;
        Some(CountableRow {
            count: countable.count,
            used: world.index().custom_held(&name),
            per_minute: countable.per_minute,
            taken: world.taken(&name, at.now),
            name,
        })
    };
    names.into_iter().filter_map(row).collect()
}
