//! Labels and values, one pair a line, with titles between.

use std::borrow::Cow;

use crate::base::text::pad;
use crate::view::line::{Cell, Line, Role};

/// Columns of a label.
pub const LABEL: usize = 13;

/// Lines under construction.
#[derive(Debug, Default)]
pub struct Sheet(Vec<Line>);

impl Sheet {
    /// Adds a line as it is.
    pub fn line(&mut self, line: Line) {
        self.0.push(line);
    }

    /// Begins a part: an empty line and a title.
    pub fn title<'a>(&mut self, text: impl Into<Cow<'a, str>>) {
        self.0.push(Line::empty());
        self.0.push(Line::of(text, Role::Head));
    }

    /// Adds a label and its value.
    pub fn pair<'a>(&mut self, label: &str, value: impl Into<Cow<'a, str>>) {
        self.pair_as(label, value, Role::Plain);
    }

    /// Adds a label and its value in a role.
    pub fn pair_as<'a>(&mut self, label: &str, value: impl Into<Cow<'a, str>>, role: Role) {
        let label = Cell::new(pad(label, LABEL), Role::Muted);
        self.0.push(Line(vec![label, Cell::plain(" "), Cell::new(value, role)]));
    }

    /// Adds something beside the point to the last line.
    pub fn also<'a>(&mut self, text: impl Into<Cow<'a, str>>) {
        if let Some(line) = self.0.last_mut() {
            line.0.push(Cell::new(text, Role::Muted));
        }
    }

    /// Adds the pair if there is a value.
    pub fn maybe<'a, T: Into<Cow<'a, str>>>(&mut self, label: &str, value: Option<T>) {
        if let Some(value) = value {
            self.pair(label, value);
        }
    }

    /// Adds lines made elsewhere.
    pub fn lines(&mut self, lines: Vec<Line>) {
        self.0.extend(lines);
    }

    /// All of it.
    pub fn done(self) -> Vec<Line> {
        self.0
    }
}
