//! A small driver: one world with virtual time, whose every step is checked.

use std::collections::BTreeMap;

use holdshort::base::{At, JobId, Mono, Name, Span, TaskId, Wall};
use holdshort::model::command::{Act, Change, Command, Report, Submit, TaskEvent, Verb};
use holdshort::model::fact::Record;
use holdshort::model::job::{ArrayPlace, Exit, Job, JobSpec, Outcome, State, TaskState};
use holdshort::model::node::Gpu;
use holdshort::model::node::Traits;
use holdshort::model::page::Why;
use holdshort::model::people::{Grant, Role, User};
use holdshort::model::reason::Code;
use holdshort::model::setup::{Countable, Cycle, Setup};
use holdshort::model::{Actor, Fact, Refusal, Resources, Team};
use holdshort::sched::{World, decide, explain, invariants};

pub use super::given::{GIB, OWNER, after, countable, gpu, inside, owner, person, spec, submit};
use super::metered::Metered;
use super::outside::Outside;
use super::{conserving, foreseen, lawful, reservations};

/// A site: nodes, jobs, and a clock that only moves when told.
#[derive(Clone)]
pub struct Site {
    pub world: World,
    pub at: At,
    pub setup: Setup,
    /// What the last step decided.
    pub facts: Vec<Fact>,
    /// Worlds go through JSON at every so many steps.
    pub json_every: u64,
    /// Each command and what it led to is printed.
    pub tells: bool,
    pub metered: Metered,
    /// How often each kind of fact was decided, and each rule took room.
    pub seen: BTreeMap<&'static str, u64>,
    outside: Outside,
    steps: u64,
}

impl Site {
    /// One node `n1` with so many cores, 64 GiB and so many GPUs.
    pub fn new(cores: u64, gpus: u32) -> Site {
        let mut site = Site::bare();
        site.node("n1", cores, 64, gpus);
        site
    }

    /// No node yet. Teams `default` and `ml`; users `vera` (viewer), `sam` (submitter) and `olga`
    /// (operator), uids 1 to 3, everywhere.
    pub fn bare() -> Site {
        let user = |name: &str, uid, role| User {
            name: name.into(),
            os_user: name.into(),
            uid: Some(uid),
            grants: vec![Grant { team: "".into(), role }],
        };
        let setup = Setup {
            owner_uid: OWNER,
            teams: vec![Team::named("ml")],
            users: vec![
                user("vera", 1, Role::Viewer),
                user("sam", 2, Role::Submitter),
                user("olga", 3, Role::Operator),
            ],
            // Most tests are about what runs at once; those of reservations switch them on.
            cycle: Cycle { off: ["reservation".into()].into(), ..Cycle::default() },
            ..Setup::default()
        };
        let at = At { now: Mono(1_000_000), wall: Wall(1_800_000_000_000) };
        let mut site = Site {
            world: World::new(),
            at,
            setup: setup.clone(),
            facts: Vec::new(),
            json_every: 1,
            tells: false,
            metered: Metered::default(),
            seen: BTreeMap::new(),
            outside: Outside::default(),
            steps: 0,
        };
        site.run(Command::Configure(setup));
        site.run(Command::Started { boot: "boot-1".into(), offset: 0 });
        site
    }

    pub fn node(&mut self, name: &str, cores: u64, gib: u64, gpus: u32) {
        self.node_with(name, cores, gib, (0..gpus).map(|index| gpu(index, None)).collect());
    }

    pub fn node_with(&mut self, name: &str, cores: u64, gib: u64, gpus: Vec<Gpu>) {
        let capacity = Resources {
            cpu_milli: cores * 1000,
            mem_bytes: gib * GIB,
            gpu_milli: gpus.len() as u64 * 1000,
            ..Resources::default()
        };
        self.run(Command::NodeSeen {
            name: name.into(),
            capacity,
            gpus,
            traits: Traits::default(),
        });
    }

    pub fn configure(&mut self, change: impl FnOnce(&mut Setup)) {
        change(&mut self.setup);
        self.run(Command::Configure(self.setup.clone()));
    }

