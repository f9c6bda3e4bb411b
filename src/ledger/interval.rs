//! A stretch of time in which the same was held by the same in the same way.

use crate::base::{Mono, Name, Span, TaskId};
use crate::ledger::amounts::Amounts;
use crate::model::fact::Class;

/// A stretch of time, `from` included and `to` not. Never empty in time or amounts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Interval {
    /// Where; `None` for countable resources that nobody holds: they are the whole
    /// installation's. Those that a task holds stand beside its other amounts.
    pub node: Option<Name>,
    /// Whose, if somebody's.
    pub holder: Option<Holder>,
    /// How it is booked.
    pub class: Class,
    /// From this instant on the scheduler's clock.
    pub from: Mono,
    /// Up to this one.
    pub to: Mono,
    /// How much, all the time.
    pub amounts: Amounts,
}

/// Somebody who holds room.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Holder {
    /// The task: job, attempt and rank.
    pub task: TaskId,
    /// The team that pays for it.
    pub team: Name,
}

impl Interval {
    /// How long.
    pub fn span(&self) -> Span {
        self.to.since(self.from)
    }

    /// The part of it inside a window; `None` if there is none.
    pub fn within(&self, from: Mono, to: Mono) -> Option<Span> {
        let span = self.to.min(to).since(self.from.max(from));
        (span > Span::ZERO).then_some(span)
    }
}

/// Appends an interval unless it is empty.
pub(super) fn push(
    closed: &mut Vec<Interval>,
    (node, holder): (Option<&Name>, Option<Holder>),
    class: Class,
    (from, to): (Mono, Mono),
    amounts: Amounts,
) {
    if to > from && !amounts.is_empty() {
        closed.push(Interval { node: node.cloned(), holder, class, from, to, amounts });
    }
}
