//! Rows of a section: a window on the server's list, kept up to date by what changed.

use std::collections::{BTreeMap, BTreeSet};

use crate::base::JobId;
use crate::model::page::{Cursor, JobPage, JobRow};
use crate::tui::feed::{From, Rows};

/// Rows of a section as they came.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Slice {
    /// The rows that belong to the section, in the server's order.
    pub rows: Vec<JobRow>,
    /// There are more below on the server.
    pub more: bool,
    /// There are more above.
    pub above: bool,
    /// The filter they were asked for with.
    pub filter: String,
    /// What was asked for.
    pub want: Option<Rows>,
    /// Rows outside of these places are not ours to show; none is open.
    from: Option<Cursor>,
    to: Option<Cursor>,
    places: BTreeMap<JobId, usize>,
}

impl Slice {
    /// An answer.
    pub fn of(want: &Rows, page: JobPage) -> Slice {
        let ends = |row: Option<&JobRow>| row.filter(|_| page.next.is_some()).map(JobRow::place);
        let (from, to) = match want.from {
            From::Start => (None, ends(page.jobs.last())),
            From::After(place) => (Some(place), ends(page.jobs.last())),
            From::Before(Cursor::END) => (ends(page.jobs.first()), None),
            From::Before(place) => (ends(page.jobs.first()), Some(place)),
        };
        let mut slice = Slice {
            rows: page.jobs.into_iter().filter(|row| want.section.holds(row)).collect(),
            more: to.is_some(),
            above: from.is_some(),
            filter: want.filter.clone(),
            want: Some(want.clone()),
            from,
            to,
            places: BTreeMap::new(),
        };
        slice.find_places();
        slice
    }

    /// The row of a job.
    pub fn row(&self, job: JobId) -> Option<&JobRow> {
        self.rows.get(*self.places.get(&job)?)
    }

    /// Brings jobs up to date: of those asked for, these are the rows that there are.
    pub fn change(&mut self, asked: &BTreeSet<JobId>, rows: &[JobRow]) {
        let Some(want) = self.want.clone() else { return };
        self.rows.retain(|row| !asked.contains(&row.id));
        for row in rows {
            if !asked.contains(&row.id) || !self.holds(&want, row) {
                continue;
            }
            let at = self.rows.partition_point(|other| other.place() < row.place());
            self.rows.insert(at, row.clone());
        }
        if self.rows.len() > want.limit.saturating_mul(2) {
            self.rows.truncate(want.limit);
            self.to = self.rows.last().map(JobRow::place);
            self.more = true;
        }
        self.find_places();
    }

    /// So many rows went that the window should be filled again.
    pub fn is_thin(&self) -> bool {
        let limit = self.want.as_ref().map_or(0, |want| want.limit);
        (self.more || self.above) && self.rows.len() < limit / 2
    }

    fn holds(&self, want: &Rows, row: &JobRow) -> bool {
        let place = row.place();
        let new = want.since.is_none_or(|mark| row.ended.is_none_or(|ended| ended.wall > mark));
        want.section.holds(row)
            && new
            && self.from.is_none_or(|from| from <= place)
            && self.to.is_none_or(|to| place <= to)
    }

    fn find_places(&mut self) {
        self.places = self.rows.iter().enumerate().map(|(at, row)| (row.id, at)).collect();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::At;
    use crate::model::page::{Counts, Lane};
    use crate::tui::section::Section;
    use crate::view::sample::{queued, running};

    fn row(id: u64, order: u64) -> JobRow {
        JobRow { order: (order, 0), ..queued(id, "a") }
    }

    fn slice(rows: Vec<JobRow>, next: bool, from: From) -> Slice {
        let (section, filter) = (Section::Queued, String::new());
        let want = Rows { section, filter, since: None, from, limit: 4, again: 0, watch: false };
        let next = next.then_some(Cursor { lane: Lane::Queued, place: (0, 0, 0) });
        let (counts, at) = (Counts::default(), At::default());
        Slice::of(&want, JobPage { jobs: rows, next, counts, seq: 1, at })
    }

    fn ids(slice: &Slice) -> Vec<u64> {
        slice.rows.iter().map(|row| row.id.0).collect()
    }

    fn change(slice: &mut Slice, asked: &[u64], rows: &[JobRow]) {
        slice.change(&asked.iter().map(|id| JobId(*id)).collect(), rows);
    }

    #[test]
    fn changed_rows_move_come_and_go() {
        let mut slice = slice((1..=4).map(|n| row(n, n * 10)).collect(), true, From::Start);
        change(&mut slice, &[1, 2, 9], &[row(1, 35), row(9, 5)]);
        assert_eq!(ids(&slice), [9, 3, 1, 4], "2 is gone, 9 is new, 1 went down");
        change(&mut slice, &[3, 8], &[running(3, "a"), row(8, 41)]);
        assert_eq!(ids(&slice), [9, 1, 4], "3 runs, 8 is below what is known");
        assert!(!slice.is_thin());
        change(&mut slice, &[9, 4], &[]);
        assert!(slice.is_thin(), "there is more on the server than these");
        assert_eq!(slice.row(JobId(1)).map(|row| row.order.0), Some(35));
    }

    #[test]
    fn a_window_takes_only_rows_between_its_ends() {
        let place = |order| row(0, order).place();
        let rows = || vec![row(5, 50), row(6, 60)];
        let mut after = slice(rows(), false, From::After(place(40)));
        change(&mut after, &[1, 7], &[row(1, 10), row(7, 70)]);
        assert_eq!((ids(&after), after.above, after.more), (vec![5, 6, 7], true, false));
        let mut before = slice(rows(), true, From::Before(place(65)));
        change(&mut before, &[1, 7], &[row(1, 55), row(7, 70)]);
        assert_eq!((ids(&before), before.above, before.more), (vec![5, 1, 6], true, true));
        let mut end = slice(rows(), false, From::Before(Cursor::END));
        change(&mut end, &[1, 7], &[row(1, 10), row(7, 70)]);
        assert_eq!((ids(&end), end.above, end.more), (vec![1, 5, 6, 7], false, false));
    }

    #[test]
    fn a_window_that_grows_too_long_is_cut() {
        let mut slice = slice((1..=4).map(|n| row(n, n)).collect(), false, From::Start);
        let more: Vec<JobRow> = (10..20).map(|n| row(n, n)).collect();
        change(&mut slice, &(10..20).collect::<Vec<_>>(), &more);
        assert_eq!((slice.rows.len(), slice.more), (4, true));
        change(&mut slice, &[19], &[row(19, 19)]);
        assert_eq!(slice.rows.len(), 4, "what lies behind the cut stays there");
    }
}
