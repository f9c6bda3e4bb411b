//! Usage that fades: what a fair share remembers of the past. Of a use that was some time ago
//! half counts after one half-life, a quarter after two. No floats: fixed point, so that every
//! machine decides alike.
//!
//! [`faded`] weighs one stretch of time, [`by_team`] sums intervals. Whoever needs such a sum all
//! the time winds a running one forward (`sched/policy/usage`); a test compares the two.

use std::collections::BTreeMap;

use crate::base::{Mono, Name, Span};
use crate::ledger::amounts::Amounts;
use crate::ledger::interval::Interval;

/// One, with 62 binary places.
const ONE: u64 = 1 << 62;
/// Binary places of a fraction of a half-life.
const STEPS: usize = 32;
/// 2^(-1/2), 2^(-1/4), 2^(-1/8) …: each is the square root of the one before.
const ROOTS: [u64; STEPS] = roots();
/// 1 / ln 2 with 32 binary places: the time a use that never ends is worth, in half-lives.
const LASTING: u128 = 6_196_328_019;

/// Faded amounts times milliseconds.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Faded {
    /// Thousandths of a core × ms.
    pub cpu_milli_ms: u128,
    /// Bytes × ms.
    pub mem_byte_ms: u128,
    /// Thousandths of devices × ms.
    pub gpu_milli_ms: u128,
}

const fn roots() -> [u64; STEPS] {
    let mut roots = [0; STEPS];
    let mut last = ONE / 2;
    let mut at = 0;
    while at < STEPS {
        last = root_of(last);
        roots[at] = last;
        at += 1;
    }
    roots
}

/// The square root of a number with 62 binary places.
#[expect(clippy::cast_possible_truncation, reason = "the root of less than 2^124 has 62 bits")]
const fn root_of(n: u64) -> u64 {
    ((n as u128) << 62).isqrt() as u64
}

/// 2^(-age / half-life) with 62 binary places: one for what is new, zero for the very old. A
/// half-life of zero forgets at once.
pub fn weight(age: Span, half_life: Span) -> u64 {
    if age == Span::ZERO {
        return ONE;
    }
    let Some(halvings) = age.0.checked_div(half_life.0) else { return 0 };
    if halvings >= 62 {
        return 0;
    }
    let rest = u128::from(age.0 % half_life.0);
    let fraction = (rest << STEPS) / u128::from(half_life.0);
    let set = |bit: usize| fraction >> (STEPS - 1 - bit) & 1 == 1;
    let steps = ROOTS.iter().enumerate().filter(|(bit, _)| set(*bit));
    steps.fold(ONE, |weight, (_, root)| scaled(u128::from(weight), *root)) >> halvings
}

/// A number of at most 62 bits times a weight.
fn scaled(n: u128, weight: u64) -> u64 {
    u64::try_from((n * u128::from(weight)) >> 62).unwrap_or(u64::MAX)
}

/// What a stretch of time is worth at `now`, in milliseconds with 20 binary places: its length
/// if it is new, less the longer ago it was.
pub fn faded(from: Mono, to: Mono, now: Mono, half_life: Span) -> u128 {
    let to = to.min(now);
    if from >= to || half_life == Span::ZERO {
        return 0;
    }
    let (new, old) = (weight(now.since(to), half_life), weight(now.since(from), half_life));
    // The integral of 2^(-age / half-life) is half-life / ln 2 times the difference.
    let difference = u128::from(new.saturating_sub(old)) >> 10;
    (u128::from(half_life.0).saturating_mul(difference) >> 32).saturating_mul(LASTING) >> 32
}

/// Each team's faded usage at `now`.
pub fn by_team<'a>(
    intervals: impl Iterator<Item = &'a Interval>,
    now: Mono,
    half_life: Span,
) -> BTreeMap<Name, Faded> {
    let mut sums: BTreeMap<Name, Faded> = BTreeMap::new();
    for interval in intervals {
        let Some(holder) = &interval.holder else { continue };
        let worth = faded(interval.from, interval.to, now, half_life);
        sums.entry(holder.team.clone()).or_default().add(&interval.amounts, worth);
    }
    sums
}

impl Faded {
    /// Adds amounts for a time as [`faded`] gives it.
    fn add(&mut self, amounts: &Amounts, worth: u128) {
        let times = |amount: u64| u128::from(amount).saturating_mul(worth) >> 20;
        self.cpu_milli_ms = self.cpu_milli_ms.saturating_add(times(amounts.cpu_milli));
        self.mem_byte_ms = self.mem_byte_ms.saturating_add(times(amounts.mem_bytes));
        let gpus = amounts.gpus.iter().map(|share| times(share.milli)).sum();
        self.gpu_milli_ms = self.gpu_milli_ms.saturating_add(gpus);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const DAY: Span = Span::hours(24);

    /// Within so many millionths.
    fn near(found: u128, wanted: u128, millionths: u128) -> bool {
        found.abs_diff(wanted) * 1_000_000 <= wanted * millionths
    }

    #[test]
    fn a_weight_halves_with_every_half_life() {
        assert_eq!(weight(Span::ZERO, DAY), ONE);
        assert_eq!(weight(DAY, DAY), ONE / 2);
        assert_eq!(weight(Span::hours(72), DAY), ONE / 8);
        // 2^(-1/2) = 0.7071067811865475…
        let root = (u128::from(weight(Span::hours(12), DAY)) * 10_000_000_000) >> 62;
        assert_eq!(root, 7_071_067_811);
        assert_eq!((weight(Span(5), Span::ZERO), weight(Span(u64::MAX), DAY)), (0, 0));
        let ages = (0..500).map(|n| weight(Span(n * 977_777), DAY));
        assert!(ages.collect::<Vec<_>>().is_sorted_by(|a, b| a > b));
    }

    #[test]
    fn what_is_new_counts_whole_and_all_the_past_a_half_life_over_ln_2() {
        let now = Mono(100 * DAY.0);
        let worth = |from, to| faded(from, to, now, DAY) >> 20;
        assert!(near(worth(now - Span::secs(60), now), 59_985, 600));
        assert!(near(worth(Mono(0), now), (u128::from(DAY.0) * LASTING) >> 32, 10));
        let old = worth(now - DAY - Span::secs(60), now - DAY);
        assert!(near(old * 2, 59_985, 600), "{old}");
        assert_eq!(faded(now, now + DAY, now, DAY), 0, "what is to come does not count");
    }
}
