//! What follows from the jobs alone, kept so that no decision has to look at all of them.
//!
//! Each job contributes a handful of entries; [`Index::remove`] takes out exactly what
//! [`Index::insert`] put in, so the index of a world always equals one built anew
//! (checked by `invariants`).

mod account;
mod asks;
mod holdings;
mod order;
mod urgency;

use std::collections::BTreeMap;
use std::sync::Arc;

use imbl::{OrdMap, OrdSet};

use crate::base::{JobId, Mono, Name, Wall};
use crate::model::Resources;
use crate::model::job::{Cause, Groups, Job, Placement, State, TaskState};
use crate::model::page::{Counts, Lane, is_stuck};
use crate::sched::board::moved::moves;
use crate::sched::gangs;
use crate::sched::index::account::account;
use crate::sched::index::asks::Asks;
use crate::sched::index::holdings::asked_on;
use crate::sched::policy::amounts::Amounts;
use crate::sched::policy::gang::Share;
use crate::sched::policy::order::Place;
use crate::sched::policy::protection::may_evict_from;

/// What a job's tasks ask for on which nodes.
type Given = Arc<[(Name, Amounts)]>;

pub use account::Account;
pub(super) use holdings::{Holding, holdings};
pub use order::{Order, order};

/// What jobs that want room have in common: if the first of them cannot be placed, none can.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Shape {
    /// Team, since it may be held back or have what it may.
    pub team: Name,
    /// What each task asks for, unless the job has groups.
    pub request: Resources,
    /// The groups.
    pub groups: Option<Box<Groups>>,
    /// Tasks that must be placed together now, by group.
    pub chunk: Vec<Share>,
    /// Labels its nodes must have.
    pub node_labels: BTreeMap<Name, Name>,
    /// It may run on nodes that vanish.
    pub spot: bool,
    /// Others may take its room: then it may have more than the quota.
    pub preemptible: bool,
    /// The array, if it limits how many run at once.
    pub array: Option<(JobId, u32)>,
    /// The chunk adds to tasks that hold room already.
    pub grows: bool,
    /// A frozen job can only go on where it is.
    pub thaw: Option<JobId>,
}

impl Shape {
    /// What each task of a group asks for.
    pub fn request_of(&self, group: u32) -> &Resources {
        let groups = self.groups.as_deref();
        let at = usize::try_from(group).ok();
        let group = groups.and_then(|groups| groups.groups.get(at?));
        group.map_or(&self.request, |group| &group.request)
    }

    /// What each task of its next chunk asks for and how many there are, if all are of one group
    /// and may go to any node.
    pub fn tasks_alike(&self) -> Option<(&Resources, u32)> {
        let [share] = &*self.chunk else { return None };
        let plain = self.node_labels.is_empty() && self.groups.is_none() && self.thaw.is_none();
        plain.then(|| (self.request_of(share.id), share.tasks))
    }

    /// Its jobs hold nothing yet.
    fn is_new(&self) -> bool {
        !self.grows && self.thaw.is_none()
    }

    /// What the tasks of its next chunk ask for, equal ones once.
    pub fn requests(&self) -> impl Iterator<Item = &Resources> {
        self.chunk.iter().map(|share| self.request_of(share.id))
    }
}

/// Room in use on a node, and what of it is being given back.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Use {
    /// Sum over tasks; countable resources left out.
    pub held: Resources,
    /// Thousandths in use by device.
    pub gpus: OrdMap<u32, u64>,
    /// Tasks that hold room.
    pub tasks: u64,
    /// The same of those that are being stopped.
    pub releasing: Option<Arc<Use>>,
}

impl Use {
    fn add(&mut self, placement: &Placement, held: &Resources) {
        self.tasks += 1;
        self.held.cpu_milli += held.cpu_milli;
        self.held.mem_bytes += held.mem_bytes;
        self.held.gpu_milli += held.gpu_milli;
        for share in &placement.gpus {
            *self.gpus.entry(share.index).or_default() += share.milli;
        }
    }

