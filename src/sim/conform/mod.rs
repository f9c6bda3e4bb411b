//! Replays tables of scheduling cases through the real policies and the real core.
//!
//! A file holds cases of other schedulers, or our own, as facts: numbers in, expected answer out
//! (formats `aiops-fairshare/1`, `decision-tables-1`, `scheduler-scenarios/1`). Each case is told
//! by what is in it, so files may be mixed. [`run`] takes a file's text; reading files is for who
//! calls. A case that can't be run has failed. Start with [`run`], then [`fairshare`],
//! [`decisions`] and [`scenarios`].

use serde_json::Value;

use crate::model::setup::SWITCHES;

pub mod decisions;
pub mod fairshare;
mod numbers;
pub mod scenarios;

/// The policies that a replay goes through.
pub const IN_FORCE: &[&str] = &[
    "fair shares: quota, then surplus by queue priority, weight and past usage",
    "team order by share, quota and priority",
    "limit and firm-quota gates at every level",
    "reclaim by fairness or quota, less saturated than siblings",
    "minimum runtimes (lca), preemption delay",
    "gangs: minimum at once, then one by one; stale gangs go",
];

/// The switches that the tables know: the actions of their cycle, and fair shares.
const THEIRS: &[&str] =
    &["allocate", "consolidate", "reclaim", "preempt", "stale_gang", "fair_share"];

/// What is switched off in a replay: everything of ours that the tables do not know.
pub fn off() -> Vec<&'static str> {
    SWITCHES.iter().copied().filter(|name| !THEIRS.contains(name)).collect()
}

/// What a replay came to.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Report {
    /// Cases that went as expected.
    pub passed: usize,
    /// Of these, those that a scheduler which does nothing would pass too, as the file says.
    pub idle: usize,
    /// The others, in the file's order.
    pub failed: Vec<Failed>,
}

/// A case that did not go as expected.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Failed {
    /// The case, as the file calls it.
    pub id: String,
    /// Its longer name, or the rule it tests; may be empty.
    pub name: String,
    /// What differed.
    pub what: String,
}

/// Where a file keeps its cases.
const LISTS: &[&str] = &["cases", "own_cases", "scenarios"];

/// Runs all cases of a file: one JSON document or several, each an object with lists of cases,
/// a list, or a case.
///
/// # Errors
/// A sentence, when the text is no JSON or has no cases.
pub fn run(text: &str) -> Result<Report, String> {
    let mut cases = Vec::new();
    for document in serde_json::Deserializer::from_str(text).into_iter::<Value>() {
        cases.extend(cases_of(document.map_err(|error| format!("it is no JSON: {error}"))?));
    }
    if cases.is_empty() {
        return Err("it has no cases".to_owned());
    }
    let mut report = Report::default();
    for case in &cases {
        report.add(case, judge(case));
    }
    Ok(report)
}

fn cases_of(document: Value) -> Vec<Value> {
    match document {
        Value::Array(cases) => cases,
        Value::Object(mut fields) => {
            let lists: Vec<Value> = LISTS.iter().filter_map(|list| fields.remove(*list)).collect();
            if lists.is_empty() && fields.contains_key("expect") {
                return vec![Value::Object(fields)];
            }
            let cases = lists.into_iter().filter_map(|list| match list {
                Value::Array(cases) => Some(cases),
                _ => None,
            });
            cases.flatten().collect()
        }
        _ => Vec::new(),
    }
}

/// Runs one case.
///
/// # Errors
/// What differed, or why it can't be run.
pub fn judge(case: &Value) -> Result<(), String> {
    let has = |field: &str| case.get(field).is_some();
    if has("rule") {
        decisions::judge(case)
    } else if has("jobs") {
        scenarios::judge(case)
    } else if has("queues") && has("total") {
        fairshare::judge(case)
    } else {
        Err("it is no case of a kind that is known: it has no `rule`, no `jobs`, and not \
             both `queues` and `total`"
            .to_owned())
    }
}

impl Report {
    fn add(&mut self, case: &Value, verdict: Result<(), String>) {
        let word = |field: &str| case.get(field).and_then(Value::as_str).map(str::to_owned);
        match verdict {
            Ok(()) => {
                self.passed += 1;
                let idle = case.get("idle_passes").and_then(Value::as_bool).unwrap_or(false);
                self.idle += usize::from(idle);
            }
            Err(what) => self.failed.push(Failed {
                id: word("id").unwrap_or_else(|| "a case without an id".to_owned()),
                name: word("name").or_else(|| word("rule")).unwrap_or_default(),
                what,
            }),
        }
    }

    /// Adds another file's report.
    pub fn extend(&mut self, other: Report) {
        self.passed += other.passed;
        self.idle += other.idle;
        self.failed.extend(other.failed);
    }

    /// The closing line: `N passed, M failed`.
    pub fn closing(&self) -> String {
        format!("{} passed, {} failed", self.passed, self.failed.len())
    }
}

/// Compares an answer with the expected one.
fn same<T: PartialEq + std::fmt::Debug>(expected: &T, got: &T) -> Result<(), String> {
    if expected == got {
        return Ok(());
    }
    Err(format!("expected {expected:?}, got {got:?}"))
}

/// Reads a case into its typed form.
fn typed<T: serde::de::DeserializeOwned>(case: &Value) -> Result<T, String> {
    serde_path_to_error::deserialize(case).map_err(|error| {
        let path = error.path().to_string();
        let at = if path == "." { String::new() } else { format!(" at `{path}`") };
        format!("it can't be read{at}: {}; mend the case", error.into_inner())
    })
}

#[cfg(test)]
mod tests;
