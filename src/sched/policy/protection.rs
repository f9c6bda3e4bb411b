//! How long a job is safe once it runs, and how long it must wait before it may evict others
//! (kai.md 1.5).
//!
//! A minimum runtime is looked up along the victim's line of teams. While it lasts a job is no
//! victim, except that an elastic one may lose what it has above its minimum.

use crate::base::{Mono, Span};

/// What a team says of minimum runtimes; a tree is a slice, parents are places in it.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Level {
    /// Its parent's place in the slice; `None` at the top.
    pub parent: Option<usize>,
    /// Before a job of a higher priority in the same team may evict.
    pub preempt: Option<Span>,
    /// Before another team may reclaim.
    pub reclaim: Option<Span>,
}

/// Where the search for a reclaim's minimum runtime starts.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Method {
    /// At the victim's own team.
    Queue,
    /// At the victim's side below the lowest common ancestor of both teams.
    #[default]
    Lca,
}

/// The minimum runtime against preemption: the nearest value from the victim's team upwards.
/// A team that does not exist has the default.
pub fn against_preempt(levels: &[Level], victim: usize, default: Span) -> Span {
    let nearest = line(levels, victim).into_iter().find_map(|at| levels[at].preempt);
    nearest.unwrap_or(default)
}

/// The minimum runtime against reclaim by another team. A team that does not exist has the
/// default.
pub fn against_reclaim(
    levels: &[Level],
    method: Method,
    taker: usize,
    victim: usize,
    default: Span,
) -> Span {
    let (taker, victim) = (line(levels, taker), line(levels, victim));
    if taker.is_empty() || victim.is_empty() {
        return default;
    }
    let shared = taker.iter().rev().zip(victim.iter().rev()).take_while(|(a, b)| a == b).count();
    let skipped = match method {
        Method::Queue => 0,
        // The victim's own team, if it is itself the common ancestor.
        Method::Lca => victim.len().saturating_sub(shared + 1),
    };
    victim.into_iter().skip(skipped).find_map(|at| levels[at].reclaim).unwrap_or(default)
}

fn line(levels: &[Level], at: usize) -> Vec<usize> {
    let mut line: Vec<usize> = Vec::new();
    let mut next = Some(at);
    while let Some(place) = next.filter(|at| *at < levels.len() && !line.contains(at)) {
        line.push(place);
        next = levels[place].parent;
    }
    line
}

/// A victim and what would be taken from it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Victim {
    /// How long it has run; `None` if it has not started.
    pub ran: Option<Span>,
    /// Tasks that run.
    pub running: u32,
    /// Tasks it needs.
    pub min: u32,
    /// Tasks that would be taken.
    pub take: u32,
}

/// Whether the minimum runtime forbids taking that much: it is not over, and the victim would
/// fall below its minimum.
pub fn forbids(victim: &Victim, min_runtime: Span) -> bool {
    let safe = victim.ran.is_some_and(|ran| ran < min_runtime);
    safe && victim.running.saturating_sub(victim.take) < victim.min
}

/// When a job may evict others for the first time: `delay` after it came to wait, by submission
/// or by being evicted itself. Until then it may use free room only.
pub fn may_evict_from(waits_since: Mono, delay: Option<Span>) -> Mono {
    waits_since + delay.unwrap_or(Span::ZERO)
}

#[cfg(test)]
mod tests {
    use super::*;

    const DEFAULT: Span = Span::secs(1);

    fn level(parent: Option<usize>, preempt: Option<u64>, reclaim: Option<u64>) -> Level {
        Level { parent, preempt: preempt.map(Span::secs), reclaim: reclaim.map(Span::secs) }
    }

    /// org(0) with ml(1) and web(2); ml with a(3) and b(4); another top x(5).
    fn tree() -> [Level; 6] {
        [
            level(None, Some(10), Some(100)),
            level(Some(0), None, Some(200)),
            level(Some(0), Some(30), None),
            level(Some(1), None, Some(300)),
            level(Some(1), Some(40), None),
            level(None, None, None),
        ]
    }

    #[test]
    fn the_nearest_value_upwards_holds() {
        let levels = tree();
        let found = [0, 1, 2, 3, 4, 5, 9].map(|at| against_preempt(&levels, at, DEFAULT));
        assert_eq!(found, [10, 10, 30, 10, 40, 1, 1].map(Span::secs));
    }

    #[test]
    fn reclaim_looks_from_the_victim_or_from_below_the_common_ancestor() {
        let levels = tree();
        let found = |method, taker, victim| {
            against_reclaim(&levels, method, taker, victim, DEFAULT).0 / 1000
        };
        assert_eq!(
            [(2, 3), (5, 3), (3, 2), (3, 5)].map(|(t, v)| found(Method::Queue, t, v)),
            [300, 300, 100, 1]
        );
        assert_eq!(
            [(2, 3), (5, 3), (4, 3), (3, 4)].map(|(t, v)| found(Method::Lca, t, v)),
            [200, 100, 300, 200]
        );
        assert_eq!(found(Method::Lca, 3, 3), 300);
        assert_eq!([(9, 3), (3, 9)].map(|(t, v)| found(Method::Queue, t, v)), [1, 1]);
    }

    #[test]
    fn surplus_may_go_while_protected_and_the_core_may_not() {
        let victim = Victim { ran: Some(Span::secs(9)), running: 4, min: 2, take: 2 };
        assert!(!forbids(&victim, Span::secs(10)));
        assert!(forbids(&Victim { take: 3, ..victim }, Span::secs(10)));
        assert!(!forbids(&Victim { take: 3, ..victim }, Span::secs(9)));
        assert!(!forbids(&Victim { ran: None, take: 4, ..victim }, Span::secs(10)));
    }

    #[test]
    fn a_delay_counts_from_when_the_job_came_to_wait() {
        assert_eq!(may_evict_from(Mono(5), None), Mono(5));
        assert_eq!(may_evict_from(Mono(5), Some(Span(7))), Mono(12));
    }
}
