//! `policy check`: the rule an action would meet, offline.

use serde_json::Value;

use crate::place::Place;

const RULES: &str = r#"
[[user]]
name = "ana"
os_user = "daemon"
role = "approver"
team = "fin"

[[review_policy]]
name = "large"
effects = ["money"]
above = "1000"
currency = "EUR"
approvers = ["ana", "zoe"]
need = 2
within = "4h"
fallback = "deny_and_cancel"

[[review_policy]]
name = "frozen"
effects = ["irreversible"]
wait = "freeze"
env = ["REGION"]
"#;

fn checked(place: &Place, line: &str, code: i32) -> Value {
    let ran = place.run(&format!("policy check {line} --json"));
    assert_eq!(ran.code, code, "{line}: {ran:?}");
    serde_json::from_str(&ran.out).unwrap()
}

#[test]
fn it_says_the_rule_who_is_asked_and_what_nobody_could_approve() {
    let place = Place::new(RULES);
    let small = checked(&place, "--effect money --amount 10 --currency EUR --team fin", 0);
    let small = &small["checks"][0];
    assert_eq!((&small["rule"]["policy"], &small["asked"][0]), (&Value::Null, &"ana".into()));
    let large = checked(&place, "--effect money --amount 5000 --currency EUR --team fin", 1);
    let large = &large["checks"][0];
    assert_eq!(large["rule"]["policy"], "large");
    assert_eq!(large["rule"]["fallback"]["kind"], "deny_and_cancel");
    let nobody = large["nobody_could_approve"].as_str().unwrap();
    assert!(nobody.contains("zoe cannot sign in"), "{nobody}");

    let all = checked(&place, "--owner carl", 0);
    assert_eq!(all["checks"].as_array().unwrap().len(), 6);
    let of = |effect: &str| {
        let checks = all["checks"].as_array().unwrap().iter();
        checks.clone().find(|check| check["effect"] == effect).unwrap().clone()
    };
    assert_eq!(
        (&of("read")["asks_nobody"], of("read")["asked"].as_array().unwrap().len()),
        (&true.into(), 0)
    );
    let frozen = of("irreversible");
    assert_eq!((&frozen["wait"], &frozen["env"][0]), (&"freeze".into(), &"REGION".into()));
    assert_eq!((&frozen["owner_decides"], &frozen["asked"][0]), (&true.into(), &"carl".into()));
    // What nobody classified meets the rule for what is irreversible.
    assert_eq!(of("unknown")["rule"]["policy"], "frozen");
    assert!(all["lints"][0]["text"].as_str().is_none_or(|text| !text.is_empty()));
    assert!(place.server().is_none(), "it needs no server");
}

#[test]
fn in_words_it_is_one_line_for_each_class() {
    let place = Place::new(RULES);
    let ran = place.run("policy check --team fin --owner carl");
    let line = |effect: &str| ran.out.lines().find(|line| line.starts_with(effect)).unwrap();
    assert_eq!(
        line("read").trim_end(),
        "read          no rule of its own: passes at once, recorded"
    );
    assert!(line("external").contains("asks ana; one yes within 7d"), "{}", line("external"));
    assert_eq!(place.run("policy check --effect nonsense").code, 2);
    assert_eq!(place.run("policy check --effect money --amount x --currency EUR").code, 2);
}
