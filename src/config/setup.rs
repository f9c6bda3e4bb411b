//! What the core and the engine must know of the configuration.

use super::{Config, NodeEntry};
use crate::base::Name;
use crate::model::node::Gpu;
use crate::model::people::User;
use crate::model::ports::runner::Machine;
use crate::model::setup::{Cycle, Setup};
use crate::model::team::{DEFAULT_TEAM, Team};

impl Config {
    /// The part of the configuration that is journalled. `lookup_uid` asks the system for the
    /// uid of a user's name.
    pub fn to_setup(&self, owner_uid: u32, lookup_uid: impl Fn(&str) -> Option<u32>) -> Setup {
        let default = Name::from(DEFAULT_TEAM);
        let missing = !self.teams.contains(&default);
        let names = missing.then_some(&default).into_iter().chain(&self.teams);
        Setup {
            resources: self.resources.clone(),
            teams: names.map(|name| Team::named(name)).collect(),
            users: self
                .users
                .iter()
                .map(|user| User {
                    name: user.name.clone(),
                    os_user: user.os_user.clone(),
                    uid: lookup_uid(&user.os_user),
                    grants: user.grants.clone(),
                })
                .collect(),
            cycle: Cycle::default(),
            owner_uid,
            defaults: self.defaults.clone(),
        }
    }
}

impl NodeEntry {
    /// The machine as it shall be used: what is configured replaces what was detected.
    pub fn correct(&self, detected: Machine) -> Machine {
        let mut machine = detected;
        if let Some(name) = &self.name {
            machine.name = name.clone();
        }
        if let Some(pretend) = &self.gpus {
            machine.gpus = (0..)
                .zip(pretend)
                .map(|(index, gpu)| Gpu {
                    index,
                    uuid: gpu.name.clone(),
                    model: "pretend".into(),
                    mem_bytes: gpu.mem_bytes,
                    foreign: None,
                })
                .collect();
            machine.capacity.gpu_milli = 1000 * machine.gpus.len() as u64;
        }
        let capacity = &mut machine.capacity;
        capacity.cpu_milli = self.cpu_milli.unwrap_or(capacity.cpu_milli);
        capacity.mem_bytes = self.mem_bytes.unwrap_or(capacity.mem_bytes);
        machine
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::PretendGpu;
    use crate::model::Resources;

    #[test]
    fn the_default_team_always_exists_and_uids_are_looked_up() {
        let mut config = Config::default();
        config.teams = vec!["ml".into()];
        config.users = vec![crate::config::UserEntry {
            name: "ana".into(),
            os_user: "ana.b".into(),
            grants: vec![],
        }];
        let setup = config.to_setup(1000, |name| (name == "ana.b").then_some(7));
        let teams: Vec<_> = setup.teams.iter().map(|team| team.name.as_ref()).collect();
        assert_eq!(teams, ["default", "ml"]);
        assert_eq!(setup.users[0].uid, Some(7));
        assert_eq!(setup.owner_uid, 1000);
    }

    #[test]
    fn only_what_is_configured_replaces_what_was_detected() {
        let detected = Machine {
            name: "box".into(),
            capacity: Resources { cpu_milli: 4000, mem_bytes: 9, ..Resources::default() },
            gpus: vec![],
        };
        assert_eq!(NodeEntry::default().correct(detected.clone()), detected);
        let gpu = PretendGpu { name: "a".into(), mem_bytes: 5 };
        let entry =
            NodeEntry { cpu_milli: Some(1000), gpus: Some(vec![gpu]), ..NodeEntry::default() };
        let machine = entry.correct(detected);
        assert_eq!(machine.capacity.cpu_milli, 1000);
        assert_eq!(machine.capacity.mem_bytes, 9);
        assert_eq!(machine.capacity.gpu_milli, 1000);
        assert_eq!(machine.gpus[0].uuid.as_ref(), "a");
    }
}
