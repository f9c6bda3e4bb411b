//! The simulation itself: the core's world on a virtual clock, and everything around it.
//!
//! [`Fleet::advance`] lets time pass: what is due happens in order, each thing becomes a command,
//! and the core decides. Its effects go to made-up processes (`running`), whose news come back as
//! commands. People of the simulation submit (`intake`) and act (`unrest`) the same way.

mod intake;
mod reviews;
mod running;

use std::collections::{BTreeMap, VecDeque};
use std::sync::Arc;

use crate::base::{At, Digest, JobId, Mono, Name, ReviewId, Span, TaskId, Wall};
use crate::engine::pages;
use crate::model::fact::Record;
use crate::model::history::History;
use crate::model::job::Exit;
use crate::model::node::Traits;
use crate::model::page::KeptDay;
use crate::model::page::Lane;
use crate::model::page::usage::{UsagePage, UsageQuery};
use crate::model::program::Program;
use crate::model::refusal::Refusal;
use crate::model::review::ReviewCommand;
use crate::model::{Command, Fact, Job};
use crate::sched::health::{self, Signals};
use crate::sched::{World, decide, effects, invariants};
use crate::sim::agenda::Agenda;
use crate::sim::books::Books;
use crate::sim::conduct::Conduct;
use crate::sim::dice::Dice;
use crate::sim::petition::Petition;
use crate::sim::play::Play;
use crate::sim::process::{Process, Step};
use crate::sim::site::{self, Scale};
use crate::sim::{kinds, unrest};

/// Records that are kept for followers; older ones are gone.
const RECORDS_MAX: usize = 20_000;
/// Jobs that have left the world and can still be looked at.
const ARCHIVE_MAX: usize = 2_000;
/// Broken rules that are kept.
const FAULTS_MAX: usize = 20;
/// In a debug build the invariants are checked after every so many steps.
const CHECK_EVERY: u64 = 512;
/// The clock that counts from the machine's start shows this when the simulation begins.
const UP: Mono = Mono(Span::hours(71).0);
/// So many jobs wait before new ones stop coming by themselves.
const QUEUE_FULL: usize = 300;

/// Something that will happen.
pub(super) enum Due {
    /// Somebody submits.
    Submit(Box<Play>),
    /// Somebody or something says so.
    Say(Box<Command>),
    /// A process begins to run.
    Began(TaskId),
    /// A process is over.
    Gone(TaskId, Exit),
    /// A process gets to the next point of its work, if it is still the same turn.
    Step(TaskId, u64, Step),
    /// A colleague answers a question, if it is still the same turn.
    Answer(TaskId, u64),
    /// Somebody does something with what a job asks.
    Petition(Box<Petition>),
    /// A job uses the right that a yes gave it.
    Use(ReviewId),
    /// Jobs keep coming.
    Arrivals(Arrivals),
    /// People and machines keep acting.
    Unrest(Span),
}

/// Jobs that keep coming.
#[derive(Debug, Clone, Copy)]
pub(super) struct Arrivals {
    /// Until then.
    pub(super) until: Option<Mono>,
    /// One in so much time, on the average.
    pub(super) each: Span,
    /// Only what needs no GPU and is over soon.
    pub(super) small: bool,
    /// None come while this many wait, elements of arrays left out.
    pub(super) queue_max: usize,
}

/// A simulated installation.
pub struct Fleet {
    pub(super) world: World,
    pub(super) at: At,
    pub(super) agenda: Agenda<Due>,
    pub(super) dice: Dice,
    pub(super) processes: BTreeMap<TaskId, Process>,
    /// A program that is not ours and takes the next GPU a task of ours is about to use.
    pub(super) intruder: Option<Name>,
    seed: u64,
    began: At,
    seq: u64,
    books: Books,
    records: VecDeque<Arc<Record>>,
    history: History,
    conducts: BTreeMap<JobId, Arc<Conduct>>,
    /// Work that a job need not do again.
    saved: BTreeMap<JobId, Span>,
    programs: BTreeMap<Digest, (Program, Vec<String>)>,
    archive: BTreeMap<JobId, Arc<Job>>,
    signals: Signals,
    next_health: Option<Mono>,
    steps: u64,
    faults: Vec<String>,
    /// Things somebody of the simulation wanted and the core refused.
    refused: u64,
}

