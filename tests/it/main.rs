//! The one integration-test binary: each module tests a room from outside, or the whole program.

#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a test that can't go on stops")]

mod api;
mod asking;
mod audit;
mod cli_attach;
mod cli_finds;
mod cli_journeys;
mod cli_server;
mod cli_usage;
mod cli_world;
mod conform;
mod conform_own;
mod conform_scenarios;
mod console;
mod crash;
mod faults;
mod inside;
mod interactive;
mod keys;
mod lab;
mod ledger;
mod live;
mod notify;
mod packing;
mod place;
mod pools;
mod review;
mod reviews;
mod runner;
mod runner_life;
mod runner_logs;
mod runner_recovery;
mod runner_stop;
mod runner_terminal;
mod sched;
mod scheduling;
mod services;
mod shots;
mod sim;
mod spot;
mod store;
mod teams;
mod terminal;
