//! What comes in. A command carries everything that deciding it needs: random bytes, digests of
//! secrets and stored summaries arrive in it, so that the core reads nothing.

use serde::{Deserialize, Deserializer, Serialize};

use crate::base::{At, JobId, Mono, Name, Span, TaskId, Wall};
use crate::model::finding::{Level, Signal};
use crate::model::job::{Exit, JobSpec, Outcome};
use crate::model::node::{Gpu, Traits};
use crate::model::reason::Numbers;
use crate::model::review::ReviewCommand;
use crate::model::setup::Setup;
use crate::model::team::{Terms, TermsChange};
use crate::model::{Actor, Resources};

/// A request to change the world.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Command {
    /// Queue jobs: all or none.
    Submit(Submit),
    /// Do something with jobs that exist.
    Act(Act),
    /// Hold back a team, or everything if no team is named.
    Pause {
        /// The team, or everything.
        team: Option<Name>,
        /// Lifts by itself.
        until: Option<Wall>,
        /// Why; required.
        reason: String,
        /// Who.
        by: Actor,
    },
    /// Lift the hold of a team, or of everything.
    Resume {
        /// The team, or everything.
        team: Option<Name>,
        /// Who.
        by: Actor,
    },
    /// Add a team, change its terms, or remove it.
    Team {
        /// Its path.
        team: Name,
        /// What.
        change: TeamChange,
        /// The caller's idempotency key.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        key: Option<Key>,
        /// Who.
        by: Actor,
    },
    /// Keep new work from a node, or let it come again.
    Drain {
        /// The node.
        node: Name,
        /// True to drain, false to undrain.
        on: bool,
        /// Why, for those who will wonder.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        reason: Option<String>,
        /// Who.
        by: Actor,
    },
    /// A spot node is about to vanish: nothing new goes there, and what runs there saves itself and
    /// queues again.
    WarnNode {
        /// The node.
        node: Name,
        /// How much time is left, up to [`WARNING_MAX`].
        left: Span,
        /// Who.
        by: Actor,
    },
    /// The command that makes a pool's node, or takes it away, is over.
    PoolNode {
        /// The node.
        node: Name,
        /// Made (true) or taken away.
        up: bool,
        /// Why it could not be, if so.
        failed: Option<String>,
    },
    /// Let nobody take units of a countable resource until then, or let them again.
    Limit {
        /// The resource.
        resource: Name,
        /// Until when; `None` lifts it.
        until: Option<Wall>,
        /// Why, if said.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        reason: Option<String>,
        /// Who.
        by: Actor,
    },
    /// About reviews: a job asks, people answer.
    Review(Box<ReviewCommand>),
    /// A job speaks about itself.
    Report {
        /// The job.
        job: JobId,
        /// What it says.
        report: Report,
        /// Who: the job's own tree, or its owner.
        by: Actor,
    },
    /// A person has looked at everything that ended up to an instant.
    Looked {
        /// Up to when.
        mark: Wall,
        /// Who.
        by: Actor,
    },
    /// The runner reports on a task.
    Task {
        /// The task.
        task: TaskId,
        /// What happened.
        event: TaskEvent,
    },
    /// What a node has; sent at start and when it changes. One without a core is gone.
    NodeSeen {
        /// Its name.
        name: Name,
        /// What it has.
        capacity: Resources,
        /// Its devices.
        gpus: Vec<Gpu>,
        /// What it is beside that.
        #[serde(default, skip_serializing_if = "Traits::is_plain")]
        traits: Traits,
    },
    /// Configuration was read.
    Configure(Setup),
    /// The server started: `boot` names the machine's boot, so that a reboot is noticed.
    Started {
        /// The kernel's id of this boot.
        boot: String,
        /// What this boot's `CLOCK_BOOTTIME` lacks to the scheduler's clock, in milliseconds.
        offset: i64,
    },
    /// The machine was off or asleep.
    Down {
        /// From.
        from: Mono,
        /// To.
        to: Mono,
        /// Off (true) or asleep (false): whether processes survived it.
        off: bool,
    },
    /// A timer is due.
    Tick,
    /// A threshold was crossed, in either direction.
    Find {
        /// The job.
        job: JobId,
        /// What was noticed.
        signal: Signal,
        /// How bad; `None` when it is over.
        level: Option<Level>,
        /// The evidence.
        evidence: Numbers,
    },
}

