//! The fold: facts in, closed intervals out.
//!
//! What a task holds is booked under the class its facts carry. What nobody holds is `drained`
//! on a drained node, `foreign` on a device that others use, `reserved` as far as it is kept for
//! waiting jobs (`kept`), else `idle`. Three rules need saying:
//!
//! * A task whose end became known late (no server ran) held its room up to its end. From then
//!   until it became known nobody did: that tail is booked like the node's free part, so that
//!   nobody pays for a server that was dead.
//! * A span in which the machine was off or asleep is of that class for all there is, held or
//!   not, and has no holder.
//! * Capacity may shrink below what is held. What is held is booked in full; the free part is
//!   then nothing, never less.

use std::sync::Arc;

use imbl::OrdMap;

use crate::base::{At, JobId, Mono, Name, TaskId};
use crate::ledger::amounts::Amounts;
use crate::ledger::interval::{Holder, Interval, push};
use crate::ledger::kept::ByNode;
use crate::ledger::place::{Pool, Room, count_of, foreign};
use crate::model::fact::{Class, Fact, ReviewFact};
use crate::model::job::{GpuShare, Groups, JobSpec, Placement};
use crate::model::setup::Setup;
use crate::model::{Node, Resources};

/// Everything that is being metered. A clone shares all of it and costs nothing.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Meter {
    /// When the last fact was taken.
    pub(super) at: Mono,
    pub(super) nodes: OrdMap<Name, Room>,
    pub(super) pools: OrdMap<Name, Pool>,
    pub(super) jobs: OrdMap<JobId, Account>,
    pub(super) open: OrdMap<TaskId, Open>,
    /// What is kept for waiting jobs.
    pub(super) kept: OrdMap<JobId, ByNode>,
}

/// A live job, as far as it matters for what its tasks hold.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Account {
    pub ask: Arc<Ask>,
    pub frozen: bool,
}

/// What each task of a job holds, and who pays. Shared by jobs that ask for the same.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Ask {
    pub team: Name,
    pub request: Resources,
    pub groups: Option<Box<Groups>>,
}

/// A task that holds room.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Open {
    pub node: Name,
    pub gpus: Vec<GpuShare>,
    /// Devices that others may use until it goes on.
    pub lent: Vec<GpuShare>,
    /// Its group, if its job has several.
    pub group: Option<u32>,
    pub class: Class,
    pub started: bool,
    pub stopping: bool,
    /// Since when all this has been so.
    pub since: Mono,
}

impl Ask {
    fn of(spec: &JobSpec) -> Ask {
        let (team, request) = (spec.team.clone(), spec.request.clone());
        Ask { team, request, groups: spec.groups.clone() }
    }

    fn is_of(&self, spec: &JobSpec) -> bool {
        self.team == spec.team && self.request == spec.request && self.groups == spec.groups
    }

    /// What the task of a rank asks for: its group if that is known, else ranks go through the
    /// groups in order.
    fn request(&self, rank: u32, group: Option<u32>) -> &Resources {
        let groups = self.groups.as_deref().map_or(&[][..], |groups| &groups.groups[..]);
        let group = group.and_then(|at| groups.get(usize::try_from(at).ok()?));
        if let Some(group) = group {
            return &group.request;
        }
        let mut first = 0_u32;
        for group in groups {
            let next = first.saturating_add(group.gang.size);
            if (first..next).contains(&rank) {
                return &group.request;
            }
            first = next;
        }
        &self.request
    }
}

impl Account {
    pub(super) fn holds(&self, task: TaskId, open: &Open) -> Amounts {
        Amounts::of_task(self.ask.request(task.rank, open.group), &open.gpus, self.frozen)
    }

    fn holder(&self, task: TaskId) -> Option<Holder> {
        Some(Holder { task, team: self.ask.team.clone() })
    }
}

impl Meter {
    /// Nothing is metered yet.
    pub fn new() -> Meter {
        Meter::default()
    }

    /// When the last fact was taken.
    pub fn at(&self) -> Mono {
        self.at
    }

