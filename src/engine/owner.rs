//! The loop that owns the world.
//!
//! It takes all requests that wait, decides them one after another on the world in memory, and
//! makes the batch durable with one commit. Only then are callers answered, effects carried out
//! and the new world published: nobody ever sees or feels something a crash could undo. A commit
//! that fails ends the process; the next one finds every task in the spool.

use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};

use tokio::sync::{broadcast, oneshot};

use crate::base::{At, Digest, JobId, Mono, TaskId};
use crate::engine::alarm::Alarm;
use crate::engine::clock::Timeline;
use crate::engine::handle::{Handle, Inner};
use crate::engine::intake::{Door, Inbox, Request};
use crate::engine::launch::Launcher;
use crate::engine::output::Output;
use crate::engine::reads::Programs;
use crate::engine::tokens::Tokens;
use crate::engine::{Receipt, recover};
use crate::model::Effect;
use crate::model::command::{Command, TaskEvent};
use crate::model::fact::{Fact, Record};
use crate::model::job::Exit;
use crate::model::ports::journal::{Batch, Snapshot, StorageError};
use crate::model::ports::runner::{Machine, RunnerEvent};
use crate::model::ports::{Clock, Environments, Journal, Runner};
use crate::model::refusal::{Refusal, RefusalCode};
use crate::model::setup::Setup;
use crate::sched::health::{self, Signals};
use crate::sched::{World, decide, effects};

/// Requests in one commit at most.
const BATCH_MAX: usize = 512;
/// Committed records a slow follower may be behind before it has to read the journal.
const FOLLOW_MAX: usize = 1024;
/// New jobs are refused below this many free bytes: what is left is for ends and stops.
const FREE_LEAST: u64 = 16 << 20;
/// A snapshot is taken after this many records, or after as many as there are jobs if more.
const SNAPSHOT_EVERY: u64 = 20_000;

/// What the loop is made of.
pub struct Parts {
    /// Durable bytes.
    pub journal: Box<dyn Journal>,
    /// Values of environments.
    pub environments: Arc<dyn Environments>,
    /// The clocks.
    pub clock: Box<dyn Clock>,
    /// Processes. Built with the same door.
    pub runner: Arc<dyn Runner>,
    /// Configuration.
    pub setup: Setup,
    /// Where things are.
    pub places: Places,
}

/// Where things are.
#[derive(Debug, Clone)]
pub struct Places {
    /// Journal, spool, logs.
    pub data_dir: PathBuf,
    /// The server's socket.
    pub socket: PathBuf,
    /// The directory of our own executable, for `PATH`.
    pub bin_dir: PathBuf,
    /// Bytes in one log file.
    pub log_bytes_max: u64,
    /// Output of this many jobs is kept.
    pub keep_logs: u64,
}

/// Why a loop ended.
#[derive(Debug)]
pub enum Stopped {
    /// It was asked to.
    Asked,
    /// Storage failed: the process must end, since memory is ahead of the disk.
    Failed(StorageError),
}

/// What readers see: the world as of the last commit.
#[derive(Clone)]
pub(super) struct Published {
    pub world: World,
    pub seq: u64,
    pub at: At,
    pub notes: Vec<String>,
}

/// Shared between the loop and the handles.
pub(super) struct Shared {
    pub published: Mutex<Published>,
    pub follow: broadcast::Sender<Arc<Record>>,
    pub counters: Mutex<Counters>,
}

/// Numbers for `/metrics`.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Counters {
    pub commits: u64,
    pub records: u64,
    pub refusals: u64,
    pub longest_pause_ms: u64,
}

