//! A link that answers from a fleet, remembers what it was asked to do, and can be unplugged.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};

use bytes::Bytes;
use futures::{FutureExt, StreamExt, stream};

use tokio::sync::{broadcast, watch};
use tokio_stream::wrappers::BroadcastStream;

use holdshort::base::{JobId, Name, ReviewId, Span, Wall};
use holdshort::link::{Answer, JobQuery, Link, LinkError, Piece, Stream};
use holdshort::model::command::{Report, Verb};
use holdshort::model::history::History;
use holdshort::model::outlook::{Outlook, Supposition};
use holdshort::model::page::reviews::Which;
use holdshort::model::page::usage::{UsagePage, UsageQuery};
use holdshort::model::page::{
    Counts, Cursor, Ended, EventRow, JobDetail, JobPage, JobRow, Lane, LogQuery, ReviewCard,
    ReviewPage, ReviewQuery, ServerStatus, Summary, TeamPage, Why, is_stuck,
};
use holdshort::model::reason::{Code, Reason};
use holdshort::model::refusal::{Refusal, RefusalCode};
use holdshort::model::review::{Ask, ReviewVerb};
use holdshort::model::submission::Submission;
use holdshort::model::team::TeamEdit;

use super::desk;
use super::fleet::{self, Fleet, NOW};

/// What was asked of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Asked {
    Act(Vec<JobId>, Verb),
    Again(JobId),
    PauseAll(String),
    ResumeAll,
    PauseTeam(Name, String),
    ResumeTeam(Name),
    EditTeam(Name, TeamEdit),
    Drain(Name, bool, Option<String>),
    Input(JobId, Vec<u8>),
    Resize(u16, u16),
    Review(ReviewId, ReviewVerb),
}

/// The link.
pub struct Fake {
    fleet: Mutex<Fleet>,
    asked: Mutex<Vec<Asked>>,
    glances: Mutex<Vec<(ReviewId, &'static str)>>,
    unplugged: watch::Sender<Option<String>>,
    news: broadcast::Sender<EventRow>,
    queries: Mutex<Vec<JobQuery>>,
}

impl Fake {
    pub fn new(fleet: Fleet) -> Arc<Fake> {
        let fleet = Mutex::new(fleet);
        Arc::new(Fake {
            fleet,
            asked: Mutex::default(),
            glances: Mutex::default(),
            unplugged: watch::channel(None).0,
            news: broadcast::channel(4096).0,
            queries: Mutex::default(),
        })
    }

    pub fn asked(&self) -> Vec<Asked> {
        self.asked.lock().unwrap().clone()
    }

    /// Who looked at what.
    pub fn glances(&self) -> Vec<(ReviewId, &'static str)> {
        self.glances.lock().unwrap().clone()
    }

    pub fn change(&self, change: impl FnOnce(&mut Fleet)) {
        change(&mut self.fleet.lock().unwrap());
    }

    pub fn unplug(&self, why: &str) {
        self.unplugged.send_replace(Some(why.to_owned()));
    }

    pub fn plug(&self) {
        self.unplugged.send_replace(None);
    }

    /// A fact becomes known to everybody who follows.
    pub fn publish(&self, row: EventRow) {
        let _ = self.news.send(row);
    }

    /// What was asked about jobs.
    pub fn queries(&self) -> Vec<JobQuery> {
        self.queries.lock().unwrap().clone()
    }

    fn with<T: Send + 'static>(&self, make: impl FnOnce(&Fleet) -> T) -> Answer<'_, T> {
        let answer = match &*self.unplugged.borrow() {
            Some(why) => Err(LinkError::Unreachable(why.clone())),
            None => Ok(make(&self.fleet.lock().unwrap())),
        };
        async move { answer }.boxed()
    }

    fn note(&self, asked: Asked) -> Answer<'_, ()> {
        self.asked.lock().unwrap().push(asked);
        self.with(|_| ())
    }

    fn find<T: Send + 'static>(
        &self,
        job: JobId,
        make: impl FnOnce(&JobRow) -> T,
    ) -> Answer<'_, T> {
        let found = self.with(|fleet| fleet.jobs.iter().find(|row| row.id == job).map(make));
        let missing = Refusal::new(RefusalCode::NotFound, format!("there is no job {job}"), "");
        async move { found.await?.ok_or(LinkError::Refused(missing)) }.boxed()
    }
}

