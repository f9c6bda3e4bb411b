//! From a published world to the pages readers get. Runs beside the loop, on a clone.

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::base::{At, JobId, Name, Wall};
use crate::engine::metering;
use crate::ledger::kept::idle;
use crate::model::Resources;
use crate::model::estimate::{Confidence, Forecast};
use crate::model::history::Minute;
use crate::model::job::{GpuShare, Job, State, TaskState};
use crate::model::page::{
    Asked, CountableRow, Cursor, Ended, EvictedBy, JobDetail, JobPage, JobRow, KeptFor, KeptRoom,
    Lane, NodeRow, OnGpu, Query, Summary,
};
use crate::model::program::Program;
use crate::model::team::{DEFAULT_TEAM, Team, Terms};
use crate::sched::future::estimate;
use crate::sched::review::returns;
use crate::sched::{World, explain, order};

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
    let belongs = |job: &Job| {
        (Lane::of(job) != Lane::Ended || ended_belongs(job, query.ended))
            && may_see(job)
            && query.filter.matches(job, at)
    };
    let row = |job: &Arc<Job>| row(world, job, at, program(job));
    let mut rows: Vec<JobRow>;
    if query.ids.is_empty() {
        // One more than is wanted shows whether there are more.
        let found = listed(world, query).filter(|job| belongs(job)).take(query.limit + 1);
        rows = found.map(row).collect();
    } else {
        let named = query.ids.iter().filter_map(|id| world.job(*id));
        rows = named.filter(|job| belongs(job)).map(row).collect();
        rows.sort_by_key(JobRow::place);
    }
    let more = rows.len() > query.limit;
    rows.truncate(query.limit);
    let next = rows.last().filter(|_| more).map(JobRow::place);
    if query.before.is_some() {
        rows.reverse();
    }
    JobPage { jobs: rows, next, counts: world.index().counts(), seq, at }
}

/// Jobs in the order of the list, or back from where the query says.
fn listed<'a>(world: &'a World, query: &Query) -> Box<dyn Iterator<Item = &'a Arc<Job>> + 'a> {
    let key = |cursor: Cursor| ((cursor.place.0, cursor.place.1), JobId(cursor.place.2));
    let ended = query.ended;
    if let Some(before) = query.before {
        let lanes = LANES.into_iter().rev().filter(move |lane| *lane <= before.lane);
        let back = lanes.flat_map(move |lane| {
            world.index().lane_back(lane, (lane == before.lane).then(|| key(before)))
        });
        return Box::new(back.filter_map(|(_, id)| world.job(id)));
    }
    let cursor = query.cursor;
    let lanes = LANES.into_iter().filter(move |lane| cursor.is_none_or(|at| at.lane <= *lane));
    let forth = lanes.flat_map(move |lane| {
        let after = cursor.filter(|at| at.lane == lane).map(key);
        let jobs = world.index().lane(lane, after).filter_map(|(_, id)| world.job(id));
        // Ended jobs come latest first: none after one that does not belong belongs either.
        jobs.take_while(move |job| lane != Lane::Ended || ended_belongs(job, ended))
    });
    Box::new(forth)
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
    let ends = ends(world, job, at);
    let (command, cwd) = program.map(|p| (p.argv, p.cwd)).unwrap_or_default();
    JobRow {
        id: job.id,
        name: spec.name.clone(),
        team: spec.team.clone(),
        priority: spec.priority,
        lifted: job.sort_priority(),
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
        expected_start: returns::answer(world, job, at),
        expected_end: ends.map(|(likely, _)| likely),
        latest_end: ends.map(|(_, late)| late),
        kept: kept(job, at),
        evicted_by: evicted_by(job),
        exit: job.exit.clone(),
        labels: spec.labels.clone(),
        command,
        cwd,
        nodes: nodes.into_iter().collect(),
        parent: spec.parent,
        step: spec.step,
        array: spec.array,
        holds: holds(job),
        open_reviews: job.asking.open.iter().map(|open| open.review).collect(),
        answered: job.asking.answered.filter(|_| job.asking.returning),
        prompt: job.prompt.clone(),
        progress: job.progress.clone(),
        findings: job.findings.values().cloned().collect(),
        cancel_at: job.cancel.as_ref().map(|cancel| cancel.due.wall),
        acked: job.acked.clone(),
        pty: spec.pty,
        order: order(job),
        preemptible: spec.preemptible,
        deadline: spec.deadline,
    }
}

