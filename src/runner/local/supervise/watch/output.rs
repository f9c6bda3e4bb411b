//! Output of the task into its log, and what is typed into its terminal.

use std::os::fd::AsFd as _;
use std::time::Instant;

use crate::runner::local::supervise::log::Drained;
use crate::runner::local::supervise::watch::{Source, Watch};
use crate::runner::local::wire::Up;

/// Pieces in which a terminal is read, and how many before others get their turn.
const PIECE: usize = 16 << 10;
const PIECES_MAX: usize = 16;

impl Watch {
    pub(super) fn read_output(&mut self) {
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

    pub(super) fn read_terminal(&mut self) {
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
    pub(super) fn drain_rest(&mut self) {
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

    pub(super) fn hand_on(&mut self) {
        let Source::Terminal(terminal) = &mut self.source else { return };
        let bytes = terminal.flush();
        if bytes > 0 {
            self.say(&Up::Taken { bytes });
        }
    }

    pub(super) fn type_in(&mut self, bytes: &[u8]) {
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