    /// Takes the next fact and appends what it closes. A fact is no older than the one before
    /// it, as in the world; one about a task that holds no room changes nothing.
    pub fn apply(&mut self, at: At, fact: &Fact, closed: &mut Vec<Interval>) {
        self.at = self.at.max(at.now);
        self.take_reservation(fact, closed);
        match fact {
            Fact::JobSubmitted { job, spec, .. } => self.know(*job, spec),
            Fact::JobChanged { job, spec, .. } => {
                let ask = self.ask(*job, spec);
                self.recut(*job, closed, |account| account.ask = ask, |_| {});
            }
            Fact::JobFrozen { job, class } => {
                let held = |open: &mut Open| open.class = *class;
                self.recut(*job, closed, |account| account.frozen = true, held);
            }
            Fact::JobThawed { job, class } => {
                let goes_on = |open: &mut Open| {
                    open.gpus.append(&mut open.lent);
                    let runs = open.started && !open.stopping;
                    open.class = if runs { *class } else { Class::StartStop };
                };
                self.recut(*job, closed, |account| account.frozen = false, goes_on);
            }
            Fact::Review { job, fact, .. } => self.review(*job, fact, closed),
            Fact::DevicesLent { task } => self.lend(*task, closed),
            Fact::JobStopping { job, class, .. } => {
                let stops = |open: &mut Open| (open.stopping, open.class) = (true, *class);
                self.recut(*job, closed, |_| {}, stops);
            }
            Fact::TaskStopping { task, class } => {
                if let Some(open) = self.cut_task(*task, closed) {
                    (open.stopping, open.class) = (true, *class);
                }
            }
            Fact::AttemptBegan { job, .. } => self.clear(*job, closed),
            Fact::AttemptEnded { job, .. } => {
                self.clear(*job, closed);
                if let Some(account) = self.jobs.get_mut(job) {
                    account.frozen = false;
                }
            }
            Fact::JobEnded { job, .. } | Fact::JobForgotten { job } => {
                self.clear(*job, closed);
                self.jobs.remove(job);
            }
            Fact::TaskPlaced { task, placement, class, group } => {
                self.place((*task, *group), placement, *class, closed);
            }
            Fact::TaskUnplaced { task }
            | Fact::TaskNominated { task, .. }
            | Fact::NominationOver { task } => self.end(*task, None, closed),
            Fact::TaskStarted { task, class, .. } => self.start(*task, *class, closed),
            Fact::TaskEnded { task, ended, .. } => {
                self.end(*task, ended.map(|at| at.now), closed);
            }
            about_a_place => self.surroundings(about_a_place, closed),
        }
    }

    /// What a job holds while people are asked is booked otherwise than its work.
    fn review(&mut self, job: JobId, fact: &ReviewFact, closed: &mut Vec<Interval>) {
        let ReviewFact::JobBooked { class } = fact else { return };
        let booked = |open: &mut Open| {
            let runs = open.started && !open.stopping;
            open.class = if runs { *class } else { open.class };
        };
        self.recut(job, closed, |_| {}, booked);
    }

    fn surroundings(&mut self, fact: &Fact, closed: &mut Vec<Interval>) {
        match fact {
            Fact::NodeSeen { name, capacity, gpus, .. } => self.change_node(name, closed, |room| {
                room.capacity = Amounts::of_capacity(capacity, gpus.iter().map(|gpu| gpu.index));
                room.foreign = foreign(gpus);
            }),
            Fact::NodeDrained { node, on, .. } if self.nodes.contains_key(node) => {
                self.change_node(node, closed, |room| room.drained = *on);
            }
            Fact::GpuForeign { node, index, by } if self.nodes.contains_key(node) => {
                self.change_node(node, closed, |room| {
                    room.foreign.retain(|known| known != index);
                    if by.is_some() && room.capacity.gpu(*index) > 0 {
                        room.foreign.push(*index);
                        room.foreign.sort_unstable();
                    }
                });
            }
            Fact::Configured(setup) => self.configure(setup, closed),
            Fact::Down { from, to, class } => self.down(*from, *to, *class, closed),
            _ => {}
        }
    }

    /// What is open, as if it were closed at `now`.
    pub fn settle(&self, now: Mono) -> Vec<Interval> {
        let now = now.max(self.at);
        let mut open = Vec::new();
        for (id, task) in &self.open {
            if let Some(account) = self.jobs.get(&id.job) {
                let place = (Some(&task.node), account.holder(*id));
                let holds = account.holds(*id, task);
                push(&mut open, place, task.class, (task.since, now), holds);
            }
        }
        self.nodes.iter().for_each(|(name, room)| room.free(name, now, &mut open));
        self.pools.iter().for_each(|(name, pool)| pool.free(name, Class::Idle, now, &mut open));
        open
    }

