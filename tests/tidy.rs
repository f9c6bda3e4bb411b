//! The walls and the house style, checked: who may use whom, which words a room may not say,
//! how large a file may be, what must never be in the repository.
//!
//! Every rule is a function from a text to offences and has a test on a tiny text of its own.
//! The last test runs them all over the tree and prints every offence at once.

#![allow(clippy::unwrap_used, reason = "a check that cannot read the tree should stop")]

use std::fmt;
use std::fs;
use std::path::{Path, PathBuf};

#[path = "tidy/arrows.rs"]
mod arrows;
#[path = "tidy/packages.rs"]
mod packages;
#[path = "tidy/shape.rs"]
mod shape;
#[path = "tidy/tokens.rs"]
mod tokens;
#[path = "tidy/words.rs"]
mod words;

/// Something that is against a rule.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
struct Offence {
    file: String,
    line: usize,
    text: String,
}

impl fmt::Display for Offence {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}: {}", self.file, self.line, self.text)
    }
}

fn offence(file: &str, line: usize, text: impl Into<String>) -> Offence {
    Offence { file: file.to_owned(), line, text: text.into() }
}

/// Every file of the repository that is text: path from its top, and content.
fn tree() -> Vec<(String, String)> {
    let top = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut found = Vec::new();
    let mut open: Vec<PathBuf> = vec![top.to_owned()];
    while let Some(dir) = open.pop() {
        for entry in fs::read_dir(dir).unwrap() {
            let path = entry.unwrap().path();
            let name = path.file_name().unwrap().to_string_lossy().into_owned();
            if path.is_symlink() || ["target", ".git", "__pycache__"].contains(&name.as_str()) {
                continue;
            }
            if path.is_dir() {
                open.push(path);
            } else if let Ok(text) = fs::read_to_string(&path) {
                let relative = path.strip_prefix(top).unwrap();
                found.push((relative.to_string_lossy().into_owned(), text));
            }
        }
    }
    found.sort();
    found
}

#[test]
fn the_tree_keeps_every_rule() {
    let tree = tree();
    assert!(tree.iter().any(|(file, _)| file == "src/lib.rs"), "the tree was found");
    let mut offences = Vec::new();
    for (file, text) in &tree {
        offences.extend(words::in_any_file(file, text));
        offences.extend(shape::columns(file, text));
        if !file.ends_with(".rs") {
            continue;
        }
        let tokens = tokens::of(text);
        offences.extend(shape::rust_file(file, text, &tokens));
        offences.extend(words::in_rust(file, &tokens));
        offences.extend(arrows::of_file(file, &tokens));
    }
    offences.extend(shape::median(&tree));
    offences.sort();
    let lines: Vec<String> = offences.iter().map(Offence::to_string).collect();
    assert!(offences.is_empty(), "{} offences:\n{}", lines.len(), lines.join("\n"));
}
