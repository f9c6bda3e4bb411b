//! The reservation of the job at the head, and what may start before it without delaying it.
//!
//! The rule is EASY's (Lifka 1995; Mu'alem and Feitelson 2001): the head starts at the *shadow*,
//! the first predicted end after which it fits. Another job may start now if it ends by then, or
//! if it takes only what the head leaves over. Reservations for more than one job are in
//! [`profile`](super::profile).

use super::capacity::Capacity;
use crate::base::Mono;

/// Where the head's reservation lies.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Shadow<A> {
    /// The head can start then, if predictions hold.
    pub at: Mono,
    /// What is free then beside the head.
    pub extra: A,
}

/// What is left for others while the head waits.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Gap<A> {
    /// Free now.
    pub free: A,
    /// The head's reservation; what ends later takes from its `extra`.
    pub shadow: Shadow<A>,
}

/// The first of the predicted ends at which `need` fits, where `free` is what is free now.
///
/// `ends` are the predicted ends of what runs, the earliest first, with what each gives back.
/// All that end at the shadow count. `None` if it would not fit even then.
pub fn shadow<A: Capacity>(
    mut free: A,
    need: &A,
    ends: impl IntoIterator<Item = (Mono, A)>,
) -> Option<Shadow<A>> {
    let mut reached = None;
    for (at, amount) in ends {
        if reached.is_some_and(|reached| at > reached) {
            break;
        }
        free.give(&amount);
        if reached.is_none() && free.covers(need) {
            reached = Some(at);
        }
    }
    free.take(need);
    reached.map(|at| Shadow { at, extra: free })
}

impl<A: Capacity> Gap<A> {
    /// A job of this size that is predicted to end then may start now.
    pub fn admits(&self, size: &A, end: Mono) -> bool {
        let aside = end <= self.shadow.at || self.shadow.extra.covers(size);
        self.free.covers(size) && aside
    }

    /// Such a job starts. What it holds past the shadow is no longer left over there.
    pub fn start(&mut self, size: &A, end: Mono) {
        self.free.take(size);
        if end > self.shadow.at {
            self.shadow.extra.take(size);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ENDS: [(Mono, i64); 4] = [(Mono(10), 2), (Mono(20), 3), (Mono(20), 1), (Mono(30), 9)];

    #[test]
    fn the_shadow_is_the_first_end_with_room_and_counts_all_that_end_there() {
        assert_eq!(shadow(1, &3, ENDS), Some(Shadow { at: Mono(10), extra: 0 }));
        assert_eq!(shadow(1, &6, ENDS), Some(Shadow { at: Mono(20), extra: 1 }));
        assert_eq!(shadow(1, &16, ENDS), Some(Shadow { at: Mono(30), extra: 0 }));
        assert_eq!(shadow(1, &17, ENDS), None);
    }

    #[test]
    fn what_ends_by_the_shadow_leaves_extra_alone() {
        let mut gap = Gap { free: 4, shadow: Shadow { at: Mono(20), extra: 2 } };
        assert!(gap.admits(&4, Mono(20)) && !gap.admits(&3, Mono(21)) && gap.admits(&2, Mono(21)));
        gap.start(&1, Mono(20));
        assert_eq!((gap.free, gap.shadow.extra), (3, 2));
        gap.start(&1, Mono(21));
        assert_eq!((gap.free, gap.shadow.extra), (2, 1));
        assert!(!gap.admits(&2, Mono(21)) && !gap.admits(&3, Mono(1)));
    }

    #[test]
    fn several_kinds_of_room_must_all_be_there() {
        let ends = [(Mono(5), [4, 0]), (Mono(9), [0, 1])];
        let shadow = shadow([0, 0], &[2, 1], ends).unwrap();
        assert_eq!(shadow, Shadow { at: Mono(9), extra: [2, 0] });
        let gap = Gap { free: [1, 0], shadow };
        assert!(gap.admits(&[1, 0], Mono(100)) && !gap.admits(&[1, 1], Mono(6)));
    }
}
