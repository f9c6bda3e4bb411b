//! Jobs as a list by urgency, for `ls`: waiting on people, stuck, running, queued, ended.

mod columns;
mod fold;

use crate::model::State;
use crate::model::job::Outcome;
use crate::model::page::{JobPage, JobRow, Lane, is_stuck};
use crate::view::line::{Line, Role};
use crate::view::sight::Sight;
use crate::view::words::counted;

use columns::Columns;

pub use columns::{mark, since, what};
pub use fold::{Folded, fold};

/// How a list is shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Listing {
    /// Columns of the terminal; `None` for a pipe, where nothing is cut.
    pub room: Option<usize>,
    /// The page was filtered, so its counts are about more than its rows.
    pub filtered: bool,
}

/// The lines of `ls`. A stuck job stands among the stuck ones and in its lane.
pub fn list(page: &JobPage, sight: &Sight, how: Listing) -> Vec<Line> {
    if page.jobs.is_empty() {
        return vec![Line::of(nothing(page, how), Role::Muted)];
    }
    let columns = Columns::needed_for(&page.jobs);
    let mut table = columns.table();
    for section in sections(page, how) {
        if section.rows.is_empty() {
            continue;
        }
        table.across(Line::of(section.title, section.role));
        for folded in fold(&section.rows, page.next.is_some()) {
            table.row(columns.cells(&folded, section.kind, sight));
        }
    }
    if page.next.is_some() {
        let shown = page.jobs.len();
        let text = format!("only the first {shown}: narrow with a filter, or ask for more");
        table.across(Line::of(text, Role::Muted));
    }
    table.lines(how.room)
}

fn nothing(page: &JobPage, how: Listing) -> String {
    let counts = page.counts;
    let live = counts.human + counts.running + counts.queued;
    match (how.filtered, live, counts.ended) {
        (true, ..) => "no job matches".to_owned(),
        (false, 0, 0) => "no jobs; holdshort submit -- COMMAND".to_owned(),
        (false, 0, ended) => {
            format!("nothing is live; {} ended earlier: ls lane=ended", counted(ended, "job"))
        }
        (false, ..) => "no jobs to show".to_owned(),
    }
}

/// What the rows of a section have in common.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// Something is wrong with them.
    Stuck,
    /// They are in this lane.
    In(Lane),
}

struct Section<'a> {
    kind: Kind,
    title: String,
    role: Role,
    rows: Vec<&'a JobRow>,
}

fn sections(page: &JobPage, how: Listing) -> [Section<'_>; 5] {
    let section = |kind, name: &str, role, counted: u64| {
        let belongs = |row: &&JobRow| match kind {
            Kind::Stuck => row.lane != Lane::Ended && is_stuck(&row.findings),
            Kind::In(lane) => row.lane == lane,
        };
        let rows: Vec<_> = page.jobs.iter().filter(belongs).collect();
        let whole = !how.filtered && kind != Kind::In(Lane::Ended);
        let count = if whole { counted.max(rows.len() as u64) } else { rows.len() as u64 };
        let more = if !whole && page.next.is_some() { "+" } else { "" };
        let tally = if kind == Kind::In(Lane::Ended) { tally(&rows) } else { String::new() };
        Section { kind, title: format!("{name} {count}{more}{tally}"), role, rows }
    };
    let counts = page.counts;
    [
        section(Kind::In(Lane::Human), "WAITING ON PEOPLE", Role::NeedsYou, counts.human),
        section(Kind::Stuck, "STUCK", Role::Stuck, counts.stuck),
        section(Kind::In(Lane::Running), "RUNNING", Role::Head, counts.running),
        section(Kind::In(Lane::Queued), "QUEUED", Role::Head, counts.queued),
        section(Kind::In(Lane::Ended), "ENDED", Role::Head, counts.ended),
    ]
}

/// What became of ended jobs: ` - 9 ok, 3 FAILED`.
pub fn tally(rows: &[&JobRow]) -> String {
    let count = |good: fn(Outcome) -> bool| {
        let ended = |row: &&&JobRow| matches!(row.state, State::Ended(how) if good(how));
        rows.iter().filter(ended).count()
    };
    let kinds = [
        (count(|how| how == Outcome::Succeeded), "ok"),
        (count(|how| matches!(how, Outcome::Failed(_))), "FAILED"),
        (count(|how| how == Outcome::TimedOut), "timed out"),
        (count(|how| how == Outcome::Lost), "LOST"),
        (count(|how| how == Outcome::Cancelled), "cancelled"),
    ];
    let some = kinds.into_iter().filter(|(n, _)| *n > 0);
    let parts: Vec<_> = some.map(|(n, word)| format!("{n} {word}")).collect();
    format!(" - {}", parts.join(", "))
}

#[cfg(test)]
#[path = "list/tests.rs"]
mod tests;
