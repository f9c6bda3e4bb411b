//! What was kept for waiting jobs over the last day, beside all there was: a sum that moves on
//! with time, so that nobody reads a day of intervals to show it.
//!
//! Time is cut into slots; a slot that is older than the day is forgotten. So the day begins at a
//! slot's edge, and is up to one slot longer. Exact sums of any window are [`super::report`]'s.

use std::collections::BTreeMap;

use crate::base::{Mono, Span};
use crate::ledger::amounts::Amounts;
use crate::ledger::interval::Interval;
use crate::ledger::report::add;
use crate::model::fact::Class;
use crate::model::page::usage::Used;

/// How far back it reaches.
pub const DAY: Span = Span::hours(24);
/// Length of a slot.
const SLOT: u64 = Span::mins(5).0;

/// The sum.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Tally {
    /// By number, counted from the beginning of the clock: what was kept, and all there was.
    slots: BTreeMap<u64, (Used, Used)>,
}

impl Tally {
    /// Adds an interval. Of one that is older than the day nothing counts.
    pub fn add(&mut self, interval: &Interval, now: Mono) {
        let first = now - DAY;
        let Amounts { cpu_milli, mem_bytes, gpus, .. } = &interval.amounts;
        let (cpu_milli, mem_bytes, gpus) = (*cpu_milli, *mem_bytes, gpus.clone());
        // Countable resources are never kept.
        let amounts = Amounts { cpu_milli, mem_bytes, gpus, ..Amounts::default() };
        let (from, to) = (interval.from.max(first), interval.to);
        if amounts.is_empty() || from >= to {
            return;
        }
        for slot in from.0 / SLOT..=to.0.saturating_sub(1) / SLOT {
            let (begins, ends) = (Mono(slot * SLOT), Mono(slot.saturating_add(1) * SLOT));
            let Some(span) = interval.within(begins, ends) else { continue };
            let (kept, all) = self.slots.entry(slot).or_default();
            add(all, &amounts, span);
            if interval.class == Class::Reserved {
                add(kept, &amounts, span);
            }
        }
        self.forget(now);
    }

    /// Forgets what is older than the day.
    pub fn forget(&mut self, now: Mono) {
        let first = (now - DAY).0 / SLOT;
        while self.slots.first_key_value().is_some_and(|(slot, _)| *slot < first) {
            self.slots.pop_first();
        }
    }

    /// What was kept, and all there was, in the day up to now; what is open must have been added.
    pub fn sums(&self, now: Mono) -> (Used, Used) {
        let first = (now - DAY).0 / SLOT;
        let mut sums = (Used::default(), Used::default());
        for (kept, all) in self.slots.range(first..).map(|(_, slot)| slot) {
            for (sum, more) in [(&mut sums.0, kept), (&mut sums.1, all)] {
                sum.cpu_milli_ms += more.cpu_milli_ms;
                sum.mem_byte_ms += more.mem_byte_ms;
                sum.gpu_milli_ms += more.gpu_milli_ms;
            }
        }
        sums
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cores(class: Class, from: u64, to: u64) -> Interval {
        let amounts = Amounts { cpu_milli: 1000, ..Amounts::default() };
        let (from, to) = (Mono(from), Mono(to));
        Interval { node: Some("n1".into()), holder: None, class, from, to, amounts }
    }

    #[test]
    fn it_adds_up_over_slots_and_forgets_what_is_old() {
        let mut tally = Tally::default();
        let hour = 3_600_000;
        let now = Mono(2 * hour);
        tally.add(&cores(Class::Reserved, 17, hour), now);
        tally.add(&cores(Class::Productive, hour, 2 * hour), now);
        let (kept, all) = tally.sums(now);
        assert_eq!(kept.cpu_milli_ms, u128::from(hour - 17) * 1000);
        assert_eq!(all.cpu_milli_ms, u128::from(2 * hour - 17) * 1000);
        // An hour and a half later than a day, the first is gone and half of the second is.
        let later = Mono(now.0 + DAY.0 - hour / 2);
        tally.add(&cores(Class::Idle, later.0, later.0 + 5), Mono(later.0 + 5));
        let (kept, all) = tally.sums(later);
        assert_eq!(kept.cpu_milli_ms, 0);
        assert_eq!(all.cpu_milli_ms, u128::from(hour / 2 + 5) * 1000);
        let gone = tally.sums(Mono(later.0 + 2 * DAY.0));
        assert_eq!(gone, (Used::default(), Used::default()));
    }
}
