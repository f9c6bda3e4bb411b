//! Points in time as people write and read them, in a zone the caller gives.
//!
//! A local time that a change of the clocks skips means the first instant after the gap; one
//! that happens twice means the earlier, or for "the next 02:30" whichever comes next.

use chrono::{DateTime, Datelike, Days, NaiveDate, NaiveDateTime, NaiveTime, TimeDelta, TimeZone};

use crate::base::{Wall, duration};

const FORMS: &str =
    "write 08:00, tomorrow 08:00, +2h, 2026-11-30 08:00 or RFC 3339 such as 2026-11-30T08:00:00Z";

/// Reads a point in time.
///
/// Forms: RFC 3339; `2026-11-30 08:00[:00]` and `2026-11-30` (its beginning) in `zone`;
/// `08:00[:00]`, the next such time after `now`; `today 14:00`, `tomorrow 08:00`; `now`; `+2h`
/// and `in 2h`.
///
/// # Errors
/// What is wrong and what to write instead. `today` with a time that is over is refused.
pub fn parse<Z: TimeZone>(text: &str, now: Wall, zone: &Z) -> Result<Wall, String> {
    let text = text.trim();
    let lower = text.to_ascii_lowercase();
    if lower == "now" {
        return Ok(now);
    }
    if let Some(span) = lower.strip_prefix('+').or_else(|| lower.strip_prefix("in ")) {
        return duration::parse(span).map(|span| now + span);
    }
    if let Ok(exact) = DateTime::parse_from_rfc3339(&text.to_ascii_uppercase()) {
        return Ok(Wall(exact.timestamp_millis()));
    }
    let out_of_range = || format!("{text:?} is out of range; {FORMS}");
    let today = local(now, zone).ok_or_else(out_of_range)?.date();
    if let Some(time) = clock_time(&lower) {
        return next(time, today, now, zone).ok_or_else(out_of_range);
    }
    if let Some(time) = lower.strip_prefix("today ").and_then(clock_time) {
        let at = earliest(today.and_time(time), zone).ok_or_else(out_of_range)?;
        if at < now {
            return Err(format!("{text:?} is over; write tomorrow {}", time.format("%H:%M")));
        }
        return Ok(at);
    }
    if let Some(time) = lower.strip_prefix("tomorrow ").and_then(clock_time) {
        let day = today.checked_add_days(Days::new(1)).ok_or_else(out_of_range)?;
        return earliest(day.and_time(time), zone).ok_or_else(out_of_range);
    }
    match calendar(&lower) {
        Some(naive) => earliest(naive, zone).ok_or_else(out_of_range),
        None => Err(format!("{text:?} is not a point in time; {FORMS}")),
    }
}

fn clock_time(text: &str) -> Option<NaiveTime> {
    let text = text.trim();
    let format = if text.matches(':').count() == 2 { "%H:%M:%S" } else { "%H:%M" };
    let plain = text.len() <= 8 && text.bytes().all(|b| b.is_ascii_digit() || b == b':');
    NaiveTime::parse_from_str(text, format).ok().filter(|_| plain)
}

/// `2026-11-30`, with a time of day after `t` or a space.
fn calendar(text: &str) -> Option<NaiveDateTime> {
    let (date, time) = match text.split_once(['t', ' ']) {
        Some((date, time)) => (date, clock_time(time)?),
        None => (text, NaiveTime::MIN),
    };
    let date = NaiveDate::parse_from_str(date, "%Y-%m-%d").ok()?;
    (1..=9999).contains(&date.year()).then(|| date.and_time(time))
}

/// All instants at which a clock in `zone` shows `naive`: none, one or two, the earlier first.
fn instants<Z: TimeZone>(naive: NaiveDateTime, zone: &Z) -> [Option<Wall>; 2] {
    let found = zone.from_local_datetime(&naive);
    let wall = |at: DateTime<Z>| Wall(at.timestamp_millis());
    let (first, last) = (found.clone().earliest().map(wall), found.latest().map(wall));
    [first, last.filter(|last| Some(*last) != first)]
}

/// The earlier instant that shows `naive`, or the first one after the gap that swallowed it.
pub fn earliest<Z: TimeZone>(naive: NaiveDateTime, zone: &Z) -> Option<Wall> {
    // The longest gap ever was a whole day, when a country crossed the date line.
    const MINUTES: i64 = 25 * 60;
    (0..MINUTES).find_map(|minute| {
        // Only the first try may keep seconds: the gap ends on a whole minute.
        let later = naive.checked_add_signed(TimeDelta::minutes(minute))?;
        let tried = if minute == 0 { later } else { on_the_minute(later) };
        instants(tried, zone)[0]
    })
}

fn on_the_minute(naive: NaiveDateTime) -> NaiveDateTime {
    use chrono::Timelike;
    naive.with_second(0).and_then(|t| t.with_nanosecond(0)).unwrap_or(naive)
}

/// The next instant after `now` at which the clock shows `time`.
fn next<Z: TimeZone>(time: NaiveTime, today: NaiveDate, now: Wall, zone: &Z) -> Option<Wall> {
    let on = |day: NaiveDate| {
        let [first, second] = instants(day.and_time(time), zone);
        let first = first.or_else(|| earliest(day.and_time(time), zone));
        [first, second].into_iter().flatten().find(|at| *at > now)
    };
    (0..3).find_map(|days| on(today.checked_add_days(Days::new(days))?))
}

/// What clocks and calendars in `zone` show at `at`; `None` far outside any calendar.
pub fn local<Z: TimeZone>(at: Wall, zone: &Z) -> Option<NaiveDateTime> {
    let utc = DateTime::from_timestamp_millis(at.0)?.naive_utc();
    // An offset is less than a day; near the ends of the calendar adding it would panic.
    let within = (-260_000..=260_000).contains(&utc.year());
    within.then(|| zone.from_utc_datetime(&utc).naive_local())
}

/// The time of day: `14:05`.
pub fn clock<Z: TimeZone>(at: Wall, zone: &Z) -> String {
    local(at, zone).map_or_else(|| "?".to_owned(), |at| at.format("%H:%M").to_string())
}

/// The time of day with as much of the date as `now` makes needed: `14:05`, `tomorrow 08:00`,
/// `yesterday 22:10`, `30 Nov 08:00`, `2027-01-03 08:00`.
pub fn day_clock<Z: TimeZone>(at: Wall, now: Wall, zone: &Z) -> String {
    let (Some(at), Some(now)) = (local(at, zone), local(now, zone)) else {
        return "?".to_owned();
    };
    let days = at.date().signed_duration_since(now.date()).num_days();
    let format = match days {
        0 => "%H:%M",
        1 => "tomorrow %H:%M",
        -1 => "yesterday %H:%M",
        _ if at.year() == now.year() || (-60..=60).contains(&days) => "%-d %b %H:%M",
        _ => "%Y-%m-%d %H:%M",
    };
    at.format(format).to_string()
}

#[cfg(test)]
#[path = "moment/tests.rs"]
mod tests;
