//! Makes a world of a case: every job and task gets where it is by the facts of a real life.

use std::collections::{BTreeMap, BTreeSet};

use crate::base::{At, JobId, Mono, Name, Span, TaskId, Wall};
use crate::model::fact::Class;
use crate::model::job::{Exit, GpuShare, JobSpec, Placement, StopFor, TaskState};
use crate::model::node::{Gpu, Traits};
use crate::model::setup::{Cycle, PlaceBy, ReclaimProtection, Setup};
use crate::model::team::{Bounds, Terms, Weights};
use crate::model::{Fact, Resources, Team};
use crate::sched::World;

use super::case::{Case, Config, JobCase, QueueCase, TaskCase};
use super::check::word;
use super::kinds::{GATED, Kinds, grace, label, milli, seconds, spec};
use crate::sim::conform;

/// A world that a case is played in.
pub struct Stage {
    /// It.
    pub world: World,
    /// When.
    pub now: At,
    /// For each job of the case the rank of each task.
    ranks: Vec<Vec<u32>>,
    /// The same in a new attempt.
    fresh: Vec<Vec<u32>>,
    /// Jobs whose tasks are being stopped for ever.
    stuck: BTreeSet<JobId>,
    /// Jobs that say so of their tasks in another word.
    said_stuck: BTreeSet<JobId>,
}

/// A fact and how long ago it was; older ones come first, then in the order they were added.
type Past = Vec<(Span, usize, Fact)>;

impl Stage {
    /// The stage of a case.
    pub fn of(case: &Case) -> Result<Stage, String> {
        let paths = paths(&case.queues);
        let mut past = Past::new();
        let oldest = case.jobs.iter().map(age).max().unwrap_or(Span::ZERO);
        let long_ago = oldest + Span::hours(24);
        past.push((long_ago, 0, Fact::Configured(Box::new(setup(case, &paths)))));
        for node in nodes(case) {
            past.push((long_ago, 1, node));
        }
        let mut stage = Stage {
            world: World::new(),
            now: At { now: Mono(200_000_000_000), wall: Wall(1_800_000_000_000) },
            ranks: Vec::new(),
            fresh: Vec::new(),
            stuck: BTreeSet::new(),
            said_stuck: BTreeSet::new(),
        };
        let mut devices = Devices::of(case);
        for (at, job) in case.jobs.iter().enumerate() {
            let team = paths.get(&job.queue).ok_or(format!("there is no queue {}", job.queue))?;
            let kinds = Kinds::of(job);
            let id = JobId(at as u64 + 1);
            let spec = spec(job, team.clone(), &kinds);
            live(&mut past, id, job, spec, &kinds, &mut devices);
            if job.stays_releasing || job.tasks.iter().any(|t| t.state == "stuck_releasing") {
                stage.stuck.insert(id);
            }
            if job.tasks.iter().any(|t| t.state == "stuck_releasing") {
                stage.said_stuck.insert(id);
            }
            stage.ranks.push(kinds.ranks.clone());
            stage.fresh.push(kinds.ranks);
        }
        past.sort_by_key(|(ago, order, _)| (std::cmp::Reverse(*ago), *order));
        for (ago, _, fact) in past {
            let Mono(now) = stage.now.now;
            let Wall(wall) = stage.now.wall;
            let back = i64::try_from(ago.0).unwrap_or(i64::MAX);
            let at = At { now: Mono(now - ago.0), wall: Wall(wall - back) };
            stage.world.apply(at, &fact);
        }
        Ok(stage)
    }

    /// Tasks in a state, by number.
    pub fn tasks(&self, which: impl Fn(TaskState) -> bool) -> Vec<TaskId> {
        let of = |job: &std::sync::Arc<crate::model::Job>| {
            let attempt = job.attempt_of_promises();
            let tasks = job.tasks.iter().filter(|task| which(task.state));
            let id = |rank| TaskId { job: job.id, attempt, rank };
            tasks.map(|task| id(task.rank)).collect::<Vec<_>>()
        };
        self.world.jobs().flat_map(of).collect()
    }

    /// Its tasks never end.
    pub fn is_stuck(&self, task: TaskId) -> bool {
        self.stuck.contains(&task.job)
    }

    /// A task has ended: another rank may take its part.
    pub fn follow(&mut self, task: TaskId, world: &World) {
        let Some(at) = usize::try_from(task.job.0).ok().and_then(|n| n.checked_sub(1)) else {
            return;
        };
        let (Some(job), Some(ranks)) = (world.job(task.job), self.ranks.get_mut(at)) else {
            return;
        };
        if job.tasks.is_empty() {
            ranks.clone_from(&self.fresh[at]);
        }
        let over = |task: &crate::model::job::Task| task.given_up && task.state == TaskState::Ended;
        if job.tasks.iter().any(|other| other.rank == task.rank && over(other)) {
            let last = job.tasks.last().map_or(task.rank, |task| task.rank);
            ranks.iter_mut().filter(|rank| **rank == task.rank).for_each(|rank| *rank = last);
        }
    }

