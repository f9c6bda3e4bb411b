//! What consolidation, reclaim and preemption do alike: ask one waiting job after the other, in
//! the order of teams and jobs, and note who had to give room for it.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Bound::{Excluded, Unbounded};
use std::rc::Rc;
use std::sync::Arc;

use crate::base::{JobId, Mono, Span};
use crate::model::fact::{Eviction, Rule};
use crate::model::job::StopFor;
use crate::model::reason::{Numbers, Value};
use crate::sched::actions::allocate;
use crate::sched::actions::search::{Aim, Others, Outcome, Taker, search};
use crate::sched::actions::victims::Batch;
use crate::sched::board::Board;
use crate::sched::board::heads::Head;
use crate::sched::board::seat::{Mark, Waiting};
use crate::sched::board::settle::Deed;
use crate::sched::board::turns::Turns;
use crate::sched::index::{Shape, delayed_until};
use crate::sched::policy::amounts::Kind;
use crate::sched::world::World;

/// How often an action may look at all nodes for one job.
const ROUNDS_PER_JOB: u64 = 20;
/// Nodes it may look at for one job at least.
const JOB_LOOKS_MIN: u64 = 20_000;
/// Jobs it may look for like that in one cycle.
const JOBS_PER_ACTION: u64 = 4;
/// Jobs of one shape that are passed over because they may not evict anybody yet.
const PASSED_OVER: usize = 16;

/// One of the actions that make room.
pub trait Hunt {
    /// Whether a job may start to look for victims at all, and how; a cheap look at numbers.
    fn aim(&self, board: &Board, head: &Head) -> Option<Box<dyn Aim>>;
    /// The rule that took a batch, in the end.
    fn rule(&self, board: &Board, taker: &Taker, batch: &Batch) -> Rule;
}

/// Lets each waiting job look for victims.
pub fn run(board: &mut Board, hunt: &dyn Hunt) {
    if board.world().index().givers.is_empty() && board.deeds.is_empty() {
        return;
    }
    let mut open: BTreeSet<JobId> = BTreeSet::new();
    let mut teams: BTreeSet<usize> = BTreeSet::new();
    for head in board.left.iter().filter(|head| hunt.aim(board, head).is_some()) {
        open.insert(head.id());
        teams.insert(head.team);
    }
    if open.is_empty() {
        return;
    }
    let teams: BTreeSet<usize> = board.teams.compared_with(&teams).into_iter().collect();
    let by_team = board.world().setup().cycle.on("fair_share");
    let mut turns = Turns::new(&board.teams, by_team);
    let before = std::mem::take(&mut board.left);
    let mut waiting: Vec<Rc<Vec<Head>>> = vec![Rc::default(); board.teams.count()];
    for head in &before {
        Rc::make_mut(&mut waiting[head.team]).push(head.clone());
        if teams.contains(&head.team) {
            turns.push(&board.teams, head.clone());
        }
    }
    let mut waiting: Others = Rc::new(waiting);
    let each = (board.rooms.len() as u64 * ROUNDS_PER_JOB).max(JOB_LOOKS_MIN);
    let end = board.looks.saturating_add(each * JOBS_PER_ACTION);
    let mut failed: BTreeSet<Arc<Shape>> = BTreeSet::new();
    // Until somebody was helped nobody else comes to be one that may look for victims, and once
    // enough was looked at nobody is helped any more.
    let mut helped = false;
    let goes_on = |board: &Board, helped, open: &BTreeSet<JobId>| {
        helped || (!open.is_empty() && board.looks <= end)
    };
    while goes_on(board, helped, &open)
        && let Some(head) = turns.pop(&board.teams)
    {
        open.remove(&head.id());
        let tries = head.shape.thaw.is_none() && board.looks <= end;
        let tries = tries && !failed.contains(&head.shape);
        let goes = tries.then(|| take(board, hunt, &head, &waiting, each)).flatten();
        let Some(goes) = goes else {
            failed.insert(head.shape.clone());
            board.left.push(head);
            continue;
        };
        if !std::mem::replace(&mut helped, true) {
            let elsewhere = before.iter().filter(|head| !teams.contains(&head.team));
            elsewhere.for_each(|head| turns.push(&board.teams, head.clone()));
        }
        let next = if goes == head.id() { board.after(&head) } else { Some(head.clone()) };
        let team = Rc::make_mut(&mut Rc::make_mut(&mut waiting)[head.team]);
        team.retain(|other| other.id() != head.id());
        team.extend(next.clone());
        next.into_iter().for_each(|head| turns.push(&board.teams, head));
    }
    if !helped {
        board.left = before;
    } else if board.takes_back() && board.world().setup().cycle.on("allocate") {
        // Whoever got room in this cycle and lost it again kept others from it.
        allocate::run(board);
    }
}