impl Fleet {
    /// An installation of a size on the evening of 29 November 2026, in which, if the scale says
    /// so, jobs are submitted and people act from now on.
    pub fn new(seed: u64, scale: &Scale) -> Fleet {
        let wall = Wall(1_795_975_924_000);
        let mut fleet = Fleet::begin(seed, scale, wall);
        let each = |per_hour: u64| Span::hours(1).0.checked_div(per_hour).map(Span);
        if let Some(each) = each(scale.jobs_per_hour) {
            let queue_max = QUEUE_FULL;
            let arrivals = Arrivals { until: None, each, small: false, queue_max };
            fleet.agenda.put(fleet.at.now, Due::Arrivals(arrivals));
        }
        if let Some(each) = each(scale.acts_per_hour) {
            fleet.agenda.put(fleet.at.now + each, Due::Unrest(each));
        }
        fleet
    }

    /// An installation in which nothing happens by itself, from a calendar time on.
    pub(super) fn begin(seed: u64, scale: &Scale, wall: Wall) -> Fleet {
        let at = At { now: UP, wall };
        let mut fleet = Fleet {
            world: World::new(),
            at,
            agenda: Agenda::new(),
            dice: Dice::of(seed, &[0]),
            processes: BTreeMap::new(),
            intruder: None,
            seed,
            began: at,
            seq: 0,
            books: Books::default(),
            records: VecDeque::new(),
            history: History::default(),
            conducts: BTreeMap::new(),
            saved: BTreeMap::new(),
            programs: BTreeMap::new(),
            archive: BTreeMap::new(),
            signals: Signals::default(),
            next_health: None,
            steps: 0,
            faults: Vec::new(),
            refused: 0,
        };
        fleet.say(Command::Started { boot: "simulated".into(), offset: 0 });
        fleet.say(Command::Configure(site::setup(scale)));
        for machine in scale.machines() {
            let (name, capacity, gpus) = (machine.name, machine.capacity, machine.gpus);
            fleet.say(Command::NodeSeen { name, capacity, gpus, traits: Traits::default() });
        }
        fleet
    }

    /// The world now.
    pub fn world(&self) -> &World {
        &self.world
    }

    /// Now.
    pub fn at(&self) -> At {
        self.at
    }

    /// Virtual time since the beginning.
    pub fn elapsed(&self) -> Span {
        self.at.now.since(self.began.now)
    }

    /// The number of the last record.
    pub fn seq(&self) -> u64 {
        self.seq
    }

    /// What was broken of the rules that must always hold; looked for now and then in debug
    /// builds.
    pub fn faults(&self) -> &[String] {
        &self.faults
    }

    /// Use and queue over the last two hours.
    pub fn history(&self) -> History {
        let mut history = self.history.clone();
        let now = pages::minute(&self.world);
        history.close(self.at.wall, now);
        history.put(self.at.wall, now);
        history
    }

    /// How often the core refused somebody of the simulation.
    pub fn refused(&self) -> u64 {
        self.refused
    }

    /// At most `limit` records after `seq` that are still kept. The first one may be later than
    /// the next if those between are gone.
    pub fn records(&self, seq: u64, limit: usize) -> impl Iterator<Item = &Arc<Record>> {
        let oldest = self.records.front().map_or(0, |record| record.seq);
        let skip = usize::try_from((seq + 1).saturating_sub(oldest)).unwrap_or(usize::MAX);
        self.records.iter().skip(skip).take(limit)
    }

    /// Forgets the records that are kept; how many.
    pub fn forget_records(&mut self) -> u64 {
        let dropped = self.records.len() as u64;
        self.records.clear();
        dropped
    }

    /// When the next thing happens by itself.
    pub fn next_due(&self) -> Option<Mono> {
        self.timer().into_iter().chain(self.agenda.next_at()).min()
    }

