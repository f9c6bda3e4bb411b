//! Days: what the intervals of a day came to, once the intervals themselves are kept no longer.
//!
//! Sums are by node, team and class, of each resource for itself, in whole numbers; so for each
//! node the classes of a day sum to what there was of it: capacity × time. That total is added up
//! beside the sums, so that [`Day::balance`] finds a sum that was lost, doubled or changed.
//!
//! A day is one of the calendar in UTC. An interval is cut at midnight, and each day gets its part.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::base::{At, Mono, Name, Span, Wall};
use crate::ledger::interval::Interval;
use crate::ledger::report::add;
use crate::model::fact::Class;
use crate::model::page::usage::Used;

/// Milliseconds of a day.
pub const DAY: i64 = 86_400_000;
/// Days that one interval is cut into at most; what is left over counts to the last of them.
const CUTS_MAX: i64 = 20_000;

/// What a sum is of.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Key {
    /// Where; `None` for countable resources that nobody holds.
    pub node: Option<Name>,
    /// Who pays; `None` for what nobody held.
    pub team: Option<Name>,
    /// How it is booked.
    pub class: Class,
}

/// Amounts times milliseconds, device by device.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Sums {
    cpu_milli_ms: u128,
    mem_byte_ms: u128,
    gpu_milli_ms: BTreeMap<u32, u128>,
    custom_ms: BTreeMap<Name, u128>,
}

/// The sums of one day.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(from = "Stored", into = "Stored")]
pub struct Day {
    sums: BTreeMap<Key, Sums>,
    /// All there was, by node.
    there: BTreeMap<Option<Name>, Sums>,
}

/// A day as it is stored.
#[derive(Serialize, Deserialize)]
struct Stored {
    sums: Vec<(Key, Sums)>,
    there: Vec<(Option<Name>, Sums)>,
}

impl From<Stored> for Day {
    fn from(from: Stored) -> Day {
        Day { sums: from.sums.into_iter().collect(), there: from.there.into_iter().collect() }
    }
}

impl From<Day> for Stored {
    fn from(from: Day) -> Stored {
        Stored { sums: from.sums.into_iter().collect(), there: from.there.into_iter().collect() }
    }
}

/// The day of the calendar in which an instant lies.
pub fn day_of(wall: Wall) -> i64 {
    wall.0.div_euclid(DAY)
}

/// When a day begins.
pub fn begins(day: i64) -> Wall {
    Wall(day.saturating_mul(DAY))
}

impl Sums {
    fn add(&mut self, interval: &Interval, span: Span) {
        let mut used = Used::default();
        add(&mut used, &interval.amounts, span);
        self.cpu_milli_ms += used.cpu_milli_ms;
        self.mem_byte_ms += used.mem_byte_ms;
        for share in &interval.amounts.gpus {
            let sum = u128::from(share.milli) * u128::from(span.0);
            *self.gpu_milli_ms.entry(share.index).or_default() += sum;
        }
        for (name, sum) in used.custom_ms {
            *self.custom_ms.entry(name).or_default() += sum;
        }
    }

    fn merge(&mut self, more: &Sums) {
        self.cpu_milli_ms += more.cpu_milli_ms;
        self.mem_byte_ms += more.mem_byte_ms;
        for (index, sum) in &more.gpu_milli_ms {
            *self.gpu_milli_ms.entry(*index).or_default() += sum;
        }
        for (name, sum) in &more.custom_ms {
            *self.custom_ms.entry(name.clone()).or_default() += sum;
        }
    }

    /// The same without telling devices apart.
    pub fn used(&self) -> Used {
        Used {
            cpu_milli_ms: self.cpu_milli_ms,
            mem_byte_ms: self.mem_byte_ms,
            gpu_milli_ms: self.gpu_milli_ms.values().sum(),
            custom_ms: self.custom_ms.clone(),
        }
    }
}

impl Day {
    /// The sums, by what they are of.
    pub fn sums(&self) -> &BTreeMap<Key, Sums> {
        &self.sums
    }

    /// Adds what another part of the same day came to.
    pub fn merge(&mut self, more: &Day) {
        for (key, sums) in &more.sums {
            self.sums.entry(key.clone()).or_default().merge(sums);
        }
        for (node, sums) in &more.there {
            self.there.entry(node.clone()).or_default().merge(sums);
        }
    }

    /// Each node whose classes do not sum to what there was, in words.
    pub fn balance(&self) -> Vec<String> {
        let mut booked: BTreeMap<Option<Name>, Sums> = BTreeMap::new();
        for (key, sums) in &self.sums {
            booked.entry(key.node.clone()).or_default().merge(sums);
        }
        let nodes = self.there.keys().chain(booked.keys());
        let nodes: std::collections::BTreeSet<_> = nodes.collect();
        let wrong = nodes.into_iter().filter(|node| booked.get(*node) != self.there.get(*node));
        let said = wrong.map(|node| {
            let name = node.as_deref().unwrap_or("what is no node's");
            format!("{name}: its classes do not sum to what there was")
        });
        said.collect()
    }

