//! A supervisor's life beside its task: one loop that waits for output, child ends, words of
//! the server and deadlines, and ends when nothing of the task is left.

mod output;
mod server;
mod tree;

use std::os::fd::{AsFd as _, BorrowedFd, OwnedFd};
use std::os::unix::net::UnixListener;
use std::os::unix::process::ExitStatusExt as _;
use std::process::ExitStatus;
use std::time::{Duration, Instant};

use nix::poll::{PollFd, PollFlags, PollTimeout, poll};
use nix::sys::signalfd::SignalFd;

use crate::model::job::Exit;
use crate::runner::local::cgroup::Group;
use crate::runner::local::spool::Held;
use crate::runner::local::supervise::control::Control;
use crate::runner::local::supervise::log::Log;
use crate::runner::local::supervise::start::wall_ms;
use crate::runner::local::supervise::stopping::Stopping;
use crate::runner::local::supervise::terminal::Terminal;
use crate::runner::local::wire::{ExitNote, Stamp, Up};

/// Between attempts to write to a spool that fails; to open the door it doubles up to the next.
const AGAIN: Duration = Duration::from_secs(1);
const DOOR_PAUSE_MAX: Duration = Duration::from_secs(600);

/// What a supervisor has of its task.
#[derive(Debug)]
pub struct Task {
    /// Process id of the command.
    pub main: i32,
    /// This process.
    pub supervisor: Stamp,
    /// Its GPUs.
    pub gpus: Vec<u32>,
    /// Their locks, held to the end.
    pub locks: Vec<OwnedFd>,
    /// The signal before a stop.
    pub warn_signal: Option<i32>,
    /// Between TERM and KILL when nobody says otherwise.
    pub grace: Duration,
    /// Its control group.
    pub group: Option<Group>,
    /// Its claim.
    pub held: Held,
}

/// Where its output comes from.
#[derive(Debug)]
pub enum Source {
    /// A pipe.
    Pipe(OwnedFd),
    /// A terminal.
    Terminal(Box<Terminal>),
    /// Nothing can come any more.
    Closed,
}

/// The loop.
#[derive(Debug)]
pub struct Watch {
    task: Task,
    control: Option<Control>,
    /// Where a later server connects; there once one is gone.
    door: Option<UnixListener>,
    /// When to try to open it, and how long to wait after a failure.
    door_at: Instant,
    door_pause: Duration,
    signals: SignalFd,
    log: Log,
    source: Source,
    stopping: Stopping,
    frozen: bool,
    status: Option<i32>,
    alone: bool,
}

/// What a wait brought.
#[derive(Debug, Default)]
struct Ready {
    signal: bool,
    connection: bool,
    output: bool,
    typed: bool,
    heard: bool,
    flushed: bool,
}

impl Watch {
    /// Tells the server that the command runs.
    pub fn new(
        task: Task,
        control: Control,
        signals: SignalFd,
        log: Log,
        source: Source,
        stopping: Stopping,
    ) -> Watch {
        let mut watch = Watch {
            task,
            control: None,
            door: None,
            door_at: Instant::now(),
            door_pause: AGAIN,
            signals,
            log,
            source,
            stopping,
            frozen: false,
            status: None,
            alone: false,
        };
        watch.greet(control);
        watch
    }

    /// Stays until the task has ended and that is written down.
    pub fn stay(mut self) {
        // A stop may have come in one read with the order to start: nothing more will arrive
        // to say so.
        self.hear(true);
        while !(self.status.is_some() && self.alone) {
            let ready = self.wait(self.deadline());
            self.turn(&ready);
        }
        self.drain_rest();
        if let Some(group) = &self.task.group {
            group.end();
        }
        let note = ExitNote {
            exit: exit_of(self.status.unwrap_or_default()),
            wall_ms: wall_ms(),
            by_limit: self.stopping.by_limit(),
        };
        while self.task.held.record_exit(&note).is_err() {
            // A server that is there or comes hears it from us; the claim is tried again.
            self.say(&Up::Ended { note: note.clone() });
            let ready = self.wait(Some(Instant::now() + AGAIN));
            self.turn(&ready);
        }
        self.say(&Up::Ended { note });
    }

