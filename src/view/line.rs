//! What everything shown is made of: lines of pieces, each a text with a role.

use std::borrow::Cow;

use crate::base::text::{cut, sanitise, width};

/// What a piece of text is, for whoever gives it a colour.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
pub enum Role {
    /// Nothing special.
    #[default]
    Plain,
    /// Beside the point.
    Muted,
    /// A title.
    Head,
    /// Waits on a person.
    NeedsYou,
    /// Something is wrong with it.
    Stuck,
    /// Holds room and runs.
    Running,
    /// Waits.
    Queued,
    /// Ended well.
    Good,
    /// Ended badly.
    Bad,
    /// A job's number.
    Id,
}

/// A piece of a line.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Cell {
    /// What is written: harmless, on one line.
    pub text: String,
    /// What it is.
    pub role: Role,
}

/// A line.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Line(pub Vec<Cell>);

impl Cell {
    /// A piece; the text is made harmless here, so nothing can be forgotten.
    pub fn new<'a>(text: impl Into<Cow<'a, str>>, role: Role) -> Cell {
        let text = text.into();
        Cell { text: sanitise(&text).into_owned(), role }
    }

    /// A plain piece.
    pub fn plain<'a>(text: impl Into<Cow<'a, str>>) -> Cell {
        Cell::new(text, Role::Plain)
    }

    /// Its columns.
    pub fn width(&self) -> usize {
        width(&self.text)
    }
}

impl Line {
    /// A line of one piece.
    pub fn of<'a>(text: impl Into<Cow<'a, str>>, role: Role) -> Line {
        Line(vec![Cell::new(text, role)])
    }

    /// An empty line.
    pub fn empty() -> Line {
        Line::default()
    }

    /// Adds a piece.
    #[must_use]
    pub fn then<'a>(mut self, text: impl Into<Cow<'a, str>>, role: Role) -> Line {
        self.0.push(Cell::new(text, role));
        self
    }

    /// Without roles and trailing spaces.
    pub fn plain(&self) -> String {
        let text: String = self.0.iter().map(|cell| cell.text.as_str()).collect();
        text.trim_end().to_owned()
    }

    /// Cut to at most `columns`, with an ellipsis where something is missing.
    #[must_use]
    pub fn cut(self, columns: usize) -> Line {
        if self.0.iter().map(Cell::width).sum::<usize>() <= columns {
            return self;
        }
        let mut room = columns;
        let mut cells = Vec::new();
        for mut cell in self.0 {
            if cell.width() > room {
                cell.text = cut(&cell.text, room).into_owned();
                if cell.text.is_empty() {
                    mark_last(&mut cells);
                } else {
                    cells.push(cell);
                }
                break;
            }
            room -= cell.width();
            cells.push(cell);
        }
        Line(cells)
    }
}

/// Says that something is missing after a line that is already full.
fn mark_last(cells: &mut [Cell]) {
    if let Some(last) = cells.last_mut().filter(|cell| !cell.text.is_empty()) {
        let columns = last.width();
        // A text one column too wide is cut to its room with the mark at the end.
        last.text = cut(&format!("{} ", last.text), columns).into_owned();
    }
}

/// Many lines as plain text, each with its line end.
pub fn plain(lines: &[Line]) -> String {
    lines.iter().map(|line| line.plain() + "\n").collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_is_cut_with_a_mark_wherever_it_ends() {
        let line = || Line::of("ab", Role::Id).then("cdef", Role::Plain);
        assert_eq!(line().cut(6).plain(), "abcdef");
        assert_eq!(line().cut(4).plain(), "abc…");
        assert_eq!(line().cut(2).plain(), "a…");
        assert_eq!(line().cut(0).plain(), "");
        assert_eq!(Line::of("a\x1b[31mb\n", Role::Bad).plain(), "ab⏎");
    }
}
