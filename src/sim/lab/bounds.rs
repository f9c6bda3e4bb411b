//! What no schedule can go below: how far a policy is from the best there could be.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use super::metrics::{seconds, work};
use super::trace::{Job, Trace};
use crate::base::Mono;

/// No schedule is all done earlier, in seconds on the trace's clock: each job runs after its
/// submission, and from any submission on the whole machine needs so long for what comes then.
pub fn last_end_s(trace: &Trace, processors: u32) -> f64 {
    let at = |at: Mono| seconds(at.since(Mono(0)));
    let alone = trace.jobs.iter().map(|job| at(job.submit + job.run));
    let mut behind = 0.0;
    let together = trace.jobs.iter().rev().map(|job| {
        behind += work(job);
        at(job.submit) + behind / f64::from(processors)
    });
    let together: Vec<f64> = together.collect();
    alone.chain(together).fold(0.0, f64::max)
}

/// No schedule has a smaller mean of submission to end, in seconds: each job runs, and one
/// machine as fast as all processors together, which serves the least remaining work first, is
/// at least as good as they are.
pub fn mean_flow_s(trace: &Trace, processors: u32) -> f64 {
    #[expect(clippy::cast_precision_loss, reason = "a count of jobs")]
    let jobs = trace.jobs.len().max(1) as f64;
    let runs: f64 = trace.jobs.iter().map(|job| seconds(job.run)).sum();
    let squashed = squashed_flow(&trace.jobs, processors);
    runs.max(squashed) / jobs
}

/// Sum of flows, in seconds, on one machine of that speed under least remaining work first.
fn squashed_flow(jobs: &[Job], processors: u32) -> f64 {
    // Work in processor milliseconds, time in the same unit: exact.
    let speed = u128::from(processors.max(1));
    let mut left: BinaryHeap<Reverse<u128>> = BinaryHeap::new();
    let mut now: u128 = 0;
    let mut flow: u128 = 0;
    for (index, job) in jobs.iter().enumerate() {
        left.push(Reverse(u128::from(job.size) * u128::from(job.run.0)));
        let next = jobs.get(index + 1).map(|next| u128::from(next.submit.0) * speed);
        now = now.max(u128::from(job.submit.0) * speed);
        while let Some(Reverse(work)) = left.pop() {
            let room = next.map_or(work, |next| next.saturating_sub(now).min(work));
            now += room;
            // Everybody who is there waits or is served so long.
            flow += room * (left.len() as u128 + 1);
            if room < work {
                left.push(Reverse(work - room));
                break;
            }
        }
    }
    #[expect(clippy::cast_precision_loss, reason = "a bound need not be exact to the last bit")]
    let flow = flow as f64;
    flow / (f64::from(processors.max(1)) * 1000.0)
}
