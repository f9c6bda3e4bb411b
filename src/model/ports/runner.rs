//! Starts, stops, freezes and watches processes.

use std::path::PathBuf;
use std::sync::Arc;

use crate::base::{Name, Span, TaskId, Wall};
use crate::model::Resources;
use crate::model::job::{Exit, GpuShare, StopFor, WarnSignal};
use crate::model::node::Gpu;

/// All that is needed to start one task.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Launch {
    /// The task; at most one process ever runs for it.
    pub task: TaskId,
    /// Command and arguments.
    pub argv: Vec<String>,
    /// The whole environment, ours included.
    pub env: Vec<(String, String)>,
    /// Working directory.
    pub cwd: PathBuf,
    /// The file its output goes to; rotated as `NAME`, `NAME.1`, `NAME.2`.
    pub log: PathBuf,
    /// Bytes in one log file; three are kept.
    pub log_bytes_max: u64,
    /// It gets a terminal of its own.
    pub pty: bool,
    /// What it asked for.
    pub request: Resources,
    /// Its devices.
    pub gpus: Vec<GpuShare>,
    /// Requests are limits too.
    pub hard: bool,
    /// What is left of its time limit.
    pub time_limit: Option<Span>,
    /// Between TERM and KILL.
    pub grace: Span,
    /// A signal some time before a stop.
    pub warn: Option<WarnSignal>,
}

/// A service is asked whether it is well, once.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HealthCheck {
    /// The task.
    pub task: TaskId,
    /// What is run by the shell; its code is the answer.
    pub command: String,
    /// The environment of the task.
    pub env: Vec<(String, String)>,
    /// Its working directory.
    pub cwd: PathBuf,
    /// No answer after this is a bad one.
    pub patience: Span,
}

/// What the runner saw. Events of one task come in order; the same event may come twice after
/// a crash.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum RunnerEvent {
    /// Its process runs.
    Started {
        /// The task.
        task: TaskId,
        /// Process id of the command.
        pid: u32,
    },
    /// Its process ended, or could not be started.
    Ended {
        /// The task.
        task: TaskId,
        /// How.
        exit: Exit,
    },
    /// A device is used by somebody else; the task was not started.
    GpuTaken {
        /// The task.
        task: TaskId,
        /// The device's index.
        index: u32,
        /// By whom.
        by: Name,
    },
    /// All of its processes stand still.
    Froze {
        /// The task.
        task: TaskId,
        /// One of them has something in the memory of a device.
        in_devices: bool,
    },
    /// A question stands at its prompt.
    AtPrompt {
        /// The task.
        task: TaskId,
        /// The last line of its screen.
        text: String,
    },
    /// Input came, or output went on.
    PromptOver {
        /// The task.
        task: TaskId,
    },
    /// A health check came to an end.
    Checked {
        /// The task.
        task: TaskId,
        /// All is well.
        well: bool,
        /// What it came to, in words.
        said: String,
    },
    /// What the machine has changed, e.g. a foreign program took a GPU.
    Machine(Machine),
}

/// What a machine has.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Machine {
    /// Its name.
    pub name: Name,
    /// Cores this process may really use (affinity and cgroup), memory, GPUs.
    pub capacity: Resources,
    /// Its devices, foreign use included.
    pub gpus: Vec<Gpu>,
}

/// What a supervisor wrote down about the end of a task, beside how it ended.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct EndNote {
    /// When, on the calendar; `None` when nobody saw it.
    pub wall: Option<Wall>,
    /// The supervisor ended it by itself while no server ran, because its time limit was over.
    pub by_limit: bool,
}

/// Where events go. It blocks when the engine is behind, so that nothing grows without bound.
pub type Events = Arc<dyn Fn(RunnerEvent) + Send + Sync>;

/// A refusal of direct traffic with a task.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum TrafficError {
    /// No such task runs here.
    NotRunning,
    /// It has no terminal.
    NoTerminal,
    /// The other end does not take more now.
    Busy,
    /// Anything else.
    Failed(String),
}

/// One way to run processes. Every call returns at once; what came of it arrives as an event.
pub trait Runner: Send + Sync {
    /// What the machine has now.
    fn machine(&self) -> Machine;

    /// Starts a task unless a process of it runs or ran already, in which case that one is
    /// adopted and its events are sent again.
    fn start(&self, launch: Launch);

    /// Finds the tasks that earlier servers started, adopts those that run and sends `Started`
    /// or `Ended` for each. Returns the ones it found, after every end that is known was told; a
    /// task that is missing never started.
    fn recover(&self) -> Vec<TaskId>;

    /// Warn signal (if the task has one and it is for a stop that can wait), TERM, `grace`,
    /// KILL, for the whole tree. Again with a shorter grace hurries it.
    fn stop(&self, task: TaskId, why: StopFor, grace: Span);

    /// Freezes the whole tree.
    fn freeze(&self, task: TaskId);

    /// Lets it go on.
    fn thaw(&self, task: TaskId);

    /// Replaces what is left of the time limit, for enforcement while no server runs.
    fn limit(&self, task: TaskId, left: Option<Span>);

    /// Asks a service whether it is well. The answer is an event; none comes when the check could
    /// not be made at all.
    fn check(&self, check: HealthCheck);

    /// Removes what is left of an ended task.
    fn forget(&self, task: TaskId);

    /// Bytes for the task's terminal.
    ///
    /// # Errors
    /// When it has none, is not running or its buffer is full.
    fn input(&self, task: TaskId, bytes: &[u8]) -> Result<(), TrafficError>;

    /// A new size of the task's terminal.
    ///
    /// # Errors
    /// As [`Runner::input`].
    fn resize(&self, task: TaskId, rows: u16, cols: u16) -> Result<(), TrafficError>;

    /// Bytes the task has written so far; `None` when unknown.
    fn output_bytes(&self, task: TaskId) -> Option<u64>;

    /// The task in whose process tree `pid` lives, if any: walked over parents, each checked by
    /// start time, whatever its uid says.
    fn task_of(&self, pid: u32) -> Option<TaskId>;

    /// How freeze, kill and limits are done here, for `nodes` and `server status`: e.g.
    /// `cgroup v2` or `signals (no cgroup v2 delegated)`.
    fn mechanism(&self) -> String;

    /// When a task ended and whether its time limit did it, until it is forgotten. For tasks
    /// that ended while no server ran.
    fn end_note(&self, task: TaskId) -> Option<EndNote> {
        let _ = task;
        None
    }
}
