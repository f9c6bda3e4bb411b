//! `[[window]]`: terms of teams for some hours of the week.

use super::Layers;
use super::tables::{amount, name};
use crate::base::calendar::Weekly;
use crate::base::nearest;
use crate::config::document::{Entries, Value};
use crate::model::team::{DEFAULT_TEAM, Terms};
use crate::model::window::{Window, WindowTerms};

impl Layers<'_> {
    pub(super) fn windows(&mut self) -> Vec<Window> {
        self.distinct("window", "name");
        let mut windows = Vec::new();
        for table in self.file.tables("window") {
            match self.window(table) {
                Ok(window) => windows.extend(window),
                Err(why) => {
                    let name = name(table, "name").unwrap_or_default();
                    self.say(table.line, format!("window {name}: {why}"));
                }
            }
        }
        windows
    }

    fn window(&self, table: &Entries) -> Result<Option<Window>, String> {
        let [Some(named), Some(team), Some(zone), Some(from), Some(to)] =
            ["name", "team", "zone", "from", "to"].map(|key| name(table, key))
        else {
            // What is missing was said already.
            return Ok(None);
        };
        let days = name(table, "days").unwrap_or_else(|| "daily".into());
        let weekly = Weekly::parse(&zone, &days, &from, &to)?;
        let terms = terms(table);
        if terms.is_empty() {
            return Err("it changes nothing; add quota, limit, weight or priority".to_owned());
        }
        let own = self.own_terms(&team)?;
        if let Some(what) = terms.over(&own).quota_above_limit() {
            return Err(format!("the {what} quota of {team} is above its {what} limit then"));
        }
        Ok(Some(Window { name: named, team, weekly, terms }))
    }

    /// The terms that the file gives a team.
    fn own_terms(&self, team: &str) -> Result<Terms, String> {
        let teams = self.file.tables("team");
        let of = |table: &&Entries| name(table, "name").is_some_and(|name| *name == *team);
        if let Some(table) = teams.iter().find(of) {
            return Ok(super::tables::terms(table));
        }
        if team == DEFAULT_TEAM {
            return Ok(Terms::default());
        }
        let names: Vec<_> = teams.iter().filter_map(|table| name(table, "name")).collect();
        let hint = match nearest(team, names.iter().map(|name| &**name)) {
            Some(name) => format!("did you mean {name}?"),
            None => "add a [[team]] of this name".to_owned(),
        };
        Err(format!("there is no team {team}; {hint}"))
    }
}

fn terms(table: &Entries) -> WindowTerms {
    let bounds = |key| match table.get(key).map(|found| &found.value) {
        Some(Value::Bounds(bounds)) => Some(*bounds),
        _ => None,
    };
    WindowTerms {
        quota: bounds("quota"),
        limit: bounds("limit"),
        weight: match table.get("weight").map(|found| &found.value) {
            Some(Value::Weights(weights)) => Some(*weights),
            _ => None,
        },
        priority: amount(table, "priority").and_then(|n| u16::try_from(n).ok()),
    }
}
