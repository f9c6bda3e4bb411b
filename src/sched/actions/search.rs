//! The search for victims that consolidation, reclaim and preemption share (kai.md 1.3, "Victim
//! choice").
//!
//! Victims are added in their order. After each the least of them is tried first: those that
//! share a node with the newest, then those on the smallest set of nodes that could do. A try
//! stops them on the board and places the taker and them again in the normal order: one that is
//! back where it was is no victim, one that found another place moves. The number of the
//! taker's tasks grows 1, 2, 4 … so that what is needed for few is known for many. What a search
//! may cost is counted in nodes looked at, never in time.

use std::collections::BTreeSet;
use std::rc::Rc;

use crate::base::JobId;
use crate::model::Resources;
use crate::sched::actions::need::{Need, Pool};
use crate::sched::actions::victims::{Batch, Choice, Victims};
use crate::sched::board::Board;
use crate::sched::board::heads::Head;
use crate::sched::board::place::Mode;
use crate::sched::board::seat::{Mark, Waiting};
use crate::sched::board::turns::{Turns, Waits};
use crate::sched::gangs;
use crate::sched::policy::amounts::Amounts;
use crate::sched::policy::order::Place;
use crate::sched::policy::queue::Queue;

/// Those that wait, by the place of their team.
pub type Others = Rc<Vec<Rc<Vec<Head>>>>;

/// Who wants room, and for what.
#[derive(Debug, Clone)]
pub struct Taker {
    /// It, among those that wait.
    pub head: Head,
    /// The tasks that must fit.
    pub ranks: Vec<usize>,
    /// What each asks for.
    pub requests: Vec<Resources>,
    /// All others that wait, by team: whoever comes before it will do so again.
    pub others: Others,
}

/// What becomes of victims.
#[derive(Debug, Clone, Default)]
pub struct Outcome {
    /// Those that lose their room, as they were taken.
    pub lost: Vec<Batch>,
    /// Those that find another place.
    pub moved: Vec<Batch>,
}

/// What an action asks of victims and of what becomes of them.
pub trait Aim: Choice {
    /// Whether what becomes of them is lawful. `queues` are the teams before.
    fn is_lawful(&self, board: &Board, queues: &[Queue], taker: &Taker, outcome: &Outcome) -> bool;

    /// Whether the taker is placed before its victims whatever the order of teams says.
    fn taker_goes_first(&self) -> bool {
        false
    }
}

impl Taker {
    /// The job of a head with its next chunk.
    pub fn of(board: &mut Board, head: &Head, others: &Others) -> Option<Taker> {
        let seat = board.seat(head.id())?;
        let ranks = seat.next_chunk(Waiting::Fresh);
        let request = |rank: &usize| seat.job.spec.request_of(seat.tasks[*rank].group).clone();
        let requests: Vec<Resources> = ranks.iter().map(request).collect();
        let (head, others) = (head.clone(), others.clone());
        (!ranks.is_empty()).then_some(Taker { head, ranks, requests, others })
    }
}

/// Looks for victims and, if there are some, leaves the board with taker and victims placed.
/// `budget` is the count of looks at which it gives up.
pub fn search(board: &mut Board, aim: &dyn Aim, taker: &Taker, budget: u64) -> Option<Outcome> {
    let all = taker.ranks.len();
    let mut known: Vec<Batch> = Vec::new();
    let (mut solved, mut unsolved, mut tasks) = (0, all, 1);
    while unsolved - solved > 1 {
        let before = board.checkpoint();
        let outcome = probe(board, aim, taker, tasks, &known, budget);
        board.rollback(before);
        let grows = unsolved == all;
        match outcome {
            Some(outcome) => {
                known = outcome.lost.into_iter().chain(outcome.moved).collect();
                solved = tasks;
            }
            None if tasks == 1 => return None,
            None => unsolved = tasks,
        }
        tasks = if grows && unsolved == all { solved * 2 } else { (solved + unsolved) / 2 };
        if tasks >= all {
            break;
        }
    }
    probe(board, aim, taker, all, &known, budget)
}

/// Looks for victims for the first `tasks` tasks of the taker.
fn probe(
    board: &mut Board,
    aim: &dyn Aim,
    taker: &Taker,
    tasks: usize,
    known: &[Batch],
    budget: u64,
) -> Option<Outcome> {
    let queues = board.teams.queues.clone();
    let mut attempt = Try { aim, taker, tasks, queues: &queues };
    if !known.is_empty()
        && let Some(outcome) = attempt.run(board, known)
    {
        return Some(outcome);
    }
    let need = Need::of(board, &taker.requests[..tasks], known);
    let mut victims = Victims::new(board, aim, known);
    let mut pool = Pool::of(&need);
    let mut tried: BTreeSet<Vec<usize>> = BTreeSet::new();
    while let Some(batch) = victims.next(board) {
        if board.looks > budget {
            return None;
        }
        pool.push(&need, board, batch);
        if !need.could_be_met(&pool) {
            continue;
        }
        for set in need.sets(board, &pool, budget) {
            if board.looks > budget {
                return None;
            }
            if !need.could_be_met_by(&pool, &set) || !tried.insert(set.clone()) {
                continue;
            }
            let chosen = set.iter().map(|at| pool.batches[*at].clone());
            let all: Vec<Batch> = known.iter().cloned().chain(chosen).collect();
            if let Some(outcome) = attempt.run(board, &all) {
                return Some(outcome);
            }
        }
    }
    None
}