impl Command {
    /// The person or job behind it; `None` for what the machine or time brings.
    pub fn author(&self) -> Option<&Actor> {
        match self {
            Command::Submit(submit) => Some(&submit.by),
            Command::Act(act) => Some(&act.by),
            Command::Review(command) => command.author(),
            Command::Pause { by, .. }
            | Command::Resume { by, .. }
            | Command::Team { by, .. }
            | Command::Drain { by, .. }
            | Command::WarnNode { by, .. }
            | Command::Limit { by, .. }
            | Command::Looked { by, .. }
            | Command::Report { by, .. } => Some(by),
            Command::Task { .. }
            | Command::PoolNode { .. }
            | Command::NodeSeen { .. }
            | Command::Configure(_)
            | Command::Started { .. }
            | Command::Down { .. }
            | Command::Tick
            | Command::Find { .. } => None,
        }
    }
}

/// What is done with a team.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum TeamChange {
    /// It is new.
    Add(Box<Terms>),
    /// It exists and gets these terms in place of its own.
    Set(Box<Terms>),
    /// It exists, and what is said of its terms changes; the rest stays as it is by then.
    Change(Box<TermsChange>),
    /// It goes; refused while it has live jobs or teams below it.
    Remove,
}

/// Queue jobs.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Submit {
    /// One for each job, in order. `array.id` and `parent` of a new job are filled in by the
    /// core.
    pub jobs: Vec<JobSpec>,
    /// The jobs form an array (their `array` places say which element is which).
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub array: bool,
    /// The caller's idempotency key: the same key again returns the first answer.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub key: Option<Key>,
    /// Who.
    pub by: Actor,
    /// Ends of jobs named in `after` that have left the world.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub ended: Vec<(JobId, Outcome)>,
}

/// Do something with jobs: all of them or, if one refuses, none.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Act {
    /// The jobs; never empty.
    pub jobs: Vec<JobId>,
    /// What.
    pub verb: Verb,
    /// Who.
    pub by: Actor,
    /// The caller's idempotency key.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub key: Option<Key>,
}

/// An idempotency key with what it was used for.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Key {
    /// The caller's text, prefixed by who it is.
    pub key: String,
    /// First hex digits of the request's digest.
    pub body: String,
}

/// What can be done with a job.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Verb {
    /// End it for good.
    Cancel {
        /// Why, if said.
        reason: Option<String>,
    },
    /// End it for good in a moment, unless somebody takes that back: what a console does, where
    /// a key may be hit by mistake.
    CancelIn {
        /// How soon, at most [`CANCEL_IN_MAX`].
        after: Span,
        /// Why, if said.
        reason: Option<String>,
    },
    /// Take a scheduled cancellation back.
    Keep,
    /// Hold it back: parks a resumable or checkpointed job and freezes any other.
    Pause {
        /// Lifts by itself.
        until: Option<Wall>,
        /// Why, if said.
        reason: Option<String>,
    },
    /// Lift the hold.
    Resume,
    /// Stop its processes and queue it again as it is.
    Requeue,
    /// Stop its processes so that others get its room; it queues again.
    Preempt,
    /// To the front of its team.
    Next,
    /// Somebody has seen it.
    Ack,
    /// Change something.
    Set(Change),
    /// A person answered at its prompt (the bytes went another way and are not kept).
    Answered,
    /// Another verb, of those that have no reason of their own, with one.
    Because {
        /// The verb.
        verb: Box<Verb>,
        /// Why.
        reason: String,
    },
}

