//! Everything the scheduler knows.
//!
//! The maps are persistent trees: a clone shares all of them and costs nothing, so that a plan,
//! a reader and a snapshot each simply keep one. Jobs are changed only through
//! [`World::put_job`], which keeps the derived [`Index`] true.

use std::sync::Arc;

use imbl::{OrdMap, Vector};
use serde::{Deserialize, Serialize};

use crate::base::{At, JobId, Mono, Name, Span, Wall};
use crate::model::fact::kept::{KEY_FOR, RATE_WINDOW};
use crate::model::job::Hold;
use crate::model::pool::PoolState;
use crate::model::setup::{API_DEFAULT_COUNT, Countable, Limited, Setup};
use crate::model::team::parent;
use crate::model::{Job, Node, Team};
use crate::sched::actions::{self, urgency};
use crate::sched::ends::Ends;
use crate::sched::future::estimate;
use crate::sched::future::hits::Hits;
use crate::sched::future::learned::Learned;
use crate::sched::index::Index;
use crate::sched::past_use::PastUse;
use crate::sched::review::desk::Desk;

/// Everything the scheduler knows, at one instant.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct World {
    /// When the last fact was applied.
    pub(super) at: At,
    /// Live jobs and the last ended ones.
    pub(super) jobs: OrdMap<JobId, Arc<Job>>,
    /// The number of the next job.
    pub(super) next_job: u64,
    /// The rank of the next job that is moved to the front.
    pub(super) next_front: u64,
    /// The age of the next team.
    pub(super) next_team: u64,
    /// The places that work can go.
    pub(super) nodes: OrdMap<Name, Arc<Node>>,
    /// Configuration.
    pub(super) setup: Arc<Setup>,
    /// Teams by path.
    pub(super) teams: OrdMap<Name, Team>,
    /// Everything is held back.
    pub(super) paused: Option<Hold>,
    /// The machine's boot in which the server last started.
    pub(super) boot: String,
    /// What that boot's `CLOCK_BOOTTIME` lacks to the scheduler's clock.
    pub(super) boot_offset: i64,
    /// All the time the machine was off or asleep.
    pub(super) down: Span,
    /// Idempotency keys.
    pub(super) keys: OrdMap<String, KeyUse>,
    /// Up to when each person has looked at what ended.
    pub(super) looked: OrdMap<Name, Wall>,
    /// Units of rated resources taken lately, oldest first.
    pub(super) rates: OrdMap<Name, Vector<(Mono, u64)>>,
    /// Nodes of elastic pools, by pool.
    pub(super) pools: OrdMap<Name, PoolState>,
    /// When jobs last went up for waiting, and how many did then.
    pub(super) aged: (Mono, u32),
    /// When a full cycle that has to wait is due.
    pub(super) cycle_due: Option<Mono>,
    /// When the last one was run.
    pub(super) cycle_ran: Mono,
    /// Countable resources that nobody may take for a while.
    pub(super) limited: OrdMap<Name, Limited>,
    /// What past runs say of the next.
    pub(super) history: Learned,
    /// What teams used in the past.
    pub(super) past: Arc<PastUse>,
    /// How many forecasts came true.
    pub(super) hits: Hits,
    /// What agents ask of people.
    pub(super) desk: Desk,
    /// What follows from the jobs.
    pub(super) index: Index,
    /// What follows from the jobs and from what past runs say.
    pub(super) ends: Ends,
}

/// What an idempotency key stands for.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct KeyUse {
    /// First job.
    pub first: JobId,
    /// How many jobs; 0 for an act.
    pub count: u32,
    /// Print of the request.
    pub body: String,
    /// When.
    pub at: Mono,
}

impl KeyUse {
    /// Still remembered at `now`.
    pub fn is_fresh(&self, now: Mono) -> bool {
        self.at + KEY_FOR > now
    }
}

