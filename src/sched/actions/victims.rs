//! Whose room could be taken, in the exact reverse of the order in which it was given: from the
//! worst team the worst job, its surplus task by task before its core as a whole (kai.md 1.3).

use std::cmp::Ordering;
use std::collections::{BTreeMap, BTreeSet};

use crate::base::{JobId, Mono, Span};
use crate::model::Resources;
use crate::sched::board::Board;
use crate::sched::board::place::sum;
use crate::sched::board::seat::{Mark, Seat};
use crate::sched::board::settle::Deed;
use crate::sched::gangs;
use crate::sched::policy::amounts::Amounts;
use crate::sched::policy::gang::Standing;
use crate::sched::policy::order::Place;
use crate::sched::policy::protection::{Victim, forbids};
use crate::sched::policy::queue_order::{Contender, Standing as Stand};
use crate::sched::policy::service;

/// Tasks that give room together: one of the surplus, or the core of a gang.
#[derive(Debug, Clone)]
pub struct Batch {
    /// The job.
    pub job: JobId,
    /// The place of its team.
    pub team: usize,
    /// Which of its tasks.
    pub ranks: Vec<usize>,
    /// The nodes they are on.
    pub nodes: BTreeSet<usize>,
    /// What they hold, by node.
    pub holds: Vec<(usize, Resources)>,
    /// Without them the gang is below its minimum: then all of it goes.
    pub is_core: bool,
}

impl Batch {
    /// Of some tasks of a job that hold room.
    pub fn of(seat: &Seat, ranks: Vec<usize>) -> Batch {
        let holds = ranks.iter().filter_map(|rank| {
            let cell = &seat.tasks[*rank];
            let request = || seat.job.spec.request_of(cell.group).clone();
            let (Mark::Holds(spot)
            | Mark::Starts(spot)
            | Mark::Promised(spot)
            | Mark::Evicted(spot)
            | Mark::Moves { from: spot, .. }) = &cell.mark
            else {
                let Mark::Undone(node) = &cell.mark else { return None };
                return Some((*node, request()));
            };
            Some((spot.node, request()))
        });
        let holds: Vec<(usize, Resources)> = holds.collect();
        let nodes = holds.iter().map(|(node, _)| *node).collect();
        Batch { job: seat.id(), team: seat.team, ranks, nodes, holds, is_core: false }
    }

    /// What they hold together.
    pub fn amounts(&self) -> Amounts {
        let held: Vec<Resources> = self.holds.iter().map(|(_, held)| held.clone()).collect();
        Amounts::from(&sum(&held))
    }
}

/// What looking for the next victim costs, in nodes looked at.
const LOOKS_EACH: u64 = 20;

/// What an action says of possible victims.
pub trait Choice {
    /// Whether to look into a team at all.
    fn looks_into(&self, board: &Board, team: usize) -> bool;
    /// Whether a job at this place of a team may be a victim.
    fn allows(&self, place: &Place) -> bool;
    /// Whether every job of those teams may be one, as far as it is worth asking before a search.
    fn allows_all(&self) -> bool {
        false
    }
    /// Whether no job before this place of a team may be one.
    fn ends_at(&self, place: &Place) -> bool;
    /// How long a job of a team must have run before it is one.
    fn min_runtime(&self, board: &Board, team: usize) -> Span;
}

/// The victims of one search, worst first: jobs that run, and jobs that only this cycle has given
/// room.
pub struct Victims<'a> {
    choice: &'a dyn Choice,
    /// The jobs of each team that are looked at, by place; the last is next.
    next: Vec<BTreeMap<Place, JobId>>,
    /// Up to where each team's jobs were looked at; `None` once all were.
    seen: Vec<Option<Option<Place>>>,
    /// What is taken already.
    taken: BTreeMap<JobId, Vec<usize>>,
    given_up: Vec<Amounts>,
    /// Where each stands among its siblings with that team's next job.
    stands: Vec<Option<Stand>>,
    /// The team at or below each that gives first; the last is that of the top.
    worst: Vec<Option<usize>>,
    /// Whether `worst` must be looked for again.
    stale: Vec<bool>,
}

