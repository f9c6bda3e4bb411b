//! When waiting jobs will probably start, for readers: nothing is decided by it.
//!
//! They start one after the other on a timeline ([`Sequence`]), once with the median of all run
//! times and once with what nine of ten need (DESIGN.md 5.13). Who is looked at at all follows the
//! shares of teams, as if each kept what it got before. Jobs that people have yet to answer come
//! back among them when such people answer as a rule, and whoever would start after that counts
//! with them.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use crate::base::{At, JobId, Mono};
use crate::model::estimate::Forecast;
use crate::model::job::{Job, State};
use crate::model::page::Lane;
use crate::sched::board::Board;
use crate::sched::board::heads::Head;
use crate::sched::board::teams::Teams;
use crate::sched::board::turns::Turns;
use crate::sched::future::keeper::patient;
use crate::sched::future::sequence::{Sequence, Start};
use crate::sched::future::timeline::By;
use crate::sched::policy::queue::lineage;
use crate::sched::review::returns;
use crate::sched::world::World;

/// Jobs that get a forecast unless more are asked for.
pub const FORECASTS: usize = 1000;

/// When the first so many waiting jobs will probably start. Those that something else keeps back
/// than room, countable resources and the bounds of their team and array have none.
pub fn forecasts(world: &World, at: At, most: usize) -> BTreeMap<JobId, Forecast> {
    let mut all = BTreeMap::new();
    let asked = returning(world, at, most);
    if world.index().queue.is_empty() && asked.is_empty() {
        return all;
    }
    let board = Board::of(world, at);
    let heads = in_order(&board, most);
    let soon = starts(&board, &heads, &asked, By::Median);
    for (id, Start { at: late, guess }) in starts(&board, &heads, &asked, By::P90) {
        let comes = |job: &&Arc<Job>| matches!(job.state, State::Queued | State::InReview);
        let Some(job) = world.job(id).filter(comes) else { continue };
        let (soon, too) = soon.get(&id).map_or((late, false), |soon| (soon.at, soon.guess));
        let wall = |then: Mono| at.wall + then.since(at.now);
        let (from, to) = (wall(soon.min(late)), wall(late.max(soon)));
        // What forecasts were worth is known of those that depend on runs alone.
        let queued = job.state == State::Queued;
        let hits_percent = world.hits.percent(&job.spec.team).filter(|_| queued);
        all.insert(id, Forecast { from, to, hits_percent, guess: guess || too });
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

/// Jobs that hold nothing while people are asked, of whose people something is known, with when
/// they will have their answer.
fn returning(world: &World, at: At, most: usize) -> Vec<(JobId, Forecast)> {
    let asked = world.index().lane(Lane::Human, None).filter_map(|(_, id)| world.job(id));
    let parked = asked.filter(|job| job.state == State::InReview && !job.frozen);
    let known = parked.filter_map(|job| Some((job.id, returns::answer(world, job, at)?)));
    known.take(most).collect()
}

/// When each starts.
fn starts(
    board: &Board,
    heads: &[Head],
    asked: &[(JobId, Forecast)],
    by: By,
) -> BTreeMap<JobId, Start> {
    let back = |(id, answer): &(JobId, Forecast)| {
        let then = match by {
            By::Median => answer.from,
            By::P90 => answer.to,
        };
        let head = board.comes_back(board.world().job(*id)?)?;
        Some((head, board.at().now + then.since(board.at().wall)))
    };
    let backs: Vec<(Head, Mono)> = asked.iter().filter_map(back).collect();
    Sequence::of(board, heads, &backs, by).starts()
}
