//! Conservative backfilling: a reservation for every job, made when it comes, never moved back.
//!
//! An end before its time gives back the rest, and after every end each waiting job, in the
//! order they came, is moved forward as far as it goes. So nobody starts later than was promised
//! at the submission.

use super::events::{Index, Kind, Log, Planner};
use super::trace::{Job, Trace};
use crate::base::Mono;
use crate::sched::policy::profile::Profile;

/// The machine over time, and who waits for it.
pub struct Conservative<'a> {
    jobs: &'a [Job],
    profile: Profile<i64>,
    /// Who waits, in the order they came, and the start each has reserved.
    waiting: Vec<(Index, Mono)>,
}

impl<'a> Conservative<'a> {
    /// An empty machine.
    pub fn new(trace: &'a Trace, processors: u32) -> Conservative<'a> {
        let profile = Profile::new(i64::from(processors));
        Conservative { jobs: &trace.jobs, profile, waiting: Vec::new() }
    }

    fn job(&self, index: Index) -> &'a Job {
        &self.jobs[index as usize]
    }

    /// Moves forward what can be. Whoever starts at this very instant has nothing to gain.
    fn compress(&mut self, now: Mono, log: &mut Log) {
        for (index, start) in &mut self.waiting {
            let job = &self.jobs[*index as usize];
            let size = i64::from(job.size);
            let Some(sooner) = self.profile.sooner(&size, job.request, now, *start) else {
                continue;
            };
            self.profile.release(*start, *start + job.request, &size);
            self.profile.reserve(sooner, sooner + job.request, &size);
            *start = sooner;
            log.note(sooner, Kind::Start, *index);
        }
    }
}

impl Planner for Conservative<'_> {
    fn submitted(&mut self, index: Index, now: Mono, log: &mut Log) {
        self.profile.forget(now);
        let job = self.job(index);
        let size = i64::from(job.size);
        // There is always room in the end, for no job is larger than the machine.
        let start = self.profile.earliest(&size, job.request, now).unwrap_or(now);
        self.profile.reserve(start, start + job.request, &size);
        self.waiting.push((index, start));
        log.note(start, Kind::Start, index);
    }

    fn ended(&mut self, index: Index, now: Mono, log: &mut Log) {
        self.profile.forget(now);
        let job = self.job(index);
        let reserved_until = log.started(index).unwrap_or_default() + job.request;
        self.profile.release(now, reserved_until, &i64::from(job.size));
        self.compress(now, log);
    }

    fn expired(&mut self, _: Index, _: Mono, _: &mut Log) {}

    fn due(&mut self, index: Index, now: Mono, log: &mut Log) {
        // Noted for a start that has been moved forward since: it has started already.
        let Some(at) = self.waiting.iter().position(|waiting| *waiting == (index, now)) else {
            return;
        };
        self.waiting.remove(at);
        log.start(index, now);
    }
}
