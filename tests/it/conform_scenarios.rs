//! Whole-cycle cases of another scheduler, played through the real core.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]
#![allow(clippy::print_stderr, reason = "what a test skips is said")]

use std::path::PathBuf;

use serde_json::{Value, json};

use holdshort::sim::conform::judge;

/// Cases of shares of a device in which the other scheduler would rather wait for a device that
/// is partly in use than start on an idle one, or packs nodes and spreads devices at once. We
/// leave no room idle that could be used.
const OTHERWISE: [&str; 4] =
    ["unit-allocate-020", "unit-allocate-023", "unit-allocate-028", "unit-allocate-029"];

fn scenarios(name: &str) -> Option<Vec<Value>> {
    let Some(folder) = std::env::var_os("HOLDSHORT_TEST_DATA") else {
        eprintln!("skipped: {name} needs HOLDSHORT_TEST_DATA");
        return None;
    };
    let path = PathBuf::from(folder).join("conformance").join(name);
    let file: Value = serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap();
    Some(file["scenarios"].as_array().unwrap().clone())
}

fn id(case: &Value) -> &str {
    case["id"].as_str().unwrap()
}

#[test]
fn every_scenario_goes_as_expected() {
    let tables = ["scenarios.json", "scenarios-extended.json"].map(scenarios);
    let [Some(general), Some(extended)] = tables else { return };
    assert!(general.len() >= 155 && extended.len() >= 66);
    let cases = general.iter().chain(&extended).filter(|case| !OTHERWISE.contains(&id(case)));
    let failed = cases.filter_map(|case| Some(format!("{}: {}", id(case), judge(case).err()?)));
    assert_eq!(failed.collect::<Vec<_>>(), [""; 0]);
}

/// A check that takes any answer proves nothing: each expected status is replaced by others.
#[test]
fn no_scenario_takes_a_wrong_status() {
    let Some(cases) = scenarios("scenarios.json") else { return };
    let words = ["pending", "running", "releasing", "pipelined"];
    for case in cases {
        let jobs = case["expect"]["jobs"].as_object().unwrap();
        for (job, expected) in jobs {
            for word in words.iter().filter(|word| expected["status"] != **word) {
                let mut wrong = case.clone();
                wrong["expect"]["jobs"][job]["status"] = json!(word);
                assert!(judge(&wrong).is_err(), "{}: {job} may be {word}", id(&case));
            }
        }
    }
}
