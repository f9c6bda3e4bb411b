//! The job: the unit that is scheduled.
//!
//! [`spec`] is what was asked for and never changes in place, [`state`] is where it stands,
//! [`task`] are its processes, [`attempt`] its past runs, [`urgency`] what lifts it.

pub mod asking;
pub mod attempt;
mod groups;
pub mod reservation;
pub mod spec;
pub mod state;
pub mod task;
pub mod urgency;

use std::collections::BTreeMap;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::base::{At, JobId, Mono, Name, Span, Wall};
use crate::model::Finding;
use crate::model::fact::Eviction;
use crate::model::finding::Signal;

pub use asking::{Asking, OpenReview};
pub use attempt::AttemptRecord;
pub use reservation::Reservation;
pub use spec::{
    ArrayPlace, Dependency, DependencyKind, Gang, Grace, GroupSet, Groups, JobSpec, Kind, Service,
    TaskGroup, WarnSignal,
};
pub use state::{Cause, Exit, FailureClass, Hold, Outcome, State, StopFor};
pub use task::{GpuShare, Placement, Task, TaskState};
pub use urgency::{BoostCause, Boosts, Inherited};

/// A job as the world knows it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Job {
    /// Its number.
    pub id: JobId,
    /// What was asked for.
    pub spec: Arc<JobSpec>,
    /// Who owns it: the submitter, for a child the submitter of its parent.
    pub owner: Name,
    /// The owner's uid, if submitted over a local socket.
    pub owner_uid: Option<u32>,
    /// When it was submitted; kept over attempts.
    pub submitted: At,
    /// Where it stands, and since when.
    pub state: State,
    /// When `state` was entered.
    pub since: At,
    /// The running number of the current or last attempt; 0 before the first.
    pub attempt: u32,
    /// Its place at the front of its team, if somebody said `next`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub front: Option<Front>,
    /// What lifts it above its priority.
    #[serde(default, skip_serializing_if = "is_default")]
    pub boosts: Boosts,
    /// When it must start to meet its deadline, by what is known of its run time.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub latest_start: Option<Wall>,
    /// The priority of one that waits for it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub inherited: Option<Box<Inherited>>,
    /// The tasks of the current attempt, by rank; empty between attempts.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tasks: Vec<Task>,
    /// Time its processes ran in this attempt, frozen and down time left out, up to `ran_since`.
    #[serde(default, skip_serializing_if = "is_default")]
    pub ran: Span,
    /// Run time of the earlier attempts that this one continues from.
    #[serde(default, skip_serializing_if = "is_default")]
    pub worked: Span,
    /// Since when its run time counts, on the clock without down time; `None` while it does not.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ran_since: Option<Mono>,
    /// Why its processes are being stopped, from the order to the end of the attempt.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stop: Option<StopFor>,
    /// When the current or last attempt began.
    pub started: Option<At>,
    /// When it ended for good.
    pub ended: Option<At>,
    /// How the process of the last attempt that ended, ended.
    pub exit: Option<Exit>,
    /// Finished attempts, oldest first, bounded by [`attempt::KEPT`].
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub attempts: Vec<AttemptRecord>,
    /// Failed attempts that `--retry` already answered.
    #[serde(default, skip_serializing_if = "is_default")]
    pub retries: u32,
    /// This attempt continues an earlier one (`HOLDSHORT_RESUME=1`).
    #[serde(default, skip_serializing_if = "is_default")]
    pub resume: bool,
    /// Why it last had to give room, until it runs again; and when.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub evicted: Option<Box<(Eviction, At)>>,
    /// Room is kept for it while it waits.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reserved: Option<Box<Reservation>>,
    /// Since when its gang is below its minimum while part of it holds room.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub short_since: Option<At>,
    /// A person holds it back; the state may still be `stopping` on the way there.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hold: Option<Hold>,
    /// Its processes are frozen: they hold memory and GPUs, no cores and no countable resource.
    #[serde(default, skip_serializing_if = "is_default")]
    pub frozen: bool,
    /// What it asked of people.
    #[serde(default, skip_serializing_if = "Asking::is_nothing")]
    pub asking: Asking,
    /// A question stands at its prompt.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub prompt: Option<Prompt>,
    /// What it last said of its progress.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub progress: Option<Progress>,
    /// The last checkpoint it announced.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub checkpoint: Option<Checkpoint>,
    /// When it last said it was alive.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub heartbeat: Option<Mono>,
    /// What it reported to have used, by name, summed.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub usage: BTreeMap<Name, u64>,
    /// What is wrong with it.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub findings: BTreeMap<Signal, Finding>,
    /// Its cancellation is on its way and can still be taken back.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cancel: Option<ScheduledCancel>,
    /// Who acknowledged its end or its trouble.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub acked: Option<Name>,
}

