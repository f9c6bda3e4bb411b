//! The two clocks of the program, as numbers.
//!
//! [`Mono`] serves runs, limits, findings and the ledger; [`Wall`] serves calendars. Neither is
//! ever read here: they arrive inside commands.

use std::fmt;
use std::ops::{Add, Sub};

use chrono::{DateTime, SecondsFormat, Utc};
use serde::{Deserialize, Serialize};

/// Milliseconds on the scheduler's own clock: `CLOCK_BOOTTIME` carried over reboots by the
/// wall-clock gap, so it never goes back and never jumps when somebody sets the date.
#[derive(
    Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize,
)]
#[serde(transparent)]
pub struct Mono(pub u64);

/// Milliseconds since the Unix epoch, UTC.
#[derive(
    Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize,
)]
#[serde(transparent)]
pub struct Wall(pub i64);

/// A length of time in milliseconds.
#[derive(
    Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize,
)]
#[serde(transparent)]
pub struct Span(pub u64);

/// The instant at which a command is decided, on both clocks.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct At {
    /// The scheduler's clock.
    pub now: Mono,
    /// The calendar.
    pub wall: Wall,
}

impl Span {
    /// No time at all.
    pub const ZERO: Span = Span(0);

    /// `n` seconds.
    pub const fn secs(n: u64) -> Span {
        Span(n * 1000)
    }

    /// `n` minutes.
    pub const fn mins(n: u64) -> Span {
        Span(n * 60_000)
    }

    /// `n` hours.
    pub const fn hours(n: u64) -> Span {
        Span(n * 3_600_000)
    }

    /// The same length for the standard library.
    pub const fn to_std(self) -> std::time::Duration {
        std::time::Duration::from_millis(self.0)
    }

    /// `percent` hundredths of this span, rounded down.
    pub const fn percent(self, percent: u64) -> Span {
        Span(self.0.saturating_mul(percent) / 100)
    }
}

impl Mono {
    /// Time since `earlier`; zero when `earlier` is not earlier.
    pub const fn since(self, earlier: Mono) -> Span {
        Span(self.0.saturating_sub(earlier.0))
    }
}

impl Wall {
    /// RFC 3339 in UTC, with milliseconds only when there are any: `2026-11-29T14:05:00Z`.
    pub fn rfc3339(self) -> String {
        match DateTime::<Utc>::from_timestamp_millis(self.0) {
            Some(t) if self.0.rem_euclid(1000) == 0 => t.to_rfc3339_opts(SecondsFormat::Secs, true),
            Some(t) => t.to_rfc3339_opts(SecondsFormat::Millis, true),
            None => String::from("out of range"),
        }
    }

    /// Time since `earlier`; zero when `earlier` is not earlier.
    pub fn since(self, earlier: Wall) -> Span {
        Span(u64::try_from(self.0.saturating_sub(earlier.0)).unwrap_or(0))
    }
}

impl Add<Span> for Mono {
    type Output = Mono;
    fn add(self, span: Span) -> Mono {
        Mono(self.0.saturating_add(span.0))
    }
}

impl Sub<Span> for Mono {
    type Output = Mono;
    fn sub(self, span: Span) -> Mono {
        Mono(self.0.saturating_sub(span.0))
    }
}

impl Sub<Span> for Wall {
    type Output = Wall;
    fn sub(self, span: Span) -> Wall {
        Wall(self.0.saturating_sub(i64::try_from(span.0).unwrap_or(i64::MAX)))
    }
}

impl Add<Span> for Wall {
    type Output = Wall;
    fn add(self, span: Span) -> Wall {
        Wall(self.0.saturating_add(i64::try_from(span.0).unwrap_or(i64::MAX)))
    }
}

impl Add for Span {
    type Output = Span;
    fn add(self, other: Span) -> Span {
        Span(self.0.saturating_add(other.0))
    }
}

impl Sub for Span {
    type Output = Span;
    fn sub(self, other: Span) -> Span {
        Span(self.0.saturating_sub(other.0))
    }
}

impl fmt::Display for Wall {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.rfc3339())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rfc3339_shows_milliseconds_only_when_there_are_any() {
        assert_eq!(Wall(0).rfc3339(), "1970-01-01T00:00:00Z");
        assert_eq!(Wall(1_001).rfc3339(), "1970-01-01T00:00:01.001Z");
        assert_eq!(Wall(-1).rfc3339(), "1969-12-31T23:59:59.999Z");
        assert_eq!(Wall(i64::MAX).rfc3339(), "out of range");
    }

    #[test]
    fn arithmetic_saturates_instead_of_wrapping() {
        assert_eq!(Mono(5).since(Mono(9)), Span::ZERO);
        assert_eq!(Mono(u64::MAX) + Span(1), Mono(u64::MAX));
        assert_eq!(Wall(i64::MAX) + Span(u64::MAX), Wall(i64::MAX));
        assert_eq!(Span::hours(10).percent(95), Span::mins(570));
    }
}
