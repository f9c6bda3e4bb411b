//! What was decided. A fact carries all that `apply` needs, so that applying decides nothing.

mod class;
mod eviction;
mod kind;
mod record;
mod review;

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::base::{At, JobId, Mono, Name, ReviewId, TaskId, Wall};
use crate::model::finding::{Level, Signal};
use crate::model::job::{
    BoostCause, Cause, Exit, Front, Hold, Inherited, JobSpec, Outcome, Placement, StopFor,
};
use crate::model::node::{Gpu, Traits};
use crate::model::reason::Numbers;
use crate::model::setup::{Limited, Setup};
use crate::model::team::Terms;
use crate::model::{Resources, command::Report};

pub use class::Class;
pub use eviction::{Eviction, Rule};
pub use record::{Record, kept};
pub use review::{Requested, ReviewFact};

/// The version of the facts below. A journal of a newer version is refused.
pub const FACTS_VERSION: u32 = 1;

/// Something that became so.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Fact {
    /// A job exists. It is `waiting` or `queued`, as the facts after it say.
    JobSubmitted {
        /// Its number.
        job: JobId,
        /// What was asked for.
        spec: Box<JobSpec>,
        /// Who owns it.
        owner: Name,
        /// The owner's uid.
        uid: Option<u32>,
    },
    /// An idempotency key stands for these jobs: `first` and the `count - 1` numbers after it.
    KeyUsed {
        /// The key, prefixed by who used it.
        key: String,
        /// The first job.
        first: JobId,
        /// How many; 0 for an act.
        count: u32,
        /// First hex digits of the body's digest, so that another body under the same key is
        /// noticed.
        body: String,
    },
    /// Nothing but room is missing now.
    JobQueued {
        /// The job.
        job: JobId,
    },
    /// Something other than room is missing.
    JobWaits {
        /// The job.
        job: JobId,
        /// What.
        cause: Cause,
    },
    /// A person holds it back. Its processes, if any, are dealt with by the facts after it.
    JobHeld {
        /// The job.
        job: JobId,
        /// Who, since when, why.
        hold: Hold,
    },
    /// The hold is lifted.
    JobReleased {
        /// The job.
        job: JobId,
        /// By whom.
        by: Name,
    },
    /// It is held back and no process of it runs, or all are frozen: it is `paused`.
    JobPaused {
        /// The job.
        job: JobId,
    },
    /// Its processes are being frozen where they stand.
    JobFrozen {
        /// The job.
        job: JobId,
        /// How the room it still holds is booked.
        class: Class,
    },
    /// It is frozen and has nothing in the memory of its devices: they go to others meanwhile.
    DevicesLent {
        /// The task.
        task: TaskId,
    },
    /// It waits for people: it saved itself and ended, or is frozen where it stands.
    JobInReview {
        /// The job.
        job: JobId,
    },
    /// Something became so of a review.
    Review {
        /// The review.
        review: ReviewId,
        /// Its job.
        job: JobId,
        /// What.
        fact: Box<ReviewFact>,
    },
    /// Somebody handed all seats on, or took them back.
    SeatsHandedOn {
        /// Whose.
        from: Name,
        /// To whom; `None` takes them back.
        to: Option<Name>,
        /// Until when.
        until: Option<Wall>,
        /// Who said so.
        by: Name,
    },
    /// Its processes go on.
    JobThawed {
        /// The job.
        job: JobId,
        /// How its room is booked.
        class: Class,
    },
    /// A new attempt begins: its tasks are pending.
    AttemptBegan {
        /// The job.
        job: JobId,
        /// The attempt's number.
        attempt: u32,
        /// It comes back from an earlier attempt.
        resume: bool,
    },
    /// A task has room; the runner is told to start it.
    TaskPlaced {
        /// The task.
        task: TaskId,
        /// Where.
        placement: Placement,
        /// How its room is booked.
        class: Class,
        /// Which of its job's groups it is of; `None` where its rank says so.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        group: Option<u32>,
    },
    /// Its room turned out to be unusable before a process ran: the task is pending again while
    /// the rest of its gang goes on.
    TaskUnplaced {
        /// The task.
        task: TaskId,
    },
    /// A task is promised room that others are giving back; it starts there once it is free.
    TaskNominated {
        /// The task.
        task: TaskId,
        /// Where.
        placement: Placement,
    },
    /// That promise is over.
    NominationOver {
        /// The task.
        task: TaskId,
    },
    /// Room is kept for a waiting job from a time on.
    ReservationMade {
        /// The job.
        job: JobId,
        /// From when on.
        at: Mono,
        /// When it could start if all took as long as half of them do.
        from: Mono,
        /// What is kept, by node.
        room: BTreeMap<Name, Resources>,
        /// How that room is booked while nobody uses it.
        class: Class,
    },
    /// The same, later or earlier than before or elsewhere.
    ReservationMoved {
        /// The job.
        job: JobId,
        /// From when on.
        at: Mono,
        /// When it could start if all took as long as half of them do.
        from: Mono,
        /// What is kept, by node.
        room: BTreeMap<Name, Resources>,
        /// How that room is booked while nobody uses it.
        class: Class,
    },
    /// Nothing is kept for it any more, though it still waits.
    ReservationOver {
        /// The job.
        job: JobId,
    },
    /// One task of a gang is told to end; the rest goes on.
    TaskStopping {
        /// The task.
        task: TaskId,
        /// How its room is booked.
        class: Class,
    },
    /// Somebody takes its room: all of it, or that of some tasks. The facts after it stop them.
    JobEvicted {
        /// The job.
        job: JobId,
        /// By which rule, for whom.
        eviction: Box<Eviction>,
    },
    /// Its process runs.
    TaskStarted {
        /// The task.
        task: TaskId,
        /// Process id of the command.
        pid: u32,
        /// How its room is booked.
        class: Class,
    },
    /// The minimum of the gang runs.
    JobRunning {
        /// The job.
        job: JobId,
    },
    /// Its cancellation is on its way.
    CancelScheduled {
        /// The job.
        job: JobId,
        /// When it takes effect.
        due: At,
        /// Who wants it.
        by: Name,
        /// Why, if said.
        reason: Option<String>,
    },
    /// That was taken back.
    CancelRevoked {
        /// The job.
        job: JobId,
        /// By whom.
        by: Name,
    },
    /// All its processes are told to end.
    JobStopping {
        /// The job.
        job: JobId,
        /// Why.
        why: StopFor,
        /// By whom.
        by: Name,
        /// In words, if a person said so.
        reason: Option<String>,
        /// How its room is booked.
        class: Class,
    },
    /// A task's process is over and its room is free.
    TaskEnded {
        /// The task.
        task: TaskId,
        /// How.
        exit: Exit,
        /// When, if that was before it became known.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        ended: Option<At>,
    },
    /// Every task of the attempt is over.
    AttemptEnded {
        /// The job.
        job: JobId,
        /// Why we stopped it, if we did.
        stopped_for: Option<StopFor>,
        /// How it ended: of several tasks the first that failed.
        exit: Option<Exit>,
    },
    /// The next attempt is the answer to a failure.
    RetryCounted {
        /// The job.
        job: JobId,
    },
    /// A service ended or is not well, and starts again.
    ServiceRestarts {
        /// The job.
        job: JobId,
        /// How many of its last runs were short.
        short: u32,
    },
    /// It ended for good.
    JobEnded {
        /// The job.
        job: JobId,
        /// How.
        outcome: Outcome,
    },
    /// It leaves the world; its summary stays in the store.
    JobForgotten {
        /// The job.
        job: JobId,
    },
    /// A person changed what was asked for.
    JobChanged {
        /// The job.
        job: JobId,
        /// The whole of what is asked for now.
        spec: Box<JobSpec>,
        /// By whom.
        by: Name,
    },
    /// To the front of its team.
    JobMovedUp {
        /// The job.
        job: JobId,
        /// Its place.
        front: Front,
        /// By whom.
        by: Name,
    },
    /// It is sorted so many steps higher for this cause than its priority says.
    JobBoosted {
        /// The job.
        job: JobId,
        /// For what.
        cause: BoostCause,
        /// Steps; 0 takes it back.
        steps: u8,
    },
    /// When it must start to meet its deadline, by what is known of its run time now.
    JobDue {
        /// The job.
        job: JobId,
        /// `None` if it need not.
        latest_start: Option<Wall>,
    },
    /// It has the priority of one that waits for it, or no longer.
    JobInherits {
        /// The job.
        job: JobId,
        /// From whom.
        from: Option<Inherited>,
    },
    /// Somebody said why the next facts about a job are so.
    ReasonGiven {
        /// The job.
        job: JobId,
        /// Who.
        by: Name,
        /// Why.
        reason: String,
    },
    /// Somebody has seen it; its findings are silent.
    JobAcked {
        /// The job.
        job: JobId,
        /// Who.
        by: Name,
    },
    /// It said something about itself.
    JobReported {
        /// The job.
        job: JobId,
        /// What.
        report: Report,
    },
    /// A question stands at its prompt.
    AtPrompt {
        /// The task.
        task: TaskId,
        /// The last line.
        text: String,
    },
    /// The question is over.
    PromptOver {
        /// The job.
        job: JobId,
        /// Who answered, if a person did.
        by: Option<Name>,
    },
    /// A finding stands, or its level changed.
    Found {
        /// The job.
        job: JobId,
        /// What.
        signal: Signal,
        /// How bad.
        level: Level,
        /// The evidence.
        evidence: Numbers,
    },
    /// A finding is over.
    FindingOver {
        /// The job.
        job: JobId,
        /// Which.
        signal: Signal,
    },
    /// A person has looked at what ended up to an instant.
    Looked {
        /// Who.
        user: Name,
        /// Up to when.
        mark: Wall,
    },
    /// Nobody may take units of a countable resource for a while.
    ResourceLimited {
        /// The resource.
        resource: Name,
        /// Until when, says who.
        limited: Limited,
    },
    /// Units of it may be taken again.
    LimitLifted {
        /// The resource.
        resource: Name,
        /// Who said so.
        by: Name,
    },
    /// A full cycle of the scheduler has to wait until then; none if it was run.
    CycleDue {
        /// When.
        at: Option<Mono>,
    },
    /// Units of a countable resource were taken by a start, which counts against its rate.
    RateUsed {
        /// The resource.
        resource: Name,
        /// Units.
        units: u64,
    },
    /// A team exists with these terms; it may be new.
    TeamSet {
        /// Its path.
        team: Name,
        /// What it is owed and may hold.
        terms: Box<Terms>,
        /// By whom.
        by: Name,
    },
    /// A team is no more.
    TeamRemoved {
        /// Its path.
        team: Name,
        /// By whom.
        by: Name,
    },
    /// A window of a team opened, or makes something else of its terms now.
    WindowOpened {
        /// The team's path.
        team: Name,
        /// The window.
        window: Name,
        /// The zone of its hours.
        zone: Name,
        /// When it closes.
        until: Wall,
        /// What the team is owed and may hold meanwhile.
        terms: Box<Terms>,
    },
    /// It closed: the team's own terms hold again.
    WindowClosed {
        /// The team's path.
        team: Name,
        /// The window.
        window: Name,
    },
    /// A team, or everything, is held back.
    TeamPaused {
        /// The team, or everything.
        team: Option<Name>,
        /// Who, since when, why.
        hold: Hold,
    },
    /// That hold is lifted.
    TeamResumed {
        /// The team, or everything.
        team: Option<Name>,
        /// By whom.
        by: Name,
    },
    /// What a node has.
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
    /// A node is drained or no longer so.
    NodeDrained {
        /// The node.
        node: Name,
        /// On or off.
        on: bool,
        /// By whom.
        by: Name,
        /// Why, if they said so.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        reason: Option<String>,
    },
    /// A spot node will vanish. It is drained by the fact before this one, if it was not.
    NodeWarned {
        /// The node.
        node: Name,
        /// When it goes.
        due: At,
        /// Who said so.
        by: Name,
    },
    /// A pool wants one more node. One that is made at once follows as a fact of its own.
    PoolGrew {
        /// The pool.
        pool: Name,
        /// The node.
        node: Name,
    },
    /// A node of a pool goes: it is drained and empty.
    PoolShrank {
        /// The pool.
        pool: Name,
        /// The node.
        node: Name,
    },
    /// A node of a pool could not be made, or not be taken away.
    PoolFailed {
        /// The pool.
        pool: Name,
        /// The node.
        node: Name,
        /// Made (true) or taken away.
        up: bool,
        /// What the command said.
        said: String,
    },
    /// A device is used by somebody else, or no longer.
    GpuForeign {
        /// The node.
        node: Name,
        /// The device.
        index: u32,
        /// By whom, if by anybody.
        by: Option<Name>,
    },
    /// Configuration took effect.
    Configured(Box<Setup>),
    /// The server started in this boot of the machine.
    Started {
        /// The kernel's id of the boot.
        boot: String,
        /// What its `CLOCK_BOOTTIME` lacks to the scheduler's clock, in milliseconds.
        offset: i64,
    },
    /// The machine was off or asleep; the span is in no run time and no limit.
    Down {
        /// From.
        from: Mono,
        /// To.
        to: Mono,
        /// How all room was booked meanwhile.
        class: Class,
    },
}
