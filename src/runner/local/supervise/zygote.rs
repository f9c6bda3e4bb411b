//! The zygote: small, one thread, forks a supervisor for every socket it is sent.
//!
//! A server with many threads must not fork, and a fresh exec per task costs milliseconds. The
//! zygote knows nothing of tasks: the supervisor reads its order from the socket itself.

use std::fs::OpenOptions;
use std::io;
use std::os::fd::{AsFd as _, OwnedFd};
use std::process::ExitCode;

use crate::model::job::Exit;
use crate::runner::local::supervise::{IGNORED, start};
use crate::runner::local::sys::{self, Forked, SingleThreaded};
use crate::runner::local::wire::{ExitNote, Up, encode};

/// Serves the socket on standard input until its other end closes. Exit code 2 when there is
/// no such socket: this is no verb for people.
pub fn run() -> ExitCode {
    match serve() {
        Ok(()) => ExitCode::SUCCESS,
        Err(_) => ExitCode::from(2),
    }
}

fn serve() -> io::Result<()> {
    let proof = SingleThreaded::check()?;
    let stdin = io::stdin();
    nix::sys::socket::getsockopt(&stdin, nix::sys::socket::sockopt::SockType)?;
    sys::close_from(3);
    let socket = sys::duplicate_above_stdio(stdin.as_fd())?;
    let null = OpenOptions::new().read(true).write(true).open("/dev/null")?;
    for fd in 0..=2 {
        sys::place(null.as_fd(), fd)?;
    }
    drop(null);
    // It fails when the server made us leader of a group already, which is just as good.
    let _ = nix::unistd::setsid();
    std::env::set_current_dir("/")?;
    let _ = nix::sys::prctl::set_name(c"hs-zygote");
    sys::reset_signals();
    sys::ignore_signals(&IGNORED);
    // Supervisors that end while the zygote lives leave no zombies.
    sys::ignore_signals(&[libc::SIGCHLD]);
    loop {
        let mut fds = Vec::new();
        match sys::receive(socket.as_fd(), &mut [0], &mut fds) {
            Ok(0) => return Ok(()),
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            received => received?,
        };
        match sys::fork(&proof) {
            Ok(Forked::Parent(_)) => {}
            Ok(Forked::Child) => {
                drop(socket);
                start::run(&proof, fds);
                sys::exit_now(0);
            }
            Err(error) => refuse(&fds, &error),
        }
    }
}

/// Tells the server that there is no room for another process.
fn refuse(fds: &[OwnedFd], error: &io::Error) {
    let text = format!("cannot start a process: {error}");
    let note =
        ExitNote { exit: Exit::NotStarted(text), wall_ms: start::wall_ms(), by_limit: false };
    if let (Some(control), Ok(frame)) = (fds.first(), encode(&Up::Ended { note })) {
        let _ = sys::send(control.as_fd(), &frame, &[]);
    }
}
