//! Gives free room to the jobs that want it, in the order of teams and jobs, and never leaves
//! room that one of them could use (work conserving).
//!
//! Jobs that want the same in the same team share a shape: when the best of them cannot be
//! placed, none of them can, so a cycle looks at one job of each shape and not at every job. A
//! job that was placed comes back for its next chunk, so that elastic gangs grow in turns.

use std::collections::BTreeSet;
use std::sync::Arc;

use crate::sched::board::Board;
use crate::sched::board::heads::Head;
use crate::sched::board::place::Mode;
use crate::sched::board::seat::Waiting;
use crate::sched::board::settle::Deed;
use crate::sched::board::turns::Turns;
use crate::sched::index::Shape;

/// Places all that can be placed. What is left over is noted on the board.
pub fn run(board: &mut Board) {
    let by_team = board.world().setup().cycle.on("fair_share");
    let mut turns = Turns::new(&board.teams, by_team);
    for head in std::mem::take(&mut board.left) {
        turns.push(&board.teams, head);
    }
    let mut failed: BTreeSet<Arc<Shape>> = BTreeSet::new();
    while let Some(head) = turns.pop(&board.teams) {
        if failed.contains(&head.shape) || !start(board, &head) {
            failed.insert(head.shape.clone());
            board.left.push(head);
            continue;
        }
        board.commit();
        let (again, next) = (board.again(&head), board.after(&head));
        for head in again.into_iter().chain(next) {
            turns.push(&board.teams, head);
        }
    }
}

/// Starts the next chunk of a job if everything it needs is there.
fn start(board: &mut Board, head: &Head) -> bool {
    if head.shape.thaw.is_some() {
        return board.thaw(head.id());
    }
    let Some(seat) = board.seat(head.id()) else { return false };
    let ranks = seat.next_chunk(Waiting::Fresh);
    let placed = board.place(head.id(), &ranks, Mode::Start);
    if placed {
        board.note(Deed::Goes(head.id()));
    }
    placed
}
