//! Reviews of one job, a line each.

use super::silence;
use crate::model::page::ReviewRow;
use crate::model::review::ReviewState;
use crate::view::line::{Line, Role};
use crate::view::sight::Sight;
use crate::view::words;

/// The lines, none wider than `columns`.
pub fn lines(rows: &[ReviewRow], sight: &Sight, columns: usize) -> Vec<Line> {
    rows.iter().map(|row| line(row, sight).cut(columns)).collect()
}

fn line(row: &ReviewRow, sight: &Sight) -> Line {
    let asked = sight.day(row.asked.wall);
    let start = Line::of(format!("{:<5}", row.id.to_string()), Role::Id)
        .then(format!("{asked}  "), Role::Muted);
    if row.state == ReviewState::Open {
        let then = silence::countdown(row, sight);
        let start = start.then(format!("asks, {then}: "), Role::NeedsYou);
        return start.then(words::review::deed_of(row), Role::Plain);
    }
    let role = match row.state {
        ReviewState::Approved | ReviewState::Redeemed => Role::Good,
        _ => Role::Bad,
    };
    let by = row.decision.as_ref().map(|decision| decision.by.join(", ")).unwrap_or_default();
    let by = if by.is_empty() { by } else { format!(" by {by}") };
    start
        .then(format!("{}{by}: ", row.state.word()), role)
        .then(words::review::deed_of(row), Role::Plain)
}
