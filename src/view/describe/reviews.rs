//! Reviews as a list, for `reviews`.

use super::review::silence;
use crate::base::duration;
use crate::model::page::{ReviewPage, ReviewRow};
use crate::model::review::ReviewState;
use crate::model::team::DEFAULT_TEAM;
use crate::view::line::{Cell, Line, Role};
use crate::view::sight::Sight;
use crate::view::table::{Column, Table};
use crate::view::words::{counted, review};

/// The lines of `reviews`.
pub fn reviews(page: &ReviewPage, sight: &Sight, room: Option<usize>) -> Vec<Line> {
    let mut lines = vec![title(page)];
    if let Some(away) = &page.away {
        let until =
            away.until.map_or_else(String::new, |until| format!(" until {}", sight.day(until)));
        let text = format!("your seats are with {}{until}: delegate --back", away.to);
        lines.push(Line::of(text, Role::NeedsYou));
    }
    if page.reviews.is_empty() {
        return lines;
    }
    let teams = page.reviews.iter().any(|row| *row.team != *DEFAULT_TEAM);
    let mut columns = vec![
        Column::fixed(""),
        Column::fixed("ID"),
        Column::text("WHAT", 16, 60),
        Column::text("CLASS", 8, 16),
        Column::text("JOB", 8, 28),
    ];
    columns.extend(teams.then_some(Column::text("TEAM", 4, 20)));
    columns.extend([
        Column::fixed("YES"),
        Column::fixed("SINCE"),
        Column::text("WHAT HAPPENS NEXT", 20, usize::MAX),
    ]);
    let mut table = Table::new(columns);
    for row in &page.reviews {
        let mark = match (&row.beside.reader.seat, row.state) {
            (Some(_), ReviewState::Open) => Cell::new("!", Role::NeedsYou),
            (None, ReviewState::Open) => Cell::new("?", Role::Muted),
            _ => Cell::plain(" "),
        };
        let mut cells = vec![
            mark,
            Cell::new(row.id.to_string(), Role::Id),
            Cell::plain(review::deed_of(row)),
            Cell::plain(row.effect.word()),
            Cell::plain(format!("{} {}", row.job, row.beside.job_name)),
        ];
        cells.extend(teams.then(|| Cell::plain(&*row.team)));
        cells.extend([
            Cell::plain(format!("{} of {}", row.beside.yes, row.needed)),
            Cell::plain(sight.since(row.asked.now)),
            next(row, sight),
        ]);
        table.row(cells);
    }
    if page.next.is_some() {
        let text = "there are more: --limit, --cursor";
        table.across(Line::of(text, Role::Muted));
    }
    lines.extend(table.lines(room));
    lines
}

fn title(page: &ReviewPage) -> Line {
    match page.open {
        0 => Line::of("nobody waits for people", Role::Muted),
        open => {
            let text = format!("{} open, {} for you to answer", counted(open, "review"), page.mine);
            Line::of(text, if page.mine > 0 { Role::NeedsYou } else { Role::Head })
        }
    }
}

fn next(row: &ReviewRow, sight: &Sight) -> Cell {
    if row.state == ReviewState::Open {
        let pressing = silence::is_pressing(row, sight);
        let role = if pressing { Role::Bad } else { Role::Plain };
        return Cell::new(silence::countdown(row, sight), role);
    }
    let decision = row.decision.as_ref();
    let by = decision.map(|decision| {
        let names: Vec<&str> = decision.by.iter().map(|name| &**name).collect();
        if names.is_empty() { String::new() } else { format!(" by {}", names.join(", ")) }
    });
    let age = duration::short(sight.now.now.since(row.since.now));
    let why = decision.and_then(|decision| decision.reason.as_deref());
    let why = why.map_or_else(String::new, |why| format!(": {why}"));
    let role = match row.state {
        ReviewState::Approved | ReviewState::Redeemed => Role::Good,
        ReviewState::Denied | ReviewState::Expired => Role::Bad,
        _ => Role::Muted,
    };
    Cell::new(format!("{}{} {age} ago{why}", row.state.word(), by.unwrap_or_default()), role)
}
