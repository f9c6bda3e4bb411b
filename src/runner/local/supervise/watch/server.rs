//! The task's server: greeted, obeyed, told, and one day gone.

use std::io;
use std::os::fd::AsFd as _;
use std::os::unix::net::UnixListener;
use std::time::Instant;

use crate::runner::local::spool;
use crate::runner::local::supervise::control::Control;
use crate::runner::local::supervise::prompt::Change;
use crate::runner::local::supervise::start::span;
use crate::runner::local::supervise::watch::{DOOR_PAUSE_MAX, Source, Watch};
use crate::runner::local::wire::{Down, Up};

impl Watch {
    pub(super) fn greet(&mut self, control: Control) {
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
        self.ask_again();
    }

    /// Tells of a question that stands: a server that is new has not heard of it, and one that
    /// froze the task has put it aside.
    pub(super) fn ask_again(&mut self) {
        let question = match &self.source {
            Source::Terminal(terminal) => terminal.question(),
            _ => None,
        };
        if let Some(text) = question {
            self.say(&Up::Prompt { text });
        }
    }

    pub(super) fn say(&mut self, message: &Up) {
        if self.control.as_mut().is_some_and(|control| control.send(message, &[]).is_err()) {
            self.control = None;
        }
    }

    pub(super) fn flush(&mut self) {
        if self.control.as_mut().is_some_and(|control| control.flush().is_err()) {
            self.control = None;
        }
    }

    /// Listens in the task's directory, which is the current one. Only when the server is gone:
    /// most tasks never need it.
    pub(super) fn open_door(&mut self, now: Instant) {
        let bound = UnixListener::bind(spool::SOCKET).and_then(|door| {
            door.set_nonblocking(true)?;
            Ok(door)
        });
        if bound.as_ref().is_err_and(|error| error.kind() == io::ErrorKind::AddrInUse) {
            let _ = std::fs::remove_file(spool::SOCKET);
        }
        self.door = bound.ok();
        if self.door.is_none() {
            self.door_at = now + self.door_pause;
            self.door_pause = (self.door_pause * 2).min(DOOR_PAUSE_MAX);
        }
    }

    /// One server at a time: whoever came last.
    pub(super) fn accept(&mut self) {
        let Some(door) = &self.door else { return };
        let stream = door.accept().map(|(stream, _)| stream);
        if let Ok(control) = stream.and_then(Control::accept) {
            self.greet(control);
        }
    }

    pub(super) fn listen(&mut self) {
        let Some(control) = &mut self.control else { return };
        let open = control.fill();
        self.hear(open);
    }

    /// Obeys every message that has come whole; then, if the server is gone, lets it go.
    pub(super) fn hear(&mut self, open: bool) {
        loop {
            let Some(control) = &mut self.control else { return };
            match control.take() {
                Ok(Some(message)) => self.obey(message),
                Ok(None) if open => return,
                _ => {
                    self.control = None;
                    return;
                }
            }
        }
    }

    pub(super) fn obey(&mut self, message: Down) {
        let now = Instant::now();
        match message {
            Down::Stop { why, grace_ms, in_all } => {
                let grace = span(grace_ms);
                let action = match in_all {
                    true => self.stopping.stop_within(grace, now),
                    false => self.stopping.stop(why, grace, now),
                };
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

    /// Passes a change at the prompt on.
    pub(super) fn tell(&mut self, change: Option<Change>) {
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
