//! Small requests.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::time::Time;

/// Hold back a team, or everything.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct PauseRequest {
    /// The team; everything if null.
    #[serde(default)]
    pub team: Option<String>,
    /// Lifts by itself.
    #[serde(default)]
    pub until: Option<Time>,
    /// Why; required.
    pub reason: String,
}

/// Lift the hold of a team, or of everything.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(default, deny_unknown_fields)]
pub struct ResumeRequest {
    /// The team; everything if null.
    pub team: Option<String>,
}

/// Keep new work from a node, or let it come again. A request without a body says no reason.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(default, deny_unknown_fields)]
pub struct DrainRequest {
    /// Why, for those who will wonder.
    pub reason: Option<String>,
}

/// A spot node is about to vanish.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(default, deny_unknown_fields)]
pub struct WarningRequest {
    /// In so many milliseconds; two minutes if it does not say.
    pub in_ms: u64,
}

impl Default for WarningRequest {
    fn default() -> WarningRequest {
        WarningRequest { in_ms: 120_000 }
    }
}

/// Let nobody take units of a countable resource for a while.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(default, deny_unknown_fields)]
pub struct LimitRequest {
    /// Until then; null lifts it.
    pub until: Option<Time>,
    /// Why, if said.
    pub reason: Option<String>,
}

/// A new size of a terminal.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct ResizeRequest {
    /// The task; 0 if not given.
    #[serde(default)]
    pub rank: u32,
    /// Lines.
    pub rows: u16,
    /// Columns.
    pub cols: u16,
}

/// End the server.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(default, deny_unknown_fields)]
pub struct StopRequest {
    /// With its jobs; else they run on under their supervisors.
    pub with_jobs: bool,
}

/// Move the mark up to which this user has seen what ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct LookedRequest {
    /// Up to here.
    pub looked_at: Time,
}
