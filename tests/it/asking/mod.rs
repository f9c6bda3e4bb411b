//! Jobs that ask people, with real processes: what their programs get to see, what becomes of the
//! room meanwhile, and that what was approved happens once.

mod codes;
mod gate;
pub mod people;
mod policy;
mod slot;
mod step;
