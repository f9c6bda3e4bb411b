//! What `view` made, on this terminal: the reader's zone, colours for roles.

use std::fmt::Write as _;

use super::output::{self, Output};
use crate::base::At;
use crate::view::line::{Line, Role};
use crate::view::sight::Sight;

/// A page made at this time, seen from here.
pub fn sight(at: At) -> Sight {
    Sight::new(at, chrono::Local)
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
