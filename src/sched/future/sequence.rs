//! Who starts after whom, and when, as cycles would let them.
//!
//! Those that have room reserved get it. Of the others whoever can start next does, and of several
//! that can at one instant the one whose turn it is then: by what teams hold at that instant. So a
//! large job without a reservation holds nobody back. Who waits for a bound of its team, or of its
//! array, comes once enough of those who run have ended.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::sync::Arc;

use crate::base::{JobId, Mono, Span};
use crate::model::estimate::Confidence;
use crate::model::job::{Job, State};
use crate::model::page::Lane;
use crate::sched::actions::reserve::chosen;
use crate::sched::board::Board;
use crate::sched::board::heads::Head;
use crate::sched::board::teams::Teams;
use crate::sched::board::turns::Turns;
use crate::sched::future::ask::{Ask, Slot};
use crate::sched::future::estimate;
use crate::sched::future::guard::Guard;
use crate::sched::future::returning;
use crate::sched::future::timeline::{By, Parts, parts};
use crate::sched::index::Shape;
use crate::sched::policy::amounts::Amounts;
use crate::sched::policy::capacity::Capacity;
use crate::sched::policy::queue::lineage;

/// Nodes that are looked at for one sequence; after that whoever is looked at next gets the next
/// room, also if another could start sooner.
const LOOKS: usize = 1_000_000;

/// Jobs that ask for the same for as long: none starts before the one whose turn is first.
type Line = VecDeque<(Head, Ask)>;

/// When a job starts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Start {
    /// Then.
    pub at: Mono,
    /// Only if something has ended by then of which nobody knows how long it takes.
    pub guess: bool,
}

/// Starts in the making.
pub struct Sequence<'a> {
    board: &'a Board,
    guard: Guard,
    lines: Vec<Line>,
    /// When each line can start at the soonest; what others get meanwhile only puts it off.
    next: BTreeSet<(Mono, usize)>,
    teams: Teams,
    /// When a job begins (true) or stops holding what its team then has more or less of.
    changes: BTreeSet<(Mono, bool, JobId)>,
    holds: BTreeMap<JobId, (usize, Amounts)>,
    /// What ends on a node of which nobody knows when, with when it is taken to.
    open: BTreeMap<usize, Vec<(Mono, Parts)>>,
    starts: BTreeMap<JobId, Start>,
    looks: usize,
}