    /// Tasks that hold room now, and places that have some.
    pub fn open_count(&self) -> usize {
        self.open.len() + self.nodes.len() + self.pools.len()
    }

    fn know(&mut self, job: JobId, spec: &JobSpec) {
        let ask = self.ask(job, spec);
        self.jobs.insert(job, Account { ask, frozen: false });
    }

    /// What a job asks for, shared with the job before it if that asks for the same.
    pub(super) fn ask(&self, job: JobId, spec: &JobSpec) -> Arc<Ask> {
        let before = self.jobs.get(&JobId(job.0.saturating_sub(1))).map(|account| &account.ask);
        let equal = before.filter(|ask| ask.is_of(spec));
        equal.cloned().unwrap_or_else(|| Arc::new(Ask::of(spec)))
    }

    fn place(
        &mut self,
        (task, group): (TaskId, Option<u32>),
        placement: &Placement,
        class: Class,
        closed: &mut Vec<Interval>,
    ) {
        let Some(account) = self.jobs.get(&task.job).cloned() else { return };
        self.end(task, None, closed);
        let (node, gpus) = (placement.node.clone(), placement.gpus.clone());
        let (lent, started, stopping, since) = (Vec::new(), false, false, self.at);
        let open = Open { node, gpus, lent, group, class, started, stopping, since };
        self.hold(&open.node, &account.holds(task, &open), closed);
        self.open.insert(task, open);
    }

    /// A task that begins to run while it is being stopped, or is frozen, is booked as before.
    fn start(&mut self, task: TaskId, class: Class, closed: &mut Vec<Interval>) {
        let frozen = self.jobs.get(&task.job).is_none_or(|account| account.frozen);
        let Some(open) = self.open.get_mut(&task) else { return };
        open.started = true;
        if frozen || open.stopping || open.class == class {
            return;
        }
        if let Some(open) = self.cut_task(task, closed) {
            open.class = class;
        }
    }

    /// Closes what a task has held up to now; it holds it on.
    fn cut_task(&mut self, task: TaskId, closed: &mut Vec<Interval>) -> Option<&mut Open> {
        let account = self.jobs.get(&task.job)?;
        let open = self.open.get_mut(&task)?;
        let place = (Some(&open.node), account.holder(task));
        push(closed, place, open.class, (open.since, self.at), account.holds(task, open));
        open.since = self.at;
        Some(open)
    }

    /// What a frozen task has of devices is held by nobody from now on.
    fn lend(&mut self, task: TaskId, closed: &mut Vec<Interval>) {
        let Some(account) = self.jobs.get(&task.job).cloned() else { return };
        let Some(open) = self.cut_task(task, closed) else { return };
        let before = account.holds(task, open);
        open.lent = std::mem::take(&mut open.gpus);
        let (node, after) = (open.node.clone(), account.holds(task, open));
        self.release(&node, &before, closed);
        self.hold(&node, &after, closed);
    }

    /// Its room is free; it was so in truth since `ended`, if that is earlier.
    fn end(&mut self, task: TaskId, ended: Option<Mono>, closed: &mut Vec<Interval>) {
        let Some(open) = self.open.remove(&task) else { return };
        let Some(account) = self.jobs.get(&task.job).cloned() else { return };
        let amounts = account.holds(task, &open);
        let over = ended.map_or(self.at, |end| end.max(open.since).min(self.at));
        let whose = account.holder(task);
        push(closed, (Some(&open.node), whose), open.class, (open.since, over), amounts.clone());
        let class = self.nodes.get(&open.node).map_or(Class::Idle, Room::free_class);
        let tail = (over.max(open.since), self.at);
        push(closed, (Some(&open.node), None), class, tail, amounts.clone());
        self.release(&open.node, &amounts, closed);
    }

    fn tasks_of(&self, job: JobId) -> Vec<TaskId> {
        let first = |job| TaskId { job, attempt: 0, rank: 0 };
        let range = first(job)..first(JobId(job.0.saturating_add(1)));
        self.open.range(range).map(|(id, _)| *id).collect()
    }

    fn clear(&mut self, job: JobId, closed: &mut Vec<Interval>) {
        for task in self.tasks_of(job) {
            self.end(task, None, closed);
        }
    }

