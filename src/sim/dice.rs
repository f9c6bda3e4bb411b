//! Chance that follows from a seed: SplitMix64 (Steele, Lea and Flood, OOPSLA 2014), which is
//! enough for made-up workloads and needs no state but one number.

use crate::base::Span;

/// A stream of chance.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Dice {
    state: u64,
}

/// The increment of the generator's state.
const STEP: u64 = 0x9E37_79B9_7F4A_7C15;

impl Dice {
    /// The stream of a seed.
    pub fn new(seed: u64) -> Dice {
        Dice { state: seed }
    }

    /// A stream of its own for one thing, so that what happens to others does not move it.
    pub fn of(seed: u64, parts: &[u64]) -> Dice {
        let mix = |mut dice: Dice, part: &u64| {
            let drawn = dice.roll();
            Dice { state: drawn ^ part.wrapping_mul(STEP) }
        };
        parts.iter().fold(Dice { state: seed }, mix)
    }

    /// 64 bits.
    pub fn roll(&mut self) -> u64 {
        self.state = self.state.wrapping_add(STEP);
        let z = self.state;
        let z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        let z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }

    /// A number below `n`; 0 if there is none.
    pub fn below(&mut self, n: u64) -> u64 {
        let product = u128::from(self.roll()) * u128::from(n);
        u64::try_from(product >> 64).unwrap_or(0)
    }

    /// A number from `low` to `high`, both included; `low` if they are the wrong way round.
    pub fn between(&mut self, low: u64, high: u64) -> u64 {
        low.saturating_add(self.below(high.saturating_sub(low).saturating_add(1)))
    }

    /// True in `permille` of a thousand cases.
    pub fn chance(&mut self, permille: u64) -> bool {
        self.below(1000) < permille
    }

    /// One of several; `None` of none.
    pub fn pick<'a, T>(&mut self, from: &'a [T]) -> Option<&'a T> {
        let index = self.below(from.len() as u64);
        from.get(usize::try_from(index).ok()?)
    }

    /// A length between two, short ones more often than long ones.
    pub fn span(&mut self, low: Span, high: Span) -> Span {
        let first = self.between(low.0, high.0);
        Span(first.min(self.between(low.0, high.0)))
    }

    /// A length that is up to `percent` hundredths shorter or longer.
    pub fn about(&mut self, span: Span, percent: u64) -> Span {
        let less = 100 - percent.min(100);
        Span(self.between(span.percent(less).0, span.percent(100 + percent).0))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_stream_is_the_published_one() {
        let mut dice = Dice::new(1_234_567);
        assert_eq!(dice.roll(), 6_457_827_717_110_365_317);
        assert_eq!(dice.roll(), 3_203_168_211_198_807_973);
    }

    #[test]
    fn draws_stay_in_their_bounds_and_reach_them() {
        let mut dice = Dice::new(7);
        let drawn: std::collections::BTreeSet<u64> = (0..500).map(|_| dice.between(3, 9)).collect();
        assert_eq!(drawn.into_iter().collect::<Vec<_>>(), [3, 4, 5, 6, 7, 8, 9]);
        assert_eq!((dice.below(0), dice.between(5, 2)), (0, 5));
        assert_eq!(dice.pick::<u8>(&[]), None);
        assert!(!dice.chance(0) && dice.chance(1000));
        let about = dice.about(Span::secs(100), 20);
        assert!((Span::secs(80)..=Span::secs(120)).contains(&about));
    }

    #[test]
    fn things_have_streams_of_their_own() {
        let one = Dice::of(7, &[1, 2]).roll();
        assert_eq!(one, Dice::of(7, &[1, 2]).roll());
        for other in [Dice::of(7, &[2, 1]), Dice::of(8, &[1, 2]), Dice::of(7, &[1])] {
            assert_ne!(one, other.clone().roll());
        }
    }
}
