//! The console from outside: screens as text and roles, keys at random, every action against
//! read-only mode, tiny sizes. All through a link that answers from a fleet in memory.

#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a test that cannot go on should stop")]

mod away;
mod cursor;
mod desk;
mod feed;
mod fleet;
pub mod grid;
mod journey;
mod keys;
mod link;
mod marks;
mod panes;
mod pty;
mod reviews;
mod safety;
mod screens;
mod speed;