impl World {
    /// An empty world whose first job will be 1.
    pub fn new() -> World {
        World { next_job: 1, next_front: 1, ..World::default() }
    }

    /// When the last fact was applied.
    pub fn at(&self) -> At {
        self.at
    }

    /// The machine's boot in which the server last started; empty before the first start.
    pub fn boot(&self) -> &str {
        &self.boot
    }

    /// What that boot's `CLOCK_BOOTTIME` lacks to the scheduler's clock, in milliseconds.
    pub fn boot_offset(&self) -> i64 {
        self.boot_offset
    }

    /// A job by number.
    pub fn job(&self, id: JobId) -> Option<&Arc<Job>> {
        self.jobs.get(&id)
    }

    /// How many jobs there are, ended ones included.
    pub fn job_count(&self) -> u64 {
        self.jobs.len() as u64
    }

    /// All jobs by number.
    pub fn jobs(&self) -> impl Iterator<Item = &Arc<Job>> {
        self.jobs.values()
    }

    /// Nodes by name.
    pub fn nodes(&self) -> impl Iterator<Item = &Arc<Node>> {
        self.nodes.values()
    }

    /// A node by name.
    pub fn node(&self, name: &str) -> Option<&Arc<Node>> {
        self.nodes.get(name)
    }

    /// The nodes of elastic pools, by pool.
    pub fn pools(&self) -> impl Iterator<Item = (&Name, &PoolState)> {
        self.pools.iter()
    }

    /// Configuration.
    pub fn setup(&self) -> &Setup {
        &self.setup
    }

    /// Teams by path.
    pub fn teams(&self) -> impl Iterator<Item = &Team> {
        self.teams.values()
    }

    /// Everything is held back by this.
    pub fn paused(&self) -> Option<&Hold> {
        self.paused.as_ref()
    }

    /// Up to when a person has looked at what ended; the epoch if never.
    pub fn looked(&self, user: &str) -> Wall {
        self.looked.get(user).copied().unwrap_or_default()
    }

    /// What teams used in the past; nothing without a half-life in the configuration.
    pub fn past_use(&self) -> &PastUse {
        &self.past
    }

    /// What agents ask of people.
    pub fn desk(&self) -> &Desk {
        &self.desk
    }

    /// What follows from the jobs: lanes, queue, room in use.
    pub fn index(&self) -> &Index {
        &self.index
    }

    /// When what runs will probably end.
    pub fn ends(&self) -> &Ends {
        &self.ends
    }

    /// `now` on the clock that leaves out the time the machine was off or asleep.
    pub fn active(&self, now: Mono) -> Mono {
        now - self.down
    }

    /// The instant on the scheduler's clock at which the clock without down time shows `active`,
    /// if the machine does not go down before.
    pub fn from_active(&self, active: Mono) -> Mono {
        active + self.down
    }

    /// A countable resource: as configured, or the built-in number of an `api:*`.
    pub fn countable(&self, name: &str) -> Option<Countable> {
        let built_in = || {
            name.starts_with("api:")
                .then_some(Countable { count: API_DEFAULT_COUNT, per_minute: None })
        };
        let known = self.setup.resources.get(name).cloned().or_else(built_in)?;
        let per_minute = known.per_minute.filter(|_| self.setup.cycle.on("rate"));
        Some(Countable { per_minute, ..known })
    }

    /// Units of a rated resource taken in the 60 seconds before `now`.
    pub fn taken(&self, name: &str, now: Mono) -> u64 {
        let recent = self.rates.get(name).into_iter().flatten();
        let recent = recent.filter(|(at, _)| *at + RATE_WINDOW > now);
        recent.fold(0, |sum, (_, units)| sum.saturating_add(*units))
    }

