//! Programs of the user's that are told: what they get, and what becomes of those that fail, stay
//! or are not there.

use holdshort::model::review::Moment;
use serde_json::Value;

use super::{ask, told};
use crate::asking::people::Agents;
use crate::place::{alive, wait_for};

/// A place that tells a program, whose script is written once the place is there.
fn place(argv: &str, more: &str) -> Agents {
    Agents::new(&format!(
        "[[notify]]\nname = \"pager\"\nkind = \"command\"\ncommand = {argv}\n\
         backoff = \"1ms\"\ntries = 2\n{more}\n"
    ))
}

fn shell(script: &str, arg: &str) -> String {
    format!("[\"/bin/sh\", \"-c\", {script:?}, \"sh\", {arg:?}]")
}

#[test]
fn a_program_gets_the_message_on_its_input_and_its_arguments_as_they_are() {
    let out = tempfile::tempdir().unwrap();
    let (said, args) = (out.path().join("said"), out.path().join("args"));
    let script = format!("cat > {}; printf %s \"$1\" > {}", said.display(), args.display());
    let agents = place(&shell(&script, "two words; $(touch /nowhere) *"), "");
    let review = ask(&agents);
    let pager = told(&agents, review.id, "pager", Moment::Asked);
    assert_eq!((pager.failed, pager.tries), (None, 1));
    let json: Value = serde_json::from_slice(&std::fs::read(said).unwrap()).unwrap();
    assert_eq!(
        (&json["type"], &json["data"]["review"]),
        (&"review.asked".into(), &review.id.to_string().into())
    );
    assert_eq!(std::fs::read_to_string(args).unwrap(), "two words; $(touch /nowhere) *");
}

#[test]
fn one_that_fails_says_why_and_one_that_is_not_there_is_not_looked_for_again() {
    let agents = place(&shell("echo no line to the pager >&2; exit 3", ""), "");
    let review = ask(&agents);
    let pager = told(&agents, review.id, "pager", Moment::Asked);
    let why = pager.failed.unwrap();
    assert!(why.contains("exit status: 3: no line to the pager"), "{why}");
    assert_eq!(pager.tries, 2);
    let agents = place("[\"/nowhere/pager\"]", "");
    let review = ask(&agents);
    let pager = told(&agents, review.id, "pager", Moment::Asked);
    assert_eq!(pager.failed.as_deref(), Some("cannot be run: entity not found"));
    assert_eq!(pager.tries, 1);
}

#[test]
fn one_that_stays_is_ended_with_all_that_it_started() {
    let out = tempfile::tempdir().unwrap();
    let pids = out.path().join("pids");
    let script = format!("sleep 1000 & echo $! >> {0}; echo $$ >> {0}; wait", pids.display());
    let agents = place(&shell(&script, ""), "timeout = \"300ms\"");
    let review = ask(&agents);
    let pager = told(&agents, review.id, "pager", Moment::Asked);
    assert_eq!(pager.failed.as_deref(), Some("did not end within 300 ms"));
    let text = std::fs::read_to_string(&pids).unwrap();
    let pids: Vec<i32> = text.lines().map(|line| line.parse().unwrap()).collect();
    assert!(!pids.is_empty());
    wait_for("their end", || pids.iter().all(|pid| !alive(*pid)));
}
