//! One round: the core decides, then what was begun comes to its end.

use crate::base::{Span, TaskId};
use crate::model::Fact;
use crate::model::command::{Command, TaskEvent};
use crate::model::job::{Exit, TaskState};
use crate::sched::plan::Plan;
use crate::sched::{World, actions, decide};

use super::stage::Stage;

/// What a round did, in tasks. A move is an eviction and a nomination.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Work {
    pub binds: u32,
    pub evictions: u32,
    pub pipelines: u32,
}

impl Work {
    /// Adds another's.
    pub fn add(&mut self, other: Work) {
        self.binds += other.binds;
        self.evictions += other.evictions;
        self.pipelines += other.pipelines;
    }

    /// What facts came to; `before` is the world before them.
    fn of(before: &World, facts: &[Fact]) -> Work {
        let mut work = Work::default();
        let mut world = before.clone();
        for fact in facts {
            match fact {
                Fact::TaskPlaced { .. } => work.binds += 1,
                Fact::TaskNominated { .. } => work.pipelines += 1,
                Fact::JobEvicted { job, eviction } => {
                    let active = world.job(*job).map_or(0, |job| job.active_tasks().count());
                    let tasks =
                        if eviction.ranks.is_empty() { active } else { eviction.ranks.len() };
                    let tasks = u32::try_from(tasks).unwrap_or(u32::MAX);
                    work.evictions += tasks;
                    work.pipelines += if eviction.moved { tasks } else { 0 };
                }
                _ => {}
            }
            world.apply(before.at(), fact);
        }
        work
    }
}

/// The step of the cycle that goes by this name.
fn step(action: &str) -> Result<&'static str, String> {
    let name = if action == "consolidation" { "consolidate" } else { action };
    let known = actions::STEPS.iter().find(|(step, _)| *step == name);
    let names = || actions::STEPS.map(|(name, _)| name).join(", ");
    let no_action = || format!("`actions` has `{action}`; it must be one of {}", names());
    known.map(|(name, _)| *name).ok_or_else(no_action)
}

impl Stage {
    /// Lets the core decide: by the whole cycle, or by one of its steps.
    pub fn decide(&mut self, action: Option<&str>) -> Result<Work, String> {
        let mut plan = Plan::new(&self.world, self.now);
        match action {
            None => actions::cycle(&mut plan),
            Some(action) => {
                let step = step(action)?;
                actions::pass(&mut plan, |name| name == step);
            }
        }
        let (facts, world) = plan.commit();
        let work = Work::of(&self.world, &facts);
        self.world = world;
        Ok(work)
    }

    /// What is starting runs, what is being stopped is over, and promises are forgotten.
    pub fn go_on(&mut self) -> Result<(), String> {
        let mut plan = Plan::new(&self.world, self.now);
        let promised: Vec<TaskId> = self.tasks(|state| state == TaskState::Nominated);
        for task in promised {
            plan.note(Fact::NominationOver { task });
        }
        for (state, event) in [
            (TaskState::Starting, TaskEvent::Started { pid: 1 }),
            (TaskState::Stopping, TaskEvent::Ended { exit: Exit::Signal(15) }),
        ] {
            for task in self.tasks(|of| of == state) {
                if state == TaskState::Stopping && self.is_stuck(task) {
                    continue;
                }
                let command = Command::Task { task, event: event.clone() };
                decide::take(&mut plan, &command).map_err(|refusal| refusal.to_string())?;
                self.follow(task, plan.world());
            }
        }
        (_, self.world) = plan.commit();
        self.now.now = self.now.now + Span::secs(1);
        self.now.wall = self.now.wall + Span::secs(1);
        Ok(())
    }
}
