//! What teams used in the past, as far as it has not faded: it counts against their part of the
//! surplus (kai.md 1.1, time-based share). Only kept while the configuration has a half-life.
//!
//! It is wound forward by [`World::wind_use`] as facts come in, at most once a minute: between two
//! facts nobody's room changes, so a long quiet stretch is exact; a burst inside one minute may be
//! missed.

use std::collections::BTreeMap;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::base::{Mono, Name, Span};
use crate::sched::board::teams::total;
use crate::sched::policy::amounts::{Amounts, Kind};
use crate::sched::policy::usage::{part_ppb, wind};
use crate::sched::world::World;

/// How often it is wound forward at most.
const STEP: Span = Span::mins(1);
/// Memory is metered in MiB, so that a meter of bytes × seconds does not run over.
const MIB: u64 = 1 << 20;

/// Amounts × seconds, faded; memory in MiB.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct PastUse {
    /// Up to when, on the clock without down time.
    wound: Mono,
    /// The same of all there was.
    capacity: Amounts,
    /// By team that holds jobs; those above have the sum of theirs.
    teams: BTreeMap<Name, Amounts>,
}

impl PastUse {
    /// What a team used, for summing up the tree.
    pub fn of(&self, team: &str) -> Amounts {
        self.teams.get(team).copied().unwrap_or_default()
    }

    /// A use as billionths of what there was, each resource by itself.
    pub fn part(&self, used: &Amounts) -> Amounts {
        Amounts::each(|kind| part_ppb(used.get(kind), self.capacity.get(kind)))
    }
}

impl World {
    /// Adds what has been held since the last time. Whoever applies a fact calls it before.
    pub(super) fn wind_use(&mut self, now: Mono) {
        let Some(half_life) = self.setup.cycle.usage_half_life else {
            if *self.past != PastUse::default() {
                self.past = Arc::default();
            }
            return;
        };
        let active = self.active(now);
        let step = active.since(self.past.wound);
        if step < STEP {
            return;
        }
        let held = |team: &Name| self.index.account_of(team).held;
        let wound = |meter: Amounts, held: Amounts| {
            let in_units = |kind| match kind {
                Kind::Mem => held.get(kind) / MIB,
                Kind::Cpu | Kind::Gpu => held.get(kind),
            };
            Amounts::each(|kind| wind(meter.get(kind), in_units(kind), step, Some(half_life)))
        };
        let teams =
            self.teams.keys().map(|team| (team.clone(), wound(self.past.of(team), held(team))));
        let teams = teams.filter(|(_, used)| *used != Amounts::default()).collect();
        let capacity = wound(self.past.capacity, total(self));
        self.past = Arc::new(PastUse { wound: active, capacity, teams });
    }
}
