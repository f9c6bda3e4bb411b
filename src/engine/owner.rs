//! The loop that owns the world.
//!
//! It takes all requests that wait, decides them one after another on the world in memory, and
//! makes the batch durable with one commit. Only then are callers answered, effects carried out
//! and the new world published: nobody ever sees or feels something a crash could undo. A commit
//! that fails ends the process; the next one finds every task in the spool.

use std::sync::{Arc, PoisonError};

use tokio::sync::oneshot;

use crate::base::{At, JobId, Mono, Name, Span, TaskId};
use crate::config::NodeEntry;
use crate::config::nodes::divide;
use crate::engine::alarm::Alarm;
use crate::engine::assemble::{Counters, Published, Shared, Stopped};
use crate::engine::clock::Timeline;
use crate::engine::intake::{Door, Inbox, Request};
use crate::engine::launch::Launcher;
use crate::engine::retention::Retention;
use crate::engine::telling::Teller;
use crate::engine::{Receipt, audit, pages, provider, recover};
use crate::ledger::{Interval, Meter, codec};
use crate::model::command::{Command, TaskEvent};
use crate::model::fact::{Fact, Record};
use crate::model::job::Exit;
use crate::model::node::Traits;
use crate::model::ports::journal::{Batch, Metered, StorageError};
use crate::model::ports::runner::{Machine, RunnerEvent};
use crate::model::ports::{Clock, Journal, Runner};
use crate::model::refusal::{Refusal, RefusalCode};
use crate::model::setup::Setup;
use crate::model::{Effect, Resources};
use crate::sched::health::Signals;
use crate::sched::{World, decide, effects};

/// An end older than this happened while nobody looked.
const UNSEEN: Span = Span::secs(1);
/// Requests in one commit at most.
const BATCH_MAX: usize = 512;
/// The loop's own state.
pub(super) struct Owner {
    pub(super) world: World,
    pub(super) meter: Meter,
    pub(super) seq: u64,
    pub(super) snapshot_seq: u64,
    pub(super) journal: Box<dyn Journal>,
    pub(super) door: Door,
    pub(super) clock: Arc<dyn Clock>,
    pub(super) runner: Arc<dyn Runner>,
    pub(super) launcher: Launcher,
    pub(super) timeline: Timeline,
    pub(super) alarm: Alarm,
    pub(super) shared: Arc<Shared>,
    pub(super) signals: Signals,
    pub(super) teller: Teller,
    pub(super) next_health: Option<Mono>,
    pub(super) notes: Vec<String>,
    pub(super) ballast_out: bool,
    pub(super) keep_logs: u64,
    pub(super) snapshot_records: u64,
    pub(super) retention: Retention,
    /// The nodes that the machine is divided into; none is the machine as it is.
    pub(super) nodes: Vec<NodeEntry>,
    /// Tasks that could not even be handed to the runner, and why.
    pub(super) unlaunched: Vec<(TaskId, String)>,
}

/// What a caller gets.
type Answer = Result<Receipt, Refusal>;

/// What a batch will do once it is durable.
#[derive(Default)]
pub(super) struct Turn {
    batch: Batch,
    records: Vec<Arc<Record>>,
    closed: Vec<Interval>,
    effects: Vec<Effect>,
    replies: Vec<(oneshot::Sender<Answer>, Answer)>,
    compact: Vec<oneshot::Sender<Result<u64, Refusal>>>,
    stop: Option<oneshot::Sender<()>>,
}

impl Turn {
    /// A caller gets its answer once the turn is durable.
    pub(super) fn answer(&mut self, reply: oneshot::Sender<Answer>, answer: Answer) {
        self.replies.push((reply, answer));
    }
}

