//! Reading files of cases: what counts as one, and that wrong expectations fail.

use super::*;

/// Two queues that divide three devices: the older one gets the odd device.
const SHARES: &str = r#"{"id": "own-1", "name": "odd device", "k": 0, "total": {"gpu": 3},
    "queues": [
        {"name": "b", "created_rank": 0, "gpu": {"weight": 1, "request": 3}},
        {"name": "a", "created_rank": 1, "gpu": {"weight": 1, "request": 3}}],
    "expect": {"share": {"a": {"gpu": 1}, "b": {"gpu": 2}}, "remaining": {"gpu": 0}}}"#;

/// A gate in an unlimited resource, with half a unit asked for.
const GATE: &str = r#"{"id": "own-2", "rule": "one_queue_gate", "gate": "limit",
    "bound": {"mem": 1}, "held": {"mem": 0.6, "cpu": 9}, "request": {"mem": 0.5, "cpu": 9},
    "expect": {"blocked": true, "resource": "mem"}}"#;

#[test]
fn cases_are_found_in_lists_in_objects_and_alone() {
    for text in [
        format!(r#"{{"cases": [{SHARES}], "own_cases": [{GATE}]}}"#),
        format!("[{SHARES}, {GATE}]"),
        format!("{SHARES}\n{GATE}"),
    ] {
        let report = run(&text).unwrap();
        assert_eq!(report.closing(), "2 passed, 0 failed", "{:?}", report.failed);
    }
}

#[test]
fn what_is_no_file_of_cases_is_said_to_be_none() {
    assert!(run("cases").unwrap_err().contains("no JSON"));
    for text in ["", "{}", "[]", "7", r#"{"cases": 7}"#] {
        assert_eq!(run(text).unwrap_err(), "it has no cases", "{text}");
    }
}

#[test]
fn a_wrong_expectation_fails_and_says_what_differs() {
    let wrong = SHARES.replace(r#""a": {"gpu": 1}"#, r#""a": {"gpu": 1.5}"#);
    let report = run(&wrong).unwrap();
    assert_eq!(report.closing(), "0 passed, 1 failed");
    assert_eq!(report.failed[0].id, "own-1");
    let what = "share of a: expected 1500 thousandths gpu, got 1000";
    assert_eq!(report.failed[0].what, what);
    let wrong = GATE.replace(r#""resource": "mem""#, r#""resource": "cpu""#);
    assert!(judge(&serde_json::from_str(&wrong).unwrap()).unwrap_err().contains("mem"));
}

#[test]
fn what_cannot_be_run_has_failed() {
    for case in [
        r#"{"rule": "of thumb", "expect": true}"#,
        r#"{"rule": "may_reclaim", "expect": true}"#,
        r#"{"rule": 7, "expect": true}"#,
        r#"{"expect": true}"#,
        r#"{"total": {"gpu": "two"}, "queues": [], "expect": {"share": {}}}"#,
        r#"{"total": {}, "queues": [], "expect": {"share": {"q": {"gpu": 1}}}}"#,
    ] {
        assert_eq!(run(case).unwrap().closing(), "0 passed, 1 failed", "{case}");
    }
}
