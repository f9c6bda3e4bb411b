//! What is expected, in words.

use crate::base::{Name, Span, duration};
use crate::model::estimate::{Confidence, Estimate, Forecast, Origin};
use crate::model::page::KeptRoom;
use crate::view::sight::Sight;

/// How long it will run, and how that is known.
pub fn estimate(estimate: &Estimate) -> String {
    let (median, p90) = (duration::prose(estimate.median), duration::prose(estimate.p90));
    let length = match estimate.median == estimate.p90 {
        true => median,
        false => format!("{median}, nine of ten within {p90}"),
    };
    let origin = match estimate.origin {
        Origin::Own => "as submitted",
        Origin::Name => "from earlier runs of that name",
        Origin::Executable => "from earlier runs of that program",
        Origin::Team => "from earlier runs of the team",
        Origin::Limit => "its time limit",
        Origin::Prior => "nothing is known of such jobs",
    };
    match estimate.confidence {
        Confidence::None if estimate.origin != Origin::Prior => {
            format!("outlived, taken for {length} by now ({origin})")
        }
        Confidence::None => format!("unknown, taken for {length} ({origin})"),
        Confidence::Low => format!("{length} ({origin}; rough)"),
        Confidence::High => format!("{length} ({origin})"),
    }
}

/// When it will probably start: `starts 14:25–14:50`.
pub fn forecast(forecast: &Forecast, sight: &Sight) -> String {
    let (from, to) = (sight.day(forecast.from), sight.day(forecast.to));
    let soon = forecast.to <= sight.now.wall + Span::mins(1);
    match from == to {
        // Of what runs as if for ever no minute is known.
        _ if soon && forecast.guess => "start unknown".to_owned(),
        _ if soon => "starts any minute".to_owned(),
        true => format!("starts ~{from}"),
        // The same day is said once.
        false => match (from.rsplit_once(' '), to.rsplit_once(' ')) {
            (Some((day, _)), Some((same, time))) if day == same => format!("starts {from}–{time}"),
            _ => format!("starts {from}–{to}"),
        },
    }
}

/// Room that is kept: `room kept from 14:20`.
pub fn kept(kept: &KeptRoom, sight: &Sight) -> String {
    match kept.from <= sight.now.wall {
        true => "room kept now".to_owned(),
        false => format!("room kept from {}", sight.day(kept.from)),
    }
}

/// When a job that people are asked about will probably be back, and where room is kept for it
/// then: `returns ~14:20, room kept on n1`.
pub fn back(forecast: &Forecast, kept_on: &[Name], sight: &Sight) -> String {
    let returns = self::forecast(forecast, sight).replacen("start", "return", 1);
    let nodes: Vec<&str> = kept_on.iter().map(|node| &**node).collect();
    match nodes.is_empty() {
        true => returns,
        false => format!("{returns}, room kept on {}", nodes.join(", ")),
    }
}

/// What such forecasts were worth so far.
pub fn worth(forecast: &Forecast) -> String {
    match forecast.hits_percent {
        Some(percent) => format!("{percent}% of such forecasts came true"),
        None => "too few such forecasts to say how good they are".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::Wall;
    use crate::view::sample::{NOON, at};

    #[test]
    fn an_estimate_says_where_it_comes_from_and_what_it_is_worth() {
        let of = |median, p90, origin, confidence| {
            let (median, p90) = (Span::mins(median), Span::mins(p90));
            estimate(&Estimate { median, p90, origin, confidence })
        };
        let learned = of(12, 20, Origin::Name, Confidence::High);
        assert_eq!(learned, "12m, nine of ten within 20m (from earlier runs of that name)");
        assert_eq!(of(5, 5, Origin::Own, Confidence::Low), "5m (as submitted; rough)");
        let unknown = of(30, 30, Origin::Prior, Confidence::None);
        assert_eq!(unknown, "unknown, taken for 30m (nothing is known of such jobs)");
        let outlived = of(10, 10, Origin::Own, Confidence::None);
        assert_eq!(outlived, "outlived, taken for 10m by now (as submitted)");
    }

    #[test]
    fn a_forecast_is_a_range_that_says_each_thing_once() {
        let sight = Sight::utc(at(0));
        let of = |from: u64, to: u64| {
            let wall = |mins| Wall(NOON) + Span::mins(mins);
            let (from, to) = (wall(from), wall(to));
            forecast(&Forecast { from, to, hits_percent: None, guess: false }, &sight)
        };
        assert_eq!(of(0, 0), "starts any minute");
        let (from, to) = (Wall(NOON), Wall(NOON));
        let guess = Forecast { from, to, hits_percent: None, guess: true };
        assert_eq!(forecast(&guess, &sight), "start unknown", "what runs has no known end");
        assert_eq!(of(90, 90), "starts ~14:30");
        assert_eq!(of(85, 110), "starts 14:25–14:50");
        assert_eq!(of(60 * 24, 60 * 25), "starts tomorrow 13:00–14:00");
        assert_eq!(of(60, 60 * 24), "starts 14:00–tomorrow 13:00");
        let back = Forecast {
            from: Wall(NOON) + Span::mins(80),
            to: Wall(NOON) + Span::mins(80),
            hits_percent: None,
            guess: false,
        };
        assert_eq!(super::back(&back, &[], &sight), "returns ~14:20");
        let kept = super::back(&back, &["n1".into(), "n2".into()], &sight);
        assert_eq!(kept, "returns ~14:20, room kept on n1, n2");
    }
}
