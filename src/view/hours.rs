//! The next hours of every node: what runs to when, what waits from when. Bars in columns of time
//! and the words beside them; who draws it knows nothing of jobs.

use crate::base::calendar::clock_in;
use crate::base::quantity::{format_cpu, format_gpu};
use crate::base::{JobId, Span, Wall};
use crate::model::page::{JobRow, NodeRow, Opening};
use crate::model::{Resources, State};
use crate::view::line::Role;
use crate::view::list::{Folded, fold};
use crate::view::sight::Sight;
use crate::view::words;

/// Spans a screen can show, from near to far.
pub const ZOOMS: [Span; 8] = [
    Span::mins(30),
    Span::hours(1),
    Span::hours(2),
    Span::hours(4),
    Span::hours(8),
    Span::hours(16),
    Span::hours(48),
    Span::hours(168),
];

/// Of the span so much lies behind now.
const PAST: u64 = 8;
/// Columns between two marks of the axis at least.
const MARK_COLUMNS: u64 = 9;
/// Columns of a mark and its time.
const LABEL: u16 = 6;
/// Distances of marks on the axis.
const STEPS: [Span; 10] = [
    Span::mins(5),
    Span::mins(10),
    Span::mins(15),
    Span::mins(30),
    Span::hours(1),
    Span::hours(2),
    Span::hours(4),
    Span::hours(6),
    Span::hours(12),
    Span::hours(24),
];

/// Columns of time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Axis {
    from: Wall,
    span: Span,
    columns: u16,
}

