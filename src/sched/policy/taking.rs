//! Reclaim between teams: who may start it, from whom, and how much (kai.md 1.3).
//!
//! A job may start only if its team stays inside its fair share. Each chunk that is taken must
//! pass one of two strategies where the two teams' lines split: the victim's side is above what
//! it may come to hold (*fairness*), or the taker's side stays inside its quota while the
//! victim's is above its own (*quota*). Then at every level of the taker's line the taker must
//! stay less saturated than each sibling that was taken from. Start with [`judge`].

use super::amounts::{Amounts, Bounds, Kind};
use super::gates::{Gate, Over, Shut};
use super::queue::{Queue, lineage, split};

#[cfg(test)]
mod tests;

/// The job that wants room.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Taker {
    /// The place of its queue.
    pub queue: usize,
    /// Its next chunk.
    pub request: Amounts,
    /// Whether others may evict it in turn.
    pub preemptible: bool,
}

/// One chunk that is taken: a surplus task, or the core of a job as a whole. Victims that find
/// room elsewhere are left out.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Chunk {
    /// The place of the victim's queue.
    pub queue: usize,
    /// What it holds.
    pub amounts: Amounts,
}

/// The strategy that allows taking a chunk.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Strategy {
    /// The victim's queue holds more than it may come to hold.
    Fairness,
    /// The taker stays inside its quota, the victim's queue is above its own.
    Quota,
}

/// Why a job may not start to reclaim.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NoStart {
    /// Its queue would be over its fair share (the bound).
    OverFairShare(Over),
    /// It is not preemptible, and its queue would be over its quota (the bound).
    OverQuota(Over),
}

/// Why a set of victims may not be taken.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Denied {
    /// No strategy allows this chunk, judged between these two siblings.
    NotOwed {
        /// The chunk's place in the list.
        chunk: usize,
        /// The taker's side.
        taker: usize,
        /// The victim's side.
        victim: usize,
    },
    /// The taker's side would not stay less saturated than a sibling that was taken from.
    Saturated {
        /// The taker's side.
        taker: usize,
        /// The sibling.
        sibling: usize,
        /// In what.
        kind: Kind,
    },
    /// The taker is not preemptible and does not fit a quota on its line.
    OverQuota(Shut),
    /// A queue does not exist.
    NoQueue(usize),
}

/// Whether a job may start to reclaim: its queue with the chunk stays inside its fair share in
/// every resource, and for a non-preemptible job what such jobs hold inside its quota.
///
/// # Errors
/// The first resource that would be over.
pub fn may_start(queue: &Queue, request: &Amounts, preemptible: bool) -> Result<(), NoStart> {
    if let Some(over) = first_over(&queue.allocated, request, &queue.fair.into()) {
        return Err(NoStart::OverFairShare(over));
    }
    match first_over(&queue.firm, request, &queue.quota) {
        Some(over) if !preemptible => Err(NoStart::OverQuota(over)),
        _ => Ok(()),
    }
}

/// Unlike a gate this asks of every resource, wanted or not.
fn first_over(have: &Amounts, need: &Amounts, bounds: &Bounds) -> Option<Over> {
    let kind = have.plus(need).first_over(bounds)?;
    let (have, need) = (have.get(kind), need.get(kind));
    Some(Over { kind, have, need, bound: bounds.get(kind)? })
}

/// The fairness strategy: the victim's queue, with `left` to it before this chunk goes, is above
/// its allocatable share in at least one resource.
pub fn for_fairness(victim: &Queue, left: &Amounts) -> bool {
    !left.within(&victim.allocatable())
}

/// The quota strategy: the taker's queue with the chunk stays inside its quota in every
/// resource, the victim's is above its own in at least one.
pub fn for_quota(taker: &Queue, request: &Amounts, victim: &Queue, left: &Amounts) -> bool {
    taker.allocated.plus(request).within(&taker.quota) && !left.within(&victim.quota)
}

/// The strategy that allows the next chunk, fairness first.
pub fn strategy(
    taker: &Queue,
    request: &Amounts,
    victim: &Queue,
    left: &Amounts,
) -> Option<Strategy> {
    if for_fairness(victim, left) {
        return Some(Strategy::Fairness);
    }
    for_quota(taker, request, victim, left).then_some(Strategy::Quota)
}

/// Whether it makes sense to look for victims in a queue at all; never no where
/// [`judge`] could say yes to what the taker asks for.
pub fn may_be_victim(queues: &[Queue], taker: &Taker, victim: usize) -> bool {
    let Some((taker_side, victim_side)) = split(queues, taker.queue, victim) else { return true };
    let (taker_side, victim_side) = (&queues[taker_side], &queues[victim_side]);
    if !taker_side.allocated.plus(&taker.request).within(&taker_side.quota) {
        return for_fairness(victim_side, &victim_side.allocated);
    }
    let asked = Kind::ALL.into_iter().filter(|kind| taker.request.get(*kind) > 0);
    let beside_quota = asked.filter_map(|kind| {
        let quota = victim_side.quota.get(kind)?;
        Some(victim_side.allocated.get(kind).cmp(&quota))
    });
    let beside_quota: Vec<_> = beside_quota.collect();
    beside_quota.iter().any(|side| side.is_gt()) || !beside_quota.iter().any(|side| side.is_lt())
}

