//! What is expected to happen: how long jobs run, when room comes free, who starts when.
//!
//! [`learned`] keeps what past runs say, as part of the world; [`estimate`] makes a run's expected
//! length from that, from the job's own guess and from its limit (DESIGN.md 5.4).

pub mod estimate;
pub mod learned;