    /// Switches a policy or an action off or on.
    pub fn switch(&mut self, name: &str, on: bool) {
        self.configure(|setup| {
            let off = &mut setup.cycle.off;
            let _ = if on { off.remove(name) } else { off.insert(name.into()) };
        });
    }

    /// Configures a countable resource, or removes it.
    pub fn resource(&mut self, name: &str, countable: Option<Countable>) {
        self.configure(|setup| {
            setup.resources.remove(name);
            setup.resources.extend(countable.map(|countable| (name.into(), countable)));
        });
    }

    /// Decides a command that cannot be refused.
    pub fn run(&mut self, command: Command) -> Vec<JobId> {
        self.attempt(command).unwrap()
    }

    /// Decides a command and checks the step.
    pub fn attempt(&mut self, command: Command) -> Result<Vec<JobId>, Refusal> {
        let before = self.world.clone();
        let decision = decide(&before, &command, self.at)?;
        self.steps += 1;
        if self.tells {
            self.tell(&command, &decision.facts);
        }
        self.check(&before, &command, &decision.facts, &decision.world);
        for fact in &decision.facts {
            *self.seen.entry(fact.word()).or_default() += 1;
            if let Fact::JobEvicted { eviction, .. } = fact {
                *self.seen.entry(eviction.rule.word()).or_default() += 1;
            }
        }
        self.world = decision.world;
        self.facts = decision.facts;
        Ok(decision.jobs)
    }

    /// Something that no command brings about (yet) is so.
    pub fn happens(&mut self, fact: Fact) {
        let before = self.world.clone();
        self.world.apply(self.at, &fact);
        let facts = [fact];
        drop(self.outside.step(&facts, &self.world));
        drop(self.metered.step(&before, self.at, &facts, &self.world));
    }

    #[expect(clippy::print_stdout, reason = "a run is told to whoever looks for a fault")]
    fn tell(&self, command: &Command, facts: &[Fact]) {
        println!("{} {command:?}", self.at.now.0);
        facts.iter().for_each(|fact| println!("    {fact:?}"));
    }

    fn check(&mut self, before: &World, command: &Command, facts: &[Fact], after: &World) {
        let mut broken = invariants::check(after, self.at);
        broken.extend(invariants::check_placements(before, facts, self.at));
        if !after.setup().cycle.on("reservation") || conserving::alone(after) {
            broken.extend(conserving::idle_room(after, self.at));
        }
        broken.extend(lawful::unlawful(before, facts, self.at));
        if self.steps.is_multiple_of(self.json_every.max(4)) {
            broken.extend(foreseen::unforeseen(after, self.at));
        }
        broken.extend(reservations::delayed(before, command, facts, self.at));
        let mut applied = before.clone();
        facts.iter().for_each(|fact| applied.apply(self.at, fact));
        if applied != *after {
            broken.push("applying the facts gives another world".into());
        }
        if self.steps.is_multiple_of(self.json_every) {
            let text = serde_json::to_string(after).unwrap();
            let read: World = serde_json::from_str(&text).unwrap();
            if read != *after {
                broken.push("the world does not survive JSON".into());
            }
            let text = serde_json::to_string(before).unwrap();
            let read: World = serde_json::from_str(&text).unwrap();
            if decide(&read, command, self.at).unwrap().facts != facts {
                broken.push("a world read back decides otherwise".into());
            }
            let (command, facts) = (command.clone(), facts.to_vec());
            let record = Record { seq: self.steps, at: self.at, command, facts };
            let text = serde_json::to_string(&record).unwrap();
            if serde_json::from_str::<Record>(&text).unwrap() != record {
                broken.push(format!("the record does not survive JSON: {text}"));
            }
        }
        broken.extend(self.outside.step(facts, after));
        broken.extend(self.metered.step(before, self.at, facts, after));
        broken.extend(self.unexplained(after));
        assert!(broken.is_empty(), "{broken:#?}\nafter {command:?}\nwith {facts:#?}");
    }

