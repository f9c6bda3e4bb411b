//! How long a failed job waits before its next attempt.

use crate::base::Span;

/// The first pause.
const FIRST: Span = Span::secs(10);
/// The longest pause.
const LONGEST: Span = Span::mins(10);

/// The pause before retry number `retry` (from 0): 10 s, doubled each time, at most 10 min.
pub fn backoff(retry: u32) -> Span {
    let doubled = FIRST.0.saturating_mul(1u64.checked_shl(retry).unwrap_or(u64::MAX));
    Span(doubled.min(LONGEST.0))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_pause_doubles_to_its_bound_and_never_wraps() {
        assert_eq!([0, 1, 2].map(backoff), [10, 20, 40].map(Span::secs));
        assert_eq!([6, 63, 64, u32::MAX].map(backoff), [LONGEST; 4]);
    }
}