    /// Where a task of the case stands: its status, node and devices.
    pub fn standing(&self, at: usize, task: usize) -> (&'static str, Option<String>, Vec<String>) {
        let Some(job) = self.world.job(JobId(at as u64 + 1)) else {
            return ("gone", None, Vec::new());
        };
        let rank = self.ranks[at][task];
        if rank == GATED {
            return ("gated", None, Vec::new());
        }
        let Some(known) = job.tasks.iter().find(|task| task.rank == rank) else {
            return ("pending", None, Vec::new());
        };
        let moved = job.evicted.as_ref().filter(|evicted| evicted.0.moved);
        let status = match known.state {
            TaskState::Stopping if self.said_stuck.contains(&job.id) => "stuck_releasing",
            TaskState::Stopping if moved.is_some() => "pipelined",
            TaskState::Ended => match &known.exit {
                Some(exit) if exit.is_success() => "succeeded",
                _ => "failed",
            },
            state => word(state),
        };
        let placement = known.placement.as_ref();
        let mut node = placement.map(|placement| placement.node.to_string());
        if let Some(evicted) = moved.filter(|_| status == "pipelined") {
            // Ranks in their order go to the named nodes.
            if let Some(crate::model::reason::Value::Text(to)) = evicted.0.numbers.get("to") {
                let moving = job.tasks.iter().filter(|t| t.state == TaskState::Stopping);
                let place = moving.take_while(|t| t.rank != rank).count();
                node = to.split(", ").nth(place).map(str::to_owned);
            }
        }
        // Where a move goes is known by node only.
        let moves = status == "pipelined" && moved.is_some();
        let placement = placement.filter(|_| !moves);
        let gpus = placement.map(|placement| &placement.gpus[..]).unwrap_or_default();
        let devices = gpus.iter().map(|share| share.index.to_string()).collect();
        (status, node, devices)
    }

    /// GPUs of a node that are being released, and that nobody holds.
    pub fn devices(&self, name: &str) -> (f64, f64) {
        let used = self.world.index().used(name);
        let count = self.world.node(name).map_or(0, |node| node.gpus.len());
        let (mut releasing, mut idle) = (0.0, 0.0);
        for index in 0..u32::try_from(count).unwrap_or(0) {
            let gone = used.releasing.as_ref().and_then(|used| used.gpus.get(&index));
            match (used.gpus.get(&index), gone) {
                (None, _) => idle += 1.0,
                (held, gone) if held == gone => releasing += 1.0,
                _ => {}
            }
        }
        (releasing, idle)
    }
}

#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "small and ≥ 0")]
fn bound(number: f64, unit: f64) -> Option<u64> {
    (number >= 0.0).then(|| (number * unit).round() as u64)
}

/// The path of each queue in the tree.
fn paths(queues: &[QueueCase]) -> BTreeMap<String, Name> {
    let parents: BTreeMap<&str, Option<&str>> =
        queues.iter().map(|queue| (&*queue.name, queue.parent.as_deref())).collect();
    let path = |queue: &QueueCase| {
        let mut path = queue.name.clone();
        let mut above = queue.parent.as_deref();
        // A circle ends with the number of queues.
        for _ in queues {
            let Some(name) = above else { break };
            path = format!("{name}/{path}");
            above = parents.get(name).copied().flatten();
        }
        (queue.name.clone(), path.into())
    };
    queues.iter().map(path).collect()
}

/// Whether all queues above one exist.
fn is_rooted(queues: &[QueueCase], queue: &QueueCase) -> bool {
    let parent = |name: &String| queues.iter().find(|known| known.name == *name);
    let mut at = queue;
    for _ in queues {
        let Some(above) = &at.parent else { return true };
        let Some(known) = parent(above) else { return false };
        at = known;
    }
    false
}

