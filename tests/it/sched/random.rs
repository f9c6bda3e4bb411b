//! Random sequences of commands on small nodes. Every step is checked by the driver; at the end
//! everything is cancelled and nothing may be left.
//!
//! Most seeds are fixed, so that a run repeats; three tests take a fresh one each time and print it
//! if they fail. `HOLDSHORT_SEED=17` takes that seed, `PROPTEST_CASES=2000` looks further, and a
//! test's name says in which form, for instance: `HOLDSHORT_SEED=17 PROPTEST_CASES=2000
//! cargo test --test it random::no_sequence_with_reservations`
//! (with `CARGO_PROFILE_DEV_OPT_LEVEL=1` and a target directory of its own it is much faster).

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::hash::{BuildHasher, Hasher, RandomState};
use std::panic::{AssertUnwindSafe, catch_unwind};

use holdshort::base::{At, JobId, Name, Span, TaskId, Wall};
use holdshort::model::command::{Command, Report, Submit, TaskEvent, Until, Verb};
use holdshort::model::job::{ArrayPlace, Exit, Gang};
use holdshort::model::refusal::RefusalCode;
use holdshort::model::setup::{Cycle, LARGE, PlaceBy};
use holdshort::model::team::{Bounds, Terms, Weights};
use holdshort::model::{JobSpec, Team};
use holdshort::sched::health::{self, Signals};
use proptest::prelude::*;
use proptest::sample::Index;
use proptest::test_runner::{RngSeed, TestError, TestRunner};

use super::scenery;
use super::steps::{Ask, Reach, Step, step};
use super::world::{GIB, Site, after, countable, gpu, inside, owner, spec, submit};

const NODES: [&str; 3] = ["n1", "n2", "n3"];

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
        job.preemptible = ask.preemptible;
        job.retry = ask.retry;
        job.must_fit = ask.must_fit;
        job.time_limit = ask.limit.map(Span::secs);
        job.deadline = ask.deadline.map(|(secs, _)| self.0.in_(Span::secs(secs)));
        job.estimate = ask.deadline.and_then(|(_, estimate)| estimate).map(Span::secs);
        job.start_at = ask.start_in.map(|secs| self.0.in_(Span::secs(secs)));
        let other = ask.after.as_ref().and_then(|(index, kind)| Some((self.pick(index)?, *kind)));
        ask.extra.put(&mut job);
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
            Step::EndUnseen(index, rank, ago, by_limit) => {
                let (ago, exit) = (Span::secs(*ago), Exit::Code(0));
                let at = At { now: self.0.at.now - ago, ..self.0.at };
                let event = TaskEvent::EndedUnseen { exit, at, by_limit: *by_limit };
                self.event(self.pick_active(index), *rank, event);
            }
            Step::GpuTaken(index, rank) => self.gpu_taken(index, *rank),
            Step::Prompt(index, on) => {
                let event = match on {
                    true => TaskEvent::AtPrompt { text: "?".into() },
                    false => TaskEvent::PromptOver,
                };
                self.event(self.pick_active(index), 0, event);
                // What stands still is looked at by the runner: this says nothing of others.
                for rank in 0..4 {
                    let event = TaskEvent::Froze { in_devices: *on };
                    self.event(self.pick_active(index), rank, event);
                }
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
                self.attempt(Command::Drain { node, on: *on, reason: None, by: owner() });
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
            Step::Limit(secs) => {
                let until = secs.map(|secs| self.0.in_(Span::secs(secs)));
                self.limit(until);
            }
            Step::LimitedBy(index, secs) => {
                if let Some(job) = self.pick(index) {
                    let until = Until::After(Span::secs(*secs));
                    let report = Report::Limited { resource: "api:x".into(), until };
                    self.attempt(Command::Report { job, report, by: inside(job) });
                }
            }
            Step::Scene(scene) => scenery::play(&mut self.0, scene),
            Step::Switch(policy, on) => self.0.switch(policy, *on),
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

    fn limit(&mut self, until: Option<Wall>) {
        let (resource, by) = ("api:x".into(), owner());
        self.attempt(Command::Limit { resource, until, reason: None, by });
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
    fn finish(mut self) -> BTreeMap<&'static str, u64> {
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
        scenery::clear(&mut self.0);
        self.0.resume_team(None);
        self.limit(None);
        for team in ["default", "ml", "org", "org/a"] {
            self.0.resume_team(Some(team));
        }
        assert_eq!(self.0.world.next_due(self.0.at), (None, None), "time has nothing left to do");
        self.0.seen
    }
}

/// Teams with quotas, limits and weights, two of them below a third.
pub fn teams() -> Vec<Team> {
    let cores = |cores: u64, gpus: u64| Bounds {
        cpu_milli: Some(cores * 1000),
        mem_bytes: Some(cores * 2 * GIB),
        gpu_milli: Some(gpus * 1000),
    };
    let team = |name: &str, quota, limit| {
        let terms = Terms { quota, limit, ..Terms::default() };
        Team { name: name.into(), terms, ..Team::default() }
    };
    let limit = Bounds { cpu_milli: Some(4000), ..Bounds::default() };
    let mut b = team("org/b", cores(0, 0), Bounds::default());
    b.terms.weight = Weights::all(3000);
    b.terms.preempt_min_runtime = Some(Span::secs(20));
    vec![
        team("default", cores(2, 1), Bounds::default()),
        team("ml", cores(1, 1), limit),
        team("org", cores(3, 1), Bounds::default()),
        team("org/a", cores(2, 1), limit),
        b,
    ]
}

