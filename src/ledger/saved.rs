//! Goes on metering from a world: what is open follows from jobs, nodes and configuration, but
//! for the instants since which it has been so, and the classes.

use serde::{Deserialize, Serialize};

use crate::base::{Mono, Name, TaskId};
use crate::ledger::meter::{Account, Meter, Open};
use crate::ledger::place::{Pool, count_of};
use crate::model::Node;
use crate::model::fact::Class;
use crate::model::job::{Job, Task, TaskState};
use crate::model::setup::Setup;

/// What a world doesn't say of what is open.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Saved {
    /// Since when the free part of each node has been as it is.
    pub nodes: Vec<(Name, Mono)>,
    /// Since when that of each countable resource has.
    pub pools: Vec<(Name, Mono)>,
    /// How each task that holds room is booked, and since when.
    pub tasks: Vec<(TaskId, Class, Mono)>,
}

impl Meter {
    /// What must be stored beside a world for [`Meter::of_world`].
    pub fn save(&self) -> Saved {
        Saved {
            nodes: self.nodes.iter().map(|(name, room)| (name.clone(), room.since)).collect(),
            pools: self.pools.iter().map(|(name, pool)| (name.clone(), pool.since)).collect(),
            tasks: self.open.iter().map(|(id, open)| (*id, open.class, open.since)).collect(),
        }
    }

    /// The meter of a world whose last fact was at `at`. Without what was saved, metering begins
    /// there: the classes follow from the jobs, and nothing has been so for longer.
    pub fn of_world<'a>(
        at: Mono,
        jobs: impl Iterator<Item = &'a Job>,
        nodes: impl Iterator<Item = &'a Node>,
        setup: &Setup,
        saved: Option<&Saved>,
    ) -> Meter {
        let mut meter = Meter { at, ..Meter::default() };
        let saved = saved.cloned().unwrap_or_default();
        nodes.for_each(|node| meter.put_node(node, at));
        let configured = setup.resources.keys();
        for name in configured.chain(saved.pools.iter().map(|(name, _)| name)) {
            let pool = Pool { count: count_of(setup, name), held: 0, since: at };
            meter.pools.insert(name.clone(), pool);
        }
        for job in jobs.filter(|job| job.is_live()) {
            meter.resume(job, setup);
        }
        meter.pools = meter.pools.into_iter().filter(|(_, pool)| !pool.is_over()).collect();
        for (name, since) in saved.nodes {
            meter.nodes.get_mut(&name).into_iter().for_each(|room| room.since = since);
        }
        for (name, since) in saved.pools {
            meter.pools.get_mut(&name).into_iter().for_each(|pool| pool.since = since);
        }
        for (id, class, since) in saved.tasks {
            let open = meter.open.get_mut(&id);
            open.into_iter().for_each(|open| (open.class, open.since) = (class, since));
        }
        meter
    }

    fn resume(&mut self, job: &Job, setup: &Setup) {
        let ask = self.ask(job.id, &job.spec);
        let account = Account { ask, frozen: job.frozen };
        job.reserved.iter().for_each(|reserved| self.put_kept(job.id, &reserved.room));
        for task in job.active_tasks() {
            let Some(placement) = &task.placement else { continue };
            let open = Open {
                node: placement.node.clone(),
                gpus: placement.gpus.clone(),
                lent: task.lent.clone(),
                group: job.spec.groups.as_ref().map(|_| task.group),
                class: class(job, task),
                started: task.started.is_some(),
                stopping: task.state == TaskState::Stopping,
                since: self.at,
            };
            let id = TaskId { job: job.id, attempt: job.attempt, rank: task.rank };
            let holds = account.holds(id, &open);
            self.nodes.entry(open.node.clone()).or_default().held.add_local(&holds);
            for (name, units) in &holds.custom {
                let new = Pool { count: count_of(setup, name), held: 0, since: self.at };
                let pool = self.pools.entry(name.clone()).or_insert(new);
                pool.held = pool.held.saturating_add(*units);
            }
            self.open.insert(id, open);
        }
        self.jobs.insert(job.id, account);
    }
}

/// How a task is booked, as far as its job tells.
fn class(job: &Job, task: &Task) -> Class {
    match (task.state == TaskState::Stopping, job.frozen, task.started.is_some()) {
        (true, _, _) => Class::StartStop,
        (false, true, _) => Class::Held,
        (false, false, true) => Class::Productive,
        (false, false, false) => Class::StartStop,
    }
}
