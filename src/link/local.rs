//! The server on this machine, over its unix socket.

use std::path::PathBuf;

use bytes::Bytes;
use futures::{FutureExt, StreamExt};

use super::{Answer, JobQuery, Link, LinkError, Pen, Piece, Stream, signed};
use crate::api::client::follow::Heard;
use crate::api::client::{CallError, Client};
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
use crate::model::review::{Ask, Booth, Cast, Review, ReviewVerb, Signature};
use crate::model::submission::Submission;
use crate::model::team::TeamEdit;

/// The server behind a socket. Nothing is connected before the first call.
#[derive(Debug, Clone)]
pub struct Local {
    client: Client,
}

impl Local {
    /// The server that listens at this path, or will.
    pub fn new(socket: impl Into<PathBuf>) -> Local {
        Local { client: Client::new(socket) }
    }

    /// Shows a job's token (`HOLDSHORT_TOKEN`) with every call, for callers outside the job's
    /// process tree.
    #[must_use]
    pub fn with_token(self, token: Option<String>) -> Local {
        Local { client: self.client.with_token(token) }
    }
}

impl Local {
    /// Calls `revive` when the server went away, before it is looked for again.
    #[must_use]
    pub fn reviving(
        self,
        revive: impl Fn() -> Result<(), String> + Send + Sync + 'static,
    ) -> Local {
        Local { client: self.client.reviving(revive) }
    }
}

impl From<CallError> for LinkError {
    fn from(error: CallError) -> LinkError {
        match error {
            CallError::Refused(refusal) => LinkError::Refused(refusal),
            CallError::Unreachable(text) => LinkError::Unreachable(text),
            CallError::Protocol(text) => LinkError::Protocol(text),
        }
    }
}

/// A call with the errors of a link.
fn answer<'a, T>(call: impl Future<Output = Result<T, CallError>> + Send + 'a) -> Answer<'a, T> {
    call.map(|called| called.map_err(LinkError::from)).boxed()
}

