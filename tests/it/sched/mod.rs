//! The pure core, proved from outside: each rule by name, then random sequences of commands.
//! Start with [`world`], the driver whose every step is checked.

#![allow(
    clippy::unwrap_used,
    clippy::needless_pass_by_value,
    clippy::cast_possible_truncation,
    reason = "what goes wrong here fails a test"
)]

mod conserving;
mod foreseen;
pub mod given;
mod lawful;
mod metered;
mod outside;
mod reservations;
mod scenery;
mod services;
mod spot;
mod steps;
pub mod world;

mod access;
mod boosts;
mod closed;
mod counted;
mod deadlines;
mod dependencies;
mod estimates;
mod explained;
mod explained_teams;
mod findings;
mod forecasts;
mod found;
mod gangs;
mod gpus;
mod interactive;
mod inversion;
mod large;
mod ledger;
mod limits;
mod machine;
mod order;
mod past_use;
mod pausing;
mod placing;
mod pools;
mod random;
mod reserved;
mod runner;
mod settling;
mod taking;
mod verbs;
mod volume;
mod whatif;
mod windows;
