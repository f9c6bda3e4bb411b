//! Where the data is: one trait for the local server, a remote one and a demo.
//!
//! May use: `base`, `model`, `view`, `api/wire`, `api/client`. CLI and console speak only to
//! [`Link`], so that they are the same program everywhere.

pub mod local;
mod signed;

use bytes::Bytes;
use futures::future::BoxFuture;
use futures::stream::BoxStream;

use crate::base::{JobId, Name, ReviewId, Span, Wall};
use crate::model::command::{Report, Verb};
use crate::model::history::History;
use crate::model::outlook::{Outlook, Supposition};
use crate::model::page::habits::HabitRow;
use crate::model::page::usage::{UsagePage, UsageQuery};
use crate::model::page::{
    EventRow, JobDetail, JobPage, LogQuery, ReviewCard, ReviewPage, ReviewQuery, ServerStatus,
    Summary, TeamPage, Why,
};
use crate::model::program::Environment;
use crate::model::refusal::{Refusal, RefusalCode};
use crate::model::review::{Ask, Booth, Cast, Review, ReviewVerb, Signature};
use crate::model::submission::Submission;
use crate::model::team::TeamEdit;

pub use crate::api::client::calls::JobQuery;
pub use crate::api::client::follow::Piece;
pub use crate::api::client::sign::Pen;

/// Why a call brought nothing.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum LinkError {
    /// The server said no.
    #[error("{0}")]
    Refused(#[from] Refusal),
    /// There is no server, or it went away; the text says where and what to do.
    #[error("{0}")]
    Unreachable(String),
    /// The other end speaks another version or nonsense.
    #[error("{0}")]
    Protocol(String),
}

/// What [`LinkError::Unreachable`] says of a server that somebody ended on purpose.
pub const STOPPED: &str = "the server was stopped";

/// The answer of a call.
pub type Answer<'a, T> = BoxFuture<'a, Result<T, LinkError>>;
/// A stream that ends with the thing it follows.
pub type Stream<T> = BoxStream<'static, Result<T, LinkError>>;

/// A place where jobs are scheduled. Calls that change something carry an idempotency key of
/// their own and are repeated for 5 s when the connection is lost.
pub trait Link: Send + Sync {
    /// A page of jobs, by urgency.
    fn jobs(&self, query: JobQuery) -> Answer<'_, JobPage>;

    /// Everything about one job; also of one that left the world.
    fn job(&self, job: JobId) -> Answer<'_, JobDetail>;

    /// Why a job is where it is.
    fn why(&self, job: JobId) -> Answer<'_, Why>;

    /// What would happen if; nothing becomes so.
    fn plan(&self, what: Supposition) -> Answer<'_, Outlook>;

    /// Nodes, countable resources, counts, holds.
    fn summary(&self) -> Answer<'_, Summary>;

    /// Use and queue over the last two hours, as far as they are remembered.
    fn history(&self) -> Answer<'_, History>;

    /// Who used how much of what, and how it is booked.
    fn usage(&self, query: UsageQuery) -> Answer<'_, UsagePage>;

    /// Queues jobs, all or none; their numbers in order.
    fn submit(&self, jobs: Vec<Submission>) -> Answer<'_, Vec<JobId>>;

    /// A copy of a job as a new job, with what `changes` says differently.
    fn again(&self, job: JobId, changes: Submission) -> Answer<'_, JobId>;

    /// Does something with jobs, all or none.
    fn act(&self, jobs: Vec<JobId>, verb: Verb) -> Answer<'_, ()>;

    /// Holds back a team, or everything.
    fn pause(&self, team: Option<Name>, until: Option<Wall>, reason: String) -> Answer<'_, ()>;

    /// Lifts that.
    fn resume(&self, team: Option<Name>) -> Answer<'_, ()>;

    /// Keeps new work from a node, or lets it come again; why is kept in the journal.
    fn drain(&self, node: Name, on: bool, reason: Option<String>) -> Answer<'_, ()>;

    /// Says that a spot node is about to vanish, `left` from now.
    fn warn_node(&self, node: Name, left: Span) -> Answer<'_, ()>;

    /// Lets nobody take units of a countable resource until then, or lets them again.
    fn limit(&self, resource: Name, until: Option<Wall>, reason: Option<String>) -> Answer<'_, ()>;

    /// The teams, with what they hold and want.
    fn teams(&self) -> Answer<'_, TeamPage>;