    fn sub(&mut self, placement: &Placement, held: &Resources) {
        self.tasks -= 1;
        self.held.cpu_milli -= held.cpu_milli;
        self.held.mem_bytes -= held.mem_bytes;
        self.held.gpu_milli -= held.gpu_milli;
        for share in &placement.gpus {
            uncount(&mut self.gpus, &share.index, share.milli);
        }
    }
}

/// What follows from the jobs.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Index {
    /// Jobs that want room, best first, by shape.
    pub(super) queue: OrdMap<Arc<Shape>, OrdSet<Place>>,
    /// Those of them that hold nothing yet, by since when they wait.
    waiting: OrdMap<Arc<Shape>, OrdSet<(Mono, JobId)>>,
    /// Room in use by node.
    pub(super) uses: OrdMap<Name, Use>,
    /// Units of countable resources: held, and of that being given back.
    pub(super) custom: OrdMap<Name, (u64, u64)>,
    /// What each team holds and wants.
    pub(super) accounts: OrdMap<Name, Account>,
    /// Jobs that hold room and give way to others, by team, in the order of the queue, with what
    /// their tasks ask for on which nodes.
    pub(super) givers: OrdMap<Name, OrdMap<Place, Given>>,
    /// The same by when they started, for minimum runtimes.
    pub(super) giver_starts: OrdMap<Name, OrdSet<(Mono, JobId)>>,
    /// When jobs that want room may first make others give some, if they wait for that.
    pub(super) delays: OrdSet<(Mono, JobId)>,
    /// Jobs with promised room.
    pub(super) promised: OrdSet<JobId>,
    /// Jobs that are being stopped in order to go on elsewhere, or have just been.
    pub(super) moving: OrdSet<JobId>,
    /// Jobs for which room is kept, by from when on.
    pub(super) reserved: OrdSet<(Mono, JobId)>,
    /// Jobs that are being stopped, by since when.
    pub(super) stopping: OrdSet<(Mono, JobId)>,
    /// Jobs below the minimum of their gang, by since when.
    pub(super) short: OrdSet<(Mono, JobId)>,
    /// Waiting jobs that will yet go up for that, by steps so far, oldest first.
    pub(super) ageing: OrdMap<u8, OrdSet<(Mono, JobId)>>,
    /// Calendar instants at which a deadline makes the next difference.
    pub(super) due: OrdSet<(Wall, JobId)>,
    /// Jobs that hold units of a countable resource, by resource.
    pub(super) holders: OrdMap<Name, OrdSet<JobId>>,
    /// Jobs that have the priority of one that waits for units they hold.
    pub(super) heirs: OrdSet<JobId>,
    /// Jobs that give way, but not to those below one that waits for them.
    pub(super) sheltered: OrdSet<JobId>,
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
    /// What tasks ask for.
    asks: Asks,
}

impl Index {
    /// Adds what a job contributes.
    pub(super) fn insert(&mut self, job: &Job) {
        self.asks.add(&job.spec);
        self.insert_state(job);
    }

    /// Takes out what a job contributed.
    pub(super) fn remove(&mut self, job: &Job) {
        self.asks.sub(&job.spec);
        self.remove_state(job);
    }

    /// Takes out what a job contributed before and adds what it does now.
    pub(super) fn replace(&mut self, old: &Job, new: &Job) {
        if Arc::ptr_eq(&old.spec, &new.spec) {
            self.remove_state(old);
            self.insert_state(new);
        } else {
            self.remove(old);
            self.insert(new);
        }
    }

