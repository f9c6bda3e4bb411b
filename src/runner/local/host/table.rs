//! What the server knows of the tasks on this machine.

use std::collections::{BTreeMap, VecDeque};
use std::os::fd::RawFd;
use std::path::PathBuf;
use std::sync::Arc;

use crate::base::TaskId;
use crate::model::job::{Exit, StopFor};
use crate::model::ports::runner::RunnerEvent;
use crate::runner::local::gpu::DeviceLock;
use crate::runner::local::host::connection::Connection;
use crate::runner::local::wire::{Down, ExitNote, Stamp, encode};

/// Where a task stands, as far as its processes go.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Phase {
    /// A supervisor was asked for.
    Starting,
    /// A supervisor of it lives and must be connected to.
    Adopting,
    /// Its command runs.
    Running(u32),
    /// It ended.
    Ended(ExitNote),
}

/// What was asked of a task, to be said again over a new connection. Saying it twice changes
/// nothing.
#[derive(Debug, Clone, Copy, Default)]
pub struct Wishes {
    /// Its end: why, and the shortest grace in milliseconds.
    pub stop: Option<(StopFor, u64)>,
    /// That it is frozen, or not any more.
    pub frozen: Option<bool>,
    /// What is left of its time limit in milliseconds, if nobody heard that yet.
    pub limit: Option<Option<u64>>,
}

impl Wishes {
    /// As messages.
    pub fn frames(&self) -> Vec<u8> {
        let frozen = self.frozen.map(|on| if on { Down::Freeze } else { Down::Thaw });
        let stop = self.stop.map(|(why, grace_ms)| stop_order(why, grace_ms));
        let limit = self.limit.map(|left_ms| Down::Limit { left_ms });
        let messages = [limit, frozen, stop].into_iter().flatten();
        messages.filter_map(|message| encode(&message).ok()).flatten().collect()
    }
}

/// The message that ends a task. For a node that is about to vanish the grace is all the time there
/// is; a supervisor of an older build takes it as an ordinary stop.
pub fn stop_order(why: StopFor, grace_ms: u64) -> Down {
    match why {
        StopFor::Spot => Down::Stop { why: StopFor::Requeue, grace_ms, in_all: true },
        why => Down::Stop { why, grace_ms, in_all: false },
    }
}

/// One task.
#[derive(Debug)]
pub struct Entry {
    /// Where it stands.
    pub phase: Phase,
    /// The line to its supervisor.
    pub connection: Option<Connection>,
    /// Its order as a message, until it runs.
    pub order: Option<Vec<u8>>,
    /// Supervisors asked for so far.
    pub attempts: u32,
    /// What was asked of it.
    pub wishes: Wishes,
    /// Its supervisor.
    pub supervisor: Option<Stamp>,
    /// Where its output goes.
    pub log: PathBuf,
    /// It has a terminal.
    pub pty: bool,
    /// Bytes of output in files that were rotated away.
    pub rotated: u64,
    /// Bytes typed that the terminal did not take yet.
    pub typed: usize,
    /// Its directory can serve another task: no server but this one ever knew it.
    pub fresh: bool,
    /// Its GPUs.
    pub gpus: Vec<u32>,
    /// Locks of its GPUs.
    pub locks: Vec<Arc<DeviceLock>>,
}

impl Entry {
    /// A task of which only this is known.
    pub fn new(phase: Phase) -> Entry {
        Entry {
            phase,
            connection: None,
            order: None,
            attempts: 0,
            wishes: Wishes::default(),
            supervisor: None,
            log: PathBuf::new(),
            pty: false,
            rotated: 0,
            typed: 0,
            fresh: false,
            gpus: Vec::new(),
            locks: Vec::new(),
        }
    }
}

/// All tasks, and the events that nobody has heard yet.
#[derive(Debug, Default)]
pub struct Table {
    /// By id.
    pub entries: BTreeMap<TaskId, Entry>,
    /// Which task a connection belongs to.
    pub by_connection: BTreeMap<RawFd, TaskId>,
    /// Which task a supervisor belongs to.
    pub by_supervisor: BTreeMap<u32, (u64, TaskId)>,
    /// Tasks that wait to be connected to, and how often that was tried.
    pub adopting: BTreeMap<TaskId, u32>,
    /// Directories that serve no task now.
    pub spares: Vec<String>,
    /// Directories ever set aside.
    pub spared: u64,
    /// Events in order.
    pub unheard: VecDeque<RunnerEvent>,
    /// One of them is being told just now.
    pub telling: bool,
    /// The runner is being given up.
    pub closing: bool,
}

impl Table {
    /// Records that a task's command runs and says so, once.
    pub fn started(&mut self, task: TaskId, pid: u32, supervisor: Stamp) {
        let Some(entry) = self.entries.get_mut(&task) else { return };
        if matches!(entry.phase, Phase::Ended(_)) {
            return;
        }
        entry.phase = Phase::Running(pid);
        entry.order = None;
        entry.supervisor = Some(supervisor);
        self.by_supervisor.insert(supervisor.pid, (supervisor.start, task));
        self.unheard.push_back(RunnerEvent::Started { task, pid });
    }

    /// Records that a task ended and says so, once.
    pub fn ended(&mut self, task: TaskId, note: ExitNote) {
        let Some(entry) = self.entries.get_mut(&task) else { return };
        if matches!(entry.phase, Phase::Ended(_)) {
            return;
        }
        let exit = note.exit.clone();
        entry.phase = Phase::Ended(note);
        entry.order = None;
        entry.locks = Vec::new();
        if let Some(stamp) = entry.supervisor {
            self.by_supervisor.remove(&stamp.pid);
        }
        self.unheard.push_back(RunnerEvent::Ended { task, exit });
    }

    /// Says again what is known of a task.
    pub fn repeat(&mut self, task: TaskId) {
        let event = match self.entries.get(&task).map(|entry| &entry.phase) {
            Some(Phase::Running(pid)) => RunnerEvent::Started { task, pid: *pid },
            Some(Phase::Ended(note)) => RunnerEvent::Ended { task, exit: note.exit.clone() },
            _ => return,
        };
        self.unheard.push_back(event);
    }

    /// Takes a task's connection away.
    pub fn disconnect(&mut self, task: TaskId) {
        let connection = self.entries.get_mut(&task).and_then(|entry| entry.connection.take());
        if let Some(connection) = connection {
            self.by_connection.remove(&connection.number());
        }
    }

    /// Has a task's living supervisor connected to.
    pub fn adopt(&mut self, task: TaskId) {
        self.disconnect(task);
        if let Some(entry) = self.entries.get_mut(&task) {
            entry.phase = Phase::Adopting;
            entry.fresh = false;
            self.adopting.insert(task, 0);
        }
    }
}

/// The note for a task whose end nobody saw.
pub fn unknown_end() -> ExitNote {
    ExitNote { exit: Exit::Unknown, wall_ms: 0, by_limit: false }
}
