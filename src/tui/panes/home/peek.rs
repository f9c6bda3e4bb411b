//! A look at a row without leaving the list: state, reason, what it holds, what it runs.

use crate::base::text::fold_lines;
use crate::model::page::JobRow;
use crate::tui::ground::Ground;
use crate::view::line::{Line, Role};
use crate::view::next::{next, trouble};
use crate::view::words;

/// The lines about a row, at most `columns` wide.
pub fn peek(row: &JobRow, ground: &Ground, columns: usize) -> Vec<Line> {
    let sight = ground.sight();
    let mut lines = Vec::new();
    let mut folded = |text: &str, role: Role| {
        lines.extend(fold_lines(text, columns).into_iter().map(|text| Line::of(text, role)));
    };
    let stuck = crate::model::page::is_stuck(&row.findings);
    folded(&format!("{} {}", row.id, row.name), Role::Head);
    let state = words::state_long(&row.state, row.frozen);
    folded(&format!("{state}, for {}", sight.since(row.since.now)), Role::Plain);
    if stuck {
        folded(&trouble(row, &sight), Role::Stuck);
    }
    match &row.prompt {
        Some(prompt) => {
            folded(&words::quote(&prompt.text), Role::NeedsYou);
            folded("S answers, t shows its terminal", Role::Muted);
        }
        None => {
            let role = if super::is_bad(row) { Role::Bad } else { Role::Plain };
            folded(&next(row, &sight), role);
            if let Some(start) = &row.expected_start {
                folded(&words::worth(start), Role::Muted);
            }
        }
    }
    if let Some(hold) = &row.hold {
        let why = hold.reason.as_deref().map_or_else(String::new, |why| format!(": {why}"));
        folded(
            &format!("held by {} since {}{why}", hold.by, sight.day(hold.since.wall)),
            Role::Queued,
        );
    }
    let mut pair = |label: &str, value: String| {
        let text = format!("{label:<9} {value}");
        let mut parts = fold_lines(&text, columns).into_iter();
        if let Some(first) = parts.next() {
            let (name, rest) = first.split_at(first.len().min(10).min(label.len().max(9)));
            lines.push(Line::of(name, Role::Muted).then(rest, Role::Plain));
        }
        lines.extend(parts.take(2).map(|rest| Line::of(format!("          {rest}"), Role::Plain)));
    };
    pair("owner", row.owner.to_string());
    if row.holds.is_empty() {
        pair("asks for", words::amounts(&row.request));
    } else {
        pair("holds", words::amounts(&row.holds));
    }
    if !row.nodes.is_empty() {
        pair("on", row.nodes.join(", "));
    }
    pair("priority", words::urgency::priority(row));
    if row.attempt > 1 {
        pair("attempt", row.attempt.to_string());
    }
    if !row.command.is_empty() {
        pair("runs", words::command(&row.command));
    }
    lines
}
