//! Teams, nodes, resources and people: what stands in lists of tables.

use std::collections::{BTreeMap, BTreeSet};

use super::Layers;
use crate::base::{Name, Span, quantity};
use crate::config::document::{Entries, Value};
use crate::config::{Devices, NodeEntry, PretendGpu, UserEntry, keys};
use crate::model::node::Traits;
use crate::model::people::Grant;
use crate::model::setup::Countable;
use crate::model::team::{DEFAULT_QUEUE_PRIORITY, Team, Terms};

impl Layers<'_> {
    pub(super) fn teams(&mut self) -> Vec<Team> {
        self.distinct("team", "name");
        let mut teams = Vec::new();
        for table in self.file.tables("team") {
            let Some(name) = name(table, "name") else { continue };
            let terms = terms(table);
            if let Some(what) = terms.quota_above_limit() {
                let text = format!("team {name}: its {what} quota is above its {what} limit");
                self.say(table.line, text);
            }
            teams.push(Team { terms, ..Team::named(&name) });
        }
        teams
    }

    pub(super) fn nodes(&mut self) -> Vec<NodeEntry> {
        self.distinct("node", "name");
        let tables = self.file.tables("node");
        let mut claimed = BTreeSet::new();
        let (mut real, mut pretend) = (None, None);
        for table in tables {
            if tables.len() > 1 && table.get("name").is_none() {
                let text = "node needs \"name\" where there are several".to_owned();
                self.say(table.line, text);
            }
            real = real.or(table.get("gpu"));
            pretend = pretend.or(table.get("gpus"));
            let Some(Value::Indices(indices)) = table.get("gpu").map(|found| &found.value) else {
                continue;
            };
            for index in indices.iter().filter(|index| !claimed.insert(**index)) {
                self.say(table.line, format!("GPU {index} is in two nodes; keep it in one"));
            }
        }
        if let (Some(_), Some(found)) = (real, pretend) {
            let text = "pretend GPUs (gpus) and real ones (gpu) cannot be mixed; keep one kind";
            self.say(found.line, text.to_owned());
        }
        tables.iter().map(|table| node(table, tables.len() > 1)).collect()
    }

    pub(super) fn resources(&mut self) -> BTreeMap<Name, Countable> {
        self.distinct("resource", "name");
        let entry = |table: &Entries| {
            let units = |key| match table.get(key)?.value {
                Value::Amount(n) => Some(n),
                _ => None,
            };
            let countable = Countable { count: units("count")?, per_minute: units("per_minute") };
            Some((name(table, "name")?, countable))
        };
        self.file.tables("resource").iter().filter_map(entry).collect()
    }

    pub(super) fn users(&mut self) -> Vec<UserEntry> {
        self.distinct("user", "name");
        self.distinct("user", "os_user");
        let mut users = Vec::new();
        for table in self.file.tables("user") {
            let Some(shown) = name(table, "name") else { continue };
            match grants(table) {
                Ok(grants) => users.push(UserEntry {
                    os_user: name(table, "os_user").unwrap_or_else(|| shown.clone()),
                    name: shown,
                    grants,
                }),
                Err(why) => self.say(table.line, format!("user {shown} {why}")),
            }
        }
        users
    }
}

pub(super) fn name(table: &Entries, key: &str) -> Option<Name> {
    match &table.get(key)?.value {
        Value::Text(text) => Some(text.as_str().into()),
        _ => None,
    }
}

/// The grants of a user: `role` and `team`, or a list.
fn grants(table: &Entries) -> Result<Vec<Grant>, &'static str> {
    let grant = |entries: &Entries| match entries.get("role")?.value {
        Value::Role(role) => {
            Some(Grant { team: name(entries, "team").unwrap_or_else(|| "".into()), role })
        }
        _ => None,
    };
    let short = table.get("role").or_else(|| table.get("team"));
    match (short, table.get("grants").map(|found| &found.value)) {
        (Some(_), Some(_)) => Err("has role or team and also grants; keep one form"),
        (None, Some(Value::Tables(list))) => Ok(list.iter().filter_map(grant).collect()),
        _ => grant(table).map(|one| vec![one]).ok_or("may do nothing; add role = \"submitter\""),
    }
}

pub(super) fn terms(table: &Entries) -> Terms {
    let bounds = |key| match table.get(key).map(|found| &found.value) {
        Some(Value::Bounds(bounds)) => *bounds,
        _ => Default::default(),
    };
    Terms {
        quota: bounds("quota"),
        limit: bounds("limit"),
        weight: match table.get("weight").map(|found| &found.value) {
            Some(Value::Weights(weights)) => *weights,
            _ => Default::default(),
        },
        priority: amount(table, "priority")
            .and_then(|n| u16::try_from(n).ok())
            .unwrap_or(DEFAULT_QUEUE_PRIORITY),
        preempt_min_runtime: span(table, "preempt_min_runtime"),
        reclaim_min_runtime: span(table, "reclaim_min_runtime"),
    }
}

pub(super) fn amount(table: &Entries, key: &str) -> Option<u64> {
    match table.get(key)?.value {
        Value::Amount(n) => Some(n),
        _ => None,
    }
}

pub(super) fn span(table: &Entries, key: &str) -> Option<Span> {
    match table.get(key)?.value {
        Value::Span(span) => span,
        _ => None,
    }
}

pub(super) fn labels(table: &Entries) -> BTreeMap<Name, Name> {
    match table.get("labels").map(|found| &found.value) {
        Some(Value::Labels(labels)) => labels.clone(),
        _ => BTreeMap::new(),
    }
}

/// One node. Of several one has the devices it names; a single one has all there are.
fn node(table: &Entries, of_several: bool) -> NodeEntry {
    let devices = match (table.get("gpu"), table.get("gpus")) {
        (Some(found), _) => match &found.value {
            Value::Indices(indices) => Devices::These(indices.clone()),
            Value::Amount(n) => Devices::Some(usize::try_from(*n).unwrap_or(usize::MAX)),
            _ => Devices::All,
        },
        (None, Some(found)) => Devices::Pretend(pretend(&found.value)),
        (None, None) if of_several => Devices::Some(0),
        (None, None) => Devices::All,
    };
    NodeEntry {
        name: name(table, "name"),
        cpu_milli: amount(table, "cpu"),
        mem_bytes: amount(table, "mem"),
        devices,
        traits: Traits {
            labels: labels(table),
            spot: table.get("spot").is_some_and(|found| found.value == Value::Flag(true)),
            max_tasks: amount(table, "max_tasks").map(|n| u32::try_from(n).unwrap_or(u32::MAX)),
            pool: name(table, "pool"),
        },
    }
}

fn pretend(value: &Value) -> Vec<PretendGpu> {
    let mem = quantity::parse_bytes(keys::PRETEND_MEM).unwrap_or_default();
    let pretend = |at: usize| PretendGpu { name: format!("pretend-{at}").into(), mem_bytes: mem };
    match value {
        Value::Amount(n) => (0..usize::try_from(*n).unwrap_or(0)).map(pretend).collect(),
        Value::Tables(list) => list
            .iter()
            .enumerate()
            .map(|(at, table)| PretendGpu {
                name: name(table, "name").unwrap_or_else(|| pretend(at).name),
                mem_bytes: match table.value("node.gpus", "mem") {
                    Some(Value::Amount(n)) => n,
                    _ => mem,
                },
            })
            .collect(),
        _ => Vec::new(),
    }
}
