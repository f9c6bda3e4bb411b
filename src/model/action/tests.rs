//! What the hash covers and what it does not.

use super::*;
use proptest::prelude::*;

const BY_CARL: Bound<'_> = Bound { effect: EffectClass::Irreversible, principal: "carl" };

fn bash(args: &str) -> Action {
    let args = Args::Here(Json::read(args).unwrap().canonical());
    Action { kind: "tool".into(), tool: Some("Bash".into()), args, target: None, amount: None }
}

#[test]
fn words_beside_the_action_and_the_order_of_keys_change_nothing() {
    let one = bash(r#"{"command":"rm -rf build","description":"clean up","timeout":5}"#);
    let two = bash(r#"{"timeout":900, "description":"tidy","command":"rm -rf build"}"#);
    assert_eq!(one.hash(BY_CARL), two.hash(BY_CARL));
    assert_eq!(one.not_covered(), ["description", "timeout"]);
    assert_eq!(one.covered(), ["effect", "kind", "principal", "tool", "args.command"]);
}

#[test]
fn whatever_changes_the_effect_changes_the_hash() {
    let base = bash(r#"{"command":"ls"}"#);
    let confined = bash(r#"{"command":"ls","sandbox":false}"#);
    let elsewhere = Action { target: Some("prod".into()), ..base.clone() };
    let amount = Some(Amount::parse("1", "EUR").unwrap());
    let paid = Action { amount, ..base.clone() };
    let other_tool = Action { tool: Some("Write".into()), ..base.clone() };
    let mut hashes = vec![
        base.hash(BY_CARL),
        base.hash(Bound { principal: "dora", ..BY_CARL }),
        base.hash(Bound { effect: EffectClass::Read, ..BY_CARL }),
        confined.hash(BY_CARL),
        elsewhere.hash(BY_CARL),
        paid.hash(BY_CARL),
        other_tool.hash(BY_CARL),
    ];
    let all = hashes.len();
    hashes.sort();
    hashes.dedup();
    assert_eq!(hashes.len(), all);
}

#[test]
fn a_tool_that_is_not_listed_has_everything_covered() {
    let with = |description: &str| Action {
        tool: Some("deploy".into()),
        ..bash(&format!(r#"{{"description":"{description}"}}"#))
    };
    assert_ne!(with("a").hash(BY_CARL), with("b").hash(BY_CARL));
}

#[test]
fn what_is_too_long_or_not_canonical_is_named() {
    let long = bash(&format!(r#"{{"command":"{}"}}"#, "a".repeat(SHOWN_MAX)));
    assert!(long.problem().unwrap().contains("list of files"));
    let loose = Action { args: Args::Here("{ }".into()), ..bash("{}") };
    assert!(loose.problem().unwrap().contains("canonically"));
    let stored = Args::Stored { digest: Digest::of(b"x"), bytes: 1 << 20, files: Vec::new() };
    let stored = Action { args: stored, ..bash("{}") };
    assert_eq!((stored.problem(), stored.is_whole()), (None, false));
    assert!(Action { kind: "".into(), ..bash("{}") }.problem().is_some());
}

#[test]
fn differences_name_the_value_and_both_sides() {
    let before = bash(r#"{"argv":["pay","--to","A"],"cwd":"/srv"}"#);
    let after = bash(r#"{"argv":["pay","--to","B"],"env":{"X":"1"},"cwd":"/srv"}"#);
    let found = differences(&before, &after);
    let said: Vec<String> = found
        .iter()
        .map(|d| format!("{} {:?} {:?}", d.path, d.before.as_deref(), d.after.as_deref()))
        .collect();
    assert_eq!(said, [r#"args.argv.2 Some("A") Some("B")"#, r#"args.env.X None Some("1")"#]);
    assert_eq!(differences(&before, &before), []);
}

proptest! {
    #[test]
    fn canonical_text_reads_back_as_itself(text in "[ -~\u{80}-\u{2ff}]{0,40}", n in any::<i32>()) {
        let quoted = serde_json::to_string(&text).unwrap();
        let value = Json::read(&format!(r#"{{"b":[{n},{quoted}],"a":{quoted}}}"#)).unwrap();
        let canonical = value.canonical();
        prop_assert_eq!(Json::read(&canonical).unwrap().canonical(), canonical);
    }

    #[test]
    fn advisory_words_never_matter_covered_ones_do(a in "[a-z]{1,8}", b in "[a-z]{1,8}") {
        let told = |words: &str| bash(&format!(r#"{{"command":"x","description":"{words}"}}"#));
        prop_assert_eq!(told(&a).hash(BY_CARL), told(&b).hash(BY_CARL));
        let ran = |words: &str| bash(&format!(r#"{{"command":"{words}"}}"#));
        prop_assert_eq!(ran(&a).hash(BY_CARL) == ran(&b).hash(BY_CARL), a == b);
    }
}
