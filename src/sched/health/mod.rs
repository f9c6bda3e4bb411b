//! What is wrong with jobs. One file for each signal; [`scan`] asks them all.
//!
//! Signals are soft: unknown after a restart and never journalled. A crossed threshold becomes
//! a command that carries its evidence, so that a replay needs no signal.

mod denied_again;
mod idle;
mod limit_near;
mod long_running;
mod never_started;
mod nobody_told;
mod resume_loop;
mod review_ageing;
mod step_lost;
mod unasked;
mod unhealthy;

pub use unhealthy::due_checks;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use crate::base::{At, Mono, Span, TaskId};
use crate::model::Command;
use crate::model::finding::{Level, Signal};
use crate::model::job::{Job, State};
use crate::model::page::Lane;
use crate::model::reason::Numbers;
use crate::sched::world::World;

/// What is known of running tasks from outside, as far as it is known.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Signals {
    /// Tasks that have written something.
    pub wrote: BTreeSet<TaskId>,
    /// Tasks of which it is known that they have written nothing so far.
    pub silent: BTreeSet<TaskId>,
    /// How much a task that somebody works in had written, and since when it has been quiet.
    pub quiet: BTreeMap<TaskId, Quiet>,
    /// What the checks of services said.
    pub checks: BTreeMap<TaskId, Checks>,
}

/// The health checks of one task of a service.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Checks {
    /// When the next is due.
    pub next: Mono,
    /// How many failed since the last that did not.
    pub failed: u32,
    /// What the last one came to.
    pub said: String,
}

/// A task that writes nothing and to which nobody types.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Quiet {
    /// Bytes it had written.
    pub bytes: u64,
    /// Since when, on the clock without down time.
    pub since: Mono,
}

impl Signals {
    /// So much has a task written by now, `active` on the clock without down time.
    pub fn hear(&mut self, task: TaskId, bytes: u64, active: Mono) {
        match bytes {
            0 => self.silent.insert(task),
            _ => self.wrote.insert(task),
        };
        let news = self.quiet.get(&task).is_none_or(|quiet| quiet.bytes != bytes);
        if news {
            self.quiet.insert(task, Quiet { bytes, since: active });
        }
    }

    /// Somebody typed to a task, or it was thawed: it is not quiet now.
    pub fn stir(&mut self, task: TaskId, active: Mono) {
        if let Some(quiet) = self.quiet.get_mut(&task) {
            quiet.since = active;
        }
    }

    /// A health check of a task came to an end.
    pub fn checked(&mut self, task: TaskId, well: bool, said: String) {
        if let Some(checks) = self.checks.get_mut(&task) {
            checks.failed = if well { 0 } else { checks.failed.saturating_add(1) };
            checks.said = said;
        }
    }

    /// A task is over.
    pub fn forget(&mut self, task: TaskId) {
        self.wrote.remove(&task);
        self.silent.remove(&task);
        self.quiet.remove(&task);
        self.checks.remove(&task);
    }
}

/// What one signal says of one job.
struct Verdict {
    /// How bad, or nothing.
    level: Option<Level>,
    /// The evidence.
    evidence: Numbers,
    /// When it may say something else if nothing else happens.
    next: Option<Mono>,
}

/// A signal: its name and its rule.
type Rule = fn(&World, &Job, &Signals, At) -> Verdict;

const RULES: &[(Signal, Rule)] = &[
    (Signal::NeverStarted, never_started::check),
    (Signal::LimitNear, limit_near::check),
    (Signal::LongRunning, long_running::check),
    (Signal::Idle, idle::check),
    (Signal::Unhealthy, unhealthy::check),
    (Signal::Unasked, unasked::check),
];

/// Signals of jobs that have asked people, whether they run or not.
const ASKING: &[(Signal, Rule)] = &[
    (Signal::ReviewAgeing, review_ageing::check),
    (Signal::ResumeLoop, resume_loop::check),
    (Signal::DeniedAgain, denied_again::check),
    (Signal::NobodyTold, nobody_told::check),
    (Signal::StepLost, step_lost::check),
];

/// A start is looked at after this, together with others that come meanwhile; from then on each
/// signal says itself when it is due.
pub const SOONEST: Span = Span::secs(1);

/// Commands for every threshold that was crossed, and when to look again.
pub fn scan(world: &World, signals: &Signals, at: At) -> (Vec<Command>, Option<Mono>) {
    let mut commands = Vec::new();
    let mut next: Option<Mono> = None;
    let runs = watched(world).flat_map(|job| RULES.iter().map(move |rule| (job, rule)));
    let asks = asking(world).flat_map(|job| ASKING.iter().map(move |rule| (job, rule)));
    for (job, (signal, rule)) in runs.chain(asks) {
        let verdict = rule(world, job, signals, at);
        let stands = job.findings.get(signal).map(|finding| finding.level);
        if verdict.level != stands {
            let (level, evidence) = (verdict.level, verdict.evidence);
            commands.push(Command::Find { job: job.id, signal: *signal, level, evidence });
        }
        let soonest = |due: Mono| next.map_or(due, |next| next.min(due));
        next = verdict.next.map(soonest).or(next);
    }
    (commands, next)
}

/// Tasks whose output somebody should look at before the next [`scan`].
pub fn candidates<'a>(world: &'a World, signals: &'a Signals) -> impl Iterator<Item = TaskId> + 'a {
    watched(world).flat_map(move |job| {
        let (open, worked_in) = (never_started::is_open(job), idle::is_watched(job));
        let id = |rank| TaskId { job: job.id, attempt: job.attempt, rank };
        let tasks = job.active_tasks().map(move |task| id(task.rank));
        tasks.filter(move |task| worked_in || open && !signals.wrote.contains(task))
    })
}

/// Jobs that run or are being started.
fn watched(world: &World) -> impl Iterator<Item = &Arc<Job>> {
    let lanes = [Lane::Human, Lane::Running].into_iter();
    let ids = lanes.flat_map(|lane| world.index().lane(lane, None));
    let jobs = ids.filter_map(|(_, id)| world.job(id));
    jobs.filter(|job| matches!(job.state, State::Starting | State::Running))
}

/// Live jobs that have asked people something.
fn asking(world: &World) -> impl Iterator<Item = &Arc<Job>> {
    let jobs = world.desk().jobs().filter_map(|id| world.job(id));
    jobs.filter(|job| job.is_live())
}

/// The level that a count reaches.
fn counted(count: usize, steps: [usize; 3]) -> Option<Level> {
    let levels = [Level::Notice, Level::Suspect, Level::Stuck];
    let reached = steps.into_iter().zip(levels).rev().find(|(step, _)| *step <= count);
    reached.map(|(_, level)| level)
}

/// The level reached by a growing number, and the next threshold above it.
fn graded(value: Mono, steps: [(Mono, Level); 3]) -> (Option<Level>, Option<Mono>) {
    let reached = steps.iter().rev().find(|(due, _)| *due <= value).map(|(_, level)| *level);
    let next = steps.iter().find(|(due, _)| *due > value).map(|(due, _)| *due);
    (reached, next)
}