/// The seed that a run repeats.
const SEED: u64 = 20;
/// The same for sequences in which everything may happen.
const SEEDS_OF_ALL: [u64; 3] = [1, 2, 3];

fn config(seed: u64, cases: u32) -> ProptestConfig {
    let more = std::env::var("PROPTEST_CASES").ok().and_then(|cases| cases.parse().ok());
    ProptestConfig {
        cases: more.unwrap_or(cases),
        rng_seed: RngSeed::Fixed(seed),
        failure_persistence: None,
        max_shrink_iters: 2000,
        ..ProptestConfig::default()
    }
}

/// The seed that `HOLDSHORT_SEED` names, if it names one.
fn said() -> Option<u64> {
    std::env::var("HOLDSHORT_SEED").ok().and_then(|seed| seed.parse().ok())
}

/// Another one each time.
fn fresh() -> u64 {
    RandomState::new().build_hasher().finish()
}

/// Plays random sequences from a seed, and names it when one breaks a rule. How often each kind
/// of fact was decided.
fn prove(reach: Reach, seed: u64, cases: u32) -> BTreeMap<&'static str, u64> {
    prove_so(reach, LARGE, seed, cases)
}

fn prove_so(reach: Reach, large: u64, seed: u64, cases: u32) -> BTreeMap<&'static str, u64> {
    prove_with(reach, seed, cases, |cycle| cycle.large = large)
}

/// The same with a cycle that is configured otherwise.
fn prove_with(
    reach: Reach,
    seed: u64,
    cases: u32,
    change: impl Fn(&mut Cycle),
) -> BTreeMap<&'static str, u64> {
    let seed = said().unwrap_or(seed);
    let seen = RefCell::new(BTreeMap::new());
    let sequences = (1..4usize, prop::collection::vec(step(reach), 1..100));
    let mut runner = TestRunner::new(config(seed, cases));
    let proved = runner.run(&sequences, |(nodes, steps)| {
        for (what, times) in play(nodes, &steps, reach, &change, false) {
            *seen.borrow_mut().entry(what).or_default() += times;
        }
        Ok(())
    });
    if let Err(broken) = proved {
        if let TestError::Fail(_, (nodes, steps)) = &broken {
            // Once more, told step by step; it breaks the rule again.
            let told = AssertUnwindSafe(|| play(*nodes, steps, reach, &change, true));
            drop(catch_unwind(told));
        }
        panic!("HOLDSHORT_SEED={seed} repeats this: {broken}");
    }
    seen.into_inner()
}

/// Goes through the steps; the driver checks each, and prints it if it `tells`. `change`
/// configures the cycle.
fn play(
    nodes: usize,
    steps: &[Step],
    reach: Reach,
    change: impl Fn(&mut Cycle),
    tells: bool,
) -> BTreeMap<&'static str, u64> {
    let mut site = Site::bare();
    site.tells = tells;
    site.configure(|setup| {
        setup.teams = teams();
        change(&mut setup.cycle);
        if reach == Reach::All {
            setup.cycle.off.clear();
        }
    });
    site.json_every = 16;
    for name in &NODES[..nodes] {
        site.node(name, 3, 6, if *name == "n2" { 0 } else { 2 });
    }
    let mut run = Run(site);
    steps.iter().for_each(|step| run.step(step));
    run.finish()
}

#[test]
fn no_sequence_of_commands_breaks_a_rule() {
    prove(Reach::Plain, SEED, 200);
}

#[test]
fn no_sequence_with_deadlines_closed_resources_and_switches_breaks_a_rule() {
    prove(Reach::Urgent, SEED, 200);
}

#[test]
fn no_sequence_with_reservations_services_hours_and_elastic_places_breaks_a_rule() {
    let mut seen: BTreeMap<&'static str, u64> = BTreeMap::new();
    for seed in said().map_or(SEEDS_OF_ALL.to_vec(), |seed| vec![seed]) {
        for (what, times) in prove(Reach::All, seed, 100) {
            *seen.entry(what).or_default() += times;
        }
    }
    // A sequence that never gets to a rule proves nothing about it.
    let wanted = [
        "preempt",
        "reclaim_fairness",
        "reclaim_quota",
        "consolidate",
        "spot",
        "reservation_made",
        "reservation_moved",
        "window_opened",
        "window_closed",
        "pool_grew",
        "pool_shrank",
        "node_warned",
        "service_restarts",
        "task_stopping",
        "rate_used",
        "resource_limited",
        "team_set",
        "job_frozen",
        "job_thawed",
        "down",
    ];
    if said().is_none() {
        for what in wanted {
            assert!(seen.contains_key(what), "nothing led to {what}: {seen:?}");
        }
    }
}

#[test]
fn no_sequence_placed_by_least_fragmentation_breaks_a_rule() {
    prove_with(Reach::Urgent, SEED, 200, |cycle| {
        (cycle.place_gpu, cycle.place_cpu) =
            (PlaceBy::LeastFragmentation, PlaceBy::LeastFragmentation);
    });
}

#[test]
fn no_sequence_where_full_cycles_wait_breaks_a_rule() {
    prove_so(Reach::Urgent, 0, SEED, 200);
}

#[test]
fn no_sequence_from_a_fresh_seed_breaks_a_rule() {
    prove(Reach::Urgent, fresh(), 50);
}

#[test]
fn no_sequence_with_everything_from_a_fresh_seed_breaks_a_rule() {
    prove(Reach::All, fresh(), 50);
}

#[test]
fn no_sequence_from_a_fresh_seed_where_full_cycles_wait_breaks_a_rule() {
    prove_so(Reach::Urgent, 0, fresh(), 50);
}
