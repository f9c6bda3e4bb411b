//! How many nodes a pool should have.

use crate::base::{Mono, Span};

/// After a node could not be made, none is asked for this long.
pub const RETRY_AFTER: Span = Span::mins(1);

/// How many nodes to add to `have`: up to the minimum at once, and for what waits, never beyond
/// the most. `failed` is when one could last not be made.
pub fn grows(
    have: u32,
    min: u32,
    most: u32,
    waits_for: u32,
    failed: Option<Mono>,
    now: Mono,
) -> u32 {
    if failed.is_some_and(|failed| failed + RETRY_AFTER > now) {
        return 0;
    }
    let wanted = have.saturating_add(waits_for).max(min).min(most);
    wanted.saturating_sub(have)
}

/// Whether an unused node goes: above the most at once, above the minimum when it has not been
/// used for long.
pub fn goes(have: u32, min: u32, most: u32, used: Mono, shrink_after: Span, now: Mono) -> bool {
    have > most || have > min && used + shrink_after <= now
}

#[cfg(test)]
mod tests {
    use super::*;

    const NOW: Mono = Mono(1_000_000);

    #[test]
    fn it_grows_to_its_minimum_and_for_what_waits_up_to_its_most() {
        for (have, waits, added) in
            [(0, 0, 1), (1, 0, 0), (1, 2, 2), (3, 9, 1), (4, 1, 0), (9, 1, 0)]
        {
            assert_eq!(grows(have, 1, 4, waits, None, NOW), added, "{have} {waits}");
        }
        assert_eq!(grows(0, 2, 1, 0, None, NOW), 1, "the cap counts more than the minimum");
        assert_eq!(grows(0, 1, 4, 1, Some(NOW), NOW), 0);
        assert_eq!(grows(0, 1, 4, 1, Some(NOW), NOW + RETRY_AFTER), 1);
    }

    #[test]
    fn an_unused_node_goes_after_a_while_but_not_below_the_minimum() {
        let goes = |have, since: u64| goes(have, 1, 3, Mono(NOW.0 - since), Span(100), NOW);
        assert!(goes(2, 100) && goes(4, 0));
        assert!(!goes(2, 99) && !goes(1, 1000));
    }
}
