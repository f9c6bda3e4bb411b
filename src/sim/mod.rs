//! A simulated installation: the real core on a virtual clock, with made-up machines, people and
//! programs.
//!
//! May use: `base`, `model`, `ledger`, `sched`, `view`, `engine`, `link`. Everything follows from
//! a seed: the same seed and the same commands give the same records, byte for byte. Nothing here
//! touches a disk, a process or a clock, save the demo's driver, which lets virtual time pass
//! with tokio's. Start with [`fleet`], then [`scene`] for what the demo shows and [`demo`] for
//! the demo itself; [`conform`] replays tables of cases, [`lab`] recorded workloads.

mod agenda;
mod books;
pub mod conduct;
pub mod conform;
pub mod demo;
pub mod dice;
pub mod fleet;
mod kinds;
pub mod lab;
mod petition;
pub mod play;
mod process;
pub mod scene;
pub mod site;
mod unrest;
mod voice;

pub use demo::Demo;
pub use fleet::Fleet;
pub use site::Scale;
