//! Points in time, on plain days and on the days when clocks are changed.

use chrono::{FixedOffset, MappedLocalTime, Utc};
use proptest::prelude::*;

use super::*;
use crate::base::Span;

/// Central European rules around 2026: +1 h, and +2 h from 29 March 01:00 UTC until 25 October
/// 01:00 UTC.
#[derive(Debug, Clone, Copy)]
struct Berlin;

const SPRING: i64 = 1_774_746_000_000;
const AUTUMN: i64 = 1_792_890_000_000;

fn east(hours: i32) -> FixedOffset {
    FixedOffset::east_opt(hours * 3600).unwrap()
}

fn offset_at(utc: &NaiveDateTime) -> FixedOffset {
    let millis = utc.and_utc().timestamp_millis();
    east(if (SPRING..AUTUMN).contains(&millis) { 2 } else { 1 })
}

impl TimeZone for Berlin {
    type Offset = FixedOffset;

    fn from_offset(_: &FixedOffset) -> Berlin {
        Berlin
    }

    fn offset_from_local_date(&self, local: &NaiveDate) -> MappedLocalTime<FixedOffset> {
        self.offset_from_local_datetime(&local.and_time(NaiveTime::MIN))
    }

    fn offset_from_local_datetime(&self, local: &NaiveDateTime) -> MappedLocalTime<FixedOffset> {
        let fits = |hours: i32| offset_at(&(*local - east(hours))) == east(hours);
        match (fits(2), fits(1)) {
            (true, true) => MappedLocalTime::Ambiguous(east(2), east(1)),
            (true, false) => MappedLocalTime::Single(east(2)),
            (false, true) => MappedLocalTime::Single(east(1)),
            (false, false) => MappedLocalTime::None,
        }
    }

    fn offset_from_utc_date(&self, utc: &NaiveDate) -> FixedOffset {
        offset_at(&utc.and_time(NaiveTime::MIN))
    }

    fn offset_from_utc_datetime(&self, utc: &NaiveDateTime) -> FixedOffset {
        offset_at(utc)
    }
}

fn wall(text: &str) -> Wall {
    Wall(DateTime::parse_from_rfc3339(text).unwrap().timestamp_millis())
}

fn read(text: &str, now: &str) -> Result<String, String> {
    parse(text, wall(now), &Berlin).map(Wall::rfc3339)
}

#[test]
fn every_documented_form_is_read() {
    let now = "2026-11-29T12:00:00Z"; // 13:00 in Berlin
    for (text, at) in [
        ("2026-11-30T08:00:00Z", "2026-11-30T08:00:00Z"),
        ("2026-11-30t08:00:00.5+05:30", "2026-11-30T02:30:00.500Z"),
        ("2026-11-30 08:00", "2026-11-30T07:00:00Z"),
        ("2026-11-30T08:00:30", "2026-11-30T07:00:30Z"),
        ("2026-11-30", "2026-11-29T23:00:00Z"),
        ("13:30", "2026-11-29T12:30:00Z"),
        ("13:00", "2026-11-30T12:00:00Z"),
        ("08:00", "2026-11-30T07:00:00Z"),
        ("8:00", "2026-11-30T07:00:00Z"),
        ("today 14:00", "2026-11-29T13:00:00Z"),
        ("Tomorrow 08:00", "2026-11-30T07:00:00Z"),
        ("+2h", "2026-11-29T14:00:00Z"),
        ("in 90m", "2026-11-29T13:30:00Z"),
        ("now", "2026-11-29T12:00:00Z"),
    ] {
        assert_eq!(read(text, now).as_deref(), Ok(at), "{text}");
    }
}

#[test]
fn nonsense_is_refused_with_a_hint() {
    let now = "2026-11-29T12:00:00Z";
    for text in
        ["", "soon", "25:00", "08:61", "2026-13-01", "2026-02-30 08:00", "+5", "in", "8", "-1:00"]
    {
        assert!(read(text, now).is_err(), "{text}");
    }
    assert!(read("today 09:00", now).unwrap_err().contains("tomorrow 09:00"));
    assert!(read("tomorrow", now).unwrap_err().contains("tomorrow 08:00"));
    let edge = Wall(i64::MAX);
    assert!(parse("08:00", edge, &Berlin).is_err());
    assert!(parse("08:00", Wall(8_210_266_876_799_000), &east(14)).is_err());
}

#[test]
fn a_time_that_the_clock_skips_means_the_first_instant_after_the_gap() {
    let gap_end = "2026-03-29T01:00:00Z"; // 03:00 summer time
    let before = "2026-03-28T20:00:00Z";
    for text in ["2026-03-29 02:30", "2026-03-29 02:00:15", "tomorrow 02:30", "02:30"] {
        assert_eq!(read(text, before).as_deref(), Ok(gap_end), "{text}");
    }
    let after = read("02:30", gap_end);
    assert_eq!(after.as_deref(), Ok("2026-03-30T00:30:00Z"));
}

#[test]
fn a_time_that_comes_twice_means_the_earlier_or_the_next() {
    let (first, second) = ("2026-10-25T00:30:00Z", "2026-10-25T01:30:00Z");
    assert_eq!(read("2026-10-25 02:30", "2026-10-01T00:00:00Z").as_deref(), Ok(first));
    assert_eq!(read("02:30", "2026-10-24T20:00:00Z").as_deref(), Ok(first));
    assert_eq!(read("02:30", first).as_deref(), Ok(second));
    assert_eq!(read("02:30", second).as_deref(), Ok("2026-10-26T01:30:00Z"));
}

#[test]
fn clocks_show_as_much_date_as_needed() {
    let now = wall("2026-11-29T12:00:00Z");
    for (at, shown) in [
        ("2026-11-29T13:05:00Z", "14:05"),
        ("2026-11-30T07:00:00Z", "tomorrow 08:00"),
        ("2026-11-28T21:10:00Z", "yesterday 22:10"),
        ("2026-12-24T07:00:00Z", "24 Dec 08:00"),
        ("2027-01-03T07:00:00Z", "3 Jan 08:00"),
        ("2027-06-03T07:00:00Z", "2027-06-03 09:00"),
    ] {
        let zone = if shown.ends_with("09:00") { east(2) } else { east(1) };
        assert_eq!(day_clock(wall(at), now, &zone), shown);
    }
    assert_eq!(clock(now, &Berlin), "13:00");
    assert_eq!(clock(Wall(i64::MAX), &Utc), "?");
    assert_eq!(day_clock(Wall(i64::MIN), now, &Utc), "?");
}

proptest! {
    #[test]
    fn no_text_panics(
        text in "[0-9:TZ+ -]{0,30}|(today|tomorrow|in) [0-9:hm]{0,8}|\\PC{0,12}",
        now: i64,
    ) {
        let _ = parse(&text, Wall(now), &Berlin);
        let _ = day_clock(Wall(now), Wall(0), &Berlin);
    }

    #[test]
    fn the_next_time_of_day_is_later_and_within_a_day_or_so(
        h in 0u32..24,
        m in 0u32..60,
        now in 1_700_000_000_000i64..1_900_000_000_000,
    ) {
        let at = parse(&format!("{h:02}:{m:02}"), Wall(now), &Berlin).unwrap();
        prop_assert!(at > Wall(now) && at.since(Wall(now)) <= Span::hours(26));
    }
}
