//! Words that may not be said: in a room, in Rust, or in any file.

use crate::arrows::{self, module_of, room_of_file};
use crate::tokens::{Kind, Token};
use crate::{Offence, offence};

/// Rooms that know no machine: no clock, no I/O, no chance, no order of hashing.
const PURE: &[&str] = &["base", "model", "ledger", "sched", "view"];
/// What a pure room does not name.
const IMPURE: &[&str] = &[
    "tokio",
    "Instant",
    "SystemTime",
    "rand",
    "HashMap",
    "HashSet",
    "rusqlite",
    "reqwest",
    "axum",
    "ratatui",
    "crossterm",
];
/// Parts of the standard library that a pure room does not name.
const IMPURE_STD: &[&str] = &["fs", "net", "process", "thread", "env"];
/// Where floats are allowed among the pure rooms.
const POLICY: &str = "src/sched/policy/";
/// Words with one home: the word, and the beginning of the only paths that may say it.
const AT_HOME: &[(&str, &str)] = &[
    ("rusqlite", "src/store/"),
    ("ratatui", "src/tui/"),
    ("crossterm", "src/tui/"),
    ("chrono_tz", "src/base/calendar"),
    ("croner", "src/base/calendar"),
];
/// Where `unsafe` is allowed.
const UNSAFE_HOME: &str = "src/runner/local/";

/// Offences of a Rust file; what only binds `src` is not asked of tests.
pub fn in_rust(file: &str, tokens: &[Token]) -> Vec<Offence> {
    let mut found = unfinished(file, tokens);
    if let Some(module) = module_of(file) {
        found.extend(away_from_home(file, tokens));
        if PURE.contains(&room_of_file(file, &module).as_str()) {
            found.extend(impure(file, &module, tokens));
        }
    }
    found
}

fn unfinished(file: &str, tokens: &[Token]) -> Vec<Offence> {
    let next_is = |at: usize, sign| tokens.get(at + 1).is_some_and(|next| next.is(sign));
    let judge = |(at, token): (usize, &Token)| {
        let text = match token.word() {
            "todo" | "unimplemented" if next_is(at, '!') => "is not finished: write it",
            "ignore" if at > 1 && tokens[at - 1].is('[') && tokens[at - 2].is('#') => {
                "no test is ignored: run it, or say what it skips"
            }
            "unsafe" if !file.starts_with(UNSAFE_HOME) => "`unsafe` belongs to runner/local",
            _ => return None,
        };
        Some(offence(file, token.line, text))
    };
    tokens.iter().enumerate().filter_map(judge).collect()
}

fn away_from_home(file: &str, tokens: &[Token]) -> Vec<Offence> {
    let judge = |token: &Token| {
        let (word, home) = AT_HOME.iter().find(|(word, _)| *word == token.word())?;
        let away = !file.starts_with(home);
        away.then(|| offence(file, token.line, format!("`{word}` belongs to {home}")))
    };
    tokens.iter().filter_map(judge).collect()
}

fn impure(file: &str, module: &[String], tokens: &[Token]) -> Vec<Offence> {
    let policy = file.starts_with(POLICY);
    let judge = |(at, token): (usize, &Token)| {
        let word = token.word();
        let called = tokens.get(at + 1).is_some_and(|next| next.is('('));
        let float = token.kind == Kind::Float || ["f32", "f64"].contains(&word);
        let text = if IMPURE.contains(&word) {
            format!("a pure room does not name `{word}`")
        } else if word == "now" && called {
            "a pure room asks no clock: the time comes with the command".to_owned()
        } else if float && !policy {
            "floats belong to sched/policy".to_owned()
        } else if word == "World" && policy {
            "a policy takes plain numbers, not the world".to_owned()
        } else {
            return None;
        };
        Some(offence(file, token.line, text))
    };
    let mut found: Vec<Offence> = tokens.iter().enumerate().filter_map(judge).collect();
    for path in arrows::uses(module, tokens) {
        let part = path.segments.first().map_or("", String::as_str);
        if path.root == "std" && IMPURE_STD.contains(&part) {
            let text = format!("a pure room does not name `std::{part}`");
            found.push(offence(file, path.line, text));
        }
    }
    found
}

/// Marks of unfinished work, put together here so that this file does not carry them.
fn marks() -> [String; 3] {
    [["TO", "DO"].concat(), ["FIX", "ME"].concat(), ["X", "XX"].concat()]
}

/// Hosts of package registries: where packages come from is the machine's affair.
fn hosts() -> [String; 6] {
    let host = |name: &str, end: &str| format!("{name}.{end}");
    [
        host("crates", "io"),
        host("pypi", "org"),
        host("pythonhosted", "org"),
        host("npmjs", "org"),
        host("ghcr", "io"),
        host("docker", "io"),
    ]
}

