//! What the console wants to know, and how it arrives.
//!
//! Panes say what they show as [`Want`]s; [`tasks`] fetches that, follows the journal and sends
//! [`Data`]. The console itself never waits for the server.

pub mod deeds;
pub mod follow;
pub mod news;
pub mod outputs;
pub mod pulse;
pub mod tasks;

use std::collections::BTreeSet;

use crate::base::{JobId, ReviewId, Wall};
use crate::link::{LinkError, Piece};
use crate::model::history::History;
use crate::model::page::{
    Cursor, EventRow, JobDetail, JobPage, ReviewCard, ReviewPage, Summary, TeamPage, Why,
};
use crate::tui::event::Deed;
use crate::tui::section::Section;

pub use tasks::Feed;

/// Something a pane shows and that is fetched again when the world changed.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum Want {
    /// Nodes, resources, counts.
    Summary,
    /// Rows of a section.
    Rows(Rows),
    /// Everything about a job.
    Job(JobId),
    /// Why a job is where it is.
    Why(JobId),
    /// What happened to a job since it was submitted; later facts come with the others.
    Facts(JobId),
    /// The tree of teams.
    Teams,
    /// Open reviews.
    Reviews,
    /// Everything about a review.
    Review(ReviewId),
    /// All reviews of a job.
    ReviewsOf(JobId),
    /// Output, followed to its end.
    Output(Output),
    /// Rows in sight: they are brought up to date with whatever changes, since why a job waits
    /// depends on others. Nothing is fetched for it by itself.
    InSight(Vec<JobId>),
}

/// Rows of a section of the home list.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Rows {
    /// Which section.
    pub section: Section,
    /// The user's filter.
    pub filter: String,
    /// Ended jobs only after this; all if not given.
    pub since: Option<Wall>,
    /// Where they begin or end.
    pub from: From,
    /// Rows at most.
    pub limit: usize,
    /// Counts how often the same was asked for because too little of it was left.
    pub again: u32,
    /// For alarms and the header, whatever the list shows.
    pub watch: bool,
}

/// Where rows begin or end.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum From {
    /// At the first row.
    #[default]
    Start,
    /// After a place.
    After(Cursor),
    /// The last ones before a place.
    Before(Cursor),
}

/// Output of a task.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Output {
    /// The job.
    pub job: JobId,
    /// The task.
    pub rank: u32,
    /// One attempt, or all in order.
    pub attempt: Option<u32>,
    /// Bytes before the end to start from.
    pub tail: u64,
}

/// What the server answered to a want.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Answer {
    /// To [`Want::Summary`].
    Summary(Box<Summary>),
    /// To [`Want::Rows`].
    Rows(JobPage),
    /// To [`Want::Job`].
    Job(Box<JobDetail>),
    /// To [`Want::Why`].
    Why(Box<Why>),
    /// To [`Want::Facts`]: oldest first.
    Facts(JobId, Vec<EventRow>),
    /// To [`Want::Teams`].
    Teams(TeamPage),
    /// To [`Want::Reviews`] and [`Want::ReviewsOf`].
    Reviews(ReviewPage),
    /// To [`Want::Review`].
    Review(Box<ReviewCard>),
}

/// Something that came from the server.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Data {
    /// An answer.
    Answer(Want, Answer),
    /// Jobs changed: these were asked for with a filter, and these of them there are.
    Changed {
        /// The filter.
        filter: String,
        /// The jobs.
        asked: BTreeSet<JobId>,
        /// Their rows, without those that are gone or do not match.
        page: JobPage,
    },
    /// A want brought nothing.
    Failed(Want, LinkError),
    /// Output begins (again): what was shown of it is void.
    OutputBegins(Output),
    /// More output.
    More(Output, Piece),
    /// Output is over, with why if it was not the job's end.
    OutputEnds(Output, Option<String>),
    /// Facts of the journal, in order; true if earlier ones are void.
    Facts(Vec<EventRow>, bool),
    /// The connection.
    Link(Connection),
    /// The server has not answered for [`pulse::SILENCE`], or does so again.
    Silent(bool),
    /// The server was started because somebody here asked for it, or why not.
    Started(Result<(), String>),
    /// Something was done, or not.
    Did(Deed, Result<Option<JobId>, LinkError>),
    /// Use and queue before now.
    Past(History),
    /// When this user last looked; `None` if nobody knows.
    Looked(Option<Wall>),
}

/// The state of the connection.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Connection {
    /// Nothing came yet.
    Connecting,
    /// What is shown is so.
    Live,
    /// It is gone; this try comes next.
    Lost {
        /// Why.
        why: String,
        /// The number of the next try.
        attempt: u32,
    },
}
