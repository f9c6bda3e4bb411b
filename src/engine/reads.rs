//! Reads, made from the world the loop published last and from the store.

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::base::{Digest, JobId, TaskId};
use crate::engine::assemble::Published;
use crate::engine::handle::{Handle, lock, no_such_job};
use crate::engine::{LogFiles, Metric, metrics, pages, replay};
use crate::model::access::Right;
use crate::model::fact::Record;
use crate::model::history::History;
use crate::model::job::{State, TaskState};
use crate::model::page::{JobDetail, JobPage, LogQuery, Query, ServerStatus, Summary, Why};
use crate::model::ports::journal::{JournalReader, StorageError};
use crate::model::program::{Environment, Program};
use crate::model::refusal::{Refusal, RefusalCode};
use crate::model::{Actor, Job};
use crate::sched::{explain, rights};

/// Programs kept in memory at most; then the cache starts anew.
const CACHED_MAX: usize = 4096;

/// Stored things, read on demand; programs are cached, since every page shows commands.
pub(super) struct Programs {
    pub(super) reader: Box<dyn JournalReader>,
    cache: BTreeMap<Digest, Program>,
}

impl Programs {
    pub(super) fn new(reader: Box<dyn JournalReader>) -> Programs {
        Programs { reader, cache: BTreeMap::new() }
    }

    /// What a job executes; `None` when the store can't say.
    pub(super) fn get(&mut self, digest: &Digest) -> Option<Program> {
        if let Some(program) = self.cache.get(digest) {
            return Some(program.clone());
        }
        let bytes = self.reader.content(digest).ok().flatten()?;
        let program: Program = serde_json::from_slice(&bytes).ok()?;
        if self.cache.len() >= CACHED_MAX {
            self.cache.clear();
        }
        self.cache.insert(*digest, program.clone());
        Some(program)
    }

    /// A job that has left the world, as it was.
    pub(super) fn summary(&self, id: JobId) -> Result<Option<Job>, Refusal> {
        let Some(bytes) = self.reader.summary(id.0).map_err(stored)? else { return Ok(None) };
        let job = serde_json::from_slice(&bytes);
        job.map(Some).map_err(|error| {
            let what = format!("the stored summary of job {id} can't be read: {error}");
            Refusal::new(RefusalCode::Internal, what, "`holdshort verify journal`")
        })
    }
}

#[expect(clippy::needless_pass_by_value, reason = "an adapter for `map_err`")]
pub(super) fn stored(error: StorageError) -> Refusal {
    Refusal::new(RefusalCode::Internal, error.to_string(), "`holdshort verify journal` says more")
}

#[expect(clippy::unused_async, reason = "the callers are async, and a slow store may come")]
impl Handle {
    /// A page of jobs by urgency: those the caller may see.
    ///
    /// # Errors
    /// None now; a later store may fail.
    pub async fn jobs(&self, by: &Actor, query: Query) -> Result<JobPage, Refusal> {
        let published = self.published();
        let Published { world, seq, .. } = &published;
        let at = self.at();
        let may_see = |job: &Job| rights::on_job(world, by, job, Right::See).is_ok();
        let program = |job: &Job| lock(&self.inner.stored).get(&job.spec.program);
        let mut page = pages::jobs(world, *seq, at, &query, &may_see, &program);
        if page.jobs.iter().any(|row| row.state == State::Queued) {
            pages::foresee(&mut page.jobs, &self.inner.foresight.of(&published, at));
        }
        Ok(page)
    }

    /// A job the caller may see, from the world or from its summary.
    pub(super) fn find(&self, published: &Published, id: JobId) -> Result<Arc<Job>, Refusal> {
        if let Some(job) = published.world.job(id) {
            return Ok(job.clone());
        }
        let summary = lock(&self.inner.stored).summary(id)?;
        summary.map(Arc::new).ok_or_else(|| no_such_job(id))
    }

