//! Lengths of time as people write and read them.
//!
//! Read: `90s`, `1h30m`, `2d`, Slurm's `D-HH:MM:SS` family and ISO 8601. Printed: [`short`] for
//! tables, [`prose`] for sentences, [`exact`] for what reads back.

use crate::base::Span;

/// The longest length that is taken: a hundred years. Anything above is a slip.
pub const LONGEST: Span = Span::hours(24 * 36_500);

/// Reads a length of time.
///
/// Slurm's forms mean what they mean there: `MM:SS`, `HH:MM:SS`, `D-HH`, `D-HH:MM`,
/// `D-HH:MM:SS`. A part of a millisecond is rounded up.
///
/// # Errors
/// What is wrong and what to write instead; a number without a unit is refused.
pub fn parse(text: &str) -> Result<Span, String> {
    let text = text.trim();
    if text.is_empty() {
        return Err("an empty text is no length of time; write 90s, 1h30m or 2d".to_owned());
    }
    if text.bytes().all(|b| b.is_ascii_digit()) {
        return Err(format!("{text:?} has no unit; write {text}s, {text}m or {text}h"));
    }
    let dashed = |(days, rest): (&str, &str)| is_number(days) && !rest.is_empty();
    let millis = if text.starts_with(['P', 'p']) {
        iso(text)
    } else if text.contains(':') || text.split_once('-').is_some_and(dashed) {
        slurm(text)
    } else {
        return spelled(text);
    };
    let millis = millis.ok_or_else(|| wrong(text))?;
    bounded(text, millis)
}

fn wrong(text: &str) -> String {
    format!("{text:?} is not a length of time; write 90s, 1h30m, 2d or 1-12:00:00")
}

fn bounded(text: &str, millis: u128) -> Result<Span, String> {
    match u64::try_from(millis) {
        Ok(millis) if millis <= LONGEST.0 => Ok(Span(millis)),
        _ => Err(format!("{text:?} is longer than a hundred years; write a shorter time")),
    }
}

fn spelled(text: &str) -> Result<Span, String> {
    if text.starts_with('-') {
        return Err(format!("{text:?} lies in the past; write a length such as 90s"));
    }
    match humantime::parse_duration(text) {
        Ok(length) => bounded(text, length.as_nanos().div_ceil(1_000_000)),
        Err(humantime::DurationError::NumberOverflow) => bounded(text, u128::MAX),
        Err(_) => Err(wrong(text)),
    }
}

fn is_number(text: &str) -> bool {
    !text.is_empty() && text.len() <= 12 && text.bytes().all(|b| b.is_ascii_digit())
}

fn number(text: &str) -> Option<u128> {
    if is_number(text) { text.parse().ok() } else { None }
}

/// `MM:SS`, `HH:MM:SS`, `D-HH`, `D-HH:MM`, `D-HH:MM:SS`, in milliseconds. Below the first part
/// minutes and seconds stay below 60, hours after days below 24.
fn slurm(text: &str) -> Option<u128> {
    let (days, clock) = match text.split_once('-') {
        Some((days, clock)) => (Some(number(days)?), clock),
        None => (None, text),
    };
    let parts = clock.split(':').map(number).collect::<Option<Vec<_>>>()?;
    let below = |part: u128, limit: u128| (part < limit).then_some(part);
    let (hours, minutes, seconds) = match (days.is_some(), parts.as_slice()) {
        (true, [h]) => (below(*h, 24)?, 0, 0),
        (true, [h, m]) => (below(*h, 24)?, below(*m, 60)?, 0),
        (true, [h, m, s]) => (below(*h, 24)?, below(*m, 60)?, below(*s, 60)?),
        (false, [m, s]) => (0, *m, below(*s, 60)?),
        (false, [h, m, s]) => (*h, below(*m, 60)?, below(*s, 60)?),
        _ => return None,
    };
    let hours = days.unwrap_or(0) * 24 + hours;
    Some(((hours * 60 + minutes) * 60 + seconds) * 1000)
}

/// `PnW` or `PnDTnHnMnS` in milliseconds, seconds with decimals. Years and months have no fixed
/// length and are not taken.
fn iso(text: &str) -> Option<u128> {
    let upper = text.to_ascii_uppercase();
    let body = upper.strip_prefix('P')?;
    let (date, time) = match body.split_once('T') {
        Some((_, "")) => return None,
        Some((date, time)) => (date, time),
        None => (body, ""),
    };
    if date.is_empty() && time.is_empty() {
        return None;
    }
    let week_or_day = [('W', 7 * 86_400_000), ('D', 86_400_000)];
    let clock = [('H', 3_600_000), ('M', 60_000), ('S', 1000)];
    Some(designated(date, &week_or_day)? + designated(time, &clock)?)
}

/// Sums `n` + designator pairs, each designator at most once and in order.
fn designated(mut text: &str, units: &[(char, u128)]) -> Option<u128> {
    let mut sum = 0u128;
    for (designator, millis) in units {
        let Some((amount, rest)) = text.split_once(*designator) else { continue };
        let (whole, fraction) = amount.split_once(['.', ',']).unwrap_or((amount, ""));
        let mut value = number(whole)?.checked_mul(*millis)?;
        if amount.len() > whole.len() {
            if *designator != 'S' || fraction.len() > 9 {
                return None;
            }
            let places = u32::try_from(fraction.len()).ok()?;
            value += (number(fraction)? * millis).div_ceil(10u128.pow(places));
        }
        sum = sum.checked_add(value)?;
        text = rest;
    }
    text.is_empty().then_some(sum)
}