/// One try.
struct Try<'a> {
    aim: &'a dyn Aim,
    taker: &'a Taker,
    tasks: usize,
    queues: &'a [Queue],
}

/// Somebody who is placed in a try.
struct Mover {
    place: Place,
    team: usize,
    next: Amounts,
}

impl Waits for Mover {
    fn place(&self) -> Place {
        self.place
    }

    fn team(&self) -> usize {
        self.team
    }

    fn next(&self) -> Amounts {
        self.next
    }
}

impl Try<'_> {
    /// Stops the victims and places taker and victims again: where they can, victims stay where
    /// they are, and only if that does not do they move. The board stays as it was unless that
    /// is a solution.
    fn run(&mut self, board: &mut Board, victims: &[Batch]) -> Option<Outcome> {
        let stayed = self.run_so(board, victims, Mode::Stay);
        stayed.or_else(|| self.run_so(board, victims, Mode::Move))
    }

    fn run_so(&mut self, board: &mut Board, victims: &[Batch], mode: Mode) -> Option<Outcome> {
        let before = board.checkpoint();
        for batch in victims {
            batch.ranks.iter().for_each(|rank| board.evict(batch.job, *rank));
        }
        let outcome = self.place_all(board, victims, mode).then(|| what_became(board, victims));
        let lawful =
            outcome.filter(|outcome| self.aim.is_lawful(board, self.queues, self.taker, outcome));
        if lawful.is_none() {
            board.rollback(before);
        }
        lawful
    }

    fn place_all(&self, board: &mut Board, victims: &[Batch], mode: Mode) -> bool {
        let by_team = board.world().setup().cycle.on("fair_share");
        let mut turns = Turns::new(&board.teams, by_team);
        let requests = self.taker.requests[..self.tasks].iter();
        let next = requests.fold(Amounts::default(), |sum, r| sum.plus(&Amounts::from(r)));
        let head = &self.taker.head;
        if self.aim.taker_goes_first() {
            if !board.place(head.id(), &self.taker.ranks[..self.tasks], mode) {
                return false;
            }
        } else {
            turns.push(&board.teams, Mover { place: head.place, team: head.team, next });
        }
        // Others that wait take their turns, for nothing: they would come before those of their
        // team that wait behind them, and so would they once the victims are gone.
        let teams = victims.iter().map(|batch| batch.team).chain([head.team]);
        for team in board.teams.compared_with(&teams.collect()) {
            let others = self.taker.others[team].iter().filter(|other| other.id() != head.id());
            for Head { place, team, chunk, .. } in others {
                board.looks += 1;
                turns.push(&board.teams, Mover { place: *place, team: *team, next: *chunk });
            }
        }
        let jobs: BTreeSet<JobId> = victims.iter().map(|batch| batch.job).collect();
        let movers: Vec<Mover> = jobs.iter().filter_map(|job| mover(board, *job)).collect();
        movers.into_iter().for_each(|mover| turns.push(&board.teams, mover));
        while let Some(turn) = turns.pop(&board.teams) {
            let id = turn.place.id;
            if id == head.id() {
                if !board.place(id, &self.taker.ranks[..self.tasks], mode) {
                    return false;
                }
                continue;
            }
            let Some(seat) = board.seated(id).filter(|_| jobs.contains(&id)) else { continue };
            let ranks = seat.next_chunk(Waiting::Evicted);
            let placed = board.place(id, &ranks, mode);
            let next = placed.then(|| mover(board, id)).flatten();
            next.into_iter().for_each(|mover| turns.push(&board.teams, mover));
        }
        true
    }
}

/// A victim that looks for a place.
fn mover(board: &Board, id: JobId) -> Option<Mover> {
    let seat = board.seated(id)?;
    let ranks = seat.next_chunk(Waiting::Evicted);
    let requests = ranks.iter().map(|rank| seat.job.spec.request_of(seat.tasks[*rank].group));
    let next = requests.fold(Amounts::default(), |sum, r| sum.plus(&Amounts::from(r)));
    let standing = gangs::standing_of(&seat.gang(Waiting::Evicted, Mark::is_in));
    let place = Place::of(&seat.job, standing).alone();
    (!ranks.is_empty()).then_some(Mover { place, team: seat.team, next })
}

/// Which victims are some in the end.
fn what_became(board: &Board, victims: &[Batch]) -> Outcome {
    let mut outcome = Outcome::default();
    for batch in victims {
        let Some(seat) = board.seated(batch.job) else { continue };
        let of = |which: fn(&Mark) -> bool| {
            let ranks = batch.ranks.iter().copied();
            ranks.filter(|rank| which(&seat.tasks[*rank].mark)).collect::<Vec<_>>()
        };
        let lost = of(|mark| matches!(mark, Mark::Evicted(_) | Mark::Undone(_)));
        let moved = of(|mark| matches!(mark, Mark::Moves { .. }));
        if !lost.is_empty() {
            outcome.lost.push(Batch::of(seat, lost));
        }
        if !moved.is_empty() {
            outcome.moved.push(Batch::of(seat, moved));
        }
    }
    outcome
}
