//! Hours of windows in zones whose clocks change, by example and by property.

use proptest::prelude::*;

use super::*;

fn weekly(zone: &str, days: &str, from: &str, to: &str) -> Weekly {
    Weekly::parse(zone, days, from, to).unwrap()
}

fn wall(text: &str) -> Wall {
    Wall(chrono::DateTime::parse_from_rfc3339(text).unwrap().timestamp_millis())
}

fn open(window: &Weekly, at: &str) -> Option<(String, String)> {
    let open = window.open_at(wall(at))?;
    Some((open.from.rfc3339(), open.until.rfc3339()))
}

fn edge(window: &Weekly, at: &str) -> String {
    window.next_edge(wall(at)).unwrap().rfc3339()
}

fn pair(from: &str, until: &str) -> Option<(String, String)> {
    Some((wall(from).rfc3339(), wall(until).rfc3339()))
}

#[test]
fn a_working_day_opens_and_closes_by_the_clock_of_its_place() {
    let day = weekly("Europe/Berlin", "mon-fri", "08:00", "18:00");
    // A Monday in winter: UTC+1.
    let hours = pair("2026-11-30T07:00:00Z", "2026-11-30T17:00:00Z");
    assert_eq!(open(&day, "2026-11-30T06:59:59Z"), None);
    assert_eq!(open(&day, "2026-11-30T07:00:00Z"), hours);
    assert_eq!(open(&day, "2026-11-30T16:59:59Z"), hours);
    assert_eq!(open(&day, "2026-11-30T17:00:00Z"), None);
    assert_eq!(edge(&day, "2026-11-30T17:00:00Z"), wall("2026-12-01T07:00:00Z").rfc3339());
    // From Friday's end to Monday.
    assert_eq!(edge(&day, "2026-12-04T17:00:00Z"), wall("2026-12-07T07:00:00Z").rfc3339());
}

#[test]
fn clocks_that_change_move_the_window_with_them() {
    let day = weekly("Europe/Berlin", "daily", "08:00", "18:00");
    assert_eq!(
        open(&day, "2026-03-28T12:00:00Z"),
        pair("2026-03-28T07:00:00Z", "2026-03-28T17:00:00Z")
    );
    assert_eq!(
        open(&day, "2026-03-29T12:00:00Z"),
        pair("2026-03-29T06:00:00Z", "2026-03-29T16:00:00Z")
    );
    // The night in which the clocks go forward is an hour short, the other an hour long.
    let night = weekly("Europe/Berlin", "daily", "22:00", "06:00");
    assert_eq!(
        open(&night, "2026-03-28T23:00:00Z"),
        pair("2026-03-28T21:00:00Z", "2026-03-29T04:00:00Z")
    );
    assert_eq!(
        open(&night, "2026-10-24T23:00:00Z"),
        pair("2026-10-24T20:00:00Z", "2026-10-25T05:00:00Z")
    );
}

#[test]
fn a_skipped_time_is_the_end_of_the_gap_and_one_that_comes_twice_the_earlier() {
    // 02:00 to 03:00 is missing on 29 March and comes twice on 25 October.
    let inside = weekly("Europe/Berlin", "sun", "02:10", "02:50");
    assert_eq!(open(&inside, "2026-03-29T01:00:00Z"), None);
    assert_eq!(edge(&inside, "2026-03-29T00:00:00Z"), wall("2026-04-05T00:10:00Z").rfc3339());
    assert_eq!(
        open(&inside, "2026-10-25T00:10:00Z"),
        pair("2026-10-25T00:10:00Z", "2026-10-25T00:50:00Z")
    );
    assert_eq!(open(&inside, "2026-10-25T01:10:00Z"), None);
    let into = weekly("Europe/Berlin", "sun", "01:00", "02:30");
    assert_eq!(
        open(&into, "2026-03-29T00:30:00Z"),
        pair("2026-03-29T00:00:00Z", "2026-03-29T01:00:00Z")
    );
}

#[test]
fn days_without_a_break_are_one_time_and_a_whole_week_has_a_next_edge_too() {
    let weekend = weekly("America/New_York", "sat,sun", "00:00", "24:00");
    assert_eq!(
        open(&weekend, "2026-11-28T18:00:00Z"),
        pair("2026-11-28T05:00:00Z", "2026-11-30T05:00:00Z")
    );
    let always = weekly("UTC", "daily", "00:00", "24:00");
    let at = wall("2026-11-28T18:00:00Z");
    assert!(always.open_at(at).is_some());
    assert!(always.next_edge(at).unwrap() > at);
}

