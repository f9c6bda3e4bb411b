//! Instants: RFC 3339 in UTC.

use std::borrow::Cow;

use chrono::DateTime;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use utoipa::ToSchema;

use crate::base::{At, Mono, Wall};

/// An instant, written as RFC 3339 in UTC; an offset is understood when reading.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, ToSchema)]
#[schema(value_type = String, format = DateTime)]
pub struct Time(pub Wall);

/// 0000-01-01 and the last millisecond of 9999: what RFC 3339 can say.
const RANGE: (i64, i64) = (-62_167_219_200_000, 253_402_300_799_999);

impl Serialize for Time {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let Wall(millis) = self.0;
        serializer.collect_str(&Wall(millis.clamp(RANGE.0, RANGE.1)))
    }
}

impl<'de> Deserialize<'de> for Time {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Time, D::Error> {
        let text = Cow::<str>::deserialize(deserializer)?;
        text.parse().map_err(serde::de::Error::custom)
    }
}

impl std::str::FromStr for Time {
    type Err = String;

    /// Reads RFC 3339 with any offset; parts of a millisecond are dropped.
    fn from_str(text: &str) -> Result<Time, String> {
        let instant = DateTime::parse_from_rfc3339(text)
            .map_err(|error| format!("{text:?} is no RFC 3339 time ({error})"))?;
        Ok(Time(Wall(instant.timestamp_millis())))
    }
}

/// An instant as its two keys: `NAME` and `NAME_mono`.
pub(super) fn split(at: At) -> (Time, u64) {
    (Time(at.wall), at.now.0)
}

/// The same for an instant that may not be known.
pub(super) fn split_known(at: Option<At>) -> (Option<Time>, Option<u64>) {
    at.map(split).unzip()
}

/// The instant behind two keys.
pub(super) fn join(time: Time, mono: u64) -> At {
    At { now: Mono(mono), wall: time.0 }
}

/// The same for an instant that may not be known; both keys are needed.
pub(super) fn join_known(time: Option<Time>, mono: Option<u64>) -> Option<At> {
    time.zip(mono).map(|(time, mono)| join(time, mono))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_time_reads_back_and_offsets_are_understood() {
        for millis in [0, 1, -1, 1_790_000_000_123, RANGE.0, RANGE.1] {
            let text = serde_json::to_string(&Time(Wall(millis))).unwrap();
            assert_eq!(serde_json::from_str::<Time>(&text).unwrap(), Time(Wall(millis)), "{text}");
        }
        let paris: Time = "1970-01-01T01:00:00+01:00".parse().unwrap();
        assert_eq!(paris, Time(Wall(0)));
        assert!("yesterday".parse::<Time>().is_err());
    }

    #[test]
    fn a_time_beyond_the_calendar_is_written_as_its_edge() {
        let text = serde_json::to_string(&Time(Wall(i64::MAX))).unwrap();
        assert_eq!(text, "\"9999-12-31T23:59:59.999Z\"");
    }
}
