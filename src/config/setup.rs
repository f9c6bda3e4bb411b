//! What the core and the engine must know of the configuration.

use super::Config;
use crate::base::Name;
use crate::model::people::User;
use crate::model::setup::Setup;
use crate::model::team::{DEFAULT_TEAM, Team};

impl Config {
    /// The part of the configuration that is journalled. `lookup_uid` asks the system for the
    /// uid of a user's name.
    pub fn to_setup(&self, owner_uid: u32, lookup_uid: impl Fn(&str) -> Option<u32>) -> Setup {
        let default = Name::from(DEFAULT_TEAM);
        let missing = !self.teams.iter().any(|team| team.name == default);
        let default = missing.then(|| Team::named(&default));
        Setup {
            resources: self.resources.clone(),
            teams: default.into_iter().chain(self.teams.iter().cloned()).collect(),
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
            windows: self.windows.clone(),
            review_policies: self.review_policies.clone(),
            notify: self.notify.iter().map(|entry| entry.target.clone()).collect(),
            pools: self.pools.clone(),
            cycle: self.cycle.clone(),
            owner_uid,
            defaults: self.defaults.clone(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_default_team_always_exists_and_uids_are_looked_up() {
        let mut config = Config::default();
        config.teams = vec![Team::named("ml")];
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
}
