//! Fetches what is wanted: at once when a want is new, at most ten times a second on news.

use std::collections::{BTreeSet, VecDeque};
use std::sync::Arc;
use std::time::Duration;

use futures::StreamExt;
use futures::future::join_all;
use tokio::sync::{Notify, mpsc, watch};
use tokio::task::JoinSet;
use tokio::time::{Instant, sleep_until, timeout};

use super::news::{Changed, News};
use super::{Answer, Data, From, Rows, Want, deeds, follow, outputs, pulse};
use crate::base::JobId;
use crate::link::{JobQuery, Link, LinkError};
use crate::model::page::reviews::Which;
use crate::model::page::{Cursor, Ended, JobPage, ReviewQuery};
use crate::tui::event::Deed;
use crate::tui::section::Section;

/// Between two rounds of fetching on news.
const ROUND: Duration = Duration::from_millis(100);
/// Rows that were brought up to date for longer than this are read anew with the next news: an
/// order may depend on more than the jobs that changed, a filter on the time.
const TRUSTED: Duration = Duration::from_secs(30);
const FILTERED: Duration = Duration::from_secs(5);
/// A call that takes longer has failed.
pub const PATIENCE: Duration = Duration::from_secs(10);
/// Facts of a job that are kept.
const FACTS_MAX: usize = 1000;
/// Rows of one call at most: a server refuses to give more at once.
pub const PAGE: usize = 1000;
/// Deeds that may wait to be sent: more than anybody types in [`PATIENCE`].
const DEEDS_MAX: usize = 1024;

/// What is wanted now, shared with the tasks that bring it.
pub type Wants = Arc<BTreeSet<Want>>;

/// The tasks between console and link. They end when it is dropped.
pub struct Feed {
    wants: watch::Sender<Wants>,
    deeds: mpsc::Sender<Deed>,
    pulse: Arc<Notify>,
    _tasks: JoinSet<()>,
}

impl Feed {
    /// Starts them; data goes to `out`.
    pub fn start(link: &Arc<dyn Link>, out: &mpsc::Sender<Data>) -> Feed {
        let (wants, wanted) = watch::channel(Wants::default());
        let (deeds, to_do) = mpsc::channel(DEEDS_MAX);
        let news = Arc::new(News::default());
        let mut tasks = JoinSet::new();
        let fetcher = Fetcher {
            link: link.clone(),
            news: news.clone(),
            out: out.clone(),
            fetched: BTreeSet::new(),
            next_round: Instant::now(),
            read: Instant::now(),
        };
        tasks.spawn(pages(fetcher, wanted.clone()));
        tasks.spawn(follow::run(link.clone(), news.clone(), out.clone()));
        tasks.spawn(outputs::run(link.clone(), wanted, out.clone()));
        let pulse = Arc::new(Notify::new());
        tasks.spawn(pulse::run(link.clone(), pulse.clone(), out.clone()));
        tasks.spawn(deeds::run(link.clone(), to_do, news, out.clone()));
        Feed { wants, deeds, pulse, _tasks: tasks }
    }

    /// Says what is wanted from now on.
    pub fn want(&self, wants: BTreeSet<Want>) {
        self.wants.send_if_modified(|old| {
            let new = **old != wants;
            if new {
                *old = Arc::new(wants);
            }
            new
        });
    }

    /// Has something done; false if too much already waits to be done.
    pub fn act(&self, deed: Deed) -> bool {
        self.pulse.notify_one();
        self.deeds.try_send(deed).is_ok()
    }
}

/// Brings pages: what is wanted anew at once, what changed in rounds.
struct Fetcher {
    link: Arc<dyn Link>,
    news: Arc<News>,
    out: mpsc::Sender<Data>,
    /// What was fetched and is still wanted.
    fetched: BTreeSet<Want>,
    next_round: Instant,
    /// When all rows were read last.
    read: Instant,
}

/// Nobody listens any more.
struct Over;

async fn pages(mut fetcher: Fetcher, mut wanted: watch::Receiver<Wants>) {
    loop {
        let news = tokio::select! {
            changed = wanted.changed() => match changed {
                Ok(()) => false,
                Err(_) => return,
            },
            () = fetcher.news.heard() => true,
        };
        if news {
            sleep_until(fetcher.next_round).await;
            fetcher.next_round = Instant::now() + ROUND;
        }
        let now = wanted.borrow_and_update().clone();
        if fetcher.round(&now, news).await.is_err() {
            return;
        }
    }
}

impl Fetcher {
    async fn round(&mut self, wants: &Wants, news: bool) -> Result<(), Over> {
        let changed = if news { self.news.take() } else { Changed::default() };
        let timed = |want: &Want| matches!(want, Want::Rows(rows) if !rows.filter.is_empty());
        let trusted = if wants.iter().any(timed) { FILTERED } else { TRUSTED };
        let all = news && (changed.all || self.read.elapsed() > trusted);
        if all {
            self.read = Instant::now();
        }
        let due = |want: &&Want| match want {
            Want::Rows(_) | Want::Facts(_) => all || !self.fetched.contains(*want),
            _ => news || !self.fetched.contains(*want),
        };
        let calls = wants.iter().filter(due).filter_map(|want| fetch(&*self.link, want));
        for data in join_all(calls).await {
            self.send(data).await?;
        }
        if news && !all {
            self.bring_up_to_date(wants, changed.jobs).await?;
        }
        self.fetched = (**wants).clone();
        Ok(())
    }

