//! The loop and time: when to look at health, when to wake next.

use crate::base::{At, TaskId};
use crate::engine::handle::lock;
use crate::engine::owner::{Owner, Turn};
use crate::model::Fact;
use crate::sched::health;
use crate::sched::review::telling;

impl Owner {
    /// A task that starts, thaws, asks or gets another limit may cross a threshold soon.
    pub(super) fn watch(&mut self, facts: &[Fact], at: At) {
        let news = |fact: &Fact| {
            matches!(
                fact,
                Fact::TaskStarted { .. }
                    | Fact::JobThawed { .. }
                    | Fact::JobChanged { .. }
                    | Fact::AtPrompt { .. }
                    | Fact::PromptOver { .. }
                    | Fact::Review { .. }
            )
        };
        let thawed = facts.iter().filter_map(|fact| match fact {
            Fact::JobThawed { job, .. } => self.world.job(*job),
            _ => None,
        });
        for job in thawed {
            for task in job.active_tasks() {
                let id = TaskId { job: job.id, attempt: job.attempt, rank: task.rank };
                self.signals.stir(id, self.world.active(at.now));
            }
        }
        if facts.iter().any(news) {
            let soon = at.now + health::SOONEST;
            self.next_health = Some(self.next_health.map_or(soon, |next| next.min(soon)));
        }
    }

    /// Looks at running jobs if a threshold may have been crossed.
    pub(super) fn check_health(&mut self, turn: &mut Turn, at: At) {
        if self.next_health.is_none_or(|due| due > at.now) {
            return;
        }
        let active = self.world.active(at.now);
        let candidates: Vec<_> = health::candidates(&self.world, &self.signals).collect();
        for task in candidates {
            if let Some(bytes) = self.runner.output_bytes(task) {
                self.signals.hear(task, bytes, active);
            }
        }
        for task in std::mem::take(&mut *lock(&self.shared.typed)) {
            self.signals.stir(task, active);
        }
        for task in health::due_checks(&self.world, &mut self.signals, at) {
            match self.launcher.health_check(&self.world, task) {
                Ok(check) => check.into_iter().for_each(|check| self.runner.check(check)),
                Err(why) => tracing::warn!("cannot check the health of task {task}: {why}"),
            }
        }
        let (commands, next) = health::scan(&self.world, &self.signals, at);
        self.next_health = next;
        for command in commands {
            let _ = self.decide(turn, command, at);
        }
    }

    /// Sets the alarm to the next instant at which something changes by itself.
    pub(super) fn arm(&mut self, at: At) {
        let (mono, wall) = self.world.next_due(at);
        let wall = wall.into_iter().chain(telling::next_expiring(&self.world, at.wall)).min();
        let mono = mono.into_iter().chain(self.next_health).min();
        self.alarm.arm(mono.map(|due| self.timeline.boot_ms(due)), wall);
    }
}
