//! One file per rule. Policies take plain numbers, never the world, so that each can be tested
//! with any combination.
//!
//! Order and room: [`order`], [`fit`]. Time: [`estimate`] and [`history`] say how long a job
//! runs, [`reservation`] and [`profile`] when there is room for it, in any [`amount`].

pub mod amount;
pub mod estimate;
pub mod fit;
pub mod history;
pub mod order;
pub mod profile;
pub mod reservation;
pub mod retry;