    /// Lets time pass up to an instant; time never goes back.
    pub fn advance(&mut self, to: Mono) {
        self.advance_steps(to, u64::MAX);
    }

    /// The same in at most so many steps: false if that was not enough, and time stands where
    /// the steps ended.
    pub fn advance_steps(&mut self, to: Mono, most: u64) -> bool {
        for _ in 0..most {
            let timer = self.timer();
            let Some(due) = self.next_due().filter(|due| *due <= to) else {
                self.set_time(to);
                return true;
            };
            self.set_time(due);
            match timer.filter(|timer| *timer <= due) {
                Some(_) => self.tick(),
                None => {
                    if let Some(what) = self.agenda.take(due) {
                        self.happen(what);
                    }
                }
            }
            self.steps += 1;
            if cfg!(debug_assertions) && self.steps.is_multiple_of(CHECK_EVERY) {
                self.check();
            }
        }
        false
    }

    /// Decides a command now.
    ///
    /// # Errors
    /// What the core refuses.
    pub fn command(&mut self, command: Command) -> Result<Vec<JobId>, Refusal> {
        self.decide(command).map(|(jobs, _)| jobs)
    }

    /// The same for a command about reviews: the review it was about.
    ///
    /// # Errors
    /// What the core refuses.
    pub fn review_command(&mut self, command: ReviewCommand) -> Result<Option<ReviewId>, Refusal> {
        self.decide(Command::Review(Box::new(command))).map(|(_, review)| review)
    }

    fn decide(&mut self, command: Command) -> Result<(Vec<JobId>, Option<ReviewId>), Refusal> {
        let decision = decide(&self.world, &command, self.at)?;
        let (facts, told) = (decision.facts, (decision.jobs, decision.review));
        if facts.is_empty() {
            return Ok(told);
        }
        if self.history.is_over(self.at.wall) {
            self.history.close(self.at.wall, pages::minute(&self.world));
        }
        self.seq += 1;
        let effects = effects::of_facts(&facts, &decision.world);
        self.put_away(&facts);
        self.world = decision.world;
        self.books.take(self.at, &facts);
        self.follow(&facts);
        if self.records.len() >= RECORDS_MAX {
            self.records.pop_front();
        }
        self.records.push_back(Arc::new(Record { seq: self.seq, at: self.at, command, facts }));
        for effect in effects {
            self.carry_out(&effect);
        }
        Ok(told)
    }

    /// Decides a command of the simulation's own, which may well be refused.
    pub(super) fn say(&mut self, command: Command) {
        if self.command(command).is_err() {
            self.refused += 1;
        }
    }

    /// What was kept for waiting jobs over the last day.
    pub fn kept_day(&self) -> KeptDay {
        self.books.kept_day(self.at)
    }

    /// Sums of what was used.
    pub fn usage(&self, query: UsageQuery) -> UsagePage {
        self.books.usage(query, self.seq, self.at)
    }

    /// Checks everything that must always hold.
    pub fn check(&mut self) {
        let broken = invariants::check(&self.world, self.at);
        let room = FAULTS_MAX.saturating_sub(self.faults.len());
        let seq = self.seq;
        let noted = broken.into_iter().map(|what| format!("after record {seq}: {what}"));
        self.faults.extend(noted.take(room));
    }

    fn set_time(&mut self, now: Mono) {
        let now = now.max(self.at.now);
        self.at = At { now, wall: self.began.wall + now.since(self.began.now) };
    }

    /// When time alone changes something: a start time, a limit, a finding.
    fn timer(&self) -> Option<Mono> {
        let (mono, wall) = self.world.next_due(self.at);
        let wall = wall.map(|due| self.at.now + due.since(self.at.wall));
        mono.into_iter().chain(wall).chain(self.next_health).min()
    }

