//! How time on a device is booked.

use serde::{Deserialize, Serialize};

/// How a device-second is booked. Every second of every resource is in exactly one class.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Class {
    /// Room assigned, process not yet running; or being ended.
    StartStop,
    /// It runs.
    Productive,
    /// Frozen by a person: memory and devices stay held.
    Held,
    /// The machine was off or asleep.
    Down,
    /// Kept free by a person.
    Drained,
    /// Kept free for a job that has a reservation.
    Reserved,
    /// Nobody's.
    Idle,
}
