//! No priority inversion: whoever is waited for has the highest priority of those who wait
//! (Sha, Rajkumar and Lehoczky 1990, the basic protocol), as long as they wait.
//!
//! It orders a job and keeps it from being stopped for those below; it gives it no right to stop
//! others.

use crate::base::JobId;

/// Somebody who waits for a job.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Waiter {
    /// Which one.
    pub job: JobId,
    /// What it is sorted by, with what it has from others itself: that makes it transitive.
    pub priority: u16,
}

/// Whose priority a job of its own `priority` has, if anybody's: the highest, of equals the
/// oldest job's. What is not above its own lifts nothing.
pub fn inherits(priority: u16, waiters: impl Iterator<Item = Waiter>) -> Option<Waiter> {
    let above = waiters.filter(|waiter| waiter.priority > priority);
    above.min_by_key(|waiter| (std::cmp::Reverse(waiter.priority), waiter.job))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn waiter(job: u64, priority: u16) -> Waiter {
        Waiter { job: JobId(job), priority }
    }

    #[test]
    fn the_highest_counts_and_of_equals_the_oldest() {
        let waiters = [waiter(3, 300), waiter(9, 400), waiter(7, 400)];
        assert_eq!(inherits(200, waiters.into_iter()), Some(waiter(7, 400)));
    }

    #[test]
    fn nobody_is_lifted_by_those_below_or_beside() {
        assert_eq!(inherits(400, [waiter(3, 300), waiter(4, 400)].into_iter()), None);
        assert_eq!(inherits(0, std::iter::empty()), None);
    }
}