impl Verb {
    /// The verb with a reason, if there is one.
    #[must_use]
    pub fn because(self, reason: Option<String>) -> Verb {
        match reason {
            Some(reason) => Verb::Because { verb: Box::new(self), reason },
            None => self,
        }
    }

    /// The verb itself, without the reason that was given for it, and the reason.
    pub fn parts(&self) -> (&Verb, Option<&str>) {
        match self {
            Verb::Because { verb, reason } => (verb.parts().0, Some(reason)),
            verb => (verb, None),
        }
    }
}

/// The longest time a cancellation may be scheduled ahead.
pub const CANCEL_IN_MAX: Span = Span::mins(1);

/// The longest time ahead that a node's end may be announced.
pub const WARNING_MAX: Span = Span::hours(24);

/// What `set` may change; `None` leaves a thing as it is.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Change {
    /// New priority.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub priority: Option<u16>,
    /// New team.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub team: Option<Name>,
    /// New time limit; `Some(None)` removes it.
    #[serde(skip_serializing_if = "Option::is_none", deserialize_with = "said")]
    pub time_limit: Option<Option<Span>>,
    /// New deadline; `Some(None)` removes it.
    #[serde(skip_serializing_if = "Option::is_none", deserialize_with = "said")]
    pub deadline: Option<Option<Wall>>,
    /// Whether it may be stopped to make room for others.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub preemptible: Option<bool>,
}

/// A value that is there was said, even if it is null: without this a removal would read back
/// from the journal as no change.
pub(in crate::model) fn said<'de, D, T>(deserializer: D) -> Result<Option<Option<T>>, D::Error>
where
    D: Deserializer<'de>,
    T: Deserialize<'de>,
{
    Option::<T>::deserialize(deserializer).map(Some)
}

/// What a job says about itself.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Report {
    /// It saved itself.
    Checkpoint {
        /// Where.
        path: Option<String>,
        /// How far, in hundredths of a percent.
        basis_points: Option<u32>,
    },
    /// How far it is.
    Progress {
        /// Hundredths of a percent.
        basis_points: Option<u32>,
        /// In words.
        text: Option<String>,
    },
    /// A service wants so many tasks.
    Scale {
        /// Between the minimum of its gang and its size at submission.
        size: u32,
    },
    /// It lives.
    Heartbeat,
    /// It used something: added to the sums.
    Usage {
        /// Amounts by name (`tokens_in`, `calls`, …).
        amounts: std::collections::BTreeMap<Name, u64>,
        /// A key of the caller's: the same key again adds nothing.
        key: Option<String>,
    },
    /// The other side gives it no more of a countable resource for a while.
    Limited {
        /// The resource.
        resource: Name,
        /// For how long.
        until: Until,
    },
}

/// A point in time, said in one way or the other.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Until {
    /// At this time.
    At(Wall),
    /// After so long.
    After(Span),
}

impl Until {
    /// The time, if it is `now`.
    pub fn from(self, now: Wall) -> Wall {
        match self {
            Until::At(wall) => wall,
            Until::After(span) => now + span,
        }
    }
}

/// What the runner saw.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum TaskEvent {
    /// Its process runs.
    Started {
        /// Process id of the command.
        pid: u32,
    },
    /// Its process ended, or could not be started.
    Ended {
        /// How.
        exit: Exit,
    },
    /// Its process ended while no server ran.
    EndedUnseen {
        /// How.
        exit: Exit,
        /// When.
        at: At,
        /// Its supervisor ended it at its time limit.
        by_limit: bool,
    },
    /// The device it was given is used by somebody else; it was not started.
    GpuTaken {
        /// The device's index.
        index: u32,
        /// By whom.
        by: Name,
    },
    /// All of its processes stand still.
    Froze {
        /// One of them has something in the memory of a device.
        in_devices: bool,
    },
    /// A question stands at its prompt.
    AtPrompt {
        /// The last line.
        text: String,
    },
    /// The question is over: input came, or output went on.
    PromptOver,
}
