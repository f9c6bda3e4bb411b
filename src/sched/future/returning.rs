//! Room for jobs that people are about to give back.
//!
//! A parked job holds nothing and cannot start, so nothing may wait for it that comes in its turn.
//! What may wait is whoever would be let past a job that waits for room: it must neither delay
//! that one nor take what the parked job had next. So these are the weakest of all reservations.
//! They are made after all those of jobs that wait, and only beside such; only for a return that
//! is near, to room that is there by then; and they are over when people are late
//! ([`expected_next`](crate::sched::policy::returns::expected_next)). Nobody is held back for a
//! return for longer than [`NEAR`], twice.

use std::collections::BTreeSet;

use crate::base::{JobId, Mono, Wall};
use crate::sched::board::Board;
use crate::sched::board::heads::Head;
use crate::sched::future::ask::{Ask, Slot};
use crate::sched::future::guard::Guard;
use crate::sched::future::keeper::may_reserve;
use crate::sched::policy::returns::NEAR;
use crate::sched::review::returns;

/// The name of the switch.
const SWITCH: &str = "returns";
/// Jobs that room is kept for so at most: of each team one, beside the one that waits for room.
pub const RETURNS_MAX: usize = 8;

/// A job that people are about to give back.
#[derive(Debug, Clone)]
pub struct Back {
    /// It, as it will want room.
    pub head: Head,
    /// When it is expected.
    pub at: Mono,
}

/// For whom room could be kept, the soonest first.
pub fn backs(board: &Board) -> Vec<Back> {
    let cycle = &board.world().setup().cycle;
    // Only who is let past others is kept from anything by this.
    if ![SWITCH, "reservation", "backfill"].iter().all(|policy| cycle.on(policy)) {
        return Vec::new();
    }
    let mut teams = BTreeSet::new();
    let near = returns::near(board.world(), board.at()).into_iter();
    let back = |(id, then): (JobId, Wall)| {
        let head = board.comes_back(board.world().job(id)?)?;
        let at = board.at().now + then.since(board.at().wall);
        may_reserve(board, &head).then_some(Back { head, at })
    };
    let backs = near.filter_map(back).filter(|back| teams.insert(back.head.team));
    backs.take(RETURNS_MAX).collect()
}

impl Guard {
    /// Room for a return, if there is some soon enough.
    pub fn look_for_return(&mut self, board: &Board, back: &Back) -> Option<Slot> {
        let ask = Ask::of(board, self, &back.head)?;
        let slot = self.look(board, &ask, back.at)?;
        (slot.at.since(board.at().now) <= NEAR).then_some(slot)
    }

    /// Keeps that room; whether there is some.
    pub fn keep_for_return(&mut self, board: &Board, back: &Back) -> bool {
        let slot = self.look_for_return(board, back);
        slot.map(|slot| self.keep(slot)).is_some()
    }
}