/// Absolute folders of whoever wrote the file.
fn workplaces() -> [String; 2] {
    ["work", "root"].map(|name| format!("/{name}/"))
}

/// Offences of any text file.
pub fn in_any_file(file: &str, text: &str) -> Vec<Offence> {
    let locked = file == "Cargo.lock";
    let mut found = Vec::new();
    for (number, line) in (1..).zip(text.lines()) {
        let mut say = |text: String| found.push(offence(file, number, text));
        if let Some(mark) = marks().iter().find(|mark| is_word(line, mark)) {
            say(format!("{mark}: do it or leave it out"));
        }
        if let Some(host) = hosts().iter().find(|host| !locked && line.contains(*host)) {
            say(format!("names the registry {host}"));
        }
        if let Some(place) = workplaces().iter().find(|place| begins_path(line, place)) {
            say(format!("names a folder of somebody's machine: {place}"));
        }
    }
    found
}

fn is_word(line: &str, word: &str) -> bool {
    let edge = |c: Option<char>| !c.is_some_and(|c| c.is_alphanumeric() || c == '_');
    line.match_indices(word).any(|(at, _)| {
        edge(line[..at].chars().next_back()) && edge(line[at + word.len()..].chars().next())
    })
}

fn begins_path(line: &str, place: &str) -> bool {
    line.match_indices(place).any(|(at, _)| {
        let before = line[..at].chars().next_back();
        !before.is_some_and(|c| c.is_alphanumeric() || "._-~})$".contains(c))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tokens;

    fn count(file: &str, text: &str) -> usize {
        in_rust(file, &tokens::of(text)).len()
    }

    #[test]
    fn pure_rooms_name_no_machine() {
        for text in [
            "use tokio::sync;",
            "let t = std::time::Instant::now;",
            "let t = clock.now();",
            "use std::collections::{BTreeMap, HashMap};",
            "use std::{fmt, fs};",
            "std::env::var(x)",
            "let x: f64;",
            "let x = 0.5;",
        ] {
            assert_eq!(count("src/sched/x.rs", text), 1, "{text}");
        }
        let fine =
            "let at = at.now; // Instant::now()\nuse std::time::Duration; let s = \"tokio\";";
        assert_eq!(count("src/sched/x.rs", fine), 0);
        assert_eq!(count("src/engine/x.rs", "use tokio::sync; let x = 0.5;"), 0);
    }

    #[test]
    fn policies_have_floats_and_no_world() {
        assert_eq!(count("src/sched/policy/x.rs", "fn f(x: f64) -> f64 { x / 2.0 }"), 0);
        assert_eq!(count("src/sched/policy/x.rs", "fn f(world: &World) {}"), 1);
        assert_eq!(count("src/sched/x.rs", "fn f(world: &World) {}"), 0);
    }

    #[test]
    fn some_words_have_one_home() {
        assert_eq!(count("src/engine/x.rs", "use rusqlite::Connection;"), 1);
        assert_eq!(count("src/store/x.rs", "use rusqlite::Connection;"), 0);
        assert_eq!(count("src/cli/x.rs", "use ratatui::Frame;"), 1);
        assert_eq!(count("src/base/calendar.rs", "use chrono_tz::Tz;"), 0);
    }

    #[test]
    fn unfinished_and_unsafe_code_is_found() {
        for text in ["todo!()", "unimplemented!(\"x\")", "#[ignore] fn t() {}", "unsafe {}"] {
            assert_eq!(count("src/cli/x.rs", text), 1, "{text}");
            assert_eq!(count("tests/it/x.rs", text), 1, "{text}");
        }
        assert_eq!(count("src/runner/local/x.rs", "unsafe { x() }"), 0);
        assert_eq!(count("src/cli/x.rs", "let todo = 1; #[allow(x)] fn ignore() {}"), 0);
    }

    #[test]
    fn marks_hosts_and_workplaces_are_found_in_any_file() {
        let [mark, ..] = marks();
        let [host, ..] = hosts();
        let [place, _] = workplaces();
        for line in [
            format!("// {mark}: later"),
            format!("get it from https://{host}/x"),
            format!("cd {place}x"),
            format!("\"{place}x\""),
        ] {
            assert_eq!(in_any_file("docs/x.md", &line).len(), 1, "{line}");
        }
        for line in [format!("{mark}S"), format!("/home/ann{place}"), format!("..{place}")] {
            assert_eq!(in_any_file("docs/x.md", &line), [], "{line}");
        }
        assert_eq!(in_any_file("Cargo.lock", &host), []);
    }
}