/// A line of the picture.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Row<'a> {
    /// When a window of a team is open.
    Window(&'a [Opening]),
    /// A node.
    Node(&'a NodeRow),
    /// What waits.
    Waiting(u64),
    /// A job on the node above it.
    Job(&'a JobRow),
    /// A job that waits, or many elements of an array.
    Waits(Folded<'a>),
}

/// A job's time on the axis, as columns.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Bar {
    /// Where it begins.
    pub from: u16,
    /// Up to here it is likely.
    pub likely: u16,
    /// Up to here it is possible.
    pub late: u16,
    /// Nobody knows its end.
    pub open: bool,
    /// It should have ended.
    pub overdue: bool,
}

impl Axis {
    /// So many columns for a span around now.
    pub fn around(now: Wall, span: Span, columns: u16) -> Axis {
        let past = i64::try_from(span.0 / PAST).unwrap_or(0);
        Axis { from: Wall(now.0.saturating_sub(past)), span, columns }
    }

    /// The column of an instant; those outside are at the edge.
    pub fn column(&self, at: Wall) -> u16 {
        let past = u64::try_from(at.0.saturating_sub(self.from.0)).unwrap_or(0);
        let place = past.saturating_mul(u64::from(self.columns)).checked_div(self.span.0);
        u16::try_from(place.unwrap_or(0)).unwrap_or(u16::MAX).min(self.columns)
    }

    /// Marks with their times of day.
    pub fn marks(&self, sight: &Sight) -> Vec<(u16, String)> {
        let columns = u64::from(self.columns.max(1));
        let apart = |step: &&Span| step.0.saturating_mul(columns) / self.span.0.max(1);
        let step = STEPS.iter().find(|step| apart(step) >= MARK_COLUMNS).unwrap_or(&STEPS[9]);
        let step = i64::try_from(step.0).unwrap_or(i64::MAX);
        let first = self.from.0.div_euclid(step).saturating_add(1).saturating_mul(step);
        let marks = (0..columns).map_while(|n| {
            let n = i64::try_from(n).ok()?;
            let at = Wall(first.checked_add(step.checked_mul(n)?)?);
            let column = self.column(at);
            (column.saturating_add(LABEL) <= self.columns).then(|| (column, clock(at, sight)))
        });
        let now = self.column(sight.now.wall);
        // What stands at now is said by itself.
        marks.filter(|(at, _)| at.saturating_add(LABEL) <= now || *at > now + LABEL).collect()
    }
}

/// The time of day; days when it is midnight.
fn clock(at: Wall, sight: &Sight) -> String {
    let time = sight.second(at);
    let minute = time.get(..5).unwrap_or("").to_owned();
    if minute == "00:00" { sight.full(at).get(5..10).unwrap_or("").to_owned() } else { minute }
}

/// The lines: the windows of teams, each node with what runs there, what ends first above, then
/// what waits and when it may start.
pub fn rows<'a>(
    openings: &'a [Opening],
    nodes: &'a [NodeRow],
    running: &[&'a JobRow],
    waiting: &[&'a JobRow],
    all: u64,
) -> Vec<Row<'a>> {
    let same = |a: &Opening, b: &Opening| (&a.team, &a.window) == (&b.team, &b.window);
    let mut rows: Vec<Row> = openings.chunk_by(same).map(Row::Window).collect();
    for node in nodes {
        rows.push(Row::Node(node));
        let mut here: Vec<&JobRow> =
            running.iter().filter(|row| row.nodes.contains(&node.name)).copied().collect();
        here.sort_by_key(|row| (row.expected_end.is_none(), row.expected_end, row.id));
        rows.extend(here.into_iter().map(Row::Job));
    }
    if !waiting.is_empty() {
        rows.push(Row::Waiting(all.max(waiting.len() as u64)));
        rows.extend(fold(waiting, false).into_iter().map(Row::Waits));
    }
    rows
}

/// A job's bar; nothing for one of which no time is known.
pub fn bar(row: &JobRow, axis: &Axis, now: Wall) -> Option<Bar> {
    let from = row.started.filter(|_| !matches!(row.state, State::Queued))?;
    let (likely, open) = match row.expected_end {
        Some(end) => (end, false),
        None => (now, true),
    };
    let overdue = !open && likely <= now;
    Some(Bar {
        from: axis.column(from.wall),
        likely: axis.column(likely.max(now)),
        late: axis.column(row.latest_end.unwrap_or(likely).max(likely).max(now)),
        open,
        overdue,
    })
}

/// When a waiting job may start: from one column to another, and whether room is kept for it.
pub fn start(row: &JobRow, axis: &Axis, now: Wall) -> Option<(u16, u16, bool)> {
    let start = row.expected_start.as_ref()?;
    let column = |at: Wall| axis.column(at.max(now));
    Some((column(start.from), column(start.to), row.kept.is_some()))
}

/// What stands at the end of a bar: when it is over.
pub fn end(row: &JobRow, sight: &Sight) -> (String, Role) {
    match row.expected_end {
        None => ("no end known".to_owned(), Role::Muted),
        Some(at) if at <= sight.now.wall => {
            (format!("should have ended {}", sight.day(at)), Role::Stuck)
        }
        Some(at) => (sight.day(at), Role::Plain),
    }
}

/// What a job holds or asks for, in a few columns: `4 gpu`, `2 cpu`.
pub fn size(row: &JobRow) -> String {
    let tasks = u64::from(row.gang.size.max(1));
    let asks = || row.request.times(tasks);
    let of = if row.holds.is_empty() { asks() } else { row.holds.clone() };
    brief(&of)
}

fn brief(of: &Resources) -> String {
    match of.gpu_milli {
        0 => format!("{} cpu", format_cpu(of.cpu_milli)),
        gpus => format!("{} gpu", format_gpu(gpus)),
    }
}

/// When a window is open, as columns, and what is said behind that.
pub fn opening(
    openings: &[Opening],
    axis: &Axis,
    sight: &Sight,
) -> (Vec<(u16, u16)>, Option<String>) {
    let columns = |open: &Opening| (axis.column(open.from), axis.column(open.until));
    let spans = openings.iter().map(columns).filter(|(from, to)| to > from).collect();
    let said = openings.first().map(|open| {
        let clock = |at| clock_in(&open.zone, at, sight.now.wall);
        match open.from <= sight.now.wall {
            true => format!("open until {}", clock(open.until)),
            false => format!("opens {}", clock(open.from)),
        }
    });
    (spans, said)
}

/// What is used of a node, what is kept of it for whom, and what keeps work away from it.
pub fn node(row: &NodeRow, sight: &Sight) -> (String, Role) {
    let used = match row.capacity.gpu_milli {
        0 => {
            format!("cpu {}/{}", format_cpu(row.used.cpu_milli), format_cpu(row.capacity.cpu_milli))
        }
        all => format!("gpu {}/{}", format_gpu(row.used.gpu_milli), format_gpu(all)),
    };
    let used = match row.kept.first() {
        Some(kept) => format!("{used}  {}{}", words::kept_for(kept, sight), more(row.kept.len())),
        None => used,
    };
    match (&row.drain, row.up) {
        (_, false) => (format!("{used}  lost"), Role::Bad),
        (Some(drain), true) => (format!("{used}  drained by {}", drain.by), Role::Queued),
        (None, true) => (used, Role::Muted),
    }
}

/// ` and 2 more` behind the first of so many.
fn more(count: usize) -> String {
    match count.saturating_sub(1) {
        0 => String::new(),
        more => format!(" and {more} more"),
    }
}

/// Jobs among the lines, by their places.
pub fn job_at(rows: &[Row], at: usize) -> Option<JobId> {
    match rows.get(at)? {
        Row::Job(row) => Some(row.id),
        Row::Waits(folded) => Some(folded.row.id),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::view::sample::{NOON, at, queued, running};

    #[test]
    fn time_is_spread_over_the_columns() {
        let now = Wall(NOON);
        let axis = Axis::around(now, Span::hours(4), 80);
        assert_eq!(axis.column(now), 10, "an eighth lies behind");
        assert_eq!(axis.column(now + Span::hours(1)), 30);
        assert_eq!(axis.column(now + Span::hours(90)), 80);
        assert_eq!(axis.column(Wall(0)), 0);
        let marks = axis.marks(&Sight::utc(at(0)));
        let first: Vec<(u16, &str)> = marks.iter().map(|(x, text)| (*x, &**text)).collect();
        assert_eq!(first[..3], [(20, "13:30"), (30, "14:00"), (40, "14:30")]);
        assert!(Axis::around(now, Span::hours(168), 0).marks(&Sight::utc(at(0))).is_empty());
    }

    #[test]
    fn a_window_is_one_line_with_all_its_openings() {
        let now = Wall(NOON);
        let open = |window: &str, from: u64, until: u64| Opening {
            team: "org/ml".into(),
            window: window.into(),
            zone: "Europe/Berlin".into(),
            from: now + Span::hours(from),
            until: now + Span::hours(until),
        };
        let openings = [open("day", 0, 2), open("day", 20, 30), open("night", 3, 9)];
        let lines = rows(&openings, &[], &[], &[], 0);
        assert_eq!(lines, [Row::Window(&openings[..2]), Row::Window(&openings[2..])]);
        let (axis, sight) = (Axis::around(now, Span::hours(4), 80), Sight::utc(at(0)));
        let (spans, said) = opening(&openings[..2], &axis, &sight);
        assert_eq!((spans, said), (vec![(10, 50)], Some("open until 16:00 Berlin".into())));
        let (spans, said) = opening(&openings[2..], &axis, &sight);
        assert_eq!((spans, said), (vec![(70, 80)], Some("opens 17:00 Berlin".into())));
    }

    #[test]
    fn what_ends_first_stands_first_and_an_unknown_end_is_open() {
        let (mut soon, mut late, open) = (running(1, "a"), running(2, "b"), running(3, "c"));
        soon.expected_end = Some(Wall(NOON) + Span::mins(30));
        late.expected_end = Some(Wall(NOON));
        let waits = queued(4, "d");
        let single = Folded { row: &waits, count: 1, open: false, gpu_milli: 0 };
        let rows = rows(&[], &[], &[&soon], &[&waits], 1);
        assert_eq!(rows, [Row::Waiting(1), Row::Waits(single)], "no node, nothing on it");
        assert_eq!(job_at(&rows, 1), Some(JobId(4)));
        let now = Wall(NOON) + Span::mins(1);
        let axis = Axis::around(now, Span::hours(2), 120);
        let of = |row: &JobRow| bar(row, &axis, now).map(|bar| (bar.likely, bar.open, bar.overdue));
        assert_eq!(of(&soon), Some((44, false, false)));
        assert_eq!(of(&late), Some((15, false, true)));
        assert_eq!(of(&open), Some((15, true, false)));
        assert_eq!(of(&waits), None);
    }
}
