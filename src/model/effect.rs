//! What must be done outside, derived from facts. Every effect is idempotent by the id it
//! carries: doing it again after a crash changes nothing.

use crate::base::{JobId, Name, Span, TaskId};
use crate::model::job::StopFor;

/// Something the runner must do.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Effect {
    /// Start a task's process.
    Start {
        /// The task; at most one process ever runs for it.
        task: TaskId,
    },
    /// End a task's process and everything below it: TERM, grace, KILL.
    Stop {
        /// The task.
        task: TaskId,
        /// Why; the job sees it as the reason of the warn signal.
        why: StopFor,
        /// Between TERM and KILL.
        grace: Span,
    },
    /// Freeze a task's tree.
    Freeze {
        /// The task.
        task: TaskId,
    },
    /// Let it go on.
    Thaw {
        /// The task.
        task: TaskId,
    },
    /// The time limit of a running task changed.
    Limit {
        /// The task.
        task: TaskId,
        /// What is left of it from now, if there is a limit.
        left: Option<Span>,
    },
    /// Make a node of a pool, or take it away, by the pool's command.
    Pool {
        /// The pool.
        pool: Name,
        /// The node.
        node: Name,
        /// Make (true) or take away.
        up: bool,
    },
    /// The runner may forget a task: its end is in the journal.
    Forget {
        /// The task.
        task: TaskId,
    },
    /// Keep a summary of an ended job in the store.
    Archive {
        /// The job.
        job: JobId,
    },
}
