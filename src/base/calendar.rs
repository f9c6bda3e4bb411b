//! Weekly windows on the calendar of a named place: from when until when, clocks changed or not.
//!
//! The only place that knows time zones by name. A time of day that a change of the clocks skips
//! means the first instant after the gap; one that happens twice means the earlier. Beginnings and
//! ends follow the same rule, so that windows which touch on the clock touch in time too: none
//! overlaps, and no instant is lost between them. Start with [`Weekly`].

use chrono::{Datelike, Days, NaiveDate, NaiveTime};
use chrono_tz::Tz;
use serde::{Deserialize, Serialize};

use crate::base::moment::{earliest, local};
use crate::base::{Name, Wall, nearest};

/// Names of days, Monday first.
const DAYS: [&str; 7] = ["mon", "tue", "wed", "thu", "fri", "sat", "sun"];
/// Minutes of a day; `24:00` is the end of one.
const DAY: u16 = 24 * 60;

/// An interval that comes again every week. One whose end is not after its beginning on the clock
/// ends on the next day.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Weekly {
    /// The zone by its name: `Europe/Berlin`.
    pub zone: Name,
    /// Days on which it begins, Monday in the lowest bit.
    pub days: u8,
    /// Minute of the day at which it begins.
    pub from: u16,
    /// Minute of the day at which it ends, up to 1440.
    pub to: u16,
}

/// One time that a window is open.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Open {
    /// From this instant.
    pub from: Wall,
    /// Up to this one, which it leaves out.
    pub until: Wall,
}

impl Weekly {
    /// Reads a window: a zone's name, days such as `mon-fri`, `sat,sun` or `daily`, times such as
    /// `08:00` and `24:00`.
    ///
    /// # Errors
    /// What is wrong and what to write instead; a window that could never open is refused.
    pub fn parse(zone: &str, days: &str, from: &str, to: &str) -> Result<Weekly, String> {
        let zone = zone_name(zone)?;
        let days = parse_days(days)?;
        let (from, to) = (parse_minute(from)?, parse_minute(to)?);
        if from == DAY {
            return Err("a window that begins at 24:00; write 00:00 of the next day".to_owned());
        }
        if from == to {
            let why = "a window that ends when it begins never opens";
            return Err(format!("{why}; write 00:00 to 24:00 for the whole day"));
        }
        Ok(Weekly { zone, days, from, to })
    }

    /// The time it is open at `at`, if it is. Times that follow without a break are one.
    pub fn open_at(&self, at: Wall) -> Option<Open> {
        let mut times = self.times(at);
        let mut open = times.find(|open| open.from <= at && at < open.until)?;
        for next in times {
            if next.from > open.until {
                break;
            }
            open.until = open.until.max(next.until);
        }
        Some(open)
    }

    /// The first instant after `at` at which it opens or closes.
    pub fn next_edge(&self, at: Wall) -> Option<Wall> {
        match self.open_at(at) {
            Some(open) => Some(open.until),
            None => self.times(at).map(|open| open.from).find(|from| *from > at),
        }
    }

    /// The times it is open around `at` and in the week after, in order. One that the clocks
    /// swallow whole is left out.
    fn times(&self, at: Wall) -> impl Iterator<Item = Open> + '_ {
        let zone = self.zone.parse::<Tz>().ok();
        let first = zone.and_then(|zone| local(at, &zone)).map(|now| now.date());
        // Two days back: one that ends on the next day may have begun then in a far zone's terms.
        let day =
            move |n: u64| first?.checked_sub_days(Days::new(2))?.checked_add_days(Days::new(n));
        let times = (0..11).filter_map(day).filter(|day| self.begins_on(*day));
        times.filter_map(move |day| self.on(day, &zone?)).filter(|open| open.from < open.until)
    }

    fn begins_on(&self, day: NaiveDate) -> bool {
        self.days >> day.weekday().num_days_from_monday() & 1 == 1
    }

    fn on(&self, day: NaiveDate, zone: &Tz) -> Option<Open> {
        let next = day.checked_add_days(Days::new(1))?;
        let until = if self.to > self.from {
            instant(day, self.to, zone)
        } else {
            instant(next, self.to, zone)
        };
        Some(Open { from: instant(day, self.from, zone)?, until: until? })
    }

    /// Its hours: `mon-fri 08:00-18:00 Europe/Berlin`.
    pub fn words(&self) -> String {
        let clock = |minute: u16| format!("{:02}:{:02}", minute / 60, minute % 60);
        format!("{} {}-{} {}", self.day_words(), clock(self.from), clock(self.to), self.zone)
    }

    /// Its days as [`Weekly::parse`] reads them: `mon-fri`, `sat,sun`, `daily`.
    pub fn day_words(&self) -> String {
        if self.days & 0x7f == 0x7f {
            return "daily".to_owned();
        }
        let on = |day: usize| day < 7 && self.days >> day & 1 == 1;
        let mut parts = Vec::new();
        let mut day = 0;
        while day < 7 {
            let mut last = day;
            while on(day) && on(last + 1) {
                last += 1;
            }
            match last - day {
                _ if !on(day) => {}
                0 => parts.push(DAYS[day].to_owned()),
                1 => parts.push(format!("{},{}", DAYS[day], DAYS[last])),
                _ => parts.push(format!("{}-{}", DAYS[day], DAYS[last])),
            }
            day = last + 1;
        }
        parts.join(",")
    }
}