    fn insert_state(&mut self, job: &Job) {
        if let Some((shape, place)) = wants(job) {
            let shape = Arc::new(shape);
            if shape.is_new() {
                let waiting = self.waiting.entry(shape.clone()).or_default();
                waiting.insert((job.since.now, job.id));
            }
            self.queue.entry(shape).or_default().insert(place);
        }
        for holding in holdings(job) {
            self.hold(&holding);
        }
        self.account(job, Account::plus);
        if let Some(place) = gives_way(job) {
            let givers = self.givers.entry(job.spec.team.clone()).or_default();
            givers.insert(place, asked_on(job).collect());
            let starts = self.giver_starts.entry(job.spec.team.clone()).or_default();
            starts.insert((job.started.map_or(Mono(0), |at| at.now), job.id));
        }
        urgency::insert(self, job);
        self.delays.extend(delayed_until(job).map(|until| (until, job.id)));
        if has_promises(job) {
            self.promised.insert(job.id);
        }
        self.moving.extend(moves(job).map(|_| job.id));
        self.reserved.extend(job.reserved.iter().map(|reserved| (reserved.at, job.id)));
        if let State::Stopping(_) = job.state {
            self.stopping.insert((job.since.now, job.id));
        }
        self.short.extend(job.short_since.map(|since| (since.now, job.id)));
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

    fn remove_state(&mut self, job: &Job) {
        if let Some((shape, place)) = wants(job) {
            if shape.is_new() {
                take(&mut self.waiting, &shape, &(job.since.now, job.id));
            }
            take(&mut self.queue, &shape, &place);
        }
        for holding in holdings(job) {
            self.release(&holding);
        }
        self.account(job, Account::minus);
        if let Some(place) = gives_way(job) {
            if let Some(givers) = self.givers.get_mut(&job.spec.team) {
                givers.remove(&place);
                if givers.is_empty() {
                    self.givers.remove(&job.spec.team);
                }
            }
            let started = job.started.map_or(Mono(0), |at| at.now);
            take(&mut self.giver_starts, &job.spec.team, &(started, job.id));
        }
        if let Some(until) = delayed_until(job) {
            self.delays.remove(&(until, job.id));
        }
        urgency::remove(self, job);
        self.promised.remove(&job.id);
        self.moving.remove(&job.id);
        if let Some(reserved) = &job.reserved {
            self.reserved.remove(&(reserved.at, job.id));
        }
        self.stopping.remove(&(job.since.now, job.id));
        if let Some(since) = job.short_since {
            self.short.remove(&(since.now, job.id));
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

    fn hold(&mut self, holding: &Holding<'_>) {
        let Holding { placement, held, stops } = holding;
        let used = self.uses.entry(placement.node.clone()).or_default();
        used.add(placement, held);
        if *stops {
            Arc::make_mut(used.releasing.get_or_insert_default()).add(placement, held);
        }
        for (name, units) in &held.custom {
            let (held, releasing) = self.custom.entry(name.clone()).or_default();
            *held += units;
            *releasing += if *stops { *units } else { 0 };
        }
    }

    fn release(&mut self, holding: &Holding<'_>) {
        let Holding { placement, held, stops } = holding;
        if let Some(used) = self.uses.get_mut(&placement.node) {
            used.sub(placement, held);
            if let Some(releasing) = used.releasing.as_mut().filter(|_| *stops) {
                Arc::make_mut(releasing).sub(placement, held);
                if releasing.tasks == 0 {
                    used.releasing = None;
                }
            }
            if used.tasks == 0 {
                self.uses.remove(&placement.node);
            }
        }
        for (name, units) in &held.custom {
            if let Some((held, releasing)) = self.custom.get_mut(name) {
                *held -= units;
                *releasing -= if *stops { *units } else { 0 };
                if *held == 0 {
                    self.custom.remove(name);
                }
            }
        }
    }

    /// Adds a job's part to its team's account, or takes it out.
    fn account(&mut self, job: &Job, change: impl Fn(&Account, &Account) -> Account) {
        let part = account(job);
        if part == Account::default() {
            return;
        }
        let account = self.accounts.entry(job.spec.team.clone()).or_default();
        *account = change(account, &part);
        if *account == Account::default() {
            self.accounts.remove(&job.spec.team);
        }
    }

    /// What tasks with devices ask for.
    pub fn asks(&self) -> &Asks {
        &self.asks
    }

    /// What a team holds and wants.
    pub fn account_of(&self, team: &str) -> Account {
        self.accounts.get(team).copied().unwrap_or_default()
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
        self.custom.get(name).map_or(0, |(held, _)| *held)
    }

    /// Countable resources of which something is held.
    pub fn custom(&self) -> impl Iterator<Item = (&Name, u64)> {
        self.custom.iter().map(|(name, (held, _))| (name, *held))
    }

    /// Units of a countable resource: held, and of that being given back.
    pub fn units(&self, name: &str) -> (u64, u64) {
        self.custom.get(name).copied().unwrap_or_default()
    }

    /// Elements of an array that hold room.
    pub fn elements(&self, array: JobId) -> u32 {
        self.arrays.get(&array).copied().unwrap_or(0)
    }

    /// Room in use by node.
    pub fn uses(&self) -> impl Iterator<Item = (&Name, &Use)> {
        self.uses.iter()
    }

    /// Room in use on a node.
    pub fn used(&self, node: &str) -> Use {
        self.uses.get(node).cloned().unwrap_or_default()
    }

    /// Jobs with promised room.
    pub fn promised_jobs(&self) -> impl Iterator<Item = JobId> + '_ {
        self.promised.iter().copied()
    }

    /// Jobs that want room and hold nothing yet, by what they ask for, with since when they wait.
    pub fn waiting(&self) -> impl Iterator<Item = (&Arc<Shape>, &OrdSet<(Mono, JobId)>)> {
        self.waiting.iter()
    }

    /// Jobs that are being stopped in order to go on elsewhere, or have just been.
    pub fn moving(&self) -> impl Iterator<Item = JobId> + '_ {
        self.moving.iter().copied()
    }

    /// Of each shape of jobs that want room the one that was submitted first, with its team.
    pub fn oldest_waiting(&self) -> impl Iterator<Item = (&Name, JobId)> + '_ {
        let oldest = |places: &OrdSet<Place>| {
            let first = places.iter().min_by_key(|place| (place.submitted, place.id))?;
            Some(first.id)
        };
        let shapes = self.queue.iter();
        shapes.filter_map(move |(shape, places)| Some((&shape.team, oldest(places)?)))
    }

