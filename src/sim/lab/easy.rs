//! First come, first served, and the family of EASY: one reservation, for the head of the queue.
//!
//! A running job holds its processors until its predicted end, that instant excluded; an end
//! before gives them back, a prediction that runs out is made longer.

use std::collections::{BTreeMap, VecDeque};

use super::events::{Index, Kind, Log, Planner};
use super::policy::QueueRule;
use super::trace::{Job, Trace};
use crate::base::{Mono, Span};
use crate::sched::policy::estimate::LastTwo;
use crate::sched::policy::reservation::{Gap, shadow};

/// The queue and the machine.
pub struct Easy<'a> {
    jobs: &'a [Job],
    rule: QueueRule,
    /// Free processors; those whose job has reached its predicted end are.
    free: i64,
    /// Predicted ends to come, with the processors each gives back.
    ends: BTreeMap<(Mono, Index), i64>,
    /// What is thought of each job's run time, from its submission on.
    predicted: Vec<Span>,
    /// How often that was corrected.
    corrected: Vec<u8>,
    /// As they came; those that started before the head are still in it.
    queue: VecDeque<Index>,
    /// Who waits, by the order of backfilling; not kept where there is none.
    waiting: Vec<Waiting>,
    /// Jobs whose user is not known are one user's, as in the published simulators.
    recent: BTreeMap<Option<u32>, LastTwo>,
}

/// What a pass looks at.
#[derive(Debug, Clone, Copy)]
struct Waiting {
    predicted: Span,
    index: Index,
    size: u32,
}

impl<'a> Easy<'a> {
    /// An empty machine.
    pub fn new(trace: &'a Trace, rule: QueueRule, processors: u32) -> Easy<'a> {
        Easy {
            jobs: &trace.jobs,
            rule,
            free: i64::from(processors),
            ends: BTreeMap::new(),
            predicted: vec![Span::ZERO; trace.jobs.len()],
            corrected: vec![0; trace.jobs.len()],
            queue: VecDeque::new(),
            waiting: Vec::new(),
            recent: BTreeMap::new(),
        }
    }

    fn job(&self, index: Index) -> &'a Job {
        &self.jobs[index as usize]
    }

    fn predicted(&self, index: Index) -> Span {
        self.predicted[index as usize]
    }

    /// What has reached its predicted end is free.
    fn advance(&mut self, now: Mono) {
        while let Some(first) = self.ends.first_entry().filter(|end| end.key().0 <= now) {
            self.free += first.remove();
        }
    }

    fn start(&mut self, index: Index, now: Mono, log: &mut Log) {
        let (job, predicted) = (self.job(index), self.predicted(index));
        let size = i64::from(job.size);
        self.free -= size;
        self.ends.insert((now + predicted, index), size);
        log.start(index, now);
        self.expect(index, now, log);
    }

    /// An expiry happens only to a job that runs longer than predicted.
    fn expect(&self, index: Index, started: Mono, log: &mut Log) {
        let predicted = self.predicted(index);
        if predicted < self.job(index).run {
            log.note(started + predicted, Kind::Expiry, index);
        }
    }

    /// Starts what may: from the head while it fits, then others that do not delay it.
    fn pass(&mut self, now: Mono, log: &mut Log) {
        let waited = self.queue.len();
        let head = loop {
            let Some(head) = self.queue.front().copied() else { break None };
            if log.started(head).is_none() {
                if i64::from(self.job(head).size) > self.free {
                    break Some(head);
                }
                self.start(head, now, log);
            }
            self.queue.pop_front();
        };
        let mut started = self.queue.len() != waited;
        if let Some(head) = head.filter(|_| self.rule.backfill.is_some()) {
            started |= self.backfill(head, now, log);
        }
        if started {
            self.waiting.retain(|waiting| log.started(waiting.index).is_none());
        }
    }

    /// Starts others before the head; whether any.
    fn backfill(&mut self, head: Index, now: Mono, log: &mut Log) -> bool {
        if self.free <= 0 || self.queue.len() < 2 {
            return false;
        }
        let ends = self.ends.iter().map(|((at, _), size)| (*at, *size));
        let Some(shadow) = shadow(self.free, &i64::from(self.job(head).size), ends) else {
            return false;
        };
        let mut gap = Gap { free: self.free, shadow };
        let mut started = false;
        let waiting = std::mem::take(&mut self.waiting);
        for other in &waiting {
            let (size, end) = (i64::from(other.size), now + other.predicted);
            let chosen = other.index != head && gap.admits(&size, end);
            if chosen && log.started(other.index).is_none() {
                gap.start(&size, end);
                self.start(other.index, now, log);
                started = true;
                if gap.free <= 0 {
                    break;
                }
            }
        }
        self.waiting = waiting;
        started
    }
}

impl Planner for Easy<'_> {
    fn submitted(&mut self, index: Index, now: Mono, log: &mut Log) {
        self.advance(now);
        let job = self.job(index);
        let recent = self.recent.get(&job.user).copied();
        let predicted = self.rule.prediction.of(job.request, job.run, recent.unwrap_or_default());
        self.predicted[index as usize] = predicted;
        self.queue.push_back(index);
        if let Some(order) = self.rule.backfill {
            let key = order.key(predicted, index);
            let at = self.waiting.partition_point(|w| order.key(w.predicted, w.index) < key);
            self.waiting.insert(at, Waiting { predicted, index, size: job.size });
        }
        if self.rule.eager || i64::from(job.size) <= self.free {
            self.pass(now, log);
        }
    }

    fn ended(&mut self, index: Index, now: Mono, log: &mut Log) {
        self.advance(now);
        let job = self.job(index);
        let start = log.started(index).unwrap_or_default();
        if let Some(size) = self.ends.remove(&(start + self.predicted(index), index)) {
            self.free += size;
        }
        self.recent.entry(job.user).or_default().note(job.run);
        self.pass(now, log);
    }

    fn expired(&mut self, index: Index, now: Mono, log: &mut Log) {
        self.advance(now);
        let (job, at) = (self.job(index), index as usize);
        let corrected = usize::from(self.corrected[at]);
        let next = self.rule.correction.next(self.predicted[at], job.request, corrected);
        self.predicted[at] = next;
        self.corrected[at] = self.corrected[at].saturating_add(1);
        let start = log.started(index).unwrap_or_default();
        let size = i64::from(job.size);
        // It was free for an instant, in which nothing was decided.
        self.free -= size;
        self.ends.insert((start + next, index), size);
        self.expect(index, start, log);
    }

    fn due(&mut self, _: Index, _: Mono, _: &mut Log) {}
}
