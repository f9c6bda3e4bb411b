//! One file per rule. Policies take plain numbers, never the world, so that each can be tested
//! with any combination.
//!
//! Jobs: [`order`], [`fit`], [`retry`], [`gang`]. Teams: [`amounts`] and [`queue`] are the words,
//! [`shares`] and [`usage`] say what each may have, [`queue_order`] whose turn it is, [`gates`]
//! what never may be exceeded, [`taking`] and [`protection`] what one may take from another.

pub mod amounts;
pub mod fit;
pub mod gang;
pub mod gates;
pub mod order;
pub mod protection;
pub mod queue;
pub mod queue_order;
pub mod retry;
pub mod shares;
pub mod taking;
pub mod usage;
