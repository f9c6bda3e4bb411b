//! Makes jobs of the same team with a strictly lower priority give room. Never crosses teams; a
//! boost that only reorders makes nobody a victim.

use std::cmp::Reverse;

use crate::base::Span;
use crate::model::fact::Rule;
use crate::sched::actions::hunt::{self, Hunt};
use crate::sched::actions::search::{Aim, Outcome, Taker};
use crate::sched::actions::victims::{Batch, Choice};
use crate::sched::board::Board;
use crate::sched::board::heads::Head;
use crate::sched::policy::gates::{self, Gate};
use crate::sched::policy::order::Place;
use crate::sched::policy::protection::{self, Level};
use crate::sched::policy::queue::Queue;

/// Lets each waiting job look for less urgent ones of its team.
pub fn run(board: &mut Board) {
    hunt::run(board, &Preempt);
}

struct Preempt;

impl Hunt for Preempt {
    fn aim(&self, board: &Board, head: &Head) -> Option<Box<dyn Aim>> {
        let sheltered = !board.world().index().sheltered.is_empty();
        let givers = board.world().index().givers.get(board.teams.name(head.team));
        let lowest = givers.and_then(|givers| givers.get_max()).map(|(place, _)| place.priority);
        // Its own priority is no higher than that of its place.
        if board.deeds.is_empty() && lowest.is_none_or(|lowest| lowest < head.place.priority) {
            return None;
        }
        let job = board.world().job(head.id())?;
        let none_below = lowest.is_none_or(|Reverse(lowest)| {
            lowest > job.priority() || (lowest == job.priority() && !sheltered)
        });
        if none_below && board.deeds.is_empty() {
            return None;
        }
        let fits = gates::pass(&board.teams.queues, head.team, Gate::FirmQuota, &head.chunk);
        if !job.spec.preemptible && fits.is_err() {
            return None;
        }
        let min_runtime = protection::against_preempt(&levels(board), head.team, Span::ZERO);
        Some(Box::new(LessUrgent { team: head.team, priority: job.priority(), min_runtime }))
    }

    fn rule(&self, _: &Board, _: &Taker, _: &Batch) -> Rule {
        Rule::Preempt
    }
}

struct LessUrgent {
    team: usize,
    priority: u16,
    min_runtime: Span,
}

impl Choice for LessUrgent {
    fn looks_into(&self, _: &Board, team: usize) -> bool {
        team == self.team
    }

    fn allows(&self, place: &Place) -> bool {
        let Reverse(with_waiters) = place.priority;
        place.own < self.priority && with_waiters <= self.priority
    }

    fn ends_at(&self, place: &Place) -> bool {
        place.priority.0 > self.priority
    }

    fn min_runtime(&self, _: &Board, _: usize) -> Span {
        self.min_runtime
    }
}

impl Aim for LessUrgent {
    fn is_lawful(&self, _: &Board, _: &[Queue], _: &Taker, _: &Outcome) -> bool {
        true
    }
}

/// What the teams say of minimum runtimes.
pub fn levels(board: &Board) -> Vec<Level> {
    let terms = board.world().teams().zip(&board.teams.queues);
    let level = |(team, queue): (&crate::model::Team, &Queue)| Level {
        parent: queue.parent,
        preempt: team.terms.preempt_min_runtime,
        reclaim: team.terms.reclaim_min_runtime,
    };
    terms.map(level).collect()
}