    /// When units of a rated resource come free again, after `now`: each instant with its units.
    pub fn rate_frees(&self, name: &str, now: Mono) -> impl Iterator<Item = (Mono, u64)> + '_ {
        let recent = self.rates.get(name).into_iter().flatten();
        let frees = recent.map(|(at, units)| (*at + RATE_WINDOW, *units));
        frees.filter(move |(at, _)| *at > now)
    }

    /// Jobs that went up for waiting at `now`.
    pub(super) fn aged_now(&self, now: Mono) -> u32 {
        if self.aged.0 == now { self.aged.1 } else { 0 }
    }

    /// What keeps everybody from taking units of a countable resource at `wall`.
    pub fn limit_of(&self, name: &str, wall: Wall) -> Option<&Limited> {
        self.limited.get(name).filter(|limited| limited.until > wall)
    }

    /// The countable resources that are closed, or were until a moment ago.
    pub fn limited(&self) -> impl Iterator<Item = (&Name, &Limited)> {
        self.limited.iter()
    }

    /// A team, one above it or everything is held back.
    pub fn is_held(&self, team: &str) -> bool {
        let held = |name: &str| self.teams.get(name).is_some_and(|team| team.paused.is_some());
        let mut line = std::iter::successors(Some(team), |name| parent(name));
        self.paused.is_some() || line.any(held)
    }

    /// When time alone next changes something: on the scheduler's clock, and on the calendar.
    /// What is due at `at` already is not meant.
    pub fn next_due(&self, at: At) -> (Option<Mono>, Option<Wall>) {
        let limit = self.index.limits.get_min().map(|(active, _)| self.from_active(*active));
        // A rate that comes free matters only to somebody who waits for room.
        let rated = self.rates.keys().filter(|_| !self.index.queue.is_empty());
        let rate = rated.filter_map(|name| Some(self.rate_frees(name, at.now).next()?.0));
        let holds = self.teams.values().filter_map(|team| team.paused.as_ref());
        let holds = holds.chain(&self.paused).filter_map(|hold| hold.until);
        let calendar = self.index.calendar.get_min().map(|(wall, _)| *wall);
        let cancel = self.index.cancels.get_min().map(|(due, _)| *due);
        let stale = actions::stale_gang::next_due(self, at.now);
        let safe = actions::protected_until(self, at.now);
        let ageing = urgency::next_ageing(self, at.now);
        // What runs longer than expected puts reservations off: others may use the room then.
        let reserved = self.index.reserved.iter().map(|(due, _)| *due).find(|due| *due > at.now);
        let mono = rate.chain(limit).chain(reserved).chain(cancel).chain(stale).chain(safe);
        let mono =
            mono.chain(self.cycle_due).chain(ageing).chain(actions::pools::next_due(self, at.now));
        let due = self.index.due.get_min().map(|(wall, _)| *wall);
        let limited = self.limited.values().map(|limited| limited.until);
        let window = actions::windows::next_edge(self, at.wall);
        let wall = holds
            .chain(calendar)
            .chain(window)
            .chain(due)
            .chain(limited)
            .chain(self.desk.next_due(at.wall));
        let wall = wall.filter(|due| *due > at.wall).min();
        (mono.filter(|due| *due > at.now).min(), wall)
    }

    /// Puts a job in place of what was known of it.
    pub(super) fn put_job(&mut self, job: Job) {
        match self.jobs.get(&job.id) {
            Some(old) => self.index.replace(old, &job),
            None => self.index.insert(&job),
        }
        self.expect(&job);
        self.jobs.insert(job.id, Arc::new(job));
    }

    /// Sees to it that a job's end is expected when it is.
    fn expect(&mut self, job: &Job) {
        let learns = self.setup.cycle.on("estimate");
        self.ends.put(job, || estimate::basis(&self.history, learns, &job.spec));
    }

    /// What some jobs' ends are expected by is no longer the same.
    pub(super) fn expect_anew(&mut self, jobs: impl IntoIterator<Item = JobId>) {
        for id in jobs {
            if let Some(job) = self.jobs.get(&id).cloned() {
                self.expect(&job);
            }
        }
    }

    /// Removes a job.
    pub(super) fn drop_job(&mut self, id: JobId) {
        if let Some(old) = self.jobs.remove(&id) {
            self.index.remove(&old);
            self.ends.drop(id);
        }
    }
}

