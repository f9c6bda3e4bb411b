//! Past usage that fades: `amount · 0.5^(age / half-life)`, kept as one running number.
//!
//! A meter holds amount × seconds. It is wound forward in steps (once a minute is often enough):
//! what it held fades by the step's length, what was held during the step is added. The capacity
//! is metered the same way, so that usage becomes a part of it whatever the half-life.

use crate::base::Span;

/// Billionths.
const BILLION: u128 = 1_000_000_000;
/// Below this part nothing is left of any amount that fits 64 bits.
const HALVINGS_MAX: u64 = 64;
/// Binary digits of the exponent that are looked at: finer than a float can tell.
const DIGITS: u32 = 32;

/// What is left of an amount after `age`. Without a half-life nothing fades; a half-life of zero
/// forgets at once.
pub fn fade(amount: u64, age: Span, half_life: Option<Span>) -> u64 {
    let Some(Span(half_life)) = half_life else { return amount };
    if age.0 == 0 {
        return amount;
    }
    let halvings = age.0.checked_div(half_life).unwrap_or(HALVINGS_MAX);
    if halvings >= HALVINGS_MAX {
        return 0;
    }
    scale(amount >> halvings, half_to_the(age.0 % half_life, half_life))
}

/// One step of a meter: what it held fades by `step`, and `held` is added for that long.
pub fn wind(meter: u64, held: u64, step: Span, half_life: Option<Span>) -> u64 {
    let seconds = u128::from(held) * u128::from(step.0) / 1000;
    fade(meter, step, half_life).saturating_add(u64::try_from(seconds).unwrap_or(u64::MAX))
}

/// A meter as billionths of the capacity's meter; nothing while there is no capacity.
pub fn part_ppb(used: u64, capacity: u64) -> u64 {
    let part = (u128::from(used) * BILLION).checked_div(u128::from(capacity));
    u64::try_from(part.unwrap_or(0)).unwrap_or(u64::MAX)
}

/// `0.5^(age / half_life)` for an age below the half-life: each binary digit of the exponent has
/// its factor, the square root of the one before.
#[expect(clippy::cast_precision_loss, reason = "a ratio; both are far below 2^53")]
fn half_to_the(age: u64, half_life: u64) -> f64 {
    let mut exponent = age as f64 / half_life as f64;
    let (mut factor, mut result) = (0.5_f64, 1.0);
    for _ in 0..DIGITS {
        factor = factor.sqrt();
        exponent *= 2.0;
        if exponent >= 1.0 {
            exponent -= 1.0;
            result *= factor;
        }
    }
    result
}

#[expect(
    clippy::cast_precision_loss,
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "rounded to what a float holds; never below zero, and `as` saturates"
)]
fn scale(amount: u64, factor: f64) -> u64 {
    (amount as f64 * factor) as u64
}

#[cfg(test)]
mod tests {
    use super::*;

    const DAY: Option<Span> = Some(Span::hours(24));

    #[test]
    fn half_is_left_after_one_half_life_and_nothing_in_the_end() {
        assert_eq!(fade(1_000_000, Span::hours(24), DAY), 500_000);
        assert_eq!(fade(1_000_000, Span::hours(12), DAY), 707_106);
        assert_eq!(fade(1_000_000, Span::hours(60), DAY), 176_776);
        assert_eq!(fade(u64::MAX, Span::hours(24 * 64), DAY), 0);
        assert_eq!(fade(7, Span::ZERO, DAY), 7);
    }

    #[test]
    fn without_a_half_life_nothing_fades_and_with_none_left_all_does() {
        assert_eq!(fade(9, Span(u64::MAX), None), 9);
        assert_eq!(fade(9, Span(1), Some(Span::ZERO)), 0);
    }

    #[test]
    fn many_small_steps_fade_like_one_large_step() {
        let start = 1_000_000_000_000_u64;
        let mut stepped = start;
        for _ in 0..24 * 60 {
            stepped = wind(stepped, 0, Span::mins(1), DAY);
        }
        assert!(stepped.abs_diff(start / 2) < start / 1_000_000, "{stepped}");
    }

    #[test]
    fn a_team_that_holds_a_quarter_all_the_time_has_used_a_quarter() {
        let (mut used, mut capacity) = (0, 0);
        for _ in 0..3000 {
            used = wind(used, 4_000, Span::mins(1), DAY);
            capacity = wind(capacity, 16_000, Span::mins(1), DAY);
        }
        assert!(part_ppb(used, capacity).abs_diff(250_000_000) < 1000);
        assert_eq!(part_ppb(5, 0), 0);
        assert_eq!(part_ppb(u64::MAX, 1), u64::MAX);
        assert_eq!(wind(u64::MAX, u64::MAX, Span(u64::MAX), None), u64::MAX);
    }
}
