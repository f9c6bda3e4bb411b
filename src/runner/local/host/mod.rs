//! The server's side: [`LocalRunner`].
//!
//! [`shared`] holds the state and the steps, [`reactor`] is the thread, [`table`] what is known
//! of each task; [`connection`] and [`zygote`] are the lines to the processes.

mod check;
mod connection;
mod orders;
mod reactor;
mod shared;
mod table;
mod zygote;

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::thread::JoinHandle;

use crate::base::{Digest, Name, Span, TaskId, Wall};
use crate::model::job::StopFor;
use crate::model::ports::Runner;
use crate::model::ports::runner::{EndNote, Events, HealthCheck, Launch, Machine, TrafficError};
use crate::runner::local::cgroup::Groups;
use crate::runner::local::gpu::{Gpus, PretendGpu};
use crate::runner::local::spool::{self, Found};
use crate::runner::local::supervise::INPUT_MAX;
use crate::runner::local::wire::Down;

use shared::Shared;
use table::{Entry, Phase, stop_order};
use zygote::Zygote;

/// How to set up a [`LocalRunner`].
#[derive(Debug, Clone)]
pub struct Options {
    /// Directory for the tasks' files; made if missing, for this user alone.
    pub spool: PathBuf,
    /// Our own program, to be executed as the zygote.
    pub program: PathBuf,
    /// The machine's name.
    pub node: Name,
    /// Thousandths of cores to hand out instead of what is found.
    pub cpu_milli: Option<u64>,
    /// Bytes of memory to hand out instead of what is found.
    pub mem_bytes: Option<u64>,
    /// Devices to pretend instead of those that are found.
    pub gpus: Option<Vec<PretendGpu>>,
    /// Where the machine-wide locks of GPUs are: the same for all users.
    pub gpu_locks: PathBuf,
    /// Size of one log file for launches that do not say.
    pub log_bytes: u64,
    /// Control groups may be used.
    pub cgroups: bool,
}

impl Options {
    /// What is usual.
    pub fn new(spool: PathBuf, program: PathBuf, node: Name) -> Options {
        Options {
            spool,
            program,
            node,
            cpu_milli: None,
            mem_bytes: None,
            gpus: None,
            gpu_locks: PathBuf::from("/tmp"),
            log_bytes: crate::runner::local::LOG_BYTES,
            cgroups: true,
        }
    }
}

/// Why a runner cannot be set up.
#[derive(Debug, thiserror::Error)]
pub enum SetupError {
    /// The spool cannot be used.
    #[error("cannot use the spool directory {}: {why}; name one this user can write",
        .path.display())]
    Spool {
        /// Which.
        path: PathBuf,
        /// Why.
        why: io::Error,
    },
    /// The zygote cannot be started.
    #[error("cannot execute {} to start tasks: {why}", .path.display())]
    Program {
        /// Which.
        path: PathBuf,
        /// Why.
        why: io::Error,
    },
    /// The system has no room for us.
    #[error("cannot watch processes: {0}")]
    System(#[from] io::Error),
}

/// Runs tasks as processes of this machine. Dropping it leaves them running.
pub struct LocalRunner {
    shared: Arc<Shared>,
    log_bytes: u64,
    thread: Option<JoinHandle<()>>,
}

impl LocalRunner {
    /// Starts the zygote and the thread that tells events. Only one runner may use a spool at a
    /// time; a later one takes the tasks over from an earlier one.
    ///
    /// # Errors
    /// When the spool cannot be used or the zygote not be started.
    pub fn new(options: Options, events: Events) -> Result<LocalRunner, SetupError> {
        let in_spool = |why| SetupError::Spool { path: options.spool.clone(), why };
        spool::make_private_dir(&options.spool, true).map_err(in_spool)?;
        let spool = options.spool.canonicalize().map_err(in_spool)?;
        if spool.to_str().is_none() {
            return Err(in_spool(io::Error::other("its path is not UTF-8")));
        }
        let epoch = spool::next_epoch(&spool).map_err(in_spool)?;
        spool::remove_spares(&spool);
        let boot = fs::read_to_string("/proc/sys/kernel/random/boot_id")?.trim().to_owned();
        let why = |why| SetupError::Program { path: options.program.clone(), why };
        let zygote = Zygote::spawn(&options.program).map_err(why)?;
        let groups = if options.cgroups {
            Groups::find(&group_name(&spool))
        } else {
            Err("control groups switched off".to_owned())
        };
        let gpus = Gpus::detect(options.gpus.as_deref(), options.gpu_locks, &spool);
        let capacity = (options.cpu_milli, options.mem_bytes);
        let node = options.node;
        let shared =
            Arc::new(Shared::new(spool, epoch, boot, node, capacity, groups, gpus, zygote)?);
        let own = Arc::clone(&shared);
        let thread = std::thread::Builder::new()
            .name("runner".to_owned())
            .spawn(move || reactor::run(&own, &events))?;
        Ok(LocalRunner { shared, log_bytes: options.log_bytes, thread: Some(thread) })
    }

    /// Process id of the zygote, for those who measure.
    pub fn zygote_pid(&self) -> Option<u32> {
        self.shared.zygote().pid()
    }

    /// Process id of a running task's supervisor, for those who measure.
    pub fn supervisor_pid(&self, task: TaskId) -> Option<u32> {
        self.shared.table().entries.get(&task)?.supervisor.map(|stamp| stamp.pid)
    }