    /// Adds a team, changes its terms, or removes it.
    fn edit_team(&self, team: Name, edit: TeamEdit) -> Answer<'_, ()>;

    /// A page of reviews: those that this user may see.
    fn reviews(&self, query: ReviewQuery) -> Answer<'_, ReviewPage>;

    /// Everything about one review. With a wait of at most 50 s the answer comes when it changes,
    /// or after that; at once if it is not open.
    fn review(&self, review: ReviewId, wait: Option<Span>) -> Answer<'_, ReviewCard>;

    /// A job asks; its own job in a job's process tree. The same request again finds the same
    /// review.
    fn ask(&self, job: Option<JobId>, ask: Ask) -> Answer<'_, ReviewCard>;

    /// The caller's job asks for a command line that may run as a step, in that environment.
    /// Without a server behind it, the job itself runs it.
    fn ask_for_step(&self, ask: Ask, environment: Environment) -> Answer<'_, ReviewCard> {
        drop(environment);
        self.ask(None, ask)
    }

    /// Does something with a review; it as it stands then. A right that could not be used because
    /// something else is to be done is refused with `changed`: the review then says which one took
    /// its place.
    fn review_act(&self, review: ReviewId, verb: ReviewVerb) -> Answer<'_, ReviewCard>;

    /// The same under the caller's own idempotency key: said again under it, it is done once, also
    /// by a server that died over it. Without a server behind it, it is done whenever it is said.
    fn review_act_keyed(
        &self,
        review: ReviewId,
        verb: ReviewVerb,
        key: String,
    ) -> Answer<'_, ReviewCard> {
        drop(key);
        self.review_act(review, verb)
    }

    /// How each rule is answered; nothing without a server behind it.
    fn habits(&self) -> Answer<'_, Vec<HabitRow>> {
        Box::pin(async { Ok(Vec::new()) })
    }

    /// What this user must know to sign a vote on a review.
    fn booth(&self, _review: ReviewId) -> Answer<'_, Booth> {
        Box::pin(async { Err(unsigned_here()) })
    }

    /// Signs a vote on a review as its reader was shown it; nothing is sent. The answer may take
    /// as long as a person takes to confirm it or to touch a device.
    fn sign<'a>(
        &'a self,
        _review: &'a Review,
        _cast: Cast<'a>,
        _pen: &'a Pen,
    ) -> Answer<'a, Box<Signature>> {
        Box::pin(async { Err(unsigned_here()) })
    }

    /// Hands all seats of somebody on for a while (this user's own unless said), or takes them
    /// back.
    fn away(&self, from: Option<Name>, to: Option<Name>, until: Option<Wall>) -> Answer<'_, ()>;

    /// Speaks for a job.
    fn report(&self, job: JobId, report: Report) -> Answer<'_, ()>;

    /// Output of a job.
    fn logs(&self, job: JobId, query: LogQuery) -> Answer<'_, Stream<Piece>>;

    /// Facts after `since`, then new ones as they come if `follow`.
    fn events(&self, since: Option<u64>, follow: bool) -> Answer<'_, Stream<EventRow>>;

    /// The same about one job, from its submission on if `since` is not given.
    fn events_of(
        &self,
        job: JobId,
        since: Option<u64>,
        follow: bool,
    ) -> Answer<'_, Stream<EventRow>>;

    /// Bytes for a job's terminal.
    fn input(&self, job: JobId, rank: u32, bytes: Bytes) -> Answer<'_, ()>;

    /// A new size of a job's terminal.
    fn resize(&self, job: JobId, rank: u32, rows: u16, cols: u16) -> Answer<'_, ()>;

    /// When this user last looked at what ended; `Some` moves the mark.
    fn looked(&self, mark: Option<Wall>) -> Answer<'_, Wall>;

    /// The server itself.
    fn status(&self) -> Answer<'_, ServerStatus>;

    /// Ends the server; with its jobs if asked.
    fn stop(&self, with_jobs: bool) -> Answer<'_, ()>;

    /// Makes the journal shorter; records dropped.
    fn compact(&self) -> Answer<'_, u64>;
}

/// There is no server that could check a signature.
fn unsigned_here() -> LinkError {
    let what = "votes are not signed here";
    LinkError::Refused(Refusal::new(RefusalCode::Conflict, what, "vote without"))
}
