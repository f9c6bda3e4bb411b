//! Gives a team that is below its fair share room that others hold beyond theirs (kai.md 1.3).
//! Priorities of jobs do not count between teams.

use crate::base::Span;
use crate::model::fact::Rule;
use crate::model::setup::ReclaimProtection;
use crate::sched::actions::hunt::{self, Hunt};
use crate::sched::actions::preempt::levels;
use crate::sched::actions::search::{Aim, Outcome, Taker};
use crate::sched::actions::victims::{Batch, Choice};
use crate::sched::board::Board;
use crate::sched::board::heads::Head;
use crate::sched::board::seat::Mark;
use crate::sched::policy::amounts::Amounts;
use crate::sched::policy::order::Place;
use crate::sched::policy::protection::{self, Level, Method};
use crate::sched::policy::queue::{Queue, split};
use crate::sched::policy::taking::{self, Chunk};

/// Lets each waiting job of a team below its share look for victims in other teams.
pub fn run(board: &mut Board) {
    hunt::run(board, &Reclaim);
}

struct Reclaim;

impl Hunt for Reclaim {
    fn aim(&self, board: &Board, head: &Head) -> Option<Box<dyn Aim>> {
        let preemptible = head.shape.preemptible;
        let request = head.chunk;
        let queue = &board.teams.queues[head.team];
        taking::may_start(queue, &request, preemptible).ok()?;
        let taker = taking::Taker { queue: head.team, request, preemptible };
        Some(Box::new(OverShare { taker, levels: levels(board) }))
    }

    fn rule(&self, board: &Board, taker: &Taker, batch: &Batch) -> Rule {
        let queues = &board.teams.queues;
        let Some((_, victim)) = split(queues, taker.head.team, batch.team) else {
            return Rule::ReclaimQuota;
        };
        // As it was before: what it gave up counts again.
        let victim = &queues[victim];
        let left = victim.allocated.plus(&batch.amounts());
        match taking::for_fairness(victim, &left) {
            true => Rule::ReclaimFairness,
            false => Rule::ReclaimQuota,
        }
    }
}

struct OverShare {
    taker: taking::Taker,
    levels: Vec<Level>,
}

impl Choice for OverShare {
    fn looks_into(&self, board: &Board, team: usize) -> bool {
        let queues = &board.teams.queues;
        team != self.taker.queue && taking::may_be_victim(queues, &self.taker, team)
    }

    fn allows(&self, _: &Place) -> bool {
        true
    }

    fn allows_all(&self) -> bool {
        true
    }

    fn ends_at(&self, _: &Place) -> bool {
        false
    }

    fn min_runtime(&self, board: &Board, team: usize) -> Span {
        let method = match board.world().setup().cycle.reclaim_protection {
            ReclaimProtection::Lca => Method::Lca,
            ReclaimProtection::Queue => Method::Queue,
        };
        let taker = self.taker.queue;
        protection::against_reclaim(&self.levels, method, taker, team, Span::ZERO)
    }
}

impl Aim for OverShare {
    fn is_lawful(&self, board: &Board, queues: &[Queue], _: &Taker, outcome: &Outcome) -> bool {
        let cycle = &board.world().setup().cycle;
        let moved = outcome.moved.iter().filter(|_| !cycle.move_victims);
        // What only this cycle had given goes first: nobody is stopped for holding that.
        let taken: Vec<&Batch> = outcome.lost.iter().chain(moved).collect();
        let chunks = [true, false].map(|undone| -> Vec<Chunk> {
            let chunk = |batch: &&Batch| {
                Some(Chunk { queue: batch.team, amounts: part(board, batch, undone)? })
            };
            taken.iter().filter_map(chunk).collect()
        });
        let chunks = chunks.concat();
        taking::judge(queues, &self.taker, &chunks, cycle.saturation).is_ok()
    }
}

/// What of a batch had got its room in this cycle, or what had it before, if any did.
fn part(board: &Board, batch: &Batch, undone: bool) -> Option<Amounts> {
    let seat = board.seated(batch.job)?;
    let is_undone = |rank: usize| matches!(seat.tasks[rank].mark, Mark::Undone(_));
    let amounts = |rank: &usize| seat.job.spec.request_of(seat.tasks[*rank].group).into();
    let wanted = batch.ranks.iter().filter(|rank| is_undone(**rank) == undone).map(amounts);
    wanted.reduce(|sum: Amounts, more| sum.plus(&more))
}
