//! The pure core: what runs, in what order, and why.
//!
//! May use: `base`, `model`, `ledger`. [`decide()`] takes a world, a command and a time and
//! answers with facts or a refusal; [`World::apply`] makes facts so. No clock, no I/O, no
//! randomness, no hash order: the same input gives the same facts, live, in tests and in a
//! replay. Start with [`decide()`], then [`plan`], then [`actions`].

pub mod actions;
pub mod apply;
pub mod board;
pub mod decide;
pub mod effects;
pub mod ends;
pub mod explain;
pub mod future;
mod gangs;
pub mod health;
mod index;
pub mod invariants;
mod past_use;
pub mod plan;
pub mod policy;
pub mod review;
pub mod world;

pub use decide::{Decision, decide, rights};
pub use index::{Account, order};
pub use world::World;