impl Link for Local {
    fn jobs(&self, query: JobQuery) -> Answer<'_, JobPage> {
        answer(async move { self.client.jobs(&query).await })
    }

    fn job(&self, job: JobId) -> Answer<'_, JobDetail> {
        answer(self.client.job(job))
    }

    fn why(&self, job: JobId) -> Answer<'_, Why> {
        answer(self.client.why(job))
    }

    fn plan(&self, what: Supposition) -> Answer<'_, Outlook> {
        answer(async move { self.client.plan(&what).await })
    }

    fn summary(&self) -> Answer<'_, Summary> {
        answer(self.client.summary())
    }

    fn history(&self) -> Answer<'_, History> {
        answer(self.client.history())
    }

    fn usage(&self, query: UsageQuery) -> Answer<'_, UsagePage> {
        answer(self.client.usage(query))
    }

    fn submit(&self, jobs: Vec<Submission>) -> Answer<'_, Vec<JobId>> {
        answer(async move { self.client.submit(&jobs).await })
    }

    fn again(&self, job: JobId, changes: Submission) -> Answer<'_, JobId> {
        answer(async move { self.client.again(job, &changes).await })
    }

    fn act(&self, jobs: Vec<JobId>, verb: Verb) -> Answer<'_, ()> {
        answer(async move { self.client.act(&jobs, verb).await })
    }

    fn pause(&self, team: Option<Name>, until: Option<Wall>, reason: String) -> Answer<'_, ()> {
        answer(self.client.pause(team.map(|team| team.to_string()), until, reason))
    }

    fn resume(&self, team: Option<Name>) -> Answer<'_, ()> {
        answer(self.client.resume(team.map(|team| team.to_string())))
    }

    fn drain(&self, node: Name, on: bool, reason: Option<String>) -> Answer<'_, ()> {
        answer(async move { self.client.drain(&node, on, reason).await })
    }

    fn warn_node(&self, node: Name, left: Span) -> Answer<'_, ()> {
        answer(async move { self.client.warn_node(&node, left).await })
    }

    fn limit(&self, resource: Name, until: Option<Wall>, reason: Option<String>) -> Answer<'_, ()> {
        answer(async move { self.client.limit(&resource, until, reason).await })
    }

    fn teams(&self) -> Answer<'_, TeamPage> {
        answer(self.client.teams())
    }

    fn edit_team(&self, team: Name, edit: TeamEdit) -> Answer<'_, ()> {
        answer(async move { self.client.edit_team(&team, &edit).await })
    }

    fn reviews(&self, query: ReviewQuery) -> Answer<'_, ReviewPage> {
        answer(async move { self.client.reviews(&query).await })
    }

    fn review(&self, review: ReviewId, wait: Option<Span>) -> Answer<'_, ReviewCard> {
        answer(self.client.review(review, wait))
    }

    fn ask(&self, job: Option<JobId>, ask: Ask) -> Answer<'_, ReviewCard> {
        answer(async move { self.client.ask(job, &ask, None).await })
    }

    fn ask_for_step(&self, ask: Ask, environment: Environment) -> Answer<'_, ReviewCard> {
        answer(async move { self.client.ask(None, &ask, Some(&environment)).await })
    }

    fn review_act(&self, review: ReviewId, verb: ReviewVerb) -> Answer<'_, ReviewCard> {
        answer(async move { self.client.review_act(review, &verb, None).await })
    }

    fn review_act_keyed(
        &self,
        review: ReviewId,
        verb: ReviewVerb,
        key: String,
    ) -> Answer<'_, ReviewCard> {
        answer(async move { self.client.review_act(review, &verb, Some(key)).await })
    }

    fn habits(&self) -> Answer<'_, Vec<HabitRow>> {
        answer(self.client.habits())
    }

    fn booth(&self, review: ReviewId) -> Answer<'_, Booth> {
        answer(self.client.booth(review))
    }

    fn sign<'a>(
        &'a self,
        review: &'a Review,
        cast: Cast<'a>,
        pen: &'a Pen,
    ) -> Answer<'a, Box<Signature>> {
        Box::pin(signed::vote(&self.client, review, cast, pen))
    }

    fn away(&self, from: Option<Name>, to: Option<Name>, until: Option<Wall>) -> Answer<'_, ()> {
        answer(self.client.away(from, to, until))
    }

    fn report(&self, job: JobId, report: Report) -> Answer<'_, ()> {
        answer(async move { self.client.report(job, &report).await })
    }

    fn logs(&self, job: JobId, query: LogQuery) -> Answer<'_, Stream<Piece>> {
        answer(async move {
            let stream = self.client.logs(job, query).await?;
            Ok(stream.map(|piece| piece.map_err(LinkError::from)).boxed())
        })
    }

    /// A gap (the journal was compacted meanwhile) is an error of kind `Protocol` inside the
    /// stream, which goes on after it.
    fn events(&self, since: Option<u64>, follow: bool) -> Answer<'_, Stream<EventRow>> {
        answer(async move {
            let stream = self.client.events(since, follow, None).await?;
            Ok(stream.map(|heard| fact(heard?)).boxed())
        })
    }

    fn events_of(
        &self,
        job: JobId,
        since: Option<u64>,
        follow: bool,
    ) -> Answer<'_, Stream<EventRow>> {
        answer(async move {
            let stream = self.client.events(since, follow, Some(job)).await?;
            Ok(stream.map(|heard| fact(heard?)).boxed())
        })
    }

    fn input(&self, job: JobId, rank: u32, bytes: Bytes) -> Answer<'_, ()> {
        answer(self.client.input(job, rank, bytes))
    }

    fn resize(&self, job: JobId, rank: u32, rows: u16, cols: u16) -> Answer<'_, ()> {
        answer(self.client.resize(job, rank, rows, cols))
    }

    fn looked(&self, mark: Option<Wall>) -> Answer<'_, Wall> {
        answer(self.client.looked(mark))
    }

    fn status(&self) -> Answer<'_, ServerStatus> {
        answer(self.client.status())
    }

    fn stop(&self, with_jobs: bool) -> Answer<'_, ()> {
        answer(self.client.stop(with_jobs))
    }

    fn compact(&self) -> Answer<'_, u64> {
        answer(self.client.compact())
    }
}

fn fact(heard: Heard) -> Result<EventRow, LinkError> {
    match heard {
        Heard::Fact(row) => Ok(*row),
        Heard::Reset(seq) => Err(LinkError::Protocol(format!(
            "facts up to record {seq} are no longer in the journal; read the jobs anew"
        ))),
    }
}
