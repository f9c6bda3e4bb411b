//! What teams may hold now, and which job would have to give room first.

use std::collections::BTreeMap;

use crate::base::{At, JobId, Name, Span};
use crate::model::Resources;
use crate::sched::actions::preempt::levels;
use crate::sched::actions::victims::{Choice, Victims};
use crate::sched::board::Board;
use crate::sched::policy::order::Place;
use crate::sched::policy::protection::{self, Level, Method};
use crate::sched::policy::queue::lineage;
use crate::sched::policy::taking::for_fairness;
use crate::sched::world::World;

/// What a team may hold, and who would go first.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Standing {
    /// What it may hold now, all teams considered.
    pub share: Resources,
    /// The job of it or below it that would give room first, if it holds more than it is owed.
    pub next_victim: Option<JobId>,
}

/// How each team stands, by path. Without fair shares nobody takes anything back.
pub fn standings(world: &World, at: At) -> BTreeMap<Name, Standing> {
    let mut board = Board::of(world, at);
    let levels = levels(&board);
    let fair = world.setup().cycle.on("fair_share") && world.setup().cycle.on("reclaim");
    let count = board.teams.count();
    let mut all = BTreeMap::new();
    for team in 0..count {
        let queue = &board.teams.queues[team];
        let may = queue.allocated.minus(&queue.firm) != Default::default();
        // Above its share, or above its quota, which whoever is within his own may take back.
        let lends = for_fairness(queue, &queue.allocated) || !queue.allocated.within(&queue.quota);
        let share = Resources {
            cpu_milli: queue.fair.cpu_milli,
            mem_bytes: queue.fair.mem_bytes,
            gpu_milli: queue.fair.gpu_milli,
            ..Resources::default()
        };
        let next_victim =
            (fair && may && lends).then(|| first(&mut board, &levels, team)).flatten();
        all.insert(board.teams.name(team).clone(), Standing { share, next_victim });
    }
    all
}

/// The first job below a team that would go, were another team owed its room.
fn first(board: &mut Board, levels: &[Level], team: usize) -> Option<JobId> {
    let within = Within { levels, team };
    Victims::new(board, &within, &[]).next(board).map(|batch| batch.job)
}

/// Only jobs of one team and of those below it.
struct Within<'a> {
    levels: &'a [Level],
    team: usize,
}

impl Choice for Within<'_> {
    fn looks_into(&self, board: &Board, team: usize) -> bool {
        lineage(&board.teams.queues, team).contains(&self.team)
    }

    fn allows(&self, _: &Place) -> bool {
        true
    }

    fn ends_at(&self, _: &Place) -> bool {
        false
    }

    fn min_runtime(&self, _: &Board, team: usize) -> Span {
        // Who would take is not known: what protects the team's own jobs counts.
        protection::against_reclaim(self.levels, Method::Queue, team, team, Span::ZERO)
    }
}