impl Owner {
    /// The first turn of a server: what happened while none ran, this boot, the configuration,
    /// the machine; then everything the world still wants of the runner.
    pub(super) fn wake(
        &mut self,
        inbox: &Inbox,
        door: &Door,
        setup: Setup,
        boot: String,
    ) -> Result<(), StorageError> {
        let (found, events) = recover::look(&self.runner, inbox, door);
        let at = self.at_of_wake();
        let mut turn = Turn::default();
        let offset = self.timeline.offset();
        let known = self.world.boot().to_owned();
        let last = self.world.at().now;
        for event in events {
            self.runner_event(&mut turn, event, at);
        }
        // Ends that are known come first: what the machine took with it is lost after that. Its
        // absence began when the last server wrote its last record.
        if !known.is_empty() && known != boot {
            let (from, to) = (last, at.now);
            let _ = self.decide(&mut turn, Command::Down { from, to, off: true }, at);
        }
        let _ = self.decide(&mut turn, Command::Started { boot, offset }, at);
        let _ = self.decide(&mut turn, Command::Configure(setup), at);
        self.cut_off(&mut turn, at);
        let machine = self.runner.machine();
        self.machine(&mut turn, &machine, at);
        for task in recover::vanished(&self.world, &found) {
            let event = TaskEvent::Ended { exit: Exit::Unknown };
            let _ = self.decide(&mut turn, Command::Task { task, event }, at);
        }
        // `of_world` names everything that this turn's own facts want, and more.
        turn.effects = effects::of_world(&self.world);
        self.finish(turn, at)?;
        self.next_health = Some(at.now);
        self.roll_up_if_due(at);
        self.arm(at);
        self.shared.awake.send_replace(true);
        Ok(())
    }

    fn at_of_wake(&mut self) -> At {
        let reading = self.clock.read();
        self.timeline.at(reading).0
    }

