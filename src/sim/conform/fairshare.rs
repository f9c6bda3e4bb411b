//! Cases of fair shares (`aiops-fairshare/1`): queues and a total in, shares out.

use std::collections::BTreeMap;

use serde::Deserialize;
use serde_json::Value;

use super::numbers::{self, Scale, Vector};
use super::typed;
use crate::model::team::{Bounds, Weights};
use crate::sched::policy::amounts::{Amounts, Kind};
use crate::sched::policy::shares::{Claim, Team, Terms, divide_surplus, divide_tree};

/// Billionths, in which the policy takes usage and its influence.
const BILLION: f64 = 1e9;
/// Weights become whole in thousandths.
const MILLI: f64 = 1000.0;

#[derive(Deserialize)]
struct Case {
    #[serde(default)]
    stage: Stage,
    #[serde(default)]
    k: Option<f64>,
    total: Vector,
    queues: Vec<QueueCase>,
    expect: Expect,
}

/// How much of the rule a case goes through.
#[derive(Clone, Copy, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Stage {
    /// Quota, surplus and leftovers.
    #[default]
    Full,
    /// The total is the surplus, and the queues have something already.
    SurplusOnly,
}

#[derive(Deserialize)]
struct QueueCase {
    name: String,
    #[serde(default)]
    parent: Option<String>,
    #[serde(default)]
    priority: Option<i64>,
    #[serde(default)]
    created_rank: Option<i64>,
    #[serde(default)]
    cpu: Line,
    #[serde(default)]
    mem: Line,
    #[serde(default)]
    gpu: Line,
}

#[derive(Clone, Copy, Default, Deserialize)]
#[serde(default)]
struct Line {
    deserved: Option<f64>,
    limit: Option<f64>,
    weight: Option<f64>,
    request: Option<f64>,
    usage: Option<f64>,
    start_share: Option<f64>,
}

#[derive(Deserialize)]
struct Expect {
    share: BTreeMap<String, Vector>,
    #[serde(default)]
    remaining: Vector,
}

/// Runs one case.
///
/// # Errors
/// Every share that differs, or why it can't be run.
pub fn judge(case: &Value) -> Result<(), String> {
    let scale = Scale::PLAIN;
    let mut case: Case = typed(case)?;
    // The slice's order breaks ties of age, as the names do.
    case.queues.sort_by(|a, b| a.name.cmp(&b.name));
    let (shares, left) = case.divide(scale);
    let mut wrong = Vec::new();
    for (name, expected) in &case.expect.share {
        let Some(at) = case.queues.iter().position(|queue| queue.name == *name) else {
            wrong.push(format!("a share is expected of {name}, which is no queue"));
            continue;
        };
        compare(&format!("share of {name}"), expected, &shares[at], scale, &mut wrong);
    }
    compare("remaining", &case.expect.remaining, &left, scale, &mut wrong);
    if wrong.is_empty() { Ok(()) } else { Err(wrong.join("; ")) }
}

fn compare(what: &str, expected: &Vector, got: &Amounts, scale: Scale, wrong: &mut Vec<String>) {
    for kind in Kind::ALL {
        let Some(number) = expected.get(kind) else { continue };
        let (number, got) = (scale.amount(kind, Some(number)), got.get(kind));
        if number != got {
            let unit = if kind == Kind::Gpu { " thousandths" } else { "" };
            wrong.push(format!("{what}: expected {number}{unit} {kind}, got {got}"));
        }
    }
}

impl Case {
    fn divide(&self, scale: Scale) -> (Vec<Amounts>, Amounts) {
        let total = scale.amounts(&self.total);
        let k_ppb = numbers::whole(self.k.unwrap_or(1.0) * BILLION);
        let teams: Vec<Team> = self.queues.iter().map(|queue| self.team(queue, scale)).collect();
        if self.stage == Stage::Full {
            return divide_tree(&total, &teams, k_ppb);
        }
        let mut shares = vec![Amounts::default(); teams.len()];
        let mut left = total;
        for kind in Kind::ALL {
            let claims: Vec<Claim> = teams.iter().map(|team| team.claim(kind)).collect();
            let start = |queue: &QueueCase| scale.amount(kind, queue.line(kind).start_share);
            let mut has: Vec<u64> = self.queues.iter().map(start).collect();
            let terms = Terms { k_ppb, unit: kind.unit() };
            *left.get_mut(kind) = divide_surplus(total.get(kind), &claims, &mut has, terms);
            for (share, has) in shares.iter_mut().zip(has) {
                *share.get_mut(kind) = has;
            }
        }
        (shares, left)
    }

    fn team(&self, queue: &QueueCase, scale: Scale) -> Team {
        let place = |parent: &String| {
            let found = self.queues.iter().position(|queue| queue.name == *parent);
            found.unwrap_or(usize::MAX)
        };
        let quota = |kind| scale.bound(kind, Some(queue.line(kind).deserved.unwrap_or(0.0)));
        let weight = |line: Line| numbers::whole(line.weight.unwrap_or(0.0) * MILLI);
        let usage = |kind| numbers::whole(queue.line(kind).usage.unwrap_or(0.0) * BILLION);
        Team {
            parent: queue.parent.as_ref().map(place),
            priority: queue.priority.unwrap_or(0),
            created: numbers::rank(queue.created_rank),
            quota: Bounds::each(quota),
            limit: Bounds::each(|kind| scale.bound(kind, queue.line(kind).limit)),
            weight: Weights {
                cpu: weight(queue.cpu),
                mem: weight(queue.mem),
                gpu: weight(queue.gpu),
            },
            request: Amounts::each(|kind| scale.amount(kind, queue.line(kind).request)),
            usage_ppb: Amounts::each(usage),
        }
    }
}

impl QueueCase {
    fn line(&self, kind: Kind) -> Line {
        match kind {
            Kind::Cpu => self.cpu,
            Kind::Mem => self.mem,
            Kind::Gpu => self.gpu,
        }
    }
}
