//! A job on the board: where each of its tasks stands in this cycle.

use std::sync::Arc;

use crate::base::JobId;
use crate::model::job::{Job, TaskState};
use crate::sched::board::Board;
use crate::sched::gangs;
use crate::sched::policy::fit::Grip;
use crate::sched::policy::gang::{self, Member, Share};

/// Room on a node of the board.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Spot {
    /// The node's place.
    pub node: usize,
    /// What of its devices.
    pub grip: Grip,
}

/// Where a task stands.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Mark {
    /// It has no room.
    Waits,
    /// It has had room since before this cycle.
    Holds(Spot),
    /// The same, and it is being stopped already.
    Leaves(Spot),
    /// Its process is over.
    Over,
    /// This cycle starts it.
    Starts(Spot),
    /// This cycle promises it room.
    Promised(Spot),
    /// This cycle stops it.
    Evicted(Spot),
    /// This cycle had given it room on this node and takes that back.
    Undone(usize),
    /// This cycle stops it and promises it room elsewhere.
    Moves {
        /// Where it has been.
        from: Spot,
        /// Where it goes.
        to: Spot,
    },
}

/// A task on the board.
#[derive(Debug, Clone)]
pub struct Cell {
    /// Its group.
    pub group: u32,
    /// Where it stands.
    pub mark: Mark,
}

/// A job on the board.
#[derive(Debug, Clone)]
pub struct Seat {
    /// The job as the world knows it.
    pub job: Arc<Job>,
    /// The place of its team.
    pub team: usize,
    /// Its tasks by rank.
    pub tasks: Vec<Cell>,
    /// A frozen job that goes on.
    pub thaws: bool,
}

/// Which tasks could be placed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Waiting {
    /// Those without room.
    Fresh,
    /// Those that this cycle stops.
    Evicted,
}

impl Mark {
    /// It has room, or will have.
    pub fn is_in(&self) -> bool {
        matches!(self, Mark::Holds(_) | Mark::Starts(_) | Mark::Promised(_) | Mark::Moves { .. })
    }

    fn waits(&self, which: Waiting) -> bool {
        match which {
            Waiting::Fresh => *self == Mark::Waits,
            Waiting::Evicted => matches!(self, Mark::Evicted(_) | Mark::Undone(_)),
        }
    }

    /// Its room could be taken.
    pub fn can_give(&self) -> bool {
        matches!(self, Mark::Holds(_) | Mark::Starts(_) | Mark::Promised(_))
    }
}

impl Seat {
    /// A job of the world as the board sees it; room that was promised before stands or is
    /// promised anew or not at all.
    pub(super) fn of(board: &Board, job: &Arc<Job>) -> Option<Seat> {
        let team = board.teams.place(&job.spec.team)?;
        let spot = |task: &crate::model::job::Task| {
            let placement = task.placement.as_ref()?;
            let node = board.node(&placement.node)?;
            Some(Spot { node, grip: Grip::Known(placement.gpus.clone()) })
        };
        let mark = |task: &crate::model::job::Task| match (task.state, spot(task)) {
            (TaskState::Nominated, Some(spot)) if board.promise_stands(job.id) => {
                Mark::Promised(spot)
            }
            (TaskState::Pending | TaskState::Nominated, _) => Mark::Waits,
            (TaskState::Starting | TaskState::Running, Some(spot)) => Mark::Holds(spot),
            (TaskState::Stopping, Some(spot)) => Mark::Leaves(spot),
            _ => Mark::Over,
        };
        let mut tasks: Vec<Cell> =
            job.tasks.iter().map(|task| Cell { group: task.group, mark: mark(task) }).collect();
        if tasks.is_empty() {
            let ranks = job.spec.groups_by_rank();
            tasks = ranks.map(|group| Cell { group, mark: Mark::Waits }).collect();
        }
        Some(Seat { job: job.clone(), team, tasks, thaws: false })
    }

    /// The tree of its gang; `active` says who counts as having room.
    pub fn gang(&self, waiting: Waiting, active: impl Fn(&Mark) -> bool) -> Member {
        gangs::tree(&self.job.spec, |group| {
            let count = |which: &dyn Fn(&Mark) -> bool| {
                let cells = self.tasks.iter().filter(|c| c.group == group && which(&c.mark));
                u32::try_from(cells.count()).unwrap_or(u32::MAX)
            };
            (count(&active), count(&|mark| mark.waits(waiting)))
        })
    }

    /// The ranks that are to be placed together next.
    pub fn next_chunk(&self, waiting: Waiting) -> Vec<usize> {
        let chunk = gang::next_chunk(&self.gang(waiting, Mark::is_in));
        self.ranks(&chunk, &self.tasks.iter().enumerate(), |mark| mark.waits(waiting))
    }

    /// The ranks that go next if it must give room, and whether it keeps its minimum then.
    pub fn next_to_give_up(&self, taken: &[usize]) -> (Vec<usize>, bool) {
        let holds = |(rank, cell): &(usize, &Cell)| cell.mark.can_give() && !taken.contains(rank);
        let gang = gangs::tree(&self.job.spec, |group| {
            let all = self.tasks.iter().enumerate();
            let cells = all.filter(|(rank, cell)| cell.group == group && holds(&(*rank, *cell)));
            (u32::try_from(cells.count()).unwrap_or(u32::MAX), 0)
        });
        let (shares, keeps) = gang::next_to_give_up(&gang);
        let ranks = self.tasks.iter().enumerate().rev().filter(holds);
        (self.ranks(&shares, &ranks, |_| true), keeps)
    }

    fn ranks<'a>(
        &self,
        shares: &[Share],
        cells: &(impl Iterator<Item = (usize, &'a Cell)> + Clone),
        fits: impl Fn(&Mark) -> bool,
    ) -> Vec<usize> {
        let of = |share: &Share| {
            let cells = cells.clone().filter(|(_, c)| c.group == share.id && fits(&c.mark));
            cells.take(share.tasks as usize).map(|(rank, _)| rank).collect::<Vec<_>>()
        };
        shares.iter().flat_map(of).collect()
    }

    /// Its number.
    pub fn id(&self) -> JobId {
        self.job.id
    }
}
