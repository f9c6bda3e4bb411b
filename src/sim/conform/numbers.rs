//! Numbers as the files write them, and as the policies take them.
//!
//! Files count GPUs in devices and the rest in small units; −1 is unlimited. The policies take
//! whole numbers: GPUs in thousandths, and where a case has fractions of CPU or memory these in
//! thousandths too, for the whole case ("any unit", as long as it is one).

use std::collections::BTreeMap;

use serde::Deserialize;
use serde_json::Value;

use crate::model::team::Bounds;
use crate::sched::policy::amounts::{Amounts, Kind};
use crate::sched::policy::queue::Queue;

/// A number per resource; what is missing has none.
#[derive(Debug, Clone, Copy, Default, Deserialize)]
pub struct Vector {
    #[serde(default)]
    cpu: Option<f64>,
    #[serde(default)]
    mem: Option<f64>,
    #[serde(default)]
    gpu: Option<f64>,
}

impl Vector {
    pub fn get(&self, kind: Kind) -> Option<f64> {
        match kind {
            Kind::Cpu => self.cpu,
            Kind::Mem => self.mem,
            Kind::Gpu => self.gpu,
        }
    }
}

/// What a case says of a queue.
#[derive(Debug, Clone, Default, Deserialize)]
pub struct QueueCase {
    #[serde(default)]
    pub parent: Option<String>,
    #[serde(default)]
    priority: Option<i64>,
    #[serde(default)]
    created_rank: Option<i64>,
    #[serde(default)]
    cpu: Option<Line>,
    #[serde(default)]
    mem: Option<Line>,
    #[serde(default)]
    gpu: Option<Line>,
}

/// One resource of a queue.
#[derive(Debug, Clone, Copy, Default, Deserialize)]
struct Line {
    #[serde(default)]
    quota: Option<f64>,
    #[serde(default)]
    limit: Option<f64>,
    #[serde(default)]
    fair: Option<f64>,
    #[serde(default)]
    allocated: Option<f64>,
    #[serde(default)]
    firm: Option<f64>,
}

/// What CPU and memory are multiplied with.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Scale(f64);

impl Scale {
    /// CPU and memory as they are: where they are dealt out in whole units.
    pub const PLAIN: Scale = Scale(1.0);

    /// The scale that makes a case's CPU and memory whole.
    pub fn of(case: &Value) -> Scale {
        Scale(if has_fraction(case, false) { 1000.0 } else { 1.0 })
    }

    fn factor(self, kind: Kind) -> f64 {
        match kind {
            Kind::Cpu | Kind::Mem => self.0,
            Kind::Gpu => 1000.0,
        }
    }

    /// A plain amount; what is missing is nothing, what is unlimited is the most there can be.
    pub fn amount(self, kind: Kind, number: Option<f64>) -> u64 {
        match number {
            Some(number) if number < 0.0 => u64::MAX,
            number => whole(number.unwrap_or(0.0) * self.factor(kind)),
        }
    }

    /// A bound; what is missing or below zero is unlimited.
    pub fn bound(self, kind: Kind, number: Option<f64>) -> Option<u64> {
        let number = number.filter(|number| *number >= 0.0)?;
        Some(self.amount(kind, Some(number)))
    }

    pub fn amounts(self, vector: &Vector) -> Amounts {
        Amounts::each(|kind| self.amount(kind, vector.get(kind)))
    }

    pub fn bounds(self, vector: &Vector) -> Bounds {
        Bounds::each(|kind| self.bound(kind, vector.get(kind)))
    }

    /// A queue on its own. A resource that is not mentioned has no quota and no limit.
    pub fn queue(self, case: &QueueCase) -> Queue {
        let line = |kind| {
            let line = match kind {
                Kind::Cpu => case.cpu,
                Kind::Mem => case.mem,
                Kind::Gpu => case.gpu,
            };
            line.unwrap_or_default()
        };
        Queue {
            parent: None,
            priority: case.priority.unwrap_or(0),
            created: rank(case.created_rank),
            quota: Bounds::each(|kind| self.bound(kind, Some(line(kind).quota.unwrap_or(0.0)))),
            limit: Bounds::each(|kind| self.bound(kind, line(kind).limit)),
            fair: Amounts::each(|kind| self.amount(kind, line(kind).fair)),
            allocated: Amounts::each(|kind| self.amount(kind, line(kind).allocated)),
            firm: Amounts::each(|kind| self.amount(kind, line(kind).firm)),
        }
    }

    /// A tree of queues, in the order of their names.
    pub fn tree(self, cases: &BTreeMap<String, QueueCase>) -> Vec<Queue> {
        let queue = |case: &QueueCase| Queue {
            parent: case.parent.as_deref().map(|parent| place(cases, parent)),
            ..self.queue(case)
        };
        cases.values().map(queue).collect()
    }
}

/// The place of a name among the names; for an unknown one a place that does not exist.
pub fn place<T>(names: &BTreeMap<String, T>, name: &str) -> usize {
    names.keys().position(|known| known == name).unwrap_or(usize::MAX)
}

/// Age among queues; smaller is older.
pub fn rank(created: Option<i64>) -> u64 {
    created.unwrap_or(0).abs_diff(i64::MIN)
}

/// The nearest whole number, zero for what is below.
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "`as` saturates")]
pub fn whole(number: f64) -> u64 {
    number.round() as u64
}

/// Whether some amount of CPU or memory is not whole.
fn has_fraction(value: &Value, counts: bool) -> bool {
    match value {
        Value::Number(number) => counts && number.as_f64().is_some_and(|n| n.fract() != 0.0),
        Value::Array(items) => items.iter().any(|item| has_fraction(item, counts)),
        Value::Object(fields) => fields.iter().any(|(name, value)| {
            let counts = counts || ["cpu", "mem"].contains(&name.as_str());
            has_fraction(value, counts)
        }),
        _ => false,
    }
}
