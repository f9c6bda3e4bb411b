//! Processes and past runs of a job.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::exit::{Exit, exit_of};
use super::time::{Time, join, join_known, split, split_known};
use super::words::Word as _;
use super::{WireError, names, texts};
use crate::model;
use crate::model::job::{AttemptRecord, GpuShare, Placement, StopFor, TaskState};

/// One process of a gang.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Task {
    /// Its rank, from 0.
    pub rank: u32,
    /// Its group's place in the job's list of groups; 0 without groups.
    pub group: u32,
    /// It had to give its room while the rest of the job goes on.
    pub given_up: bool,
    /// `pending`, `nominated`, `starting`, `running`, `stopping` or `ended`.
    pub state: String,
    /// Where it has room.
    pub node: Option<String>,
    /// Its devices there.
    pub gpus: Vec<Share>,
    /// Devices that others may use while it is frozen.
    #[serde(default)]
    pub lent: Vec<Share>,
    /// Process id of the command.
    pub pid: Option<u32>,
    /// When it got its room.
    pub placed_at: Option<Time>,
    /// The same on the scheduler's clock.
    pub placed_mono: Option<u64>,
    /// When it ran first.
    pub started_at: Option<Time>,
    /// The same on the scheduler's clock.
    pub started_mono: Option<u64>,
    /// When it ended.
    pub ended_at: Option<Time>,
    /// The same on the scheduler's clock.
    pub ended_mono: Option<u64>,
    /// How it ended.
    pub exit: Option<Exit>,
}

/// A share of one device.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Share {
    /// Index of the device on its node.
    pub index: u32,
    /// Thousandths of it.
    pub milli: u64,
}

/// A finished run.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Attempt {
    /// Its number, from 1.
    pub attempt: u32,
    /// When its first task got room.
    pub started_at: Time,
    /// The same on the scheduler's clock.
    pub started_mono: u64,
    /// When its last task ended.
    pub ended_at: Time,
    /// The same on the scheduler's clock.
    pub ended_mono: u64,
    /// Where it ran.
    pub nodes: Vec<String>,
    /// Why it was stopped, if it was.
    pub stopped_for: Option<String>,
    /// How it ended: of several tasks the first that failed.
    pub exit: Option<Exit>,
}

impl From<&model::job::Task> for Task {
    fn from(from: &model::job::Task) -> Task {
        let (placed_at, placed_mono) = split_known(from.placed);
        let (started_at, started_mono) = split_known(from.started);
        let (ended_at, ended_mono) = split_known(from.ended);
        let placement = from.placement.as_ref();
        Task {
            rank: from.rank,
            group: from.group,
            given_up: from.given_up,
            state: from.state.to_word(),
            node: placement.map(|placement| placement.node.to_string()),
            gpus: placement.map(|placement| shares(&placement.gpus)).unwrap_or_default(),
            lent: shares(&from.lent),
            pid: from.pid,
            placed_at,
            placed_mono,
            started_at,
            started_mono,
            ended_at,
            ended_mono,
            exit: from.exit.as_ref().map(Exit::from),
        }
    }
}

impl TryFrom<Task> for model::job::Task {
    type Error = WireError;

    fn try_from(from: Task) -> Result<model::job::Task, WireError> {
        let gpus = from.gpus;
        let placement = from.node.map(|node| placement_of(node, &gpus));
        Ok(model::job::Task {
            rank: from.rank,
            group: from.group,
            given_up: from.given_up,
            state: TaskState::of_word(&from.state)?,
            placement,
            lent: shares_of(&from.lent),
            pid: from.pid,
            placed: join_known(from.placed_at, from.placed_mono),
            started: join_known(from.started_at, from.started_mono),
            ended: join_known(from.ended_at, from.ended_mono),
            exit: exit_of(from.exit)?,
        })
    }
}

impl From<&AttemptRecord> for Attempt {
    fn from(from: &AttemptRecord) -> Attempt {
        let (started_at, started_mono) = split(from.started);
        let (ended_at, ended_mono) = split(from.ended);
        Attempt {
            attempt: from.attempt,
            started_at,
            started_mono,
            ended_at,
            ended_mono,
            nodes: texts(&from.nodes),
            stopped_for: from.stopped_for.map(StopFor::to_word),
            exit: from.exit.as_ref().map(Exit::from),
        }
    }
}

impl TryFrom<Attempt> for AttemptRecord {
    type Error = WireError;

    fn try_from(from: Attempt) -> Result<AttemptRecord, WireError> {
        Ok(AttemptRecord {
            attempt: from.attempt,
            started: join(from.started_at, from.started_mono),
            ended: join(from.ended_at, from.ended_mono),
            nodes: names(from.nodes),
            stopped_for: from.stopped_for.map(|why| StopFor::of_word(&why)).transpose()?,
            exit: exit_of(from.exit)?,
        })
    }
}

/// The devices of a placement.
pub(super) fn shares(gpus: &[GpuShare]) -> Vec<Share> {
    gpus.iter().map(|gpu| Share { index: gpu.index, milli: gpu.milli }).collect()
}

/// A placement from its node and devices.
pub(super) fn placement_of(node: String, gpus: &[Share]) -> Placement {
    Placement { node: node.into(), gpus: shares_of(gpus) }
}

fn shares_of(gpus: &[Share]) -> Vec<GpuShare> {
    gpus.iter().map(|gpu| GpuShare { index: gpu.index, milli: gpu.milli }).collect()
}
