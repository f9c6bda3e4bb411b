//! Deadlines: the latest start, how urgent that makes a job, and whether all can be met.
//!
//! Latest start = deadline − p90 of the run time. It is a static key: of two jobs with the same
//! priority the one with the earlier latest start goes first (least slack first), one without a
//! deadline last. Slack here is what is left until then.

use crate::base::{Span, Wall};
use crate::model::finding::Level;

/// Steps when slack is short: less than half a run.
pub const SOON: u8 = 2;
/// Steps when slack has run out.
pub const OUT: u8 = 4;

/// A deadline and the run before it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Due {
    /// To have ended by then.
    pub deadline: Wall,
    /// What nine of ten such runs take at most; zero if nothing is known.
    pub p90: Span,
}

impl Due {
    /// When it must start to end in time.
    pub fn latest_start(&self) -> Wall {
        before(self.deadline, self.p90)
    }

    /// From when on it is too late to start.
    pub fn late(&self) -> Wall {
        Wall(self.latest_start().0.saturating_add(1))
    }

    /// From when slack is short.
    pub fn soon(&self) -> Wall {
        before(self.latest_start(), Span(self.p90.0 / 2))
    }

    /// The boost of a job that waits.
    pub fn steps(&self, now: Wall) -> u8 {
        match now {
            now if now >= self.latest_start() => OUT,
            now if now >= self.soon() => SOON,
            _ => 0,
        }
    }

    /// How much in danger it is, with so much of its run done already.
    pub fn risk(&self, now: Wall, ran: Span) -> Option<Level> {
        let left = Span(self.p90.0.saturating_sub(ran.0));
        match now {
            now if now >= self.deadline => Some(Level::Suspect),
            now if now > before(self.deadline, left) => Some(Level::Notice),
            _ => None,
        }
    }

    /// The first instant after `now` at which boost or risk of a job that waits changes.
    pub fn next(&self, now: Wall) -> Option<Wall> {
        let instants = [self.soon(), self.latest_start(), self.late(), self.deadline];
        instants.into_iter().filter(|at| *at > now).min()
    }
}

fn before(at: Wall, span: Span) -> Wall {
    Wall(at.0.saturating_sub(i64::try_from(span.0).unwrap_or(i64::MAX)))
}

/// Work that must be done by a deadline.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Work {
    /// By then.
    pub deadline: Wall,
    /// Amount times milliseconds.
    pub volume: u128,
}

/// The demand test: whether the work of all deadlines up to `by` fits in what `capacity` can do
/// until then. A no is certain, a yes is not: the work may not pack. Answers the demand and what
/// there is, in amount times milliseconds, if it does not fit.
pub fn overdemand(now: Wall, by: Wall, works: &[Work], capacity: u64) -> Option<(u128, u128)> {
    let sooner = works.iter().filter(|work| work.deadline <= by);
    let demand = sooner.fold(0u128, |sum, work| sum.saturating_add(work.volume));
    let there = u128::from(by.since(now).0) * u128::from(capacity);
    (demand > there).then_some((demand, there))
}

#[cfg(test)]
mod tests {
    use super::*;

    const DUE: Due = Due { deadline: Wall(10_000), p90: Span(2_000) };

    #[test]
    fn the_boost_comes_with_half_a_run_of_slack_and_again_without_any() {
        assert_eq!((DUE.soon(), DUE.latest_start()), (Wall(7_000), Wall(8_000)));
        let steps = [0, 6_999, 7_000, 7_999, 8_000, 20_000].map(|at| DUE.steps(Wall(at)));
        assert_eq!(steps, [0, 0, SOON, SOON, OUT, OUT]);
    }

    #[test]
    fn a_start_after_the_latest_is_a_risk_and_a_missed_deadline_worse() {
        let waits = |at| DUE.risk(Wall(at), Span::ZERO);
        assert_eq!(
            [8_000, 8_001, 9_999].map(waits),
            [None, Some(Level::Notice), Some(Level::Notice)]
        );
        assert_eq!(waits(10_000), Some(Level::Suspect));
        assert_eq!(DUE.risk(Wall(9_000), Span(1_000)), None, "half of it is done");
        assert_eq!(DUE.risk(Wall(9_999), Span(9_000)), None, "it is over any moment");
    }

    #[test]
    fn between_two_instants_nothing_changes() {
        let state = |at| (DUE.steps(Wall(at)), DUE.risk(Wall(at), Span::ZERO));
        let mut changes = Vec::new();
        let mut now = Wall(0);
        while let Some(next) = DUE.next(now) {
            assert_eq!(state(now.0), state(next.0 - 1));
            changes.push(next.0);
            now = next;
        }
        assert_eq!(changes, [7_000, 8_000, 8_001, 10_000]);
    }

    #[test]
    fn without_an_estimate_only_the_deadline_itself_counts_and_nothing_wraps() {
        let due = Due { p90: Span::ZERO, ..DUE };
        assert_eq!((due.steps(Wall(9_999)), due.risk(Wall(9_999), Span::ZERO)), (0, None));
        let endless = Due { p90: Span(u64::MAX), ..DUE };
        assert_eq!(endless.steps(Wall(0)), OUT);
        let never = Due { deadline: Wall(i64::MIN), ..endless };
        assert_eq!(never.latest_start(), Wall(i64::MIN));
    }

    #[test]
    fn demand_counts_what_is_due_by_then_and_no_later() {
        let work = |deadline, volume| Work { deadline: Wall(deadline), volume };
        let works = [work(10, 30), work(20, 40), work(30, 1_000)];
        assert_eq!(overdemand(Wall(0), Wall(20), &works, 4), None, "70 of 80");
        assert_eq!(overdemand(Wall(0), Wall(20), &works, 3), Some((70, 60)));
        assert_eq!(overdemand(Wall(20), Wall(20), &[work(5, 1)], 9), Some((1, 0)));
    }
}
