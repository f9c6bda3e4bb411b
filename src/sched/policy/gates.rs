//! The two gates that every placement passes at its team and at all above it (kai.md 1.3): the
//! limit, and for jobs that are never evicted also the quota.
//!
//! Only resources that are asked for count: a team over its CPU limit may still get a GPU.

use super::amounts::{Amounts, Bounds, Kind};
use super::queue::{Queue, lineage};

/// Which gate.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Gate {
    /// `limit ≥ allocated + chunk`.
    Limit,
    /// `quota ≥ firm + chunk`, asked of non-preemptible jobs only.
    FirmQuota,
}

/// A gate that is shut at one queue: the numbers of its explanation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Over {
    /// Of what there would be too much.
    pub kind: Kind,
    /// What counts against the bound already.
    pub have: u64,
    /// What is asked for.
    pub need: u64,
    /// The bound.
    pub bound: u64,
}

/// A gate that is shut, and where.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Shut {
    /// Which.
    pub gate: Gate,
    /// The place of the queue that shuts it.
    pub queue: usize,
    /// Its numbers.
    pub over: Over,
}

/// Whether `have + need` breaks a bound of a resource that is asked for; the first that does.
pub fn over(bounds: &Bounds, have: &Amounts, need: &Amounts) -> Option<Over> {
    let judge = |kind: Kind| {
        let (have, need, bound) = (have.get(kind), need.get(kind), bounds.get(kind)?);
        let shut = need > 0 && have.saturating_add(need) > bound;
        shut.then_some(Over { kind, have, need, bound })
    };
    Kind::ALL.into_iter().find_map(judge)
}

/// One gate at one queue.
pub fn at(queue: &Queue, gate: Gate, need: &Amounts) -> Option<Over> {
    match gate {
        Gate::Limit => over(&queue.limit, &queue.allocated, need),
        Gate::FirmQuota => over(&queue.quota, &queue.firm, need),
    }
}

/// One gate from a queue up to the top.
///
/// # Errors
/// The lowest queue that shuts it.
pub fn pass(queues: &[Queue], queue: usize, gate: Gate, need: &Amounts) -> Result<(), Shut> {
    for queue in lineage(queues, queue) {
        if let Some(over) = at(&queues[queue], gate, need) {
            return Err(Shut { gate, queue, over });
        }
    }
    Ok(())
}

/// Both gates, the limit first; the quota only for a job that is not preemptible.
///
/// # Errors
/// The first that is shut.
pub fn open(queues: &[Queue], queue: usize, need: &Amounts, preemptible: bool) -> Result<(), Shut> {
    pass(queues, queue, Gate::Limit, need)?;
    if preemptible {
        return Ok(());
    }
    pass(queues, queue, Gate::FirmQuota, need)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn gpus(n: u64) -> Amounts {
        Amounts { gpu_milli: n * 1000, ..Amounts::default() }
    }

    fn chain() -> Vec<Queue> {
        let quota = Bounds { cpu_milli: Some(0), mem_bytes: Some(0), gpu_milli: Some(2000) };
        let limit = Bounds { gpu_milli: Some(4000), ..Bounds::default() };
        let top = Queue { quota, limit, allocated: gpus(2), firm: gpus(1), ..Queue::default() };
        vec![top, Queue { parent: Some(0), allocated: gpus(1), firm: gpus(0), ..top }]
    }

    #[test]
    fn an_ancestor_shuts_the_gate_and_the_answer_has_its_numbers() {
        let queues = chain();
        assert_eq!(open(&queues, 1, &gpus(2), true), Ok(()));
        let over = Over { kind: Kind::Gpu, have: 2000, need: 3000, bound: 4000 };
        let shut = Shut { gate: Gate::Limit, queue: 0, over };
        assert_eq!(open(&queues, 1, &gpus(3), true), Err(shut));
    }

    #[test]
    fn the_quota_binds_firm_jobs_only_and_counts_only_firm_jobs() {
        let queues = chain();
        let over = Over { kind: Kind::Gpu, have: 1000, need: 2000, bound: 2000 };
        let shut = Shut { gate: Gate::FirmQuota, queue: 0, over };
        assert_eq!(open(&queues, 1, &gpus(2), false), Err(shut));
        assert_eq!(open(&queues, 1, &gpus(1), false), Ok(()));
        assert_eq!(open(&queues, 1, &gpus(2), true), Ok(()));
    }

    #[test]
    fn what_is_not_asked_for_shuts_nothing_and_sums_do_not_wrap() {
        let full = Bounds::from(Amounts::each(|_| 5));
        assert_eq!(over(&full, &Amounts::each(|_| 9), &Amounts::default()), None);
        let asked = Amounts { mem_bytes: u64::MAX, ..Amounts::default() };
        let found = over(&full, &Amounts::each(|_| 9), &asked);
        assert_eq!(found.map(|over| over.kind), Some(Kind::Mem));
    }
}
