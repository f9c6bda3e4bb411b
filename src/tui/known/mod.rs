//! What the console knows: the last answers, the latest facts, what they say over time.
//!
//! It changes only by [`Known::take`]; panes read it.

pub mod alarm;
pub mod clock;
pub mod history;
pub mod people;
pub mod slice;

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use crate::base::{JobId, ReviewId, Span, Wall};
use crate::model::State;
use crate::model::page::{
    Counts, EventRow, JobDetail, JobPage, JobRow, ReviewCard, ReviewPage, Summary, TeamPage, Why,
};
use crate::tui::feed::pulse::SILENCE;
use crate::tui::feed::{Answer, Connection, Data, Want};
use crate::tui::section::Section;

pub use alarm::Alarms;
pub use clock::Clock;
pub use history::History;
pub use slice::Slice;

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

/// Everything that came from the server.
#[derive(Debug, Default)]
pub struct Known {
    /// Nodes, resources, counts.
    pub summary: Option<Summary>,
    /// Rows by section, as the list wants them.
    pub slices: BTreeMap<Section, Slice>,
    /// What needs somebody, whatever the list shows.
    pub watched: BTreeMap<Section, Slice>,
    /// Jobs that are looked at.
    pub jobs: BTreeMap<JobId, JobDetail>,
    /// Why they are where they are.
    pub whys: BTreeMap<JobId, Why>,
    /// The tree of teams, while it is looked at.
    pub teams: Option<TeamPage>,
    /// Open reviews.
    pub reviews: Option<ReviewPage>,
    /// Open reviews by number.
    pub listed: BTreeSet<ReviewId>,
    /// Reviews that are looked at.
    pub cards: BTreeMap<ReviewId, ReviewCard>,
    /// All reviews of jobs that are looked at.
    pub reviews_of: BTreeMap<JobId, ReviewPage>,
    /// What happened to jobs that are looked at, oldest first.
    pub facts_of: BTreeMap<JobId, Vec<EventRow>>,
    /// The latest facts, oldest first.
    pub facts: VecDeque<EventRow>,
    /// Use and queue over time.
    pub history: History,
    /// The connection, and since when (on the console's clock) it is gone.
    pub link: Option<(Connection, Span)>,
    /// Since when (on the console's clock) the server does not answer, though it is connected.
    pub silent: Option<Span>,
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
            Data::Changed { filter, asked, page } => self.changed(&filter, &asked, &page),
            Data::Facts(rows, void) => self.facts(rows, void),
            Data::Silent(on) => {
                let since = self.clock.console().0.saturating_sub(SILENCE.0);
                self.silent = on.then_some(Span(since));
            }
            Data::Link(connection) => {
                self.silent = None;
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
            Data::Past(past) => self.history.seed(past),
            Data::Looked(mark) => self.looked = mark.map_or(Looked::Never, Looked::At),
            Data::OutputBegins(_) | Data::More(..) | Data::OutputEnds(..) => {}
            Data::Did(..) | Data::Started(_) => {}
        }
    }

    /// Forgets what is no longer wanted.
    pub fn keep(&mut self, wants: &BTreeSet<Want>) {
        self.jobs.retain(|job, _| wants.contains(&Want::Job(*job)));
        self.facts_of.retain(|job, _| wants.contains(&Want::Facts(*job)));
        self.whys.retain(|job, _| wants.contains(&Want::Why(*job)));
        self.cards.retain(|id, _| wants.contains(&Want::Review(*id)));
        self.reviews_of.retain(|job, _| wants.contains(&Want::ReviewsOf(*job)));
        self.teams = self.teams.take().filter(|_| wants.contains(&Want::Teams));
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
        let listed = self.all_slices().find_map(|slice| slice.row(job));
        listed.or_else(|| self.jobs.get(&job).map(|detail| &detail.row))
    }

    /// Jobs whose cancellation is on its way and can be taken back, soonest first.
    pub fn cancelling(&self) -> impl Iterator<Item = &JobRow> {
        // A job that is looked at is known better than its row in a list.
        let looked_at = self.jobs.values().map(|detail| &detail.row);
        let listed = self.all_slices().flat_map(|slice| &slice.rows);
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
        let has = |slice: Option<&Slice>| slice.is_some_and(|slice| !slice.rows.is_empty());
        let shown = has(self.slice(section)) || has(self.watched(section));
        section != Section::Stuck || shown || self.counts().stuck > 0
    }

    fn all_slices(&self) -> impl Iterator<Item = &Slice> {
        self.slices.values().chain(self.watched.values())
    }

    /// What needs somebody, also if the list hides it.
    pub fn watched(&self, section: Section) -> Option<&Slice> {
        self.watched.get(&section)
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
            (Want::Rows(rows), Answer::Rows(page)) => {
                self.counted(&page);
                let slices = if rows.watch { &mut self.watched } else { &mut self.slices };
                slices.insert(rows.section, Slice::of(rows, page));
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
            (_, Answer::Teams(page)) => {
                self.clock.anchor(page.at);
                self.teams = Some(page);
                self.version += 1;
            }
            (_, Answer::Facts(job, rows)) => {
                self.facts_of.insert(job, rows);
                self.version += 1;
            }
            (Want::ReviewsOf(job), Answer::Reviews(page)) => {
                self.reviews_of.insert(*job, page);
                self.version += 1;
            }
            (_, Answer::Reviews(page)) => {
                self.clock.anchor(page.at);
                // An answer may be overtaken by a younger one.
                let older = |known: &ReviewPage| known.seq <= page.seq;
                if self.reviews.as_ref().is_none_or(older) {
                    self.listed = page.reviews.iter().map(|row| row.id).collect();
                    self.reviews = Some(page);
                }
                self.version += 1;
            }
            (_, Answer::Review(card)) => {
                self.clock.anchor(card.at);
                let known = self.cards.get(&card.review.id);
                if known.is_none_or(|known| known.seq <= card.seq) {
                    self.cards.insert(card.review.id, *card);
                }
                self.version += 1;
            }
            (_, Answer::Rows(_)) => {}
        }
    }

    fn counted(&mut self, page: &JobPage) {
        self.clock.anchor(page.at);
        if let Some(summary) = &mut self.summary {
            summary.counts = page.counts;
        }
    }

    fn changed(&mut self, filter: &str, asked: &BTreeSet<JobId>, page: &JobPage) {
        self.counted(page);
        let slices = self.slices.values_mut().chain(self.watched.values_mut());
        for slice in slices.filter(|slice| slice.filter == filter) {
            slice.change(asked, &page.jobs);
        }
        self.version += 1;
    }

    fn facts(&mut self, rows: Vec<EventRow>, void: bool) {
        if void {
            self.facts.clear();
        }
        for row in rows {
            self.clock.anchor(row.at);
            if let Some(own) = row.fact.job().and_then(|job| self.facts_of.get_mut(&job)) {
                let is_new = own.last().is_none_or(|last| row.seq > last.seq);
                let more =
                    own.last().is_some_and(|last| row.seq == last.seq) && !own.contains(&row);
                own.extend((is_new || more).then(|| row.clone()));
            }
            if self.facts.len() == FACTS_MAX {
                self.facts.pop_front();
            }
            self.facts.push_back(row);
        }
        self.version += 1;
    }
}
