//! Metering: who held what, when, and how it is booked.
//!
//! May use: `base`, `model`. A [`Meter`] folds facts into [`Interval`]s, which are cut whenever
//! class, amount or holder changes. What nobody holds is an interval too, so that for each node
//! and each resource the classes sum to capacity × time, exactly: amounts are whole numbers,
//! time is milliseconds, and products are `u128`. [`audit`] proves it from outside.
//!
//! Start with [`meter`]; then [`report`] for sums, [`codec`] for bytes, [`days`] for what is
//! kept of intervals that are too old. A new class is a variant
//! of [`crate::model::fact::Class`] and its word in `model/class`: nothing here names more classes
//! than it books itself.

pub mod amounts;
pub mod audit;
pub mod codec;
pub mod days;
pub mod interval;
pub mod kept;
pub mod meter;
mod place;
pub mod report;
pub mod saved;
pub mod tally;

pub use amounts::Amounts;
pub use audit::Audit;
pub use interval::{Holder, Interval};
pub use meter::Meter;
pub use report::Report;
pub use saved::Saved;
pub use tally::Tally;
