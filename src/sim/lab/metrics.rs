//! What a schedule was worth.
//!
//! Waits, flows and bounded slowdowns over all jobs, without a warm-up; quantiles by nearest
//! rank. Utilisation is of the span from the first submission to the last end.

use super::{Job, Schedule, Trace};
use crate::base::{Mono, Span};

/// A run shorter than this counts as so long in the bounded slowdown.
const BOUND: Span = Span::secs(10);

/// How a quantity is spread over the jobs.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Spread {
    /// The mean.
    pub mean: f64,
    /// Half are no larger.
    pub p50: f64,
    /// Nine of ten are no larger.
    pub p90: f64,
    /// 99 of 100 are no larger.
    pub p99: f64,
    /// The largest.
    pub max: f64,
}

/// The figures of a schedule.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Metrics {
    /// Jobs.
    pub jobs: usize,
    /// When the first job was submitted.
    pub first_submit: Mono,
    /// When the last job ended.
    pub last_end: Mono,
    /// Work done, as a share of what the machine can do from the first submission to the last
    /// end.
    pub utilisation: f64,
    /// Submission to start, in seconds.
    pub wait_s: Spread,
    /// Submission to end, in seconds.
    pub flow_s: Spread,
    /// max(1, flow / max(run, 10 s)).
    pub bounded_slowdown: Spread,
}

impl Metrics {
    /// Measures a schedule on so many processors.
    pub fn of(trace: &Trace, schedule: &Schedule, processors: u32) -> Metrics {
        let first_submit = trace.jobs.iter().map(|job| job.submit).min().unwrap_or_default();
        let end = |(job, wait): (&Job, Span)| job.submit + wait + job.run;
        let last_end = schedule.waits(trace).map(end).max().unwrap_or_default();
        let work = trace.jobs.iter().map(work).sum::<f64>();
        let span = seconds(last_end.since(first_submit));
        let spread = |of: fn(&Job, Span) -> f64| {
            Spread::of(schedule.waits(trace).map(|(job, wait)| of(job, wait)).collect())
        };
        Metrics {
            jobs: trace.jobs.len(),
            first_submit,
            last_end,
            utilisation: work / (f64::from(processors) * span).max(f64::MIN_POSITIVE),
            wait_s: spread(|_, wait| seconds(wait)),
            flow_s: spread(|job, wait| seconds(wait + job.run)),
            bounded_slowdown: spread(bounded_slowdown),
        }
    }
}

/// (wait + run) / max(run, 10 s), at least 1.
pub fn bounded_slowdown(job: &Job, wait: Span) -> f64 {
    (seconds(wait + job.run) / seconds(job.run.max(BOUND))).max(1.0)
}

/// Processor seconds.
pub(super) fn work(job: &Job) -> f64 {
    f64::from(job.size) * seconds(job.run)
}

/// A span in seconds. Traces are in whole seconds, so this is exact for centuries.
#[expect(clippy::cast_precision_loss, reason = "below 2^53")]
pub fn seconds(span: Span) -> f64 {
    span.0 as f64 / 1000.0
}

impl Spread {
    /// Of these values.
    fn of(mut values: Vec<f64>) -> Spread {
        let sum: f64 = values.iter().sum();
        values.sort_unstable_by(f64::total_cmp);
        let rank = |percent: usize| {
            let rank = (values.len() * percent).div_ceil(100).max(1);
            values.get(rank - 1).copied().unwrap_or_default()
        };
        #[expect(clippy::cast_precision_loss, reason = "a count of jobs")]
        let count = values.len().max(1) as f64;
        Spread { mean: sum / count, p50: rank(50), p90: rank(90), p99: rank(99), max: rank(100) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quantiles_are_nearest_ranks() {
        let spread = Spread::of((1..=200).rev().map(f64::from).collect());
        assert_eq!((spread.p50, spread.p90, spread.p99), (100.0, 180.0, 198.0));
        assert_eq!((spread.mean, spread.max), (100.5, 200.0));
        let one = Spread::of(vec![3.0]);
        assert_eq!((one.p50, one.p99, one.mean), (3.0, 3.0, 3.0));
    }

    #[test]
    fn slowdown_is_bounded_on_both_sides() {
        let job = |run| Job {
            number: 1,
            line: 1,
            submit: Mono(0),
            run: Span::secs(run),
            request: Span::secs(run),
            size: 1,
            user: None,
        };
        assert_eq!(bounded_slowdown(&job(1), Span::secs(5)), 1.0);
        assert_eq!(bounded_slowdown(&job(1), Span::secs(19)), 2.0);
        assert_eq!(bounded_slowdown(&job(20), Span::secs(30)), 2.5);
    }
}
