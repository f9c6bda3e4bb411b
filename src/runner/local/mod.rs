//! Tasks as processes of this machine (Linux).
//!
//! Three kinds of processes work together, all from our own binary:
//!
//! * the *server* holds a [`LocalRunner`]: one thread that waits on sockets and turns what the
//!   supervisors say into [`crate::model::ports::runner::RunnerEvent`]s (`host/`);
//! * the *zygote*, small and single-threaded, forks a supervisor whenever the server sends it a
//!   socket, and ends when the server does (`supervise/zygote`);
//! * a *supervisor* for each task claims it, starts the command, holds its log or terminal,
//!   ends and freezes its whole tree, writes down how it ended, and lives on when the server
//!   dies (`supervise/`).
//!
//! They share a directory per task ([`spool`]), the messages of [`wire`] and what the kernel
//! offers: [`tree`] for /proc and signals, [`cgroup`], [`gpu`], [`capacity`]. Everything that
//! the compiler cannot check is in [`sys`].

pub mod capacity;
pub mod cgroup;
pub mod gpu;
mod host;
pub mod spool;
pub mod supervise;
mod sys;
pub mod tree;
pub mod wire;

pub use host::{LocalRunner, Options, SetupError};
pub use supervise::early_exit;

/// The default size of one log file of a task; three are kept.
pub const LOG_BYTES: u64 = 100_000_000;
