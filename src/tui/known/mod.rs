//! What the console knows: the last answers, the latest facts, what they say over time.
//!
//! It changes only by [`Known::take`]; panes read it.

pub mod alarm;
pub mod clock;
pub mod history;

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use crate::base::{JobId, Span, Wall};
use crate::model::State;
use crate::model::page::{Counts, EventRow, JobDetail, JobRow, Summary, Why};
use crate::tui::feed::{Answer, Connection, Data, Rows, Want};
use crate::tui::section::Section;

pub use alarm::Alarms;
pub use clock::Clock;
pub use history::History;

/// Facts that are remembered.
pub const FACTS_MAX: usize = 2000;

/// When this user last looked at what ended.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Looked {
    /// The server was not asked yet.
    #[default]
    Unknown,
    /// Then.
    At(Wall),
    /// Nobody knows, so everything is new.
    Never,
}

/// Rows of a section as they came.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Slice {
    /// The rows that belong to the section, in the server's order.
    pub rows: Vec<JobRow>,
    /// There are more on the server.
    pub more: bool,
    /// The filter they were asked for with.
    pub filter: String,
    places: BTreeMap<JobId, usize>,
}

impl Slice {
    /// The row of a job.
    pub fn row(&self, job: JobId) -> Option<&JobRow> {
        self.rows.get(*self.places.get(&job)?)
    }

    fn of(section: Section, rows: Vec<JobRow>, more: bool, filter: String) -> Slice {
        let rows: Vec<JobRow> = rows.into_iter().filter(|row| section.holds(row)).collect();
        let places = rows.iter().enumerate().map(|(at, row)| (row.id, at)).collect();
        Slice { rows, more, filter, places }
    }
}

/// Everything that came from the server.
#[derive(Debug, Default)]
pub struct Known {
    /// Nodes, resources, counts.
    pub summary: Option<Summary>,
    /// Rows by section.
    pub slices: BTreeMap<Section, Slice>,
    /// Jobs that are looked at.
    pub jobs: BTreeMap<JobId, JobDetail>,
    /// Why they are where they are.
    pub whys: BTreeMap<JobId, Why>,
    /// The latest facts, oldest first.
    pub facts: VecDeque<EventRow>,
    /// Use and queue over time.
    pub history: History,
    /// The connection, and since when (on the console's clock) it is gone.
    pub link: Option<(Connection, Span)>,
    /// The mark of this user.
    pub looked: Looked,
    /// Wants that brought nothing, and why.
    pub failed: BTreeMap<Want, String>,
    /// Time.
    pub clock: Clock,
    /// Grows whenever rows changed.
    pub version: u64,
}

impl Known {
    /// Takes what came.
    pub fn take(&mut self, data: Data) {
        match data {
            Data::Answer(want, answer) => {
                self.failed.remove(&want);
                self.answer(&want, answer);
            }
            Data::Failed(want, error) => {
                self.failed.insert(want, error.to_string());
                self.version += 1;
            }
            Data::Facts(rows, void) => self.facts(rows, void),
            Data::Link(connection) => {
                let since = match &self.link {
                    // Each further try continues the same loss.
                    Some((Connection::Lost { .. }, since))
                        if matches!(connection, Connection::Lost { .. }) =>
                    {
                        *since
                    }
                    _ => self.clock.console(),
                };
                self.link = Some((connection, since));
            }
            Data::Looked(mark) => self.looked = mark.map_or(Looked::Never, Looked::At),
            Data::OutputBegins(_) | Data::More(..) | Data::OutputEnds(..) | Data::Did(..) => {}
        }
    }

    /// Forgets what is no longer wanted.
    pub fn keep(&mut self, wants: &BTreeSet<Want>) {
        self.jobs.retain(|job, _| wants.contains(&Want::Job(*job)));
        self.whys.retain(|job, _| wants.contains(&Want::Why(*job)));
        self.failed.retain(|want, _| wants.contains(want));
    }

    /// The connection is gone: since when and why.
    pub fn lost(&self) -> Option<(Span, &str)> {
        match &self.link {
            Some((Connection::Lost { why, .. }, since)) => Some((*since, why)),
            _ => None,
        }
    }

    /// Jobs by lane, whatever the filter says.
    pub fn counts(&self) -> Counts {
        self.summary.as_ref().map(|summary| summary.counts).unwrap_or_default()
    }

    /// The row of a job in whatever section has it.
    pub fn row(&self, job: JobId) -> Option<&JobRow> {
        let listed = self.slices.values().find_map(|slice| slice.row(job));
        listed.or_else(|| self.jobs.get(&job).map(|detail| &detail.row))
    }

    /// Jobs whose cancellation is on its way and can be taken back, soonest first.
    pub fn cancelling(&self) -> impl Iterator<Item = &JobRow> {
        // A job that is looked at is known better than its row in a list.
        let looked_at = self.jobs.values().map(|detail| &detail.row);
        let listed = self.slices.values().flat_map(|slice| &slice.rows);
        let listed = listed.filter(|row| !self.jobs.contains_key(&row.id));
        let now = self.clock.at().wall;
        let mut going: Vec<&JobRow> = looked_at
            .chain(listed)
            .filter(|row| row.cancel_at.is_some_and(|at| at > now))
            .filter(|row| !matches!(row.state, State::Ended(_)))
            .collect();
        going.sort_by_key(|row| (row.cancel_at, row.id));
        // A stuck job is listed twice.
        going.dedup_by_key(|row| row.id);
        going.into_iter()
    }

    /// A section may have rows. The server looks at every job to find stuck ones, so it is only
    /// asked while its counts say that there are some.
    pub fn may_have(&self, section: Section) -> bool {
        let shown = self.slice(section).is_some_and(|slice| !slice.rows.is_empty());
        section != Section::Stuck || shown || self.counts().stuck > 0
    }

    /// Rows of a section.
    pub fn slice(&self, section: Section) -> Option<&Slice> {
        self.slices.get(&section)
    }

    fn answer(&mut self, want: &Want, answer: Answer) {
        match (want, answer) {
            (_, Answer::Summary(summary)) => {
                self.clock.anchor(summary.at);
                self.history.take(&summary);
                self.summary = Some(*summary);
                self.version += 1;
            }
            (Want::Rows(Rows { section, filter, .. }), Answer::Rows(page)) => {
                self.clock.anchor(page.at);
                if let Some(summary) = &mut self.summary {
                    summary.counts = page.counts;
                }
                let more = page.next.is_some();
                self.slices.insert(*section, Slice::of(*section, page.jobs, more, filter.clone()));
                self.version += 1;
            }
            (_, Answer::Job(detail)) => {
                self.jobs.insert(detail.row.id, *detail);
                self.version += 1;
            }
            (_, Answer::Why(why)) => {
                self.whys.insert(why.job, *why);
                self.version += 1;
            }
            (_, Answer::Rows(_)) => {}
        }
    }

    fn facts(&mut self, rows: Vec<EventRow>, void: bool) {
        if void {
            self.facts.clear();
        }
        for row in rows {
            self.clock.anchor(row.at);
            if self.facts.len() == FACTS_MAX {
                self.facts.pop_front();
            }
            self.facts.push_back(row);
        }
        self.version += 1;
    }
}
