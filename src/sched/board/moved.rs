//! Places that are held for jobs that move: stopped here in order to go on there.
//!
//! Such a job gives its room for somebody else's sake, and only because it has another place. So
//! until it has stopped that place counts as its own, as if it ran there already, and once it has
//! stopped it goes on before anybody else is asked. Both follow from the fact that it was moved
//! ([`Eviction::to`]); nothing else has to be kept or taken back. A place that is no longer there
//! is held for nobody: its job waits like any other then.

use std::sync::Arc;

use crate::base::{JobId, Mono};
use crate::model::fact::Eviction;
use crate::model::job::{Job, Placement, State, StopFor, TaskState};
use crate::sched::board::seat::Spot;
use crate::sched::board::{Board, STUCK_AFTER};
use crate::sched::policy::fit::{Grip, When};
use crate::sched::world::World;

/// A place that is held for a task that is being stopped elsewhere.
#[derive(Debug, Clone)]
pub struct Held {
    /// Its job.
    pub job: Arc<Job>,
    /// Its rank.
    pub rank: usize,
    /// Its group.
    pub group: u32,
    /// Where it goes.
    pub spot: Spot,
}

/// Where a job moves to that is being stopped for it, or has come back from that.
pub(in crate::sched) fn moves(job: &Job) -> Option<&Eviction> {
    let (eviction, at) = job.evicted.as_deref()?;
    let whole = eviction.ranks.is_empty();
    let goes = match job.state {
        State::Stopping(StopFor::Preempt) => whole,
        // Not one that has run again since, and waits for another reason.
        State::Queued => whole && job.started.is_some_and(|started| at.now >= started.now),
        State::Starting | State::Running => !whole && leaving(job, eviction).next().is_some(),
        _ => false,
    };
    let moves = !eviction.to.is_empty() && job.hold.is_none() && !job.frozen;
    (moves && goes).then_some(eviction)
}

/// The ranks of a gang that are on their way elsewhere while it goes on.
pub(super) fn on_their_way(job: &Job) -> Vec<(u32, Placement)> {
    let gang = moves(job).filter(|eviction| !eviction.ranks.is_empty());
    let places = gang.into_iter().flat_map(|eviction| leaving(job, eviction));
    let numbered = places.map(|(rank, _, to)| Some((u32::try_from(rank).ok()?, to.clone())));
    numbered.flatten().collect()
}

/// The ranks that are still being stopped, with where they go.
fn leaving<'a>(
    job: &'a Job,
    eviction: &'a Eviction,
) -> impl Iterator<Item = (usize, u32, &'a Placement)> {
    eviction.to.iter().filter_map(|(rank, to)| {
        let rank = usize::try_from(*rank).ok()?;
        let task = job.tasks.get(rank).filter(|task| task.state == TaskState::Stopping)?;
        Some((rank, task.group, to))
    })
}

/// All places that are held at a time for tasks that are being stopped, whether they are still
/// there or not: job, rank, group and place. What should long be gone holds none.
pub(in crate::sched) fn held(
    world: &World,
    now: Mono,
) -> impl Iterator<Item = (&Arc<Job>, usize, u32, &Placement)> {
    let jobs = world.index().moving().filter_map(|id| world.job(id));
    let goes = move |job: &&Arc<Job>| {
        let stuck = job.since.now + job.spec.grace + STUCK_AFTER <= now;
        let stops = matches!(job.state, State::Stopping(_));
        !(stops && stuck || world.is_held(&job.spec.team))
    };
    jobs.filter(goes).flat_map(|job| {
        let places = moves(job).into_iter().flat_map(move |eviction| leaving(job, eviction));
        places.map(move |(rank, group, to)| (job, rank, group, to))
    })
}

/// A job has just stopped in order to move, or was promised its place since and waits for it.
pub(in crate::sched) fn comes_first(job: &Job, now: Mono) -> bool {
    let promised = || job.tasks.iter().any(|task| task.state == TaskState::Nominated);
    job.state == State::Queued && moves(job).is_some() && (job.since.now == now || promised())
}

impl Board {
    /// Takes the places that are held, and notes who has just come for one.
    pub(super) fn hold_places(&mut self) {
        let world = self.world.clone();
        let mut places: Vec<Held> = Vec::new();
        for (job, rank, group, to) in held(&world, self.at.now) {
            let Some(node) = self.node(&to.node) else { continue };
            let spot = Spot { node, grip: Grip::Known(to.gpus.clone()) };
            places.push(Held { job: job.clone(), rank, group, spot });
        }
        for of_one in places.chunk_by(|one, other| one.job.id == other.job.id) {
            let before = self.checkpoint();
            match of_one.iter().all(|place| self.hold_place(place)) {
                true => self.held.extend(of_one.iter().cloned()),
                false => self.rollback(before),
            }
        }
        self.commit();
        let now = self.at.now;
        let is_there = |to: &Placement| self.node(&to.node).is_some_and(|node| self.is_open(node));
        let come = |job: &&Arc<Job>| {
            let all_there = |why: &Eviction| why.to.iter().all(|(_, to)| is_there(to));
            comes_first(job, now) && moves(job).is_some_and(all_there)
        };
        let movers = world.index().moving().filter_map(|id| world.job(id));
        self.movers = movers.filter(come).map(|job| job.id).collect();
    }

    fn hold_place(&mut self, place: &Held) -> bool {
        let Some(team) = self.teams.place(&place.job.spec.team) else { return false };
        let request = place.job.spec.request_of(place.group);
        let (node, grip) = (place.spot.node, &place.spot.grip);
        let fits = self.is_open(node) && self.rooms[node].fits_so(request, grip, When::Later);
        self.change_room(node, |room| room.take(request, grip, When::Later));
        self.take_units(request, When::Later);
        self.book_for(team, !place.job.spec.preemptible, request, true);
        fits
    }

    /// A place is held for a job that is being stopped.
    pub fn holds_place_for(&self, id: JobId) -> bool {
        self.held.iter().any(|place| place.job.id == id)
    }

    /// A job that has just stopped in order to move.
    pub fn is_mover(&self, id: JobId) -> bool {
        self.movers.contains(&id)
    }
}
