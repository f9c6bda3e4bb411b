//! Durable storage in one directory: the journal with its snapshots, contents and summaries in
//! SQLite, environments as private files, a lock and a reserve of disk space.
//!
//! May use: `base`, `model`. Bytes in, bytes out: nothing here knows what a record means. It is
//! the only room that names `rusqlite`.
//!
//! Start with `journal`, which implements the port the engine writes to; `open` decides what may
//! be opened at all, `chain` how a record is bound to all before it, and `verify` how that is
//! checked offline. What cannot be read is never overwritten.

mod audit;
mod ballast;
mod chain;
mod compact;
mod days;
mod dir;
mod fault;
mod journal;
mod ledger;
mod open;
mod reader;
mod rows;
mod schema;
mod snapshot;
mod spool;
mod verify;

pub use audit::{AuditBase, AuditRow};
pub use dir::{DataDir, LockError};
pub use journal::Store;
pub use reader::{Reader, Records};
pub use spool::Spool;
pub use verify::{Fault, Report, verify};
