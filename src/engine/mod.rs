//! The imperative shell around the core: one loop owns the world.
//!
//! May use: `base`, `model`, `ledger`, `sched`, `config`. Commands come in through a bounded
//! channel; the loop decides a batch of them, makes it durable with one commit, and only then
//! acknowledges, carries out effects and publishes. Start with [`owner`], then [`handle`].

pub mod alarm;
mod assemble;
pub mod audit;
pub mod clock;
mod day;
mod durable;
mod foresight;
pub mod habits;
pub mod handle;
pub mod intake;
mod launch;
pub mod listeners;
pub mod metering;
mod metrics;
mod output;
mod owner;
pub mod pages;
mod provider;
mod reads;
mod recover;
pub mod replay;
mod retention;
pub mod reviews;
pub mod submit;
pub mod suppose;
pub mod teams;
mod telling;
mod tokens;
mod usage;
mod watch;

pub use assemble::{Parts, Places, Stopped, start};
pub use handle::{Handle, LogFiles, Metric, Receipt};
pub use intake::{Door, Inbox, door};