    pub(super) fn run(&mut self, inbox: &Inbox) -> Result<Stopped, StorageError> {
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
            self.roll_up_if_due(at);
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
            Request::Configure { setup, nodes, reply } => {
                let result = self.decide(turn, Command::Configure(*setup), at);
                self.nodes = nodes;
                let machine = self.runner.machine();
                self.machine(turn, &machine, at);
                turn.replies.push((reply, result));
            }
            Request::Runner(event) => self.runner_event(turn, event, at),
            Request::Recovered(_) => {}
            Request::Told(told) => self.told(turn, told, at),
            Request::Provided { node, up, failed } => {
                let _ = self.decide(turn, Command::PoolNode { node, up, failed }, at);
            }
            Request::Alarm => {
                let _ = self.decide(turn, Command::Tick, at);
            }
            Request::Compact { reply } => turn.compact.push(reply),
            Request::Stop { reply } => turn.stop = Some(reply),
        }
    }

    /// Decides one command on the world in memory. What it changed joins the turn.
    pub(super) fn decide(&mut self, turn: &mut Turn, command: Command, at: At) -> Answer {
        let decision = match decide(&self.world, &command, at) {
            Ok(decision) => decision,
            Err(refusal) => {
                self.count(|counters| counters.refusals += 1);
                return Err(refusal);
            }
        };
        let (jobs, review) = (decision.jobs, decision.review);
        if decision.facts.is_empty() {
            return Ok(Receipt { seq: self.seq, jobs, review });
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
        turn.batch.audit.extend(audit::entries(&record, &self.world));
        for fact in &record.facts {
            self.meter.apply(at, fact, &mut turn.closed);
        }
        self.watch(&record.facts, at);
        self.teller.hear(&record.facts);
        turn.records.push(Arc::new(record));
        Ok(Receipt { seq: self.seq, jobs, review })
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
            RunnerEvent::Ended { task, exit } => (task, self.end_of(task, exit, at)),
            RunnerEvent::GpuTaken { task, index, by } => (task, TaskEvent::GpuTaken { index, by }),
            RunnerEvent::Froze { task, in_devices } => (task, TaskEvent::Froze { in_devices }),
            RunnerEvent::AtPrompt { task, text } => (task, TaskEvent::AtPrompt { text }),
            RunnerEvent::PromptOver { task } => (task, TaskEvent::PromptOver),
            RunnerEvent::Checked { task, well, said } => {
                self.signals.checked(task, well, said);
                self.next_health = Some(at.now);
                return;
            }
            RunnerEvent::Machine(machine) => return self.machine(turn, &machine, at),
        };
        let before = turn.batch.records.len();
        let ended = matches!(event, TaskEvent::Ended { .. } | TaskEvent::EndedUnseen { .. });
        let _ = self.decide(turn, Command::Task { task, event }, at);
        if ended && turn.batch.records.len() == before {
            // Known already: the runner may clean up.
            turn.effects.push(Effect::Forget { task });
        }
    }

    /// An end that is no news to the supervisor keeps its own time, and says whether the time
    /// limit made it while no server watched.
    fn end_of(&self, task: TaskId, exit: Exit, at: At) -> TaskEvent {
        let note = self.runner.end_note(task).unwrap_or_default();
        let age = note.wall.map_or(Span::ZERO, |wall| at.wall.since(wall));
        if age < UNSEEN && !note.by_limit {
            return TaskEvent::Ended { exit };
        }
        let then = At { now: at.now - age, wall: note.wall.unwrap_or(at.wall) };
        TaskEvent::EndedUnseen { exit, at: then, by_limit: note.by_limit }
    }

    fn machine(&mut self, turn: &mut Turn, machine: &Machine, at: At) {
        let nodes = divide(&self.nodes, machine);
        let is_configured = |name: &Name| nodes.iter().any(|(node, _)| node.name == *name);
        // Under a name that is no longer configured the same machine would count twice.
        let of_pool =
            |name: &Name| self.world.pools().any(|(_, state)| state.members.contains_key(name));
        let is_known = |name: &Name| is_configured(name) || of_pool(name);
        let earlier = self.world.nodes().filter(|node| node.up && !is_known(&node.name));
        for name in earlier.map(|node| node.name.clone()).collect::<Vec<_>>() {
            let (capacity, gpus, traits) = (Resources::default(), Vec::new(), Traits::default());
            let _ = self.decide(turn, Command::NodeSeen { name, capacity, gpus, traits }, at);
        }
        for (Machine { name, capacity, gpus }, traits) in nodes {
            let _ = self.decide(turn, Command::NodeSeen { name, capacity, gpus, traits }, at);
        }
    }

    /// Makes the turn durable, then lets the outside know of it.
    fn finish(&mut self, mut turn: Turn, at: At) -> Result<(), StorageError> {
        if !turn.closed.is_empty() {
            let (seq, at, bytes) = (self.seq, self.world.at(), codec::encode(&turn.closed));
            turn.batch.metered = Some(Metered { seq, at, bytes });
        }
        if !turn.batch.records.is_empty() {
            self.commit(&turn.batch)?;
        }
        self.remember(at);
        let published = Published {
            world: self.world.clone(),
            meter: self.meter.clone(),
            seq: self.seq,
            notes: self.notes.clone(),
            timeline: self.timeline.clone(),
        };
        *self.shared.published.lock().unwrap_or_else(PoisonError::into_inner) = published;
        for effect in &turn.effects {
            self.carry_out(effect);
        }
        for (reply, result) in turn.replies {
            let _ = reply.send(result);
        }
        for record in turn.records {
            self.shared.listeners.tell(&record);
            let _ = self.shared.follow.send(record);
        }
        self.tell(at);
        self.fail_unlaunched(at)
    }

    /// Once a minute: how things stood until this turn.
    fn remember(&self, at: At) {
        let mut history = self.shared.history.lock().unwrap_or_else(PoisonError::into_inner);
        if history.is_over(at.wall) {
            history.close(at.wall, pages::minute(&self.shared.published().world));
        }
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
            Effect::Pool { ref pool, ref node, up } => self.provide(pool, node, up),
            Effect::Forget { task } => {
                self.signals.forget(task);
                self.runner.forget(task);
            }
            Effect::Archive { job } => {
                if let Some(old) = job.0.checked_sub(self.keep_logs) {
                    self.launcher.drop_output(&self.world, JobId(old));
                }
            }
        }
    }

    /// Has a pool's command make a node, or take it away.
    fn provide(&self, pool: &Name, node: &Name, up: bool) {
        let pools = &self.world.setup().pools;
        let configured = pools.iter().find(|configured| configured.name == *pool);
        let command = configured.and_then(|pool| if up { &pool.up } else { &pool.down }.as_ref());
        if let Some(command) = command {
            provider::run(&self.door, command, pool, node, up);
        }
    }

    fn note_pause(&mut self, at: At) {
        let now = self.clock.read();
        let pause = now.boot_ms.saturating_sub(self.timeline.boot_ms(at.now));
        self.count(|counters| counters.longest_pause_ms = counters.longest_pause_ms.max(pause));
    }

    pub(super) fn count(&self, change: impl FnOnce(&mut Counters)) {
        change(&mut self.shared.counters.lock().unwrap_or_else(PoisonError::into_inner));
    }
}