impl<'a> Victims<'a> {
    /// All victims of a choice, beside the tasks that are taken already.
    pub fn new(board: &Board, choice: &'a dyn Choice, taken: &[Batch]) -> Victims<'a> {
        let count = board.teams.count();
        let looks = |team| choice.looks_into(board, team).then_some(None);
        let mut by_job: BTreeMap<JobId, Vec<usize>> = BTreeMap::new();
        for batch in taken {
            by_job.entry(batch.job).or_default().extend(&batch.ranks);
        }
        let mut next = vec![BTreeMap::new(); count];
        for deed in &board.deeds {
            let Deed::Goes(id) = deed else { continue };
            let Some(seat) = board.seated(*id).filter(|seat| seat.job.gives_way()) else {
                continue;
            };
            let waited = seat.thaws || seat.job.active_tasks().next().is_none();
            let place = Place::of(&seat.job, standing_without(seat, &[]));
            if waited && choice.looks_into(board, seat.team) && choice.allows(&place) {
                next[seat.team].insert(place, *id);
            }
        }
        Victims {
            choice,
            next,
            seen: (0..count).map(looks).collect(),
            taken: by_job,
            given_up: vec![Amounts::default(); count],
            stands: vec![None; count],
            worst: vec![None; count + 1],
            stale: vec![true; count + 1],
        }
    }

    /// The next batch.
    pub fn next(&mut self, board: &mut Board) -> Option<Batch> {
        loop {
            board.looks += LOOKS_EACH;
            let team = self.worst(board, None)?;
            let (place, id) = self.next[team].pop_last()?;
            board.teams.line(team).iter().for_each(|level| self.stale[*level] = true);
            self.stale[board.teams.count()] = true;
            let Some(batch) = self.batch(board, team, place, id) else { continue };
            self.given_up[team] = self.given_up[team].plus(&batch.amounts());
            return Some(batch);
        }
    }

    fn batch(&mut self, board: &mut Board, team: usize, place: Place, id: JobId) -> Option<Batch> {
        let min_runtime = self.choice.min_runtime(board, team);
        let now = board.at().now;
        let seat = board.seat(id)?;
        let taken = self.taken.entry(id).or_default();
        let (ranks, keeps) = seat.next_to_give_up(taken);
        let is_new = ranks.iter().any(|rank| is_new(seat, *rank, now));
        if ranks.is_empty() || is_new || !leaves_baseline(seat, taken, &ranks) {
            return None;
        }
        if !keeps && is_protected(seat, &ranks, now, min_runtime) {
            return None;
        }
        taken.extend(&ranks);
        if keeps {
            let standing = standing_without(seat, taken);
            self.next[team].insert(Place { standing, ..place }, id);
        }
        Some(Batch { is_core: !keeps, ..Batch::of(seat, ranks) })
    }

    /// Sees to it that the last job of a team that was not looked at is.
    fn fill(&mut self, board: &Board, team: usize) {
        let Some(seen) = self.seen[team] else { return };
        if let (Some((last, _)), Some(seen)) = (self.next[team].last_key_value(), seen)
            && *last >= seen
        {
            return;
        }
        let givers = board.world().index().givers.get(board.teams.name(team));
        let from = seen.map_or(std::ops::Bound::Unbounded, std::ops::Bound::Excluded);
        let mut range = givers.map(|givers| givers.range((std::ops::Bound::Unbounded, from)));
        let before = std::iter::from_fn(|| Some(range.as_mut()?.next_back()?.0));
        let mut before = before.take_while(|place| !self.choice.ends_at(place));
        let found = before.find(|place| self.choice.allows(place)).copied();
        self.seen[team] = found.map(Some);
        if let Some(place) = found {
            self.next[team].insert(place, place.id);
        }
    }

    /// The team at or below `at` that gives first.
    fn worst(&mut self, board: &Board, at: Option<usize>) -> Option<usize> {
        let slot = at.unwrap_or(board.teams.count());
        if !self.stale[slot] {
            return self.worst[slot];
        }
        let mut worst: Option<(usize, usize)> = None;
        if let Some(team) = at {
            self.fill(board, team);
            if !self.next[team].is_empty() {
                worst = Some((team, team));
                self.stand(board, team, team);
            }
        }
        for child in board.teams.below(at) {
            let Some(leaf) = self.worst(board, Some(*child)) else { continue };
            let worse =
                worst.is_none_or(|known| self.order((*child, leaf), known) == Ordering::Greater);
            if worse {
                worst = Some((*child, leaf));
            }
        }
        self.worst[slot] = worst.map(|(_, leaf)| leaf);
        self.stale[slot] = false;
        if let (Some(team), Some(leaf)) = (at, self.worst[slot]) {
            self.stand(board, team, leaf);
        }
        self.worst[slot]
    }

    /// Notes where a queue stands if the next job of a team at or below it gave its room.
    fn stand(&mut self, board: &Board, team: usize, leaf: usize) {
        let given_up = self.given_up[leaf].plus(&self.would_give(board, leaf));
        let queue = &board.teams.queues[team];
        let contender = Contender { queue, next: Amounts::default(), given_up };
        self.stands[team] = Some(Stand::of(&contender, &board.teams.total));
    }

    fn order(&self, a: (usize, usize), b: (usize, usize)) -> Ordering {
        let last = |leaf: usize| self.next[leaf].last_key_value().map(|(place, _)| *place);
        let by_place = || last(a.1).cmp(&last(b.1));
        match (&self.stands[a.0], &self.stands[b.0]) {
            (Some(a), Some(b)) => a.order(b).then_with(by_place),
            _ => by_place(),
        }
    }

    /// What the next job of a team holds.
    fn would_give(&self, board: &Board, team: usize) -> Amounts {
        let Some((_, id)) = self.next[team].last_key_value() else { return Amounts::default() };
        let Some(job) = board.world().job(*id) else { return Amounts::default() };
        let taken = self.taken.get(id).map_or(&[][..], Vec::as_slice);
        let left = job
            .active_tasks()
            .filter(|task| !taken.contains(&usize::try_from(task.rank).unwrap_or(usize::MAX)));
        left.fold(Amounts::default(), |sum, task| {
            sum.plus(&Amounts::from(job.spec.request_of(task.group)))
        })
    }
}

/// Whether a service keeps its baseline without these tasks.
fn leaves_baseline(seat: &Seat, taken: &[usize], ranks: &[usize]) -> bool {
    let Some(service) = &seat.job.spec.service else { return true };
    let cells = seat.tasks.iter().enumerate();
    let holding = cells.filter(|(rank, cell)| cell.mark.can_give() && !taken.contains(rank));
    let count = |n: usize| u32::try_from(n).unwrap_or(u32::MAX);
    service::may_give(service.baseline, count(holding.count()), count(ranks.len()))
}

/// Whether a minimum runtime keeps a gang's core safe. Its surplus has gone before.
fn is_protected(seat: &Seat, core: &[usize], now: Mono, min_runtime: Span) -> bool {
    let take = u32::try_from(core.len()).unwrap_or(u32::MAX);
    let ran = seat.job.started.map(|at| now.since(at.now));
    forbids(&Victim { ran, running: take, min: seat.job.spec.gang.min, take }, min_runtime)
}

/// A task that got its room at this very instant keeps it until the next: nothing is started and
/// stopped in one breath.
fn is_new(seat: &Seat, rank: usize, now: Mono) -> bool {
    let task = seat.job.tasks.get(rank).filter(|task| task.started.is_none());
    let placed = task.and_then(|task| task.placed);
    matches!(seat.tasks[rank].mark, Mark::Holds(_)) && placed.is_some_and(|at| at.now == now)
}

/// How a gang would stand without some of its tasks.
fn standing_without(seat: &Seat, taken: &[usize]) -> Standing {
    let gang = gangs::tree(&seat.job.spec, |group| {
        let cells = seat.tasks.iter().enumerate().filter(|(rank, cell)| {
            cell.group == group && cell.mark.can_give() && !taken.contains(rank)
        });
        (u32::try_from(cells.count()).unwrap_or(u32::MAX), 0)
    });
    gangs::standing_of(&gang)
}