    /// Rows of jobs that changed and of those in sight, once for each filter.
    async fn bring_up_to_date(&self, wants: &Wants, mut jobs: BTreeSet<JobId>) -> Result<(), Over> {
        let shown = wants.iter().filter(|want| self.fetched.contains(*want));
        let filters: BTreeSet<&str> = shown
            .filter_map(|want| match want {
                Want::Rows(rows) => Some(rows.filter.as_str()),
                _ => None,
            })
            .collect();
        for want in wants.iter() {
            if let Want::InSight(seen) = want {
                jobs.extend(seen.iter().take(PAGE / 2));
            }
        }
        if jobs.is_empty() {
            return Ok(());
        }
        for filter in filters {
            let ids = jobs.iter().copied().collect();
            let filter = filter.to_owned();
            let query = JobQuery { filter: filter.clone(), limit: PAGE, ids, ..Default::default() };
            match timeout(PATIENCE, self.link.jobs(query)).await {
                Ok(Ok(page)) => {
                    self.send(Data::Changed { filter, asked: jobs.clone(), page }).await?;
                }
                // What was not learned now is learned with the next pages.
                Ok(Err(_)) | Err(_) => self.news.of_all_later(),
            }
        }
        Ok(())
    }

    async fn send(&self, data: Data) -> Result<(), Over> {
        self.out.send(data).await.map_err(|_| Over)
    }
}

/// The call that answers a want; none for streams.
pub fn fetch<'a>(link: &'a dyn Link, want: &Want) -> Option<futures::future::BoxFuture<'a, Data>> {
    let want = want.clone();
    if matches!(want, Want::Output(_) | Want::InSight(_)) {
        return None;
    }
    Some(Box::pin(async move {
        match timeout(PATIENCE, call(link, &want)).await {
            Ok(Ok(answer)) => Data::Answer(want, answer),
            Ok(Err(error)) => Data::Failed(want, error),
            Err(_) => Data::Failed(want, slow()),
        }
    }))
}

async fn call(link: &dyn Link, want: &Want) -> Result<Answer, LinkError> {
    match want {
        Want::Summary => link.summary().await.map(Box::new).map(Answer::Summary),
        Want::Rows(rows) => page(link, rows).await.map(Answer::Rows),
        Want::Job(job) => link.job(*job).await.map(Box::new).map(Answer::Job),
        Want::Why(job) => link.why(*job).await.map(Box::new).map(Answer::Why),
        Want::Facts(job) => facts(link, *job).await,
        Want::Teams => link.teams().await.map(Answer::Teams),
        Want::Reviews => link.reviews(open_reviews()).await.map(Answer::Reviews),
        Want::Review(id) => link.review(*id, None).await.map(Box::new).map(Answer::Review),
        Want::ReviewsOf(job) => link.reviews(reviews_of(*job)).await.map(Answer::Reviews),
        Want::Output(_) | Want::InSight(_) => {
            Err(LinkError::Protocol("this is not one answer".to_owned()))
        }
    }
}

/// The open ones, those that expire first first.
fn open_reviews() -> ReviewQuery {
    ReviewQuery { limit: PAGE, ..ReviewQuery::default() }
}

/// All that a job asked, the open ones first.
fn reviews_of(job: JobId) -> ReviewQuery {
    ReviewQuery { which: Which::All, job: Some(job), ..ReviewQuery::default() }
}

/// What happened to a job, the latest of it.
async fn facts(link: &dyn Link, job: JobId) -> Result<Answer, LinkError> {
    let mut stream = link.events_of(job, None, false).await?;
    let mut rows = VecDeque::new();
    while let Some(row) = stream.next().await {
        match row {
            Ok(row) => rows.push_back(row),
            // Older ones are no longer in the journal.
            Err(LinkError::Protocol(_)) => rows.clear(),
            Err(error) => return Err(error),
        }
        if rows.len() > FACTS_MAX {
            rows.pop_front();
        }
    }
    Ok(Answer::Facts(job, rows.into()))
}

/// Rows of a section, in as many calls as they take.
async fn page(link: &dyn Link, rows: &Rows) -> Result<JobPage, LinkError> {
    let back = matches!(rows.from, From::Before(_));
    let first = match rows.from {
        From::Start => None,
        From::After(place) | From::Before(place) => Some(place),
    };
    let ask = |limit: usize, place: Option<Cursor>| {
        let (cursor, before) = if back { (None, place) } else { (place, None) };
        JobQuery { limit: limit.min(PAGE), cursor, before, ..query(rows) }
    };
    let mut page = link.jobs(ask(rows.limit, first)).await?;
    while let Some(place) = page.next {
        let missing = rows.limit.saturating_sub(page.jobs.len());
        if missing == 0 {
            break;
        }
        let mut more = link.jobs(ask(missing, Some(place))).await?;
        // A server that gives a place to go on from and nothing there would be asked for ever.
        page.next = more.next.filter(|_| !more.jobs.is_empty());
        if back {
            std::mem::swap(&mut page.jobs, &mut more.jobs);
        }
        page.jobs.extend(more.jobs);
    }
    // The list may have moved between two calls.
    let mut seen = BTreeSet::new();
    page.jobs.retain(|row| seen.insert(row.id));
    Ok(page)
}

/// The query of a section: the user's filter and the section's term.
fn query(rows: &Rows) -> JobQuery {
    let ended = match (rows.section, rows.since) {
        (Section::Ended, Some(mark)) => Ended::Since(mark),
        (Section::Ended, None) => Ended::All,
        _ => Ended::None,
    };
    let filter = format!("{} {}", rows.filter, rows.section.term()).trim().to_owned();
    JobQuery { filter, ended, limit: rows.limit, ..JobQuery::default() }
}

/// A call took too long.
pub fn slow() -> LinkError {
    LinkError::Unreachable("the server did not answer within 10 s".to_owned())
}
