//! Use of the GPUs (or cores) and the length of the queue over two hours, a value a minute.

use crate::base::Wall;
use crate::model::page::Summary;

/// Minutes that are remembered.
const MINUTES: usize = 120;

/// One minute.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Minute {
    /// GPUs in use, in thousandths; cores where there are no GPUs.
    pub used: u64,
    /// Jobs that wait.
    pub queued: u64,
}

/// Values by minute, oldest first, without gaps.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct History {
    minutes: Vec<Minute>,
    last: i64,
    /// GPUs or cores there are, in thousandths.
    pub all: u64,
    /// They are GPUs.
    pub gpus: bool,
}

impl History {
    /// Takes the state of a moment.
    pub fn take(&mut self, summary: &Summary) {
        let gpus = summary.nodes.iter().any(|node| node.capacity.gpu_milli > 0);
        let mut now = Minute { used: 0, queued: summary.counts.queued };
        self.all = 0;
        self.gpus = gpus;
        for node in &summary.nodes {
            let (used, all) = match gpus {
                true => (node.used.gpu_milli, node.capacity.gpu_milli),
                false => (node.used.cpu_milli, node.capacity.cpu_milli),
            };
            now.used = now.used.saturating_add(used);
            self.all = self.all.saturating_add(all);
        }
        self.put(summary.at.wall, now);
    }

    fn put(&mut self, at: Wall, now: Minute) {
        let minute = at.0.div_euclid(60_000);
        let gap = usize::try_from(minute.saturating_sub(self.last)).unwrap_or(0);
        match self.minutes.last_mut() {
            Some(last) if minute <= self.last => *last = now,
            Some(last) => {
                let last = *last;
                self.minutes.extend(std::iter::repeat_n(last, gap.saturating_sub(1).min(MINUTES)));
                self.minutes.push(now);
            }
            None => self.minutes.push(now),
        }
        self.last = self.last.max(minute);
        let over = self.minutes.len().saturating_sub(MINUTES);
        self.minutes.drain(..over);
    }

    /// Use by minute.
    pub fn used(&self) -> Vec<u64> {
        self.minutes.iter().map(|minute| minute.used).collect()
    }

    /// Waiting jobs by minute.
    pub fn queued(&self) -> Vec<u64> {
        self.minutes.iter().map(|minute| minute.queued).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_quiet_time_keeps_its_value_and_two_hours_are_the_end() {
        let mut history = History::default();
        let put = |history: &mut History, minute: i64, queued: u64| {
            history.put(Wall(minute * 60_000), Minute { used: 0, queued });
        };
        put(&mut history, 1000, 4);
        put(&mut history, 1000, 5);
        put(&mut history, 1003, 9);
        assert_eq!(history.queued(), [5, 5, 5, 9]);
        put(&mut history, 90_000, 1);
        assert_eq!(history.queued().len(), MINUTES);
    }
}
