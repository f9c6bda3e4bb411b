//! Use of the GPUs (or cores) and the length of the queue over two hours, for charts.

use crate::model::history::{self, Minute};
use crate::model::page::Summary;

/// What the server remembered, and what came since.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct History {
    minutes: history::History,
    /// GPUs or cores there are, in thousandths.
    pub all: u64,
    /// They are GPUs.
    pub gpus: bool,
}

impl History {
    /// Takes what the server remembers.
    pub fn seed(&mut self, minutes: history::History) {
        self.minutes = minutes;
    }

    /// Takes the state of a moment.
    pub fn take(&mut self, summary: &Summary) {
        self.gpus = summary.nodes.iter().any(|node| node.capacity.gpu_milli > 0);
        let (running, queued) = (summary.counts.running, summary.counts.queued);
        let mut now = Minute { running, queued, ..Minute::default() };
        self.all = 0;
        for node in &summary.nodes {
            now.gpu_milli = now.gpu_milli.saturating_add(node.used.gpu_milli);
            now.cpu_milli = now.cpu_milli.saturating_add(node.used.cpu_milli);
            let capacity = &node.capacity;
            let all = if self.gpus { capacity.gpu_milli } else { capacity.cpu_milli };
            self.all = self.all.saturating_add(all);
        }
        self.minutes.put(summary.at.wall, now);
    }

    /// Use by minute.
    pub fn used(&self) -> Vec<u64> {
        let used = |it: &Minute| if self.gpus { it.gpu_milli } else { it.cpu_milli };
        self.minutes.minutes().iter().map(used).collect()
    }

    /// Waiting jobs by minute.
    pub fn queued(&self) -> Vec<u64> {
        self.minutes.minutes().iter().map(|minute| minute.queued).collect()
    }
}