    fn add(&mut self, interval: &Interval, span: Span) {
        let team = interval.holder.as_ref().map(|holder| holder.team.clone());
        let key = Key { node: interval.node.clone(), team, class: interval.class };
        self.sums.entry(key).or_default().add(interval, span);
        self.there.entry(interval.node.clone()).or_default().add(interval, span);
    }
}

/// Adds an interval to its days. `at` is when it was stored: it says how the two clocks stood to
/// each other.
pub fn add_to(days: &mut BTreeMap<i64, Day>, interval: &Interval, at: At) {
    let (first, last) =
        (day_of(wall(interval.from, at)), day_of(wall(Mono(interval.to.0.saturating_sub(1)), at)));
    let last = last.min(first.saturating_add(CUTS_MAX));
    let mut from = interval.from;
    for day in first..=last {
        let ends = if day == last { interval.to } else { mono(begins(day + 1), at) };
        let to = ends.min(interval.to).max(from);
        if to > from {
            days.entry(day).or_default().add(interval, to.since(from));
        }
        from = to;
    }
}

fn wall(mono: Mono, at: At) -> Wall {
    at.wall + mono.since(at.now) - at.now.since(mono)
}

fn mono(wall: Wall, at: At) -> Mono {
    at.now + wall.since(at.wall) - at.wall.since(wall)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::{JobId, TaskId};
    use crate::ledger::{Amounts, Holder};
    use crate::model::job::GpuShare;

    const NOON: i64 = 20_000 * DAY + DAY / 2;

    fn interval(team: Option<&str>, cpu_milli: u64, from: u64, to: u64) -> Interval {
        let task = TaskId { job: JobId(1), attempt: 1, rank: 0 };
        let class = if team.is_some() { Class::Productive } else { Class::Idle };
        Interval {
            node: Some("n1".into()),
            holder: team.map(|team| Holder { task, team: team.into() }),
            class,
            from: Mono(from),
            to: Mono(to),
            amounts: Amounts {
                cpu_milli,
                mem_bytes: u64::MAX,
                gpus: vec![GpuShare { index: 1, milli: 250 }],
                custom: [("api".into(), 2)].into(),
            },
        }
    }

    #[test]
    fn an_interval_is_cut_at_midnight_and_nothing_of_it_is_lost() {
        let (now, hour) = (1_000_000_000, 3_600_000);
        let at = At { now: Mono(now), wall: Wall(NOON) };
        let mut days = BTreeMap::new();
        // From 18 h on the day before yesterday to noon.
        add_to(&mut days, &interval(Some("ml"), 1500, now - 42 * hour, now), at);
        let cores: Vec<(i64, u128)> = days
            .iter()
            .map(|(day, of)| (*day, of.sums().values().map(|sums| sums.cpu_milli_ms).sum()))
            .collect();
        let of = |hours: u64| u128::from(1500 * hours * hour);
        assert_eq!(cores, [(19_998, of(6)), (19_999, of(24)), (20_000, of(12))]);
        let mut all = Day::default();
        days.values().for_each(|day| all.merge(day));
        let mut whole = Day::default();
        whole.add(&interval(Some("ml"), 1500, now - 42 * hour, now), Span(42 * hour));
        assert_eq!(all, whole, "memory, devices and countable resources as well");
    }

    #[test]
    fn the_classes_of_a_whole_day_sum_to_capacity_times_time() {
        let at = At { now: Mono(u64::try_from(DAY).unwrap()), wall: Wall(DAY * 20_000) };
        let mut days = BTreeMap::new();
        let edge = 50_000_001;
        add_to(&mut days, &interval(Some("ml"), 1000, 0, edge), at);
        add_to(&mut days, &interval(None, 3000, 0, edge), at);
        add_to(&mut days, &interval(None, 4000, edge, at.now.0), at);
        assert_eq!(days.keys().copied().collect::<Vec<_>>(), [19_999]);
        let day = &days[&19_999];
        let booked: u128 = day.sums().values().map(|sums| sums.cpu_milli_ms).sum();
        assert_eq!(booked, 4000 * u128::from(at.now.0));
        assert_eq!(day.balance(), [""; 0]);
    }

    #[test]
    fn a_day_reads_back_and_a_changed_sum_is_named() {
        let at = At { now: Mono(1000), wall: Wall(NOON) };
        let mut days = BTreeMap::new();
        add_to(&mut days, &interval(Some("ml"), 1500, 0, 999), at);
        add_to(&mut days, &interval(None, 500, 0, 999), at);
        let day = days.into_values().next().unwrap();
        let bytes = serde_json::to_vec(&day).unwrap();
        let back: Day = serde_json::from_slice(&bytes).unwrap();
        assert_eq!(back, day);
        let mut less = back;
        less.sums.pop_first();
        assert_eq!(less.balance(), ["n1: its classes do not sum to what there was"]);
    }

    #[test]
    fn no_interval_is_too_long() {
        let at = At { now: Mono(u64::MAX), wall: Wall(i64::MAX) };
        let mut days = BTreeMap::new();
        add_to(&mut days, &interval(None, 1, 0, u64::MAX), at);
        let all: u128 = days
            .values()
            .flat_map(|day: &Day| day.sums().values())
            .map(|sums| sums.cpu_milli_ms)
            .sum();
        assert_eq!(all, u128::from(u64::MAX));
    }
}
