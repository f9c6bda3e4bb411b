//! One process of a gang.

use serde::{Deserialize, Serialize};

use crate::base::{At, Name};
use crate::model::job::Exit;

/// One process of the current attempt.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Task {
    /// Its rank, from 0; never used twice in an attempt.
    pub rank: u32,
    /// Its group's place in the job's list of groups; 0 if it has none.
    #[serde(default, skip_serializing_if = "is_default")]
    pub group: u32,
    /// Where it stands.
    pub state: TaskState,
    /// Where it has room, from placement to end.
    pub placement: Option<Placement>,
    /// Devices of its placement that others may use while it is frozen: no process of it has
    /// anything in their memory. It goes on with these and no others.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub lent: Vec<GpuShare>,
    /// Process id of the command, once it runs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pid: Option<u32>,
    /// When it was placed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub placed: Option<At>,
    /// When it ran first.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub started: Option<At>,
    /// When it ended.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ended: Option<At>,
    /// How it ended.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub exit: Option<Exit>,
    /// It had to give its room while the rest of its gang goes on: how it ends says nothing
    /// about the job, and another rank takes its part when there is room again.
    #[serde(default, skip_serializing_if = "is_default")]
    pub given_up: bool,
}

fn is_default<T: Default + PartialEq>(value: &T) -> bool {
    *value == T::default()
}

/// Where a task stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum TaskState {
    /// No room yet.
    Pending,
    /// Promised the room of its placement, which others are still giving back.
    Nominated,
    /// Room assigned; the runner was told to start it.
    Starting,
    /// Its process runs.
    Running,
    /// Its process was told to end.
    Stopping,
    /// Its process ended.
    Ended,
}

/// Room on a node.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Placement {
    /// The node.
    pub node: Name,
    /// The devices, by index; empty without GPUs.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub gpus: Vec<GpuShare>,
}

/// A share of one device.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct GpuShare {
    /// Index of the device on its node.
    pub index: u32,
    /// Thousandths of it.
    pub milli: u64,
}

impl Task {
    /// A task of a group without room.
    pub fn pending(rank: u32, group: u32) -> Task {
        Task {
            rank,
            group,
            state: TaskState::Pending,
            placement: None,
            lent: Vec::new(),
            pid: None,
            placed: None,
            started: None,
            ended: None,
            exit: None,
            given_up: false,
        }
    }

    /// Its process is over, and not because its room went to others.
    pub fn is_over(&self) -> bool {
        self.state == TaskState::Ended && !self.given_up
    }
}

impl TaskState {
    /// It holds room.
    pub const fn is_active(self) -> bool {
        matches!(self, TaskState::Starting | TaskState::Running | TaskState::Stopping)
    }

    /// Its word.
    pub const fn word(self) -> &'static str {
        match self {
            TaskState::Pending => "pending",
            TaskState::Nominated => "nominated",
            TaskState::Starting => "starting",
            TaskState::Running => "running",
            TaskState::Stopping => "stopping",
            TaskState::Ended => "ended",
        }
    }
}