    /// Queued jobs of which nothing says why they do not start.
    fn unexplained(&self, world: &World) -> Vec<String> {
        let queued = world.jobs().filter(|job| job.state == State::Queued);
        let reason = |job: &Job| explain::reason(world, job, self.at).code;
        let unexplained = queued.filter(|job| reason(job) == Code::Starting);
        unexplained.map(|job| format!("nothing says why job {} waits", job.id)).collect()
    }

    // Submitting.

    pub fn submit(&mut self, change: impl FnOnce(&mut JobSpec)) -> JobId {
        self.try_submit(owner(), change).unwrap()
    }

    /// So many jobs that differ in nothing.
    pub fn submit_many(&mut self, n: usize, change: impl Fn(&mut JobSpec)) -> Vec<JobId> {
        (0..n).map(|_| self.submit(&change)).collect()
    }

    pub fn try_submit(
        &mut self,
        by: Actor,
        change: impl FnOnce(&mut JobSpec),
    ) -> Result<JobId, Refusal> {
        let mut spec = spec();
        change(&mut spec);
        let jobs = self.attempt(Command::Submit(submit(vec![spec], by)))?;
        Ok(jobs[0])
    }

    pub fn array(&mut self, n: u32, throttle: Option<u32>) -> Vec<JobId> {
        let place = |index| Some(ArrayPlace { id: JobId(0), index, throttle });
        let jobs = (0..n).map(|index| JobSpec { array: place(index), ..spec() }).collect();
        self.run(Command::Submit(Submit { array: true, ..submit(jobs, owner()) }))
    }

    // Acting.

    pub fn act(&mut self, job: JobId, verb: Verb) {
        self.try_act(owner(), &[job], verb).unwrap();
    }

    pub fn try_act(&mut self, by: Actor, jobs: &[JobId], verb: Verb) -> Result<(), Refusal> {
        let act = Act { jobs: jobs.to_vec(), verb, by, key: None };
        self.attempt(Command::Act(act)).map(drop)
    }

    pub fn cancel(&mut self, job: JobId) {
        self.act(job, Verb::Cancel { reason: None });
    }

    pub fn pause(&mut self, job: JobId) {
        self.act(job, Verb::Pause { until: None, reason: None });
    }

    pub fn resume(&mut self, job: JobId) {
        self.act(job, Verb::Resume);
    }

    pub fn set(&mut self, job: JobId, change: Change) {
        self.act(job, Verb::Set(change));
    }

    pub fn pause_team(&mut self, team: Option<&str>, until: Option<Wall>) {
        let (team, reason) = (team.map(Name::from), "maintenance".into());
        self.run(Command::Pause { team, until, reason, by: owner() });
    }

    pub fn resume_team(&mut self, team: Option<&str>) {
        self.run(Command::Resume { team: team.map(Name::from), by: owner() });
    }

    pub fn drain(&mut self, node: &str, on: bool) {
        self.run(Command::Drain { node: node.into(), on, reason: None, by: owner() });
    }

    pub fn report(&mut self, job: JobId, report: Report) {
        self.run(Command::Report { job, report, by: inside(job) });
    }

    pub fn checkpoint(&mut self, job: JobId) {
        self.report(job, Report::Checkpoint { path: None, basis_points: None });
    }

    // The runner's answers.

    pub fn event(&mut self, task: TaskId, event: TaskEvent) {
        self.run(Command::Task { task, event });
    }

    /// Every placed task has a process now.
    pub fn start_all(&mut self) {
        let jobs: Vec<JobId> = self.world.jobs().map(|job| job.id).collect();
        jobs.into_iter().for_each(|job| self.start(job));
    }

    pub fn start(&mut self, job: JobId) {
        for task in self.tasks(job, |state| state == TaskState::Starting) {
            self.event(task, TaskEvent::Started { pid: 100 + task.rank });
        }
    }

    /// Every process of the job ends with this code.
    pub fn end(&mut self, job: JobId, code: i32) {
        self.exit(job, &Exit::Code(code));
    }

    pub fn exit(&mut self, job: JobId, exit: &Exit) {
        for task in self.tasks(job, TaskState::is_active) {
            self.event(task, TaskEvent::Ended { exit: exit.clone() });
        }
    }