/// For tables, rounded down: `0.3s`, `12s`, `48m`, `5h02`, `3d04h`, `120d`.
pub fn short(span: Span) -> String {
    let millis = span.0;
    let secs = millis / 1000;
    let (mins, hours, days) = (secs / 60, secs / 3600, secs / 86_400);
    match secs {
        0 if millis >= 100 => format!("0.{}s", millis / 100),
        0 => "0s".to_owned(),
        1..60 => format!("{secs}s"),
        60..3600 => format!("{mins}m"),
        3600..86_400 => format!("{hours}h{:02}", mins % 60),
        _ if days < 100 => format!("{days}d{:02}h", hours % 24),
        _ => format!("{days}d"),
    }
}

/// For sentences that tell, rounded down to the two largest units: `7h 28m`, `2d`, `12s`.
pub fn prose(span: Span) -> String {
    let whole = if span.0 < 1000 { span.0 } else { span.0 / 1000 * 1000 };
    let text = exact(Span(whole));
    let mut parts = text.split(' ');
    let two: Vec<&str> = parts.by_ref().take(2).collect();
    let unit = |part: &str| part.trim_start_matches(|c: char| c.is_ascii_digit()).to_owned();
    match two.as_slice() {
        // A day and some minutes: what is between is nothing, and so are they.
        [first, second] if !follows(&unit(first), &unit(second)) => (*first).to_owned(),
        two => two.join(" "),
    }
}

/// One unit comes right after another.
fn follows(first: &str, second: &str) -> bool {
    matches!((first, second), ("d", "h") | ("h", "m") | ("m", "s") | ("s", "ms"))
}

/// For what reads back, nothing left out: `1h 30m`, `2d 3s`, `1s 500ms`. Reads back with [`parse`].
pub fn exact(span: Span) -> String {
    let units = [(86_400_000, "d"), (3_600_000, "h"), (60_000, "m"), (1000, "s"), (1, "ms")];
    let mut rest = span.0;
    let mut parts = Vec::new();
    for (millis, unit) in units {
        if rest >= millis {
            parts.push(format!("{}{unit}", rest / millis));
            rest %= millis;
        }
    }
    if parts.is_empty() { "0s".to_owned() } else { parts.join(" ") }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn every_documented_form_is_read() {
        for (text, millis) in [
            ("90s", 90_000),
            ("1h30m", 5_400_000),
            ("1h 30m", 5_400_000),
            ("2d", 172_800_000),
            ("250ms", 250),
            ("1us", 1),
            ("0s", 0),
            ("1-12:00:00", 129_600_000),
            ("2-03", 183_600_000),
            ("2-03:30", 185_400_000),
            ("00:90:00", -1),
            ("01:30:00", 5_400_000),
            ("100:00:00", 360_000_000),
            ("05:30", 330_000),
            ("90:00", 5_400_000),
            ("PT1H30M", 5_400_000),
            ("P2D", 172_800_000),
            ("P1W", 604_800_000),
            ("PT0.5S", 500),
            ("p1dt1s", 86_401_000),
        ] {
            let read = parse(text).ok().map(|span| span.0);
            assert_eq!(read, u64::try_from(millis).ok(), "{text}");
        }
    }

    #[test]
    fn nonsense_is_refused() {
        for text in [
            "",
            " ",
            "abc",
            "-5s",
            "1:2:3:4",
            "1-25",
            "1-",
            "-1",
            "00:00:61",
            "P",
            "PT",
            "P1Y",
            "P1M",
            "PT1M1H",
            "PT1.5H",
            "99999999999999999999d",
            "1000000d",
            "9999999999999-00",
            ":",
            "é:é",
        ] {
            assert!(parse(text).is_err(), "{text}");
        }
        assert!(parse("90").unwrap_err().contains("90s, 90m or 90h"));
    }

    #[test]
    fn tables_get_short_texts_and_sentences_exact_ones() {
        for (millis, short_text, exact_text) in [
            (0, "0s", "0s"),
            (99, "0s", "99ms"),
            (300, "0.3s", "300ms"),
            (12_999, "12s", "12s 999ms"),
            (48 * 60_000, "48m", "48m"),
            (5 * 3_600_000 + 2 * 60_000, "5h02", "5h 2m"),
            (5_400_000, "1h30", "1h 30m"),
            (76 * 3_600_000, "3d04h", "3d 4h"),
            (120 * 86_400_000 + 1, "120d", "120d 1ms"),
        ] {
            assert_eq!(short(Span(millis)), short_text);
            assert_eq!(exact(Span(millis)), exact_text);
        }
    }

    #[test]
    fn sentences_that_tell_get_two_units() {
        for (millis, text) in [
            (0, "0s"),
            (300, "300ms"),
            (20_120, "20s"),
            (7 * 3_600_000 + 28 * 60_000 + 46_120, "7h 28m"),
            (2 * 86_400_000 + 60_000, "2d"),
            (90_000, "1m 30s"),
        ] {
            assert_eq!(prose(Span(millis)), text);
        }
    }

    proptest! {
        #[test]
        fn no_text_panics(text in "[0-9:PTDHMSdhms., -]{0,24}|\\PC{0,12}") {
            let _ = parse(&text);
        }

        #[test]
        fn what_is_printed_exactly_reads_back(millis in 0..=LONGEST.0) {
            prop_assert_eq!(parse(&exact(Span(millis))), Ok(Span(millis)));
        }
    }
}
