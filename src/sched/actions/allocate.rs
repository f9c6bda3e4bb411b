//! Gives free room to the jobs that want it, in the order of teams and jobs, and never leaves
//! room that one of them could use (work conserving), beside what is reserved.
//!
//! Jobs that want the same in the same team share a shape: when the best of them cannot be
//! placed, none of them can, so a cycle looks at one job of each shape and not at every job. A
//! job that was placed comes back for its next chunk, so that elastic gangs grow in turns. When
//! one is kept from starting by a reservation only, shorter ones of its shape have their turn.
//! Whoever has just stopped in order to move goes on first: it had its room (`board/moved`).

use std::collections::BTreeSet;
use std::sync::Arc;

use crate::base::JobId;
use crate::sched::board::Board;
use crate::sched::board::heads::Head;
use crate::sched::board::place::Mode;
use crate::sched::board::seat::Waiting;
use crate::sched::board::settle::Deed;
use crate::sched::board::turns::Turns;
use crate::sched::future::keeper::{Keeper, shorter};
use crate::sched::index::Shape;

/// What becomes of a job whose turn it is.
enum Turn {
    /// It got room; `frees` says that something else was reserved for it.
    Goes { frees: bool },
    /// It did not, and no other of its shape would.
    Stays,
    /// It would have, were nothing reserved.
    HeldBack,
}

/// Places all that can be placed. What is left over is noted on the board.
pub fn run(board: &mut Board) {
    let by_team = board.world().setup().cycle.on("fair_share");
    let mut keeper = Keeper::of(board);
    let mut turns = Turns::new(&board.teams, by_team);
    for head in std::mem::take(&mut board.left) {
        match board.is_mover(head.id()) && start(board, &head) {
            true => {
                board.commit();
                let again = board.again(&head);
                again.into_iter().for_each(|head| turns.push(&board.teams, head));
            }
            false => turns.push(&board.teams, head),
        }
    }
    let mut left: BTreeSet<Arc<Shape>> = BTreeSet::new();
    let mut closed: BTreeSet<Arc<Shape>> = BTreeSet::new();
    let mut held_back: Vec<Head> = Vec::new();
    let mut passed: BTreeSet<JobId> = BTreeSet::new();
    while let Some(head) = turns.pop(&board.teams) {
        let turn = match closed.contains(&head.shape) {
            true => Turn::Stays,
            false => turn(board, &mut keeper, &head),
        };
        let next = match turn {
            Turn::Goes { frees } => {
                board.commit();
                keeper.serve(&head);
                if keeper.let_go(board, &head) || frees {
                    // They were kept from room that is nobody's now.
                    for head in held_back.drain(..) {
                        board.left.retain(|other| other.id() != head.id());
                        left.remove(&head.shape);
                        turns.push(&board.teams, head);
                    }
                }
                let (again, next) = (board.again(&head), board.after(&head));
                [again, next]
            }
            Turn::Stays => {
                closed.insert(head.shape.clone());
                [None, None]
            }
            Turn::HeldBack => {
                held_back.push(head.clone());
                // Once is enough: those have their own turn from then on.
                let is_first = passed.insert(head.id());
                [is_first.then(|| shorter(board, &head)).flatten(), None]
            }
        };
        if !matches!(turn, Turn::Goes { .. }) && left.insert(head.shape.clone()) {
            board.left.push(head);
        }
        for head in next.into_iter().flatten() {
            turns.push(&board.teams, head);
        }
    }
    board.guard = None;
}

fn turn(board: &mut Board, keeper: &mut Keeper, head: &Head) -> Turn {
    // What is frozen holds memory and devices until it goes on: nothing is kept from it.
    if head.shape.thaw.is_some() {
        return if start(board, head) { Turn::Goes { frees: false } } else { Turn::Stays };
    }
    let from = board.guard.as_ref().and_then(|guard| guard.reserved_from(head.id()));
    if from.is_some_and(|from| from > board.at().now) {
        return Turn::Stays;
    }
    let mut behind = take_back(board, keeper, head);
    let before = board.checkpoint();
    let mut starts = start(board, head);
    if starts && keeper.must_guard(board, head) {
        board.rollback(before);
        keeper.raise(board);
        behind = take_back(board, keeper, head);
        starts = start(board, head);
    }
    let frees = behind.is_some();
    if starts && !keeper.forbids(board, behind.as_deref().unwrap_or_default()) {
        return Turn::Goes { frees };
    }
    board.rollback(before);
    let held_back = starts
        || board.guard.is_some() && {
            let would = board.unguarded(|board| start(board, head));
            board.unguarded(|board| board.rollback(before));
            would
        };
    let first = behind.filter(|behind| !behind.is_empty() || keeper.expects_returns());
    if let Some(behind) = first.filter(|_| held_back)
        && starts_before(board, keeper, head, &behind)
    {
        return Turn::Goes { frees };
    }
    keeper.block(board, head);
    if held_back { Turn::HeldBack } else { Turn::Stays }
}

/// Gives up what is reserved for a job whose turn it is; for whom something was reserved after it:
/// they do not keep it from what was its own before. `None` if nothing was.
fn take_back(board: &mut Board, keeper: &mut Keeper, head: &Head) -> Option<Vec<Head>> {
    board.guard.as_ref()?.reserved_from(head.id())?;
    let behind = keeper.behind(head);
    keeper.release(board, head);
    Some(behind)
}

/// Starts a job whose reservation has come if only those keep it from that that were given theirs
/// after it; they look for room again.
fn starts_before(board: &mut Board, keeper: &mut Keeper, head: &Head, behind: &[Head]) -> bool {
    keeper.beside_returns(board, |keeper, board| starts_first(board, keeper, head, behind))
}

fn starts_first(board: &mut Board, keeper: &mut Keeper, head: &Head, behind: &[Head]) -> bool {
    behind.iter().for_each(|other| keeper.release(board, other));
    let before = board.checkpoint();
    let starts = start(board, head) && !keeper.forbids(board, &[]);
    if !starts {
        board.rollback(before);
        keeper.reserve(board, head);
    }
    behind.iter().for_each(|other| keeper.reserve(board, other));
    starts
}

/// Starts the next chunk of a job if everything it needs is there.
pub(super) fn start(board: &mut Board, head: &Head) -> bool {
    if head.shape.thaw.is_some() {
        return board.thaw(head.id());
    }
    if board.is_hopeless_head(head) {
        return false;
    }
    let Some(seat) = board.seat(head.id()) else { return false };
    let ranks = seat.next_chunk(Waiting::Fresh);
    let placed = board.place(head.id(), &ranks, Mode::Start);
    if placed {
        board.note(Deed::Goes(head.id()));
    }
    placed
}
