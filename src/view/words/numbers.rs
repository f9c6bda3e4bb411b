//! Reads the numbers behind a reason or finding. What is missing is `None`, never a guess.

use crate::base::calendar::clock_in;
use crate::base::text::sanitise;
use crate::base::{Span, Wall, duration, quantity};
use crate::model::reason::{Numbers, Value};
use crate::view::sight::Sight;

/// Access to [`Numbers`] by kind.
#[derive(Clone, Copy)]
pub struct Read<'a> {
    numbers: &'a Numbers,
    sight: &'a Sight,
}

impl<'a> Read<'a> {
    /// The numbers as seen from somewhere.
    pub fn new(numbers: &'a Numbers, sight: &'a Sight) -> Read<'a> {
        Read { numbers, sight }
    }

    /// An amount that is not negative.
    pub fn amount(&self, name: &str) -> Option<u64> {
        match self.numbers.get(name)? {
            Value::Int(n) => u64::try_from(*n).ok(),
            Value::Text(text) => text.parse().ok(),
        }
    }

    /// A name or list, sanitised; a number as its digits; `None` if empty.
    pub fn text(&self, name: &str) -> Option<String> {
        let text = match self.numbers.get(name)? {
            Value::Int(n) => n.to_string(),
            Value::Text(text) => sanitise(text).into_owned(),
        };
        (!text.is_empty()).then_some(text)
    }

    /// A point in time in words.
    pub fn day(&self, name: &str) -> Option<String> {
        match self.numbers.get(name)? {
            Value::Int(ms) => Some(self.sight.day(Wall(*ms))),
            Value::Text(_) => None,
        }
    }

    /// A point in time by the clocks of a zone, both named.
    pub fn clock(&self, name: &str, zone: &str) -> Option<String> {
        let Value::Int(ms) = self.numbers.get(name)? else { return None };
        Some(clock_in(&self.text(zone)?, Wall(*ms), self.sight.now.wall))
    }

    /// A point in time that is near as a distance (`in 4s`), another one as a date (`at 14:05`).
    pub fn soon(&self, name: &str) -> Option<String> {
        let Value::Int(ms) = self.numbers.get(name)? else { return None };
        let left = Wall(*ms).since(self.sight.now.wall);
        let near = left > Span::ZERO && left < Span::hours(1);
        Some(match near {
            true => format!("in {}", duration::short(left)),
            false => format!("at {}", self.sight.day(Wall(*ms))),
        })
    }

    /// ` (word X)`, or nothing when there is no X.
    pub fn aside(&self, word: &str, name: &str) -> String {
        self.text(name).map_or_else(String::new, |text| format!(" ({word}{text})"))
    }

    /// Everything there is, in the order of the names: `best 3 GPUs, node n1`.
    pub fn all(&self) -> String {
        let parts = self.numbers.iter().map(|(name, value)| self.named(name, value));
        parts.collect::<Vec<_>>().join(", ")
    }

    /// The same without some.
    pub fn all_but(&self, left_out: &[&str]) -> String {
        let kept = self.numbers.iter().filter(|(name, _)| !left_out.contains(&&***name));
        kept.map(|(name, value)| self.named(name, value)).collect::<Vec<_>>().join(", ")
    }

    /// One value with its name; the unit at the end of the name decides how it is written.
    fn named(&self, name: &str, value: &Value) -> String {
        let plain = |name: &str| sanitise(name).replace('_', " ");
        let Value::Int(number) = value else {
            let Value::Text(text) = value else { return plain(name) };
            return format!("{} {}", plain(name), sanitise(text));
        };
        let amount = u64::try_from(*number).unwrap_or(0);
        let (stem, shown) = if let Some(stem) = name.strip_suffix("_ms") {
            (stem, duration::prose(Span(amount)))
        } else if let Some(stem) = name.strip_suffix("_at") {
            (stem, self.sight.day(Wall(*number)))
        } else if let Some(stem) = name.strip_suffix("_bytes") {
            (stem, quantity::format_bytes(amount))
        } else if let Some(stem) = name.strip_suffix("_milli") {
            (stem, quantity::format_gpu(amount))
        } else {
            (name, number.to_string())
        };
        format!("{} {shown}", plain(stem))
    }
}
