//! Leaves without domain: time, ids, quantities, digests and text.
//!
//! May use: nothing of ours. No clock is read here; every function is a pure function of its
//! arguments. Start with [`time`], whose newtypes run through the whole program.

pub mod calendar;
pub mod digest;
pub mod duration;
pub mod ids;
pub mod moment;
pub mod nearest;
pub mod quantity;
pub mod text;
pub mod time;

pub use digest::Digest;
pub use ids::{JobId, ReviewId, TaskId};
pub use nearest::nearest;
pub use time::{At, Mono, Span, Wall};

/// A short shared text: a name of a job, team, node, resource or person.
pub type Name = std::sync::Arc<str>;
