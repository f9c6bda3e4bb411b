//! What the engine needs from outside, as small sync traits. `store` and `runner` implement
//! them, a simulator brings its own, `cli` wires.

pub mod clock;
pub mod environments;
pub mod journal;
pub mod notify;
pub mod papers;
pub mod runner;

pub use clock::Clock;
pub use environments::Environments;
pub use journal::Journal;
pub use notify::Notify;
pub use papers::Papers;
pub use runner::Runner;
