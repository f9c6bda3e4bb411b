//! What is expected to happen: how long jobs run, when room comes free, who starts when.
//!
//! [`learned`] keeps what past runs say, as part of the world; [`estimate`] makes a run's expected
//! length from that, from the job's own guess and from its limit (DESIGN.md 5.4). [`timeline`] is
//! free room over time, made from those, by a [`mod@line`] for each node that a walk over its ends
//! makes as far as somebody looks; [`ask`] is what a job asks of it. [`keeper`] says for whom
//! room is reserved while a cycle gives some out, [`returning`] for which jobs that people are
//! about to give back, [`guard`] who may start beside that (DESIGN.md 5.3). [`forecast`] tells
//! readers when jobs will probably start, one after the other in a [`sequence`], [`hits`] what such
//! forecasts were worth so far, and [`whatif`] answers what would happen if.

pub mod ask;
pub mod estimate;
pub mod forecast;
pub mod guard;
pub mod hits;
pub mod keeper;
pub mod learned;
pub mod line;
pub mod returning;
pub mod sequence;
pub mod timeline;
mod walk;
pub mod whatif;
