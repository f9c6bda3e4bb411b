//! Random sequences of commands on small nodes. Every step is checked by the driver; at the end
//! everything is cancelled and nothing may be left.
//!
//! The seed is fixed, so that a run repeats; `PROPTEST_CASES=2000` looks further.

use holdshort::base::{JobId, Name, Span, TaskId};
use holdshort::model::JobSpec;
use holdshort::model::command::{Change, Command, Report, Submit, TaskEvent, Verb};
use holdshort::model::finding::{Level, Signal};
use holdshort::model::job::{ArrayPlace, DependencyKind, Exit, Gang};
use holdshort::model::refusal::RefusalCode;
use holdshort::sched::health::{self, Signals};
use proptest::prelude::*;
use proptest::sample::{Index, select};
use proptest::test_runner::RngSeed;

use super::world::{GIB, Site, after, countable, gpu, inside, owner, spec, submit};

/// What a random job asks for.
#[derive(Debug, Clone)]
struct Ask {
    cpu: u64,
    gib: u64,
    gpu: u64,
    custom: Option<(&'static str, u64)>,
    gang: (u32, u32),
    priority: u16,
    team: &'static str,
    way_back: u8,
    retry: u32,
    must_fit: bool,
    limit: Option<u64>,
    start_in: Option<u64>,
    after: Option<(Index, DependencyKind)>,
}

#[derive(Debug, Clone)]
enum Step {
    Submit(Ask),
    Array(u32, Option<u32>, Ask),
    Child(Index, Ask),
    StartAll,
    Start(Index),
    End(Index, u32, Exit),
    EndAll(Index, Exit),
    GpuTaken(Index, u32),
    Prompt(Index, bool),
    Act(Vec<Index>, Verb),
    PauseTeam(Option<&'static str>, Option<u64>),
    ResumeTeam(Option<&'static str>),
    Drain(usize, bool),
    Node(usize, u64, u64, Vec<bool>),
    Configure { licences: u64, per_minute: Option<u64>, keep_ended: usize },
    Down(u64, bool),
    Reboot(u8),
    Advance(u64),
    Report(Index, Report),
    Scan(bool),
    Find(Index, Signal, Option<Level>),
    Stray(u64, u32, u32, TaskEvent),
}

const NODES: [&str; 3] = ["n1", "n2", "n3"];

fn ask() -> impl Strategy<Value = Ask> {
    let kinds = select(vec![DependencyKind::Ok, DependencyKind::Any, DependencyKind::Failed]);
    let customs = select(vec![
        None,
        None,
        Some(("lic", 1)),
        Some(("lic", 2)),
        Some(("api:x", 1)),
        Some(("nothing", 1)),
    ]);
    let gangs = select(vec![(1, 1), (1, 1), (1, 1), (2, 2), (3, 1), (3, 2), (4, 2), (0, 0)]);
    (
        (
            select(vec![0, 500, 1000, 1000, 1000, 2000, 3000, 9000]),
            select(vec![0, 1, 1, 2, 5]),
            select(vec![0, 0, 0, 250, 500, 700, 1000, 2000]),
            customs,
            gangs,
        ),
        (
            select(vec![100, 200, 200, 300, 400]),
            select(vec!["default", "default", "ml"]),
            0..4u8,
            select(vec![0, 0, 1, 2]),
            prop::bool::weighted(0.1),
        ),
        prop::option::weighted(0.3, select(vec![5, 30, 90])),
        prop::option::weighted(0.1, select(vec![1, 20, 60])),
        prop::option::weighted(0.2, (any::<Index>(), kinds)),
    )
        .prop_map(|((cpu, gib, gpu, custom, gang), rest, limit, start_in, after)| {
            let (priority, team, way_back, retry, must_fit) = rest;
            Ask {
                cpu,
                gib,
                gpu,
                custom,
                gang,
                priority,
                team,
                way_back,
                retry,
                must_fit,
                limit,
                start_in,
                after,
            }
        })
}

fn exit() -> impl Strategy<Value = Exit> {
    select(vec![
        Exit::Code(0),
        Exit::Code(0),
        Exit::Code(1),
        Exit::Code(75),
        Exit::Signal(15),
        Exit::NotStarted("gone".into()),
        Exit::Unknown,
    ])
}

fn verb() -> impl Strategy<Value = Verb> {
    let set = |change| Verb::Set(change);
    let plain = Change::default;
    let verbs = vec![
        Verb::Cancel { reason: None },
        Verb::Requeue,
        Verb::Next,
        Verb::Ack,
        Verb::Answered,
        Verb::Resume,
        Verb::Resume,
        Verb::Pause { until: None, reason: None },
        Verb::Pause { until: None, reason: Some("why not".into()) },
        set(Change { priority: Some(250), ..plain() }),
        set(Change { team: Some("ml".into()), ..plain() }),
        set(Change { time_limit: Some(None), ..plain() }),
        set(Change { time_limit: Some(Some(Span::secs(40))), ..plain() }),
    ];
    select(verbs)
}

fn report() -> impl Strategy<Value = Report> {
    select(vec![
        Report::Heartbeat,
        Report::Checkpoint { path: Some("/c".into()), basis_points: Some(10) },
        Report::Progress { basis_points: None, text: Some("half".into()) },
        Report::Usage { amounts: [("calls".into(), 2)].into(), key: Some("k".into()) },
    ])
}

fn event() -> impl Strategy<Value = TaskEvent> {
    select(vec![
        TaskEvent::Started { pid: 1 },
        TaskEvent::Ended { exit: Exit::Code(0) },
        TaskEvent::GpuTaken { index: 0, by: "x".into() },
        TaskEvent::AtPrompt { text: "?".into() },
        TaskEvent::PromptOver,
    ])
}

fn step() -> impl Strategy<Value = Step> {
    let index = any::<Index>;
    let team = || select(vec![None, Some("default"), Some("ml")]);
    let signal = select(vec![Signal::NeverStarted, Signal::LimitNear]);
    let level = select(vec![None, Some(Level::Notice), Some(Level::Stuck)]);
    let jobs = || {
        prop_oneof![
            8 => ask().prop_map(Step::Submit),
            1 => (1..5u32, prop::option::of(1..3u32), ask()).prop_map(|(n, t, a)| Step::Array(n, t, a)),
            1 => (index(), ask()).prop_map(|(i, a)| Step::Child(i, a)),
        ]
    };
    let runner = prop_oneof![
        4 => Just(Step::StartAll),
        2 => index().prop_map(Step::Start),
        6 => (index(), exit()).prop_map(|(i, e)| Step::EndAll(i, e)),
        3 => (index(), 0..4u32, exit()).prop_map(|(i, r, e)| Step::End(i, r, e)),
        1 => (index(), 0..4u32).prop_map(|(i, r)| Step::GpuTaken(i, r)),
        1 => (index(), any::<bool>()).prop_map(|(i, on)| Step::Prompt(i, on)),
        1 => (0..30u64, 0..3u32, 0..4u32, event()).prop_map(|(j, a, r, e)| Step::Stray(j, a, r, e)),
    ];
    let people = prop_oneof![
        9 => (prop::collection::vec(index(), 1..3), verb()).prop_map(|(i, v)| Step::Act(i, v)),
        1 => (team(), prop::option::of(1..60u64)).prop_map(|(t, u)| Step::PauseTeam(t, u)),
        2 => team().prop_map(Step::ResumeTeam),
        1 => (0..3usize, any::<bool>()).prop_map(|(n, on)| Step::Drain(n, on)),
        2 => (index(), report()).prop_map(|(i, r)| Step::Report(i, r)),
    ];
    let devices = prop::collection::vec(prop::bool::weighted(0.2), 0..3);
    let machine = prop_oneof![
        2 => (0..3usize, 1..5u64, 2..9u64, devices).prop_map(|(n, c, m, g)| Step::Node(n, c, m, g)),
        1 => (0..4u64, prop::option::of(1..4u64), select(vec![0, 2, 2000]))
            .prop_map(|(licences, per_minute, keep_ended)| Step::Configure {
                licences,
                per_minute,
                keep_ended
            }),
        1 => (1..600u64, prop::bool::weighted(0.2)).prop_map(|(s, off)| Step::Down(s, off)),
        1 => (0..2u8).prop_map(Step::Reboot),
        5 => (1..90u64).prop_map(Step::Advance),
        1 => any::<bool>().prop_map(Step::Scan),
        1 => (index(), signal, level).prop_map(|(i, s, l)| Step::Find(i, s, l)),
    ];
    prop_oneof![4 => jobs(), 5 => runner, 4 => people, 2 => machine]
}

/// The site under test and the steps it understands.
struct Run(Site);

impl Run {
    fn pick(&self, index: &Index) -> Option<JobId> {
        let jobs: Vec<JobId> = self.0.world.jobs().map(|job| job.id).collect();
        (!jobs.is_empty()).then(|| *index.get(&jobs))
    }

    /// Mostly one that runs.
    fn pick_active(&self, index: &Index) -> Option<JobId> {
        let active = self.0.world.jobs().filter(|job| job.active_tasks().next().is_some());
        let jobs: Vec<JobId> = active.map(|job| job.id).collect();
        (!jobs.is_empty()).then(|| *index.get(&jobs))
    }

    fn spec(&self, ask: &Ask) -> JobSpec {
        let mut job = spec();
        job.request.cpu_milli = ask.cpu;
        job.request.mem_bytes = ask.gib * GIB;
        job.request.gpu_milli = ask.gpu;
        job.request.custom = ask.custom.iter().map(|(k, n)| (Name::from(*k), *n)).collect();
        job.gang = Gang { size: ask.gang.0, min: ask.gang.1 };
        job.priority = ask.priority;
        job.team = ask.team.into();
        job.requeue = ask.way_back == 1;
        job.resumable = ask.way_back == 2;
        job.retry = ask.retry;
        job.must_fit = ask.must_fit;
        job.time_limit = ask.limit.map(Span::secs);
        job.start_at = ask.start_in.map(|secs| self.0.in_(Span::secs(secs)));
        let other = ask.after.as_ref().and_then(|(index, kind)| Some((self.pick(index)?, *kind)));
        job.after = other.into_iter().map(|(id, kind)| after(id, kind)).collect();
        job
    }

    /// Decides; a refusal is fine, a failure of ours is not.
    fn attempt(&mut self, command: Command) {
        if let Err(refusal) = self.0.attempt(command) {
            assert_ne!(refusal.code, RefusalCode::Internal, "{refusal}");
        }
    }

    fn event(&mut self, job: Option<JobId>, rank: u32, event: TaskEvent) {
        if let Some(job) = job {
            let attempt = self.0.job(job).attempt;
            self.0.event(TaskId { job, attempt, rank }, event);
        }
    }

    fn step(&mut self, step: &Step) {
        match step {
            Step::Submit(_) | Step::Array(..) | Step::Child(..) => self.submit(step),
            Step::StartAll => self.0.start_all(),
            Step::Start(index) => {
                if let Some(job) = self.pick_active(index) {
                    self.0.start(job);
                }
            }
            Step::End(index, rank, exit) => {
                let event = TaskEvent::Ended { exit: exit.clone() };
                self.event(self.pick_active(index), *rank, event);
            }
            Step::EndAll(index, exit) => {
                if let Some(job) = self.pick_active(index) {
                    self.0.exit(job, exit);
                }
            }
            Step::GpuTaken(index, rank) => self.gpu_taken(index, *rank),
            Step::Prompt(index, on) => {
                let event = match on {
                    true => TaskEvent::AtPrompt { text: "?".into() },
                    false => TaskEvent::PromptOver,
                };
                self.event(self.pick_active(index), 0, event);
            }
            Step::Stray(job, attempt, rank, event) => {
                let (job, attempt, rank) = (JobId(*job), *attempt, *rank);
                self.0.event(TaskId { job, attempt, rank }, event.clone());
            }
            Step::Act(indices, verb) => {
                let jobs: Vec<JobId> = indices.iter().filter_map(|i| self.pick(i)).collect();
                let verb = match verb {
                    Verb::Pause { reason: Some(why), .. } => {
                        let until = Some(self.0.in_(Span::secs(25)));
                        Verb::Pause { until, reason: Some(why.clone()) }
                    }
                    verb => verb.clone(),
                };
                drop(self.0.try_act(owner(), &jobs, verb));
            }
            Step::Report(index, report) => {
                if let Some(job) = self.pick(index) {
                    let (report, by) = (report.clone(), inside(job));
                    self.attempt(Command::Report { job, report, by });
                }
            }
            step => self.surroundings(step),
        }
    }

    fn submit(&mut self, step: &Step) {
        let (ask, by, array) = match step {
            Step::Child(index, ask) => (ask, self.pick(index).map_or(owner(), inside), None),
            Step::Array(n, throttle, ask) => (ask, owner(), Some((*n, *throttle))),
            Step::Submit(ask) => (ask, owner(), None),
            _ => return,
        };
        let job = self.spec(ask);
        let jobs = match array {
            None => vec![job],
            Some((n, throttle)) => {
                let place = |index| Some(ArrayPlace { id: JobId(0), index, throttle });
                (0..n).map(|index| JobSpec { array: place(index), ..job.clone() }).collect()
            }
        };
        let array = array.is_some();
        self.attempt(Command::Submit(Submit { array, ..submit(jobs, by) }));
    }

    /// A runner says this of a task that has a device and no process yet.
    fn gpu_taken(&mut self, index: &Index, rank: u32) {
        let Some(job) = self.pick_active(index) else { return };
        let task = self.0.job(job).tasks.get(rank as usize).cloned();
        let device = task
            .filter(|task| task.started.is_none())
            .and_then(|task| task.placement.and_then(|placement| placement.gpus.first().copied()));
        if let Some(device) = device {
            let event = TaskEvent::GpuTaken { index: device.index, by: "other".into() };
            self.event(Some(job), rank, event);
        }
    }

    fn surroundings(&mut self, step: &Step) {
        match step {
            Step::PauseTeam(team, secs) => {
                let until = secs.map(|secs| self.0.in_(Span::secs(secs)));
                self.0.pause_team(*team, until);
            }
            Step::ResumeTeam(team) => self.0.resume_team(*team),
            Step::Drain(node, on) => {
                let node = NODES[*node].into();
                self.attempt(Command::Drain { node, on: *on, by: owner() });
            }
            Step::Node(node, cores, gib, foreign) => {
                let taken = |foreign: &bool| foreign.then_some("x11");
                let gpus = (0..).zip(foreign).map(|(i, f)| gpu(i, taken(f))).collect();
                self.0.node_with(NODES[*node], *cores, *gib, gpus);
            }
            Step::Configure { licences, per_minute, keep_ended } => self.0.configure(|setup| {
                setup.defaults.keep_ended = *keep_ended;
                setup.resources.clear();
                if *licences > 0 {
                    let licences = countable(*licences, *per_minute);
                    setup.resources.insert("lic".into(), licences);
                }
            }),
            Step::Down(secs, off) => self.0.down(Span::secs(*secs), *off),
            Step::Reboot(boot) => self.0.reboot(&format!("boot-{boot}")),
            Step::Advance(secs) => self.0.advance(Span::secs(*secs)),
            Step::Scan(silent) => self.scan(*silent),
            Step::Find(index, signal, level) => {
                if let Some(job) = self.pick(index) {
                    let (signal, level, evidence) = (*signal, *level, Default::default());
                    self.attempt(Command::Find { job, signal, level, evidence });
                }
            }
            _ => {}
        }
    }

    fn scan(&mut self, silent: bool) {
        let mut signals = Signals::default();
        let tasks = health::candidates(&self.0.world, &signals).collect();
        match silent {
            true => signals.silent = tasks,
            false => signals.wrote = tasks,
        }
        let (commands, _) = health::scan(&self.0.world, &signals, self.0.at);
        commands.into_iter().for_each(|command| self.attempt(command));
        assert_eq!(health::scan(&self.0.world, &signals, self.0.at).0, []);
    }

    /// Cancels everything; then nothing may be left.
    fn finish(mut self) {
        let live: Vec<JobId> =
            self.0.world.jobs().filter(|job| job.is_live()).map(|job| job.id).collect();
        if !live.is_empty() {
            self.0.try_act(owner(), &live, Verb::Cancel { reason: None }).unwrap();
        }
        for job in live {
            if self.0.world.job(job).is_some_and(|job| job.is_live()) {
                self.0.exit(job, &Exit::Signal(15));
            }
        }
        let world = &self.0.world;
        assert!(world.jobs().all(|job| !job.is_live()));
        assert!(world.nodes().all(|node| world.index().used(&node.name).tasks == 0));
        assert_eq!(world.index().custom().count(), 0);
        let counts = world.index().counts();
        assert_eq!((counts.human, counts.running, counts.queued, counts.stuck), (0, 0, 0, 0));
        self.0.resume_team(None);
        for team in ["default", "ml"] {
            self.0.resume_team(Some(team));
        }
        assert_eq!(self.0.world.next_due(self.0.at), (None, None), "time has nothing left to do");
    }
}

fn config() -> ProptestConfig {
    let more = std::env::var("PROPTEST_CASES").ok().and_then(|cases| cases.parse().ok());
    ProptestConfig {
        cases: more.unwrap_or(200),
        rng_seed: RngSeed::Fixed(20),
        failure_persistence: None,
        max_shrink_iters: 2000,
        ..ProptestConfig::default()
    }
}

proptest! {
    #![proptest_config(config())]

    #[test]
    fn no_sequence_of_commands_breaks_a_rule(
        nodes in 1..4usize,
        steps in prop::collection::vec(step(), 10..80),
    ) {
        let mut site = Site::bare();
        site.json_every = 16;
        for name in &NODES[..nodes] {
            site.node(name, 3, 6, if *name == "n2" { 0 } else { 2 });
        }
        let mut run = Run(site);
        steps.iter().for_each(|step| run.step(step));
        run.finish();
    }
}
