//! A team as the policies see it: a queue in a tree, in numbers.
//!
//! A tree is a slice of queues; a queue names its parent by its place in the slice.

use super::amounts::{Amounts, Bounds};

/// What the rules know of a queue. Amounts and bounds are of its whole subtree.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Queue {
    /// Its parent's place in the slice; `None` at the top.
    pub parent: Option<usize>,
    /// Higher goes first.
    pub priority: i64,
    /// When it was made, on any scale; smaller is older.
    pub created: u64,
    /// What it is owed.
    pub quota: Bounds,
    /// What it may not exceed.
    pub limit: Bounds,
    /// What it may hold now ([`super::shares`]).
    pub fair: Amounts,
    /// What it holds, promised room included.
    pub allocated: Amounts,
    /// What of it non-preemptible jobs hold.
    pub firm: Amounts,
}

impl Queue {
    /// What it may come to hold: its limit if its quota is unlimited, otherwise the larger of
    /// quota and fair share, within its limit (kai.md 1.1, "allocatable share").
    pub fn allocatable(&self) -> Bounds {
        Bounds::each(|kind| {
            let limit = self.limit.get(kind);
            let Some(quota) = self.quota.get(kind) else { return limit };
            let owed = quota.max(self.fair.get(kind));
            Some(limit.map_or(owed, |limit| limit.min(owed)))
        })
    }
}

/// The places from `at` up to the top, itself first. A place that does not exist ends the line,
/// and so does a circle.
pub fn lineage(queues: &[Queue], at: usize) -> Vec<usize> {
    let mut line: Vec<usize> = Vec::new();
    let mut next = Some(at);
    while let Some(place) = next.filter(|place| !line.contains(place)) {
        let Some(queue) = queues.get(place) else { break };
        line.push(place);
        next = queue.parent;
    }
    line
}

/// Where the lines of two queues split: the two ancestors (or the queues themselves) that are
/// siblings. If one line contains the other, both are the last they have in common. `None` if
/// one of the queues does not exist.
pub fn split(queues: &[Queue], a: usize, b: usize) -> Option<(usize, usize)> {
    let (a, b) = (lineage(queues, a), lineage(queues, b));
    let pairs = || a.iter().rev().zip(b.iter().rev());
    let (a, b) = pairs().find(|(a, b)| a != b).or_else(|| pairs().next_back())?;
    Some((*a, *b))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tree(parents: &[Option<usize>]) -> Vec<Queue> {
        parents.iter().map(|parent| Queue { parent: *parent, ..Queue::default() }).collect()
    }

    #[test]
    fn lines_end_at_the_top_at_nothing_and_in_a_circle() {
        let queues = tree(&[None, Some(0), Some(1), Some(9), Some(5), Some(4)]);
        assert_eq!(lineage(&queues, 2), [2, 1, 0]);
        assert_eq!(lineage(&queues, 3), [3]);
        assert_eq!(lineage(&queues, 4), [4, 5]);
        assert_eq!(lineage(&queues, 7), [0; 0]);
    }

    #[test]
    fn two_lines_split_below_their_lowest_common_ancestor() {
        let queues = tree(&[None, Some(0), Some(0), Some(1), Some(2), None]);
        assert_eq!(split(&queues, 3, 4), Some((1, 2)));
        assert_eq!(split(&queues, 3, 5), Some((0, 5)));
        assert_eq!(split(&queues, 3, 1), Some((1, 1)));
        assert_eq!(split(&queues, 3, 9), None);
    }

    #[test]
    fn the_allocatable_share_is_the_larger_of_quota_and_share_within_the_limit() {
        let of = |quota, limit, fair| {
            let queue = Queue {
                quota: Bounds::each(|_| quota),
                limit: Bounds::each(|_| limit),
                fair: Amounts::each(|_| fair),
                ..Queue::default()
            };
            queue.allocatable().gpu_milli
        };
        assert_eq!(of(Some(3), None, 5), Some(5));
        assert_eq!(of(Some(5), None, 3), Some(5));
        assert_eq!(of(Some(5), Some(4), 3), Some(4));
        assert_eq!(of(None, Some(4), 3), Some(4));
        assert_eq!(of(None, None, 3), None);
    }
}
