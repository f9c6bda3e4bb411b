//! What tasks with devices ask for, and how many ask for it, of all jobs that the world knows:
//! those that wait, those that run and those that ended lately. What is usual here follows from
//! it (`policy/fragments`).

use std::collections::BTreeMap;
use std::sync::Arc;

use imbl::{OrdMap, OrdSet};

use crate::base::Name;
use crate::model::job::JobSpec;
use crate::sched::policy::fragments;

/// What a task asks of one node.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Ask {
    /// Thousandths of devices.
    pub gpu_milli: u64,
    /// Thousandths of cores.
    pub cpu_milli: u64,
    /// Bytes.
    pub mem_bytes: u64,
    /// Labels that the node must have.
    pub node_labels: BTreeMap<Name, Name>,
}

/// How many tasks ask for what.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Asks {
    counts: OrdMap<Arc<Ask>, u64>,
    /// The same by how many ask.
    frequent: OrdSet<(u64, Arc<Ask>)>,
    total: u64,
}

impl Asks {
    /// Counts the tasks of a job.
    pub(super) fn add(&mut self, spec: &JobSpec) {
        each(spec, |ask, tasks| self.change(ask, |count| count + tasks));
    }

    /// Takes out what [`Asks::add`] counted.
    pub(super) fn sub(&mut self, spec: &JobSpec) {
        each(spec, |ask, tasks| self.change(ask, |count| count.saturating_sub(tasks)));
    }

    fn change(&mut self, ask: Ask, change: impl Fn(u64) -> u64) {
        let ask = Arc::new(ask);
        let before = self.counts.get(&ask).copied().unwrap_or(0);
        let after = change(before);
        self.total = change(self.total);
        if before > 0 {
            self.frequent.remove(&(before, ask.clone()));
        }
        if after == 0 {
            self.counts.remove(&ask);
        } else {
            self.frequent.insert((after, ask.clone()));
            self.counts.insert(ask, after);
        }
    }

    /// How many tasks were counted.
    pub fn total(&self) -> u64 {
        self.total
    }

    /// What is usual here, with how many ask for it ([`fragments::target`]): a few steps, however
    /// many jobs and kinds of them there are.
    pub fn target(&self) -> Vec<(Arc<Ask>, u64)> {
        let frequent = self.frequent.iter().rev().map(|(tasks, ask)| (ask.clone(), *tasks));
        let large =
            self.counts.iter().rev().take_while(|(ask, _)| fragments::is_large(ask.gpu_milli));
        let large = large.map(|(ask, tasks)| (ask.clone(), *tasks));
        fragments::target(frequent, large, self.total)
    }
}

/// What the tasks of a job with devices ask for, and how many there are.
fn each(spec: &JobSpec, mut count: impl FnMut(Ask, u64)) {
    for kind in spec.kinds().filter(|kind| kind.request.gpu_milli > 0) {
        let mut node_labels = spec.node_labels.clone();
        let more = kind.node_labels.into_iter().flatten();
        node_labels.extend(more.map(|(name, value)| (name.clone(), value.clone())));
        let request = kind.request;
        let ask = Ask {
            gpu_milli: request.gpu_milli,
            cpu_milli: request.cpu_milli,
            mem_bytes: request.mem_bytes,
            node_labels,
        };
        count(ask, u64::from(kind.gang.size));
    }
}