fn is_default<T: Default + PartialEq>(value: &T) -> bool {
    *value == T::default()
}

/// Somebody said `next`: it goes before every job of its team that was queued then.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Front {
    /// Higher goes first: the last `next` wins.
    pub rank: u64,
    /// The priority it is sorted by, if higher than its own: that of its team's head then.
    pub priority: u16,
}

/// A cancellation that takes effect by itself unless somebody takes it back.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ScheduledCancel {
    /// When.
    pub due: At,
    /// Who wants it.
    pub by: Name,
    /// Why, if said.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
}

/// A question at a job's prompt, recorded when it was seen.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Prompt {
    /// The rank that asks.
    pub rank: u32,
    /// The last line, sanitised by whoever shows it.
    pub text: String,
    /// Since when.
    pub since: At,
}

/// What a job said of its progress.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Progress {
    /// Hundredths of a percent, if it gave a fraction.
    pub basis_points: Option<u32>,
    /// A line of text, if it gave one.
    pub text: Option<String>,
    /// When.
    pub at: At,
}

/// A checkpoint a job announced.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Checkpoint {
    /// Where it lies, if the job said.
    pub path: Option<String>,
    /// The attempt that wrote it.
    pub attempt: u32,
    /// When.
    pub at: At,
}

impl Job {
    /// Its priority as given.
    pub fn priority(&self) -> u16 {
        self.spec.priority
    }

    /// Not ended.
    pub fn is_live(&self) -> bool {
        !matches!(self.state, State::Ended(_))
    }

    /// Something declared how it comes back after its processes are gone (DESIGN.md 5.12).
    pub fn has_way_back(&self) -> bool {
        self.spec.has_way_back() || self.continues()
    }

    /// Rules may stop it to make room for others: it said so, and says how it comes back.
    pub fn gives_way(&self) -> bool {
        self.spec.preemptible && self.has_way_back()
    }

    /// The number of the attempt that its tasks without a process belong to: the current one, or
    /// the next if none is under way.
    pub fn attempt_of_promises(&self) -> u32 {
        match self.state {
            State::Queued if !self.frozen => self.attempt.saturating_add(1),
            _ => self.attempt,
        }
    }

    /// The priority it is sorted by, and which protects it from those below: the highest of its
    /// own with its boosts, that of the place `next` gave it, and that of one that waits for it.
    pub fn sort_priority(&self) -> u16 {
        let front = self.front.map_or(0, |front| front.priority);
        let inherited = self.inherited.as_ref().map_or(0, |from| from.priority);
        self.own_priority().max(front).max(inherited)
    }

    /// Its own priority with its boosts.
    pub fn own_priority(&self) -> u16 {
        self.spec.priority.saturating_add(self.boosts.points())
    }

    /// It continues where it was instead of starting over when it comes back. One that comes
    /// back with an answer had saved itself for that.
    pub fn continues(&self) -> bool {
        let saved = self.checkpoint.is_some() || self.asking.saved;
        // What a step does is done once, whatever it says of itself.
        self.spec.step.is_none() && (self.spec.resumable || saved)
    }

    /// The word of its state (INTERFACE.md).
    pub fn word(&self) -> &'static str {
        state::word(&self.state, self.asking.returning)
    }

    /// Run time of this attempt at `active`, an instant on the clock without down time.
    pub fn run_time(&self, active: Mono) -> Span {
        self.ran + self.ran_since.map_or(Span::ZERO, |since| active.since(since))
    }

    /// Tasks that hold room: placed and not ended.
    pub fn active_tasks(&self) -> impl Iterator<Item = &Task> {
        self.tasks.iter().filter(|task| task.state.is_active())
    }
}