    fn tick(&mut self) {
        self.say(Command::Tick);
        if self.next_health.is_none_or(|due| due > self.at.now) {
            return;
        }
        let candidates: Vec<TaskId> = health::candidates(&self.world, &self.signals).collect();
        for task in candidates {
            let quiet = self.processes.get(&task).is_none_or(|process| process.conduct.quiet);
            let known = if quiet { &mut self.signals.silent } else { &mut self.signals.wrote };
            known.insert(task);
        }
        let (commands, next) = health::scan(&self.world, &self.signals, self.at);
        // Never twice at the same instant.
        self.next_health = next.map(|due| due.max(self.at.now + health::SOONEST));
        commands.into_iter().for_each(|command| self.say(command));
    }

    fn happen(&mut self, what: Due) {
        match what {
            Due::Submit(play) => self.play(&play),
            Due::Say(command) => self.say(*command),
            Due::Began(task) => self.began(task),
            Due::Gone(task, exit) => self.gone(task, exit),
            Due::Step(task, turn, step) => self.step(task, turn, step),
            Due::Answer(task, turn) => self.colleague_answers(task, turn),
            Due::Petition(petition) => self.petition(&petition),
            Due::Use(review) => self.use_right(review),
            Due::Arrivals(arrivals) => self.arrive(arrivals),
            Due::Unrest(each) => {
                unrest::act(self);
                let gap = self.dice.about(each, 60);
                self.agenda.put(self.at.now + gap, Due::Unrest(each));
            }
        }
    }

    fn arrive(&mut self, arrivals: Arrivals) {
        if arrivals.until.is_some_and(|until| until <= self.at.now) {
            return;
        }
        if self.rows_queued() < arrivals.queue_max {
            let play = kinds::draw(&mut self.dice, arrivals.small);
            self.play(&play);
        }
        let gap = self.dice.about(arrivals.each, 80);
        self.agenda.put(self.at.now + gap, Due::Arrivals(arrivals));
    }

    /// Jobs that wait, elements of arrays left out.
    fn rows_queued(&self) -> usize {
        let queued = self.world.index().lane(Lane::Queued, None);
        let jobs = queued.filter_map(|(_, id)| self.world.job(id));
        jobs.filter(|job| job.spec.array.is_none()).count()
    }

    /// Jobs that leave the world are kept as they were for a while, what belongs to them is not.
    fn put_away(&mut self, facts: &[Fact]) {
        for fact in facts {
            let Fact::JobForgotten { job } = fact else { continue };
            self.archive.extend(self.world.job(*job).map(|known| (*job, known.clone())));
            self.conducts.remove(job);
            self.saved.remove(job);
            self.processes.retain(|task, _| task.job != *job);
        }
        while self.archive.len() > ARCHIVE_MAX {
            self.archive.pop_first();
        }
    }

    /// Facts that something here depends on.
    fn follow(&mut self, facts: &[Fact]) {
        for fact in facts {
            match fact {
                Fact::TaskStarted { .. } | Fact::JobThawed { .. } | Fact::JobChanged { .. } => {
                    let soon = self.at.now + health::SOONEST;
                    self.next_health = Some(self.next_health.map_or(soon, |next| next.min(soon)));
                }
                Fact::PromptOver { job, .. } => self.answered(*job),
                Fact::Review { review, job, fact } => self.review_news(*review, *job, fact),
                _ => {}
            }
        }
    }

    /// A job, also one that has left the world.
    pub fn job(&self, id: JobId) -> Option<&Arc<Job>> {
        self.world.job(id).or_else(|| self.archive.get(&id))
    }

    /// The newest job of a name.
    pub fn named(&self, name: &str) -> Option<&Arc<Job>> {
        self.world.jobs().filter(|job| &*job.spec.name == name).last()
    }

    /// What a job executes.
    pub fn program(&self, job: &Job) -> Option<&Program> {
        self.programs.get(&job.spec.program).map(|(program, _)| program)
    }

    /// Names of a job's environment.
    pub fn environment(&self, job: &Job) -> &[String] {
        self.programs.get(&job.spec.program).map_or(&[], |(_, names)| names)
    }
}

#[cfg(test)]
#[path = "fleet/tests.rs"]
mod tests;
