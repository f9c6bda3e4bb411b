//! Makes facts so. Applying decides nothing: it can't refuse and needs no policy, so that a
//! journal of any age gives the same world again.

mod asking;
mod jobs;
mod marks;
mod pools;
mod tasks;

use std::sync::Arc;

use crate::base::{At, Name};
use crate::model::Team;
use crate::model::fact::{Fact, kept};
use crate::model::node::{Drain, Node, Warning};
use crate::model::setup::Setup;
use crate::model::team::{DEFAULT_TEAM, parent};
use crate::model::window::InForce;
use crate::sched::world::{KeyUse, World};

impl World {
    /// Makes one fact so. A fact about a job that does not exist changes nothing. Neither clock
    /// goes back: a fact is no older than the one before it.
    pub fn apply(&mut self, at: At, fact: &Fact) {
        self.note_use(at, fact);
        // Until it is known, the time the machine was off or asleep looks like any other.
        if !matches!(fact, Fact::Down { .. }) {
            self.wind_use(at.now);
        }
        let at = At { now: self.at.now.max(at.now), wall: self.at.wall.max(at.wall) };
        self.at = at;
        match fact {
            Fact::KeyUsed { key, first, count, body } => {
                let (first, count, body) = (*first, *count, body.clone());
                self.keys.insert(key.clone(), KeyUse { first, count, body, at: at.now });
                self.forget_keys(at);
            }
            Fact::Looked { user, mark } => {
                self.looked.insert(user.clone(), *mark);
            }
            Fact::RateUsed { resource, units } => self.take_rate(at, resource, *units),
            Fact::ResourceLimited { resource, limited } => {
                self.limited.insert(resource.clone(), limited.clone());
            }
            Fact::LimitLifted { resource, .. } => {
                self.limited.remove(resource);
            }
            Fact::CycleDue { at: Some(due) } => self.cycle_due = Some(*due),
            Fact::CycleDue { at: None } => (self.cycle_due, self.cycle_ran) = (None, at.now),
            Fact::TeamPaused { team: None, hold } => self.paused = Some(hold.clone()),
            Fact::TeamPaused { team: Some(team), hold } => {
                self.team_mut(team).paused = Some(hold.clone());
            }
            Fact::TeamResumed { team: None, .. } => self.paused = None,
            Fact::TeamResumed { team: Some(team), .. } => self.team_mut(team).paused = None,
            Fact::TeamSet { team, terms, .. } => self.team_mut(team).set_own((**terms).clone()),
            Fact::WindowOpened { .. } | Fact::WindowClosed { .. } => self.change_window(fact),
            Fact::TeamRemoved { team, .. } => {
                self.teams.remove(team);
            }
            Fact::NodeSeen { .. } => self.see_node(at, fact),
            Fact::NodeDrained { node, on, by, reason } => self.change_node(node, |node| {
                node.drain =
                    on.then(|| Drain { by: by.clone(), since: at, reason: reason.clone() });
                node.warning = node.warning.take().filter(|_| *on);
            }),
            Fact::NodeWarned { node, due, by } => self.change_node(node, |node| {
                node.warning = Some(Warning { by: by.clone(), since: at, due: *due });
            }),
            Fact::GpuForeign { node, index, by } => self.change_node(node, |node| {
                for gpu in node.gpus.iter_mut().filter(|gpu| gpu.index == *index) {
                    gpu.foreign = by.clone();
                }
            }),
            Fact::PoolGrew { .. } | Fact::PoolShrank { .. } | Fact::PoolFailed { .. } => {
                self.change_pool(at, fact);
            }
            Fact::Configured(setup) => self.configure(setup),
            Fact::Started { boot, offset } => {
                self.boot.clone_from(boot);
                self.boot_offset = *offset;
            }
            Fact::Down { from, to, .. } => self.down = self.down + to.since(*from),
            Fact::SeatsHandedOn { from, to, until, .. } => {
                self.desk.hand_on(from, to.as_ref(), *until);
            }
            Fact::Review { review, job, fact: what } => {
                self.desk.apply(at, *review, *job, what);
                self.apply_to_job(at, fact);
            }
            about_a_job => self.apply_to_job(at, about_a_job),
        }
    }

