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

    /// The stable word of its kind, as `events` shows it: the name in snake case.
    pub const fn word(&self) -> &'static str {
        match self {
            Fact::JobSubmitted { .. } => "job_submitted",
            Fact::KeyUsed { .. } => "key_used",
            Fact::JobQueued { .. } => "job_queued",
            Fact::JobWaits { .. } => "job_waits",
            Fact::JobHeld { .. } => "job_held",
            Fact::JobReleased { .. } => "job_released",
            Fact::JobPaused { .. } => "job_paused",
            Fact::JobFrozen { .. } => "job_frozen",
            Fact::DevicesLent { .. } => "devices_lent",
            Fact::JobThawed { .. } => "job_thawed",
            Fact::JobInReview { .. } => "job_in_review",
            Fact::Review { .. } => "review",
            Fact::SeatsHandedOn { .. } => "seats_handed_on",
            Fact::AttemptBegan { .. } => "attempt_began",
            Fact::TaskPlaced { .. } => "task_placed",
            Fact::TaskUnplaced { .. } => "task_unplaced",
            Fact::TaskNominated { .. } => "task_nominated",
            Fact::NominationOver { .. } => "nomination_over",
            Fact::ReservationMade { .. } => "reservation_made",
            Fact::ReservationMoved { .. } => "reservation_moved",
            Fact::ReservationOver { .. } => "reservation_over",
            Fact::TaskStopping { .. } => "task_stopping",
            Fact::JobEvicted { .. } => "job_evicted",
            Fact::TaskStarted { .. } => "task_started",
            Fact::JobRunning { .. } => "job_running",
            Fact::CancelScheduled { .. } => "cancel_scheduled",
            Fact::CancelRevoked { .. } => "cancel_revoked",
            Fact::JobStopping { .. } => "job_stopping",
            Fact::TaskEnded { .. } => "task_ended",
            Fact::AttemptEnded { .. } => "attempt_ended",
            Fact::RetryCounted { .. } => "retry_counted",
            Fact::ServiceRestarts { .. } => "service_restarts",
            Fact::JobEnded { .. } => "job_ended",
            Fact::JobForgotten { .. } => "job_forgotten",
            Fact::JobChanged { .. } => "job_changed",
            Fact::JobMovedUp { .. } => "job_moved_up",
            Fact::JobBoosted { .. } => "job_boosted",
            Fact::JobDue { .. } => "job_due",
            Fact::JobInherits { .. } => "job_inherits",
            Fact::ReasonGiven { .. } => "reason_given",
            Fact::JobAcked { .. } => "job_acked",
            Fact::JobReported { .. } => "job_reported",
            Fact::AtPrompt { .. } => "at_prompt",
            Fact::PromptOver { .. } => "prompt_over",
            Fact::Found { .. } => "found",
            Fact::FindingOver { .. } => "finding_over",
            other => other.word_of_the_place(),
        }
    }

    /// The word of one that is about no job.
    const fn word_of_the_place(&self) -> &'static str {
        match self {
            Fact::Looked { .. } => "looked",
            Fact::RateUsed { .. } => "rate_used",
            Fact::ResourceLimited { .. } => "resource_limited",
            Fact::LimitLifted { .. } => "limit_lifted",
            Fact::CycleDue { .. } => "cycle_due",
            Fact::TeamSet { .. } => "team_set",
            Fact::TeamRemoved { .. } => "team_removed",
            Fact::WindowOpened { .. } => "window_opened",
            Fact::WindowClosed { .. } => "window_closed",
            Fact::TeamPaused { .. } => "team_paused",
            Fact::TeamResumed { .. } => "team_resumed",
            Fact::NodeSeen { .. } => "node_seen",
            Fact::NodeDrained { .. } => "node_drained",
            Fact::NodeWarned { .. } => "node_warned",
            Fact::PoolGrew { .. } => "pool_grew",
            Fact::PoolShrank { .. } => "pool_shrank",
            Fact::PoolFailed { .. } => "pool_failed",
            Fact::GpuForeign { .. } => "gpu_foreign",
            Fact::Configured(_) => "configured",
            Fact::Started { .. } => "started",
            Fact::Down { .. } => "down",
            _ => "",
        }
    }
}
