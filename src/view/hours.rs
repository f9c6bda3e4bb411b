//! The next hours of every node: what runs to when, what waits from when. Bars in columns of time
//! and the words beside them; who draws it knows nothing of jobs. `lines` says which lines there
//! are, `load` how full a node will be.

mod lines;
mod load;

use crate::base::calendar::clock_in;
use crate::base::quantity::{format_cpu, format_gpu};
use crate::base::{Span, Wall};
use crate::model::page::{JobRow, NodeRow, Opening};
use crate::model::{Resources, State};
use crate::view::line::Role;
use crate::view::sight::Sight;
use crate::view::words;

pub use lines::{Detail, Device, Kept, Row, Seen, job_at, rows};
pub use load::{Level, load};

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
    let used = used(row);
    let used = match row.kept.first() {
        Some(kept) => format!("{used}  {}{}", words::kept_for(kept, sight), more(row.kept.len())),
        None => used,
    };
    match kept_away(row) {
        Some((said, role)) => (format!("{used}  {said}"), role),
        None => (used, Role::Muted),
    }
}

/// The same of a node that is one line, and how many jobs run there.
pub fn folded(row: &NodeRow, jobs: usize) -> (String, Role) {
    let said = match jobs {
        1 => format!("{}  1 job", used(row)),
        jobs => format!("{}  {jobs} jobs", used(row)),
    };
    (said, Role::Muted)
}

fn used(row: &NodeRow) -> String {
    match row.capacity.gpu_milli {
        0 => {
            format!("cpu {}/{}", format_cpu(row.used.cpu_milli), format_cpu(row.capacity.cpu_milli))
        }
        all => format!("gpu {}/{}", format_gpu(row.used.gpu_milli), format_gpu(all)),
    }
}

/// What keeps work away from a node.
pub fn kept_away(row: &NodeRow) -> Option<(String, Role)> {
    match (&row.drain, row.up) {
        (_, false) => Some(("lost".to_owned(), Role::Bad)),
        (Some(drain), true) => Some((format!("drained by {}", drain.by), Role::Queued)),
        (None, true) => None,
    }
}

/// Why nobody of ours has a device.
pub fn free_device(device: &Device) -> (String, Role) {
    match (&device.gpu.foreign, device.node.up, &device.node.drain) {
        (Some(by), ..) => (format!("used by {by}"), Role::Queued),
        (None, false, _) => ("lost".to_owned(), Role::Bad),
        (None, true, Some(_)) => ("free, drained".to_owned(), Role::Queued),
        (None, true, None) => ("free".to_owned(), Role::Muted),
    }
}

/// ` and 2 more` behind the first of so many.
fn more(count: usize) -> String {
    match count.saturating_sub(1) {
        0 => String::new(),
        more => format!(" and {more} more"),
    }
}

#[cfg(test)]
mod tests;