/// Judges a whole reclaim: the strategies that allow the chunks, in their order.
///
/// `multiplier_permille` makes the saturation rule stricter: the taker's saturation times this
/// must stay below a sibling's; at least 1000.
///
/// # Errors
/// The first rule that is broken.
pub fn judge(
    queues: &[Queue],
    taker: &Taker,
    chunks: &[Chunk],
    multiplier_permille: u64,
) -> Result<Vec<Strategy>, Denied> {
    let mut taking = Taking::of(queues);
    let mut allowed = Vec::with_capacity(chunks.len());
    for (at, chunk) in chunks.iter().enumerate() {
        allowed.push(taking.take(at, taker, chunk)?);
    }
    taking.stays_less_saturated(taker, multiplier_permille.max(1000))?;
    if !taker.preemptible {
        fits_quotas(queues, taker).map_err(Denied::OverQuota)?;
    }
    Ok(allowed)
}

/// The quota of every level for a non-preemptible taker, in every resource, wanted or not.
fn fits_quotas(queues: &[Queue], taker: &Taker) -> Result<(), Shut> {
    for queue in lineage(queues, taker.queue) {
        let level = &queues[queue];
        if let Some(over) = first_over(&level.firm, &taker.request, &level.quota) {
            return Err(Shut { gate: Gate::FirmQuota, queue, over });
        }
    }
    Ok(())
}

/// What the queues would be left with.
struct Taking<'a> {
    queues: &'a [Queue],
    /// Per queue, once something was taken below it: what is left and which resources went.
    left: Vec<Option<(Amounts, [bool; 3])>>,
}

impl Taking<'_> {
    fn of(queues: &[Queue]) -> Taking<'_> {
        Taking { queues, left: vec![None; queues.len()] }
    }

    fn left(&self, queue: usize) -> Amounts {
        self.left[queue].map_or(self.queues[queue].allocated, |(left, _)| left)
    }

    fn take(&mut self, at: usize, taker: &Taker, chunk: &Chunk) -> Result<Strategy, Denied> {
        let missing = if taker.queue < self.queues.len() { chunk.queue } else { taker.queue };
        let sides = split(self.queues, taker.queue, chunk.queue);
        let (from, of) = sides.ok_or(Denied::NoQueue(missing))?;
        let (taker_side, victim_side) = (&self.queues[from], &self.queues[of]);
        let allowed = strategy(taker_side, &taker.request, victim_side, &self.left(of));
        let allowed = allowed.ok_or(Denied::NotOwed { chunk: at, taker: from, victim: of })?;
        for queue in lineage(self.queues, chunk.queue) {
            let involved = self.left[queue].map_or([false; 3], |(_, involved)| involved);
            let involved = [0, 1, 2].map(|n| involved[n] || chunk.amounts.get(Kind::ALL[n]) > 0);
            self.left[queue] = Some((self.left(queue).minus(&chunk.amounts), involved));
        }
        Ok(allowed)
    }

    fn stays_less_saturated(&self, taker: &Taker, multiplier: u64) -> Result<(), Denied> {
        for level in lineage(self.queues, taker.queue) {
            let held = self.left(level).plus(&taker.request);
            let parent = self.queues[level].parent;
            for (sibling, left) in self.left.iter().enumerate() {
                let Some((left, involved)) = left else { continue };
                if sibling == level || self.queues[sibling].parent != parent {
                    continue;
                }
                let kinds = Kind::ALL.into_iter().zip(involved);
                let kinds = kinds.filter(|(kind, gone)| **gone || taker.request.get(*kind) > 0);
                for (kind, _) in kinds {
                    let ours = (held.get(kind), self.queues[level].fair.get(kind));
                    let theirs = (left.get(kind), self.queues[sibling].fair.get(kind));
                    if !stays_below(ours, theirs, multiplier) {
                        return Err(Denied::Saturated { taker: level, sibling, kind });
                    }
                }
            }
        }
        Ok(())
    }
}

/// The saturation rule for one resource, (held, fair share) of both: a taker above its share
/// must stay strictly below the sibling. One without a share is not compared, nor one whose share
/// has no end.
fn stays_below(taker: (u64, u64), sibling: (u64, u64), multiplier_permille: u64) -> bool {
    let (taker_held, taker_fair) = taker;
    let (sibling_held, sibling_fair) = sibling;
    if taker_held <= taker_fair || sibling_fair == 0 || sibling_fair == u64::MAX {
        return true;
    }
    let cross = |held: u64, fair: u64, times: u64| {
        u128::from(held).saturating_mul(u128::from(fair)).saturating_mul(u128::from(times))
    };
    cross(taker_held, sibling_fair, multiplier_permille) < cross(sibling_held, taker_fair, 1000)
}
