//! Turns what was decided on the board into facts: the differences to the world, no more.

use crate::base::{JobId, TaskId};
use crate::model::Fact;
use crate::model::fact::{Class, Eviction};
use crate::model::job::{GpuShare, Job, Placement, State, StopFor, TaskState};
use crate::sched::board::Board;
use crate::sched::board::moved::on_their_way;
use crate::sched::board::seat::{Cell, Mark, Spot};
use crate::sched::decide::life;
use crate::sched::plan::Plan;
use crate::sched::policy::fit::{Deal, Grip, WHOLE, When};

/// The name shown as the author of what rules do.
const BY: &str = "holdshort";

/// Something that was decided.
#[derive(Debug, Clone)]
pub enum Deed {
    /// A job got room, or a promise of some, or goes on after a freeze.
    Goes(JobId),
    /// Tasks of a job lose their room, all or the named ranks.
    Evicts {
        /// The job.
        job: JobId,
        /// Which rule, for whom, what was compared.
        eviction: Box<Eviction>,
        /// Why its processes are stopped.
        stop: StopFor,
    },
}

/// Whose devices are meant: a task that starts, or one that is promised some.
type Dealt = std::collections::BTreeMap<(JobId, usize), Placement>;

/// A task that devices are dealt to.
#[derive(Clone)]
struct Claim<'a> {
    when: When,
    /// What it was promised before.
    before: Option<&'a [GpuShare]>,
    job: JobId,
    rank: usize,
    spot: &'a Spot,
}

impl Board {
    /// Notes the facts.
    pub fn settle(&self, plan: &mut Plan) {
        let dealt = self.deal();
        for deed in &self.deeds {
            if let Deed::Evicts { job, eviction, stop } = deed {
                let to = match goes_anywhere(eviction) {
                    true => self.goes_to(*job, eviction, &dealt),
                    false => Vec::new(),
                };
                evict(plan, *job, &Eviction { to, ..Eviction::clone(eviction) }, *stop);
            }
        }
        self.end_promises(plan);
        let mut done = std::collections::BTreeSet::new();
        for deed in &self.deeds {
            match deed {
                Deed::Goes(job) if done.insert(*job) => self.go(plan, *job, &dealt),
                _ => {}
            }
        }
    }

    /// Where the tasks of a job go that moves; what could have stayed comes back to where it is.
    fn goes_to(&self, id: JobId, eviction: &Eviction, dealt: &Dealt) -> Vec<(u32, Placement)> {
        let cells = self.seats.get(&id).map_or(&[][..], |seat| &seat.tasks);
        let place = |(rank, cell): (usize, &Cell)| {
            let to = match &cell.mark {
                Mark::Moves { .. } => dealt.get(&(id, rank)).cloned(),
                Mark::Holds(Spot { node, grip: Grip::Known(gpus) }) => {
                    let node = self.rooms[*node].name.clone();
                    Some(Placement { node, gpus: gpus.clone() })
                }
                _ => None,
            };
            Some((u32::try_from(rank).ok()?, to?))
        };
        let to = cells.iter().enumerate().filter_map(place);
        let goes = |rank: &u32| eviction.ranks.is_empty() || eviction.ranks.contains(rank);
        to.filter(|(rank, _)| goes(rank)).collect()
    }

    /// Promises of the world that the board does not make again.
    fn end_promises(&self, plan: &mut Plan) {
        let promised: Vec<JobId> = plan.world().index().promised.iter().copied().collect();
        for id in promised {
            if self.promise_stands(id) && !self.seats.contains_key(&id) {
                continue;
            }
            let Some(job) = plan.job(id) else { continue };
            let attempt = job.attempt_of_promises();
            let cells = self.seats.get(&id).map(|seat| &seat.tasks);
            for task in job.tasks.iter().filter(|task| task.state == TaskState::Nominated) {
                let rank = usize::try_from(task.rank).unwrap_or(usize::MAX);
                let mark = cells.and_then(|cells| cells.get(rank)).map(|cell| &cell.mark);
                if !matches!(mark, Some(Mark::Promised(_) | Mark::Starts(_))) {
                    let task = TaskId { job: id, attempt, rank: task.rank };
                    plan.note(Fact::NominationOver { task });
                }
            }
        }
    }

    /// Gives whole devices their indices, node by node: to what starts, then to promises. What
    /// was promised some before gets the same ones, if they are still to be had: a promise that
    /// changes from cycle to cycle is none.
    fn deal(&self) -> Dealt {
        let mut by_node: Vec<Vec<Claim>> = vec![Vec::new(); self.rooms.len()];
        let goes = self.deeds.iter().filter_map(|deed| match deed {
            Deed::Goes(id) => Some(id),
            Deed::Evicts { .. } => None,
        });
        let moves = self.deeds.iter().filter_map(|deed| match deed {
            Deed::Evicts { job, eviction, .. } => Some(job).filter(|_| goes_anywhere(eviction)),
            Deed::Goes(_) => None,
        });
        for id in goes.chain(moves) {
            let Some(seat) = self.seats.get(id) else { continue };
            for (rank, cell) in seat.tasks.iter().enumerate() {
                let (when, spot) = match &cell.mark {
                    Mark::Starts(spot) => (When::Now, spot),
                    Mark::Promised(to) | Mark::Moves { to, .. } => (When::Later, to),
                    _ => continue,
                };
                let before = self.promised_before(*id, rank, spot);
                by_node[spot.node].push(Claim { when, before, job: *id, rank, spot });
            }
        }
        let mut dealt = Dealt::new();
        for (room, claims) in self.rooms.iter().zip(&mut by_node) {
            if claims.is_empty() {
                continue;
            }
            claims.sort_by_key(|claim| (claim.when, claim.before.is_none()));
            let mut deal = Deal::of(room);
            claims.iter().filter_map(|claim| claim.before).for_each(|before| deal.spare(before));
            for Claim { when, before, job, rank, spot } in claims.iter() {
                if dealt.contains_key(&(*job, *rank)) {
                    continue;
                }
                let kept = before.filter(|before| deal.keep(&spot.grip, before, *when));
                let gpus = kept.map_or_else(|| deal.deal(room, &spot.grip, *when), <[_]>::to_vec);
                dealt.insert((*job, *rank), Placement { node: room.name.clone(), gpus });
            }
        }
        dealt
    }