    /// Jobs that hold room and give way to others.
    pub fn givers(&self) -> impl Iterator<Item = JobId> + '_ {
        self.givers.values().flat_map(|givers| givers.keys()).map(|place| place.id)
    }

    /// Jobs for which room is kept, by from when on.
    pub fn reserved(&self) -> impl Iterator<Item = (Mono, JobId)> + '_ {
        self.reserved.iter().copied()
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
pub(super) fn uncount<K: Ord + Clone, N>(map: &mut OrdMap<K, N>, key: &K, n: N)
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
    let thaws = job.frozen && job.state == State::Queued;
    let chunk = if thaws { Vec::new() } else { gangs::next_chunk(job) };
    if chunk.is_empty() && !thaws {
        return None;
    }
    let spec = &job.spec;
    let shape = Shape {
        team: spec.team.clone(),
        request: spec.request.clone(),
        groups: spec.groups.clone(),
        chunk,
        node_labels: spec.node_labels.clone(),
        spot: spec.spot && job.has_way_back(),
        preemptible: spec.preemptible,
        array: spec.array.and_then(|array| Some((array.id, array.throttle?))),
        grows: job.active_tasks().next().is_some() && !thaws,
        thaw: thaws.then_some(job.id),
    };
    Some((shape, Place::of(job, gangs::standing(job))))
}

/// The place of a job that holds room and gives way to others.
fn gives_way(job: &Job) -> Option<Place> {
    let runs = matches!(job.state, State::Starting | State::Running) && !job.frozen;
    let gives = runs && job.gives_way() && job.active_tasks().next().is_some();
    gives.then(|| Place::of(job, gangs::standing(job)))
}

/// When a job that wants room may first make others give some, if it has to wait for that.
pub(super) fn delayed_until(job: &Job) -> Option<Mono> {
    let wants = matches!(job.state, State::Queued | State::Starting | State::Running);
    let delay = job.spec.preemption_delay.filter(|_| wants)?;
    let since = job.evicted.as_ref().map_or(job.submitted, |evicted| evicted.1);
    Some(may_evict_from(since.now, Some(delay)))
}

fn has_promises(job: &Job) -> bool {
    job.tasks.iter().any(|task| task.state == TaskState::Nominated)
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
