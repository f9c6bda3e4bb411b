//! When waiting jobs will probably start, for readers: nothing is decided by it.
//!
//! On a timeline those who have room reserved get it, then whoever can start next, as cycles would
//! let them; once with the median of all run times and once with what nine of ten need (DESIGN.md
//! 5.13). Whose turn it is follows the shares of teams as if each kept what it got before, and who
//! waits for a bound of its team, or of its array, is expected once enough of those who run ended.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::sync::Arc;

use crate::base::{At, JobId, Mono, Span};
use crate::model::estimate::Forecast;
use crate::model::job::State;
use crate::sched::actions::reserve::chosen;
use crate::sched::board::Board;
use crate::sched::board::heads::Head;
use crate::sched::board::teams::Teams;
use crate::sched::board::turns::Turns;
use crate::sched::future::ask::Ask;
use crate::sched::future::guard::Guard;
use crate::sched::future::keeper::patient;
use crate::sched::future::timeline::By;
use crate::sched::index::Shape;
use crate::sched::policy::queue::lineage;
use crate::sched::world::World;

/// Jobs that get a forecast unless more are asked for.
pub const FORECASTS: usize = 1000;

/// Nodes that are looked at for one forecast of all; after that whoever is looked at next gets the
/// next room, also if another could start sooner.
const LOOKS: usize = 1_000_000;

/// When the first so many waiting jobs will probably start. Those that something else keeps back
/// than room, countable resources and the bounds of their team and array have none.
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
    let mut teams = board.teams.clone();
    let mut turns = Turns::new(&teams, board.world().setup().cycle.on("fair_share"));
    let mut order = patient(board, &board.left);
    order.iter().for_each(|head| gets(&mut teams, head));
    board.left.iter().for_each(|head| turns.push(&teams, head.clone()));
    let mut seen: BTreeSet<JobId> = order.iter().map(Head::id).collect();
    while order.len() < most {
        let Some(head) = turns.pop(&teams) else { break };
        let comes = !head.shape.grows && head.shape.thaw.is_none() && board.has_rate_for(&head);
        let comes = comes && seen.insert(head.id());
        if comes {
            gets(&mut teams, &head);
        }
        // After what the team has now, so that its turn is worked out anew.
        if let Some(next) = board.after(&head) {
            turns.push(&teams, next);
        }
        order.extend(comes.then_some(head));
    }
    order
}

/// From here on a team counts as holding that too.
fn gets(teams: &mut Teams, head: &Head) {
    for level in lineage(&teams.queues, head.team) {
        let queue = &mut teams.queues[level];
        queue.allocated = queue.allocated.plus(&head.chunk);
    }
}

/// When each starts: first those that have room reserved, then whoever can start next, of several
/// the one whose turn it is. A job without a reservation holds nobody back.
fn starts(board: &Board, heads: &[Head], by: By) -> BTreeMap<JobId, Mono> {
    let mut guard = Guard::new(board, by);
    let holders = chosen(board, heads);
    let held: BTreeSet<JobId> = holders.iter().map(Head::id).collect();
    for head in &holders {
        if let Some(ask) = Ask::of(board, &guard, head) {
            guard.reserve(board, &ask.within_bounds(board, head));
        }
    }
    // Of jobs that ask for the same for as long, none starts before the one whose turn is first.
    let mut lines: BTreeMap<(Arc<Shape>, Span), VecDeque<(usize, Ask)>> = BTreeMap::new();
    for (turn, head) in heads.iter().enumerate().filter(|(_, head)| !held.contains(&head.id())) {
        let ask = Ask::of(board, &guard, head).map(|ask| ask.within_bounds(board, head));
        let Some(ask) = ask else { continue };
        lines.entry((head.shape.clone(), ask.length)).or_default().push_back((turn, ask));
    }
    let mut lines: Vec<VecDeque<(usize, Ask)>> = lines.into_values().collect();
    // No sooner than then; what others get meanwhile only puts it off.
    let mut next: BTreeSet<(Mono, usize, usize)> = BTreeSet::new();
    let first = |(line, asks): (usize, &VecDeque<(usize, Ask)>)| {
        asks.front().map(|(turn, _)| (board.at().now, *turn, line))
    };
    next.extend(lines.iter().enumerate().filter_map(first));
    let mut looks = LOOKS;
    while let Some((at, turn, line)) = next.pop_first() {
        let Some((_, ask)) = lines[line].front() else { continue };
        let Some(slot) = guard.look(board, ask, at) else { continue };
        looks = looks.saturating_sub(ask.wishes.iter().map(|wish| wish.nodes.len()).sum());
        if slot.at > at && looks > 0 {
            next.insert((slot.at, turn, line));
            continue;
        }
        let at = slot.at;
        guard.keep(slot);
        lines[line].pop_front();
        next.extend(lines[line].front().map(|(turn, _)| (at, *turn, line)));
    }
    guard.slots.iter().map(|slot| (slot.job, slot.at)).collect()
}