    fn deadline(&self) -> Option<Instant> {
        let prompt = match &self.source {
            Source::Terminal(terminal) if !self.frozen => terminal.deadline(),
            _ => None,
        };
        let door = (self.control.is_none() && self.door.is_none()).then_some(self.door_at);
        let stopping = self.stopping.deadline(self.control.is_some());
        [stopping, prompt, door].into_iter().flatten().min()
    }

    fn wait(&self, until: Option<Instant>) -> Ready {
        let timeout = until.map_or(PollTimeout::NONE, |at| {
            let ms = at.saturating_duration_since(Instant::now()).as_micros().div_ceil(1000);
            PollTimeout::try_from(ms).unwrap_or(PollTimeout::MAX)
        });
        let mut fds = vec![PollFd::new(self.signals.as_fd(), PollFlags::POLLIN)];
        let door = self.door.as_ref().map(|door| {
            fds.push(PollFd::new(door.as_fd(), PollFlags::POLLIN));
            fds.len() - 1
        });
        let control = self.control.as_ref().map(|control| {
            fds.push(PollFd::new(control.fd(), wanted(control.has_backlog())));
            fds.len() - 1
        });
        let source = self.source_fd().map(|(fd, typed)| {
            fds.push(PollFd::new(fd, wanted(typed)));
            fds.len() - 1
        });
        if poll(&mut fds, timeout).is_err() {
            return Ready::default();
        }
        let got = |index: Option<usize>, flags: PollFlags| {
            let events = index.and_then(|index| fds.get(index)).and_then(PollFd::revents);
            events.is_some_and(|events| events.intersects(flags))
        };
        let readable = PollFlags::POLLIN | PollFlags::POLLHUP | PollFlags::POLLERR;
        Ready {
            signal: got(Some(0), readable),
            connection: got(door, readable),
            heard: got(control, readable),
            flushed: got(control, PollFlags::POLLOUT),
            output: got(source, readable),
            typed: got(source, PollFlags::POLLOUT),
        }
    }

    fn source_fd(&self) -> Option<(BorrowedFd<'_>, bool)> {
        match &self.source {
            Source::Pipe(pipe) => Some((pipe.as_fd(), false)),
            Source::Terminal(terminal) => Some((terminal.master(), terminal.has_typed())),
            Source::Closed => None,
        }
    }

    fn turn(&mut self, ready: &Ready) {
        if ready.output {
            self.read_output();
        }
        if ready.typed {
            self.hand_on();
        }
        if ready.flushed {
            self.flush();
        }
        if ready.heard {
            self.listen();
        }
        if ready.connection {
            self.accept();
        }
        if ready.signal {
            self.take_signals();
        }
        self.tick();
    }

    fn tick(&mut self) {
        let now = Instant::now();
        if self.control.is_none() && self.door.is_none() && self.door_at <= now {
            self.open_door(now);
        }
        while let Some(action) = self.stopping.tick(self.control.is_some(), now) {
            self.act(action);
        }
        if self.frozen {
            return;
        }
        let own = self.task.supervisor.pid;
        if let Source::Terminal(terminal) = &mut self.source {
            let change = terminal.tick(now, own);
            self.tell(change);
        }
    }
}

fn wanted(out: bool) -> PollFlags {
    if out { PollFlags::POLLIN | PollFlags::POLLOUT } else { PollFlags::POLLIN }
}

fn exit_of(status: i32) -> Exit {
    let status = ExitStatus::from_raw(status);
    match (status.code(), status.signal()) {
        (Some(code), _) => Exit::Code(code),
        (None, Some(signal)) => Exit::Signal(signal),
        (None, None) => Exit::Unknown,
    }
}
