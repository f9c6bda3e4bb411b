//! Our own cases in the formats of `conform` (`tests/conform`): rules that no case of others
//! covers. Each names the place of its rule; what it says makes it fail when switched off does.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]

use std::collections::BTreeSet;
use std::path::Path;

use serde_json::{Value, json};

use crate::cli_world::World;
use holdshort::sim::conform::judge;

const FILES: [(&str, &str); 3] =
    [("shares.json", "own_cases"), ("decisions.json", "cases"), ("cycle.json", "scenarios")];

fn cases(file: &str, list: &str) -> Vec<Value> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/conform").join(file);
    let file: Value = serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap();
    file[list].as_array().unwrap().clone()
}

fn all() -> Vec<Value> {
    FILES.iter().flat_map(|(file, list)| cases(file, list)).collect()
}

fn id(case: &Value) -> &str {
    case["id"].as_str().unwrap()
}

#[test]
fn every_case_of_ours_passes_and_says_which_rule_it_is_about() {
    let all = all();
    let failed =
        all.iter().filter_map(|case| Some(format!("{}: {}", id(case), judge(case).err()?)));
    assert_eq!(failed.collect::<Vec<_>>(), [""; 0]);
    let named = |place: &str| place.starts_with("kai.md ") || place.starts_with("formats: ");
    assert!(all.iter().all(|case| case["place"].as_str().is_some_and(named)));
    assert_eq!(all.iter().map(id).collect::<BTreeSet<_>>().len(), all.len(), "ids are distinct");
}

#[test]
fn what_a_case_needs_makes_it_fail_when_switched_off() {
    let mut needed = BTreeSet::new();
    for case in cases("cycle.json", "scenarios") {
        let idles = case["idle_passes"] == true;
        let without = case["without"].as_array().cloned().unwrap_or_default();
        assert_eq!(without.is_empty(), idles, "{}", id(&case));
        for name in without {
            let mut case = case.clone();
            case["config"]["off"] = json!([name]);
            assert!(judge(&case).is_err(), "{} passes without {name}", id(&case));
            needed.insert(name.as_str().unwrap().to_owned());
        }
    }
    let actions = ["allocate", "consolidate", "fair_share", "preempt", "reclaim", "stale_gang"];
    assert!(needed.iter().eq(actions), "{needed:?}");
}

/// A check that takes any answer proves nothing.
#[test]
fn no_case_of_ours_takes_a_wrong_status() {
    let words = ["pending", "running", "releasing", "pipelined", "binding"];
    for case in cases("cycle.json", "scenarios") {
        for list in ["jobs", "tasks"] {
            let Some(expected) = case["expect"][list].as_object() else { continue };
            for name in expected.keys() {
                for word in words.iter().filter(|word| expected[name]["status"] != **word) {
                    let mut wrong = case.clone();
                    wrong["expect"][list][name]["status"] = json!(word);
                    assert!(judge(&wrong).is_err(), "{}: {name} may be {word}", id(&case));
                }
            }
        }
    }
}

/// What is wrong with a case is said with its place; nothing of it is played.
#[test]
fn a_case_that_makes_no_sense_fails_and_says_where() {
    let plain = cases("cycle.json", "scenarios").swap_remove(0);
    let wrong = |place: &str, value: Value| {
        let mut case = plain.clone();
        *case.pointer_mut(place).unwrap() = value;
        judge(&case).unwrap_err()
    };
    for (place, value, field, what) in [
        ("/jobs/0/queue", json!("nowhere"), "`jobs[0].queue`", "must be one of d0, q0"),
        ("/jobs/1/tasks/0/state", json!("asleep"), "`jobs[1].tasks[0].state`", "one of pending"),
        ("/jobs/0/tasks/0/node", json!("n9"), "`jobs[0].tasks[0].node`", "one of n0"),
        ("/jobs/0/tasks/0/node", json!(null), "`jobs[0].tasks[0]`", "give it a `node`"),
        ("/jobs/0/name", json!("high"), "`jobs`", "twice"),
        ("/jobs/0/created_ago_min", json!(u64::MAX), "`jobs[0]`", "older"),
        ("/jobs/0/priority", json!("low"), "`jobs[0].priority`", "invalid type"),
        ("/nodes/0/gpus", json!(5000), "`nodes[0]`", "0 to 4096"),
        ("/jobs/1/gpus_per_task", json!(-1), "`jobs[1]`", "0 to 4096"),
        ("/nodes/0/gpus", json!(1e300), "`nodes[0].gpus`", "invalid type"),
        ("/queues/0/parent", json!("q0"), "`queues`", "circle"),
        ("/actions", json!(["allocate", "guess"]), "`actions`", "one of allocate"),
        ("/kind", json!("dream"), "`kind`", "unknown variant"),
        ("/expect/jobs", json!({"low": {}}), "`expect.jobs.low`", "missing field `status`"),
        ("/expect/jobs", json!({"j9": {"status": "running"}}), "`expect.jobs`", "must be one of"),
        ("/expect/jobs/low/status", json!("gone"), "`expect.jobs.low.status`", "one of pending"),
    ] {
        let said = wrong(place, value);
        assert!(said.contains(field) && said.contains(what), "{place}: {said}");
    }
    let mut circle = plain.clone();
    circle["jobs"][0]["subgroup_sets"] =
        json!([{"name": "a", "parent": "b"}, {"name": "b", "parent": "a"}]);
    assert!(
        judge(&circle).unwrap_err().contains("`jobs[0].subgroup_sets`: `a` stands in a circle")
    );
    circle = plain.clone();
    circle["rounds_until_match"] = json!(u32::MAX);
    assert!(judge(&circle).unwrap_err().contains("`rounds_until_match`"));
}

/// The same of the other formats, and the verb names the file and the case.
#[test]
fn the_verb_says_file_case_and_field_of_what_it_cannot_run() {
    let find =
        |file, list, id: &str| cases(file, list).into_iter().find(|case| case["id"] == id).unwrap();
    let mut gate = find("decisions.json", "cases", "own-gate-above");
    gate["queue"] = json!("q9");
    let mut taker = find("decisions.json", "cases", "own-ok-fairness");
    taker["take"][0]["queue"] = json!("v9");
    let mut share = find("shares.json", "own_cases", "own-share-tiers");
    share["queues"][1]["gpu"]["weight"] = json!("heavy");
    let world = World::new();
    world.write("odd.json", &json!({"cases": [gate, taker, share]}).to_string());
    let said = world.run(&["conform", "odd.json"]);
    assert_eq!(said.code, 1, "{said:?}");
    for part in [
        "odd.json: 0 passed, 3 failed",
        "failed own-gate-above (capacity_gate): `queue` names `q9`, which is none of `queues`",
        "failed own-ok-fairness (reclaim_ok): `take` names `v9`",
        "failed own-share-tiers: it can't be read at `queues[1].gpu.weight`: invalid type",
    ] {
        assert!(said.out.contains(part), "{part}: {}", said.out);
    }
}
