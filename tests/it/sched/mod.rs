//! The pure core, proved from outside: each rule by name, then random sequences of commands.

mod conserving;
mod outside;
mod world;

mod access;
mod counted;
mod dependencies;
mod explained;
mod findings;
mod gangs;
mod gpus;
mod limits;
mod machine;
mod order;
mod pausing;
mod random;
mod runner;
mod verbs;
mod volume;
