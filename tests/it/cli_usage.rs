//! The command line without a server: help, usage errors, what lies where.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]

use std::io::pipe;
use std::process::Stdio;

use crate::cli_world::{Said, World, end_of};

#[test]
fn help_begins_with_examples_and_all_verbs_are_behind_help_all() {
    let world = World::new();
    let help = world.ok(&["--help"]);
    assert!(help.starts_with("Examples:"), "{help}");
    assert!(!help.contains("heartbeat"));
    assert!(world.ok(&["help", "all"]).contains("heartbeat"));
    assert!(world.ok(&["submit", "--help"]).contains("--warn-signal"));
    assert!(world.ok(&["--version"]).starts_with("holdshort "));
}

#[test]
fn words_of_later_versions_and_other_tools_are_usage_errors() {
    let world = World::new();
    for words in [
        ["do", "claude", "fix it"].as_slice(),
        &["approve", "team:ml"],
        &["approve", "R17", "--until", "never"],
        &["delegate"],
        &["squeue"],
        &["kill", "42"],
        &["submit", "--deadline", "1h", "--", "true"],
        &["submit", "--spot", "--", "true"],
        &["submit", "--engine", "ray", "--", "true"],
        &["submit", "--worktree", "--", "true"],
        &["set", "42", "deadline=1h"],
        &["pause", "all"],
        &["submit"],
        &["submit", "--", ""],
    ] {
        let said = world.run(words);
        assert_eq!(said.code, 2, "{words:?}: {said:?}");
        assert!(said.err.starts_with("error: "), "{words:?}: {said:?}");
        assert_eq!(said.out, "", "{words:?}");
    }
    assert!(world.run(&["squeue"]).err.contains("holdshort ls"));
    assert_eq!(world.run(&["server", "status"]).code, 6, "none of these started a server");
}

#[test]
fn no_server_is_an_answer_of_its_own() {
    let world = World::new();
    let said = world.run(&["server", "status"]);
    assert_eq!(said.code, 6);
    assert!(said.err.contains("no server answers"), "{said:?}");
    assert_eq!(world.run(&["server", "stop"]).code, 0);
    assert_eq!(world.run(&["verify", "journal"]).code, 1);
}

#[test]
fn completions_manual_schema_and_paths_need_nothing() {
    let world = World::new();
    for shell in ["bash", "zsh", "fish"] {
        assert!(world.ok(&["completions", shell]).contains("holdshort"), "{shell}");
    }
    assert!(world.ok(&["man"]).contains(".TH holdshort"));
    let pages = world.path("man");
    world.ok(&["man", pages.to_str().unwrap()]);
    assert!(pages.join("holdshort-submit.1").exists());
    let schema = world.ok(&["config", "schema"]);
    serde_json::from_str::<serde_json::Value>(&schema).unwrap();
    let paths = world.json(&["paths"]);
    assert!(paths["socket"].as_str().unwrap().contains("/run/holdshort/"), "{paths}");
    assert!(world.ok(&["config", "show", "--origin"]).contains("HOLDSHORT_DATA_DIR"));
}

#[test]
fn a_mistake_in_the_configuration_is_told_with_its_line() {
    let world = World::new();
    let file = world.write("c.toml", "[server]\nidle_exti = \"1h\"\n");
    let said = world.run(&["--config", file.to_str().unwrap(), "config", "check"]);
    assert_eq!(said.code, 2);
    assert!(said.err.contains("c.toml:2") && said.err.contains("idle_exit"), "{said:?}");
    assert_eq!(world.run(&["config", "check"]).code, 0);
}

#[test]
fn a_reader_that_goes_away_ends_the_program_without_words() {
    let world = World::new();
    let (reader, writer) = pipe().unwrap();
    drop(reader);
    let child = world
        .command(&["completions", "bash"])
        .stdout(writer)
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let Said { code, err, .. } = end_of(child);
    assert_eq!((code, err.as_str()), (141, ""));
}
