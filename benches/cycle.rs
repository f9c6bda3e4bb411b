//! What a decision of the core costs in a large installation, printed as JSON, one line for each
//! step and size: `cargo bench --bench cycle -- [QUEUED]...`. `benches/run cycle` makes a table.
//!
//! A thousand nodes of eight GPUs, 200 teams in a tree with a quota each, as many jobs as fit
//! (about 10,000, some of cores only), and so many that wait, in 18 shapes for each team: one to
//! eight GPUs, gangs, jobs without GPUs, two priorities, some that give way and some that do not.
#![allow(clippy::unwrap_used, clippy::print_stdout, reason = "a benchmark that cannot go on fails")]

use std::time::{Duration, Instant};

use holdshort::base::{At, Digest, Mono, Name, Span, TaskId, Wall};
use holdshort::model::command::{Submit, TaskEvent};
use holdshort::model::job::{Exit, Gang, JobSpec, State, TaskState};
use holdshort::model::node::{Gpu, Traits};
use holdshort::model::setup::Setup;
use holdshort::model::team::{Bounds, Terms};
use holdshort::model::{Actor, Command, Resources, Team};
use holdshort::sched::decide::{self, decide};
use holdshort::sched::future::forecast::{FORECASTS, forecasts};
use holdshort::sched::plan::Plan;
use holdshort::sched::{World, actions};

const NODES: usize = 1000;
const PARENTS: usize = 20;
const TEAMS: usize = 180;
const BEGIN: At = At { now: Mono(1_000_000), wall: Wall(1_800_000_000_000) };

fn main() {
    let sizes = std::env::args().skip(1).filter_map(|word| word.parse().ok());
    let mut sizes: Vec<usize> = sizes.collect();
    if sizes.is_empty() {
        sizes = vec![1_000, 10_000, 100_000];
    }
    for queued in sizes {
        measure(queued);
    }
}

/// A world and the hour in it.
struct Site {
    world: World,
    at: At,
}

impl Site {
    fn decide(&mut self, command: &Command) {
        self.world = decide(&self.world, command, self.at).unwrap().world;
    }

    /// Lets several things be so without a cycle.
    fn take(&mut self, commands: impl IntoIterator<Item = Command>) {
        let mut plan = Plan::new(&self.world, self.at);
        for command in commands {
            decide::take(&mut plan, &command).unwrap();
        }
        self.world = plan.commit().1;
    }

    fn full_cycle(&mut self) {
        let mut plan = Plan::new(&self.world, self.at);
        actions::full(&mut plan);
        self.world = plan.commit().1;
    }

    fn pass(&mut self, span: Span) {
        self.at = At { now: self.at.now + span, wall: self.at.wall + span };
    }

    /// Processes of what was placed run.
    fn start_placed(&mut self) {
        let placed = tasks(&self.world, |state| state == TaskState::Starting);
        let event = TaskEvent::Started { pid: 1 };
        let starts = placed.into_iter().map(|task| Command::Task { task, event: event.clone() });
        self.take(starts.collect::<Vec<_>>());
    }

    /// Processes that were told to end are over.
    fn end_stopping(&mut self) {
        let stopping = tasks(&self.world, |state| state == TaskState::Stopping);
        self.take(stopping.into_iter().map(ends).collect::<Vec<_>>());
    }

    /// Lets cycles run until nothing is stopped any more.
    fn settle(&mut self) -> usize {
        for cycles in 1.. {
            self.full_cycle();
            self.start_placed();
            if tasks(&self.world, |state| state == TaskState::Stopping).is_empty() {
                return cycles;
            }
            self.end_stopping();
        }
        0
    }
}

fn tasks(world: &World, which: impl Fn(TaskState) -> bool) -> Vec<TaskId> {
    let live = world.jobs().filter(|job| job.is_live());
    let of = live.flat_map(|job| {
        job.tasks.iter().map(move |task| {
            (TaskId { job: job.id, attempt: job.attempt, rank: task.rank }, task.state)
        })
    });
    of.filter(|(_, state)| which(*state)).map(|(task, _)| task).collect()
}

