//! What happens at once in a large installation, where a full cycle runs at most once a second:
//! what is free is offered to the jobs it could serve, in the order of teams and jobs, beside
//! what is promised and what is reserved. Nobody is made to give room.
//!
//! A full cycle takes time with every shape of waiting job and with every node. Between two of
//! them nothing is lost by this: free room never waits for the next one, a job that is promised
//! room starts as soon as it is free, and a start respects the reservations of the last one.

use crate::base::{JobId, Mono, Span};
use crate::model::{Fact, Resources};
use crate::sched::actions::allocate::start;
use crate::sched::actions::{CHEAP, PASSES, stale_gang, urgency};
use crate::sched::board::Board;
use crate::sched::board::heads::Head;
use crate::sched::board::place::Mode;
use crate::sched::board::seat::Waiting;
use crate::sched::board::settle::Deed;
use crate::sched::board::standing::Served;
use crate::sched::board::turns::Turns;
use crate::sched::future::guard::surely_over;
use crate::sched::future::keeper::shorter;
use crate::sched::plan::Plan;
use crate::sched::world::World;

/// Full cycles of a large installation are so far apart at least.
pub const CYCLES_APART: Span = Span::secs(1);

/// Whether the full cycle has to wait; notes until when, and when one that waited is run.
pub(super) fn puts_off_cycle(plan: &mut Plan) -> bool {
    let (world, now) = (plan.world(), plan.at().now);
    let due = world.cycle_due;
    let is_over = |due: Mono| due <= now;
    match due {
        Some(due) if is_large(world) && !is_over(due) => true,
        // Nothing has happened since the one that was run at this very instant.
        None if is_large(world) && world.cycle_ran == now && plan.facts().is_empty() => true,
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

/// Whether a full cycle is dear.
pub(super) fn is_large(world: &World) -> bool {
    work(world) > world.setup().cycle.large
}

/// Kinds of waiting jobs times nodes: what a pass costs.
pub(super) fn work(world: &World) -> u64 {
    let count = |n: usize| u64::try_from(n).unwrap_or(u64::MAX);
    count(world.index().queue.len()).saturating_mul(count(world.nodes.len()))
}

/// Offers what is free, and stops the gangs whose grace is over.
pub(super) fn run(plan: &mut Plan) {
    let (mut looked, _) = urgency::run(plan, 0);
    for _ in 0..PASSES {
        let before = plan.facts().len();
        once(plan);
        let (until, reordered) = urgency::run(plan, looked);
        looked = until;
        let changed = plan.facts().len() > before;
        if !changed || !(reordered || work(plan.world()) <= CHEAP) {
            break;
        }
    }
}

fn once(plan: &mut Plan) {
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

/// Starts whom all that is promised to them is free for, or as much elsewhere.
fn start_promised(board: &mut Board) {
    let promised: Vec<JobId> = board.world().index().promised.iter().copied().collect();
    for id in promised.into_iter().filter(|id| board.promise_stands(*id)).collect::<Vec<_>>() {
        if board.seat(id).is_none() {
            continue;
        }
        if board.is_promise_free(id) {
            board.start_promised(id);
        }
        if !board.is_promised(id) {
            board.note(Deed::Goes(id));
            board.commit();
            continue;
        }
        let before = board.checkpoint();
        board.give_up_promise(id);
        let ranks = board.seated(id).map(|seat| seat.next_chunk(Waiting::Fresh));
        if board.place(id, &ranks.unwrap_or_default(), Mode::Start) && !board.is_promised(id) {
            board.note(Deed::Goes(id));
            board.commit();
        } else {
            board.rollback(before);
        }
    }
}

fn offer(board: &mut Board) {
    let by_team = board.world().setup().cycle.on("fair_share");
    let mut turns = Turns::new(&board.teams, by_team);
    let mut served = Served::default();
    let mut denied: Vec<Denied> = Vec::new();
    for head in board.served_heads(&mut served) {
        turns.push(&board.teams, head);
    }
    for head in board.mover_heads() {
        if start(board, &head) {
            board.commit();
            served.look_again(board);
        } else {
            turns.push(&board.teams, head);
        }
    }
    while let Some(head) = turns.pop(&board.teams).filter(|_| served.is_any()) {
        let before = board.checkpoint();
        let over = board.keeps_room().then(|| over(board, &head));
        let tasks = head.shape.tasks_alike().filter(|_| !board.has_spot());
        let is_denied = |known: &Denied| {
            let alike = tasks.is_some_and(|(request, n)| *request == known.0 && n >= known.1);
            alike && over.is_some_and(|over| over >= known.2)
        };
        if denied.iter().any(is_denied) {
            continue;
        }
        if !starts(board, &head) {
            board.rollback(before);
            let Some(over) = over else { continue };
            let held_back = board.beside_nothing(|board| starts(board, &head));
            board.rollback(before);
            if let Some((request, n)) = tasks.filter(|_| held_back) {
                denied.push((request.clone(), n, over));
            }
            let next = held_back.then(|| shorter(board, &head)).flatten();
            next.into_iter().for_each(|head| turns.push(&board.teams, head));
            continue;
        }
        board.commit();
        served.look_again(board);
        let next = [board.again(&head), board.after(&head)];
        next.into_iter().flatten().for_each(|head| turns.push(&board.teams, head));
    }
}

/// What reservations keep from starting: so many tasks that ask for so much, unless they are over
/// sooner than so.
type Denied = (Resources, u32, Mono);

/// When a job that starts now can be counted on to be over.
fn over(board: &Board, head: &Head) -> Mono {
    board.world().job(head.id()).map_or(Mono(u64::MAX), |job| surely_over(board, job))
}

/// Starts the next chunk of a job now, not once others are gone.
fn starts(board: &mut Board, head: &Head) -> bool {
    start(board, head) && !board.is_promised(head.id())
}
