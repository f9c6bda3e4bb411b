//! The columns of the list, and the cells of a row.

use super::{Folded, Kind};
use crate::base::quantity;
use crate::model::State;
use crate::model::job::Outcome;
use crate::model::page::{JobRow, Lane};
use crate::model::team::DEFAULT_TEAM;
use crate::view::line::{Cell, Role};
use crate::view::next::{next, trouble};
use crate::view::sight::Sight;
use crate::view::table::{Column, Table};
use crate::view::words::state_short;

/// Which columns a list has: nobody sees a team or a GPU before one is used.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Columns {
    team: bool,
    gpu: bool,
}

impl Columns {
    /// What these rows need.
    pub fn needed_for(rows: &[JobRow]) -> Columns {
        Columns {
            team: rows.iter().any(|row| row.team.as_ref() != DEFAULT_TEAM),
            gpu: rows.iter().any(|row| row.request.gpu_milli > 0),
        }
    }

    /// An empty table with them.
    pub fn table(self) -> Table {
        let mut columns = vec![
            Column::fixed(""),
            Column::number("ID"),
            Column::text("WHAT", 10, 32),
            Column::text("TEAM", 4, 16),
            Column::fixed("STATE"),
            Column::number("SINCE"),
            Column::number("GPU"),
            Column::text("WHAT HAPPENS NEXT", 17, usize::MAX),
        ];
        columns.retain(|column| self.has(column.title));
        Table::new(columns)
    }

    fn has(self, title: &str) -> bool {
        match title {
            "TEAM" => self.team,
            "GPU" => self.gpu,
            _ => true,
        }
    }

    /// The cells of one row.
    pub fn cells(self, folded: &Folded, kind: Kind, sight: &Sight) -> Vec<Cell> {
        let row = folded.row;
        let (glyph, role) = mark(row, kind);
        let gpu = match folded.gpu_milli {
            0 => "-".to_owned(),
            milli => quantity::format_gpu(milli),
        };
        let what_next = if kind == Kind::Stuck { trouble(row, sight) } else { next(row, sight) };
        let mut cells = vec![
            Cell::new(glyph, role),
            Cell::new(row.id.to_string(), Role::Id),
            Cell::plain(what(folded)),
        ];
        if self.team {
            cells.push(Cell::new(row.team.as_ref(), Role::Muted));
        }
        cells.push(Cell::new(state_short(row), role));
        cells.push(Cell::new(sight.since(since(row, kind).now), Role::Muted));
        if self.gpu {
            cells.push(Cell::plain(gpu));
        }
        cells.push(Cell::plain(what_next));
        cells
    }
}

/// `name`, `name[500]` for elements of an array, `name #7` for a single one.
pub fn what(folded: &Folded) -> String {
    let name = &folded.row.name;
    match (folded.count, folded.row.array) {
        (1, Some(place)) => format!("{name} #{}", place.index),
        (1, None) => name.to_string(),
        (count, _) => format!("{name}[{count}{}]", if folded.open { "+" } else { "" }),
    }
}

/// Since when what the row shows is so.
pub fn since(row: &JobRow, kind: Kind) -> crate::base::At {
    let asked = row.prompt.as_ref().map(|prompt| prompt.since);
    match kind {
        Kind::In(Lane::Human) => asked.unwrap_or(row.since),
        Kind::Stuck => row.findings.iter().map(|found| found.since).min().unwrap_or(row.since),
        // A job that was stopped and came back has waited since it was submitted.
        Kind::In(Lane::Queued) if row.state == State::Queued => row.submitted,
        Kind::In(_) => row.since,
    }
}

/// A state's glyph and role: never colour alone.
pub fn mark(row: &JobRow, kind: Kind) -> (&'static str, Role) {
    match (kind, &row.state) {
        (Kind::Stuck, _) => ("x", Role::Stuck),
        (Kind::In(Lane::Human), _) => ("?", Role::NeedsYou),
        (_, State::InReview) => ("?", Role::NeedsYou),
        (_, State::Paused) => ("=", Role::Queued),
        (_, State::Starting | State::Running) => ("*", Role::Running),
        (_, State::Stopping(_)) => ("-", Role::Running),
        (_, State::Waiting(_)) => (",", Role::Queued),
        (_, State::Queued) => (".", Role::Queued),
        (_, State::Ended(Outcome::Succeeded)) => ("+", Role::Good),
        (_, State::Ended(Outcome::Cancelled)) => ("-", Role::Muted),
        (_, State::Ended(_)) => ("X", Role::Bad),
    }
}
