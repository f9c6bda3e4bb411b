//! holdshort: a terminal operations console that carries a full scheduler for agent workloads.
//!
//! The rooms, in reading order. Each opens with what it is for, what it may use and where to
//! start; `docs/ARCHITECTURE.md` is the map and `tests/tidy.rs` checks the arrows.

pub mod base;
pub mod model;

pub mod ledger;
pub mod sched;

pub mod config;
pub mod notify;
pub mod runner;
pub mod store;
pub mod view;

pub mod engine;

pub mod api;
pub mod link;
pub mod sim;

pub mod tui;

pub mod cli;