impl<'a> Sequence<'a> {
    /// Of jobs that wait, in the order in which they would get room now.
    /// `backs` wait for people and join them at an instant each.
    pub fn of(board: &'a Board, heads: &[Head], backs: &[(Head, Mono)], by: By) -> Sequence<'a> {
        let (guard, teams) = (Guard::new(board, by), board.teams.clone());
        let (lines, next) = (Vec::new(), BTreeSet::new());
        let (changes, holds) = (BTreeSet::new(), BTreeMap::new());
        let looks = LOOKS;
        let (open, starts) = (open_ends(board, by), BTreeMap::new());
        let mut made =
            Sequence { board, guard, lines, next, teams, changes, holds, open, starts, looks };
        made.expect_ends();
        let holders = chosen(board, heads);
        for head in &holders {
            made.reserve(head);
        }
        let kept = if holders.is_empty() { BTreeSet::new() } else { made.keep_returns(backs) };
        let held: BTreeSet<JobId> = holders.iter().map(Head::id).collect();
        let mut lines: BTreeMap<(Arc<Shape>, Span), Line> = BTreeMap::new();
        for head in heads.iter().filter(|head| !held.contains(&head.id())) {
            if let Some(ask) = made.ask(head) {
                let line = lines.entry((head.shape.clone(), ask.length)).or_default();
                line.push_back((head.clone(), ask));
            }
        }
        made.guard.know(board, lines.values().flatten().map(|(_, ask)| ask));
        made.lines = lines.into_values().collect();
        made.next = (0..made.lines.len()).map(|line| (board.at().now, line)).collect();
        for (head, from) in backs.iter().filter(|(head, _)| !kept.contains(&head.id())) {
            if let Some(ask) = made.ask(head) {
                made.next.insert((*from, made.lines.len()));
                made.lines.push(Line::from([(head.clone(), ask)]));
            }
        }
        made
    }

    fn ask(&self, head: &Head) -> Option<Ask> {
        let ask = Ask::of(self.board, &self.guard, head)?;
        Some(ask.within_bounds(self.board, head))
    }

    /// Notes when what runs will give its team's room back.
    fn expect_ends(&mut self) {
        let index = self.board.world().index();
        for (_, id) in [Lane::Human, Lane::Running].iter().flat_map(|l| index.lane(*l, None)) {
            let Some(job) = self.board.world().job(id) else { continue };
            let Some(team) = self.teams.place(&job.spec.team) else { continue };
            // What stops counts no more, unless it goes on elsewhere.
            if matches!(job.state, State::Stopping(_)) && !self.board.holds_place_for(id) {
                continue;
            }
            let left = self.guard.length_of(self.board, job);
            self.holds.insert(id, (team, held(job)));
            self.changes.insert((self.board.at().now + left, false, id));
        }
    }

    fn reserve(&mut self, head: &Head) {
        let Some(ask) = self.ask(head) else { return };
        if let Some(slot) = self.guard.look(self.board, &ask, self.board.at().now) {
            self.begins(head, &slot);
        }
    }

    /// Keeps room for those of `backs` for which a cycle would, from when they are expected here;
    /// for whom.
    fn keep_returns(&mut self, backs: &[(Head, Mono)]) -> BTreeSet<JobId> {
        let mut kept = BTreeSet::new();
        for mut back in returning::backs(self.board) {
            let id = back.head.id();
            let Some((_, at)) = backs.iter().find(|(head, _)| head.id() == id) else { continue };
            back.at = *at;
            if let Some(slot) = self.guard.look_for_return(self.board, &back) {
                self.begins(&back.head, &slot);
                kept.insert(id);
            }
        }
        kept
    }

    /// A job starts in a slot.
    fn begins(&mut self, head: &Head, slot: &Slot) {
        self.holds.insert(head.id(), (head.team, head.chunk));
        self.changes.insert((slot.at, true, head.id()));
        self.changes.insert((slot.until, false, head.id()));
        self.guard.keep(slot.clone());
        let guess = slot.room.iter().any(|(node, need)| self.needs_open_end(*node, need, slot.at));
        let (world, at) = (self.board.world(), self.board.at());
        let length = |job| estimate::left(world, job, at).confidence;
        if guess || world.job(head.id()).map(|job| length(job)) == Some(Confidence::None) {
            for (node, parts) in &slot.room {
                self.open.entry(*node).or_default().push((slot.until, *parts));
            }
        }
        self.starts.insert(head.id(), Start { at: slot.at, guess });
    }

    /// Whether what has just got room on a node from a time on would have none, had nothing ended
    /// of which nobody knows when: what is left over then is less than that gave back.
    fn needs_open_end(&self, node: usize, need: &Parts, at: Mono) -> bool {
        let Some(open) = self.open.get(&node) else { return false };
        let mut gives = Parts::default();
        open.iter().filter(|(end, _)| *end <= at).for_each(|(_, parts)| gives.give(parts));
        let left = self.guard.line(node).free_at(at);
        (0..gives.len()).any(|part| need[part] > 0 && left[part] < gives[part])
    }

    /// Time has come so far: what teams hold follows.
    fn pass(&mut self, to: Mono) {
        while self.changes.first().is_some_and(|(at, ..)| *at <= to) {
            let Some((_, begins, job)) = self.changes.pop_first() else { return };
            let Some((team, amounts)) = self.holds.get(&job) else { continue };
            for level in lineage(&self.teams.queues, *team) {
                let queue = &mut self.teams.queues[level];
                queue.allocated = match begins {
                    true => queue.allocated.plus(amounts),
                    false => queue.allocated.minus(amounts),
                };
            }
        }
    }

    /// Of the lines that may start at an instant the one whose turn it is.
    fn turn(&self, at: Mono) -> Option<usize> {
        let may: Vec<usize> =
            self.next.iter().take_while(|(next, _)| *next == at).map(|(_, line)| *line).collect();
        if let [only] = may[..] {
            return Some(only);
        }
        let by_team = self.board.world().setup().cycle.on("fair_share");
        let mut turns = Turns::new(&self.teams, by_team);
        let mut whose: BTreeMap<JobId, usize> = BTreeMap::new();
        for line in may {
            let Some((head, _)) = self.lines[line].front() else { continue };
            whose.insert(head.id(), line);
            turns.push(&self.teams, head.clone());
        }
        turns.pop(&self.teams).and_then(|head| whose.get(&head.id()).copied())
    }

    /// When each starts; those for which there never is room are left out.
    pub fn starts(mut self) -> BTreeMap<JobId, Start> {
        while let Some((at, first)) = self.next.first().copied() {
            self.pass(at);
            let line = self.turn(at).unwrap_or(first);
            self.next.remove(&(at, line));
            let Some((head, ask)) = self.lines[line].front().cloned() else { continue };
            let Some(slot) = self.guard.look(self.board, &ask, at) else { continue };
            let looked: usize = ask.wishes.iter().map(|wish| wish.nodes.len()).sum();
            self.looks = self.looks.saturating_sub(looked.max(1));
            if slot.at > at && self.looks > 0 {
                self.next.insert((slot.at, line));
                continue;
            }
            self.lines[line].pop_front();
            self.next.insert((slot.at, line));
            self.begins(&head, &slot);
        }
        self.starts
    }
}

/// What runs of which nobody knows when it ends, by node.
fn open_ends(board: &Board, by: By) -> BTreeMap<usize, Vec<(Mono, Parts)>> {
    let mut open: BTreeMap<usize, Vec<(Mono, Parts)>> = BTreeMap::new();
    let unknown = board.runs().iter().filter(|(_, left)| left.confidence == Confidence::None);
    for (job, left) in unknown {
        for task in job.active_tasks() {
            let placement = task.placement.as_ref();
            let node = placement.and_then(|placement| board.node(&placement.node));
            let end = board.at().now + by.of(left);
            let gives = parts(job.spec.request_of(task.group));
            node.into_iter().for_each(|node| open.entry(node).or_default().push((end, gives)));
        }
    }
    open
}

/// What a job holds of what teams share.
fn held(job: &Job) -> Amounts {
    let tasks = job.active_tasks();
    tasks.fold(Amounts::default(), |sum, task| {
        sum.plus(&Amounts::from(job.spec.request_of(task.group)))
    })
}
