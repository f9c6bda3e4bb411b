//! What follows from the jobs alone, kept so that no decision has to look at all of them.
//!
//! Each job contributes a handful of entries; [`Index::remove`] takes out exactly what
//! [`Index::insert`] put in, so the index of a world always equals one built anew
//! (checked by `invariants`).

use std::cmp::Reverse;
use std::sync::Arc;

use imbl::{OrdMap, OrdSet};

use crate::base::{JobId, Mono, Name, Wall};
use crate::model::Resources;
use crate::model::job::{Cause, Job, Placement, State, TaskState};
use crate::model::page::{Counts, Lane, is_stuck};
use crate::sched::policy::order::Place;

/// What jobs that want room have in common: if the first of them cannot be placed, none can.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Shape {
    /// Team, since it may be held back.
    pub team: Name,
    /// What each task asks for.
    pub request: Resources,
    /// Tasks that must be placed together now.
    pub chunk: u32,
    /// The array, if it limits how many run at once.
    pub array: Option<(JobId, u32)>,
    /// The chunk adds to tasks that hold room already.
    pub grows: bool,
    /// A frozen job can only go on where it is.
    pub thaw: Option<JobId>,
}

/// Room in use on a node.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Use {
    /// Sum over tasks; countable resources left out.
    pub held: Resources,
    /// Thousandths in use by device.
    pub gpus: OrdMap<u32, u64>,
    /// Tasks that hold room.
    pub tasks: u64,
}

/// What follows from the jobs.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Index {
    /// Jobs that want room, best first, by shape.
    pub(super) queue: OrdMap<Arc<Shape>, OrdSet<Place>>,
    /// Room in use by node.
    pub(super) uses: OrdMap<Name, Use>,
    /// Units of countable resources held.
    pub(super) custom: OrdMap<Name, u64>,
    /// Jobs by lane, in the order lists show them.
    pub(super) lanes: OrdMap<Lane, OrdSet<(Order, JobId)>>,
    /// Jobs with a finding that makes them stuck.
    pub(super) stuck: OrdSet<JobId>,
    /// Elements that hold room, by array.
    pub(super) arrays: OrdMap<JobId, u32>,
    /// Who waits for a job's end.
    pub(super) dependents: OrdMap<JobId, OrdSet<JobId>>,
    /// Calendar instants at which a job changes by itself.
    pub(super) calendar: OrdSet<(Wall, JobId)>,
    /// Cancellations on their way.
    pub(super) cancels: OrdSet<(Mono, JobId)>,
    /// Ends of time limits, on the clock without down time.
    pub(super) limits: OrdSet<(Mono, JobId)>,
}

/// Place inside a lane; smaller comes first.
pub type Order = (u64, u64);

impl Index {
    /// Adds what a job contributes.
    pub(super) fn insert(&mut self, job: &Job) {
        if let Some((shape, place)) = wants(job) {
            self.queue.entry(Arc::new(shape)).or_default().insert(place);
        }
        for (placement, held) in holdings(job) {
            let used = self.uses.entry(placement.node.clone()).or_default();
            used.tasks += 1;
            used.held.cpu_milli += held.cpu_milli;
            used.held.mem_bytes += held.mem_bytes;
            used.held.gpu_milli += held.gpu_milli;
            for share in &placement.gpus {
                *used.gpus.entry(share.index).or_default() += share.milli;
            }
            for (name, units) in &held.custom {
                *self.custom.entry(name.clone()).or_default() += units;
            }
        }
        self.lanes.entry(Lane::of(job)).or_default().insert((order(job), job.id));
        if job.is_live() && is_stuck_job(job) {
            self.stuck.insert(job.id);
        }
        if let Some(array) = held_array(job) {
            *self.arrays.entry(array).or_default() += 1;
        }
        if job.is_live() {
            for dependency in waits_for(job) {
                self.dependents.entry(dependency).or_default().insert(job.id);
            }
            self.calendar.extend(calendar(job).map(|at| (at, job.id)));
            self.limits.extend(limit(job).map(|at| (at, job.id)));
            self.cancels.extend(job.cancel.as_ref().map(|cancel| (cancel.due.now, job.id)));
        }
    }

