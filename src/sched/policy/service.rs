//! Services run on and on: how soon one starts again, what may be taken from it, how many tasks it
//! may want.

use std::ops::RangeInclusive;

use crate::base::Span;

/// A run as long as this was a good one.
const STEADY: Span = Span::mins(5);
/// The pause before a service starts again, doubled with each short run up to the longest.
const FIRST: Span = Span::secs(1);
const LONGEST: Span = Span::mins(5);

/// So many health checks in a row must fail before a service starts again.
pub const FAILED_CHECKS: u32 = 3;

/// How many of the last runs were short, after one that lasted so long.
pub fn short_runs(before: u32, ran: Span) -> u32 {
    if ran >= STEADY { 0 } else { before.saturating_add(1) }
}

/// The pause after so many short runs in a row: 1 s, doubled each time, at most 5 min.
pub fn pause(short: u32) -> Span {
    let doubled = 1u64.checked_shl(short.saturating_sub(1)).unwrap_or(u64::MAX);
    Span(FIRST.0.saturating_mul(doubled).min(LONGEST.0))
}

/// Whether others may take `take` of `holding` tasks: never below the baseline.
pub fn may_give(baseline: u32, holding: u32, take: u32) -> bool {
    baseline == 0 || holding.saturating_sub(take) >= baseline
}

/// How many tasks a service may want: from its gang's minimum to what was submitted.
pub fn sizes(min: u32, submitted: u32) -> RangeInclusive<u32> {
    min..=submitted
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn short_runs_make_the_pause_longer_and_a_long_one_makes_good() {
        let mut short = 0;
        let pauses: Vec<Span> = (0..4)
            .map(|_| {
                short = short_runs(short, Span::secs(2));
                pause(short)
            })
            .collect();
        assert_eq!(pauses, [1, 2, 4, 8].map(Span::secs));
        assert_eq!(short_runs(short, STEADY), 0);
        assert_eq!([0, 1, 64, 65, u32::MAX].map(pause), [FIRST, FIRST, LONGEST, LONGEST, LONGEST]);
        assert_eq!(short_runs(u32::MAX, Span::ZERO), u32::MAX);
    }

    #[test]
    fn the_baseline_stays_and_what_has_none_gives_all() {
        assert!(may_give(0, 1, 1));
        assert!(may_give(2, 3, 1));
        assert!(!may_give(2, 3, 2) && !may_give(2, 2, 1) && !may_give(2, 1, 1));
    }
}
