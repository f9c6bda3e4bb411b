//! Which of two sibling teams is served first, each with its best job (kai.md 1.2).
//!
//! Eight keys, each breaking the tie of those before: a queue over its fair share in every
//! resource goes last; one that stays inside its quota first; priority; one that has no
//! allocatable share of something it holds or wants last; smaller dominant share with the chunk;
//! the same without it; smaller allocatable share; age. The answer changes with every placement,
//! so it is asked again after each.

use std::cmp::Ordering;

use super::amounts::{Amounts, Bound, Bounds, Kind};
use super::queue::Queue;

/// How much worse a resource counts of which a queue may hold nothing.
const NO_SHARE: f64 = 1000.0;

/// A queue and what it would take next.
#[derive(Debug, Clone, Copy)]
pub struct Contender<'a> {
    /// The queue.
    pub queue: &'a Queue,
    /// The next chunk of its best job.
    pub next: Amounts,
    /// What of its allocation is given up already where victims are looked for; else nothing.
    /// It lowers the dominant share with the chunk and nothing else.
    pub given_up: Amounts,
}

/// Where a queue stands among its siblings: all that [`compare`] compares. Worked out once for as
/// long as queue and chunk stay the same.
#[derive(Debug, Clone, Copy)]
pub struct Standing {
    is_over: bool,
    is_owed: bool,
    priority: i64,
    is_without_share: bool,
    with_next: f64,
    without: f64,
    may_hold: Bounds,
    created: u64,
}

impl Standing {
    /// Of a queue with what it would take next. `total` is what the whole cluster has.
    pub fn of(contender: &Contender<'_>, total: &Amounts) -> Standing {
        let Contender { queue, next, given_up } = contender;
        let with_next = queue.allocated.plus(next);
        let may = queue.allocatable();
        let dominant = |held: &Amounts| {
            let share = |kind| share(held.get(kind), may.get(kind), total.get(kind), kind);
            Kind::ALL.into_iter().map(share).fold(0.0, f64::max)
        };
        let over = |kind| queue.allocated.get(kind) > queue.fair.get(kind);
        let none_of = |kind| may.get(kind) == Some(0) && with_next.get(kind) > 0;
        Standing {
            is_over: Kind::ALL.into_iter().all(over),
            is_owed: with_next.within(&queue.quota),
            priority: queue.priority,
            is_without_share: Kind::ALL.into_iter().any(none_of),
            with_next: dominant(&with_next.minus(given_up)),
            without: dominant(&queue.allocated),
            may_hold: may,
            created: queue.created,
        }
    }

    /// `Less` if this one is served first; `Equal` only if all eight keys tie.
    pub fn order(&self, other: &Standing) -> Ordering {
        let (a, b) = (self, other);
        a.is_over
            .cmp(&b.is_over)
            .then_with(|| b.is_owed.cmp(&a.is_owed))
            .then_with(|| b.priority.cmp(&a.priority))
            .then_with(|| a.is_without_share.cmp(&b.is_without_share))
            .then_with(|| a.with_next.total_cmp(&b.with_next))
            .then_with(|| a.without.total_cmp(&b.without))
            .then_with(|| smaller(&a.may_hold, &b.may_hold))
            .then_with(|| a.created.cmp(&b.created))
    }
}

/// Part of what a queue may hold that it does hold. An unlimited share is taken for the whole
/// cluster. Where nothing may be held it is the amount itself (GPUs in devices) a thousandfold.
#[expect(clippy::cast_precision_loss, reason = "a ratio; exact below 2^53")]
fn share(held: u64, may: Bound, total: u64, kind: Kind) -> f64 {
    match may.unwrap_or(total) {
        0 => held as f64 / kind.unit() as f64 * NO_SHARE,
        may => held as f64 / may as f64,
    }
}

/// `Less` if `a` is served before `b`; `Equal` only if all eight keys tie. `total` is what the
/// whole cluster has.
pub fn compare(a: &Contender<'_>, b: &Contender<'_>, total: &Amounts) -> Ordering {
    Standing::of(a, total).order(&Standing::of(b, total))
}

