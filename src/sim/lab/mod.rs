//! The lab: recorded workloads under the literature's scheduling policies, to the job.
//!
//! [`reference()`] replays a [`Trace`] with the event order of the published simulators, so that
//! its results can be compared with printed tables digit by digit: a pass for every event, and
//! at one instant first the predictions that run out, then submissions, then ends, then starts,
//! each in the order they came to be known. What a pass decides comes from `sched/policy`, the
//! same code that decides live. (Event order after Gaussier, Glesser, Reis and Trystram, SC15.)
//!
//! A [`Workload`] goes through the real core instead ([`live`]). [`packing`] asks where tasks are
//! placed, not when.
//!
//! Start with [`policy`], then [`easy`] or [`conservative`].

pub mod bounds;
pub mod conservative;
pub mod easy;
mod events;
pub mod live;
pub mod metrics;
pub mod packing;
#[cfg(test)]
mod plain;
pub mod policy;
#[cfg(test)]
mod tests;
pub mod trace;
pub mod workload;

pub use metrics::Metrics;
pub use policy::Policy;
pub use trace::{Job, Trace, TraceError};
pub use workload::Workload;

use crate::base::{Mono, Span};

/// When each job started, in the order of [`Trace::jobs`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Schedule {
    /// One for each job.
    pub starts: Vec<Mono>,
}

impl Schedule {
    /// How long each job waited, with it.
    pub fn waits<'a>(&self, trace: &'a Trace) -> impl Iterator<Item = (&'a Job, Span)> {
        trace.jobs.iter().zip(&self.starts).map(|(job, start)| (job, start.since(job.submit)))
    }
}

/// Replays a trace under a policy, in the event order of the literature.
///
/// # Errors
/// When a job is larger than the machine: it could never start, nor what is behind it.
pub fn reference(trace: &Trace, policy: Policy, processors: u32) -> Result<Schedule, TraceError> {
    if let Some(job) = trace.larger_than(processors) {
        let what = format!(
            "job {} needs {} processors, the machine has {processors}",
            job.number, job.size
        );
        return Err(TraceError { line: job.line, what });
    }
    let starts = match policy.rule() {
        policy::Rule::Conservative => {
            events::drive(&trace.jobs, &mut conservative::Conservative::new(trace, processors))
        }
        policy::Rule::Queue(rule) => {
            events::drive(&trace.jobs, &mut easy::Easy::new(trace, rule, processors))
        }
    };
    Ok(Schedule { starts })
}
