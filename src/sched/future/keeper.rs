//! For whom room is reserved while a cycle gives out free room (DESIGN.md 5.3).
//!
//! In the order of the queue, at most one job of each team and [`RESERVATIONS_MAX`] in all; who
//! has waited past the patience comes first among them. Nothing is computed before it matters:
//! a timeline is made when somebody could start although another waits.

use std::collections::BTreeSet;

use crate::base::{JobId, Mono, Span};
use crate::model::finding::Signal;
use crate::sched::actions::overstayed::MOVES;
use crate::sched::board::Board;
use crate::sched::board::heads::Head;
use crate::sched::future::ask::Slot;
use crate::sched::future::guard::{Guard, surely_over};
use crate::sched::future::returning::{Back, backs};
use crate::sched::future::timeline::By;
use crate::sched::policy::gates;
use crate::sched::policy::queue::lineage;

/// Reservations at most.
pub const RESERVATIONS_MAX: usize = 64;
/// Jobs of one shape that are looked at for a shorter one, each time one is too long.
const SHORTER_LOOKS: usize = 256;

/// Who is to get a reservation.
#[derive(Debug, Default)]
pub struct Keeper {
    /// Reservations are made at all.
    on: bool,
    /// Others may start beside them.
    backfills: bool,
    /// Have waited past the patience and got nothing yet, the longest wait first.
    patient: Vec<Head>,
    /// Could not start so far.
    blocked: Vec<Head>,
    teams: BTreeSet<usize>,
    /// Those for whom something is reserved, in the order in which that was done.
    holders: Vec<Head>,
    /// Those that people are about to give back: room for them comes after all others'.
    backs: Vec<Back>,
}

impl Keeper {
    /// Of a board on which nothing is placed yet.
    pub fn of(board: &Board) -> Keeper {
        let cycle = &board.world().setup().cycle;
        let on = cycle.on("reservation");
        let patient = if on { patient(board, &board.left) } else { Vec::new() };
        Keeper { on, backfills: cycle.on("backfill"), patient, ..Keeper::default() }
    }

    /// A job cannot start: it may get a reservation.
    pub fn block(&mut self, board: &mut Board, head: &Head) {
        let full = self.teams.len() >= RESERVATIONS_MAX;
        if !self.on || full || self.teams.contains(&head.team) || !may_reserve(board, head) {
            return;
        }
        match board.guard {
            None => self.blocked.push(head.clone()),
            Some(_) => self.reserve(board, head),
        }
    }

    /// Reserves room for a job beside what is reserved already.
    pub fn reserve(&mut self, board: &mut Board, head: &Head) {
        let Some(mut guard) = board.guard.take() else { return };
        self.give_up_returns(&mut guard);
        if !self.teams.contains(&head.team) && guard.reserve_for(board, head) {
            self.teams.insert(head.team);
            self.holders.push(head.clone());
        }
        self.keep_returns(board, &mut guard);
        board.guard = Some(guard);
    }

    fn give_up_returns(&self, guard: &mut Guard) {
        self.backs.iter().for_each(|back| guard.release(back.head.id()));
    }

    fn keep_returns(&self, board: &Board, guard: &mut Guard) {
        for back in &self.backs {
            guard.keep_for_return(board, back);
        }
    }

    /// Does something as if no room were kept for those that people are about to give back.
    pub fn beside_returns<T>(
        &mut self,
        board: &mut Board,
        act: impl FnOnce(&mut Keeper, &mut Board) -> T,
    ) -> T {
        let backs = std::mem::take(&mut self.backs);
        if let Some(guard) = &mut board.guard {
            backs.iter().for_each(|back| guard.release(back.head.id()));
        }
        let done = act(self, board);
        self.backs = backs;
        if let Some(mut guard) = board.guard.take() {
            self.keep_returns(board, &mut guard);
            board.guard = Some(guard);
        }
        done
    }

    /// Room is kept for jobs that people are about to give back.
    pub fn expects_returns(&self) -> bool {
        !self.backs.is_empty()
    }

    /// Those for whom room was reserved after it was for a job.
    pub fn behind(&self, head: &Head) -> Vec<Head> {
        let at = self.holders.iter().position(|holder| holder.id() == head.id());
        at.map_or_else(Vec::new, |at| self.holders[at + 1..].to_vec())
    }

    /// A job got room, or a promise of some: it needs no reservation.
    pub fn serve(&mut self, head: &Head) {
        self.patient.retain(|patient| patient.id() != head.id());
    }

    /// Gives up what is reserved for a job whose turn it is.
    pub fn release(&mut self, board: &mut Board, head: &Head) {
        let Some(guard) = &mut board.guard else { return };
        if guard.reserved_from(head.id()).is_some() {
            guard.release(head.id());
            self.teams.remove(&head.team);
            self.holders.retain(|holder| holder.id() != head.id());
        }
    }

