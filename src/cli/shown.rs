//! What `view` made, on this terminal: the reader's zone, colours for roles, sentences in JSON.

use std::fmt::Write as _;

use super::output::{self, Output};
use crate::api::wire;
use crate::base::At;
use crate::model::{Finding, Reason};
use crate::view::line::{Line, Role};
use crate::view::sight::Sight;
use crate::view::words;

/// A page made at this time, seen from here.
pub fn sight(at: At) -> Sight {
    Sight::new(at, chrono::Local)
}

/// The sentences inside JSON documents. Programs read them in UTC.
pub struct Sentences(Sight);

impl Sentences {
    /// Sentences about a page made at this time.
    pub fn new(at: At) -> Sentences {
        Sentences(Sight::utc(at))
    }
}

impl wire::Words for Sentences {
    fn reason(&self, reason: &Reason) -> String {
        words::reason(reason, &self.0)
    }

    fn change(&self, reason: &Reason) -> String {
        words::change(reason, &self.0)
    }

    fn finding(&self, finding: &Finding) -> String {
        words::finding(finding, &self.0)
    }
}

/// Columns to fit lines into; `None` for a pipe.
pub fn room() -> Option<usize> {
    let (_, columns) = output::out_is_terminal().then(output::terminal_size).flatten()?;
    Some(usize::from(columns))
}

/// Lines as text with colours, which are stripped on the way out where they are not wanted.
pub fn text(lines: &[Line], output: Output) -> String {
    if !output.out_has_colour() {
        return crate::view::line::plain(lines);
    }
    let mut out = String::new();
    for line in lines {
        for cell in &line.0 {
            // A string takes whatever is written to it.
            let _ = match colour(cell.role) {
                "" => write!(out, "{}", cell.text),
                code => write!(out, "\x1b[{code}m{}\x1b[0m", cell.text),
            };
        }
        out.push('\n');
    }
    out
}

/// The SGR code of a role; the sixteen colours that every terminal theme has made readable.
fn colour(role: Role) -> &'static str {
    match role {
        Role::Plain => "",
        Role::Muted => "2",
        Role::Head | Role::Id => "1",
        Role::NeedsYou => "1;33",
        Role::Stuck => "1;31",
        Role::Running | Role::Good => "32",
        Role::Queued => "36",
        Role::Bad => "31",
    }
}
