//! What a fact is about, and its stable word.

use super::Fact;
use crate::base::{JobId, TaskId};

impl Fact {
    /// The job it is about, if it is about one.
    pub fn job(&self) -> Option<JobId> {
        match self {
            Fact::JobSubmitted { job, .. }
            | Fact::JobQueued { job }
            | Fact::JobWaits { job, .. }
            | Fact::JobHeld { job, .. }
            | Fact::JobReleased { job, .. }
            | Fact::JobPaused { job }
            | Fact::JobFrozen { job, .. }
            | Fact::JobThawed { job, .. }
            | Fact::JobInReview { job }
            | Fact::Review { job, .. }
            | Fact::AttemptBegan { job, .. }
            | Fact::JobRunning { job }
            | Fact::CancelScheduled { job, .. }
            | Fact::CancelRevoked { job, .. }
            | Fact::JobStopping { job, .. }
            | Fact::AttemptEnded { job, .. }
            | Fact::RetryCounted { job }
            | Fact::ServiceRestarts { job, .. }
            | Fact::JobEnded { job, .. }
            | Fact::JobForgotten { job }
            | Fact::JobChanged { job, .. }
            | Fact::JobMovedUp { job, .. }
            | Fact::JobAcked { job, .. }
            | Fact::JobReported { job, .. }
            | Fact::PromptOver { job, .. }
            | Fact::Found { job, .. }
            | Fact::FindingOver { job, .. }
            | Fact::ReservationMade { job, .. }
            | Fact::ReservationMoved { job, .. }
            | Fact::ReservationOver { job }
            | Fact::JobEvicted { job, .. }
            | Fact::JobBoosted { job, .. }
            | Fact::JobDue { job, .. }
            | Fact::ReasonGiven { job, .. }
            | Fact::JobInherits { job, .. } => Some(*job),
            other => other.task().map(|task| task.job),
        }
    }

    /// The task it is about, if it is about one.
    pub fn task(&self) -> Option<TaskId> {
        match self {
            Fact::TaskPlaced { task, .. }
            | Fact::TaskNominated { task, .. }
            | Fact::NominationOver { task }
            | Fact::TaskStopping { task, .. }
            | Fact::TaskUnplaced { task }
            | Fact::DevicesLent { task }
            | Fact::TaskStarted { task, .. }
            | Fact::TaskEnded { task, .. }
            | Fact::AtPrompt { task, .. } => Some(*task),
            _ => None,
        }
    }
}

/// The stable word of every kind: one list, which the compiler holds complete.
macro_rules! words {
    ($($kind:ident: $word:literal,)*) => {
        impl Fact {
            /// The stable word of its kind, as `events` shows it: the name in snake case.
            pub const fn word(&self) -> &'static str {
                match self {
                    $(Fact::$kind { .. } => $word,)*
                }
            }
        }
    };
}

words! {
    JobSubmitted: "job_submitted",
    KeyUsed: "key_used",
    JobQueued: "job_queued",
    JobWaits: "job_waits",
    JobHeld: "job_held",
    JobReleased: "job_released",
    JobPaused: "job_paused",
    JobFrozen: "job_frozen",
    DevicesLent: "devices_lent",
    JobThawed: "job_thawed",
    JobInReview: "job_in_review",
    Review: "review",
    SeatsHandedOn: "seats_handed_on",
    AttemptBegan: "attempt_began",
    TaskPlaced: "task_placed",
    TaskUnplaced: "task_unplaced",
    TaskNominated: "task_nominated",
    NominationOver: "nomination_over",
    ReservationMade: "reservation_made",
    ReservationMoved: "reservation_moved",
    ReservationOver: "reservation_over",
    TaskStopping: "task_stopping",
    JobEvicted: "job_evicted",
    TaskStarted: "task_started",
    JobRunning: "job_running",
    CancelScheduled: "cancel_scheduled",
    CancelRevoked: "cancel_revoked",
    JobStopping: "job_stopping",
    TaskEnded: "task_ended",
    AttemptEnded: "attempt_ended",
    RetryCounted: "retry_counted",
    ServiceRestarts: "service_restarts",
    JobEnded: "job_ended",
    JobForgotten: "job_forgotten",
    JobChanged: "job_changed",
    JobMovedUp: "job_moved_up",
    JobBoosted: "job_boosted",
    JobDue: "job_due",
    JobInherits: "job_inherits",
    ReasonGiven: "reason_given",
    JobAcked: "job_acked",
    JobReported: "job_reported",
    AtPrompt: "at_prompt",
    PromptOver: "prompt_over",
    Found: "found",
    FindingOver: "finding_over",
    Looked: "looked",
    RateUsed: "rate_used",
    ResourceLimited: "resource_limited",
    LimitLifted: "limit_lifted",
    CycleDue: "cycle_due",
    TeamSet: "team_set",
    TeamRemoved: "team_removed",
    WindowOpened: "window_opened",
    WindowClosed: "window_closed",
    TeamPaused: "team_paused",
    TeamResumed: "team_resumed",
    NodeSeen: "node_seen",
    NodeDrained: "node_drained",
    NodeWarned: "node_warned",
    PoolGrew: "pool_grew",
    PoolShrank: "pool_shrank",
    PoolFailed: "pool_failed",
    GpuForeign: "gpu_foreign",
    Configured: "configured",
    Started: "started",
    Down: "down",
}
