//! The jobs that want room, of each shape the best.

use std::sync::Arc;

use crate::base::JobId;
use crate::model::Resources;
use crate::model::job::{Job, State};
use crate::sched::board::Board;
use crate::sched::board::place::sum;
use crate::sched::board::seat::Waiting;
use crate::sched::board::turns::Waits;
use crate::sched::index::{Shape, wants};
use crate::sched::policy::amounts::Amounts;
use crate::sched::policy::gang::Share;
use crate::sched::policy::order::Place;

/// The best of the jobs that ask for the same.
#[derive(Debug, Clone)]
pub struct Head {
    /// Its place in its team.
    pub place: Place,
    /// What it asks for.
    pub shape: Arc<Shape>,
    /// The place of its team.
    pub team: usize,
    /// What its next chunk comes to.
    pub chunk: Amounts,
    /// It has been placed in this cycle and wants more; others of its shape do not follow it.
    again: bool,
}

impl Head {
    /// The job.
    pub fn id(&self) -> JobId {
        self.place.id
    }
}

impl Board {
    /// The best of each shape, in teams that are not held back, and those who move by themselves.
    pub(super) fn heads(&self) -> Vec<Head> {
        let queue = self.world.index().queue.iter();
        let best = queue.filter_map(|(shape, places)| {
            let best = places.iter().find(|place| !self.is_mover(place.id));
            self.head(shape, *best?)
        });
        best.chain(self.mover_heads()).collect()
    }

    /// Those who have just stopped in order to move, without a promise that stands.
    pub fn mover_heads(&self) -> Vec<Head> {
        let movers = self.movers.iter().filter(|id| !self.promise_stands(**id));
        movers.filter_map(|id| self.comes_back(self.world.job(*id)?)).collect()
    }

    /// The first of some places of a shape, but for those who move; where promises stand, of those
    /// that have none.
    pub(super) fn first_head<'a>(
        &self,
        shape: &Arc<Shape>,
        places: impl Iterator<Item = &'a Place>,
    ) -> Option<Head> {
        let mut places =
            places.filter(|place| !self.promise_stands(place.id) && !self.is_mover(place.id));
        self.head(shape, *places.next()?)
    }

    fn head(&self, shape: &Arc<Shape>, place: Place) -> Option<Head> {
        let team = self.teams.place(&shape.team)?;
        let chunk = || amounts(shape);
        let paused = self.teams.is_paused(team);
        let (shape, again) = (shape.clone(), false);
        (!paused).then(|| Head { place, chunk: chunk(), shape, team, again })
    }

    /// A job that waits for people, as it will want room once it has its answer.
    pub fn comes_back(&self, job: &Job) -> Option<Head> {
        let mut back = job.clone();
        back.state = State::Queued;
        let (shape, place) = wants(&back)?;
        self.head(&Arc::new(shape), place)
    }

    /// The next job of the same shape.
    pub fn after(&self, head: &Head) -> Option<Head> {
        self.after_where(head, usize::MAX, |_| true)
    }

    /// The next wanted job of the same shape, of so many at most.
    pub fn after_where(
        &self,
        head: &Head,
        most: usize,
        wanted: impl Fn(JobId) -> bool,
    ) -> Option<Head> {
        if head.again {
            return None;
        }
        use std::ops::Bound::{Excluded, Unbounded};
        let places = self.world.index().queue.get(&head.shape)?;
        let places = places.range((Excluded(head.place), Unbounded)).take(most);
        self.first_head(&head.shape, places.filter(|place| wanted(place.id)))
    }

    /// A job that was just placed, with what it wants next.
    pub fn again(&mut self, head: &Head) -> Option<Head> {
        let seat = self.seat(head.id())?;
        let ranks = seat.next_chunk(Waiting::Fresh);
        if ranks.is_empty() {
            return None;
        }
        let mut chunk: Vec<Share> = Vec::new();
        for rank in ranks {
            let id = seat.tasks[rank].group;
            match chunk.last_mut().filter(|share| share.id == id) {
                Some(share) => share.tasks += 1,
                None => chunk.push(Share { id, tasks: 1 }),
            }
        }
        let shape = Arc::new(Shape { chunk, grows: true, thaw: None, ..Shape::clone(&head.shape) });
        let standing = crate::sched::gangs::standing_of(
            &seat.gang(Waiting::Fresh, crate::sched::board::seat::Mark::is_in),
        );
        let place = Place { standing, ..head.place };
        let (chunk, team) = (amounts(&shape), head.team);
        Some(Head { place, chunk, shape, team, again: true })
    }
}

/// What the next chunk of a shape comes to.
pub(in crate::sched) fn amounts(shape: &Shape) -> Amounts {
    let of = |share: &Share| {
        let request = Amounts::from(shape.request_of(share.id));
        Amounts::each(|kind| request.get(kind).saturating_mul(u64::from(share.tasks)))
    };
    shape.chunk.iter().map(of).fold(Amounts::default(), |sum, more| sum.plus(&more))
}

/// What the next chunk of a shape asks for.
pub fn asks(shape: &Shape) -> Resources {
    let of = |share: &Share| shape.request_of(share.id).times(u64::from(share.tasks));
    let parts: Vec<Resources> = shape.chunk.iter().map(of).collect();
    sum(&parts)
}

impl Waits for Head {
    fn place(&self) -> Place {
        self.place
    }

    fn team(&self) -> usize {
        self.team
    }

    fn next(&self) -> Amounts {
        self.chunk
    }
}
