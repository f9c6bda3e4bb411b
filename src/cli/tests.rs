//! A link that answers from a script, for tests of what the verbs make of answers.

use std::collections::{BTreeMap, VecDeque};
use std::sync::Mutex;

use bytes::Bytes;
use futures::{FutureExt, StreamExt, stream};

use crate::base::{At, JobId, Mono, Name, ReviewId, Span, Wall};
use crate::link::{Answer, JobQuery, Link, LinkError, Piece, Stream};
use crate::model::command::{Report, Verb};
use crate::model::history::History;
use crate::model::job::{Gang, Outcome, State};
use crate::model::outlook::{Outlook, Supposition};
use crate::model::page::{
    Counts, EventRow, JobDetail, JobPage, JobRow, Lane, LogQuery, ReviewCard, ReviewPage,
    ReviewQuery, ServerStatus, Summary, TeamPage, Why,
};
use crate::model::reason::{Code, Reason};
use crate::model::refusal::{Refusal, RefusalCode};
use crate::model::review::{Ask, ReviewVerb};
use crate::model::submission::Submission;
use crate::model::team::TeamEdit;
use crate::model::{Fact, Resources};

const AT: At = At { now: Mono(1000), wall: Wall(1_700_000_000_000) };

/// A running job.
pub(crate) fn row(id: u64) -> JobRow {
    JobRow {
        step: None,
        id: JobId(id),
        name: "train".into(),
        team: "default".into(),
        priority: 200,
        lifted: 200,
        owner: "ana".into(),
        state: State::Running,
        since: AT,
        hold: None,
        frozen: false,
        lane: Lane::Running,
        reason: Reason::bare(Code::Running),
        request: Resources::default(),
        gang: Gang::ONE,
        gang_running: 1,
        attempt: 1,
        submitted: AT,
        started: Some(AT),
        ended: None,
        expected_start: None,
        expected_end: None,
        latest_end: None,
        kept: None,
        evicted_by: None,
        exit: None,
        labels: BTreeMap::new(),
        command: vec!["true".into()],
        cwd: "/".into(),
        nodes: vec!["n1".into()],
        parent: None,
        array: None,
        holds: Resources::default(),
        open_reviews: vec![],
        answered: None,
        prompt: None,
        progress: None,
        findings: Vec::new(),
        cancel_at: None,
        acked: None,
        pty: false,
        order: (0, 0),
        preemptible: false,
        deadline: None,
    }
}

/// A session whose places lie in `dir`.
pub(crate) fn session(dir: &std::path::Path) -> crate::cli::session::Session {
    let file = dir.join("config.toml");
    std::fs::write(&file, "").unwrap();
    crate::cli::session::Session::new(crate::cli::tree::Globals {
        data_dir: Some(dir.join("data")),
        socket: Some(dir.join("socket")),
        config: Some(file),
        ..Default::default()
    })
    .unwrap()
}

/// The end of a job, as an event.
pub(crate) fn event(seq: u64, job: u64, outcome: Outcome) -> EventRow {
    EventRow { seq, at: AT, by: None, fact: Fact::JobEnded { job: JobId(job), outcome } }
}

type Pieces<T> = Vec<Result<T, LinkError>>;

/// Answers in the order they were put in.
#[derive(Default)]
pub(crate) struct Scripted(Mutex<Script>);

#[derive(Default)]
struct Script {
    rows: BTreeMap<u64, JobRow>,
    logs: VecDeque<Pieces<&'static str>>,
    events: VecDeque<Pieces<EventRow>>,
    live: u64,
    live_after: Option<u64>,
    unreachable: bool,
    acted: Vec<(Vec<JobId>, Verb)>,
    refuse: Option<JobRow>,
}

impl Scripted {
    pub(crate) fn put(&self, row: JobRow) {
        self.0.lock().unwrap().rows.insert(row.id.0, row);
    }

    pub(crate) fn log(&self, pieces: Pieces<&'static str>) {
        self.0.lock().unwrap().logs.push_back(pieces);
    }

    /// The events of the next stream; an end in them shows in the rows from then on.
    pub(crate) fn event(&self, events: Pieces<EventRow>) {
        self.0.lock().unwrap().events.push_back(events);
    }