fn ends(task: TaskId) -> Command {
    Command::Task { task, event: TaskEvent::Ended { exit: Exit::Code(0) } }
}

fn node(n: usize) -> Command {
    let gpu = |index| Gpu {
        index,
        uuid: format!("gpu-{n}-{index}").into(),
        model: "pretend".into(),
        mem_bytes: 80 << 30,
        foreign: None,
    };
    let capacity = Resources {
        cpu_milli: 96_000,
        mem_bytes: 1 << 40,
        gpu_milli: 8_000,
        ..Resources::default()
    };
    let traits = Traits::default();
    Command::NodeSeen {
        name: format!("n{n:04}").into(),
        capacity,
        gpus: (0..8).map(gpu).collect(),
        traits,
    }
}

fn team_name(team: usize) -> Name {
    format!("org{}/team{team}", team % PARENTS).into()
}

fn setup() -> Setup {
    let parents = (0..PARENTS).map(|parent| Team::named(&format!("org{parent}")));
    let leaves = (0..TEAMS).map(|team| {
        let quota = Bounds { gpu_milli: Some(8_000_000 / TEAMS as u64 / 2), ..Bounds::default() };
        Team { terms: Terms { quota, ..Terms::default() }, ..Team::named(&team_name(team)) }
    });
    Setup { teams: parents.chain(leaves).collect(), ..Setup::default() }
}

/// GPUs, cores, tasks, priority, gives way.
const SHAPES: [(u64, u64, u32, u16, bool); 18] = [
    (1, 4, 1, 200, true),
    (1, 8, 1, 200, false),
    (2, 8, 1, 200, true),
    (2, 16, 1, 300, true),
    (4, 24, 1, 200, true),
    (4, 32, 1, 300, false),
    (8, 64, 1, 200, true),
    (8, 48, 1, 300, true),
    (8, 32, 2, 200, true),
    (4, 16, 4, 200, true),
    (8, 32, 8, 200, true),
    (1, 2, 16, 200, true),
    (0, 8, 1, 200, true),
    (0, 12, 1, 200, true),
    (0, 16, 1, 300, true),
    (0, 24, 1, 200, false),
    (0, 32, 1, 200, true),
    (0, 64, 1, 200, true),
];

fn spec(team: usize, shape: usize, n: usize) -> JobSpec {
    let (gpus, cores, tasks, priority, preemptible) = SHAPES[shape % SHAPES.len()];
    let hours = 1 + (n * 7 + shape) % 12;
    JobSpec {
        name: format!("work-{shape}").into(),
        team: team_name(team),
        priority,
        preemptible,
        resumable: preemptible,
        requeue: preemptible,
        request: Resources {
            cpu_milli: cores * 1000,
            mem_bytes: cores << 32,
            gpu_milli: gpus * 1000,
            ..Resources::default()
        },
        gang: Gang { size: tasks, min: tasks },
        grace: Span::secs(30),
        program: Digest::of(b"work"),
        estimate: n.is_multiple_of(2).then(|| Span::mins(60 * hours as u64)),
        ..JobSpec::default()
    }
}

fn submit(specs: Vec<JobSpec>) -> Command {
    let by = Actor { user: "ana".into(), uid: Some(0), in_job: None, job_by: None };
    Command::Submit(Submit { jobs: specs, array: false, key: None, by, ended: Vec::new() })
}