fn counts(fleet: &Fleet) -> Counts {
    let of = |lane| fleet.jobs.iter().filter(|row| row.lane == lane).count() as u64;
    let live = fleet.jobs.iter().filter(|row| row.lane != Lane::Ended);
    Counts {
        human: of(Lane::Human),
        running: of(Lane::Running),
        queued: of(Lane::Queued),
        stuck: live.filter(|row| is_stuck(&row.findings)).count() as u64,
        ended: of(Lane::Ended),
    }
}

/// The list by urgency; inside a lane the order of the fleet.
fn page(fleet: &Fleet, query: &JobQuery) -> Result<JobPage, LinkError> {
    let filter = holdshort::view::filter::parse(&query.filter)?;
    let belongs = |row: &JobRow| match query.ended {
        Ended::None => row.lane != Lane::Ended,
        Ended::Since(mark) => row.ended.is_none_or(|at| at.wall > mark),
        Ended::All => true,
    };
    if query.limit > 1000 {
        let what = "limit is not 1 to 1000";
        return Err(LinkError::Refused(Refusal::new(RefusalCode::Usage, what, "")));
    }
    let place = |(row, at): &(&JobRow, u64)| Cursor { lane: row.lane, place: (*at, 0, row.id.0) };
    let mut found: Vec<(&JobRow, u64)> = fleet
        .jobs
        .iter()
        .zip(0..)
        .filter(|it| query.cursor.is_none_or(|after| place(it) > after))
        .filter(|it| query.before.is_none_or(|before| place(it) < before))
        .filter(|(row, _)| query.ids.is_empty() || query.ids.contains(&row.id))
        .filter(|(row, _)| belongs(row) && filter.matches(*row, NOW))
        .collect();
    found.sort_by_key(place);
    let more = found.len() > query.limit;
    let next = if query.before.is_some() {
        found.drain(..found.len().saturating_sub(query.limit));
        found.first()
    } else {
        found.truncate(query.limit);
        found.last()
    };
    let next = next.filter(|_| more).map(place);
    let jobs = found.into_iter().map(|(row, at)| JobRow { order: (at, 0), ..row.clone() });
    Ok(JobPage { jobs: jobs.collect(), next, counts: counts(fleet), seq: 100, at: NOW })
}

fn detail(row: &JobRow) -> JobDetail {
    JobDetail {
        steps: Vec::new(),
        row: row.clone(),
        tasks: Vec::new(),
        attempts: if row.id.0 == 198 { fleet::attempts() } else { Vec::new() },
        after: Vec::new(),
        checkpoint: (row.id.0 == 198).then(fleet::checkpoint),
        usage: BTreeMap::new(),
        start_at: None,
        time_limit: None,
        estimate: None,
        expected: None,
        requeue: false,
        resumable: row.id.0 == 198,
        retry: 0,
        asked: Default::default(),
        evicted: None,
        env_names: ["HOME", "LANG", "PATH", "WANDB_PROJECT"].map(str::to_owned).to_vec(),
    }
}

fn no_review<'a, T: Send + 'static>(review: ReviewId) -> Answer<'a, T> {
    let missing = Refusal::new(RefusalCode::NotFound, format!("there is no review {review}"), "");
    async move { Err(LinkError::Refused(missing)) }.boxed()
}