/// The instant at which a day's clock shows a minute; 1440 is the next midnight.
fn instant(day: NaiveDate, minute: u16, zone: &Tz) -> Option<Wall> {
    let (day, minute) = match minute {
        DAY.. => (day.checked_add_days(Days::new(1))?, 0),
        _ => (day, minute),
    };
    let time = NaiveTime::from_num_seconds_from_midnight_opt(u32::from(minute) * 60, 0)?;
    earliest(day.and_time(time), zone)
}

/// What a clock in a named zone shows at an instant, with the zone's short name and with the day if
/// it is another than that of `now`: `18:00 Berlin`, `Mon 08:00 New York`.
pub fn clock_in(zone: &str, at: Wall, now: Wall) -> String {
    let city = zone.rsplit('/').next().unwrap_or(zone).replace('_', " ");
    let shown =
        zone.parse::<Tz>().ok().and_then(|zone| Some((local(at, &zone)?, local(now, &zone)?)));
    let Some((at, now)) = shown else { return format!("? {city}") };
    let format = if at.date() == now.date() { "%H:%M" } else { "%a %H:%M" };
    format!("{} {city}", at.format(format))
}

fn zone_name(text: &str) -> Result<Name, String> {
    let known = chrono_tz::TZ_VARIANTS;
    if let Some(zone) = known.iter().find(|zone| zone.name().eq_ignore_ascii_case(text)) {
        return Ok(zone.name().into());
    }
    let names = known.iter().map(|zone| zone.name());
    // A city alone is what people try first.
    let city = known
        .iter()
        .map(|zone| zone.name())
        .find(|name| name.rsplit('/').next().is_some_and(|city| city.eq_ignore_ascii_case(text)));
    let hint = city.or_else(|| nearest(text, names)).unwrap_or("Europe/Berlin");
    Err(format!("{text:?} is no time zone; write one such as {hint}"))
}

fn parse_days(text: &str) -> Result<u8, String> {
    let wrong = || format!("{text:?} are no days; write mon-fri, sat,sun or daily");
    let lower = text.to_ascii_lowercase();
    if ["daily", "all", "*"].contains(&lower.trim()) {
        return Ok(0x7f);
    }
    let day = |word: &str| DAYS.iter().position(|day| *day == word.trim()).ok_or_else(wrong);
    let mut days = 0u8;
    for part in lower.split(',') {
        let (first, last) = part.split_once('-').unwrap_or((part, part));
        let (mut at, last) = (day(first)?, day(last)?);
        days |= 1 << at;
        // `fri-mon` goes over the end of the week.
        while at != last {
            at = (at + 1) % 7;
            days |= 1 << at;
        }
    }
    Ok(days)
}

fn parse_minute(text: &str) -> Result<u16, String> {
    let wrong = || format!("{text:?} is no time of day; write 08:00, or 24:00 for its end");
    let (hours, minutes) = text.split_once(':').ok_or_else(wrong)?;
    let digits = |part: &str| part.len() <= 2 && part.bytes().all(|b| b.is_ascii_digit());
    if !digits(hours) || !digits(minutes) || minutes.len() != 2 {
        return Err(wrong());
    }
    let (hours, minutes): (u16, u16) =
        (hours.parse().map_err(|_| wrong())?, minutes.parse().map_err(|_| wrong())?);
    let minute = hours * 60 + minutes;
    if minutes > 59 || minute > DAY { Err(wrong()) } else { Ok(minute) }
}

#[cfg(test)]
#[path = "calendar/tests.rs"]
mod tests;
