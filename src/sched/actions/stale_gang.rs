//! Stops what is left of a gang that has been below its minimum for too long: nothing comes of
//! it, and it holds room.

use crate::base::{JobId, Mono, Span};
use crate::model::fact::{Eviction, Rule};
use crate::model::job::{Grace, StopFor};
use crate::model::reason::{Numbers, Value};
use crate::sched::board::Board;
use crate::sched::board::seat::{Mark, Waiting};
use crate::sched::board::settle::Deed;
use crate::sched::policy::gang::grace_is_over;
use crate::sched::world::World;

/// Stops the gangs whose grace is over.
pub fn run(board: &mut Board) {
    let now = board.at().now;
    let short: Vec<(Mono, JobId)> = board.world().index().short.iter().copied().collect();
    for (since, id) in short {
        let Some(grace) = grace(board.world(), id) else { continue };
        let stale_for = now.since(since);
        let completed = board
            .seated(id)
            .is_some_and(|seat| seat.gang(Waiting::Fresh, Mark::is_in).is_satisfied());
        if completed || !grace_is_over(stale_for, Some(grace)) {
            continue;
        }
        let Some(seat) = board.seat(id) else { continue };
        let holds = |mark: &Mark| matches!(mark, Mark::Holds(_));
        let held = seat.tasks.iter().enumerate().filter(|(_, cell)| holds(&cell.mark));
        let ranks: Vec<usize> = held.map(|(rank, _)| rank).collect();
        ranks.iter().for_each(|rank| board.evict(id, *rank));
        let for_ms = Value::from(stale_for.0);
        let numbers: Numbers = [("stale_for_ms".into(), for_ms)].into();
        let eviction = Box::new(Eviction::whole(Rule::StaleGang, None, numbers));
        board.note(Deed::Evicts { job: id, eviction, stop: StopFor::Gang });
        board.commit();
    }
}

/// How long a gang may stay below its minimum; `None` is for ever.
fn grace(world: &World, id: JobId) -> Option<Span> {
    let own = world.job(id)?.spec.stale_grace;
    match own.unwrap_or(world.setup().cycle.stale_grace) {
        Grace::After(span) => Some(span),
        Grace::Never => None,
    }
}

/// When a gang's grace ends next, after `now`.
pub fn next_due(world: &World, now: Mono) -> Option<Mono> {
    if !world.setup().cycle.on("stale_gang") {
        return None;
    }
    let short = world.index().short.iter();
    let due = short.filter_map(|(since, id)| Some(*since + grace(world, *id)?));
    due.filter(|due| *due > now).min()
}
