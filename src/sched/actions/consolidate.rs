//! Packs running jobs closer so that a larger chunk fits. Only where enough is or will be free
//! in all, only for jobs that give way themselves, and only if everybody who has to move gets
//! another place at once.

use crate::base::Span;
use crate::model::fact::Rule;
use crate::sched::actions::hunt::{self, Hunt};
use crate::sched::actions::search::{Aim, Outcome, Taker};
use crate::sched::actions::victims::{Batch, Choice};
use crate::sched::board::Board;
use crate::sched::board::heads::Head;
use crate::sched::policy::order::Place;
use crate::sched::policy::queue::Queue;

/// Lets each waiting job that gives way itself look for jobs that could move.
pub fn run(board: &mut Board) {
    hunt::run(board, &Consolidate);
}

struct Consolidate;

impl Hunt for Consolidate {
    fn aim(&self, board: &Board, head: &Head) -> Option<Box<dyn Aim>> {
        let (free, need) = (board.free(), &head.chunk);
        let most = board.world().setup().cycle.consolidation_victims;
        if !need.fits_in(&free) || most == Some(0) {
            return None;
        }
        let gives_way = board.world().job(head.id())?.gives_way();
        let taker = head.id();
        gives_way.then(|| Box::new(Moving { taker, most }) as _)
    }

    fn rule(&self, _: &Board, _: &Taker, _: &Batch) -> Rule {
        Rule::Consolidate
    }
}

struct Moving {
    taker: crate::base::JobId,
    most: Option<u32>,
}

impl Choice for Moving {
    fn looks_into(&self, _: &Board, _: usize) -> bool {
        true
    }

    fn allows(&self, place: &Place) -> bool {
        place.id != self.taker
    }

    fn allows_all(&self) -> bool {
        true
    }

    fn ends_at(&self, _: &Place) -> bool {
        false
    }

    fn min_runtime(&self, _: &Board, _: usize) -> Span {
        Span::ZERO
    }
}

impl Aim for Moving {
    fn is_lawful(&self, _: &Board, _: &[Queue], _: &Taker, outcome: &Outcome) -> bool {
        let jobs: std::collections::BTreeSet<_> = outcome.moved.iter().map(|b| b.job).collect();
        let few = self.most.is_none_or(|most| jobs.len() <= most as usize);
        outcome.lost.is_empty() && few
    }
}