/// What its tasks hold now; frozen ones keep memory and devices only, and may lend those.
pub(super) fn holds(job: &Job) -> Resources {
    let mut holds = Resources::default();
    for task in job.active_tasks() {
        let request = job.spec.request_of_task(task);
        let gpu_milli = if task.lent.is_empty() { request.gpu_milli } else { 0 };
        holds.add(&Resources { gpu_milli, ..request.clone() });
    }
    match job.frozen {
        false => holds,
        true => Resources { cpu_milli: 0, custom: BTreeMap::new(), ..holds },
    }
}

/// Fills in when jobs will probably start.
pub fn foresee<'a>(
    rows: impl IntoIterator<Item = &'a mut JobRow>,
    forecasts: &BTreeMap<JobId, Forecast>,
) {
    for row in rows {
        // One that waits for people has its own.
        let known = forecasts.get(&row.id).copied();
        row.expected_start = known.or(row.expected_start);
    }
}

/// When it is over if it takes as long as half of its like do, and if as long as nine of ten;
/// unknown where nothing is known.
fn ends(world: &World, job: &Job, at: At) -> Option<(Wall, Wall)> {
    job.ran_since?;
    let left = estimate::left(world, job, at);
    let known = left.confidence > Confidence::None;
    known.then(|| (at.wall + left.median, at.wall + left.p90.max(left.median)))
}

/// The room that is kept for it, by the calendar.
fn kept(job: &Job, at: At) -> Option<KeptRoom> {
    let reserved = job.reserved.as_deref()?;
    let from = at.wall + reserved.at.since(at.now);
    Some(KeptRoom { from, nodes: reserved.room.keys().cloned().collect() })
}

/// Who took its room, while it stops or waits to get some back.
fn evicted_by(job: &Job) -> Option<EvictedBy> {
    let waits = matches!(job.state, State::Queued | State::Waiting(_) | State::Stopping(_));
    job.evicted.as_deref().filter(|_| waits).map(|(eviction, _)| eviction.into())
}

/// For whom room of a node is kept, who is first first.
fn kept_on(world: &World, node: &str, at: At) -> Vec<KeptFor> {
    let holders = world.index().reserved().filter_map(|(_, job)| world.job(job));
    let here = holders.filter_map(|job| {
        let reserved = job.reserved.as_deref()?;
        let room = reserved.room.get(node)?.clone();
        let from = at.wall + reserved.at.since(at.now);
        let expected = estimate::of_job(world, job, at.now);
        let left = expected.median - job.worked;
        let until = (expected.confidence > Confidence::None).then(|| from + left);
        Some(KeptFor { job: job.id, from, until, room })
    });
    here.collect()
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
        expected: job.is_live().then(|| estimate::of_job(world, job, at.now)),
        requeue: spec.requeue,
        resumable: spec.resumable,
        retry: spec.retry,
        asked: Asked::from(&**spec),
        evicted: job.evicted.as_deref().cloned(),
        steps: world
            .desk()
            .of_job(job.id)
            .filter_map(|review| Some((review.id, review.step.as_deref()?.clone())))
            .collect(),
        env_names,
    }
}

/// What every header shows.
pub fn summary(world: &World, seq: u64, at: At) -> Summary {
    let held = world.paused().cloned();
    let mut devices = on_devices(world);
    let paused_teams =
        world.teams().filter_map(|team| Some((team.name.clone(), team.paused.clone()?))).collect();
    Summary {
        counts: world.index().counts(),
        // A node that is gone is shown as long as something still runs there.
        nodes: world
            .nodes()
            .map(|node| NodeRow {
                on_gpus: devices.remove(&node.name).unwrap_or_default(),
                ..node_row(world, node, at)
            })
            .filter(|row| row.up || row.tasks > 0)
            .collect(),
        countables: countables(world, at),
        paused: held,
        paused_teams,
        kept_day: None,
        teams: world.teams().any(in_use),
        seq,
        at,
    }
}

