//! Cases of one rule each (`decision-tables-1`): the numbers of a decision in, its answer out.
//!
//! One function per rule; [`judge`] has the list.

use std::collections::BTreeMap;

use serde::Deserialize;
use serde_json::Value;

use super::numbers::{QueueCase, Scale, Vector, place};
use super::{same, typed};
use crate::sched::policy::amounts::Amounts;
use crate::sched::policy::gates::{self, Gate};
use crate::sched::policy::queue_order::{self, Contender};
use crate::sched::policy::taking::{self, Chunk, Taker};

mod gangs;
mod runtimes;

/// Runs one case.
///
/// # Errors
/// What differed, or why it can't be run.
pub fn judge(case: &Value) -> Result<(), String> {
    match case.get("rule").and_then(Value::as_str).unwrap_or("") {
        "queue_first" => queue_first(case),
        "may_reclaim" => may_reclaim(case),
        "take_for_fairness" => take_for_fairness(case),
        "take_for_quota" => take_for_quota(case),
        "reclaim_ok" => reclaim_ok(case),
        "victim_queue_possible" => victim_queue_possible(case),
        "capacity_gate" => capacity_gate(case),
        "one_queue_gate" => one_queue_gate(case),
        "job_first_by_gang" => gangs::job_first(case),
        "gang_member_first" => gangs::member_first(case),
        "min_runtime" => runtimes::min_runtime(case),
        "min_runtime_guard" => runtimes::guard(case),
        "" => Err("`rule` must be the name of a rule; mend the case".to_owned()),
        other => Err(format!("there is no rule `{other}` here; see `rule` in the case")),
    }
}

/// A queue that a case speaks of must be one of its queues.
fn known(queues: &BTreeMap<String, QueueCase>, field: &str, name: &str) -> Result<usize, String> {
    let no_queue = || format!("`{field}` names `{name}`, which is none of `queues`; mend the case");
    queues.contains_key(name).then(|| place(queues, name)).ok_or_else(no_queue)
}

fn queue_first(case: &Value) -> Result<(), String> {
    #[derive(Deserialize)]
    struct Case {
        left: QueueCase,
        right: QueueCase,
        #[serde(default)]
        left_request: Vector,
        #[serde(default)]
        right_request: Vector,
        #[serde(default)]
        total: Vector,
        expect: String,
    }
    let scale = Scale::of(case);
    let case: Case = typed(case)?;
    let (left, right) = (scale.queue(&case.left), scale.queue(&case.right));
    let contender = |queue, next: &Vector| Contender {
        queue,
        next: scale.amounts(next),
        given_up: Amounts::default(),
    };
    let left = contender(&left, &case.left_request);
    let right = contender(&right, &case.right_request);
    let order = queue_order::compare(&left, &right, &scale.amounts(&case.total));
    // The tables end with age: what is not older goes second.
    same(&case.expect.as_str(), &if order.is_lt() { "left" } else { "right" })
}

fn may_reclaim(case: &Value) -> Result<(), String> {
    #[derive(Deserialize)]
    struct Case {
        queue: QueueCase,
        preemptible: bool,
        request: Vector,
        expect: bool,
    }
    let scale = Scale::of(case);
    let case: Case = typed(case)?;
    let request = scale.amounts(&case.request);
    let answer = taking::may_start(&scale.queue(&case.queue), &request, case.preemptible);
    because(case.expect, answer.is_ok(), &answer.err())
}

fn take_for_fairness(case: &Value) -> Result<(), String> {
    #[derive(Deserialize)]
    struct Case {
        victim: QueueCase,
        victim_left: Vector,
        expect: bool,
    }
    let scale = Scale::of(case);
    let case: Case = typed(case)?;
    let left = scale.amounts(&case.victim_left);
    same(&case.expect, &taking::for_fairness(&scale.queue(&case.victim), &left))
}

fn take_for_quota(case: &Value) -> Result<(), String> {
    #[derive(Deserialize)]
    struct Case {
        taker: QueueCase,
        request: Vector,
        victim: QueueCase,
        victim_left: Vector,
        expect: bool,
    }
    let scale = Scale::of(case);
    let case: Case = typed(case)?;
    let (taker, victim) = (scale.queue(&case.taker), scale.queue(&case.victim));
    let (request, left) = (scale.amounts(&case.request), scale.amounts(&case.victim_left));
    same(&case.expect, &taking::for_quota(&taker, &request, &victim, &left))
}