    /// Everything about one job, also about one that left the world.
    ///
    /// # Errors
    /// When there is no such job or the caller may not see it.
    pub async fn job(&self, by: &Actor, id: JobId) -> Result<JobDetail, Refusal> {
        let published = self.published();
        let job = self.find(&published, id)?;
        rights::on_job(&published.world, by, &job, Right::See)?;
        let program = lock(&self.inner.stored).get(&job.spec.program);
        let env = program.as_ref().map(|program| self.inner.environments.get(&program.env));
        let env = env.and_then(|found| found.ok().flatten()).unwrap_or_default();
        let names = Environment::from_bytes(&env).names().map(str::to_owned).collect();
        let mut detail = pages::detail(&published.world, &job, self.at(), program, names);
        if job.state == State::Queued {
            let forecasts = self.inner.foresight.of(&published, self.at());
            pages::foresee([&mut detail.row], &forecasts);
        }
        Ok(detail)
    }

    /// Why a job is where it is.
    ///
    /// # Errors
    /// As [`Handle::job`].
    pub async fn why(&self, by: &Actor, id: JobId) -> Result<Why, Refusal> {
        let published = self.published();
        let job = self.find(&published, id)?;
        rights::on_job(&published.world, by, &job, Right::See)?;
        let known = explain::why(&published.world, id, self.at());
        let mut why = known.unwrap_or_else(|| explain::ended(&job));
        if job.state == State::Queued {
            let forecasts = self.inner.foresight.of(&published, self.at());
            why.expected_start = forecasts.get(&id).copied();
        }
        Ok(why)
    }

    /// Nodes, countable resources, counts, holds.
    ///
    /// # Errors
    /// When the caller has no role at all.
    pub async fn summary(&self, by: &Actor) -> Result<Summary, Refusal> {
        let published = self.published();
        let Published { world, seq, .. } = &published;
        let at = self.at();
        let team = by.in_job.and_then(|job| world.job(job)).map(|job| job.spec.team.clone());
        let anywhere = world.teams().map(|team| team.name.clone()).chain(team).chain(["".into()]);
        let mut denied = None;
        for team in anywhere {
            match rights::on_team(world, by, &team, Right::See) {
                Ok(()) => {
                    let kept_day = self.kept_day(&published, at);
                    return Ok(Summary { kept_day, ..pages::summary(world, *seq, at) });
                }
                Err(refusal) => denied = Some(refusal),
            }
        }
        Err(denied.unwrap_or_else(|| Refusal::new(RefusalCode::Forbidden, "no rights here", "")))
    }

    /// Use and queue over the last two hours, up to now.
    ///
    /// # Errors
    /// As [`Handle::summary`].
    pub async fn history(&self, by: &Actor) -> Result<History, Refusal> {
        self.summary(by).await?;
        let (now, at) = (pages::minute(&self.published().world), self.at());
        let mut history = lock(&self.inner.shared.history).clone();
        history.close(at.wall, now);
        history.put(at.wall, now);
        Ok(history)
    }

    /// The server itself.
    pub async fn status(&self) -> ServerStatus {
        let published = self.published();
        ServerStatus {
            pid: std::process::id(),
            version: env!("CARGO_PKG_VERSION").into(),
            data_dir: self.inner.places.data_dir.display().to_string(),
            socket: self.inner.places.socket.display().to_string(),
            since: self.inner.since,
            counts: published.world.index().counts(),
            mechanism: self.mechanism(),
            notes: published.notes,
            seq: published.seq,
        }
    }

    /// At most `limit` records after `seq` about jobs the caller may see, and the number of the
    /// last record that was looked at.
    ///
    /// # Errors
    /// When the store fails.
    pub async fn records(
        &self,
        by: &Actor,
        seq: u64,
        limit: usize,
    ) -> Result<Vec<Arc<Record>>, Refusal> {
        let published = self.published();
        let raw = lock(&self.inner.stored).reader.records(seq, limit).map_err(stored)?;
        let mut records = Vec::with_capacity(raw.len());
        for (seq, bytes) in raw {
            let record = replay::read_record(seq, &bytes).map_err(stored)?;
            if self.may_follow(&published, by, &record) {
                records.push(Arc::new(record));
            }
        }
        Ok(records)
    }

