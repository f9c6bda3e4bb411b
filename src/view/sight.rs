//! From where a page is seen: the time it was made and the reader's zone.

use std::sync::Arc;

use chrono::{FixedOffset, Offset, TimeZone, Utc};

use crate::base::{At, Mono, Span, Wall, duration, moment};

/// Time and zone of a reader. Ages count on the scheduler's clock, dates on the calendar.
#[derive(Clone)]
pub struct Sight {
    /// When the page was made.
    pub now: At,
    offset: Arc<dyn Fn(Wall) -> FixedOffset + Send + Sync>,
}

impl Sight {
    /// As seen in a zone.
    pub fn new<Z: TimeZone + Send + Sync + 'static>(now: At, zone: Z) -> Sight {
        let offset = move |at: Wall| {
            let utc = chrono::DateTime::from_timestamp_millis(at.0).unwrap_or_default();
            zone.offset_from_utc_datetime(&utc.naive_utc()).fix()
        };
        Sight { now, offset: Arc::new(offset) }
    }

    /// As seen in UTC.
    pub fn utc(now: At) -> Sight {
        Sight::new(now, Utc)
    }

    /// Date and time as needed: `14:05`, `tomorrow 08:00`, `30 Nov 08:00`.
    pub fn day(&self, at: Wall) -> String {
        moment::day_clock(at, self.now.wall, &(self.offset)(at))
    }

    /// Date and time in full, to the second: `2026-11-29 14:05:09`.
    pub fn full(&self, at: Wall) -> String {
        let local = moment::local(at, &(self.offset)(at));
        local.map_or_else(|| "?".to_owned(), |at| at.format("%Y-%m-%d %H:%M:%S").to_string())
    }

    /// The time of day to the second: `14:05:09`.
    pub fn second(&self, at: Wall) -> String {
        let local = moment::local(at, &(self.offset)(at));
        local.map_or_else(|| "?".to_owned(), |at| at.format("%H:%M:%S").to_string())
    }

    /// How long ago, for tables: `48m`.
    pub fn since(&self, at: Mono) -> String {
        duration::short(self.now.now.since(at))
    }

    /// The calendar's time at an instant of the scheduler's clock, if the machine is not off
    /// in between.
    pub fn wall_at(&self, at: Mono) -> Wall {
        let before = i64::try_from(self.now.now.since(at).0).unwrap_or(i64::MAX);
        let then = self.now.wall + at.since(self.now.now);
        Wall(then.0.saturating_sub(before))
    }

    /// How long ago on the calendar.
    pub fn wall_since(&self, at: Wall) -> Span {
        self.now.wall.since(at)
    }
}

impl std::fmt::Debug for Sight {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Sight").field("now", &self.now).finish_non_exhaustive()
    }
}