    pub(crate) fn live(&self, count: u64) {
        self.0.lock().unwrap().live = count;
    }

    pub(crate) fn live_after_events(&self, count: u64) {
        self.0.lock().unwrap().live_after = Some(count);
    }

    pub(crate) fn unreachable_once(&self) {
        self.0.lock().unwrap().unreachable = true;
    }

    /// The next act is refused because this is how a job stands now.
    pub(crate) fn refuse_once(&self, now: JobRow) {
        self.0.lock().unwrap().refuse = Some(now);
    }

    pub(crate) fn acted(&self) -> Vec<(Vec<JobId>, Verb)> {
        self.0.lock().unwrap().acted.clone()
    }
}

fn ready<'a, T: Send + 'a>(value: Result<T, LinkError>) -> Answer<'a, T> {
    std::future::ready(value).boxed()
}

/// A call that no test scripts.
fn unscripted<'a, T: Send + 'a>() -> Answer<'a, T> {
    ready(Err(LinkError::Protocol("this call is not in the script".into())))
}

impl Link for Scripted {
    /// Understands `array=N` and everything.
    fn jobs(&self, query: JobQuery) -> Answer<'_, JobPage> {
        let script = self.0.lock().unwrap();
        let array: Option<u64> = query.filter.strip_prefix("array=").and_then(|n| n.parse().ok());
        let from = query.cursor.map_or(0, |cursor| cursor.place.0);
        let ended = query.ended != crate::model::page::Ended::None;
        let fits = |row: &&JobRow| {
            (ended || !matches!(row.state, State::Ended(_)))
                && row.id.0 > from
                && array.is_none_or(|n| row.array.is_some_and(|a| a.id.0 == n))
        };
        let mut jobs: Vec<JobRow> = script.rows.values().filter(fits).cloned().collect();
        // Small pages, so that every caller has to turn them.
        let more = jobs.len() > 2;
        jobs.truncate(2);
        let next = jobs
            .last()
            .filter(|_| more)
            .map(|row| crate::model::page::Cursor { lane: row.lane, place: (row.id.0, 0, 0) });
        ready(Ok(JobPage { jobs, next, counts: Counts::default(), seq: 1, at: AT }))
    }

    fn job(&self, job: JobId) -> Answer<'_, JobDetail> {
        let script = self.0.lock().unwrap();
        let missing = Refusal::new(RefusalCode::NotFound, format!("there is no job {job}"), "");
        let row = script.rows.get(&job.0).cloned().ok_or(LinkError::Refused(missing));
        ready(row.map(|row| JobDetail {
            steps: Vec::new(),
            row,
            tasks: Vec::new(),
            attempts: Vec::new(),
            after: Vec::new(),
            checkpoint: None,
            usage: BTreeMap::new(),
            start_at: None,
            time_limit: None,
            estimate: None,
            expected: None,
            requeue: false,
            resumable: false,
            retry: 0,
            asked: Default::default(),
            evicted: None,
            env_names: Vec::new(),
        }))
    }

    fn summary(&self) -> Answer<'_, Summary> {
        let mut script = self.0.lock().unwrap();
        if std::mem::take(&mut script.unreachable) {
            return ready(Err(LinkError::Unreachable("gone".into())));
        }
        ready(Ok(Summary {
            counts: Counts { running: script.live, ..Counts::default() },
            nodes: Vec::new(),
            countables: Vec::new(),
            paused: None,
            paused_teams: Vec::new(),
            kept_day: None,
            teams: false,
            seq: 4,
            at: AT,
        }))
    }

    fn reviews(&self, _query: ReviewQuery) -> Answer<'_, ReviewPage> {
        unscripted()
    }

    fn review(&self, _review: ReviewId, _wait: Option<Span>) -> Answer<'_, ReviewCard> {
        unscripted()
    }

    fn ask(&self, _job: Option<JobId>, _ask: Ask) -> Answer<'_, ReviewCard> {
        unscripted()
    }

    fn review_act(&self, _review: ReviewId, _verb: ReviewVerb) -> Answer<'_, ReviewCard> {
        unscripted()
    }

    fn away(&self, _: Option<Name>, _: Option<Name>, _: Option<Wall>) -> Answer<'_, ()> {
        unscripted()
    }

    fn logs(&self, _job: JobId, _query: LogQuery) -> Answer<'_, Stream<Piece>> {
        let pieces = self.0.lock().unwrap().logs.pop_front().unwrap_or_default();
        let pieces = pieces.into_iter().map(|piece| piece.map(|text| Bytes::from(text).into()));
        ready(Ok(stream::iter(pieces).boxed()))
    }

    fn events(&self, _since: Option<u64>, follow: bool) -> Answer<'_, Stream<EventRow>> {
        let mut script = self.0.lock().unwrap();
        if !follow {
            return ready(Ok(stream::empty().boxed()));
        }
        let events = script.events.pop_front().unwrap_or_default();
        for event in events.iter().flatten() {
            if let Fact::JobEnded { job, outcome } = event.fact
                && let Some(row) = script.rows.get_mut(&job.0)
            {
                row.state = State::Ended(outcome);
            }
        }
        if let Some(live) = script.live_after.take() {
            script.live = live;
        }
        ready(Ok(stream::iter(events).boxed()))
    }

    fn events_of(
        &self,
        _job: JobId,
        _since: Option<u64>,
        _follow: bool,
    ) -> Answer<'_, Stream<EventRow>> {
        unscripted()
    }

    fn act(&self, jobs: Vec<JobId>, verb: Verb) -> Answer<'_, ()> {
        let mut script = self.0.lock().unwrap();
        if let Some(row) = script.refuse.take() {
            let what = format!("job {} has ended", row.id);
            script.rows.insert(row.id.0, row);
            let refusal = Refusal::new(RefusalCode::Conflict, what, "");
            return ready(Err(LinkError::Refused(refusal)));
        }
        script.acted.push((jobs, verb));
        ready(Ok(()))
    }

    fn why(&self, _job: JobId) -> Answer<'_, Why> {
        unscripted()
    }
    fn plan(&self, _what: Supposition) -> Answer<'_, Outlook> {
        unscripted()
    }
    fn history(&self) -> Answer<'_, History> {
        unscripted()
    }
    fn usage(
        &self,
        _query: crate::model::page::usage::UsageQuery,
    ) -> Answer<'_, crate::model::page::usage::UsagePage> {
        unscripted()
    }
    fn submit(&self, _jobs: Vec<Submission>) -> Answer<'_, Vec<JobId>> {
        unscripted()
    }
    fn again(&self, _job: JobId, _changes: Submission) -> Answer<'_, JobId> {
        unscripted()
    }
    fn pause(&self, _team: Option<Name>, _until: Option<Wall>, _reason: String) -> Answer<'_, ()> {
        unscripted()
    }
    fn resume(&self, _team: Option<Name>) -> Answer<'_, ()> {
        unscripted()
    }
    fn drain(&self, _node: Name, _on: bool, _reason: Option<String>) -> Answer<'_, ()> {
        unscripted()
    }
    fn warn_node(&self, _node: Name, _left: Span) -> Answer<'_, ()> {
        unscripted()
    }
    fn limit(&self, _: Name, _: Option<Wall>, _: Option<String>) -> Answer<'_, ()> {
        unscripted()
    }
    fn teams(&self) -> Answer<'_, TeamPage> {
        unscripted()
    }
    fn edit_team(&self, _team: Name, _edit: TeamEdit) -> Answer<'_, ()> {
        unscripted()
    }
    fn report(&self, _job: JobId, _report: Report) -> Answer<'_, ()> {
        unscripted()
    }
    fn input(&self, _job: JobId, _rank: u32, _bytes: Bytes) -> Answer<'_, ()> {
        unscripted()
    }
    fn resize(&self, _job: JobId, _rank: u32, _rows: u16, _cols: u16) -> Answer<'_, ()> {
        unscripted()
    }
    fn looked(&self, _mark: Option<Wall>) -> Answer<'_, Wall> {
        unscripted()
    }
    fn status(&self) -> Answer<'_, ServerStatus> {
        unscripted()
    }
    fn stop(&self, _with_jobs: bool) -> Answer<'_, ()> {
        unscripted()
    }
    fn compact(&self) -> Answer<'_, u64> {
        unscripted()
    }
}
