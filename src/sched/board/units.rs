//! Countable resources on the board: what is there, held, being given back and promised, and what
//! starts this minute.

use crate::base::Name;
use crate::model::Resources;
use crate::sched::board::place::Mode;
use crate::sched::board::{Board, Undo};
use crate::sched::policy::fit::{Level, When};

impl Board {
    /// A countable resource that is configured.
    pub(in crate::sched) fn units(&self, name: &Name) -> Option<Level> {
        if let Some(level) = self.custom.get(name) {
            return Some(*level);
        }
        let (held, releasing) = self.world.index().units(name);
        let total = self.world.countable(name)?.count;
        Some(Level { total, held, releasing, promised: 0 })
    }

    /// When the countable resources of so much will be there; `None` if they will not.
    pub(super) fn units_fit(&self, sum: &Resources, mode: Mode) -> Option<When> {
        let mut all = if mode == Mode::Start { When::Now } else { When::Later };
        for (name, need) in &sum.custom {
            if self.world.limit_of(name, self.at.wall).is_some() {
                return None;
            }
            let level = self.units(name)?;
            let rate = self.world.countable(name)?.per_minute;
            let used = self.rates.get(name).copied().unwrap_or(0);
            let taken = self.world.taken(name, self.at.now).saturating_add(used);
            if level.later() < *need || rate.is_some_and(|rate| taken.saturating_add(*need) > rate)
            {
                return None;
            }
            if level.free() < *need {
                all = When::Later;
            }
        }
        Some(all)
    }

    pub(super) fn change_units(&mut self, name: &Name, change: impl FnOnce(&mut Level)) {
        let Some(before) = self.units(name) else { return };
        self.log.push(Undo::Custom(name.clone(), before));
        change(self.custom.entry(name.clone()).or_insert(before));
    }

    pub(super) fn take_units(&mut self, request: &Resources, when: When) {
        for (name, units) in &request.custom {
            self.change_units(name, |level| level.take(*units, when));
            if when == When::Now {
                let used = self.rates.get(name).copied().unwrap_or(0);
                self.log.push(Undo::Rate(name.clone(), used));
                self.rates.insert(name.clone(), used.saturating_add(*units));
            }
        }
    }

    /// Takes back what [`Board::take_units`] took.
    pub(super) fn untake_units(&mut self, request: &Resources, when: When) {
        for (name, units) in &request.custom {
            self.change_units(name, |level| level.untake(*units, when));
            if when == When::Later {
                continue;
            }
            let used = self.rates.get(name).copied().unwrap_or(0);
            self.log.push(Undo::Rate(name.clone(), used));
            self.rates.insert(name.clone(), used.saturating_sub(*units));
        }
    }

    pub(super) fn release_units(&mut self, request: &Resources, on: bool) {
        for (name, units) in &request.custom {
            self.change_units(name, |level| {
                level.releasing = match on {
                    true => level.releasing.saturating_add(*units),
                    false => level.releasing.saturating_sub(*units),
                };
            });
        }
    }
}
