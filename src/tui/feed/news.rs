//! What changed since it was last asked: jobs by number, or everything.

use std::collections::BTreeSet;
use std::sync::{Mutex, PoisonError};

use tokio::sync::Notify;

use crate::base::JobId;
use crate::model::Fact;

/// More jobs than these are fetched anew as pages.
const JOBS_MAX: usize = 500;

/// What changed.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Changed {
    /// These jobs.
    pub jobs: BTreeSet<JobId>,
    /// Whatever is known may be wrong.
    pub all: bool,
}

/// Between those who hear of changes and the one who fetches.
#[derive(Debug, Default)]
pub struct News {
    changed: Mutex<Changed>,
    bell: Notify,
}

impl News {
    /// Facts became so.
    pub fn of_facts<'a>(&self, facts: impl Iterator<Item = &'a Fact>) {
        self.note(|changed| {
            for fact in facts {
                match fact.job() {
                    Some(job) => {
                        changed.jobs.insert(job);
                    }
                    None => changed.all |= touches_rows(fact),
                }
            }
        });
    }

    /// These jobs may have changed.
    pub fn of_jobs(&self, jobs: impl IntoIterator<Item = JobId>) {
        self.note(|changed| changed.jobs.extend(jobs));
    }

    /// Everything may have changed.
    pub fn of_all(&self) {
        self.note(|changed| changed.all = true);
    }

    /// With the next news everything is to be read anew.
    pub fn of_all_later(&self) {
        self.changed.lock().unwrap_or_else(PoisonError::into_inner).all = true;
    }

    /// Returns when there is news.
    pub async fn heard(&self) {
        self.bell.notified().await;
    }

    /// Takes what is new.
    pub fn take(&self) -> Changed {
        std::mem::take(&mut *self.changed.lock().unwrap_or_else(PoisonError::into_inner))
    }

    fn note(&self, change: impl FnOnce(&mut Changed)) {
        let mut changed = self.changed.lock().unwrap_or_else(PoisonError::into_inner);
        change(&mut changed);
        if changed.jobs.len() > JOBS_MAX {
            changed.all = true;
        }
        if changed.all {
            changed.jobs.clear();
        }
        drop(changed);
        self.bell.notify_one();
    }
}

/// A fact about no single job changes what rows say of why they wait: a pause, a node, the
/// configuration. Some say nothing about jobs.
fn touches_rows(fact: &Fact) -> bool {
    !matches!(fact, Fact::KeyUsed { .. } | Fact::Looked { .. } | Fact::RateUsed { .. })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::Wall;

    #[test]
    fn jobs_are_collected_until_it_is_simpler_to_read_all() {
        let news = News::default();
        let queued = |job| Fact::JobQueued { job: JobId(job) };
        let looked = Fact::Looked { user: "ana".into(), mark: Wall(1) };
        news.of_facts([queued(1), looked, queued(2), queued(1)].iter());
        let jobs = BTreeSet::from([JobId(1), JobId(2)]);
        assert_eq!(news.take(), Changed { jobs, all: false });
        assert_eq!(news.take(), Changed::default());
        news.of_jobs((0..=500).map(JobId));
        assert_eq!(news.take(), Changed { jobs: BTreeSet::new(), all: true });
        let node =
            Fact::NodeDrained { node: "n1".into(), on: true, by: "ana".into(), reason: None };
        news.of_facts([queued(1), node].iter());
        assert!(news.take().all, "a fact about a node is about every row");
    }
}
