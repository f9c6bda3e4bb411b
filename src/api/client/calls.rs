//! One method for each address.

use bytes::Bytes;

use super::{Ask, CallError, Client};
use crate::api::wire;
use crate::api::wire::act::ActRequest;
use crate::api::wire::cursor::cursor_text;
use crate::api::wire::detail::JobDocument;
use crate::api::wire::list::JobList;
use crate::api::wire::plan::{PlanDocument, PlanRequest};
use crate::api::wire::receipt::{Compacted, Looked, Receipt};
use crate::api::wire::requests::{
    DrainRequest, LimitRequest, LookedRequest, PauseRequest, ResizeRequest, ResumeRequest,
    StopRequest, WarningRequest,
};
use crate::api::wire::status;
use crate::api::wire::submission::SubmitRequest;
use crate::api::wire::team::{NewTeam, TeamList, TermsRequest};
use crate::api::wire::time::Time;
use crate::api::wire::usage::UsageList;
use crate::api::wire::why::WhyDocument;
use crate::base::{JobId, Span, Wall};
use crate::model::command::{Report, Verb};
use crate::model::history::History;
use crate::model::outlook::{Outlook, Supposition};
use crate::model::page::usage::{UsagePage, UsageQuery};
use crate::model::page::{Cursor, Ended, JobDetail, JobPage, ServerStatus, Summary, TeamPage, Why};
use crate::model::submission::Submission;
use crate::model::team::TeamEdit;

type Call<T> = Result<T, CallError>;

/// Which jobs, in words: the server parses the filter.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct JobQuery {
    /// Filter language (INTERFACE.md); empty for everything.
    pub filter: String,
    /// Which ended jobs.
    pub ended: Ended,
    /// Rows at most: 1 to 1000.
    pub limit: usize,
    /// Go on after this row.
    pub cursor: Option<Cursor>,
    /// Go back from this row instead: the rows right before it.
    pub before: Option<Cursor>,
    /// Only these jobs, if any are named; those that are gone or do not match are left out.
    pub ids: Vec<JobId>,
}

impl Default for JobQuery {
    fn default() -> JobQuery {
        JobQuery {
            filter: String::new(),
            ended: Ended::All,
            limit: 200,
            cursor: None,
            before: None,
            ids: Vec::new(),
        }
    }
}

/// The address of something about a job.
pub(super) fn of_job(job: JobId, what: &str) -> String {
    format!("/api/v1/jobs/{job}{what}")
}

impl Client {
    /// A page of jobs, by urgency.
    ///
    /// # Errors
    /// As every call: a refusal, no server, or another version.
    pub async fn jobs(&self, query: &JobQuery) -> Call<JobPage> {
        let JobQuery { filter, ended, limit, cursor, before, ids } = query;
        let ended = match ended {
            Ended::None => "none".to_owned(),
            Ended::All => "all".to_owned(),
            Ended::Since(wall) => wall.rfc3339(),
        };
        let ids: Vec<String> = ids.iter().map(ToString::to_string).collect();
        let before = before.map(|before| match before {
            Cursor::END => "end".to_owned(),
            before => cursor_text(before),
        });
        let ask = Ask::get("/api/v1/jobs")
            .query("filter", Some(filter).filter(|filter| !filter.is_empty()))
            .query("before", before)
            .query("ids", Some(ids.join(",")).filter(|ids| !ids.is_empty()))
            .query("ended", Some(ended))
            .query("limit", Some(*limit))
            .query("cursor", cursor.map(cursor_text));
        Ok(self.document::<JobList>(ask).await?.try_into()?)
    }

    /// Everything about one job.
    ///
    /// # Errors
    /// As every call.
    pub async fn job(&self, job: JobId) -> Call<JobDetail> {
        let ask = Ask::get(of_job(job, ""));
        Ok(self.document::<JobDocument>(ask).await?.try_into()?)
    }

    /// Why a job is where it is.
    ///
    /// # Errors
    /// As every call.
    pub async fn why(&self, job: JobId) -> Call<Why> {
        let ask = Ask::get(of_job(job, "/why"));
        Ok(self.document::<WhyDocument>(ask).await?.try_into()?)
    }

    /// What would happen if.
    ///
    /// # Errors
    /// As every call; also when it would be refused.
    pub async fn plan(&self, what: &Supposition) -> Call<Outlook> {
        let ask = Ask::post("/api/v1/plan").json(&PlanRequest::new(what))?;
        Ok(self.document::<PlanDocument>(ask).await?.try_into()?)
    }