fn reclaim_ok(case: &Value) -> Result<(), String> {
    #[derive(Deserialize)]
    struct Case {
        queues: BTreeMap<String, QueueCase>,
        taker: String,
        preemptible: bool,
        request: Vector,
        take: Vec<Take>,
        #[serde(default, alias = "multiplier")]
        saturation_multiplier: Option<f64>,
        expect: bool,
    }
    #[derive(Deserialize)]
    struct Take {
        queue: String,
        #[serde(flatten)]
        amounts: Vector,
    }
    let scale = Scale::of(case);
    let case: Case = typed(case)?;
    let taker = Taker {
        queue: known(&case.queues, "taker", &case.taker)?,
        request: scale.amounts(&case.request),
        preemptible: case.preemptible,
    };
    let chunk = |take: &Take| -> Result<Chunk, String> {
        let queue = known(&case.queues, "take", &take.queue)?;
        Ok(Chunk { queue, amounts: scale.amounts(&take.amounts) })
    };
    let chunks = case.take.iter().map(chunk).collect::<Result<Vec<Chunk>, String>>()?;
    let multiplier = super::numbers::whole(case.saturation_multiplier.unwrap_or(1.0) * 1000.0);
    let answer = taking::judge(&scale.tree(&case.queues), &taker, &chunks, multiplier);
    because(case.expect, answer.is_ok(), &answer.err())
}

fn victim_queue_possible(case: &Value) -> Result<(), String> {
    #[derive(Deserialize)]
    struct Case {
        queues: BTreeMap<String, QueueCase>,
        taker: String,
        victim: String,
        request: Vector,
        expect: bool,
    }
    let scale = Scale::of(case);
    let case: Case = typed(case)?;
    let queue = place(&case.queues, &case.taker);
    let taker = Taker { queue, request: scale.amounts(&case.request), preemptible: true };
    let victim = place(&case.queues, &case.victim);
    same(&case.expect, &taking::may_be_victim(&scale.tree(&case.queues), &taker, victim))
}

fn gate(name: &str) -> Result<Gate, String> {
    match name {
        "limit" => Ok(Gate::Limit),
        "firm_quota" => Ok(Gate::FirmQuota),
        other => Err(format!("there is no gate `{other}`: write `limit` or `firm_quota`")),
    }
}

fn capacity_gate(case: &Value) -> Result<(), String> {
    #[derive(Deserialize)]
    struct Case {
        queues: BTreeMap<String, QueueCase>,
        queue: String,
        preemptible: bool,
        request: Vector,
        #[serde(default)]
        gates: Option<Vec<String>>,
        expect: Expect,
    }
    #[derive(Deserialize)]
    struct Expect {
        allowed: bool,
    }
    let scale = Scale::of(case);
    let case: Case = typed(case)?;
    let both = || vec!["limit".to_owned(), "firm_quota".to_owned()];
    let (tree, at) = (scale.tree(&case.queues), known(&case.queues, "queue", &case.queue)?);
    let request = scale.amounts(&case.request);
    let mut shut = None;
    for name in case.gates.unwrap_or_else(both) {
        let gate = gate(&name)?;
        if gate == Gate::FirmQuota && case.preemptible {
            continue;
        }
        shut = shut.or(gates::pass(&tree, at, gate, &request).err());
    }
    because(case.expect.allowed, shut.is_none(), &shut)
}

fn one_queue_gate(case: &Value) -> Result<(), String> {
    #[derive(Deserialize)]
    struct Case {
        gate: String,
        bound: Vector,
        held: Vector,
        request: Vector,
        expect: Expect,
    }
    #[derive(Deserialize)]
    struct Expect {
        blocked: bool,
        #[serde(default)]
        resource: Option<String>,
    }
    let scale = Scale::of(case);
    let case: Case = typed(case)?;
    gate(&case.gate)?;
    let (held, request) = (scale.amounts(&case.held), scale.amounts(&case.request));
    let over = gates::over(&scale.bounds(&case.bound), &held, &request);
    because(case.expect.blocked, over.is_some(), &over)?;
    let resource = over.map(|over| over.kind.to_string());
    case.expect.resource.map_or(Ok(()), |expected| same(&Some(expected), &resource))
}

/// Compares a yes or no, and gives the reason for a no that should have been a yes.
fn because<R: std::fmt::Debug>(expected: bool, got: bool, why: &Option<R>) -> Result<(), String> {
    same(&expected, &got).map_err(|what| match why {
        Some(why) => format!("{what}: {why:?}"),
        None => what,
    })
}
