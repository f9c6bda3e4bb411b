//! A look at a row without leaving the list: state, reason, what it holds, what it runs.

use crate::base::text::fold_lines;
use crate::model::page::{JobRow, ReviewRow};
use crate::tui::ground::Ground;
use crate::view::describe::review::{Lines, silence};
use crate::view::line::{Line, Role};
use crate::view::next::{next, trouble};
use crate::view::words;

/// What is chosen.
#[derive(Debug, Clone, Copy)]
pub enum Chosen<'a> {
    /// A job.
    Job(&'a JobRow),
    /// A review.
    Review(&'a ReviewRow),
}

/// The lines about what is chosen, at most `columns` wide.
pub fn peek(chosen: Chosen, ground: &Ground, columns: usize) -> Vec<Line> {
    match chosen {
        Chosen::Job(row) => job(row, ground, columns),
        Chosen::Review(row) => review(row, ground, columns),
    }
}

/// What is asked, by whom, what silence means and how it stands.
fn review(row: &ReviewRow, ground: &Ground, columns: usize) -> Vec<Line> {
    let sight = ground.sight();
    let mut out = Lines::new(columns);
    let deed = words::review::deed_of(row);
    out.text(&format!("{} {deed}", row.id), Role::Head);
    out.text(words::review::trace(row.effect), Role::NeedsYou);
    let (text, role) = silence::sentence(row, &sight);
    out.text(&text, role);
    let reader = &row.beside.reader;
    match (&reader.seat, &reader.why_not) {
        (Some(_), None) => out.text("you may answer: Enter opens it", Role::Good),
        (Some(_), Some(lacks)) => out.text(&format!("you may say no; {lacks}"), Role::NeedsYou),
        (None, why) => {
            let why = why.as_deref().unwrap_or("others decide it");
            out.text(why, Role::Muted);
        }
    }
    let agent = row.agent.as_deref().unwrap_or("the job itself");
    out.pair("asks", &format!("{agent}, in {} {}", row.job, row.beside.job_name), Role::Plain);
    out.pair("for", &format!("{}, team {}", row.owner, row.team), Role::Plain);
    out.pair("asked", &format!("{} ago", sight.since(row.asked.now)), Role::Plain);
    out.pair("votes", &format!("{} of {} yes", row.beside.yes, row.needed), Role::Plain);
    for name in row.opened.keys() {
        out.pair("open", &format!("{name} has it open"), Role::Plain);
    }
    let holds = match row.beside.holds.is_empty() {
        true => "nothing".to_owned(),
        false => words::amounts(&row.beside.holds),
    };
    out.pair("holds", &holds, Role::Plain);
    if !row.summary.is_empty() {
        out.text("the agent says (nobody checked this):", Role::Muted);
        out.quote(&row.summary);
    }
    out.done()
}

/// The lines about a job.
fn job(row: &JobRow, ground: &Ground, columns: usize) -> Vec<Line> {
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
