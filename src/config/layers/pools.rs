//! `[[pool]]`: nodes that come and go.

use super::Layers;
use super::tables::{amount, labels, name, span};
use crate::base::Span;
use crate::config::document::{Entries, Value};
use crate::model::Resources;
use crate::model::node::Traits;
use crate::model::pool::Pool;

/// Nodes of one pool at most.
const NODES_MAX: u64 = 1000;

impl Layers<'_> {
    pub(super) fn pools(&mut self) -> Vec<Pool> {
        self.distinct("pool", "name");
        let mut pools = Vec::new();
        for table in self.file.tables("pool") {
            let Some(pool) = pool(table) else { continue };
            if let Some(why) = problem(&pool) {
                self.say(table.line, format!("pool {}: {why}", pool.name));
            }
            pools.push(pool);
        }
        pools
    }
}

fn problem(pool: &Pool) -> Option<String> {
    if u64::from(pool.max) > NODES_MAX {
        return Some(format!("max is above {NODES_MAX}"));
    }
    if pool.min > pool.max {
        return Some("min is above max".to_owned());
    }
    if pool.min > pool.most() {
        return Some("its minimum costs more than cost_cap".to_owned());
    }
    if pool.cost_cap_milli.is_some() && pool.price_milli == 0 {
        return Some("cost_cap needs the price of a node".to_owned());
    }
    if pool.up.is_some() != pool.down.is_some() {
        return Some("up and down belong together: say both or none".to_owned());
    }
    (pool.capacity.cpu_milli == 0).then(|| "a node without a core takes no work".to_owned())
}

fn pool(table: &Entries) -> Option<Pool> {
    let text = |key| name(table, key).map(|text| text.to_string());
    let small = |key| amount(table, key).map(|n| u32::try_from(n).unwrap_or(u32::MAX));
    let named = name(table, "name")?;
    let gpus = amount(table, "gpus").unwrap_or(0);
    Some(Pool {
        min: small("min").unwrap_or(0),
        max: small("max")?,
        capacity: Resources {
            cpu_milli: amount(table, "cpu")?,
            mem_bytes: amount(table, "mem")?,
            gpu_milli: gpus.min(1024) * 1000,
            ..Resources::default()
        },
        traits: Traits {
            labels: labels(table),
            spot: table.get("spot").is_some_and(|found| found.value == Value::Flag(true)),
            max_tasks: small("max_tasks"),
            pool: Some(named.clone()),
        },
        grow_after: span(table, "grow_after").unwrap_or(Span::mins(1)),
        shrink_after: span(table, "shrink_after").unwrap_or(Span::mins(10)),
        price_milli: amount(table, "price").unwrap_or(0),
        cost_cap_milli: amount(table, "cost_cap"),
        up: text("up"),
        down: text("down"),
        name: named,
    })
}