/// A team that somebody made, or gave terms.
fn in_use(team: &Team) -> bool {
    *team.name != *DEFAULT_TEAM || team.terms != Terms::default()
}

/// What charts show of a moment.
pub fn minute(world: &World) -> Minute {
    let counts = world.index().counts();
    let mut now = Minute { running: counts.running, queued: counts.queued, ..Minute::default() };
    for node in world.nodes() {
        let held = world.index().used(&node.name).held;
        now.cpu_milli = now.cpu_milli.saturating_add(held.cpu_milli);
        now.gpu_milli = now.gpu_milli.saturating_add(held.gpu_milli);
    }
    now
}

/// Jobs on devices, by node; of each node by device.
fn on_devices(world: &World) -> BTreeMap<Name, Vec<OnGpu>> {
    let held = world.index().uses().flat_map(|(_, used)| used.gpus.values());
    // What is frozen has devices and may stand among thousands that wait: they are looked at only
    // as long as something that is held was not found yet.
    let mut missing: u64 = held.sum();
    let mut all: BTreeMap<Name, Vec<OnGpu>> = BTreeMap::new();
    let lanes = [Lane::Human, Lane::Running, Lane::Queued].into_iter();
    for (_, id) in lanes.flat_map(|lane| world.index().lane(lane, None)) {
        if missing == 0 {
            break;
        }
        let Some(job) = world.job(id) else { continue };
        for placement in job.active_tasks().filter_map(|task| task.placement.as_ref()) {
            for GpuShare { index, milli } in &placement.gpus {
                missing = missing.saturating_sub(*milli);
                let here = all.entry(placement.node.clone()).or_default();
                match here.iter_mut().find(|on| (on.index, on.job) == (*index, id)) {
                    Some(on) => on.milli += milli,
                    None => here.push(OnGpu { index: *index, job: id, milli: *milli }),
                }
            }
        }
    }
    all.values_mut().for_each(|here| here.sort_by_key(|on| (on.index, on.job)));
    all
}

fn node_row(world: &World, node: &crate::model::Node, at: At) -> NodeRow {
    let used = world.index().used(&node.name);
    let kept = kept_on(world, &node.name, at);
    let idle = idle(node, metering::held(world, node), kept.iter().map(|kept| &kept.room));
    let reserved = Resources {
        cpu_milli: idle.cpu_milli,
        mem_bytes: idle.mem_bytes,
        gpu_milli: idle.gpus.iter().map(|share| share.milli).sum(),
        ..Resources::default()
    };
    let foreign = node.gpus.iter().filter(|gpu| gpu.foreign.is_some()).count() as u64;
    NodeRow {
        name: node.name.clone(),
        up: node.up,
        capacity: node.capacity.clone(),
        used: used.held,
        reserved,
        kept,
        foreign: Resources { gpu_milli: foreign * 1000, ..Resources::default() },
        gpus: node.gpus.clone(),
        on_gpus: Vec::new(),
        drain: node.drain.clone(),
        warning: node.warning.clone(),
        tasks: used.tasks,
        traits: node.traits.clone(),
    }
}

fn countables(world: &World, at: At) -> Vec<CountableRow> {
    let configured = world.setup().resources.keys().cloned();
    let held = world.index().custom().map(|(name, _)| name.clone());
    let limited = world.limited().map(|(name, _)| name.clone());
    let names: std::collections::BTreeSet<_> = configured.chain(held).chain(limited).collect();
    let row = |name: crate::base::Name| {
        let countable = world.countable(&name)?;
        Some(CountableRow {
            count: countable.count,
            used: world.index().custom_held(&name),
            per_minute: countable.per_minute,
            taken: world.taken(&name, at.now),
            limited: world.limit_of(&name, at.wall).cloned(),
            name,
        })
    };
    names.into_iter().filter_map(row).collect()
}