    /// Takes out what a job contributed.
    pub(super) fn remove(&mut self, job: &Job) {
        if let Some((shape, place)) = wants(job) {
            take(&mut self.queue, &shape, &place);
        }
        for (placement, held) in holdings(job) {
            self.release(placement, &held);
        }
        take(&mut self.lanes, &Lane::of(job), &(order(job), job.id));
        self.stuck.remove(&job.id);
        if let Some(array) = held_array(job) {
            uncount(&mut self.arrays, &array, 1);
        }
        for dependency in waits_for(job) {
            take(&mut self.dependents, &dependency, &job.id);
        }
        for at in calendar(job) {
            self.calendar.remove(&(at, job.id));
        }
        for at in limit(job) {
            self.limits.remove(&(at, job.id));
        }
        if let Some(cancel) = &job.cancel {
            self.cancels.remove(&(cancel.due.now, job.id));
        }
    }

    fn release(&mut self, placement: &Placement, held: &Resources) {
        if let Some(used) = self.uses.get_mut(&placement.node) {
            used.tasks -= 1;
            used.held.sub(&Resources { custom: Default::default(), ..held.clone() });
            for share in &placement.gpus {
                uncount(&mut used.gpus, &share.index, share.milli);
            }
            if used.tasks == 0 {
                self.uses.remove(&placement.node);
            }
        }
        for (name, units) in &held.custom {
            uncount(&mut self.custom, name, *units);
        }
    }

    /// How many jobs are where.
    pub fn counts(&self) -> Counts {
        let count = |lane| self.lanes.get(&lane).map_or(0, |set| set.len() as u64);
        Counts {
            human: count(Lane::Human),
            running: count(Lane::Running),
            queued: count(Lane::Queued),
            stuck: self.stuck.len() as u64,
            ended: count(Lane::Ended),
        }
    }

    /// Jobs of a lane in the order lists show them, after `after` if given.
    pub fn lane(
        &self,
        lane: Lane,
        after: Option<(Order, JobId)>,
    ) -> impl Iterator<Item = (Order, JobId)> + '_ {
        use std::ops::Bound::{Excluded, Unbounded};
        let from = after.map_or(Unbounded, Excluded);
        self.lanes.get(&lane).into_iter().flat_map(move |set| set.range((from, Unbounded))).copied()
    }

    /// Jobs of a lane from its end, those before `before` if given.
    pub fn lane_back(
        &self,
        lane: Lane,
        before: Option<(Order, JobId)>,
    ) -> impl Iterator<Item = (Order, JobId)> + '_ {
        use std::ops::Bound::{Excluded, Unbounded};
        let to = before.map_or(Unbounded, Excluded);
        let set = self.lanes.get(&lane).into_iter();
        set.flat_map(move |set| set.range((Unbounded, to)).rev()).copied()
    }

    /// Units of a countable resource that are held.
    pub fn custom_held(&self, name: &str) -> u64 {
        self.custom.get(name).copied().unwrap_or(0)
    }

    /// Countable resources of which something is held.
    pub fn custom(&self) -> impl Iterator<Item = (&Name, u64)> {
        self.custom.iter().map(|(name, units)| (name, *units))
    }

    /// Room in use on a node.
    pub fn used(&self, node: &str) -> Use {
        self.uses.get(node).cloned().unwrap_or_default()
    }

    /// Live jobs with a finding that makes them stuck.
    pub fn stuck(&self) -> impl Iterator<Item = JobId> + '_ {
        self.stuck.iter().copied()
    }
}

/// Removes one entry of a set of sets, and the set with its last entry.
fn take<K: Ord + Clone, V: Ord + Clone>(
    map: &mut OrdMap<impl std::borrow::Borrow<K> + Ord + Clone, OrdSet<V>>,
    key: &K,
    value: &V,
) {
    if let Some(set) = map.get_mut(key) {
        set.remove(value);
        if set.is_empty() {
            map.remove(key);
        }
    }
}

/// Takes `n` from a count, and removes a count that reaches zero.
fn uncount<K: Ord + Clone, N>(map: &mut OrdMap<K, N>, key: &K, n: N)
where
    N: Copy + Default + PartialEq + std::ops::Sub<Output = N>,
{
    if let Some(count) = map.get_mut(key) {
        *count = *count - n;
        if *count == N::default() {
            map.remove(key);
        }
    }
}

