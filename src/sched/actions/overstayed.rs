//! Makes jobs give room that were let in before a reservation and stayed longer than expected
//! (DESIGN.md 5.3): once the reservation had to be put off twice, whoever holds it may take
//! preemptible ones that started after it was made, on the nodes it was made on, of any team.

use std::collections::BTreeSet;

use crate::base::{JobId, Name, Span};
use crate::model::Job;
use crate::model::fact::Rule;
use crate::model::job::Reservation;
use crate::sched::actions::hunt::{self, Hunt};
use crate::sched::actions::search::{Aim, Outcome, Taker};
use crate::sched::actions::victims::{Batch, Choice};
use crate::sched::board::Board;
use crate::sched::board::heads::Head;
use crate::sched::future::estimate;
use crate::sched::policy::order::Place;
use crate::sched::policy::queue::Queue;

/// A reservation that was put off so often may be enforced.
pub const MOVES: u32 = 2;

/// Lets each holder of a reservation that was put off look for those who overstay.
pub fn run(board: &mut Board) {
    let world = board.world();
    let holders = world.index().reserved().filter_map(|(_, id)| world.job(id));
    let put_off = |job: &Job| job.reserved.as_ref().is_some_and(|held| held.moves >= MOVES);
    if holders.into_iter().any(|job| put_off(job)) {
        hunt::run(board, &Overstayed);
    }
}

struct Overstayed;

impl Hunt for Overstayed {
    fn aim(&self, board: &Board, head: &Head) -> Option<Box<dyn Aim>> {
        let job = board.world().job(head.id())?;
        let held = job.reserved.as_deref().filter(|held| held.moves >= MOVES)?;
        let late = late(board, held);
        (!late.is_empty()).then(|| -> Box<dyn Aim> { Box::new(Late(late)) })
    }

    fn rule(&self, _: &Board, _: &Taker, _: &Batch) -> Rule {
        Rule::Overstayed
    }
}

/// Those that were let in before a reservation and should be over by now.
fn late(board: &Board, held: &Reservation) -> BTreeSet<JobId> {
    let world = board.world();
    let on = |node: &Name| held.room.contains_key(node);
    let after = |job: &Job| job.started.is_some_and(|at| at.now >= held.since.now);
    let givers = world.index().givers().filter_map(|id| world.job(id));
    let late = givers.filter(|job| {
        after(job)
            && estimate::overstays(world, job, board.at().now)
            && job.active_tasks().any(|t| t.placement.as_ref().is_some_and(|p| on(&p.node)))
    });
    late.map(|job| job.id).collect()
}

struct Late(BTreeSet<JobId>);

impl Choice for Late {
    fn looks_into(&self, _: &Board, _: usize) -> bool {
        true
    }

    fn allows(&self, place: &Place) -> bool {
        self.0.contains(&place.id)
    }

    fn ends_at(&self, _: &Place) -> bool {
        false
    }

    fn min_runtime(&self, _: &Board, _: usize) -> Span {
        Span::ZERO
    }
}

impl Aim for Late {
    fn is_lawful(&self, _: &Board, _: &[Queue], _: &Taker, _: &Outcome) -> bool {
        true
    }

    fn taker_goes_first(&self) -> bool {
        true
    }
}
