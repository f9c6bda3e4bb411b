//! The steps of a scheduling cycle, harmless to disruptive; each can be run alone.
//!
//! Part of deciding every command: [`cycle`] runs after what the command itself changed.

pub mod allocate;
pub mod expire;
pub mod forget;
pub mod windows;

use crate::sched::plan::Plan;

/// Runs the cycle: windows, expire, allocate, forget. At the same time a second run changes nothing.
pub fn cycle(plan: &mut Plan) {
    windows::run(plan);
    expire::run(plan);
    allocate::run(plan);
    forget::run(plan);
}