    fn with_terminal(
        &self,
        task: TaskId,
        act: impl FnOnce(&mut Entry) -> Result<Down, TrafficError>,
    ) -> Result<(), TrafficError> {
        let mut table = self.shared.table();
        let entry = table.entries.get_mut(&task).ok_or(TrafficError::NotRunning)?;
        match entry.phase {
            Phase::Running(_) if !entry.pty => return Err(TrafficError::NoTerminal),
            Phase::Running(_) => {}
            Phase::Starting | Phase::Adopting => return Err(TrafficError::Busy),
            Phase::Ended(_) => return Err(TrafficError::NotRunning),
        }
        let message = act(entry)?;
        if self.shared.send(entry, &message) { Ok(()) } else { Err(TrafficError::Busy) }
    }

    /// Says something to a task that has not ended.
    fn say(&self, task: TaskId, wish: impl FnOnce(&mut Entry), message: &Down) {
        let mut table = self.shared.table();
        if let Some(entry) = table.entries.get_mut(&task) {
            wish(entry);
            self.shared.send(entry, message);
        }
    }
}

/// Groups of servers with different spools are kept apart, and a restarted one finds its own.
fn group_name(spool: &Path) -> String {
    let digest = Digest::of(spool.as_os_str().as_encoded_bytes()).to_string();
    format!("holdshort-{}", digest.get(..12).unwrap_or_default())
}

impl Runner for LocalRunner {
    fn machine(&self) -> Machine {
        let machine = self.shared.machine();
        for gpu in machine.gpus.iter().filter(|gpu| gpu.foreign.is_some()) {
            orders::await_gpu(&self.shared, gpu.index);
        }
        machine
    }

    fn start(&self, launch: Launch) {
        orders::start(&self.shared, launch, self.log_bytes);
    }

    fn recover(&self) -> Vec<TaskId> {
        let tasks = spool::tasks(&self.shared.spool).unwrap_or_default();
        let found = tasks.into_iter().filter(|task| orders::recover(&self.shared, *task));
        let found = found.collect();
        self.shared.wake();
        // Whoever asks must know of ends before it decides anything about time.
        self.shared.wait_until_told();
        found
    }

    fn stop(&self, task: TaskId, why: StopFor, grace: Span) {
        let wish = |entry: &mut Entry| {
            let shortest = entry.wishes.stop.map_or(grace.0, |(_, ms)| ms.min(grace.0));
            entry.wishes.stop = Some((why, shortest));
        };
        self.say(task, wish, &stop_order(why, grace.0));
    }

    fn freeze(&self, task: TaskId) {
        self.say(task, |entry| entry.wishes.frozen = Some(true), &Down::Freeze);
    }

    fn thaw(&self, task: TaskId) {
        self.say(task, |entry| entry.wishes.frozen = Some(false), &Down::Thaw);
    }

    fn check(&self, asked: HealthCheck) {
        check::start(&self.shared, asked);
    }

    fn limit(&self, task: TaskId, left: Option<Span>) {
        let mut table = self.shared.table();
        let Some(entry) = table.entries.get_mut(&task) else { return };
        let left_ms = left.map(|span| span.0);
        if !self.shared.send(entry, &Down::Limit { left_ms }) {
            entry.wishes.limit = Some(left_ms);
        }
    }

    fn forget(&self, task: TaskId) {
        let mut table = self.shared.table();
        let over = |entry: &Entry| matches!(entry.phase, Phase::Ended(_));
        if table.entries.get(&task).is_none_or(over) {
            table.disconnect(task);
            table.adopting.remove(&task);
            let entry = table.entries.remove(&task);
            let dir = self.shared.dir(task);
            if entry.as_ref().is_some_and(|entry| entry.fresh)
                && self.shared.spare(&mut table, &dir)
            {
                return;
            }
            drop(table);
            let over = || matches!(spool::inspect(&dir), Ok(Found::Ended(_) | Found::Abandoned(_)));
            if entry.is_some() || over() {
                spool::remove(&dir);
            }
        }
    }

    fn input(&self, task: TaskId, bytes: &[u8]) -> Result<(), TrafficError> {
        if bytes.len() > INPUT_MAX {
            return Err(TrafficError::Failed(format!("at most {INPUT_MAX} bytes at a time")));
        }
        self.with_terminal(task, |entry| {
            if entry.typed + bytes.len() > INPUT_MAX {
                return Err(TrafficError::Busy);
            }
            entry.typed += bytes.len();
            Ok(Down::Input { bytes: bytes.to_owned() })
        })
    }

    fn resize(&self, task: TaskId, rows: u16, cols: u16) -> Result<(), TrafficError> {
        self.with_terminal(task, |_| Ok(Down::Resize { rows, cols }))
    }

    fn output_bytes(&self, task: TaskId) -> Option<u64> {
        let (log, rotated) = {
            let table = self.shared.table();
            let entry = table.entries.get(&task)?;
            (entry.log.clone(), entry.rotated)
        };
        Some(rotated + fs::metadata(log).ok()?.len())
    }

    fn task_of(&self, pid: u32) -> Option<TaskId> {
        self.shared.task_of(pid)
    }

    fn mechanism(&self) -> String {
        match &self.shared.groups {
            Ok(groups) => groups.describe(),
            Err(why) => format!("signals ({why}); memory limits per process, no cpu limits"),
        }
    }

    fn end_note(&self, task: TaskId) -> Option<EndNote> {
        match &self.shared.table().entries.get(&task)?.phase {
            Phase::Ended(note) => {
                let wall = (note.wall_ms > 0).then_some(Wall(note.wall_ms));
                Some(EndNote { wall, by_limit: note.by_limit })
            }
            _ => None,
        }
    }
}

impl Drop for LocalRunner {
    fn drop(&mut self) {
        self.shared.table().closing = true;
        self.shared.wake();
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
        spool::remove_spares(&self.shared.spool);
        if let Ok(groups) = &self.shared.groups {
            groups.remove_if_empty();
        }
    }
}
