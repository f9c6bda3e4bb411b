//! Reviews: reading them, asking, answering.
//!
//! Who asks here is who connected: a process in a job's tree speaks for that job and never votes,
//! whatever its uid or token says (`api/auth`); what a person may do, the core says.

mod acts;
mod ask;
mod habits;
mod read;
mod signature;

pub use acts::*;
pub use ask::*;
pub use habits::*;
pub use read::*;
pub use signature::*;
