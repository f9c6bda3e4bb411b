//! What a runner does with effects, and what it does after a crash at any point among them.

use std::collections::BTreeMap;

use holdshort::base::{Span, TaskId};
use holdshort::model::job::{Job, StopFor};
use holdshort::model::{Effect, Fact};
use holdshort::sched::{World, effects};

/// The processes a runner has, as its orders left them.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Outside {
    processes: BTreeMap<TaskId, Process>,
}

/// How a process was left by the last orders.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
struct Process {
    stop: Option<StopFor>,
    frozen: bool,
    /// The whole limit: what was left when it was said, and what had run by then.
    limit: Option<Span>,
}

impl Outside {
    /// Obeys what the facts ask for, and says what is wrong with the outcome, or with that of a
    /// crash after any of the orders.
    pub fn step(&mut self, facts: &[Fact], world: &World) -> Vec<String> {
        let wanted = Outside::wanted(world);
        let orders = effects::of_facts(facts, world);
        let mut broken = Vec::new();
        for done in 0..=orders.len() {
            let mut crashed = self.clone();
            orders[..done].iter().for_each(|order| crashed.obey(order, world));
            effects::of_world(world).iter().for_each(|order| crashed.obey(order, world));
            crashed.processes.retain(|task, _| wanted.processes.contains_key(task));
            if crashed != wanted {
                broken.push(format!(
                    "a crash after {done} of {orders:?} leaves {crashed:?}, not {wanted:?}"
                ));
            }
        }
        orders.iter().for_each(|order| self.obey(order, world));
        self.normalise();
        if *self != wanted {
            broken.push(format!("{orders:?} leave {self:?}, not {wanted:?}"));
        }
        broken
    }

    /// How a world wants its processes to be.
    fn wanted(world: &World) -> Outside {
        let mut outside = Outside::default();
        for job in world.jobs().filter(|job| job.is_live()) {
            for task in job.active_tasks() {
                let id = TaskId { job: job.id, attempt: job.attempt, rank: task.rank };
                let node = task.placement.as_ref().and_then(|at| world.node(&at.node));
                let vanishes = node.is_some_and(|node| node.warning.is_some());
                let why = if vanishes { StopFor::Spot } else { StopFor::Preempt };
                let given_up = task.given_up.then_some(why);
                let (stop, frozen) = (job.stop.or(given_up), job.frozen);
                // While people are asked and it holds what it has, nobody counts.
                let limit = job.spec.time_limit.filter(|_| job.asking.holds().is_none());
                outside.processes.insert(id, Process { stop, frozen, limit });
            }
        }
        outside.normalise();
        outside
    }

    fn obey(&mut self, order: &Effect, world: &World) {
        let job = |task: &TaskId| world.job(task.job);
        match order {
            Effect::Start { task } => {
                let limit = job(task).and_then(|job| job.spec.time_limit);
                let new = Process { limit, ..Process::default() };
                self.processes.entry(*task).or_insert(new);
            }
            Effect::Stop { task, why, .. } => self.change(task, |p| p.stop = Some(*why)),
            Effect::Freeze { task } => self.change(task, |p| p.frozen = true),
            Effect::Thaw { task } => self.change(task, |p| p.frozen = false),
            Effect::Limit { task, left } => {
                let used = |job: &Job| job.run_time(world.active(world.at().now));
                let used = job(task).map_or(Span::ZERO, |job| used(job));
                self.change(task, |p| p.limit = left.map(|left| left + used));
            }
            Effect::Forget { task } => drop(self.processes.remove(task)),
            Effect::Archive { .. } | Effect::Pool { .. } => {}
        }
        self.normalise();
    }

    fn change(&mut self, task: &TaskId, change: impl FnOnce(&mut Process)) {
        if let Some(process) = self.processes.get_mut(task) {
            change(process);
        }
    }

    /// What is being stopped has neither limit nor ice.
    fn normalise(&mut self) {
        for process in self.processes.values_mut().filter(|process| process.stop.is_some()) {
            process.frozen = false;
            process.limit = None;
        }
    }
}
