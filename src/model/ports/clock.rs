//! The clocks of the machine, raw.

use crate::base::Wall;

/// Readings of the machine's clocks at one instant.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Reading {
    /// `CLOCK_BOOTTIME` in milliseconds: runs while the machine sleeps, starts at 0 with it.
    pub boot_ms: u64,
    /// `CLOCK_MONOTONIC` in milliseconds: stands still while the machine sleeps.
    pub awake_ms: u64,
    /// The calendar.
    pub wall: Wall,
}

/// Reads the clocks.
pub trait Clock: Send + Sync {
    /// All clocks, now.
    fn read(&self) -> Reading;

    /// The kernel's id of this boot.
    fn boot_id(&self) -> String;
}
