//! A review's row in the list, beside the jobs at a prompt.

use ratatui::layout::Rect;

use super::cells::{Cells, gpus};
use super::items::Pick;
use super::rows::Columns;
use crate::base::{At, Span};
use crate::model::page::ReviewRow;
use crate::tui::known::people::is_mine;
use crate::tui::theme::Ink;
use crate::tui::widgets::Canvas;
use crate::view::describe::review::silence;
use crate::view::sight::Sight;
use crate::view::words;

/// Tints the chosen one.
pub fn chosen(pick: Option<Pick>, canvas: &mut Canvas, area: Rect, row: &ReviewRow) {
    if pick == Some(Pick::Review(row.id)) {
        canvas.put((area.x, area.y), 1, ">", Ink::Selected);
        canvas.tint(area, Ink::Selected);
    }
}

/// What stands for reviews that only others may answer.
pub fn others(canvas: &mut Canvas, area: Rect, hidden: u64, pick: Option<Pick>) {
    let chosen = pick == Some(Pick::Others);
    let verb = if hidden == 1 { "waits" } else { "wait" };
    let hint = if chosen { ": Enter shows them" } else { "" };
    let text = format!("+ {hidden} {verb} on others{hint}");
    canvas.put((area.x + 5, area.y), area.width.saturating_sub(5), &text, Ink::Muted);
    if chosen {
        canvas.put((area.x, area.y), 1, ">", Ink::Selected);
        canvas.tint(area, Ink::Selected);
    }
}

/// How a review stands, in a word or two.
fn state(row: &ReviewRow) -> String {
    match (row.stopped, row.beside.yes) {
        (Some(_), _) => "asked back".to_owned(),
        (None, 0) if row.level >= 2 => "escalated".to_owned(),
        (None, 0) => "asks".to_owned(),
        (None, yes) => format!("{yes} of {} yes", row.needed),
    }
}

/// What happens next with a review: when silence decides, what it holds, who looks at it.
fn next(row: &ReviewRow, sight: &Sight) -> String {
    let mut parts = vec![silence::countdown(row, sight)];
    if !row.beside.holds.is_empty() {
        parts.push(format!("holds {}", words::amounts(&row.beside.holds)));
    }
    if let Some(name) = row.opened.keys().next() {
        parts.push(format!("{name} has it open"));
    }
    parts.join(", ")
}

/// How a review is marked, and in what ink.
fn mark(row: &ReviewRow, sight: &Sight) -> (&'static str, Ink) {
    match (is_mine(&row.beside), silence::is_pressing(row, sight)) {
        (false, _) => ("?", Ink::Muted),
        (true, true) => ("!", Ink::Bad),
        (true, false) => ("?", Ink::NeedsYou),
    }
}

/// How long until a row of a review reads differently.
pub fn changes(row: &ReviewRow, now: At, reduced: bool) -> Span {
    let age = super::next_change(now.now.since(row.asked.now), reduced);
    let left = row.deadline.since(now.wall);
    let unit = if left.0 < 60_000 { 1000 } else { 60_000 };
    age.min(Span(left.0 % unit + 1))
}

/// Draws it on one line, in the columns of the list.
pub(super) fn row(
    canvas: &mut Canvas,
    area: Rect,
    row: &ReviewRow,
    columns: Columns,
    sight: &Sight,
) {
    let (glyph, ink) = mark(row, sight);
    canvas.put((area.x + 1, area.y), 1, glyph, ink);
    let mut cells = Cells::new(canvas, area);
    cells.put(&row.id.to_string(), columns.id, true, Ink::Id);
    cells.put(&words::review::deed_of(row), columns.what, false, Ink::Plain);
    cells.put(&row.team, columns.team, false, Ink::Muted);
    cells.put(&state(row), columns.state, false, ink);
    cells.put(&sight.since(row.asked.now), columns.since, true, Ink::Muted);
    cells.put(&gpus(row.beside.holds.gpu_milli), columns.gpu, true, Ink::Plain);
    cells.put(&next(row, sight), area.width, false, ink);
}

/// A review on two lines.
pub fn in_lane(canvas: &mut Canvas, area: Rect, row: &ReviewRow, sight: &Sight) {
    let (glyph, ink) = mark(row, sight);
    canvas.put((area.x + 1, area.y), 1, glyph, ink);
    let x = area.x + 3;
    let x = x + canvas.put((x, area.y), 12, &row.id.to_string(), Ink::Id) + 1;
    let age = sight.since(row.asked.now);
    let tail = format!("{} {age:>6}", state(row));
    let right = (area.right().saturating_sub(1), area.y);
    let at = canvas.put_right(right, area.width / 2, &tail, ink);
    canvas.put((x, area.y), at.saturating_sub(x + 1), &words::review::deed_of(row), Ink::Plain);
    let next = next(row, sight);
    canvas.put((area.x + 5, area.y + 1), area.width.saturating_sub(6), &next, ink);
}