/// The one whose allocatable share is smaller in some resource and larger in none.
fn smaller(a: &Bounds, b: &Bounds) -> Ordering {
    let size = |bound: Bound| (bound.is_none(), bound.unwrap_or(0));
    let orders = Kind::ALL.map(|kind| size(a.get(kind)).cmp(&size(b.get(kind))));
    match (orders.contains(&Ordering::Less), orders.contains(&Ordering::Greater)) {
        (true, false) => Ordering::Less,
        (false, true) => Ordering::Greater,
        _ => Ordering::Equal,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TOTAL: Amounts = Amounts { cpu_milli: 100, mem_bytes: 100, gpu_milli: 100_000 };

    /// A queue of GPUs: quota, fair share, held.
    fn queue(quota: u64, fair: u64, held: u64) -> Queue {
        let gpus = |n: u64| Amounts { gpu_milli: n * 1000, ..Amounts::default() };
        let quota = Bounds::from(gpus(quota));
        Queue { quota, fair: gpus(fair), allocated: gpus(held), ..Queue::default() }
    }

    fn order(a: &Queue, a_next: u64, b: &Queue, b_next: u64) -> Ordering {
        let contender = |queue, next| {
            let next = Amounts { gpu_milli: next * 1000, ..Amounts::default() };
            Contender { queue, next, given_up: Amounts::default() }
        };
        let (a, b) = (contender(a, a_next), contender(b, b_next));
        assert_eq!(compare(&b, &a, &TOTAL), compare(&a, &b, &TOTAL).reverse());
        compare(&a, &b, &TOTAL)
    }

    #[test]
    fn over_its_share_in_everything_goes_last_whatever_its_priority() {
        let all = |n| Amounts::each(|_| n);
        let over = Queue { allocated: all(5), fair: all(4), priority: 9, ..Queue::default() };
        let under = Queue { allocated: all(5), fair: all(5), quota: all(1).into(), ..over };
        let under = Queue { priority: 0, ..under };
        assert_eq!(order(&under, 1, &over, 0), Ordering::Less);
        let over_in_two = Queue { fair: Amounts { mem_bytes: 5, ..all(4) }, ..over };
        assert_eq!(order(&over_in_two, 0, &under, 1), Ordering::Less);
    }

    #[test]
    fn inside_quota_with_the_chunk_beats_priority_and_priority_beats_shares() {
        let owed = queue(3, 3, 2);
        let high = Queue { priority: 5, ..queue(1, 9, 1) };
        assert_eq!(order(&owed, 1, &high, 1), Ordering::Less);
        assert_eq!(order(&owed, 2, &high, 1), Ordering::Greater);
    }

    #[test]
    fn wanting_what_one_may_not_hold_goes_behind_any_dominant_share() {
        let none = queue(0, 0, 0);
        let heavy = queue(1, 2, 50);
        assert_eq!(order(&none, 1, &heavy, 1), Ordering::Greater);
        assert_eq!(order(&none, 0, &heavy, 1), Ordering::Less);
    }

    #[test]
    fn the_dominant_share_counts_with_the_chunk_then_without() {
        assert_eq!(order(&queue(0, 10, 1), 5, &queue(0, 10, 2), 1), Ordering::Greater);
        assert_eq!(order(&queue(0, 10, 1), 2, &queue(0, 10, 2), 1), Ordering::Less);
        let unlimited = Queue { quota: Bounds::default(), ..queue(0, 0, 1) };
        let same = Queue { quota: Bounds::default(), ..queue(0, 0, 2) };
        assert_eq!(order(&unlimited, 1, &same, 1), Ordering::Less);
    }

    #[test]
    fn what_a_queue_gave_up_counts_for_its_share_with_the_chunk() {
        let queue = queue(0, 10, 6);
        let all = Contender { queue: &queue, next: Amounts::default(), given_up: queue.allocated };
        let none = Contender { given_up: Amounts::default(), ..all };
        assert_eq!(compare(&all, &none, &TOTAL), Ordering::Less);
    }

    #[test]
    fn smaller_then_older_breaks_the_last_ties() {
        let (small, large) = (queue(0, 5, 0), queue(0, 6, 0));
        assert_eq!(order(&small, 0, &large, 0), Ordering::Less);
        let young = Queue { created: 1, ..small };
        assert_eq!(order(&small, 0, &young, 0), Ordering::Less);
        assert_eq!(order(&small, 0, &small, 0), Ordering::Equal);
    }
}
