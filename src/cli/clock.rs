//! The command line's only look at a clock: times such as `08:00` are meant from here and now.

use std::time::{SystemTime, UNIX_EPOCH};

use crate::base::Wall;

/// The time of day.
pub fn wall() -> Wall {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    Wall(i64::try_from(since.as_millis()).unwrap_or(i64::MAX))
}
