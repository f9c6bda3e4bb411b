//! The simulation's ledger: a meter beside the world, and the last intervals it closed.

use std::collections::VecDeque;

use crate::base::{At, Mono, Wall};
use crate::ledger::{Interval, Meter, Report, Tally};
use crate::model::Fact;
use crate::model::page::KeptDay;
use crate::model::page::usage::{UsagePage, UsageQuery};

/// Intervals that are kept; older ones are gone.
const KEPT_MAX: usize = 100_000;

/// What was metered.
#[derive(Default)]
pub(super) struct Books {
    meter: Meter,
    day: Tally,
    closed: VecDeque<Interval>,
}

impl Books {
    /// Takes the facts of a decision.
    pub fn take(&mut self, at: At, facts: &[Fact]) {
        let mut closed = Vec::new();
        facts.iter().for_each(|fact| self.meter.apply(at, fact, &mut closed));
        closed.iter().for_each(|interval| self.day.add(interval, at.now));
        self.closed.extend(closed);
        let beyond = self.closed.len().saturating_sub(KEPT_MAX);
        self.closed.drain(..beyond);
    }

    /// What was kept for waiting jobs over the last day.
    pub fn kept_day(&self, at: At) -> KeptDay {
        let mut day = self.day.clone();
        self.meter.settle(at.now).iter().for_each(|interval| day.add(interval, at.now));
        let (reserved, all) = day.sums(at.now);
        KeptDay { reserved, all }
    }

    /// Sums of what is kept. The simulation's two clocks never part.
    pub fn usage(&self, query: UsageQuery, seq: u64, at: At) -> UsagePage {
        let to = query.to.unwrap_or(at.wall).min(at.wall);
        let mono = |wall: Wall| at.now - at.wall.since(wall);
        let (from, until) = (query.from.map_or(Mono(0), mono), mono(to));
        let mut report = Report::new(query.by);
        let open = self.meter.settle(at.now);
        self.closed.iter().chain(&open).for_each(|interval| report.add(interval, from, until));
        UsagePage { by: query.by, from: query.from, to, rows: report.rows(), seq, at }
    }
}
