//! Human review in the core: what must never happen (the requirements R1 to R20 of a survey of
//! failures in thirty systems), who may decide, and what becomes of the job meanwhile. Every step
//! is checked by the driver of `sched`. Start with [`office`], where people and agents are named.

#![allow(
    clippy::unwrap_used,
    clippy::needless_pass_by_value,
    clippy::panic,
    reason = "what goes wrong here fails a test"
)]

mod office;

mod binding;
mod deciding;
mod findings;
mod parking;
mod policies;
mod random;
mod requirements;
mod returning;
mod room_kept;
mod stepping;
mod talking;
mod telling;
mod undo;
mod voters;
