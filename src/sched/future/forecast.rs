//! When waiting jobs will probably start, for readers: nothing is decided by it.
//!
//! Each job in order gets the earliest room on a timeline, on which those before it have theirs;
//! once with the median of all run times and once with what nine of ten need (DESIGN.md 5.13).

use std::collections::BTreeMap;

use crate::base::{At, JobId, Mono};
use crate::model::estimate::Forecast;
use crate::model::job::State;
use crate::sched::board::Board;
use crate::sched::board::heads::Head;
use crate::sched::board::turns::Turns;
use crate::sched::future::ask::Ask;
use crate::sched::future::guard::Guard;
use crate::sched::future::keeper::patient;
use crate::sched::future::timeline::By;
use crate::sched::world::World;

/// Jobs that get a forecast unless more are asked for.
pub const FORECASTS: usize = 256;

/// When the first so many waiting jobs will probably start. Those that something else keeps back
/// than room, their team's bounds and countable resources have none.
pub fn forecasts(world: &World, at: At, most: usize) -> BTreeMap<JobId, Forecast> {
    let mut all = BTreeMap::new();
    if world.index().queue.is_empty() {
        return all;
    }
    let board = Board::of(world, at);
    let heads = in_order(&board, most);
    let soon = starts(&board, &heads, By::Median);
    for (id, late) in starts(&board, &heads, By::P90) {
        let Some(job) = world.job(id).filter(|job| job.state == State::Queued) else { continue };
        let soon = soon.get(&id).copied().unwrap_or(late);
        let wall = |then: Mono| at.wall + then.since(at.now);
        let (from, to) = (wall(soon.min(late)), wall(late.max(soon)));
        let hits_percent = world.hits.percent(&job.spec.team);
        all.insert(id, Forecast { from, to, hits_percent });
    }
    all
}

/// The waiting jobs in the order in which they get room.
fn in_order(board: &Board, most: usize) -> Vec<Head> {
    let by_team = board.world().setup().cycle.on("fair_share");
    let mut turns = Turns::new(&board.teams, by_team);
    let mut order = patient(board, &board.left);
    board.left.iter().for_each(|head| turns.push(&board.teams, head.clone()));
    let mut seen: std::collections::BTreeSet<JobId> = order.iter().map(Head::id).collect();
    while order.len() < most {
        let Some(head) = turns.pop(&board.teams) else { break };
        if let Some(next) = board.after(&head) {
            turns.push(&board.teams, next);
        }
        let fresh = !head.shape.grows && head.shape.thaw.is_none();
        if fresh && board.is_unhindered(&head) && seen.insert(head.id()) {
            order.push(head);
        }
    }
    order
}

fn starts(board: &Board, heads: &[Head], by: By) -> BTreeMap<JobId, Mono> {
    let mut guard = Guard::new(board, by);
    for head in heads {
        let ask = Ask::of(board, &guard, head).map(|ask| ask.within_bounds(board, head));
        if let Some(ask) = ask {
            guard.reserve(board, &ask);
        }
    }
    guard.slots.iter().map(|slot| (slot.job, slot.at)).collect()
}
