//! The server's hold on its zygote.

use std::fs::File;
use std::io;
use std::os::fd::{AsFd as _, AsRawFd as _, BorrowedFd, OwnedFd};
use std::os::unix::process::CommandExt as _;
use std::path::Path;
use std::process::{Child, Command, Stdio};

use nix::sys::socket::{AddressFamily, SockFlag, SockType, socketpair};

use crate::runner::local::supervise::ZYGOTE;
use crate::runner::local::sys;

/// A zygote, started again whenever it is needed and gone.
#[derive(Debug)]
pub struct Zygote {
    /// Held open, so that a later one is the same build even if the file is replaced.
    program: File,
    running: Option<(Child, OwnedFd)>,
}

impl Zygote {
    /// Starts a zygote from our own program.
    ///
    /// # Errors
    /// When the program cannot be opened or executed.
    pub fn spawn(program: &Path) -> io::Result<Zygote> {
        let mut zygote = Zygote { program: File::open(program)?, running: None };
        zygote.running()?;
        Ok(zygote)
    }

    /// Its process id.
    pub fn pid(&self) -> Option<u32> {
        self.running.as_ref().map(|(child, _)| child.id())
    }

    /// Has it fork a supervisor that gets these descriptors.
    ///
    /// # Errors
    /// When no zygote can be started.
    pub fn fork(&mut self, fds: &[BorrowedFd<'_>]) -> io::Result<()> {
        if sys::send(self.running()?, b"f", fds).is_ok() {
            return Ok(());
        }
        self.end();
        sys::send(self.running()?, b"f", fds).map(|_| ())
    }

    fn running(&mut self) -> io::Result<BorrowedFd<'_>> {
        if self.running.is_none() {
            self.running = Some(self.start()?);
        }
        match &self.running {
            Some((_, socket)) => Ok(socket.as_fd()),
            None => Err(io::Error::from(io::ErrorKind::NotConnected)),
        }
    }

    fn start(&self) -> io::Result<(Child, OwnedFd)> {
        let (ours, theirs) =
            socketpair(AddressFamily::Unix, SockType::SeqPacket, None, SockFlag::SOCK_CLOEXEC)?;
        let mut command = Command::new(format!("/proc/self/fd/{}", self.program.as_raw_fd()));
        command.arg0("holdshort").arg(ZYGOTE).env_clear();
        // Programs in some stores find their libraries by this alone.
        if let Some(libraries) = std::env::var_os("LD_LIBRARY_PATH") {
            command.env("LD_LIBRARY_PATH", libraries);
        }
        command.stdin(Stdio::from(theirs)).stdout(Stdio::null()).stderr(Stdio::null());
        Ok((command.spawn()?, ours))
    }

    fn end(&mut self) {
        if let Some((mut child, socket)) = self.running.take() {
            drop(socket);
            let _ = child.wait();
        }
    }
}

impl Drop for Zygote {
    fn drop(&mut self) {
        self.end();
    }
}
