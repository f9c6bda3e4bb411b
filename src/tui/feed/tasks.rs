//! Fetches what is wanted: at once when a want is new, at most ten times a second on news.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Duration;

use futures::future::join_all;
use tokio::sync::{Notify, mpsc, watch};
use tokio::task::JoinSet;
use tokio::time::{Instant, sleep_until, timeout};

use super::{Answer, Data, Rows, Want, deeds, follow, outputs};
use crate::link::{JobQuery, Link, LinkError};
use crate::model::page::{Ended, JobPage};
use crate::tui::event::Deed;

/// Between two rounds of fetching on news.
const ROUND: Duration = Duration::from_millis(100);
/// A call that takes longer has failed.
pub const PATIENCE: Duration = Duration::from_secs(10);
/// Rows of one call at most: a server refuses to give more at once.
const PAGE: usize = 1000;
/// Deeds that may wait to be sent: more than anybody types in [`PATIENCE`].
const DEEDS_MAX: usize = 1024;

/// What is wanted now, shared with the tasks that bring it.
pub type Wants = Arc<BTreeSet<Want>>;

/// The tasks between console and link. They end when it is dropped.
pub struct Feed {
    wants: watch::Sender<Wants>,
    deeds: mpsc::Sender<Deed>,
    _tasks: JoinSet<()>,
}

impl Feed {
    /// Starts them; data goes to `out`.
    pub fn start(link: &Arc<dyn Link>, out: &mpsc::Sender<Data>) -> Feed {
        let (wants, wanted) = watch::channel(Wants::default());
        let (deeds, to_do) = mpsc::channel(DEEDS_MAX);
        let news = Arc::new(Notify::new());
        let mut tasks = JoinSet::new();
        tasks.spawn(pages(link.clone(), wanted.clone(), news.clone(), out.clone()));
        tasks.spawn(follow::run(link.clone(), news.clone(), out.clone()));
        tasks.spawn(outputs::run(link.clone(), wanted, out.clone()));
        tasks.spawn(deeds::run(link.clone(), to_do, news, out.clone()));
        Feed { wants, deeds, _tasks: tasks }
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
        self.deeds.try_send(deed).is_ok()
    }
}

async fn pages(
    link: Arc<dyn Link>,
    mut wanted: watch::Receiver<Wants>,
    news: Arc<Notify>,
    out: mpsc::Sender<Data>,
) {
    let mut fetched = BTreeSet::new();
    let mut next_round = Instant::now();
    loop {
        let all = tokio::select! {
            changed = wanted.changed() => match changed {
                Ok(()) => false,
                Err(_) => return,
            },
            () = news.notified() => true,
        };
        if all {
            sleep_until(next_round).await;
            next_round = Instant::now() + ROUND;
        }
        let now = wanted.borrow_and_update().clone();
        let fresh = |want: &&Want| all || !fetched.contains(*want);
        let calls = now.iter().filter(fresh).filter_map(|want| fetch(&*link, want));
        for data in join_all(calls).await {
            if out.send(data).await.is_err() {
                return;
            }
        }
        fetched = (*now).clone();
    }
}

/// The call that answers a want; none for streams.
pub fn fetch<'a>(link: &'a dyn Link, want: &Want) -> Option<futures::future::BoxFuture<'a, Data>> {
    let want = want.clone();
    if matches!(want, Want::Output(_)) {
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
        Want::Output(_) => Err(LinkError::Protocol("output is a stream".to_owned())),
    }
}

/// Rows of a section, in as many calls as they take.
async fn page(link: &dyn Link, rows: &Rows) -> Result<JobPage, LinkError> {
    let ask = |limit: usize, cursor| JobQuery { limit: limit.min(PAGE), cursor, ..query(rows) };
    let mut page = link.jobs(ask(rows.limit, None)).await?;
    while let Some(cursor) = page.next {
        let missing = rows.limit.saturating_sub(page.jobs.len());
        if missing == 0 {
            break;
        }
        let more = link.jobs(ask(missing, Some(cursor))).await?;
        // A server that gives a place to go on from and nothing there would be asked for ever.
        page.next = more.next.filter(|_| !more.jobs.is_empty());
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
        (crate::tui::section::Section::Ended, Some(mark)) => Ended::Since(mark),
        (crate::tui::section::Section::Ended, None) => Ended::All,
        _ => Ended::None,
    };
    let filter = format!("{} {}", rows.filter, rows.section.term()).trim().to_owned();
    JobQuery { filter, ended, limit: rows.limit, cursor: None }
}

/// A call took too long.
pub fn slow() -> LinkError {
    LinkError::Unreachable("the server did not answer within 10 s".to_owned())
}