    /// Changes a job and cuts each of its tasks for which that makes a difference.
    fn recut(
        &mut self,
        job: JobId,
        closed: &mut Vec<Interval>,
        change: impl FnOnce(&mut Account),
        each: impl Fn(&mut Open),
    ) {
        let Some(before) = self.jobs.get(&job).cloned() else { return };
        let mut after = before.clone();
        change(&mut after);
        for id in self.tasks_of(job) {
            let Some(was) = self.open.get(&id).cloned() else { continue };
            let mut open = was.clone();
            each(&mut open);
            let (held, holds) = (before.holds(id, &was), after.holds(id, &open));
            if held != holds || was.class != open.class || before.ask.team != after.ask.team {
                let place = (Some(&was.node), before.holder(id));
                push(closed, place, was.class, (was.since, self.at), held.clone());
                open.since = self.at;
            }
            if held != holds {
                self.release(&was.node, &held, closed);
                self.hold(&was.node, &holds, closed);
            }
            self.open.insert(id, open);
        }
        self.jobs.insert(job, after);
    }

    fn hold(&mut self, node: &Name, amounts: &Amounts, closed: &mut Vec<Interval>) {
        self.change_node(node, closed, |room| room.held.add_local(amounts));
        for (name, units) in &amounts.custom {
            self.change_pool(name, closed, |pool| pool.held = pool.held.saturating_add(*units));
        }
    }

    fn release(&mut self, node: &Name, amounts: &Amounts, closed: &mut Vec<Interval>) {
        self.change_node(node, closed, |room| room.held = room.held.less_local(amounts));
        for (name, units) in &amounts.custom {
            self.change_pool(name, closed, |pool| pool.held = pool.held.saturating_sub(*units));
        }
    }

    pub(super) fn change_node(
        &mut self,
        name: &Name,
        closed: &mut Vec<Interval>,
        change: impl FnOnce(&mut Room),
    ) {
        let since = self.at;
        let new = || Room { since, ..Room::default() };
        let room = self.nodes.entry(name.clone()).or_insert_with(new);
        room.cut(name, self.at, closed);
        change(room);
    }

    fn change_pool(
        &mut self,
        name: &Name,
        closed: &mut Vec<Interval>,
        change: impl FnOnce(&mut Pool),
    ) {
        let new = Pool { count: 0, held: 0, since: self.at };
        let pool = self.pools.entry(name.clone()).or_insert(new);
        pool.cut(name, Class::Idle, self.at, closed);
        change(pool);
        if pool.is_over() {
            self.pools.remove(name);
        }
    }

    fn configure(&mut self, setup: &Setup, closed: &mut Vec<Interval>) {
        let mut names: Vec<Name> = self.pools.keys().cloned().collect();
        names.extend(setup.resources.keys().cloned());
        for name in names {
            let count = count_of(setup, &name);
            if self.pools.get(&name).map(|pool| pool.count) != Some(count) {
                self.change_pool(&name, closed, |pool| pool.count = count);
            }
        }
    }

    /// What is open keeps its class up to `from` and has it again after `to`.
    fn down(&mut self, from: Mono, to: Mono, class: Class, closed: &mut Vec<Interval>) {
        let to = to.min(self.at);
        let from = from.min(to);
        let ids: Vec<TaskId> = self.open.keys().copied().collect();
        for id in ids {
            let Some(account) = self.jobs.get(&id.job) else { continue };
            let Some(open) = self.open.get_mut(&id) else { continue };
            let held = account.holds(id, open);
            let whose = account.holder(id);
            push(closed, (Some(&open.node), whose), open.class, (open.since, from), held.clone());
            push(closed, (Some(&open.node), None), class, (open.since.max(from), to), held);
            open.since = open.since.max(to);
        }
        let names: Vec<Name> = self.nodes.keys().cloned().collect();
        for name in names {
            let Some(room) = self.nodes.get_mut(&name) else { continue };
            room.cut(&name, from, closed);
            room.book(&name, class, to, closed);
        }
        let names: Vec<Name> = self.pools.keys().cloned().collect();
        for name in names {
            let Some(pool) = self.pools.get_mut(&name) else { continue };
            pool.cut(&name, Class::Idle, from, closed);
            pool.cut(&name, class, to, closed);
        }
    }

    /// Puts a node of a world in place, with nothing held yet.
    pub(super) fn put_node(&mut self, node: &Node, since: Mono) {
        self.nodes.insert(node.name.clone(), Room::of(node, since));
    }
}