/// The first job of a head's shape that may evict others by now.
fn ready(board: &Board, head: &Head) -> Option<Head> {
    let mut next = Some(head.clone());
    for _ in 0..PASSED_OVER {
        let head = next?;
        let job = board.world().job(head.id())?;
        let delayed = delayed_until(job).is_some_and(|until| until > board.at().now);
        let placed =
            board.seated(head.id()).is_some_and(|seat| seat.next_chunk(Waiting::Fresh).is_empty());
        if !delayed && !placed {
            return Some(head);
        }
        next = board.after(&head);
    }
    None
}

/// Makes others give room to a head or one of its shape, if that is possible; to whom.
fn take(
    board: &mut Board,
    hunt: &dyn Hunt,
    head: &Head,
    others: &Others,
    most: u64,
) -> Option<JobId> {
    hunt.aim(board, head)?;
    let head = ready(board, head)?;
    let aim = hunt.aim(board, &head)?;
    let taker = Taker::of(board, &head, others)?;
    if !board.could_ever_serve(&*aim, &taker) {
        return None;
    }
    let before = board.checkpoint();
    let numbers = Compared::of(board, &taker);
    let budget = board.looks.saturating_add(most);
    let Some(outcome) = search(board, &*aim, &taker, budget) else {
        board.rollback(before);
        return None;
    };
    board.hunted = true;
    board.note(Deed::Goes(taker.head.id()));
    if !stops_anybody(board, &outcome) {
        board.start_free(taker.head.id());
    }
    evict(board, hunt, &taker, &outcome, &numbers);
    board.commit();
    Some(taker.head.id())
}

/// Somebody who runs loses room, not only somebody who had got some in this cycle.
fn stops_anybody(board: &Board, outcome: &Outcome) -> bool {
    let mut batches = outcome.lost.iter().chain(&outcome.moved);
    batches.any(|batch| {
        let seat = board.seated(batch.job);
        let mark = |rank: &usize| seat.map(|seat| &seat.tasks[*rank].mark);
        let runs = |rank| matches!(mark(rank), Some(Mark::Evicted(_) | Mark::Moves { .. }));
        batch.ranks.iter().any(runs)
    })
}

/// Notes who had to give room. A gang that keeps its minimum where it is loses single tasks,
/// any other goes whole.
fn evict(board: &mut Board, hunt: &dyn Hunt, taker: &Taker, outcome: &Outcome, numbers: &Compared) {
    let mut by_job: BTreeMap<JobId, (usize, Vec<&Batch>)> = BTreeMap::new();
    for (at, batch) in outcome.lost.iter().chain(&outcome.moved).enumerate() {
        let (last, batches) = by_job.entry(batch.job).or_default();
        *last = at;
        batches.push(batch);
    }
    // Each job once the last of its chunks was judged: what stood before that stands here as well.
    let mut in_order: Vec<(usize, JobId, Vec<&Batch>)> =
        by_job.into_iter().map(|(id, (last, batches))| (last, id, batches)).collect();
    in_order.sort_by_key(|(last, ..)| *last);
    for (_, id, batches) in in_order {
        let Some(seat) = board.seated(id) else { continue };
        let stays = |mark: &Mark| matches!(mark, Mark::Holds(_) | Mark::Starts(_));
        if seat.job.active_tasks().next().is_none() {
            // It had got room in this cycle only; nothing of it runs. All of it or enough goes.
            if !seat.gang(Waiting::Evicted, Mark::is_in).is_satisfied() {
                (0..seat.tasks.len()).for_each(|rank| board.evict(id, rank));
            }
            continue;
        }
        let goes_on = seat.gang(Waiting::Evicted, stays).is_satisfied()
            && seat.tasks.iter().any(|cell| stays(&cell.mark));
        let runs = |rank: &&usize| !matches!(seat.tasks[**rank].mark, Mark::Undone(_));
        let mut ranks: Vec<u32> = batches
            .iter()
            .flat_map(|batch| &batch.ranks)
            .filter(runs)
            .filter_map(|rank| u32::try_from(*rank).ok())
            .collect();
        ranks.sort_unstable();
        if ranks.is_empty() {
            continue;
        }
        // What it had got in this cycle only is no loss. One that stops as a whole and keeps its
        // minimum moves, even with fewer tasks.
        let loses = |batch: &&Batch| batch.job == id && batch.ranks.iter().any(|rank| runs(&rank));
        let moved = match goes_on {
            true => !outcome.lost.iter().any(|batch| loses(&batch)),
            false => seat.gang(Waiting::Evicted, Mark::is_in).is_satisfied(),
        };
        let to = seat.tasks.iter().filter_map(|cell| match &cell.mark {
            Mark::Moves { to, .. } => Some(&*board.rooms[to.node].name),
            _ => None,
        });
        let mut numbers = numbers.against(board, seat.team, seat.job.priority());
        let to: Vec<&str> = to.collect();
        if !to.is_empty() {
            numbers.insert("to".into(), Value::Text(to.join(", ")));
        }
        let rule = batches.first().map_or(Rule::Preempt, |batch| hunt.rule(board, taker, batch));
        let whole = Eviction::whole(rule, Some(taker.head.id()), numbers);
        let ranks = if goes_on { ranks } else { Vec::new() };
        let eviction = Box::new(Eviction { ranks, moved, ..whole });
        board.note(Deed::Evicts { job: id, eviction, stop: StopFor::Preempt });
    }
}

