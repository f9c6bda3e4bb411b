//! Makes facts so. Applying decides nothing: it can't refuse and needs no policy, so that a
//! journal of any age gives the same world again.

mod jobs;
mod marks;
mod tasks;

use std::sync::Arc;

use crate::base::{At, Name};
use crate::model::Team;
use crate::model::fact::{Fact, kept};
use crate::model::node::{Drain, Node};
use crate::model::setup::Setup;
use crate::model::team::DEFAULT_TEAM;
use crate::sched::world::{KeyUse, World};

impl World {
    /// Makes one fact so. A fact about a job that does not exist changes nothing. Neither clock
    /// goes back: a fact is no older than the one before it.
    pub fn apply(&mut self, at: At, fact: &Fact) {
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
            Fact::TeamPaused { team: None, hold } => self.paused = Some(hold.clone()),
            Fact::TeamPaused { team: Some(team), hold } => {
                self.team_mut(team).paused = Some(hold.clone());
            }
            Fact::TeamResumed { team: None, .. } => self.paused = None,
            Fact::TeamResumed { team: Some(team), .. } => self.team_mut(team).paused = None,
            Fact::NodeSeen { name, capacity, gpus } => {
                let drain = self.nodes.get(name).and_then(|node| node.drain.clone());
                let (name, capacity, gpus) = (name.clone(), capacity.clone(), gpus.clone());
                let up = capacity.cpu_milli > 0;
                let node = Node { name: name.clone(), capacity, gpus, drain, up };
                self.nodes.insert(name, Arc::new(node));
            }
            Fact::NodeDrained { node, on, by } => self.change_node(node, |node| {
                node.drain = on.then(|| Drain { by: by.clone(), since: at });
            }),
            Fact::GpuForeign { node, index, by } => self.change_node(node, |node| {
                for gpu in node.gpus.iter_mut().filter(|gpu| gpu.index == *index) {
                    gpu.foreign = by.clone();
                }
            }),
            Fact::Configured(setup) => self.configure(setup),
            Fact::Started { boot, offset } => {
                self.boot.clone_from(boot);
                self.boot_offset = *offset;
            }
            Fact::Down { from, to, .. } => self.down = self.down + to.since(*from),
            about_a_job => self.apply_to_job(at, about_a_job),
        }
    }

    fn change_node(&mut self, name: &str, change: impl FnOnce(&mut Node)) {
        if let Some(node) = self.nodes.get_mut(name) {
            change(Arc::make_mut(node));
        }
    }

    fn team_mut(&mut self, name: &Name) -> &mut Team {
        let unknown = || Team { name: name.clone(), paused: None };
        self.teams.entry(name.clone()).or_insert_with(unknown)
    }

    /// Takes over configuration; a team keeps its hold, and one that is no longer configured
    /// stays as long as it has one or has live jobs.
    fn configure(&mut self, setup: &Setup) {
        let used: std::collections::BTreeSet<&Name> =
            self.jobs.values().filter(|job| job.is_live()).map(|job| &job.spec.team).collect();
        let keeps = |team: &&Team| team.paused.is_some() || used.contains(&team.name);
        let mut teams: imbl::OrdMap<Name, Team> =
            self.teams.values().filter(keeps).map(|t| (t.name.clone(), t.clone())).collect();
        let default = Team { name: DEFAULT_TEAM.into(), paused: None };
        for team in setup.teams.iter().chain([&default]) {
            teams.entry(team.name.clone()).or_insert_with(|| team.clone());
        }
        self.teams = teams;
        self.setup = Arc::new(setup.clone());
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
