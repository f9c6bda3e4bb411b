//! When what runs will probably end, in order on each node: derived from jobs and history, and kept
//! beside the index, so that nobody has to ask each job that runs.
//!
//! A run has a beginning on the clock without down time, and a length. Where the length is the
//! job's own or its limit, its end stands fast. Where it is that of a class of similar runs
//! ([`Kin`]), it changes whenever one of them ends; but then it does for all of that class, so they
//! stay in the order in which they began. So nothing moves here when something is learned, unless a
//! class becomes the one to go by, or no longer is. What has no running clock is only named.
//! `future/walk` makes ends of this.

use std::sync::Arc;

use imbl::{OrdMap, OrdSet};

use crate::base::{JobId, Mono, Name, Span};
use crate::model::job::{Job, State, Task, TaskState};
use crate::sched::future::estimate::Basis;
use crate::sched::future::learned::Class;
use crate::sched::future::timeline::{Parts, parts, signed};
use crate::sched::policy::fit::WHOLE;

/// Runs that are expected to take as long as each other.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Kin {
    /// Whose runs say how long.
    pub class: Class,
    /// Within a limit on the run, and on it together with what it goes on from.
    pub limit: Option<(Span, Span)>,
}

/// A task in the order of its node: by whose length, and then when its run began, or when it will
/// end where that stands fast; both on the clock without down time.
pub type Key = (Option<Arc<Kin>>, i64, JobId, u32);

/// The tasks on one node.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct OnNode {
    /// What each gives back.
    pub tasks: OrdMap<Key, Parts>,
    /// How many have a share of a device, which is whole again only after the last of them.
    pub shared: usize,
}

/// When what runs will probably end.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Ends {
    filed: OrdMap<JobId, Arc<Filed>>,
    nodes: OrdMap<Name, OnNode>,
    /// Jobs that hold room and whose clock does not run.
    still: OrdSet<JobId>,
    /// Jobs that may go by a class.
    alike: OrdMap<Class, OrdSet<JobId>>,
}

/// Where a job's tasks are to be found.
#[derive(Debug, PartialEq)]
struct Filed {
    /// `None` if its clock does not run.
    place: Option<(Option<Arc<Kin>>, i64)>,
    tasks: Vec<Held>,
    classes: Vec<Class>,
}

#[derive(Debug, PartialEq)]
struct Held {
    node: Name,
    rank: u32,
    parts: Parts,
    shared: bool,
}

/// A task that holds room and is not being stopped.
pub(in crate::sched) fn holds(task: &Task) -> bool {
    matches!(task.state, TaskState::Starting | TaskState::Running)
}

fn runs(job: &Job) -> bool {
    matches!(job.state, State::Starting | State::Running)
        && !job.frozen
        && job.tasks.iter().any(holds)
}

fn instant(millis: u64) -> i64 {
    i64::try_from(millis).unwrap_or(i64::MAX)
}

impl Filed {
    fn of(job: &Job, basis: impl FnOnce() -> Basis) -> Filed {
        let since = job.ran_since.filter(|_| job.asking.holds().is_none());
        let place = since.map(|since| Filed::place(job, since, basis()));
        let learns = job.spec.estimate.is_none() && place.is_some();
        let classes = if learns { Class::all_of(&job.spec).into() } else { Vec::new() };
        let held = |task: &Task| {
            let placement = task.placement.as_ref()?;
            let [cpu, mem, one, ..] = parts(job.spec.request_of(task.group));
            let milli = placement.gpus.iter().map(|share| share.milli).sum();
            let whole = placement.gpus.iter().filter(|share| share.milli >= WHOLE).count();
            Some(Held {
                node: placement.node.clone(),
                rank: task.rank,
                parts: [cpu, mem, one, signed(milli), signed(whole as u64)],
                shared: whole < placement.gpus.len(),
            })
        };
        let tasks = job.tasks.iter().filter(|task| holds(task)).filter_map(held).collect();
        Filed { place, tasks, classes }
    }

    fn place(job: &Job, since: Mono, basis: Basis) -> (Option<Arc<Kin>>, i64) {
        let begin = instant(since.0).saturating_sub(instant((job.ran + job.worked).0));
        match basis {
            Basis::Sure(length) => (None, begin.saturating_add(instant(length.0))),
            Basis::Class(class) => {
                let limit = job.spec.time_limit.map(|limit| (limit, limit + job.worked));
                (Some(Arc::new(Kin { class, limit })), begin)
            }
        }
    }
}

impl Ends {
    /// A job is as it is now; `basis` says what its length goes by.
    pub(super) fn put(&mut self, job: &Job, basis: impl FnOnce() -> Basis) {
        let now = runs(job).then(|| Filed::of(job, basis));
        let before = self.filed.get(&job.id).cloned();
        if before.as_deref() == now.as_ref() {
            return;
        }
        if let Some(before) = before {
            self.take_out(job.id, &before);
        }
        if let Some(now) = now {
            self.put_in(job.id, now);
        }
    }

    /// A job is gone.
    pub(super) fn drop(&mut self, id: JobId) {
        if let Some(before) = self.filed.get(&id).cloned() {
            self.take_out(id, &before);
        }
    }

    fn put_in(&mut self, id: JobId, filed: Filed) {
        match &filed.place {
            None => drop(self.still.insert(id)),
            Some((kin, time)) => {
                for Held { node, rank, parts, shared } in &filed.tasks {
                    let on = self.nodes.entry(node.clone()).or_default();
                    on.tasks.insert((kin.clone(), *time, id, *rank), *parts);
                    on.shared += usize::from(*shared);
                }
            }
        }
        for class in &filed.classes {
            self.alike.entry(class.clone()).or_default().insert(id);
        }
        self.filed.insert(id, Arc::new(filed));
    }

    fn take_out(&mut self, id: JobId, filed: &Filed) {
        self.still.remove(&id);
        for Held { node, rank, shared, .. } in &filed.tasks {
            let Some((kin, time)) = &filed.place else { break };
            let Some(on) = self.nodes.get_mut(node) else { continue };
            on.tasks.remove(&(kin.clone(), *time, id, *rank));
            on.shared -= usize::from(*shared);
            if on.tasks.is_empty() {
                self.nodes.remove(node);
            }
        }
        for class in &filed.classes {
            if let Some(alike) = self.alike.get_mut(class) {
                alike.remove(&id);
                if alike.is_empty() {
                    self.alike.remove(class);
                }
            }
        }
        self.filed.remove(&id);
    }

    /// Jobs that may go by one of these classes.
    pub(super) fn alike(&self, classes: &[Class]) -> OrdSet<JobId> {
        let sets = classes.iter().filter_map(|class| self.alike.get(class));
        sets.fold(OrdSet::new(), |all, set| all.union(set.clone()))
    }

    /// The tasks on a node whose clocks run.
    pub fn on(&self, node: &str) -> Option<&OnNode> {
        self.nodes.get(node)
    }

    /// Jobs that hold room and whose clocks do not run: when they end has to be asked.
    pub fn still(&self) -> impl Iterator<Item = JobId> + '_ {
        self.still.iter().copied()
    }
}