fn setup(case: &Case, paths: &BTreeMap<String, Name>) -> Setup {
    // A team is as old as the order in which it is first seen.
    let mut queues: Vec<&QueueCase> = case.queues.iter().collect();
    queues.sort_by_key(|queue| (queue.created_rank, &*queue.name));
    // One whose line does not reach the top is none.
    let queues = queues.into_iter().filter(|queue| is_rooted(&case.queues, queue));
    let team = |queue: &QueueCase| {
        let weight = |weight: f64| bound(weight, 1000.0).unwrap_or(1000);
        let terms = Terms {
            quota: Bounds {
                cpu_milli: bound(queue.quota_cpu_milli, 1.0),
                mem_bytes: bound(queue.quota_mem_bytes, 1.0),
                gpu_milli: bound(queue.quota_gpus, 1000.0),
            },
            limit: Bounds {
                cpu_milli: bound(queue.limit_cpu_milli, 1.0),
                mem_bytes: bound(queue.limit_mem_bytes, 1.0),
                gpu_milli: bound(queue.limit_gpus, 1000.0),
            },
            weight: Weights {
                cpu: weight(queue.overquota_weight_cpu),
                mem: weight(queue.overquota_weight_mem),
                gpu: weight(queue.overquota_weight),
            },
            priority: queue.priority,
            preempt_min_runtime: queue.preempt_min_runtime_s.map(seconds),
            reclaim_min_runtime: queue.reclaim_min_runtime_s.map(seconds),
        };
        Team { name: paths[&queue.name].clone(), terms, ..Team::default() }
    };
    let teams = queues.map(team).collect();
    Setup { teams, cycle: cycle(&case.config), ..Setup::default() }
}

fn cycle(config: &Config) -> Cycle {
    let plain = Cycle::default();
    let spreads = config.only_plugins.iter().flatten().any(|name| name == "device_spread");
    let place = |word: &Option<String>| match word.as_deref() {
        _ if spreads => PlaceBy::Spread,
        Some("spread") => PlaceBy::Spread,
        Some("least_fragmentation") => PlaceBy::LeastFragmentation,
        _ => PlaceBy::BinPack,
    };
    let off = conform::off().into_iter().chain(config.off.iter().map(|name| &**name));
    let by_queue = config.reclaim_resolve_method.as_deref() == Some("queue");
    Cycle {
        off: off.map(Name::from).collect(),
        // Every case is small: a full cycle each time.
        large: u64::MAX,
        reclaim_protection: match by_queue {
            true => ReclaimProtection::Queue,
            false => ReclaimProtection::Lca,
        },
        place_gpu: place(&config.placement_gpu),
        place_cpu: place(&config.placement_cpu),
        stale_grace: config.stale_grace_s.map_or(plain.stale_grace, grace),
        usage_weight: config.k.map_or(plain.usage_weight, milli),
        move_victims: config.allow_victim_move_in_reclaim.unwrap_or(plain.move_victims),
        consolidation_victims: config.max_consolidation_victims.and_then(|n| u32::try_from(n).ok()),
        saturation: config.saturation_multiplier.map_or(plain.saturation, milli),
        ..plain
    }
}

/// Nodes carry a label for each set of nodes that a task names.
fn nodes(case: &Case) -> Vec<Fact> {
    let tasks = case.jobs.iter().flat_map(|job| &job.tasks);
    let sets: BTreeSet<&Vec<String>> = tasks.filter_map(|t| t.allowed_nodes.as_ref()).collect();
    let node = |node: &super::case::NodeCase| {
        let among = sets.iter().filter(|set| set.contains(&node.name));
        let labels = among.map(|set| (label(set), Name::from("yes"))).collect();
        let gpu = |index| Gpu {
            index,
            uuid: format!("{}-{index}", node.name).into(),
            model: "pretend".into(),
            mem_bytes: 0,
            foreign: None,
        };
        Fact::NodeSeen {
            name: Name::from(&*node.name),
            capacity: Resources {
                cpu_milli: node.cpu_milli,
                mem_bytes: node.mem_bytes,
                gpu_milli: u64::from(node.gpus) * 1000,
                ..Resources::default()
            },
            gpus: (0..node.gpus).map(gpu).collect(),
            traits: Traits { labels, max_tasks: node.max_tasks.or(Some(110)), ..Traits::default() },
        }
    };
    case.nodes.iter().map(node).collect()
}

/// Free devices by node.
struct Devices(BTreeMap<String, Vec<u64>>);

impl Devices {
    fn of(case: &Case) -> Devices {
        let all = case.nodes.iter().map(|node| {
            let devices = vec![1000; usize::try_from(node.gpus).unwrap_or(0)];
            (node.name.clone(), devices)
        });
        let mut devices = Devices(all.collect());
        // What is named first, so that what is not gets the rest.
        for job in &case.jobs {
            for task in &job.tasks {
                let gpus = milli(task.gpus.unwrap_or(job.gpus_per_task));
                drop(devices.named(task, gpus));
            }
        }
        devices
    }