/// What was compared, as it was before anything was taken.
struct Compared {
    taker: usize,
    priority: u16,
    queues: Vec<crate::sched::policy::queue::Queue>,
}

impl Compared {
    fn of(board: &Board, taker: &Taker) -> Compared {
        let job = board.world().job(taker.head.id());
        let priority = job.map_or(0, |job| job.priority());
        Compared { taker: taker.head.team, priority, queues: board.teams.queues.clone() }
    }

    /// Use, quota and share of both teams, and both priorities.
    fn against(&self, board: &Board, victim: usize, priority: u16) -> Numbers {
        let mut numbers = Numbers::new();
        let mut add = |name: &str, n: u64| {
            numbers.insert(name.into(), Value::from(n));
        };
        add("taker_priority", u64::from(self.priority));
        add("victim_priority", u64::from(priority));
        if self.taker != victim {
            for (who, team) in [("taker", self.taker), ("victim", victim)] {
                let queue = &self.queues[team];
                for kind in Kind::ALL {
                    let unit = match kind {
                        Kind::Mem => "mem_bytes".to_owned(),
                        Kind::Cpu | Kind::Gpu => format!("{kind}_milli"),
                    };
                    if queue.allocated.get(kind) == 0 && queue.fair.get(kind) == 0 {
                        continue;
                    }
                    add(&format!("{who}_use_{unit}"), queue.allocated.get(kind));
                    add(&format!("{who}_share_{unit}"), queue.fair.get(kind));
                    if let Some(quota) = queue.quota.get(kind) {
                        add(&format!("{who}_quota_{unit}"), quota);
                    }
                }
            }
            let name = |team: usize| Value::Text(board.teams.name(team).to_string());
            numbers.insert("taker_team".into(), name(self.taker));
            numbers.insert("victim_team".into(), name(victim));
        }
        numbers
    }
}

/// When a job next stops being safe from others, or may next make others give room, after `now`:
/// only if somebody waits.
pub fn next_due(world: &World, now: Mono) -> Option<Mono> {
    if world.index().queue.is_empty() {
        return None;
    }
    let delays = world.index().delays.range((now, JobId(u64::MAX))..).next();
    let delay = delays.map(|(until, _)| *until);
    let spans: BTreeSet<Span> = world
        .teams()
        .flat_map(|team| [team.terms.preempt_min_runtime, team.terms.reclaim_min_runtime])
        .flatten()
        .collect();
    let safe = spans.into_iter().flat_map(|span| {
        let started = (now - span, JobId(u64::MAX));
        let of_team = |starts: &imbl::OrdSet<(Mono, JobId)>| {
            Some(starts.range((Excluded(started), Unbounded)).next()?.0 + span)
        };
        world.index().giver_starts.values().filter_map(of_team).collect::<Vec<_>>()
    });
    safe.chain(delay).filter(|due| *due > now).min()
}
