//! The other side of the runner: what happens in the zygote and in a supervisor.
//!
//! [`early_exit`] is called first thing in `main` and takes over when this process is to be a
//! zygote. [`zygote`] forks; [`start`] claims a task and starts its command ([`command`]);
//! [`watch`] stays with it to its end. The rules are in files that touch nothing:
//! [`stopping`], [`prompt`], [`screen`].

use std::process::ExitCode;

mod command;
mod control;
mod log;
mod prompt;
mod screen;
mod start;
mod stopping;
mod terminal;
mod times;
mod watch;
mod zygote;

pub use start::task_of_name;
pub use terminal::INPUT_MAX;

/// The first argument that makes this program a zygote.
pub const ZYGOTE: &str = "__zygote";

/// Signals a supervisor ignores, beside those it waits for: the terminal's and those that a
/// closed pipe or a size limit would send. Its child sets them back.
const IGNORED: [i32; 4] = [libc::SIGPIPE, libc::SIGXFSZ, libc::SIGHUP, libc::SIGINT];

/// Runs as a zygote if the command line says so. Nothing may have been started before: no
/// thread, no runtime.
pub fn early_exit() -> Option<ExitCode> {
    let first = std::env::args_os().nth(1)?;
    (first == ZYGOTE).then(zygote::run)
}