    /// Somebody got room: what is reserved for those of whom a bound or a rule now keeps it is free
    /// again; whether there are some.
    pub fn let_go(&mut self, board: &mut Board, went: &Head) -> bool {
        let top = |head: &Head| board.teams.line(head.team).last().copied();
        let custom = |head: &Head| head.shape.requests().any(|asks| !asks.custom.is_empty());
        // Only bounds above both, an array or a rate can have come to keep one back.
        let touched =
            |head: &Head| top(head) == top(went) || head.shape.array.is_some() || custom(head);
        let kept_back = |head: &&Head| touched(head) && !may_reserve(board, head);
        let gone: Vec<Head> = self.holders.iter().filter(kept_back).cloned().collect();
        gone.iter().for_each(|head| self.release(board, head));
        !gone.is_empty()
    }

    /// Whether somebody who could start must be held against what is reserved for others, which
    /// is not known yet.
    pub fn must_guard(&self, board: &Board, head: &Head) -> bool {
        let others = self.patient.iter().any(|patient| patient.id() != head.id());
        self.on && board.guard.is_none() && (others || !self.blocked.is_empty())
    }

    /// Works out what is reserved: for those who have waited too long, then for those that could
    /// not start so far.
    pub fn raise(&mut self, board: &mut Board) {
        board.guarded = true;
        let mut guard = Guard::new(board, By::P90);
        self.teams.clear();
        let patient = std::mem::take(&mut self.patient);
        let blocked = std::mem::take(&mut self.blocked);
        for head in patient.iter().chain(&blocked) {
            let full = self.holders.len() >= RESERVATIONS_MAX;
            if !full && !self.teams.contains(&head.team) && guard.reserve_for(board, head) {
                // Who can start now does so when its turn comes; the next of its team waits.
                if guard.reserved_from(head.id()).is_none_or(|from| from > board.at().now) {
                    self.teams.insert(head.team);
                }
                self.holders.push(head.clone());
            }
        }
        if !self.holders.is_empty() {
            self.backs = backs(board);
            self.keep_returns(board, &mut guard);
        }
        board.guard = Some(Box::new(guard));
    }

    /// Something is reserved, other than for some jobs, and nobody may pass it.
    pub fn forbids(&self, board: &Board, but: &[Head]) -> bool {
        let other = |slot: &Slot| !but.iter().any(|head| head.id() == slot.job);
        !self.backfills && board.guard.as_ref().is_some_and(|guard| guard.slots.iter().any(other))
    }
}

/// The next job of a head's shape that is expected to be over sooner.
pub fn shorter(board: &Board, head: &Head) -> Option<Head> {
    let over = |id: JobId| Some(surely_over(board, board.world().job(id)?));
    let too_late = over(head.id())?;
    let in_time = |id: JobId| over(id).is_some_and(|over| over < too_late);
    board.after_where(head, SHORTER_LOOKS, in_time)
}

/// Those that have waited past the patience or were put off too often, the longest wait first.
pub fn patient(board: &Board, heads: &[Head]) -> Vec<Head> {
    let patience = board.world().setup().cycle.patience;
    let mut all: Vec<(Mono, Head)> = Vec::new();
    for head in heads {
        let Some(since) = waited_since(board, head) else { continue };
        let late = patience > Span::ZERO && board.at().now.since(since) >= patience;
        let job = board.world().job(head.id());
        let reserved = job.and_then(|job| job.reserved.as_ref());
        let put_off = reserved.is_some_and(|reserved| reserved.moves >= MOVES);
        if (late || put_off) && may_reserve(board, head) {
            all.push((since, head.clone()));
        }
    }
    all.sort_by_key(|(since, head)| (*since, head.id()));
    all.into_iter().map(|(_, head)| head).collect()
}

/// Since when it waits for room.
fn waited_since(board: &Board, head: &Head) -> Option<Mono> {
    board.world().job(head.id()).map(|job| job.since.now)
}

/// Whether a job that cannot start may get a reservation at all: it is not growing, could run
/// here, and neither a limit nor its team's share nor a rule other than room keeps it back.
pub fn may_reserve(board: &Board, head: &Head) -> bool {
    let Some(job) = board.world().job(head.id()) else { return false };
    let queues = &board.teams.queues;
    let within_share = || {
        !board.world().setup().cycle.on("fair_share")
            || lineage(queues, head.team).into_iter().all(|level| {
                let queue = &queues[level];
                gates::over(&queue.allocatable(), &queue.allocated, &head.chunk).is_none()
            })
    };
    !head.shape.grows
        && head.shape.thaw.is_none()
        && !job.findings.contains_key(&Signal::NeverFits)
        && gates::open(queues, head.team, &head.chunk, job.spec.preemptible).is_ok()
        && within_share()
        && board.is_unhindered(head)
}
