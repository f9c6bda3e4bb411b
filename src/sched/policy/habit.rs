//! How a rule is answered: how often it asks, how often people say yes, how long they look. A rule
//! to which everybody says yes without looking protects nothing and tires people for what does.

use std::collections::VecDeque;

use serde::{Deserialize, Serialize};

use crate::base::Span;

/// Decisions of which the time is remembered.
const REMEMBERED: usize = 64;
/// Of fewer decisions nothing is said.
const ENOUGH: u64 = 20;
/// More yeses of a hundred than this, and
const MOST: u64 = 95;
/// decided faster than this as a rule, is no look at all.
const GLANCE: Span = Span::secs(3);

/// How the asks of one rule went.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Habit {
    /// People said yes.
    pub yes: u64,
    /// People said no.
    pub no: u64,
    /// Nobody decided in time.
    pub expired: u64,
    /// How long the last decisions took, oldest first.
    looked: VecDeque<Span>,
}

impl Habit {
    /// People decided, after they had looked for so long.
    pub fn decided(&mut self, yes: bool, looked: Span) {
        let count = if yes { &mut self.yes } else { &mut self.no };
        *count = count.saturating_add(1);
        if self.looked.len() >= REMEMBERED {
            self.looked.pop_front();
        }
        self.looked.push_back(looked);
    }

    /// How many asks are over.
    pub fn asks(&self) -> u64 {
        self.yes.saturating_add(self.no).saturating_add(self.expired)
    }

    /// So many of a hundred decisions were yes; `None` without one.
    pub fn yes_percent(&self) -> Option<u8> {
        let all = self.yes.saturating_add(self.no);
        let percent = self.yes.saturating_mul(100).checked_div(all)?;
        u8::try_from(percent).ok()
    }

    /// The median of how long people looked.
    pub fn median(&self) -> Option<Span> {
        let mut sorted: Vec<Span> = self.looked.iter().copied().collect();
        sorted.sort_unstable();
        sorted.get(sorted.len().checked_sub(1)? / 2).copied()
    }

    /// Nearly always yes, and nobody looks: the rule asks for nothing, or asks too often.
    pub fn is_blind(&self) -> bool {
        let all = self.yes.saturating_add(self.no);
        let mostly = self.yes.saturating_mul(100) > all.saturating_mul(MOST);
        all >= ENOUGH && mostly && self.median().is_some_and(|median| median < GLANCE)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn habit(yes: u64, no: u64, looked: Span) -> Habit {
        let mut habit = Habit::default();
        (0..yes).for_each(|_| habit.decided(true, looked));
        (0..no).for_each(|_| habit.decided(false, looked));
        habit
    }

    #[test]
    fn twenty_quick_yeses_are_blind_and_one_no_of_twenty_is_not() {
        let quick = Span::secs(2);
        assert!(habit(20, 0, quick).is_blind());
        assert!(!habit(19, 0, quick).is_blind(), "too few to say");
        assert!(!habit(19, 1, quick).is_blind(), "95 of a hundred is not more than that");
        assert!(!habit(20, 0, GLANCE).is_blind(), "they look");
    }

    #[test]
    fn what_nobody_decided_is_no_decision() {
        let mut habit = habit(3, 1, Span::secs(9));
        habit.expired = 4;
        assert_eq!((habit.asks(), habit.yes_percent()), (8, Some(75)));
        assert_eq!(habit.median(), Some(Span::secs(9)));
        assert_eq!((Habit::default().yes_percent(), Habit::default().median()), (None, None));
    }
}
