//! Follows the journal: every fact is news; a lost connection is tried again, and after a gap
//! everything is read anew.

use std::sync::Arc;
use std::time::Duration;

use futures::StreamExt;
use tokio::sync::mpsc;
use tokio::time::{Instant, sleep, timeout};

use super::news::News;
use super::tasks::{PATIENCE, slow};
use super::{Connection, Data};
use crate::link::{Link, LinkError};

/// Records before now that are shown at the start.
const BEFORE: u64 = 300;
/// Facts that are handed over at once at most.
const BATCH: usize = 256;
/// The longest pause between two tries.
const LONGEST: Duration = Duration::from_secs(2);
/// A connection that held this long was a good one.
const GOOD: Duration = Duration::from_secs(10);

/// Follows until nobody listens.
pub async fn run(link: Arc<dyn Link>, news: Arc<News>, out: mpsc::Sender<Data>) {
    let mut seen: Option<u64> = None;
    let mut attempt = 0u32;
    let mut mark_known = false;
    loop {
        let began = Instant::now();
        if !mark_known && let Ok(mark) = timeout(PATIENCE, link.looked(None)).await {
            // A server that refuses has no mark for this user: everything is shown then.
            mark_known = !matches!(mark, Err(LinkError::Unreachable(_)));
            if mark_known && out.send(Data::Looked(mark.ok())).await.is_err() {
                return;
            }
        }
        let Some(why) = once(&*link, &news, &out, &mut seen).await else { return };
        attempt = if began.elapsed() > GOOD { 1 } else { attempt + 1 };
        let lost = Connection::Lost { why, attempt };
        if out.send(Data::Link(lost)).await.is_err() {
            return;
        }
        let pause = Duration::from_millis(125) * 2u32.pow(attempt.min(6));
        sleep(pause.min(LONGEST)).await;
    }
}

/// One connection from its beginning to its end; why it ended, or nothing if nobody listens.
async fn once(
    link: &dyn Link,
    news: &News,
    out: &mpsc::Sender<Data>,
    seen: &mut Option<u64>,
) -> Option<String> {
    let summary = match timeout(PATIENCE, link.summary()).await {
        Ok(Ok(summary)) => summary,
        Ok(Err(error)) => return Some(error.to_string()),
        Err(_) => return Some(slow().to_string()),
    };
    // A journal that is behind what was seen is another one.
    let same = seen.filter(|seen| *seen <= summary.seq);
    let mut void = same.is_none();
    let since = same.unwrap_or(summary.seq.saturating_sub(BEFORE));
    let stream = match timeout(PATIENCE, link.events(Some(since), true)).await {
        Ok(Ok(stream)) => stream,
        Ok(Err(LinkError::Refused(refusal))) => {
            *seen = None;
            return Some(refusal.to_string());
        }
        Ok(Err(error)) => return Some(error.to_string()),
        Err(_) => return Some(slow().to_string()),
    };
    out.send(Data::Link(Connection::Live)).await.ok()?;
    // Charts are nothing to wait for or to complain about.
    if let Ok(Ok(past)) = timeout(PATIENCE, link.history()).await {
        out.send(Data::Past(past)).await.ok()?;
    }
    // What was missed is not known job by job.
    news.of_all();
    let mut batches = stream.ready_chunks(BATCH);
    while let Some(batch) = batches.next().await {
        let mut rows = Vec::with_capacity(batch.len());
        let mut failed = None;
        for item in batch {
            match item {
                Ok(row) => rows.push(row),
                Err(error) => failed = Some(error),
            }
        }
        if let Some(last) = rows.last() {
            *seen = Some(last.seq);
            news.of_facts(rows.iter().map(|row| &row.fact));
            out.send(Data::Facts(rows, std::mem::take(&mut void))).await.ok()?;
        }
        if let Some(error) = failed {
            // Only a lost connection is continued where it was; after a gap in the journal what
            // was seen is void.
            if !matches!(error, LinkError::Unreachable(_)) {
                *seen = None;
            }
            return Some(error.to_string());
        }
    }
    Some("the server closed the connection".to_owned())
}