impl Shared {
    pub fn published(&self) -> Published {
        self.published.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

/// Brings a data directory back to life and starts the loop on a thread of its own. The handle
/// is usable at once; the receiver says why the loop ended.
///
/// # Errors
/// When the journal can't be read, or was written by a newer version.
pub fn start(
    parts: Parts,
    door: &Door,
    inbox: Inbox,
) -> Result<(Handle, oneshot::Receiver<Stopped>), StorageError> {
    let state = recover::load(parts.journal.as_ref())?;
    let failed = |error: std::io::Error| StorageError::Failed(error.to_string());
    let tokens = Tokens::open(&parts.places.data_dir).map_err(failed)?;
    let ring = door.clone();
    let alarm = Alarm::start(move || ring.ring()).map_err(failed)?;
    let reader = parts.journal.reader()?;
    let launch_reader = parts.journal.reader()?;
    let reading = parts.clock.read();
    let boot = parts.clock.boot_id();
    let offset = (state.world.boot() == boot).then(|| state.world.boot_offset());
    let timeline = Timeline::resume(state.world.at(), offset, reading);
    let shared = Arc::new(Shared {
        published: Mutex::new(Published {
            world: state.world.clone(),
            seq: state.seq,
            at: state.world.at(),
            notes: Vec::new(),
        }),
        follow: broadcast::channel(FOLLOW_MAX).0,
        counters: Mutex::default(),
    });
    let environments = parts.environments.clone();
    let launcher =
        Launcher::new(parts.places.clone(), tokens.clone(), launch_reader, environments.clone());
    let inner = Inner {
        door: door.clone(),
        shared: shared.clone(),
        runner: parts.runner.clone(),
        environments,
        stored: Mutex::new(Programs::new(reader)),
        output: Output::new(&parts.places.data_dir),
        places: parts.places.clone(),
        tokens,
        since: reading.wall,
    };
    let handle = Handle { inner: Arc::new(inner) };
    let mut owner = Owner {
        world: state.world,
        seq: state.seq,
        snapshot_seq: state.snapshot_seq,
        journal: parts.journal,
        clock: parts.clock,
        runner: parts.runner,
        launcher,
        timeline,
        alarm,
        shared,
        signals: Signals::default(),
        next_health: None,
        notes: Vec::new(),
        ballast_out: false,
        keep_logs: parts.places.keep_logs,
        unlaunched: Vec::new(),
    };
    let (tell, stopped) = oneshot::channel();
    let door = door.clone();
    let setup = parts.setup;
    let loop_body = move || {
        let end = owner.wake(&inbox, &door, setup, boot).and_then(|()| owner.run(&inbox));
        let _ = tell.send(end.unwrap_or_else(Stopped::Failed));
    };
    std::thread::Builder::new().name("owner".into()).spawn(loop_body).map_err(failed)?;
    Ok((handle, stopped))
}

/// The loop's own state.
struct Owner {
    world: World,
    seq: u64,
    snapshot_seq: u64,
    journal: Box<dyn Journal>,
    clock: Box<dyn Clock>,
    runner: Arc<dyn Runner>,
    launcher: Launcher,
    timeline: Timeline,
    alarm: Alarm,
    shared: Arc<Shared>,
    signals: Signals,
    next_health: Option<Mono>,
    notes: Vec<String>,
    ballast_out: bool,
    keep_logs: u64,
    /// Tasks that could not even be handed to the runner, and why.
    unlaunched: Vec<(TaskId, String)>,
}

/// What a caller gets.
type Answer = Result<Receipt, Refusal>;

/// What a batch will do once it is durable.
#[derive(Default)]
struct Turn {
    batch: Batch,
    records: Vec<Arc<Record>>,
    effects: Vec<Effect>,
    replies: Vec<(oneshot::Sender<Answer>, Answer)>,
    compact: Vec<oneshot::Sender<Result<u64, Refusal>>>,
    stop: Option<oneshot::Sender<()>>,
}

impl Owner {
    /// The first turn of a server: what happened while none ran, this boot, the configuration,
    /// the machine; then everything the world still wants of the runner.
    fn wake(
        &mut self,
        inbox: &Inbox,
        door: &Door,
        setup: Setup,
        boot: String,
    ) -> Result<(), StorageError> {
        let (found, events) = recover::look(&self.runner, inbox, door);
        let at = self.at_of_wake();
        let mut turn = Turn::default();
        for event in events {
            self.runner_event(&mut turn, event, at);
        }
        let offset = self.timeline.offset();
        let known = self.world.boot().to_owned();
        if !known.is_empty() && known != boot {
            let (from, to) = (self.world.at().now, at.now);
            let _ = self.decide(&mut turn, Command::Down { from, to, off: true }, at);
        }
        let _ = self.decide(&mut turn, Command::Started { boot, offset }, at);
        let _ = self.decide(&mut turn, Command::Configure(setup), at);
        let machine = self.runner.machine();
        self.machine(&mut turn, machine, at);
        for task in recover::vanished(&self.world, &found) {
            let event = TaskEvent::Ended { exit: Exit::Unknown };
            let _ = self.decide(&mut turn, Command::Task { task, event }, at);
        }
        // `of_world` names everything that this turn's own facts want, and more.
        turn.effects = effects::of_world(&self.world);
        self.finish(turn, at)?;
        self.next_health = Some(at.now);
        self.arm(at);
        Ok(())
    }

    fn at_of_wake(&mut self) -> At {
        let reading = self.clock.read();
        self.timeline.at(reading).0
    }

    fn run(&mut self, inbox: &Inbox) -> Result<Stopped, StorageError> {
        while let Ok(first) = inbox.receiver.recv() {
            let (at, slept) = self.timeline.at(self.clock.read());
            let mut turn = Turn::default();
            if let Some(span) = slept {
                let command = Command::Down { from: at.now - span, to: at.now, off: false };
                let _ = self.decide(&mut turn, command, at);
            }
            let mut taken = 1;
            self.take(&mut turn, first, at);
            while taken < BATCH_MAX && turn.stop.is_none() {
                let Ok(request) = inbox.receiver.try_recv() else { break };
                self.take(&mut turn, request, at);
                taken += 1;
            }
            self.check_health(&mut turn, at);
            let compact = std::mem::take(&mut turn.compact);
            let stop = turn.stop.take();
            self.finish(turn, at)?;
            for reply in compact {
                let _ = reply.send(self.compact());
            }
            if let Some(reply) = stop {
                self.snapshot()?;
                let _ = reply.send(());
                return Ok(Stopped::Asked);
            }
            self.snapshot_if_due()?;
            self.arm(at);
            self.note_pause(at);
        }
        Ok(Stopped::Asked)
    }

    fn take(&mut self, turn: &mut Turn, request: Request, at: At) {
        match request {
            Request::Decide { command, contents, reply } => {
                if matches!(*command, Command::Submit(_)) && self.disk_is_full() {
                    let what = "the disk with the journal is full, so nothing new is taken on";
                    let hint = format!("make room in {}", self.launcher.data_dir().display());
                    let refusal = Refusal::new(RefusalCode::DiskFull, what, hint);
                    turn.replies.push((reply, Err(refusal)));
                    return;
                }
                let result = self.decide(turn, *command, at);
                if result.is_ok() {
                    turn.batch.contents.extend(contents);
                }
                turn.replies.push((reply, result));
            }
            Request::Runner(event) => self.runner_event(turn, event, at),
            Request::Recovered(_) => {}
            Request::Alarm => {
                let _ = self.decide(turn, Command::Tick, at);
            }
            Request::Compact { reply } => turn.compact.push(reply),
            Request::Stop { reply } => turn.stop = Some(reply),
        }
    }

    /// Decides one command on the world in memory. What it changed joins the turn.
    fn decide(&mut self, turn: &mut Turn, command: Command, at: At) -> Answer {
        let decision = match decide(&self.world, &command, at) {
            Ok(decision) => decision,
            Err(refusal) => {
                self.count(|counters| counters.refusals += 1);
                return Err(refusal);
            }
        };
        let jobs = decision.jobs;
        if decision.facts.is_empty() {
            return Ok(Receipt { seq: self.seq, jobs });
        }
        let record = Record { seq: self.seq + 1, at, command, facts: decision.facts };
        let bytes = serde_json::to_vec(&record).map_err(|error| {
            Refusal::new(RefusalCode::Internal, format!("cannot write a record: {error}"), "")
        })?;
        self.seq += 1;
        turn.batch.records.push((self.seq, bytes));
        turn.effects.extend(effects::of_facts(&record.facts, &decision.world));
        self.archive(turn, &record.facts);
        self.world = decision.world;
        self.watch(&record.facts, at);
        turn.records.push(Arc::new(record));
        Ok(Receipt { seq: self.seq, jobs })
    }

    /// Jobs that leave the world are stored as they were, before they are gone.
    fn archive(&self, turn: &mut Turn, facts: &[Fact]) {
        for fact in facts {
            let Fact::JobForgotten { job } = fact else { continue };
            let summary = self.world.job(*job).map(|job| serde_json::to_vec(&**job));
            if let Some(Ok(bytes)) = summary {
                turn.batch.summaries.push((job.0, bytes));
            }
        }
    }

    fn runner_event(&mut self, turn: &mut Turn, event: RunnerEvent, at: At) {
        let (task, event) = match event {
            RunnerEvent::Started { task, pid } => (task, TaskEvent::Started { pid }),
            RunnerEvent::Ended { task, exit } => (task, TaskEvent::Ended { exit }),
            RunnerEvent::GpuTaken { task, index, by } => (task, TaskEvent::GpuTaken { index, by }),
            RunnerEvent::AtPrompt { task, text } => (task, TaskEvent::AtPrompt { text }),
            RunnerEvent::PromptOver { task } => (task, TaskEvent::PromptOver),
            RunnerEvent::Machine(machine) => return self.machine(turn, machine, at),
        };
        let before = turn.batch.records.len();
        let ended = matches!(event, TaskEvent::Ended { .. });
        let _ = self.decide(turn, Command::Task { task, event }, at);
        if ended && turn.batch.records.len() == before {
            // Known already: the runner may clean up.
            turn.effects.push(Effect::Forget { task });
        }
    }

    fn machine(&mut self, turn: &mut Turn, machine: Machine, at: At) {
        let Machine { name, capacity, gpus } = machine;
        let _ = self.decide(turn, Command::NodeSeen { name, capacity, gpus }, at);
    }

    /// Makes the turn durable, then lets the outside know of it.
    fn finish(&mut self, turn: Turn, at: At) -> Result<(), StorageError> {
        if !turn.batch.records.is_empty() {
            self.commit(&turn.batch)?;
        }
        let published =
            Published { world: self.world.clone(), seq: self.seq, at, notes: self.notes.clone() };
        *self.shared.published.lock().unwrap_or_else(PoisonError::into_inner) = published;
        for effect in &turn.effects {
            self.carry_out(effect);
        }
        for (reply, result) in turn.replies {
            let _ = reply.send(result);
        }
        for record in turn.records {
            let _ = self.shared.follow.send(record);
        }
        self.fail_unlaunched(at)
    }

    /// What could not be handed to the runner has failed.
    fn fail_unlaunched(&mut self, at: At) -> Result<(), StorageError> {
        let failed = std::mem::take(&mut self.unlaunched);
        if failed.is_empty() {
            return Ok(());
        }
        let mut turn = Turn::default();
        for (task, why) in failed {
            let event = TaskEvent::Ended { exit: Exit::NotStarted(why) };
            let _ = self.decide(&mut turn, Command::Task { task, event }, at);
        }
        self.finish(turn, at)
    }

    /// One commit. On a full disk the ballast is given back, so that what has happened already
    /// can be written down.
    fn commit(&mut self, batch: &Batch) -> Result<(), StorageError> {
        let records = batch.records.len() as u64;
        let result = match self.journal.commit(batch) {
            Err(StorageError::Full(why)) if self.journal.release_ballast() => {
                tracing::error!("the disk is full ({why}); the ballast is given back");
                self.ballast_out = true;
                self.notes = vec![format!(
                    "the disk is full: new jobs are refused until {} has room",
                    self.launcher.data_dir().display()
                )];
                self.journal.commit(batch)
            }
            other => other,
        };
        self.count(|counters| {
            counters.commits += 1;
            counters.records += records;
        });
        result
    }

    fn carry_out(&mut self, effect: &Effect) {
        match *effect {
            Effect::Start { task } => match self.launcher.launch(&self.world, task) {
                Ok(Some(launch)) => self.runner.start(launch),
                Ok(None) => {}
                Err(why) => self.unlaunched.push((task, why)),
            },
            Effect::Stop { task, why, grace } => self.runner.stop(task, why, grace),
            Effect::Freeze { task } => self.runner.freeze(task),
            Effect::Thaw { task } => self.runner.thaw(task),
            Effect::Limit { task, left } => self.runner.limit(task, left),
            Effect::Forget { task } => {
                self.signals.wrote.remove(&task);
                self.signals.silent.remove(&task);
                self.runner.forget(task);
            }
            Effect::Archive { job } => {
                if let Some(old) = job.0.checked_sub(self.keep_logs) {
                    self.launcher.drop_output(JobId(old));
                }
            }
        }
    }

    fn disk_is_full(&mut self) -> bool {
        let full = self.journal.free_bytes() < FREE_LEAST;
        if !full && self.ballast_out {
            self.journal.restore_ballast();
            self.ballast_out = false;
            self.notes.clear();
        }
        full
    }

    /// A task that starts, thaws or gets another limit may cross a threshold soon.
    fn watch(&mut self, facts: &[Fact], at: At) {
        let news = |fact: &Fact| {
            matches!(
                fact,
                Fact::TaskStarted { .. } | Fact::JobThawed { .. } | Fact::JobChanged { .. }
            )
        };
        if facts.iter().any(news) {
            let soon = at.now + health::SOONEST;
            self.next_health = Some(self.next_health.map_or(soon, |next| next.min(soon)));
        }
    }

    fn check_health(&mut self, turn: &mut Turn, at: At) {
        if self.next_health.is_none_or(|due| due > at.now) {
            return;
        }
        let candidates: Vec<_> = health::candidates(&self.world, &self.signals).collect();
        for task in candidates {
            match self.runner.output_bytes(task) {
                Some(0) => drop(self.signals.silent.insert(task)),
                Some(_) => drop(self.signals.wrote.insert(task)),
                None => {}
            }
        }
        let (commands, next) = health::scan(&self.world, &self.signals, at);
        self.next_health = next;
        for command in commands {
            let _ = self.decide(turn, command, at);
        }
    }

    fn arm(&mut self, at: At) {
        let (mono, wall) = self.world.next_due(at);
        let mono = mono.into_iter().chain(self.next_health).min();
        self.alarm.arm(mono.map(|due| self.timeline.boot_ms(due)), wall);
    }

    fn snapshot_if_due(&mut self) -> Result<(), StorageError> {
        let jobs = self.world.job_count();
        if self.seq - self.snapshot_seq < SNAPSHOT_EVERY.max(jobs) {
            return Ok(());
        }
        self.snapshot()
    }

    fn snapshot(&mut self) -> Result<(), StorageError> {
        if self.seq == self.snapshot_seq {
            return Ok(());
        }
        let body = serde_json::to_vec(&self.world)
            .map_err(|error| StorageError::Failed(format!("cannot write a snapshot: {error}")))?;
        match self.journal.put_snapshot(&Snapshot { seq: self.seq, body }) {
            Ok(()) => self.snapshot_seq = self.seq,
            // A snapshot only saves time: without room for one the records suffice.
            Err(StorageError::Full(why)) => tracing::warn!("no room for a snapshot: {why}"),
            Err(error) => return Err(error),
        }
        Ok(())
    }

    fn compact(&mut self) -> Result<u64, Refusal> {
        let failed = |error: StorageError| {
            Refusal::new(
                RefusalCode::Internal,
                format!("the journal was left as it is: {error}"),
                "",
            )
        };
        self.snapshot().map_err(failed)?;
        self.journal.compact().map_err(failed)
    }

    fn note_pause(&mut self, at: At) {
        let now = self.clock.read();
        let pause = now.boot_ms.saturating_sub(self.timeline.boot_ms(at.now));
        self.count(|counters| counters.longest_pause_ms = counters.longest_pause_ms.max(pause));
    }

    fn count(&self, change: impl FnOnce(&mut Counters)) {
        change(&mut self.shared.counters.lock().unwrap_or_else(PoisonError::into_inner));
    }
}

/// A content and its name.
pub(super) fn content(bytes: Vec<u8>) -> (Digest, Vec<u8>) {
    (Digest::of(&bytes), bytes)
}
