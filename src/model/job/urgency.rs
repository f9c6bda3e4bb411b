//! What lifts a job above its own priority, each with its reason: boosts, and the priority of
//! those who wait for it.

use serde::{Deserialize, Serialize};

use crate::base::{JobId, Name};

/// Points of priority in one step of a boost.
pub const BOOST_STEP: u16 = 25;
/// Steps that all boosts of a job come to at most: together one tier.
pub const BOOST_STEPS_MAX: u8 = 4;

/// Why a job is sorted above its priority. A boost reorders; it never makes a victim.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum BoostCause {
    /// It has waited for long.
    Ageing,
    /// Its deadline comes near.
    Deadline,
    /// It has failed before and lost its turn by that.
    Retry,
}

impl BoostCause {
    /// All of them.
    pub const ALL: [BoostCause; 3] = [BoostCause::Ageing, BoostCause::Deadline, BoostCause::Retry];

    /// Its stable word.
    pub const fn word(self) -> &'static str {
        match self {
            BoostCause::Ageing => "ageing",
            BoostCause::Deadline => "deadline",
            BoostCause::Retry => "retry",
        }
    }
}

/// The steps of each boost.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Boosts {
    /// For waiting.
    pub ageing: u8,
    /// For a deadline.
    pub deadline: u8,
    /// For retries.
    pub retry: u8,
}

impl Boosts {
    /// The steps for one cause.
    pub fn of(&self, cause: BoostCause) -> u8 {
        match cause {
            BoostCause::Ageing => self.ageing,
            BoostCause::Deadline => self.deadline,
            BoostCause::Retry => self.retry,
        }
    }

    /// Sets the steps for one cause.
    pub fn set(&mut self, cause: BoostCause, steps: u8) {
        match cause {
            BoostCause::Ageing => self.ageing = steps,
            BoostCause::Deadline => self.deadline = steps,
            BoostCause::Retry => self.retry = steps,
        }
    }

    /// All steps together, at most [`BOOST_STEPS_MAX`].
    pub fn steps(&self) -> u8 {
        let sum = self.ageing.saturating_add(self.deadline).saturating_add(self.retry);
        sum.min(BOOST_STEPS_MAX)
    }

    /// The points of priority they come to.
    pub fn points(&self) -> u16 {
        u16::from(self.steps()) * BOOST_STEP
    }
}

/// The priority a job has from one that waits for it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Inherited {
    /// What that one is sorted by.
    pub priority: u16,
    /// Which one.
    pub from: JobId,
    /// The countable resource it waits for; `None` if it comes after the job.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub resource: Option<Name>,
}
