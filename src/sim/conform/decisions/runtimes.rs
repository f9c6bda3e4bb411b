//! Cases of minimum runtimes: which one holds, and what it forbids.

use std::collections::BTreeMap;

use serde::Deserialize;
use serde_json::Value;

use crate::base::Span;
use crate::sched::policy::protection::{
    Level, Method, Victim, against_preempt, against_reclaim, forbids,
};
use crate::sim::conform::numbers::{place, whole};
use crate::sim::conform::{same, typed};

/// The look-up that both rules begin with.
#[derive(Deserialize)]
struct Lookup {
    queues: BTreeMap<String, LevelCase>,
    #[serde(default)]
    defaults: Defaults,
    what: What,
    #[serde(default)]
    method: MethodCase,
    #[serde(default)]
    taker: Option<String>,
    #[serde(default)]
    victim: Option<String>,
}

#[derive(Deserialize)]
struct LevelCase {
    #[serde(default)]
    parent: Option<String>,
    #[serde(default)]
    preempt_min_runtime_s: Option<f64>,
    #[serde(default)]
    reclaim_min_runtime_s: Option<f64>,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct Defaults {
    preempt: f64,
    reclaim: f64,
}

#[derive(Clone, Copy, Deserialize)]
#[serde(rename_all = "snake_case")]
enum What {
    Preempt,
    Reclaim,
}

#[derive(Clone, Copy, Default, Deserialize)]
#[serde(rename_all = "snake_case")]
enum MethodCase {
    Queue,
    #[default]
    Lca,
}

impl Lookup {
    fn min_runtime(&self) -> Span {
        let at = |name: &Option<String>| {
            name.as_ref().map_or(usize::MAX, |name| place(&self.queues, name))
        };
        let level = |case: &LevelCase| Level {
            parent: case.parent.as_ref().map(|parent| place(&self.queues, parent)),
            preempt: case.preempt_min_runtime_s.map(span),
            reclaim: case.reclaim_min_runtime_s.map(span),
        };
        let levels: Vec<Level> = self.queues.values().map(level).collect();
        let (taker, victim) = (at(&self.taker), at(&self.victim));
        let method = match self.method {
            MethodCase::Queue => Method::Queue,
            MethodCase::Lca => Method::Lca,
        };
        match self.what {
            What::Preempt => against_preempt(&levels, victim, span(self.defaults.preempt)),
            What::Reclaim => {
                against_reclaim(&levels, method, taker, victim, span(self.defaults.reclaim))
            }
        }
    }
}

fn span(seconds: f64) -> Span {
    Span(whole(seconds * 1000.0))
}

pub(super) fn min_runtime(case: &Value) -> Result<(), String> {
    #[derive(Deserialize)]
    struct Expected {
        expect: f64,
    }
    let lookup: Lookup = typed(case)?;
    let expected: Expected = typed(case)?;
    same(&span(expected.expect), &lookup.min_runtime())
}

pub(super) fn guard(case: &Value) -> Result<(), String> {
    #[derive(Deserialize)]
    struct Guard {
        #[serde(default)]
        started_ago_s: Option<f64>,
        min_available: u32,
        running: u32,
        take: u32,
        expect: String,
    }
    let lookup: Lookup = typed(case)?;
    let guard: Guard = typed(case)?;
    let victim = Victim {
        ran: guard.started_ago_s.map(span),
        running: guard.running,
        min: guard.min_available,
        take: guard.take,
    };
    let answer = if forbids(&victim, lookup.min_runtime()) { "protected" } else { "free" };
    same(&guard.expect.as_str(), &answer)
}
