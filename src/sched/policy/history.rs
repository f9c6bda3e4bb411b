//! What is learned from the runs of a class of similar jobs: how long the next one will take.
//!
//! The last runs are kept, those that were cut short as "at least so long". From them the
//! median, for orders, and the 90th percentile, for promises (DESIGN.md 5.4), by the estimator
//! of Kaplan and Meier (1958): without cut runs both are plain nearest-rank quantiles. What the
//! runs do not say, a prior says, which is doubled as often as it has been outlived.

use std::collections::VecDeque;

use serde::{Deserialize, Serialize};

use crate::base::Span;
use crate::model::estimate::Confidence;

/// How many runs are remembered.
pub const REMEMBERED: usize = 64;
/// From so many complete runs on, the 90th percentile is more than the longest of them.
const ENOUGH: usize = 10;

/// One run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Sample {
    /// Time it ran, without pauses.
    pub ran: Span,
    /// It ended by itself; else it was parked, killed or evicted and would have run longer.
    pub complete: bool,
}

/// The last runs of a class, oldest first.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct History {
    samples: VecDeque<Sample>,
}

/// What the next run is expected to take.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Estimate {
    /// As likely shorter as longer.
    pub median: Span,
    /// Nine of ten are no longer.
    pub p90: Span,
    /// How much that is worth.
    pub confidence: Confidence,
    /// Complete runs behind it.
    pub complete: usize,
}

impl History {
    /// A run is over; the oldest one is forgotten for it.
    pub fn note(&mut self, sample: Sample) {
        if self.samples.len() >= REMEMBERED {
            self.samples.pop_front();
        }
        self.samples.push_back(sample);
    }

    /// How many runs are remembered.
    pub fn len(&self) -> usize {
        self.samples.len()
    }

    /// Nothing is remembered.
    pub fn is_empty(&self) -> bool {
        self.samples.is_empty()
    }

    /// The estimate, with a prior for what the runs leave open.
    pub fn estimate(&self, prior: Span) -> Estimate {
        let mut sorted: Vec<Sample> = self.samples.iter().copied().collect();
        // Of equal lengths the complete one first: the cut one was still at risk then.
        sorted.sort_by_key(|sample| (sample.ran, !sample.complete));
        let longest = sorted.last().map_or(Span::ZERO, |sample| sample.ran);
        let open = outlived(prior, longest);
        let complete = sorted.iter().filter(|sample| sample.complete).count();
        Estimate {
            median: quantile(&sorted, 0.5).unwrap_or(open),
            p90: quantile(&sorted, 0.9).unwrap_or(open),
            confidence: match complete {
                0 => Confidence::None,
                1..ENOUGH => Confidence::Low,
                _ => Confidence::High,
            },
            complete,
        }
    }
}

/// The shortest length that this share of the runs does not exceed; `None` where too many were
/// cut before. `sorted` by length, complete before cut.
fn quantile(sorted: &[Sample], share: f64) -> Option<Span> {
    // Rounding must not move an exact rank to the next run.
    const ROUNDING: f64 = 1e-9;
    let mut surviving = 1.0;
    let mut at_risk = f64::from(u32::try_from(sorted.len()).ok()?);
    for sample in sorted {
        if sample.complete {
            surviving *= (at_risk - 1.0) / at_risk;
            if surviving <= 1.0 - share + ROUNDING {
                return Some(sample.ran);
            }
        }
        at_risk -= 1.0;
    }
    None
}

/// What outlives its estimate is taken for so long at least: of a run that is a second late nobody
/// knows that it ends in the next, and what was promised on that would be put off every second.
const OUTLIVED_MIN: Span = Span::mins(1);

/// A prior, doubled until it is longer than what it was outlived by. At least a minute.
pub fn outlived(prior: Span, ran: Span) -> Span {
    let mut longer = prior.max(OUTLIVED_MIN);
    while longer <= ran && longer.0 < u64::MAX {
        longer = longer + longer;
    }
    longer
}