/// The shape and place of a job that wants room now.
pub(super) fn wants(job: &Job) -> Option<(Shape, Place)> {
    let chunk = next_chunk(job)?;
    let place = Place::of(job);
    let spec = &job.spec;
    let shape = Shape {
        team: spec.team.clone(),
        request: spec.request.clone(),
        chunk,
        array: spec.array.and_then(|array| Some((array.id, array.throttle?))),
        grows: place.grows,
        thaw: job.frozen.then_some(job.id),
    };
    Some((shape, place))
}

/// Tasks that must get room together next: those of a frozen job that go on, else all that are
/// missing to the minimum, then one by one; `None` when nothing is wanted.
pub(super) fn next_chunk(job: &Job) -> Option<u32> {
    match job.state {
        State::Queued if job.frozen => u32::try_from(job.active_tasks().count()).ok(),
        State::Queued => Some(job.spec.gang.min),
        State::Starting | State::Running => {
            let any = |state| job.tasks.iter().any(|task| task.state == state);
            // A gang of which a task has ended does not grow any more: it is finishing.
            (any(TaskState::Pending) && !any(TaskState::Ended)).then_some(1)
        }
        _ => None,
    }
}

/// What each active task holds, and where.
pub(super) fn holdings(job: &Job) -> impl Iterator<Item = (&Placement, Resources)> {
    let held = holding(job);
    job.active_tasks().filter_map(move |task| Some((task.placement.as_ref()?, held.clone())))
}

/// What one active task of a job holds: frozen it keeps memory and devices only.
pub(super) fn holding(job: &Job) -> Resources {
    let request = &job.spec.request;
    match job.frozen {
        false => request.clone(),
        true => Resources { cpu_milli: 0, custom: Default::default(), ..request.clone() },
    }
}

/// Place inside the lane: the oldest question, the longest run, the best place in the queue and
/// the latest end come first.
pub fn order(job: &Job) -> Order {
    match Lane::of(job) {
        Lane::Human => (job.prompt.as_ref().map_or(0, |prompt| prompt.since.now.0), 0),
        Lane::Running => (job.started.map_or(0, |at| at.now.0), 0),
        Lane::Ended => (u64::MAX - job.ended.map_or(0, |at| at.now.0), u64::MAX - job.id.0),
        Lane::Queued => {
            let Place { front: Reverse(rank), resumed: Reverse(resumed), .. } = Place::of(job);
            let waits = u64::from(job.state != State::Queued);
            let urgency = u64::from(u16::MAX - job.sort_priority());
            let front = u64::from(u32::MAX) - rank.min(u64::from(u32::MAX));
            let new = u64::from(!resumed);
            ((waits << 56) | (urgency << 40) | (front << 8) | new, job.submitted.now.0)
        }
    }
}

fn is_stuck_job(job: &Job) -> bool {
    !job.findings.is_empty() && is_stuck(&job.findings.values().cloned().collect::<Vec<_>>())
}

fn held_array(job: &Job) -> Option<JobId> {
    job.spec.array.filter(|_| job.active_tasks().next().is_some()).map(|array| array.id)
}

fn waits_for(job: &Job) -> impl Iterator<Item = JobId> + '_ {
    let waits = matches!(job.state, State::Waiting(Cause::After) | State::Paused);
    job.spec.after.iter().filter(move |_| waits && job.attempt == 0).map(|d| d.job)
}

fn calendar(job: &Job) -> impl Iterator<Item = Wall> {
    let state = match job.state {
        State::Waiting(Cause::StartAt) => job.spec.start_at,
        State::Waiting(Cause::Backoff(until)) => Some(until),
        _ => None,
    };
    let hold = job.hold.as_ref().and_then(|hold| hold.until);
    state.into_iter().chain(hold)
}

/// When its time limit ends. A frozen job's clock stands still, but its limit may have been
/// changed to less than it has run; that is due at once.
fn limit(job: &Job) -> impl Iterator<Item = Mono> {
    let due = || {
        let limit = job.spec.time_limit?;
        match job.ran_since {
            Some(since) => Some(since + (limit - job.ran)),
            None if job.frozen && job.ran >= limit => Some(Mono(0)),
            None => None,
        }
    };
    job.stop.is_none().then(due).flatten().into_iter()
}