    pub fn end_rank(&mut self, job: JobId, rank: u32, exit: Exit) {
        let task = TaskId { job, attempt: self.job(job).attempt, rank };
        self.event(task, TaskEvent::Ended { exit });
    }

    pub fn tasks(&self, job: JobId, which: impl Fn(TaskState) -> bool) -> Vec<TaskId> {
        let job = self.job(job);
        let id = |rank| TaskId { job: job.id, attempt: job.attempt, rank };
        job.tasks.iter().filter(|task| which(task.state)).map(|task| id(task.rank)).collect()
    }

    // Time.

    /// Lets time pass, deciding a tick whenever something is due on the way.
    pub fn advance(&mut self, span: Span) {
        let end = self.at.now + span;
        while self.at.now < end {
            let left = end.since(self.at.now);
            let (mono, wall) = self.world.next_due(self.at);
            let due = mono.map(|due| due.since(self.at.now));
            let due = due.into_iter().chain(wall.map(|due| due.since(self.at.wall)));
            let jump = due.min().unwrap_or(left).min(left);
            self.at = At { now: self.at.now + jump, wall: self.at.wall + jump };
            self.run(Command::Tick);
        }
    }

    /// The machine sleeps, or is off.
    pub fn down(&mut self, span: Span, off: bool) {
        let from = self.at.now;
        self.at = At { now: from + span, wall: self.at.wall + span };
        self.run(Command::Down { from, to: self.at.now, off });
    }

    /// The server starts after a reboot.
    pub fn reboot(&mut self, boot: &str) {
        self.run(Command::Started { boot: boot.into(), offset: 0 });
    }

    pub fn in_(&self, span: Span) -> Wall {
        self.at.wall + span
    }

    // Looking.

    pub fn job(&self, id: JobId) -> &Job {
        self.world.job(id).unwrap_or_else(|| panic!("no job {id}"))
    }

    pub fn state(&self, id: JobId) -> State {
        self.job(id).state.clone()
    }

    /// The word of its state.
    pub fn word(&self, id: JobId) -> &'static str {
        self.job(id).state.word()
    }

    pub fn outcome(&self, id: JobId) -> Outcome {
        match self.job(id).state {
            State::Ended(outcome) => outcome,
            ref state => panic!("job {id} has not ended: {state:?}"),
        }
    }

    /// Asserts that jobs stand so, in order.
    #[track_caller]
    pub fn stand(&self, jobs: &[JobId], words: &[&str]) {
        let now: Vec<&str> = jobs.iter().map(|job| self.word(*job)).collect();
        assert_eq!(now, words, "jobs {jobs:?}");
    }

    /// Starts and ends what holds room, one job at a time, and notes who got the room each time.
    pub fn starts(&mut self) -> Vec<JobId> {
        let mut order = Vec::new();
        while let [job] = self.holding()[..] {
            order.push(job);
            self.start(job);
            self.end(job, 0);
        }
        order
    }

    /// Jobs that hold room and are not frozen, by number.
    pub fn holding(&self) -> Vec<JobId> {
        let jobs = self.world.jobs().filter(|job| job.active_tasks().next().is_some());
        jobs.filter(|job| !job.frozen).map(|job| job.id).collect()
    }

    pub fn why(&self, job: JobId) -> Why {
        explain::why(&self.world, job, self.at).unwrap()
    }

    /// The code of the dominant reason, and its numbers as text: `no_room best_cpu_milli=0 …`.
    pub fn because(&self, job: JobId) -> String {
        reason_text(&self.why(job).reason)
    }
}

/// A reason as `code name=value …`.
pub fn reason_text(reason: &holdshort::model::Reason) -> String {
    use holdshort::model::reason::Value;
    let mut text = reason.code.word().to_owned();
    for (name, value) in &reason.numbers {
        match value {
            Value::Int(n) => text.push_str(&format!(" {name}={n}")),
            Value::Text(word) => text.push_str(&format!(" {name}={word}")),
        }
    }
    text
}