/// Small jobs that fill everything, then those that wait.
fn busy(queued: usize) -> Site {
    let mut site = Site { world: World::new(), at: BEGIN };
    let started = Command::Started { boot: "bench".into(), offset: 0 };
    let nodes = (0..NODES).map(node);
    site.take([started, Command::Configure(setup())].into_iter().chain(nodes));
    let kind = |n: usize| [0, 0, 2, 12, 0, 0, 13, 0, 0, 12][(n / TEAMS * 7 + n) % 10];
    let small = |n: usize| spec(n % TEAMS, kind(n), n);
    site.take([submit((0..12_000).map(small).collect())]);
    site.full_cycle();
    site.start_placed();
    site.pass(Span::mins(5));
    for first in (0..queued).step_by(10_000) {
        let waits = (first..queued.min(first + 10_000)).map(|n| spec(n % TEAMS, n / TEAMS, n));
        site.take([submit(waits.collect())]);
    }
    site
}

fn time(act: impl FnOnce()) -> Duration {
    let begin = Instant::now();
    act();
    begin.elapsed()
}

fn say(queued: usize, step: &str, mut times: Vec<Duration>) {
    times.sort_unstable();
    let ms = |at: usize| times[at].as_secs_f64() * 1000.0;
    let (median, worst) = (ms(times.len() / 2), ms(times.len() - 1));
    let p95 = ms((times.len() - 1) * 95 / 100);
    println!(
        "{{\"queued\":{queued},\"step\":\"{step}\",\"times\":{},\"median_ms\":{median:.3},\
         \"p95_ms\":{p95:.3},\"worst_ms\":{worst:.3}}}",
        times.len()
    );
}

fn measure(queued: usize) {
    let mut site = busy(queued);
    let mut cycles = 0;
    let settling = time(|| cycles = site.settle());
    say(queued, &format!("first cycles ({cycles})"), vec![settling]);
    let running = site.world.jobs().filter(|job| job.state == State::Running).count();
    println!("{{\"queued\":{queued},\"step\":\"running jobs\",\"count\":{running}}}");
    site.pass(Span::mins(1));
    site.decide(&Command::Tick);
    let idle = || {
        site.pass(Span::secs(1));
        time(|| site.full_cycle())
    };
    say(queued, "nothing placeable", std::iter::repeat_with(idle).take(9).collect());
    let forecast = || time(|| drop(forecasts(&site.world, site.at, FORECASTS)));
    say(queued, "forecasts of a thousand", std::iter::repeat_with(forecast).take(3).collect());
    one_end(&mut site, queued);
    thousand(&mut site, queued);
    let arrivals = (0..100).map(|n| {
        let submit = submit(vec![spec(n % TEAMS, n * 5, n)]);
        site.pass(Span(1));
        time(|| site.decide(&submit))
    });
    say(queued, "one arrives", arrivals.collect());
}

/// Jobs end one after the other; what follows starts.
fn one_end(site: &mut Site, queued: usize) {
    let mut times = Vec::new();
    let running = tasks(&site.world, |state| state == TaskState::Running);
    for task in running.iter().step_by(running.len() / 100).take(100) {
        site.pass(Span(1));
        times.push(time(|| site.decide(&ends(*task))));
    }
    site.start_placed();
    say(queued, "one end", times);
}

/// A thousand tasks end at once.
fn thousand(site: &mut Site, queued: usize) {
    let mut times = Vec::new();
    for _ in 0..3 {
        let running = tasks(&site.world, |state| state == TaskState::Running);
        let over = running.iter().step_by((running.len() / 1000).max(1)).take(1000);
        site.pass(Span::secs(1));
        site.take(over.map(|task| ends(*task)).collect::<Vec<_>>());
        let before = tasks(&site.world, |state| state == TaskState::Starting).len();
        let mut plan = Plan::new(&site.world, site.at);
        times.push(time(|| actions::full(&mut plan)));
        site.world = plan.commit().1;
        let placed = tasks(&site.world, |state| state == TaskState::Starting).len() - before;
        println!(
            "{{\"queued\":{queued},\"step\":\"placed after a thousand ends\",\"count\":{placed}}}"
        );
        site.start_placed();
        site.end_stopping();
        site.settle();
    }
    say(queued, "a thousand ends", times);
}
