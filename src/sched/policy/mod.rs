//! One file per rule. Policies take plain numbers, never the world, so that each can be tested
//! with any combination.

pub mod fit;
pub mod order;
pub mod retry;