    /// The devices of a node that a task was promised by an earlier cycle.
    fn promised_before(&self, id: JobId, rank: usize, spot: &Spot) -> Option<&[GpuShare]> {
        let task = self.world().job(id)?.tasks.get(rank)?;
        let placement = task.placement.as_ref().filter(|_| task.state == TaskState::Nominated)?;
        let whole = placement.gpus.iter().any(|share| share.milli == WHOLE);
        (whole && placement.node == self.rooms[spot.node].name).then_some(&placement.gpus)
    }

    fn go(&self, plan: &mut Plan, id: JobId, dealt: &Dealt) {
        let Some(seat) = self.seats.get(&id) else { return };
        // One that was made to give its room before it could go on is stopped as it is.
        let stops = |job: &Job| matches!(job.state, State::Stopping(_));
        if seat.thaws && !plan.job(id).is_some_and(|job| stops(&job)) {
            plan.note(Fact::JobThawed { job: id, class: Class::Productive });
        }
        let Some(job) = plan.job(id) else { return };
        let ranks = |which: fn(&Mark) -> bool| {
            let cells = seat.tasks.iter().enumerate().filter(move |(_, cell)| which(&cell.mark));
            cells.map(|(rank, _)| rank)
        };
        // Nor does what grew in this very cycle start.
        let starts = ranks(|mark| matches!(mark, Mark::Starts(_))).filter(|_| !stops(&job));
        let starts: Vec<usize> = starts.collect();
        if !starts.is_empty() && job.attempt_of_promises() > job.attempt {
            let (attempt, resume) = (job.attempt + 1, job.attempt > 0 && job.continues());
            plan.note(Fact::AttemptBegan { job: id, attempt, resume });
        }
        let Some(job) = plan.job(id) else { return };
        self.use_rates(plan, id, &starts);
        let task = |rank: usize| {
            let rank = u32::try_from(rank).unwrap_or(u32::MAX);
            TaskId { job: id, attempt: job.attempt_of_promises(), rank }
        };
        for rank in starts {
            if let Some(placement) = dealt.get(&(id, rank)) {
                let (task, placement, class) = (task(rank), placement.clone(), Class::StartStop);
                // One that follows a task that was taken comes after the ranks of all groups.
                let group = job.tasks.get(rank).map(|task| task.group);
                let group = group.filter(|_| job.spec.groups.is_some());
                plan.note(Fact::TaskPlaced { task, placement, class, group });
            }
        }
        for rank in ranks(|mark| matches!(mark, Mark::Promised(_))) {
            let Some(placement) = dealt.get(&(id, rank)) else { continue };
            let same = job.tasks.get(rank).is_some_and(|task| {
                task.state == TaskState::Nominated && task.placement.as_ref() == Some(placement)
            });
            if !same {
                let (task, placement) = (task(rank), placement.clone());
                plan.note(Fact::TaskNominated { task, placement });
            }
        }
    }

    /// What starts counts against rates.
    fn use_rates(&self, plan: &mut Plan, id: JobId, starts: &[usize]) {
        let Some(seat) = self.seats.get(&id) else { return };
        let requests = starts.iter().map(|rank| {
            let group = seat.tasks[*rank].group;
            seat.job.spec.request_of(group).clone()
        });
        let sum = super::place::sum(&requests.collect::<Vec<_>>());
        for (resource, units) in sum.custom {
            let rated = plan.world().countable(&resource).is_some_and(|c| c.per_minute.is_some());
            if rated {
                plan.note(Fact::RateUsed { resource, units });
            }
        }
    }
}

/// A job moves, or some of its tasks may while it goes on.
fn goes_anywhere(eviction: &Eviction) -> bool {
    eviction.moved || !eviction.ranks.is_empty()
}

/// Stops a job, or some of its tasks.
fn evict(plan: &mut Plan, id: JobId, eviction: &Eviction, stop: StopFor) {
    let Some(job) = plan.job(id) else { return };
    let mut eviction = eviction.clone();
    if !eviction.ranks.is_empty() {
        // Others of its ranks may be on their way already.
        eviction.to.extend(on_their_way(&job));
    }
    plan.note(Fact::JobEvicted { job: id, eviction: Box::new(eviction.clone()) });
    if eviction.ranks.is_empty() {
        life::stop(plan, id, stop, BY, None);
        return;
    }
    for rank in &eviction.ranks {
        let task = TaskId { job: id, attempt: job.attempt, rank: *rank };
        plan.note(Fact::TaskStopping { task, class: Class::StartStop });
    }
}

/// The names of the nodes that tasks move to, for those who ask where.
pub fn names(board: &Board, spots: &[&Spot]) -> String {
    let names = spots.iter().map(|spot| &*board.rooms[spot.node].name);
    names.collect::<Vec<_>>().join(", ")
}
