//! Boosts that grow with time: whole steps, each with the instant of the next, so that nothing
//! has to be looked at meanwhile (DESIGN.md 5.5).
//!
//! A job that waits goes up one step when its patience is over and another whenever its wait has
//! doubled since: with 30 minutes at 30 min, 1 h, 2 h and 4 h. Steps are bounded, so a job goes
//! up by one tier at most and has a handful of timers in its life.

use crate::base::{Mono, Span};
use crate::model::job::urgency::BOOST_STEPS_MAX;

/// Steps of ageing at most.
pub const AGEING_MAX: u8 = BOOST_STEPS_MAX;
/// Steps for retries at most.
pub const RETRY_MAX: u8 = 2;

/// When a job that waits since then goes up from `steps`; `None` if it never does.
pub fn next_ageing(since: Mono, steps: u8, patience: Span) -> Option<Mono> {
    if steps >= AGEING_MAX || patience == Span::ZERO {
        return None;
    }
    Some(since + Span(patience.0.saturating_mul(1 << steps)))
}

/// The steps of a job that has waited so long.
pub fn ageing(waited: Span, patience: Span) -> u8 {
    let reached = |steps: &u8| {
        next_ageing(Mono(0), *steps, patience).is_some_and(|due| Mono(0) + waited >= due)
    };
    (0..AGEING_MAX).take_while(reached).map(|steps| steps + 1).last().unwrap_or(0)
}

/// The steps of a job that was tried again so often.
pub fn retry(retries: u32) -> u8 {
    u8::try_from(retries).unwrap_or(u8::MAX).min(RETRY_MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_wait_goes_up_at_patience_and_whenever_it_has_doubled() {
        let steps = |mins| ageing(Span::mins(mins), Span::mins(30));
        let at = [0, 29, 30, 59, 60, 119, 120, 240, 100_000].map(steps);
        assert_eq!(at, [0, 0, 1, 1, 2, 2, 3, 4, 4]);
    }

    #[test]
    fn the_timer_is_the_instant_the_steps_change() {
        let (since, patience) = (Mono(7), Span::mins(30));
        for steps in 0..AGEING_MAX {
            let due = next_ageing(since, steps, patience).unwrap();
            assert_eq!(ageing(due.since(since), patience), steps + 1);
            assert_eq!(ageing(Span(due.since(since).0 - 1), patience), steps);
        }
        assert_eq!(next_ageing(since, AGEING_MAX, patience), None);
    }

    #[test]
    fn no_patience_is_no_ageing_and_nothing_wraps() {
        assert_eq!(ageing(Span::hours(9), Span::ZERO), 0);
        assert_eq!(next_ageing(Mono(0), 0, Span::ZERO), None);
        assert_eq!(ageing(Span::hours(9), Span(u64::MAX)), 0);
    }

    #[test]
    fn retries_go_up_to_two_steps() {
        assert_eq!([0, 1, 2, 3, u32::MAX].map(retry), [0, 1, 2, 2, 2]);
    }
}
