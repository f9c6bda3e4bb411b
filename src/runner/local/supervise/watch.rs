//! A supervisor's life beside its task: one loop that waits for output, child ends, words of
//! the server and deadlines, and ends when nothing of the task is left.

use std::os::fd::{AsFd as _, BorrowedFd, OwnedFd};
use std::os::unix::net::UnixListener;
use std::os::unix::process::ExitStatusExt as _;
use std::path::Path;
use std::process::ExitStatus;
use std::time::{Duration, Instant};

use nix::poll::{PollFd, PollFlags, PollTimeout, poll};
use nix::sys::signalfd::SignalFd;

use crate::model::job::{Exit, StopFor};
use crate::runner::local::cgroup::Group;
use crate::runner::local::spool::Held;
use crate::runner::local::supervise::control::Control;
use crate::runner::local::supervise::log::{Drained, Log};
use crate::runner::local::supervise::prompt::Change;
use crate::runner::local::supervise::start::{span, wall_ms};
use crate::runner::local::supervise::stopping::{Action, Stopping};
use crate::runner::local::supervise::terminal::Terminal;
use crate::runner::local::sys::Reaped;
use crate::runner::local::wire::{Down, ExitNote, Stamp, Up};
use crate::runner::local::{sys, tree};

/// Pieces in which a terminal is read, and how many before others get their turn.
const PIECE: usize = 16 << 10;
const PIECES_MAX: usize = 16;
/// Between attempts to write down how the task ended.
const WRITE_AGAIN: Duration = Duration::from_secs(1);

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
    listener: UnixListener,
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
        listener: UnixListener,
        signals: SignalFd,
        log: Log,
        source: Source,
        stopping: Stopping,
    ) -> Watch {
        let mut watch = Watch {
            task,
            control: None,
            listener,
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
    pub fn to_the_end(mut self) {
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
        while self.task.held.record_exit(Path::new(""), &note).is_err() {
            // A server that is there or comes hears it from us; the file is tried again.
            self.say(&Up::Ended { note: note.clone() });
            let ready = self.wait(Some(Instant::now() + WRITE_AGAIN));
            self.turn(&ready);
        }
        self.say(&Up::Ended { note });
    }

    fn deadline(&self) -> Option<Instant> {
        let prompt = match &self.source {
            Source::Terminal(terminal) if !self.frozen => terminal.deadline(),
            _ => None,
        };
        [self.stopping.deadline(self.control.is_some()), prompt].into_iter().flatten().min()
    }

    fn wait(&self, until: Option<Instant>) -> Ready {
        let timeout = until.map_or(PollTimeout::NONE, |at| {
            let ms = at.saturating_duration_since(Instant::now()).as_micros().div_ceil(1000);
            PollTimeout::try_from(ms).unwrap_or(PollTimeout::MAX)
        });
        let mut fds = vec![
            PollFd::new(self.signals.as_fd(), PollFlags::POLLIN),
            PollFd::new(self.listener.as_fd(), PollFlags::POLLIN),
        ];
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
            connection: got(Some(1), readable),
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

    fn tell(&mut self, change: Option<Change>) {
        match (change, &self.source) {
            (Some(Change::Asks), Source::Terminal(terminal)) => {
                let text = terminal.question().unwrap_or_default();
                self.say(&Up::Prompt { text });
            }
            (Some(Change::Over), _) => self.say(&Up::PromptOver),
            _ => {}
        }
    }
}

// Output and input.
impl Watch {
    fn read_output(&mut self) {
        let before = self.log.rotated();
        match &mut self.source {
            Source::Pipe(pipe) => {
                if self.log.drain(pipe.as_fd()) == Drained::Closed {
                    self.source = Source::Closed;
                }
            }
            Source::Terminal(_) => self.read_terminal(),
            Source::Closed => {}
        }
        let bytes = self.log.rotated();
        if bytes != before {
            self.say(&Up::Rotated { bytes });
        }
    }

    fn read_terminal(&mut self) {
        let mut buf = [0; PIECE];
        for _ in 0..PIECES_MAX {
            let Source::Terminal(terminal) = &mut self.source else { return };
            match terminal.read(&mut buf) {
                Ok(0) => {
                    self.source = Source::Closed;
                    return;
                }
                Ok(n) => {
                    let bytes = buf.get(..n).unwrap_or_default();
                    let change = terminal.follow(bytes, Instant::now());
                    self.log.write(bytes);
                    self.tell(change);
                }
                Err(_) => return,
            }
        }
    }

    /// What the tree wrote before it ended. Somebody outside it may hold the other end open, so
    /// this takes what is there and waits for nobody.
    fn drain_rest(&mut self) {
        loop {
            let more = match &mut self.source {
                Source::Pipe(pipe) => self.log.drain(pipe.as_fd()) == Drained::More,
                Source::Terminal(terminal) => {
                    let mut buf = [0; PIECE];
                    match terminal.read(&mut buf) {
                        Ok(n) if n > 0 => {
                            self.log.write(buf.get(..n).unwrap_or_default());
                            true
                        }
                        _ => false,
                    }
                }
                Source::Closed => false,
            };
            if !more {
                return;
            }
        }
    }

    fn hand_on(&mut self) {
        let Source::Terminal(terminal) = &mut self.source else { return };
        let bytes = terminal.flush();
        if bytes > 0 {
            self.say(&Up::Taken { bytes });
        }
    }

    fn type_in(&mut self, bytes: &[u8]) {
        let Source::Terminal(terminal) = &mut self.source else { return };
        let (taken, change) = terminal.type_in(bytes, Instant::now());
        // A server that keeps to its allowance never types more than there is room for.
        if taken < bytes.len() {
            self.say(&Up::Taken { bytes: bytes.len() - taken });
        }
        self.tell(change);
        self.hand_on();
    }
}

// The server.
impl Watch {
    fn greet(&mut self, control: Control) {
        self.control = Some(control);
        let hello = Up::Started {
            pid: u32::try_from(self.task.main).unwrap_or_default(),
            supervisor: self.task.supervisor,
            gpus: self.task.gpus.clone(),
            log: self.log.path().to_owned(),
            pty: matches!(self.source, Source::Terminal(_)),
            rotated: self.log.rotated(),
        };
        let locks: Vec<_> = self.task.locks.iter().map(|lock| lock.as_fd()).collect();
        let sent = self.control.as_mut().map(|control| control.send(&hello, &locks));
        if matches!(sent, Some(Err(_))) {
            self.control = None;
        }
        let question = match &self.source {
            Source::Terminal(terminal) => terminal.question(),
            _ => None,
        };
        if let Some(text) = question {
            self.say(&Up::Prompt { text });
        }
    }

    fn say(&mut self, message: &Up) {
        if self.control.as_mut().is_some_and(|control| control.send(message, &[]).is_err()) {
            self.control = None;
        }
    }

    fn flush(&mut self) {
        if self.control.as_mut().is_some_and(|control| control.flush().is_err()) {
            self.control = None;
        }
    }

    /// One server at a time: whoever came last.
    fn accept(&mut self) {
        if let Ok((stream, _)) = self.listener.accept() {
            if let Ok(control) = Control::accept(stream) {
                self.greet(control);
            }
        }
    }

    fn listen(&mut self) {
        let Some(control) = &mut self.control else { return };
        let open = control.fill();
        loop {
            let Some(control) = &mut self.control else { return };
            match control.next() {
                Ok(Some(message)) => self.obey(message),
                Ok(None) if open => return,
                _ => {
                    self.control = None;
                    return;
                }
            }
        }
    }

    fn obey(&mut self, message: Down) {
        let now = Instant::now();
        match message {
            Down::Stop { why, grace_ms } => {
                let action = self.stopping.stop(why, span(grace_ms), now);
                self.act_on(action);
            }
            Down::Freeze => self.freeze(now),
            Down::Thaw => self.thaw(now),
            Down::Limit { left_ms } => self.stopping.set_limit(left_ms.map(span), now),
            Down::Input { bytes } => self.type_in(&bytes),
            Down::Resize { rows, cols } => {
                if let Source::Terminal(terminal) = &self.source {
                    terminal.resize(rows, cols);
                }
            }
            Down::Start(_) => {}
        }
    }
}

// The tree.
impl Watch {
    fn take_signals(&mut self) {
        while let Ok(Some(signal)) = self.signals.read_signal() {
            if i32::try_from(signal.ssi_signo) == Ok(libc::SIGTERM) {
                // Somebody ends this session or this machine.
                let action = self.stopping.stop(StopFor::Cancel, self.task.grace, Instant::now());
                self.act_on(action);
            }
        }
        loop {
            match sys::reap() {
                Reaped::One(pid, status) if pid == self.task.main => self.status = Some(status),
                Reaped::One(..) => {}
                Reaped::NoChildren => {
                    self.alone = true;
                    return;
                }
                Reaped::NoneYet => break,
            }
        }
        if self.status.is_some() {
            let action = self.stopping.left_over(Instant::now());
            self.act_on(action);
        }
    }

    fn act_on(&mut self, action: Option<Action>) {
        if let Some(action) = action {
            self.act(action);
        }
    }

    fn act(&mut self, action: Action) {
        let own = self.task.supervisor.pid;
        match action {
            Action::Warn => {
                if let Some(signal) = self.task.warn_signal {
                    tree::signal(own, signal);
                    self.thaw(Instant::now());
                }
            }
            Action::Term => {
                tree::signal(own, libc::SIGTERM);
                self.thaw(Instant::now());
            }
            Action::Kill => {
                if let Some(group) = &self.task.group {
                    let _ = group.kill();
                }
                tree::kill(own);
            }
            Action::GiveUp => {
                let left = tree::descendants(own).len();
                self.log.note(&format!("{left} processes of this task could not be ended"));
                self.status = self.status.or(Some(libc::SIGKILL));
                self.alone = true;
            }
        }
    }

    fn freeze(&mut self, now: Instant) {
        if self.stopping.is_ending() {
            return;
        }
        self.frozen = true;
        self.stopping.freeze(now);
        let by_group = self.task.group.as_ref().is_some_and(|group| group.freeze(true).is_ok());
        if !by_group {
            tree::freeze(self.task.supervisor.pid);
        }
    }

    fn thaw(&mut self, now: Instant) {
        if !std::mem::take(&mut self.frozen) {
            return;
        }
        self.stopping.thaw(now);
        let by_group = self.task.group.as_ref().is_some_and(|group| group.freeze(false).is_ok());
        if !by_group {
            tree::thaw(self.task.supervisor.pid);
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