/// What is expected in all of a run that has taken so long: the estimate until it is outlived,
/// then the limit, where there is one; without one, the estimate doubled.
pub fn corrected(estimate: Span, ran: Span, limit: Option<Span>) -> Span {
    let estimate = limit.map_or(estimate, |limit| limit.min(estimate));
    match limit {
        _ if estimate > ran => estimate,
        Some(limit) if limit > ran => limit,
        // At its limit it is about to be stopped.
        Some(_) => ran,
        None => outlived(estimate, ran),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::collection::vec;
    use proptest::prelude::*;

    const PRIOR: Span = Span::mins(10);

    fn history(runs: &[(u64, bool)]) -> History {
        let mut history = History::default();
        for (ran, complete) in runs {
            history.note(Sample { ran: Span::secs(*ran), complete: *complete });
        }
        history
    }

    fn secs(estimate: Estimate) -> (u64, u64) {
        (estimate.median.0 / 1000, estimate.p90.0 / 1000)
    }

    #[test]
    fn without_any_run_the_prior_speaks_and_nobody_trusts_it() {
        let estimate = history(&[]).estimate(PRIOR);
        assert_eq!((estimate.median, estimate.p90), (PRIOR, PRIOR));
        assert_eq!((estimate.confidence, estimate.complete), (Confidence::None, 0));
    }

    #[test]
    fn a_cut_run_says_at_least() {
        // After Kaplan and Meier: survival 4/5 at 10, 4/5 x 2/3 at 30, 0 at 50.
        let runs = [(10, true), (20, false), (30, true), (40, false), (50, true)];
        assert_eq!(secs(history(&runs).estimate(PRIOR)), (50, 50));
        let without = [(10, true), (30, true), (50, true)];
        assert_eq!(secs(history(&without).estimate(PRIOR)), (30, 50));
        // Of two runs that took 20, the cut one was longer.
        let tie = [(20, false), (20, true), (90, true)];
        assert_eq!(secs(history(&tie).estimate(PRIOR)), (90, 90));
    }

    #[test]
    fn where_the_longest_were_cut_the_prior_is_doubled_past_them() {
        let estimate = history(&[(60, true), (70, true), (1500, false)]).estimate(PRIOR);
        assert_eq!(secs(estimate), (70, 2400));
        assert_eq!(estimate.confidence, Confidence::Low);
        let only_cut = history(&[(1500, false)]).estimate(PRIOR);
        assert_eq!((secs(only_cut), only_cut.confidence), ((2400, 2400), Confidence::None));
    }

    #[test]
    fn only_the_last_runs_count_and_ten_are_enough() {
        let old: Vec<_> = (0..REMEMBERED).map(|_| (9_000, true)).collect();
        let mut learned = history(&old);
        (0..REMEMBERED).for_each(|_| {
            learned.note(Sample { ran: Span::secs(5), complete: true });
        });
        assert_eq!((learned.len(), secs(learned.estimate(PRIOR))), (REMEMBERED, (5, 5)));
        assert_eq!(learned.estimate(PRIOR).confidence, Confidence::High);
        let ten: Vec<_> = (1..=10).map(|ran| (ran, true)).collect();
        assert_eq!(secs(history(&ten).estimate(PRIOR)), (5, 9));
        assert_eq!(history(&ten[1..]).estimate(PRIOR).confidence, Confidence::Low);
        assert!(history(&[]).is_empty() && !history(&ten).is_empty());
    }

    #[test]
    fn an_overrun_goes_to_the_limit_and_doubles_without_one() {
        let secs = Span::secs;
        assert_eq!(corrected(secs(60), secs(10), Some(secs(300))), secs(60));
        assert_eq!(corrected(secs(60), secs(60), Some(secs(300))), secs(300));
        assert_eq!(corrected(secs(900), secs(10), Some(secs(300))), secs(300));
        assert_eq!(corrected(secs(60), secs(301), Some(secs(300))), secs(301));
        assert_eq!(corrected(secs(60), secs(130), None), secs(240));
        assert_eq!(corrected(secs(1), secs(1), None), secs(60), "not 2, 4, 8 seconds");
        assert_eq!(corrected(secs(1), secs(60), None), secs(120));
        assert_eq!(outlived(Span::ZERO, Span(u64::MAX)), Span(u64::MAX));
    }

    proptest! {
        #[test]
        fn complete_runs_give_nearest_ranks(mut runs in vec(0..500u64, 1..=REMEMBERED)) {
            let all: Vec<_> = runs.iter().map(|ran| (*ran, true)).collect();
            runs.sort_unstable();
            let rank = |percent: usize| runs[(runs.len() * percent).div_ceil(100) - 1];
            prop_assert_eq!(secs(history(&all).estimate(PRIOR)), (rank(50), rank(90)));
        }

        #[test]
        fn a_run_cut_instead_of_complete_never_shortens_an_estimate(
            runs in vec((0..500u64, any::<bool>()), 1..=REMEMBERED), which in any::<usize>(),
        ) {
            let which = which % runs.len();
            let (mut complete, mut cut) = (runs.clone(), runs);
            (complete[which].1, cut[which].1) = (true, false);
            let (before, after) =
                (history(&complete).estimate(PRIOR), history(&cut).estimate(PRIOR));
            prop_assert!(before.median <= after.median && before.p90 <= after.p90);
        }
    }
}