/// The world as it is stored: what cannot be derived.
#[derive(Serialize, Deserialize)]
struct Saved {
    at: At,
    jobs: Vec<Arc<Job>>,
    next_job: u64,
    next_front: u64,
    #[serde(default)]
    next_team: u64,
    nodes: Vec<Arc<Node>>,
    setup: Arc<Setup>,
    teams: Vec<Team>,
    paused: Option<Hold>,
    boot: String,
    boot_offset: i64,
    down: Span,
    keys: Vec<(String, KeyUse)>,
    looked: Vec<(Name, Wall)>,
    rates: Vec<(Name, Vec<(Mono, u64)>)>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pools: Vec<(Name, PoolState)>,
    #[serde(default)]
    aged: (Mono, u32),
    #[serde(default)]
    cycle_due: Option<Mono>,
    #[serde(default)]
    cycle_ran: Mono,
    #[serde(default)]
    limited: Vec<(Name, Limited)>,
    #[serde(default)]
    history: Learned,
    #[serde(default)]
    past: Arc<PastUse>,
    #[serde(default)]
    hits: Hits,
    #[serde(default)]
    desk: Desk,
}

impl Serialize for World {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        Saved {
            at: self.at,
            jobs: self.jobs.values().cloned().collect(),
            next_job: self.next_job,
            next_front: self.next_front,
            next_team: self.next_team,
            nodes: self.nodes.values().cloned().collect(),
            setup: self.setup.clone(),
            teams: self.teams.values().cloned().collect(),
            paused: self.paused.clone(),
            boot: self.boot.clone(),
            boot_offset: self.boot_offset,
            down: self.down,
            keys: self.keys.iter().map(|(k, v)| (k.clone(), v.clone())).collect(),
            looked: self.looked.iter().map(|(k, v)| (k.clone(), *v)).collect(),
            rates: self
                .rates
                .iter()
                .map(|(name, taken)| (name.clone(), taken.iter().copied().collect()))
                .collect(),
            pools: self.pools.iter().map(|(name, state)| (name.clone(), state.clone())).collect(),
            aged: self.aged,
            cycle_due: self.cycle_due,
            cycle_ran: self.cycle_ran,
            limited: self.limited.iter().map(|(k, v)| (k.clone(), v.clone())).collect(),
            history: self.history.clone(),
            past: self.past.clone(),
            hits: self.hits.clone(),
            desk: self.desk.clone(),
        }
        .serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for World {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<World, D::Error> {
        let saved = Saved::deserialize(deserializer)?;
        let mut world = World {
            at: saved.at,
            next_job: saved.next_job,
            next_front: saved.next_front,
            next_team: saved.next_team,
            nodes: saved.nodes.into_iter().map(|n| (n.name.clone(), n)).collect(),
            setup: saved.setup,
            teams: saved.teams.into_iter().map(|t| (t.name.clone(), t)).collect(),
            paused: saved.paused,
            boot: saved.boot,
            boot_offset: saved.boot_offset,
            down: saved.down,
            keys: saved.keys.into_iter().collect(),
            looked: saved.looked.into_iter().collect(),
            rates: saved.rates.into_iter().map(|(n, v)| (n, Vector::from_iter(v))).collect(),
            pools: saved.pools.into_iter().collect(),
            aged: saved.aged,
            cycle_due: saved.cycle_due,
            cycle_ran: saved.cycle_ran,
            limited: saved.limited.into_iter().collect(),
            history: saved.history,
            past: saved.past,
            hits: saved.hits,
            desk: saved.desk,
            ..World::default()
        };
        for job in saved.jobs {
            world.index.insert(&job);
            world.expect(&job);
            world.jobs.insert(job.id, job);
        }
        Ok(world)
    }
}