    /// Nodes, countable resources, counts, holds.
    ///
    /// # Errors
    /// As every call.
    pub async fn summary(&self) -> Call<Summary> {
        let ask = Ask::get("/api/v1/summary");
        Ok(self.document::<wire::summary::Summary>(ask).await?.try_into()?)
    }

    /// Use and queue over the last two hours.
    ///
    /// # Errors
    /// As every call.
    pub async fn history(&self) -> Call<History> {
        let ask = Ask::get("/api/v1/history");
        Ok(self.document::<wire::history::History>(ask).await?.try_into()?)
    }

    /// Who used how much of what.
    ///
    /// # Errors
    /// As every call.
    pub async fn usage(&self, query: UsageQuery) -> Call<UsagePage> {
        let ask = Ask::get("/api/v1/usage")
            .query("since", query.from.map(Wall::rfc3339))
            .query("until", query.to.map(Wall::rfc3339))
            .query("by", Some(query.by.word()));
        Ok(self.document::<UsageList>(ask).await?.try_into()?)
    }

    /// Queues jobs, all or none; their numbers in order.
    ///
    /// # Errors
    /// As every call; nothing is queued then.
    pub async fn submit(&self, jobs: &[Submission]) -> Call<Vec<JobId>> {
        let ask = Ask::post("/api/v1/jobs").json(&SubmitRequest::new(jobs))?.keyed();
        Ok(self.made(ask).await?.into_iter().map(JobId).collect())
    }

    /// A copy of a job as a new job, with what `changes` says differently.
    ///
    /// # Errors
    /// As every call.
    pub async fn again(&self, job: JobId, changes: &Submission) -> Call<JobId> {
        let changes = wire::submission::Submission::changes(changes);
        let ask = Ask::post(of_job(job, "/again")).json(&changes)?.keyed();
        let made = self.made(ask).await?;
        let first = made.first().copied().map(JobId);
        first.ok_or_else(|| CallError::Protocol("the server made no job".to_owned()))
    }

    /// Numbers of the jobs that were made.
    async fn made(&self, ask: Ask) -> Call<Vec<u64>> {
        let receipt: Receipt = self.document(ask).await?;
        wire::check_version(receipt.schema_version)?;
        Ok(receipt.ids)
    }

    async fn done(&self, ask: Ask) -> Call<()> {
        self.made(ask).await.map(drop)
    }

    /// Does something with jobs, all or none.
    ///
    /// # Errors
    /// As every call.
    pub async fn act(&self, jobs: &[JobId], verb: Verb) -> Call<()> {
        let request = ActRequest::new(jobs, verb);
        self.done(Ask::post("/api/v1/jobs/actions").json(&request)?.keyed()).await
    }

    /// Holds back a team, or everything.
    ///
    /// # Errors
    /// As every call.
    pub async fn pause(
        &self,
        team: Option<String>,
        until: Option<Wall>,
        reason: String,
    ) -> Call<()> {
        let request = PauseRequest { team, until: until.map(Time), reason };
        self.done(Ask::post("/api/v1/pause").json(&request)?.keyed()).await
    }

    /// Lifts that.
    ///
    /// # Errors
    /// As every call.
    pub async fn resume(&self, team: Option<String>) -> Call<()> {
        self.done(Ask::post("/api/v1/resume").json(&ResumeRequest { team })?.keyed()).await
    }

    /// Keeps new work from a node, or lets it come again.
    ///
    /// # Errors
    /// As every call.
    pub async fn drain(&self, node: &str, on: bool, reason: Option<String>) -> Call<()> {
        let verb = if on { "drain" } else { "undrain" };
        let node = segment(node);
        let ask = Ask::post(format!("/api/v1/nodes/{node}/{verb}"));
        self.done(ask.json(&DrainRequest { reason })?.keyed()).await
    }

    /// Says that a spot node is about to vanish.
    ///
    /// # Errors
    /// As every call.
    pub async fn warn_node(&self, node: &str, left: Span) -> Call<()> {
        let ask = Ask::post(format!("/api/v1/nodes/{}/warning", segment(node)));
        self.done(ask.json(&WarningRequest { in_ms: left.0 })?.keyed()).await
    }

