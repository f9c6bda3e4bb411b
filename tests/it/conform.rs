//! `conform`: every case of the tables passes, every wrong expectation fails, and the verb says so.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]
#![allow(clippy::print_stderr, reason = "what a test skips is said")]

use std::path::PathBuf;

use serde_json::{Value, json};

use crate::cli_world::World;
use holdshort::sim::conform::judge;

/// Tables of foreign cases, if the folder with them is there.
fn table(name: &str) -> Option<(PathBuf, Vec<Value>)> {
    let Some(folder) = std::env::var_os("HOLDSHORT_TEST_DATA") else {
        eprintln!("skipped: {name} needs HOLDSHORT_TEST_DATA");
        return None;
    };
    let path = PathBuf::from(folder).join("conformance").join(name);
    let text = std::fs::read_to_string(&path).unwrap();
    let file: Value = serde_json::from_str(&text).unwrap();
    Some((path, file["cases"].as_array().unwrap().clone()))
}

#[test]
fn every_case_of_shares_and_of_decisions_passes() {
    let tables = ["fairshare.json", "decisions.json"].map(table);
    let [Some((shares, share_cases)), Some((decisions, decision_cases))] = tables else { return };
    let all = share_cases.len() + decision_cases.len();
    assert!(share_cases.len() >= 55 && decision_cases.len() >= 89);
    let said =
        World::new().run(&["conform", shares.to_str().unwrap(), decisions.to_str().unwrap()]);
    assert_eq!(said.code, 0, "{}", said.out);
    assert_eq!(said.out.lines().last(), Some(format!("{all} passed, 0 failed").as_str()));
}

/// Every other answer that a rule could have given.
fn wrong_answers(case: &Value) -> Vec<Value> {
    let words = |words: &[&str]| words.iter().map(|word| json!(word)).collect();
    let all: Vec<Value> = match (case["rule"].as_str(), &case["expect"]) {
        (Some("queue_first"), _) => words(&["left", "right", "same"]),
        (Some("job_first_by_gang" | "gang_member_first"), _) => words(&["left", "right", "same"]),
        (Some("min_runtime_guard"), _) => words(&["protected", "free"]),
        (Some("min_runtime"), expect) => {
            let seconds = expect.as_f64().unwrap();
            vec![json!(seconds + 1.0), json!(seconds - 0.5)]
        }
        (Some("capacity_gate"), expect) => {
            vec![json!({"allowed": !expect["allowed"].as_bool().unwrap()})]
        }
        (Some("one_queue_gate"), expect) => {
            let blocked = expect["blocked"].as_bool().unwrap();
            let kinds = ["cpu", "mem", "gpu"].iter().filter(|kind| expect["resource"] != **kind);
            let named = kinds.map(|kind| json!({"blocked": true, "resource": kind}));
            named.chain([json!({"blocked": !blocked})]).collect()
        }
        (Some(_), expect) => vec![json!(!expect.as_bool().unwrap())],
        (None, expect) => wrong_shares(expect),
    };
    all.into_iter().filter(|answer| *answer != case["expect"]).collect()
}

/// One share, or what remains, half a unit or a whole one off.
fn wrong_shares(expect: &Value) -> Vec<Value> {
    let mut places: Vec<String> = Vec::new();
    for (queue, shares) in expect["share"].as_object().unwrap() {
        let kinds = shares.as_object().unwrap().keys();
        places.extend(kinds.map(|kind| format!("/share/{queue}/{kind}")));
    }
    if let Some(remaining) = expect["remaining"].as_object() {
        places.extend(remaining.keys().map(|kind| format!("/remaining/{kind}")));
    }
    let mut wrong = Vec::new();
    for place in places {
        for step in [1.0, 0.5] {
            let mut changed = expect.clone();
            let number = changed.pointer_mut(&place).unwrap();
            *number = json!(number.as_f64().unwrap() + step);
            wrong.push(changed);
        }
    }
    wrong
}

#[test]
fn every_wrong_expectation_is_rejected() {
    let mut tried = 0;
    for (_, cases) in ["fairshare.json", "decisions.json"].into_iter().filter_map(table) {
        for mut case in cases {
            let wrong = wrong_answers(&case);
            assert!(!wrong.is_empty(), "{case}");
            for answer in wrong {
                case["expect"] = answer;
                assert!(judge(&case).is_err(), "{case}");
                tried += 1;
            }
        }
    }
    assert!(tried == 0 || tried > 300, "{tried}");
}

/// A queue over its limit in CPU that asks for a GPU: the gate is open.
const OPEN: &str = r#"{"id": "own-1", "rule": "one_queue_gate", "gate": "limit",
    "bound": {"cpu": 1, "gpu": 1}, "held": {"cpu": 2}, "request": {"gpu": 1},
    "expect": {"blocked": false}}"#;

#[test]
fn the_verb_names_what_failed_and_ends_with_both_numbers() {
    let world = World::new();
    let wrong = OPEN.replace("own-1", "own-2").replace("false", "true");
    world.write("cases.json", &format!(r#"{{"cases": [{OPEN}, {wrong}]}}"#));
    let said = world.run(&["conform", "cases.json"]);
    assert_eq!(said.code, 1, "{said:?}");
    assert!(said.out.contains("Policies in force:"), "{}", said.out);
    assert!(said.out.contains("Off: overstayed, reservation, backfill"), "{}", said.out);
    assert!(said.out.contains("failed own-2 (one_queue_gate): expected true, got false"));
    assert!(!said.out.contains("failed own-1"));
    assert_eq!(said.out.lines().last(), Some("1 passed, 1 failed"));

    let said = world.run(&["--json", "conform", "cases.json"]);
    let document: Value = serde_json::from_str(&said.out).unwrap();
    assert_eq!((said.code, &document["passed"], &document["failed"]), (1, &json!(1), &json!(1)));
    assert_eq!(document["failures"][0]["id"], "own-2");
    world.write("cases.json", OPEN);
    assert_eq!(world.run(&["conform", "cases.json"]).code, 0);
}

#[test]
fn a_file_that_cannot_be_read_is_a_usage_error() {
    let world = World::new();
    world.write("good.json", OPEN);
    world.write("bad.json", "no json");
    for bad in ["bad.json", "missing.json"] {
        let said = world.run(&["conform", "good.json", bad]);
        assert_eq!((said.code, said.out.as_str()), (2, ""), "{said:?}");
        assert!(said.err.contains(bad), "{said:?}");
    }
    assert_eq!(world.run(&["conform"]).code, 2);
}