impl Link for Fake {
    fn jobs(&self, query: JobQuery) -> Answer<'_, JobPage> {
        self.queries.lock().unwrap().push(query.clone());
        let page = self.with(|fleet| page(fleet, &query));
        async move { page.await? }.boxed()
    }

    fn job(&self, job: JobId) -> Answer<'_, JobDetail> {
        self.find(job, detail)
    }

    fn why(&self, job: JobId) -> Answer<'_, Why> {
        self.find(job, |row| Why {
            job: row.id,
            state: row.state.clone(),
            reason: row.reason.clone(),
            also: Vec::new(),
            would_change: vec![Reason::bare(Code::NoRoom).with("jobs", "198")],
            expected_start: None,
            position: (row.lane == Lane::Queued).then_some(2),
        })
    }

    fn summary(&self) -> Answer<'_, Summary> {
        self.with(|fleet| Summary {
            counts: counts(fleet),
            nodes: fleet.nodes.clone(),
            countables: fleet.countables.clone(),
            paused: fleet.paused.clone(),
            paused_teams: fleet.paused_teams(),
            kept_day: fleet.kept_day.clone(),
            teams: !fleet.teams.is_empty(),
            seq: 100,
            at: NOW,
        })
    }

    fn plan(&self, _what: Supposition) -> Answer<'_, Outlook> {
        self.with(|_| Outlook { made: vec![], starts: vec![], evictions: vec![], shifts: vec![] })
    }

    fn history(&self) -> Answer<'_, History> {
        self.with(|fleet| History::new(NOW.wall, fleet.minutes.clone()))
    }

    fn usage(&self, query: UsageQuery) -> Answer<'_, UsagePage> {
        let (by, from, to, rows) = (query.by, query.from, NOW.wall, Vec::new());
        self.with(move |_| UsagePage { by, from, to, rows, seq: 100, at: NOW })
    }

    fn submit(&self, _jobs: Vec<Submission>) -> Answer<'_, Vec<JobId>> {
        self.with(|_| Vec::new())
    }

    fn again(&self, job: JobId, _changes: Submission) -> Answer<'_, JobId> {
        self.asked.lock().unwrap().push(Asked::Again(job));
        self.with(|_| JobId(999))
    }

    fn act(&self, jobs: Vec<JobId>, verb: Verb) -> Answer<'_, ()> {
        self.change(|fleet| {
            for row in fleet.jobs.iter_mut().filter(|row| jobs.contains(&row.id)) {
                match &verb {
                    Verb::CancelIn { after, .. } => row.cancel_at = Some(NOW.wall + *after),
                    Verb::Keep => row.cancel_at = None,
                    _ => {}
                }
            }
        });
        self.note(Asked::Act(jobs, verb))
    }

    fn pause(&self, team: Option<Name>, _until: Option<Wall>, why: String) -> Answer<'_, ()> {
        self.note(match team {
            Some(team) => Asked::PauseTeam(team, why),
            None => Asked::PauseAll(why),
        })
    }

    fn resume(&self, team: Option<Name>) -> Answer<'_, ()> {
        self.note(team.map_or(Asked::ResumeAll, Asked::ResumeTeam))
    }

    fn drain(&self, node: Name, on: bool, reason: Option<String>) -> Answer<'_, ()> {
        self.note(Asked::Drain(node, on, reason))
    }

    fn warn_node(&self, _node: Name, _left: Span) -> Answer<'_, ()> {
        self.with(|_| ())
    }

    fn limit(&self, _: Name, _: Option<Wall>, _: Option<String>) -> Answer<'_, ()> {
        self.with(|_| ())
    }
    fn teams(&self) -> Answer<'_, TeamPage> {
        self.with(|fleet| TeamPage {
            teams: fleet.teams.clone(),
            openings: fleet.openings.clone(),
            seq: 100,
            at: NOW,
        })
    }

    fn reviews(&self, query: ReviewQuery) -> Answer<'_, ReviewPage> {
        self.with(move |fleet| {
            let is_open = |card: &&ReviewCard| card.review.is_open();
            let mine = |card: &&ReviewCard| card.beside.reader.seat.is_some();
            let open = || fleet.reviews.iter().filter(is_open);
            let fits = |card: &&ReviewCard| {
                (query.which != Which::Open || card.review.is_open())
                    && query.job.is_none_or(|job| card.review.job == job)
            };
            ReviewPage {
                reviews: fleet.reviews.iter().filter(fits).map(desk::row).collect(),
                next: None,
                open: open().count() as u64,
                mine: open().filter(mine).count() as u64,
                away: None,
                seq: 100,
                at: NOW,
            }
        })
    }

    fn review(&self, review: ReviewId, _: Option<Span>) -> Answer<'_, ReviewCard> {
        let card = self
            .with(move |fleet| fleet.reviews.iter().find(|card| card.review.id == review).cloned());
        async move {
            match card.await? {
                Some(card) => Ok(card),
                None => no_review(review).await,
            }
        }
        .boxed()
    }

    fn ask(&self, _: Option<JobId>, _: Ask) -> Answer<'_, ReviewCard> {
        no_review(ReviewId(0))
    }

    fn review_act(&self, review: ReviewId, verb: ReviewVerb) -> Answer<'_, ReviewCard> {
        match &verb {
            ReviewVerb::Look | ReviewVerb::Leave => {
                self.glances.lock().unwrap().push((review, verb.word()));
            }
            _ => self.asked.lock().unwrap().push(Asked::Review(review, verb.clone())),
        }
        self.change(|fleet| {
            let cards = fleet.reviews.iter_mut();
            cards.filter(|card| card.review.id == review).for_each(|card| desk::act(card, &verb));
        });
        self.review(review, None)
    }

    fn away(&self, _: Option<Name>, _: Option<Name>, _: Option<Wall>) -> Answer<'_, ()> {
        self.with(|_| ())
    }

    fn edit_team(&self, team: Name, edit: TeamEdit) -> Answer<'_, ()> {
        self.note(Asked::EditTeam(team, edit))
    }

    fn report(&self, _job: JobId, _report: Report) -> Answer<'_, ()> {
        self.with(|_| ())
    }

    fn logs(&self, job: JobId, _query: LogQuery) -> Answer<'_, Stream<Piece>> {
        self.with(|fleet| {
            let bytes = fleet.output.get(&job.0).cloned().unwrap_or_default();
            // A minute ago, a line each 100 ms at the end of that.
            let lines = bytes.split_inclusive(|byte| *byte == b'\n').map(<[u8]>::to_vec);
            let lines: Vec<Vec<u8>> = lines.collect();
            let count = i64::try_from(lines.len()).unwrap();
            let pieces = lines.into_iter().zip(0..).map(|(line, n)| {
                let at = Wall(NOW.wall.0 - 60_000 - (count - n) * 100);
                Ok(Piece { at: Some(at), bytes: Bytes::from(line) })
            });
            stream::iter(pieces.collect::<Vec<_>>()).boxed()
        })
    }

    fn events(&self, since: Option<u64>, follow: bool) -> Answer<'_, Stream<EventRow>> {
        let mut plugged = self.unplugged.subscribe();
        let gone = async move { plugged.wait_for(Option::is_some).await.map(|_| ()) };
        let news = BroadcastStream::new(self.news.subscribe());
        let live = news.filter_map(|row| async { row.ok().map(Ok) }).take_until(Box::pin(gone));
        self.with(|fleet| {
            let after = |row: &EventRow| row.seq > since.unwrap_or(0);
            let rows: Vec<_> = fleet.facts.iter().filter(|row| after(row)).cloned().collect();
            let rows = stream::iter(rows.into_iter().map(Ok));
            // Followed, it stays open until the link is unplugged.
            if follow { rows.chain(live).boxed() } else { rows.boxed() }
        })
    }

    fn events_of(
        &self,
        job: JobId,
        since: Option<u64>,
        _follow: bool,
    ) -> Answer<'_, Stream<EventRow>> {
        self.with(|fleet| {
            let ours =
                |row: &&EventRow| row.seq > since.unwrap_or(0) && row.fact.job() == Some(job);
            let rows: Vec<_> = fleet.facts.iter().filter(ours).cloned().map(Ok).collect();
            stream::iter(rows).boxed()
        })
    }

    fn input(&self, job: JobId, _rank: u32, bytes: Bytes) -> Answer<'_, ()> {
        self.note(Asked::Input(job, bytes.to_vec()))
    }

    fn resize(&self, _job: JobId, _rank: u32, rows: u16, cols: u16) -> Answer<'_, ()> {
        self.note(Asked::Resize(rows, cols))
    }

    fn looked(&self, mark: Option<Wall>) -> Answer<'_, Wall> {
        self.with(|_| mark.unwrap_or(fleet::ago(holdshort::base::Span::hours(5)).wall))
    }

    fn status(&self) -> Answer<'_, ServerStatus> {
        async { Err(LinkError::Protocol("not asked by the console".into())) }.boxed()
    }

    fn stop(&self, _with_jobs: bool) -> Answer<'_, ()> {
        self.with(|_| ())
    }

    fn compact(&self) -> Answer<'_, u64> {
        self.with(|_| 0)
    }
}
