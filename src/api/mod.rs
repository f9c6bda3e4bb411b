//! The way in.

pub mod wire;
