//! The policies once more for tests: every rule written plainly, second by second, with nothing
//! shared with the real ones but their names.

use super::Trace;
use super::policy::QueueRule;
use crate::sched::policy::estimate::{Correction, Prediction};
use crate::sched::policy::order::BackfillOrder;

/// A machine in a second.
pub(super) struct Plain<'a> {
    trace: &'a Trace,
    processors: u32,
    now: u64,
    predicted: Vec<u64>,
    corrected: Vec<usize>,
    /// When each started, in the order they did.
    started: Vec<(usize, u64)>,
    queue: Vec<usize>,
    done: Vec<(Option<u32>, u64)>,
}

impl<'a> Plain<'a> {
    pub(super) fn new(trace: &'a Trace, processors: u32) -> Plain<'a> {
        let count = trace.jobs.len();
        Plain {
            trace,
            processors,
            now: 0,
            predicted: vec![0; count],
            corrected: vec![0; count],
            started: Vec::new(),
            queue: Vec::new(),
            done: Vec::new(),
        }
    }

    fn run(&self, job: usize) -> u64 {
        self.trace.jobs[job].run.0 / 1000
    }

    fn request(&self, job: usize) -> u64 {
        self.trace.jobs[job].request.0 / 1000
    }

    fn size(&self, job: usize) -> i64 {
        i64::from(self.trace.jobs[job].size)
    }

    fn submitted(&self, job: usize) -> bool {
        self.trace.jobs[job].submit.0 == self.now * 1000
    }

    /// Free at a time, as far as predictions say; `ended` are those whose end has been handled.
    fn free(&self, at: u64, ended: &[usize]) -> i64 {
        let holds = |(job, start): &&(usize, u64)| {
            at < start + self.predicted[*job] && !ended.contains(job)
        };
        let held: i64 = self.started.iter().filter(holds).map(|(job, _)| self.size(*job)).sum();
        i64::from(self.processors) - held
    }

    fn start(&mut self, job: usize) {
        self.started.push((job, self.now));
        self.queue.retain(|waiting| *waiting != job);
    }

    fn pass(&mut self, rule: QueueRule, ended: &[usize]) {
        while let Some(head) = self.queue.first().copied() {
            if self.size(head) > self.free(self.now, ended) {
                break;
            }
            self.start(head);
        }
        let (Some(order), true) = (rule.backfill, self.queue.len() > 1) else { return };
        let head = self.queue[0];
        let enough = |at: &u64| self.free(*at, ended) >= self.size(head);
        let shadow = (self.now..).find(enough).unwrap();
        let mut extra = self.free(shadow, ended) - self.size(head);
        let mut others = self.queue[1..].to_vec();
        if order == BackfillOrder::Shortest {
            others.sort_by_key(|job| self.predicted[*job]);
        }
        for job in others {
            let late = self.now + self.predicted[job] > shadow;
            let fits = self.size(job) <= self.free(self.now, ended);
            if fits && (!late || self.size(job) <= extra) {
                extra -= if late { self.size(job) } else { 0 };
                self.start(job);
            }
        }
    }

    fn predict(&self, job: usize, prediction: Prediction) -> u64 {
        let user = self.trace.jobs[job].user;
        let mut own = self.done.iter().rev().filter(|(whose, _)| *whose == user);
        match (prediction, own.next(), own.next()) {
            (Prediction::Exact, ..) => self.run(job),
            (Prediction::Doubled, ..) => 2 * self.request(job),
            (Prediction::LastTwo, Some((_, last)), Some((_, before))) => {
                self.request(job).min((last + before) / 2)
            }
            _ => self.request(job),
        }
    }

    fn correct(&mut self, job: usize, correction: Correction) {
        const MINUTES: [u64; 12] = [0, 1, 5, 15, 30, 60, 120, 300, 600, 1200, 3000, 6000];
        let k = self.corrected[job];
        let more = 60 * (MINUTES[k + 1] - MINUTES[k]);
        self.corrected[job] += 1;
        self.predicted[job] = match correction {
            Correction::Stepwise => self.request(job).min(self.predicted[job] + more),
            Correction::ToRequest => self.request(job),
        };
    }

    /// Waits under one of the policies with a queue.
    pub(super) fn queued(mut self, rule: QueueRule) -> Vec<u64> {
        let mut ended: Vec<usize> = Vec::new();
        while ended.len() < self.trace.jobs.len() {
            let running = self.started.clone();
            for (job, start) in &running {
                let expires = start + self.predicted[*job] == self.now;
                if expires && self.predicted[*job] < self.run(*job) {
                    self.correct(*job, rule.correction);
                }
            }
            for job in 0..self.trace.jobs.len() {
                if self.submitted(job) {
                    self.predicted[job] = self.predict(job, rule.prediction);
                    self.queue.push(job);
                    if rule.eager || self.size(job) <= self.free(self.now, &ended) {
                        self.pass(rule, &ended);
                    }
                }
            }
            for (job, start) in running {
                if start + self.run(job) == self.now {
                    ended.push(job);
                    self.done.push((self.trace.jobs[job].user, self.run(job)));
                    self.pass(rule, &ended);
                }
            }
            self.now += 1;
        }
        self.waits()
    }

    fn waits(mut self) -> Vec<u64> {
        self.started.sort_unstable();
        let wait = |(job, start): &(usize, u64)| start - self.trace.jobs[*job].submit.0 / 1000;
        self.started.iter().map(wait).collect()
    }

    /// The earliest second at which a job fits for its whole request.
    fn earliest(&self, free: &[i64], job: usize) -> u64 {
        let length = usize::try_from(self.request(job)).unwrap();
        let now = usize::try_from(self.now).unwrap();
        let fits = |at: &usize| free[*at..*at + length].iter().all(|free| *free >= self.size(job));
        (now..).find(fits).unwrap() as u64
    }

    /// Waits under conservative backfilling.
    pub(super) fn conservative(mut self) -> Vec<u64> {
        // The last submission, and everything one after the other.
        let requests = (0..self.trace.jobs.len()).map(|job| self.request(job));
        let last = self.trace.jobs.last().unwrap().submit.0 / 1000;
        let horizon = last + requests.sum::<u64>();
        let mut free = vec![i64::from(self.processors); usize::try_from(horizon).unwrap() + 1];
        let change = |free: &mut [i64], from: u64, until: u64, by: i64| {
            let (from, until) = (usize::try_from(from).unwrap(), usize::try_from(until).unwrap());
            free[from..until.max(from)].iter_mut().for_each(|free| *free += by);
        };
        // Reservations with the moment they were made, which orders the starts of one second.
        let mut reserved: Vec<(usize, u64, usize)> = Vec::new();
        let (mut made, mut ends) = (0, 0);
        while ends < self.trace.jobs.len() {
            let running = self.started.clone();
            for job in (0..self.trace.jobs.len()).filter(|job| self.submitted(*job)) {
                let start = self.earliest(&free, job);
                change(&mut free, start, start + self.request(job), -self.size(job));
                (made, _) = (made + 1, reserved.push((job, start, made)));
            }
            for (job, start) in running {
                if start + self.run(job) != self.now {
                    continue;
                }
                ends += 1;
                change(&mut free, self.now, start + self.request(job), self.size(job));
                for (job, start, order) in &mut reserved {
                    if *start > self.now {
                        change(&mut free, *start, *start + self.request(*job), self.size(*job));
                        let anew = self.earliest(&free, *job);
                        change(&mut free, anew, anew + self.request(*job), -self.size(*job));
                        if anew != *start {
                            (made, *order, *start) = (made + 1, made, anew);
                        }
                    }
                }
            }
            let mut due = reserved.clone();
            due.retain(|(_, start, _)| *start == self.now);
            due.sort_by_key(|(.., order)| *order);
            reserved.retain(|(_, start, _)| *start != self.now);
            due.iter().for_each(|(job, ..)| self.start(*job));
            self.now += 1;
        }
        self.waits()
    }
}
