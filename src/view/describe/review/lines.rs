//! Sentences and pairs of a card, folded to a width while they are written.

use super::escape::escaped;
use crate::base::text::{fold_lines, pad};
use crate::view::line::{Cell, Line, Role};

/// Columns of a label.
const LABEL: usize = 8;

/// Lines under construction, none wider than they may be.
#[derive(Debug)]
pub struct Lines {
    columns: usize,
    lines: Vec<Line>,
}

impl Lines {
    /// None yet, at most so wide.
    pub fn new(columns: usize) -> Lines {
        Lines { columns: columns.max(4), lines: Vec::new() }
    }

    /// A sentence.
    pub fn text(&mut self, text: &str, role: Role) {
        self.hung(Vec::new(), &escaped(text), role);
    }

    /// A label and its value.
    pub fn pair(&mut self, label: &str, value: &str, role: Role) {
        let label = Cell::new(format!("{} ", pad(label, LABEL)), Role::Muted);
        self.hung(vec![label], &escaped(value), role);
    }

    /// A label in the role of its value.
    pub fn pair_as(&mut self, label: &str, value: &str, role: Role) {
        let label = Cell::new(format!("{} ", pad(label, LABEL)), role);
        self.hung(vec![label], &escaped(value), Role::Plain);
    }

    /// A beginning of any width and a value behind it.
    pub fn named(&mut self, beginning: &str, value: &str, role: Role) {
        self.named_as(beginning, value, Role::Muted, role);
    }

    /// The same with a role for each.
    pub fn named_as(&mut self, beginning: &str, value: &str, first: Role, role: Role) {
        self.hung(vec![Cell::new(beginning, first)], &escaped(value), role);
    }

    /// Somebody's words, with their own lines and a mark before each.
    pub fn quote(&mut self, text: &str) {
        let mut empty = 0;
        for part in text.split('\n') {
            if part.trim().is_empty() {
                empty += 1;
                continue;
            }
            if empty > 1 {
                let said = format!("({empty} empty lines)");
                self.hung(vec![Cell::new("| ", Role::Muted)], &said, Role::Bad);
            }
            empty = 0;
            self.hung(vec![Cell::new("| ", Role::Muted)], &escaped(part), Role::Plain);
        }
    }

    /// Lines made elsewhere.
    pub fn extend(&mut self, lines: impl IntoIterator<Item = Line>) {
        self.lines.extend(lines);
    }

    /// How wide they may be.
    pub fn columns(&self) -> usize {
        self.columns
    }

    /// All of them.
    pub fn done(self) -> Vec<Line> {
        self.lines
    }

    /// A beginning and a text behind it that goes on below itself.
    fn hung(&mut self, first: Vec<Cell>, text: &str, role: Role) {
        let before: usize = first.iter().map(Cell::width).sum();
        let marks = first.first().is_some_and(|cell| cell.text == "| ");
        let mut first = first;
        for part in fold_lines(text, self.columns.saturating_sub(before).max(1)) {
            let mut cells = std::mem::take(&mut first);
            if cells.is_empty() && before > 0 {
                let indent = if marks { "| ".to_owned() } else { " ".repeat(before) };
                cells.push(Cell::new(indent, Role::Muted));
            }
            cells.push(Cell::new(part, role));
            self.lines.push(Line(cells));
        }
    }
}
