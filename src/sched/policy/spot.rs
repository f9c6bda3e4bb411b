//! Spot nodes: who may run there, and how a warning divides the time that is left.

use crate::base::Span;

/// Kept between the last process's end and the node's, for what must still be written down.
const MARGIN: Span = Span::secs(2);

/// Whether a task may be placed on a node: on a spot node only one of a job that said so and that
/// can stop and come back. Where the rule is off a spot node is like any other.
pub fn may_use(in_force: bool, spot_node: bool, said_spot: bool, comes_back: bool) -> bool {
    !in_force || !spot_node || said_spot && comes_back
}

/// How long what runs on a node gets at most, warning signal and grace together, when the node
/// vanishes after `left`: all of it but a margin, and of a short time three quarters.
pub fn within(left: Span) -> Span {
    if left > MARGIN.percent(400) { left - MARGIN } else { left.percent(75) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_who_said_so_and_can_come_back_goes_to_a_spot_node() {
        for (in_force, node, said, back, may) in [
            (true, false, false, false, true),
            (true, true, true, true, true),
            (true, true, true, false, false),
            (true, true, false, true, false),
            (false, true, false, false, true),
        ] {
            assert_eq!(may_use(in_force, node, said, back), may);
        }
    }

    #[test]
    fn everything_is_over_before_the_node_is() {
        assert_eq!(within(Span::secs(120)), Span::secs(118));
        assert_eq!(within(Span::secs(4)), Span::secs(3));
        assert_eq!(within(Span::ZERO), Span::ZERO);
    }
}
