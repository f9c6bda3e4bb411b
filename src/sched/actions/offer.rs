//! What happens at once in a large installation, where a full cycle runs at most once a second:
//! what is free is offered to the jobs it could serve, in the order of teams and jobs, beside
//! what is promised and what is reserved. Nobody is made to give room.
//!
//! A full cycle takes time with every shape of waiting job and with every node. Between two of
//! them nothing is lost by this: free room never waits for the next one, a job that is promised
//! room starts as soon as it is free, and a start respects the reservations of the last one.

use crate::base::{JobId, Mono, Span};
use crate::model::Fact;
use crate::sched::actions::allocate::start;
use crate::sched::actions::{stale_gang, urgency};
use crate::sched::board::Board;
use crate::sched::board::settle::Deed;
use crate::sched::board::turns::Turns;
use crate::sched::plan::Plan;
use crate::sched::world::World;

/// Full cycles of a large installation are so far apart at least.
pub const CYCLES_APART: Span = Span::secs(1);
/// Shapes of waiting jobs times nodes from which on an installation is large: where a full cycle
/// takes milliseconds.
const LARGE: usize = 20_000;

/// Whether the full cycle has to wait; notes until when, and when one that waited is run.
pub(super) fn puts_off_cycle(plan: &mut Plan) -> bool {
    let (world, now) = (plan.world(), plan.at().now);
    let due = world.cycle_due;
    let is_over = |due: Mono| due <= now;
    match due {
        Some(due) if is_large(world) && !is_over(due) => true,
        None if is_large(world) => {
            plan.note(Fact::CycleDue { at: Some(now + CYCLES_APART) });
            true
        }
        Some(_) => {
            plan.note(Fact::CycleDue { at: None });
            false
        }
        None => false,
    }
}

fn is_large(world: &World) -> bool {
    world.index().queue.len().saturating_mul(world.nodes.len()) > LARGE
}

/// Offers what is free, and stops the gangs whose grace is over.
pub(super) fn run(plan: &mut Plan) {
    urgency::run(plan, 0);
    let cycle = &plan.world().setup().cycle;
    let (gives, stops) = (cycle.on("allocate"), cycle.on("stale_gang"));
    let mut board = Board::standing(plan.world(), plan.at());
    if gives {
        start_promised(&mut board);
        offer(&mut board);
    }
    if stops {
        stale_gang::run(&mut board);
    }
    board.settle(plan);
}

/// Starts whom all that is promised to them is free for.
fn start_promised(board: &mut Board) {
    let promised: Vec<JobId> = board.world().index().promised.iter().copied().collect();
    for id in promised.into_iter().filter(|id| board.is_promise_free(*id)).collect::<Vec<_>>() {
        if board.seat(id).is_none() {
            continue;
        }
        board.start_promised(id);
        if board.is_promised(id) {
            continue;
        }
        board.note(Deed::Goes(id));
        board.commit();
    }
}

fn offer(board: &mut Board) {
    let by_team = board.world().setup().cycle.on("fair_share");
    let mut turns = Turns::new(&board.teams, by_team);
    for head in board.served_heads() {
        turns.push(&board.teams, head);
    }
    while let Some(head) = turns.pop(&board.teams) {
        let before = board.checkpoint();
        if !start(board, &head) || board.is_promised(head.id()) {
            board.rollback(before);
            continue;
        }
        board.commit();
        let next = [board.again(&head), board.after(&head)];
        next.into_iter().flatten().for_each(|head| turns.push(&board.teams, head));
    }
}
