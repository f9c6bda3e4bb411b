//! The streams of the demo: facts as they become so, output as it is written.

use std::collections::{BTreeMap, VecDeque};
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use futures::StreamExt;
use futures::stream;
use tokio::sync::watch;

use crate::base::{JobId, TaskId};
use crate::link::{LinkError, Piece, Stream};
use crate::model::Actor;
use crate::model::fact::Record;
use crate::model::page::{EventRow, LogQuery};
use crate::sim::demo::pulse::{Beat, Pulse};
use crate::sim::fleet::Fleet;
use crate::sim::process::{Line, Read};

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
    ready: VecDeque<Piece>,
}

impl LogFeed {
    pub(super) fn new(pulse: Arc<Pulse>, job: JobId, query: LogQuery) -> LogFeed {
        let beat = pulse.listen();
        let tail = query.tail_bytes.map(|bytes| usize::try_from(bytes).unwrap_or(usize::MAX));
        LogFeed { pulse, beat, job, query, read: BTreeMap::new(), tail, ready: VecDeque::new() }
    }

    pub(super) fn stream(self) -> Stream<Piece> {
        stream::unfold(self, |mut feed| async move {
            let piece = feed.next().await?;
            Some((Ok(piece), feed))
        })
        .boxed()
    }

    async fn next(&mut self) -> Option<Piece> {
        loop {
            if let Some(piece) = self.ready.pop_front() {
                return Some(piece);
            }
            if self.beat.borrow_and_update().over {
                return None;
            }
            let pulse = self.pulse.clone();
            let (lines, goes_on) = pulse.with(|fleet| Ok(self.pull(fleet))).ok()?;
            let length = |lines: &[Line]| lines.iter().map(|line| line.text.len()).sum::<usize>();
            let skip = self.tail.take().map_or(0, |tail| length(&lines).saturating_sub(tail));
            self.ready = pieces(lines, skip, self.query.times);
            if !self.ready.is_empty() {
                continue;
            }
            if !self.query.follow || !goes_on {
                return None;
            }
            self.wait().await?;
        }
    }

    /// What is new, and whether more may come.
    fn pull(&mut self, fleet: &Fleet) -> (Vec<Line>, bool) {
        let Some(job) = fleet.job(self.job) else { return (Vec::new(), false) };
        let pty = job.spec.pty;
        let attempts = self.query.attempt.map_or(1..=job.attempt, |one| one..=one);
        let newest = self.query.attempt.is_none_or(|attempt| attempt == job.attempt);
        let mut out: Vec<Line> = Vec::new();
        for attempt in attempts {
            let task = TaskId { job: self.job, attempt, rank: self.query.rank.unwrap_or(0) };
            let read = self.read.entry(attempt).or_default();
            let (lines, now) = fleet.output(task, *read);
            *read = now;
            out.extend(lines);
        }
        // A terminal puts the returns in.
        out.iter_mut().filter(|_| pty).for_each(|line| line.text = line.text.replace('\n', "\r\n"));
        let only = self.query.attempt.is_some();
        let ended = only && job.active_tasks().next().is_none();
        (out, newest && job.is_live() && !ended)
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

/// Lines as pieces, without the first `skip` bytes.
fn pieces(lines: Vec<Line>, mut skip: usize, times: bool) -> VecDeque<Piece> {
    let mut out: VecDeque<Piece> = VecDeque::new();
    let mut plain = Vec::new();
    for line in lines {
        let from = skip.min(line.text.len());
        skip -= from;
        let bytes = line.text.as_bytes().get(from..).unwrap_or_default();
        match times {
            true if bytes.is_empty() => {}
            true => {
                let bytes = Bytes::copy_from_slice(bytes);
                out.push_back(Piece { at: Some(line.at), bytes });
            }
            false => plain.extend_from_slice(bytes),
        }
    }
    out.extend((!plain.is_empty()).then(|| Piece::from(Bytes::from(plain))));
    out
}