#[test]
fn what_is_wrong_is_said_with_what_to_write() {
    let wrong = |zone: &str, days: &str, from: &str, to: &str| {
        Weekly::parse(zone, days, from, to).unwrap_err()
    };
    assert!(wrong("Berlin", "mon", "1:00", "2:00").contains("such as Europe/Berlin"));
    assert!(wrong("Europe/Berlim", "mon", "1:00", "2:00").contains("such as Europe/Berlin"));
    assert!(wrong("UTC", "mo-fr", "1:00", "2:00").contains("mon-fri"));
    assert!(wrong("UTC", "", "1:00", "2:00").contains("no days"));
    assert!(wrong("UTC", "mon", "8", "18:00").contains("no time of day"));
    assert!(wrong("UTC", "mon", "08:60", "18:00").contains("no time of day"));
    assert!(wrong("UTC", "mon", "08:00", "24:01").contains("no time of day"));
    assert!(wrong("UTC", "mon", "08:00", "08:00").contains("never opens"));
    assert!(wrong("UTC", "mon", "24:00", "08:00").contains("next day"));
}

#[test]
fn a_window_says_its_hours_as_they_are_read() {
    for days in ["mon-fri", "sat,sun", "daily", "mon,wed,fri", "mon-wed,sat"] {
        let window = weekly("europe/berlin", days, "8:00", "24:00");
        assert_eq!(window.day_words(), days);
        assert_eq!(window.words(), format!("{days} 08:00-24:00 Europe/Berlin"));
    }
    assert_eq!(weekly("UTC", "fri-mon", "0:00", "1:00").day_words(), "mon,fri-sun");
    let (at, now) = (wall("2026-11-30T17:00:00Z"), wall("2026-11-30T12:00:00Z"));
    assert_eq!(clock_in("Europe/Berlin", at, now), "18:00 Berlin");
    assert_eq!(
        clock_in("America/New_York", at, wall("2026-11-28T12:00:00Z")),
        "Mon 12:00 New York"
    );
    assert_eq!(clock_in("Nowhere", at, now), "? Nowhere");
}

const ZONES: [&str; 6] = [
    "UTC",
    "Europe/Berlin",
    "America/New_York",
    "Australia/Lord_Howe",
    "Pacific/Apia",
    "Asia/Kathmandu",
];

fn any_window() -> impl Strategy<Value = Weekly> {
    (0..ZONES.len(), 1u8..128, 0u16..1440, 1u16..=1440).prop_filter_map(
        "never opens",
        |(zone, days, from, to)| {
            (from != to).then(|| Weekly { zone: ZONES[zone].into(), days, from, to })
        },
    )
}

proptest! {
    #[test]
    fn between_two_edges_nothing_changes(
        window in any_window(),
        // 1995 to 2037: zones have changed much in it.
        at in 788_918_400_000i64..2_114_380_800_000,
        step in 0u64..1_000_000_000,
    ) {
        let at = Wall(at);
        let edge = window.next_edge(at).unwrap();
        prop_assert!(edge > at);
        let open = window.open_at(at).is_some();
        let within = Wall(at.0 + i64::try_from(step).unwrap() % (edge.0 - at.0));
        prop_assert_eq!(window.open_at(within).is_some(), open);
        if let Some(open) = window.open_at(at) {
            prop_assert!(open.from <= at && at < open.until);
            prop_assert_eq!(open.until, edge);
        }
    }

    #[test]
    fn windows_that_touch_on_the_clock_touch_in_time(
        zone in 0..ZONES.len(),
        mut cuts in proptest::collection::btree_set(1u16..1440, 1..5),
        at in 788_918_400_000i64..2_114_380_800_000,
    ) {
        cuts.extend([0, DAY]);
        let cuts: Vec<u16> = cuts.into_iter().collect();
        let part = |pair: &[u16]| Weekly {
            zone: ZONES[zone].into(), days: 0x7f, from: pair[0], to: pair[1],
        };
        let open = cuts.windows(2).filter(|pair| part(pair).open_at(Wall(at)).is_some()).count();
        prop_assert_eq!(open, 1);
    }
}
