//! The streams of the demo: facts as they become so, output as it is written.

use std::collections::{BTreeMap, VecDeque};
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use futures::StreamExt;
use futures::stream;
use tokio::sync::watch;

use crate::base::{JobId, TaskId};
use crate::link::{LinkError, Stream};
use crate::model::Actor;
use crate::model::fact::Record;
use crate::model::page::{EventRow, LogQuery};
use crate::sim::demo::pulse::{Beat, Pulse};
use crate::sim::fleet::Fleet;
use crate::sim::process::Read;

/// Records read at once.
const BATCH: usize = 256;
/// A follower of output looks this often whether there is more.
const LOOK: Duration = Duration::from_millis(250);

/// A reader of facts.
pub(super) struct EventFeed {
    pulse: Arc<Pulse>,
    beat: watch::Receiver<Beat>,
    /// The last record that was read.
    last: Option<u64>,
    follow: bool,
    ready: VecDeque<Result<EventRow, LinkError>>,
}

impl EventFeed {
    pub(super) fn new(pulse: Arc<Pulse>, since: Option<u64>, follow: bool) -> EventFeed {
        let beat = pulse.listen();
        EventFeed { pulse, beat, last: since, follow, ready: VecDeque::new() }
    }

    pub(super) fn stream(self) -> Stream<EventRow> {
        stream::unfold(self, |mut feed| async move { Some((feed.next().await?, feed)) }).boxed()
    }

    async fn next(&mut self) -> Option<Result<EventRow, LinkError>> {
        loop {
            if let Some(row) = self.ready.pop_front() {
                return Some(row);
            }
            // Seen before reading, so that what comes meanwhile rings again.
            if self.beat.borrow_and_update().over {
                return None;
            }
            self.read()?;
            if self.ready.is_empty() {
                if !self.follow {
                    return None;
                }
                self.beat.changed().await.ok()?;
            }
        }
    }

    /// Reads on; `None` when the demo is over.
    fn read(&mut self) -> Option<()> {
        let from = self.last.unwrap_or(0);
        let read = |fleet: &mut Fleet| {
            Ok(fleet.records(from, BATCH).cloned().collect::<Vec<Arc<Record>>>())
        };
        for record in self.pulse.with(read).ok()? {
            if self.last.is_some_and(|last| last + 1 < record.seq) {
                let text = format!(
                    "facts up to record {} are no longer kept; read the jobs anew",
                    record.seq.saturating_sub(1)
                );
                self.ready.push_back(Err(LinkError::Protocol(text)));
            }
            self.last = Some(record.seq);
            let by = record.command.author().map(Actor::shown);
            let row = |fact: &crate::model::Fact| EventRow {
                seq: record.seq,
                at: record.at,
                by: by.clone(),
                fact: fact.clone(),
            };
            self.ready.extend(record.facts.iter().map(row).map(Ok));
        }
        Some(())
    }
}

/// A reader of output.
pub(super) struct LogFeed {
    pulse: Arc<Pulse>,
    beat: watch::Receiver<Beat>,
    job: JobId,
    query: LogQuery,
    /// How far each attempt was read.
    read: BTreeMap<u32, Read>,
    /// Only the end of what is there at first.
    tail: Option<usize>,
}

impl LogFeed {
    pub(super) fn new(pulse: Arc<Pulse>, job: JobId, query: LogQuery) -> LogFeed {
        let beat = pulse.listen();
        let tail = query.tail_bytes.map(|bytes| usize::try_from(bytes).unwrap_or(usize::MAX));
        LogFeed { pulse, beat, job, query, read: BTreeMap::new(), tail }
    }

    pub(super) fn stream(self) -> Stream<Bytes> {
        stream::unfold(self, |mut feed| async move {
            let piece = feed.next().await?;
            Some((Ok(piece), feed))
        })
        .boxed()
    }

    async fn next(&mut self) -> Option<Bytes> {
        loop {
            if self.beat.borrow_and_update().over {
                return None;
            }
            let pulse = self.pulse.clone();
            let (mut text, goes_on) = pulse.with(|fleet| Ok(self.pull(fleet))).ok()?;
            if let Some(tail) = self.tail.take() {
                text = text.split_off(text.len().saturating_sub(tail));
            }
            if !text.is_empty() {
                return Some(text.into());
            }
            if !self.query.follow || !goes_on {
                return None;
            }
            self.wait().await?;
        }
    }

    /// What is new, and whether more may come.
    fn pull(&mut self, fleet: &Fleet) -> (Vec<u8>, bool) {
        let Some(job) = fleet.job(self.job) else { return (Vec::new(), false) };
        let attempts = self.query.attempt.map_or(1..=job.attempt, |one| one..=one);
        let newest = self.query.attempt.is_none_or(|attempt| attempt == job.attempt);
        let mut out = String::new();
        for attempt in attempts {
            let task = TaskId { job: self.job, attempt, rank: self.query.rank.unwrap_or(0) };
            let read = self.read.entry(attempt).or_default();
            let (text, now) = fleet.output(task, *read);
            *read = now;
            out.push_str(&text);
        }
        let only = self.query.attempt.is_some();
        let ended = only && job.active_tasks().next().is_none();
        (out.into_bytes(), newest && job.is_live() && !ended)
    }

    async fn wait(&mut self) -> Option<()> {
        if self.pulse.is_still() {
            return self.beat.changed().await.ok();
        }
        tokio::select! {
            changed = self.beat.changed() => changed.ok(),
            () = tokio::time::sleep(LOOK) => Some(()),
        }
    }
}