    /// What a node has; a drain and a warning outlast that.
    fn see_node(&mut self, at: At, fact: &Fact) {
        let Fact::NodeSeen { name, capacity, gpus, traits } = fact else { return };
        let known = self.nodes.get(name);
        let drain = known.and_then(|node| node.drain.clone());
        let warning = known.and_then(|node| node.warning.clone());
        let (name, capacity, gpus) = (name.clone(), capacity.clone(), gpus.clone());
        let (up, traits) = (capacity.cpu_milli > 0, traits.clone());
        let node = Node { name, capacity, gpus, drain, warning, up, traits };
        self.see_member(at, &node.name, up);
        self.nodes.insert(node.name.clone(), Arc::new(node));
    }

    fn change_node(&mut self, name: &str, change: impl FnOnce(&mut Node)) {
        if let Some(node) = self.nodes.get_mut(name) {
            change(Arc::make_mut(node));
        }
    }

    fn team_mut(&mut self, name: &Name) -> &mut Team {
        self.found_team(name);
        self.teams.entry(name.clone()).or_insert_with(|| Team::named(name))
    }

    /// A window of a team opened or closed.
    fn change_window(&mut self, fact: &Fact) {
        match fact {
            Fact::WindowOpened { team, window, zone, until, terms } => {
                let team = self.team_mut(team);
                let (name, zone, own) = (window.clone(), zone.clone(), team.own().clone());
                team.window = Some(Box::new(InForce { name, zone, until: *until, own }));
                team.terms = (**terms).clone();
            }
            Fact::WindowClosed { team, .. } => {
                let team = self.team_mut(team);
                if let Some(window) = team.window.take() {
                    team.terms = window.own;
                }
            }
            _ => {}
        }
    }

    /// Sees to it that a team and those above it exist.
    fn found_team(&mut self, name: &Name) {
        if self.teams.contains_key(name) {
            return;
        }
        if let Some(above) = parent(name) {
            self.found_team(&above.into());
        }
        let created = self.next_team;
        self.next_team += 1;
        self.teams.insert(name.clone(), Team { created, ..Team::named(name) });
    }

    /// Takes over configuration. A team keeps its hold; its terms change only if the
    /// configuration of it did, so that what was set since then stands. One that is no longer
    /// configured stays as long as it is held back, has live jobs or teams below it.
    fn configure(&mut self, setup: &Setup) {
        let before = std::mem::replace(&mut self.setup, Arc::new(setup.clone()));
        if before.cycle.on("estimate") != setup.cycle.on("estimate") {
            self.expect_anew(self.jobs.keys().copied().collect::<Vec<_>>());
        }
        let terms = |teams: &[Team], name: &str| {
            teams.iter().find(|team| &*team.name == name).map(|team| team.terms.clone())
        };
        let named = |name: &Name| setup.teams.iter().any(|team| team.name == *name);
        let gone = self.teams.values().filter(|team| team.configured && !named(&team.name));
        let gone: Vec<Name> = gone.map(|team| team.name.clone()).collect();
        // Those below go before those above, which they keep.
        for team in gone.iter().rev() {
            if !self.is_used(team) {
                self.teams.remove(team);
            }
        }
        self.found_team(&DEFAULT_TEAM.into());
        for team in &setup.teams {
            let changed = terms(&before.teams, &team.name).as_ref() != Some(&team.terms);
            let known = self.team_mut(&team.name);
            known.configured = true;
            if changed {
                known.set_own(team.terms.clone());
            }
        }
    }

    fn is_used(&self, team: &Name) -> bool {
        let held = self.teams.get(team).is_some_and(|team| team.paused.is_some());
        let below = |other: &Team| other.parent() == Some(team);
        held || self.teams.values().any(below)
            || self.jobs.values().any(|job| job.is_live() && job.spec.team == *team)
    }

    fn take_rate(&mut self, at: At, resource: &Name, units: u64) {
        let taken = self.rates.entry(resource.clone()).or_default();
        while taken.front().is_some_and(|(then, _)| *then + kept::RATE_WINDOW <= at.now) {
            taken.pop_front();
        }
        taken.push_back((at.now, units));
    }

    /// Forgets keys that are old, and the oldest of too many.
    fn forget_keys(&mut self, at: At) {
        if self.keys.len() <= kept::KEYS {
            return;
        }
        let mut keys: Vec<_> = std::mem::take(&mut self.keys).into_iter().collect();
        keys.retain(|(_, used)| used.is_fresh(at.now));
        keys.sort_by_key(|(_, used)| std::cmp::Reverse((used.at, used.first)));
        // A tenth goes at once, so that this does not happen at every key.
        keys.truncate(kept::KEYS / 10 * 9);
        self.keys = keys.into_iter().collect();
    }
}
