//! The one integration-test binary: each module tests a room from outside, or the whole program.

mod console;
mod store;
