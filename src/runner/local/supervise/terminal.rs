//! The terminal of a task: the supervisor holds its master side.

use std::collections::VecDeque;
use std::fs;
use std::io;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::path::{Path, PathBuf};
use std::time::Instant;

use nix::fcntl::{FcntlArg, FdFlag, OFlag, fcntl};
use nix::sys::termios::{LocalFlags, tcgetattr};

use crate::runner::local::supervise::prompt::{Change, Prompt};
use crate::runner::local::supervise::screen::Screen;
use crate::runner::local::{sys, tree};

/// Bytes typed that may wait for the terminal to take them.
pub const INPUT_MAX: usize = 64 << 10;

/// A terminal with a program on its other side.
#[derive(Debug)]
pub struct Terminal {
    pair: Pair,
    typed: VecDeque<u8>,
    screen: Screen,
    prompt: Prompt,
}

/// Both sides of it.
#[derive(Debug)]
struct Pair {
    master: OwnedFd,
    slave: OwnedFd,
    name: PathBuf,
}

impl Terminal {
    /// A fresh terminal of 24 lines and 80 columns.
    ///
    /// # Errors
    /// When the machine has none left.
    pub fn open() -> io::Result<Terminal> {
        let size = nix::pty::Winsize { ws_row: 24, ws_col: 80, ws_xpixel: 0, ws_ypixel: 0 };
        let pair = nix::pty::openpty(Some(&size), None)?;
        for fd in [&pair.master, &pair.slave] {
            fcntl(fd, FcntlArg::F_SETFD(FdFlag::FD_CLOEXEC))?;
        }
        fcntl(&pair.master, FcntlArg::F_SETFL(OFlag::O_RDWR | OFlag::O_NONBLOCK))?;
        let name = nix::unistd::ttyname(&pair.slave)?;
        Ok(Terminal {
            pair: Pair { master: pair.master, slave: pair.slave, name },
            typed: VecDeque::new(),
            screen: Screen::new(),
            prompt: Prompt::new(Instant::now()),
        })
    }

    /// Our side.
    pub fn master(&self) -> BorrowedFd<'_> {
        self.pair.master.as_fd()
    }

    /// The program's side. Kept open here, so that a program that closes its copies does not
    /// hang up the terminal.
    pub fn slave(&self) -> BorrowedFd<'_> {
        self.pair.slave.as_fd()
    }

    /// Reads output; zero when the terminal is gone.
    ///
    /// # Errors
    /// `EAGAIN` when there is none now.
    pub fn read(&self, buf: &mut [u8]) -> io::Result<usize> {
        match nix::unistd::read(&self.pair.master, buf) {
            Err(nix::errno::Errno::EIO) => Ok(0),
            result => Ok(result?),
        }
    }

    /// Takes note of what was read: whether it ended a question.
    pub fn follow(&mut self, output: &[u8], now: Instant) -> Option<Change> {
        let heard = self.screen.feed(output);
        self.prompt.output(heard, now)
    }

    /// When to look for a question.
    pub fn deadline(&self) -> Option<Instant> {
        self.prompt.deadline()
    }

    /// Whether a question stands now that did not before; `root` is the supervisor.
    pub fn tick(&mut self, now: Instant, root: u32) -> Option<Change> {
        self.prompt.tick(now, || self.pair.is_read_by_line(root))
    }

    /// The question that stands, if one does.
    pub fn question(&self) -> Option<String> {
        self.prompt.stands().then(|| self.screen.last_line())
    }

    /// Takes typed bytes as far as there is room: how many, and whether a
    /// question is over.
    pub fn type_in(&mut self, bytes: &[u8], now: Instant) -> (usize, Option<Change>) {
        let room = INPUT_MAX.saturating_sub(self.typed.len()).min(bytes.len());
        self.typed.extend(bytes.iter().take(room));
        (room, self.prompt.input(now))
    }

    /// Typed bytes wait for the terminal.
    pub fn has_typed(&self) -> bool {
        !self.typed.is_empty()
    }

    /// Hands typed bytes on; how many the terminal took.
    pub fn flush(&mut self) -> usize {
        let (bytes, _) = self.typed.as_slices();
        match nix::unistd::write(&self.pair.master, bytes) {
            Ok(taken) => {
                self.typed.drain(..taken);
                taken
            }
            Err(nix::errno::Errno::EAGAIN | nix::errno::Errno::EINTR) => 0,
            // A terminal that is gone takes everything.
            Err(_) => {
                let taken = self.typed.len();
                self.typed.clear();
                taken
            }
        }
    }

    /// A new size.
    pub fn resize(&self, rows: u16, cols: u16) {
        let _ = sys::resize_terminal(self.master(), rows, cols);
    }
}

impl Pair {
    /// A foreground process below `root` is blocked in a line-mode read of this terminal.
    fn is_read_by_line(&self, root: u32) -> bool {
        let by_line =
            tcgetattr(&self.master).is_ok_and(|mode| mode.local_flags.contains(LocalFlags::ICANON));
        if !by_line {
            return false;
        }
        let Ok(group) = nix::unistd::tcgetpgrp(&self.master) else { return false };
        let Ok(group) = u32::try_from(group.as_raw()) else { return false };
        let in_front = |pid: &u32| tree::stat(*pid).is_some_and(|one| one.group == group);
        tree::descendants(root).iter().filter(|pid| in_front(pid)).any(|pid| self.is_reader(*pid))
    }

    fn is_reader(&self, pid: u32) -> bool {
        let Ok(threads) = fs::read_dir(format!("/proc/{pid}/task")) else { return false };
        threads.flatten().any(|thread| self.is_reading(pid, &thread.path()))
    }

    /// What /proc says of the system call a thread is in: its number, then its arguments. Where
    /// that is not to be seen, the name of the kernel function it sleeps in must do.
    fn is_reading(&self, pid: u32, thread: &Path) -> bool {
        let Ok(call) = fs::read_to_string(thread.join("syscall")) else {
            let place = fs::read_to_string(thread.join("wchan")).unwrap_or_default();
            return matches!(place.as_str(), "n_tty_read" | "wait_woken");
        };
        let mut words = call.split_ascii_whitespace();
        let number = words.next().and_then(|word| word.parse::<i64>().ok());
        if number != Some(libc::SYS_read) {
            return false;
        }
        let fd = words.next().and_then(|word| word.strip_prefix("0x"));
        let Some(fd) = fd.and_then(|hex| u32::from_str_radix(hex, 16).ok()) else { return false };
        let target = fs::read_link(format!("/proc/{pid}/fd/{fd}"));
        target.is_ok_and(|target| target == self.name || target == Path::new("/dev/tty"))
    }
}
