//! What happens when, in the order of the literature, and the loop that lets it happen.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use crate::base::{Mono, Span};
use crate::sim::lab::trace::Job;

/// A job's place in [`Trace::jobs`](crate::sim::lab::Trace::jobs).
pub(super) type Index = u32;

/// Kinds of events; of one instant in this order.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Kind {
    /// A job has run as long as was predicted, and goes on.
    Expiry,
    /// A job comes.
    Submission,
    /// A job is done.
    End,
    /// A job starts where it has a reservation.
    Start,
}

/// Who decides. Each call is one event.
pub(super) trait Planner {
    fn submitted(&mut self, job: Index, now: Mono, log: &mut Log);
    fn ended(&mut self, job: Index, now: Mono, log: &mut Log);
    /// A job has outlived its prediction.
    fn expired(&mut self, job: Index, now: Mono, log: &mut Log);
    /// The time of a reservation has come; it may have been moved since.
    fn due(&mut self, job: Index, now: Mono, log: &mut Log);
}

/// What has been decided, and what comes of it.
pub(super) struct Log<'a> {
    jobs: &'a [Job],
    starts: Vec<Option<Mono>>,
    coming: BinaryHeap<Reverse<(Mono, Kind, u64, Index)>>,
    noted: u64,
}

impl Log<'_> {
    /// A job starts; its end follows.
    pub(super) fn start(&mut self, index: Index, now: Mono) {
        self.starts[index as usize] = Some(now);
        self.note(now + self.run_of(index), Kind::End, index);
    }

    /// Something will happen; of one kind at one time, in the order noted.
    pub(super) fn note(&mut self, at: Mono, kind: Kind, index: Index) {
        self.noted += 1;
        self.coming.push(Reverse((at, kind, self.noted, index)));
    }

    /// When a job started, if it has.
    pub(super) fn started(&self, index: Index) -> Option<Mono> {
        self.starts[index as usize]
    }

    fn run_of(&self, index: Index) -> Span {
        self.jobs[index as usize].run
    }
}

/// Lets everything happen; when each job started. `jobs` are sorted by submission.
pub(super) fn drive(jobs: &[Job], planner: &mut impl Planner) -> Vec<Mono> {
    let mut log = Log { jobs, starts: vec![None; jobs.len()], coming: BinaryHeap::new(), noted: 0 };
    let mut arrivals = (0..).zip(jobs).peekable();
    loop {
        let next = log.coming.peek().map(|Reverse((at, kind, ..))| (*at, *kind));
        if let Some((index, job)) = arrivals.peek().copied()
            && next.is_none_or(|next| (job.submit, Kind::Submission) < next)
        {
            arrivals.next();
            planner.submitted(index, job.submit, &mut log);
            continue;
        }
        let Some(Reverse((now, kind, _, index))) = log.coming.pop() else { break };
        match kind {
            Kind::Expiry => planner.expired(index, now, &mut log),
            Kind::Submission => {}
            Kind::End => planner.ended(index, now, &mut log),
            Kind::Start => planner.due(index, now, &mut log),
        }
    }
    // Every job fits the machine, so every job has started.
    log.starts.into_iter().map(Option::unwrap_or_default).collect()
}