    /// Closes a countable resource until then, or opens it.
    ///
    /// # Errors
    /// As every call.
    pub async fn limit(
        &self,
        resource: &str,
        until: Option<Wall>,
        reason: Option<String>,
    ) -> Call<()> {
        let request = LimitRequest { until: until.map(Time), reason };
        let resource = segment(resource);
        let ask = Ask::post(format!("/api/v1/resources/{resource}/limit"));
        self.done(ask.json(&request)?.keyed()).await
    }

    /// The teams.
    ///
    /// # Errors
    /// As every call.
    pub async fn teams(&self) -> Call<TeamPage> {
        Ok(self.document::<TeamList>(Ask::get("/api/v1/teams")).await?.try_into()?)
    }

    /// Adds a team, changes its terms, or removes it.
    ///
    /// # Errors
    /// As every call.
    pub async fn edit_team(&self, team: &str, edit: &TeamEdit) -> Call<()> {
        let address = || format!("/api/v1/teams/{}", segment(team));
        let ask = match edit {
            TeamEdit::Add(terms) => {
                let (name, terms) = (team.to_owned(), TermsRequest::from(terms));
                Ask::post("/api/v1/teams").json(&NewTeam { name, terms })?
            }
            TeamEdit::Set(terms) => Ask::patch(address()).json(&TermsRequest::from(terms))?,
            TeamEdit::Remove => Ask::delete(address()),
        };
        self.done(ask.keyed()).await
    }

    /// Speaks for a job.
    ///
    /// # Errors
    /// As every call.
    pub async fn report(&self, job: JobId, report: &Report) -> Call<()> {
        let report = wire::report::Report::from(report);
        self.done(Ask::post(of_job(job, "/reports")).json(&report)?.keyed()).await
    }

    /// Types into a job's terminal; never twice, so a lost connection is an error.
    ///
    /// # Errors
    /// As every call.
    pub async fn input(&self, job: JobId, rank: u32, bytes: Bytes) -> Call<()> {
        let ask = Ask::post(of_job(job, "/input")).query("rank", Some(rank)).bytes(bytes).once();
        self.done(ask).await
    }

    /// Changes the size of a job's terminal.
    ///
    /// # Errors
    /// As every call.
    pub async fn resize(&self, job: JobId, rank: u32, rows: u16, cols: u16) -> Call<()> {
        let request = ResizeRequest { rank, rows, cols };
        self.done(Ask::post(of_job(job, "/resize")).json(&request)?).await
    }

    /// When this user last looked at what ended; `Some` moves the mark.
    ///
    /// # Errors
    /// As every call.
    pub async fn looked(&self, mark: Option<Wall>) -> Call<Wall> {
        let address = "/api/v1/looked";
        let ask = match mark {
            None => Ask::get(address),
            Some(mark) => Ask::put(address).json(&LookedRequest { looked_at: Time(mark) })?,
        };
        let looked: Looked = self.document(ask).await?;
        wire::check_version(looked.schema_version)?;
        Ok(looked.looked_at.0)
    }

    /// The server itself.
    ///
    /// # Errors
    /// As every call.
    pub async fn status(&self) -> Call<ServerStatus> {
        let ask = Ask::get("/api/v1/server");
        Ok(self.document::<status::ServerStatus>(ask).await?.try_into()?)
    }

    /// Ends the server, with its jobs if asked.
    ///
    /// # Errors
    /// As every call.
    pub async fn stop(&self, with_jobs: bool) -> Call<()> {
        let ask = Ask::post("/api/v1/server/stop").json(&StopRequest { with_jobs })?;
        self.done(ask.once().patient()).await
    }

    /// Makes the journal shorter; records dropped.
    ///
    /// # Errors
    /// As every call.
    pub async fn compact(&self) -> Call<u64> {
        let ask = Ask::post("/api/v1/server/compact").patient();
        let compacted: Compacted = self.document(ask).await?;
        wire::check_version(compacted.schema_version)?;
        Ok(compacted.dropped)
    }
}

/// A name as one segment of an address.
fn segment(name: &str) -> String {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-_~".contains(&byte);
    let mut out = String::with_capacity(name.len());
    for byte in name.bytes() {
        if plain(byte) {
            out.push(char::from(byte));
        } else {
            out.push_str(&format!("%{byte:02X}"));
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::segment;

    #[test]
    fn a_name_stays_one_segment() {
        assert_eq!(segment("n1"), "n1");
        assert_eq!(segment("a/../b é"), "a%2F%2E%2E%2Fb%20%C3%A9");
    }
}