    fn named(&mut self, task: &TaskCase, gpus: u64) -> Option<Vec<GpuShare>> {
        let free = self.0.get_mut(task.node.as_ref()?)?;
        let named = task.device.as_ref()?;
        let index = |name: &String| name.parse::<usize>().ok().filter(|at| *at < free.len());
        let indices: Vec<usize> = named.iter().filter_map(index).collect();
        let milli = if gpus >= 1000 { 1000 } else { gpus };
        let shares = indices.into_iter().map(|at| {
            free[at] = free[at].saturating_sub(milli);
            GpuShare { index: u32::try_from(at).unwrap_or(u32::MAX), milli }
        });
        Some(shares.collect())
    }

    fn take(&mut self, task: &TaskCase, gpus: u64) -> Vec<GpuShare> {
        if task.device.is_some() {
            // Counted already; only the indices are wanted.
            let mut again = Devices(self.0.clone());
            return again.named(task, gpus).unwrap_or_default();
        }
        let Some(free) = task.node.as_ref().and_then(|node| self.0.get_mut(node)) else {
            return Vec::new();
        };
        let whole = gpus >= 1000;
        let (milli, count) = if whole { (1000, gpus / 1000) } else { (gpus, u64::from(gpus > 0)) };
        let mut shares = Vec::new();
        for _ in 0..count {
            let fits = (0..free.len()).filter(|at| free[*at] >= milli);
            let best = if whole { fits.min() } else { fits.min_by_key(|at| (free[*at], *at)) };
            let Some(at) = best else { break };
            free[at] -= milli;
            shares.push(GpuShare { index: u32::try_from(at).unwrap_or(u32::MAX), milli });
        }
        shares
    }
}

/// How long ago a job was submitted: it began no earlier.
fn age(job: &JobCase) -> Span {
    let stale = job.stale_for_s.map_or(Span::ZERO, Span::secs);
    let started = job.started_ago_s.map_or(stale, Span::secs).max(stale);
    let stuck = job.tasks.iter().any(|task| task.state == "stuck_releasing");
    let started = if stuck { started.max(Span::mins(10)) } else { started };
    Span::mins(job.created_ago_min).max(started)
}

/// The facts of a job's life so far.
fn live(
    past: &mut Past,
    id: JobId,
    job: &JobCase,
    spec: JobSpec,
    kinds: &Kinds,
    devices: &mut Devices,
) {
    let created = age(job);
    let stale = job.stale_for_s.map_or(Span::ZERO, Span::secs);
    let started = job.started_ago_s.map_or(stale, Span::secs).max(stale);
    let stuck = job.tasks.iter().any(|task| task.state == "stuck_releasing");
    let started = if stuck { started.max(Span::mins(10)) } else { started };
    let mut note = |ago, fact| {
        let order = past.len();
        past.push((ago, order, fact));
    };
    let spec = Box::new(spec);
    note(created, Fact::JobSubmitted { job: id, spec, owner: "owner".into(), uid: None });
    note(created, Fact::JobQueued { job: id });
    let begun = |task: &&TaskCase| !matches!(&*task.state, "pending" | "pipelined" | "gated");
    if !job.tasks.iter().any(|task| begun(&task)) {
        return;
    }
    note(started, Fact::AttemptBegan { job: id, attempt: 1, resume: false });
    let task = |at: usize| TaskId { job: id, attempt: 1, rank: kinds.ranks[at] };
    for (at, case) in job.tasks.iter().enumerate().filter(|(_, case)| begun(case)) {
        let gpus = kinds.kinds[kinds.groups[at] as usize].1;
        let node = case.node.as_deref().unwrap_or_default().into();
        let placement = Placement { node, gpus: devices.take(case, gpus) };
        let (task, class) = (task(at), Class::StartStop);
        note(started, Fact::TaskPlaced { task, placement, class, group: None });
    }
    let starts = |task: &TaskCase| matches!(&*task.state, "allocated" | "binding" | "bound");
    let runs = |task: &&TaskCase| begun(task) && !starts(task);
    for (at, _) in job.tasks.iter().enumerate().filter(|(_, case)| runs(case)) {
        let (task, class) = (task(at), Class::Productive);
        note(started, Fact::TaskStarted { task, pid: 1, class });
    }
    if job.tasks.iter().any(|task| runs(&task)) {
        note(started, Fact::JobRunning { job: id });
    }
    let mut stops = false;
    for (at, case) in job.tasks.iter().enumerate() {
        let exit = match &*case.state {
            "succeeded" => Exit::Code(0),
            "failed" => Exit::Code(1),
            "releasing" | "stuck_releasing" => {
                stops = true;
                continue;
            }
            _ => continue,
        };
        note(stale, Fact::TaskEnded { task: task(at), exit, ended: None });
    }
    if stops {
        let (by, class) = ("owner".into(), Class::StartStop);
        let why = StopFor::Requeue;
        note(
            if stuck { Span::mins(10) } else { Span::ZERO },
            Fact::JobStopping { job: id, why, by, reason: None, class },
        );
    }
}
