//! The server's time as the console knows it: the last instant it heard, aged by its own clock.

use crate::base::{At, Span};

/// Time. The console's own clock counts from its start and is told, never read.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Clock {
    console: Span,
    anchor: Option<(At, Span)>,
}

impl Clock {
    /// The console's clock went on.
    pub fn tell(&mut self, console: Span) {
        self.console = self.console.max(console);
    }

    /// Time since the console started.
    pub fn console(&self) -> Span {
        self.console
    }

    /// The server said that it is now `at`.
    pub fn anchor(&mut self, at: At) {
        // An answer may be overtaken by a younger one.
        if self.known().is_none_or(|now| at.now >= now.now || now.now.since(at.now).0 > 60_000) {
            self.anchor = Some((at, self.console));
        }
    }

    /// What time it is for the server; nothing before it said anything.
    pub fn known(&self) -> Option<At> {
        let (at, heard) = self.anchor?;
        let age = Span(self.console.0.saturating_sub(heard.0));
        Some(At { now: at.now + age, wall: at.wall + age })
    }

    /// What time it is for the server, or the beginning of time.
    pub fn at(&self) -> At {
        self.known().unwrap_or_default()
    }
}