    /// As [`Handle::records`] with the number of each record; those that say nothing about `job`
    /// are left out but for their number, and most of them not even read.
    ///
    /// # Errors
    /// When the store fails.
    pub async fn records_about(
        &self,
        by: &Actor,
        job: Option<JobId>,
        seq: u64,
        limit: usize,
    ) -> Result<Vec<(u64, Option<Arc<Record>>)>, Refusal> {
        let published = self.published();
        let raw = lock(&self.inner.stored).reader.records(seq, limit).map_err(stored)?;
        let number = job.map(|job| job.to_string());
        let named = |bytes: &[u8]| {
            let text = std::str::from_utf8(bytes);
            number.as_ref().is_none_or(|number| text.is_ok_and(|text| text.contains(number)))
        };
        let about =
            |record: &Record| job.is_none() || record.facts.iter().any(|fact| fact.job() == job);
        let mut records = Vec::with_capacity(raw.len());
        for (seq, bytes) in raw.iter().map(|(seq, bytes)| (*seq, bytes.as_slice())) {
            let record = match named(bytes) {
                true => Some(replay::read_record(seq, bytes).map_err(stored)?),
                false => None,
            };
            let record = record.filter(about);
            let record = record.filter(|record| self.may_follow(&published, by, record));
            records.push((seq, record.map(Arc::new)));
        }
        Ok(records)
    }

    /// The last record before a job was submitted, so that reading goes on with everything that
    /// happened to it.
    ///
    /// # Errors
    /// As [`Handle::job`], or when the store fails.
    pub async fn before_submission(&self, by: &Actor, id: JobId) -> Result<u64, Refusal> {
        let published = self.published();
        let job = self.find(&published, id)?;
        rights::on_job(&published.world, by, &job, Right::See)?;
        let stored_now = lock(&self.inner.stored);
        let is_before = |seq: u64| -> Result<bool, Refusal> {
            let after = stored_now.reader.records(seq, 1).map_err(stored)?;
            let Some((seq, bytes)) = after.first() else { return Ok(false) };
            let record = replay::read_record(*seq, bytes).map_err(stored)?;
            Ok(record.at.now < job.submitted.now)
        };
        // Records stand in the order of time: the first that is not before is looked for.
        let (mut low, mut high) = (0, published.seq);
        while low < high {
            let middle = low + (high - low) / 2;
            match is_before(middle)? {
                true => low = middle + 1,
                false => high = middle,
            }
        }
        Ok(low)
    }

    /// Whether a record is about something the caller may see.
    pub fn may_see(&self, by: &Actor, record: &Record) -> bool {
        self.may_follow(&self.published(), by, record)
    }

    fn may_follow(&self, published: &Published, by: &Actor, record: &Record) -> bool {
        let world = &published.world;
        let job = record.facts.iter().find_map(|fact| fact.job());
        match job.and_then(|id| world.job(id)) {
            Some(job) => rights::on_job(world, by, job, Right::See).is_ok(),
            None => by.in_job.is_none() && rights::on_team(world, by, "", Right::See).is_ok(),
        }
    }

    /// The files with a job's output, oldest attempt first, oldest rotation first.
    ///
    /// # Errors
    /// When there is no such job or the caller may not read its output.
    pub async fn log_files(
        &self,
        by: &Actor,
        id: JobId,
        query: LogQuery,
    ) -> Result<LogFiles, Refusal> {
        let published = self.published();
        let job = self.find(&published, id)?;
        rights::on_job(&published.world, by, &job, Right::ReadOutput)?;
        let rank = query.rank.unwrap_or(0);
        let attempts = match query.attempt {
            Some(attempt) => attempt..=attempt,
            None => 1..=job.attempt,
        };
        let newest = query.attempt.is_none_or(|attempt| attempt == job.attempt);
        let task = |attempt| TaskId { job: id, attempt, rank };
        let files = attempts.flat_map(|attempt| self.inner.output.files(task(attempt))).collect();
        let active = usize::try_from(rank).ok().and_then(|rank| job.tasks.get(rank));
        let runs =
            active.is_some_and(|task| task.state.is_active() || task.state == TaskState::Pending);
        let live = (newest && runs).then_some(task(job.attempt));
        Ok(LogFiles { files, live })
    }

    /// Numbers for `/metrics`.
    pub async fn metrics(&self) -> Vec<Metric> {
        let counters = *lock(&self.inner.shared.counters);
        metrics::all(&self.published(), counters)
    }
}
