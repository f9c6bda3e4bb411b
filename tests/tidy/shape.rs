//! Sizes and names: files, functions, lines, modules, and the opening of each file.

use crate::tokens::{Kind, Token};
use crate::{Offence, offence};

/// Lines of one Rust file.
const FILE_LINES_MAX: usize = 600;
/// Median lines of the files under `src`.
const MEDIAN_LINES_MAX: usize = 150;
/// Lines of one function, tests left out.
const FUNCTION_LINES_MAX: usize = 70;
/// Characters of one line of code or script.
const COLUMNS_MAX: usize = 100;
/// Names that say nothing about what is inside.
const EMPTY_NAMES: &[&str] =
    &["util", "utils", "helper", "helpers", "misc", "manager", "managers", "common"];

/// Offences of a Rust file.
pub fn rust_file(file: &str, text: &str, tokens: &[Token]) -> Vec<Offence> {
    let mut found = Vec::new();
    let lines = text.lines().count();
    if lines > FILE_LINES_MAX {
        let text = format!("{lines} lines, at most {FILE_LINES_MAX}: split it");
        found.push(offence(file, lines, text));
    }
    if !text.starts_with("//! ") {
        found.push(offence(file, 1, "opens without a `//!` that says what it is for"));
    }
    if text.starts_with("//! (") {
        found.push(offence(file, 1, "opens with a placeholder"));
    }
    found.extend(names(file, tokens));
    if file.starts_with("src/") {
        found.extend(functions(file, tokens));
    }
    found
}

fn names(file: &str, tokens: &[Token]) -> Vec<Offence> {
    let judge = |line, name: &str| {
        let empty = EMPTY_NAMES.contains(&name);
        empty.then(|| offence(file, line, format!("`{name}` says nothing: name what it does")))
    };
    let parts = file.trim_end_matches(".rs").split('/');
    let modules = tokens.windows(2).filter(|pair| pair[0].word() == "mod");
    parts
        .filter_map(|part| judge(1, part))
        .chain(modules.filter_map(|pair| judge(pair[1].line, pair[1].word())))
        .collect()
}

fn functions(file: &str, tokens: &[Token]) -> Vec<Offence> {
    let mut found = Vec::new();
    for (at, pair) in tokens.windows(2).enumerate() {
        let (keyword, name) = (&pair[0], &pair[1]);
        if keyword.word() != "fn" || !matches!(name.kind, Kind::Word(_)) || is_test(tokens, at) {
            continue;
        }
        let Some(end) = end_of_body(&tokens[at..]) else { continue };
        let lines = end - keyword.line + 1;
        if lines > FUNCTION_LINES_MAX {
            let text = format!("`{}` has {lines} lines, at most {FUNCTION_LINES_MAX}", name.word());
            found.push(offence(file, keyword.line, text));
        }
    }
    found
}

/// Whether `#[test]` stands right before the function.
fn is_test(tokens: &[Token], at: usize) -> bool {
    let before = &tokens[at.saturating_sub(4)..at];
    before.iter().any(|token| token.word() == "test")
}

/// The line on which the body that follows ends; nothing for a declaration.
fn end_of_body(tokens: &[Token]) -> Option<usize> {
    let mut brackets = 0i32;
    let mut braces = 0i32;
    for token in tokens {
        match token.kind {
            Kind::Sign('(' | '[') => brackets += 1,
            Kind::Sign(')' | ']') => brackets -= 1,
            Kind::Sign(';') if brackets == 0 && braces == 0 => return None,
            Kind::Sign('{') => braces += 1,
            Kind::Sign('}') => {
                braces -= 1;
                if braces == 0 {
                    return Some(token.line);
                }
            }
            _ => {}
        }
    }
    None
}

/// Lines that are too long, in code and scripts.
pub fn columns(file: &str, text: &str) -> Vec<Offence> {
    let script = text.starts_with("#!");
    if !(file.ends_with(".rs") || file.ends_with(".py") || script) {
        return Vec::new();
    }
    let long = (1..).zip(text.lines()).filter(|(_, line)| line.chars().count() > COLUMNS_MAX);
    long.map(|(number, line)| {
        let text = format!("{} columns, at most {COLUMNS_MAX}", line.chars().count());
        offence(file, number, text)
    })
    .collect()
}

/// The median file under `src`.
pub fn median(tree: &[(String, String)]) -> Vec<Offence> {
    let rust = tree.iter().filter(|(file, _)| file.starts_with("src/") && file.ends_with(".rs"));
    let mut sizes: Vec<usize> = rust.map(|(_, text)| text.lines().count()).collect();
    sizes.sort_unstable();
    let median = sizes.get(sizes.len() / 2).copied().unwrap_or(0);
    let text = format!("the median file has {median} lines, at most {MEDIAN_LINES_MAX}");
    (median > MEDIAN_LINES_MAX).then(|| offence("src", 1, text)).into_iter().collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tokens;

    fn count(file: &str, text: &str) -> usize {
        rust_file(file, text, &tokens::of(text)).len()
    }

    #[test]
    fn a_file_has_a_beginning_and_a_limit() {
        assert_eq!(count("src/a.rs", "//! A.\n"), 0);
        assert_eq!(count("src/a.rs", "fn f() {}"), 1);
        assert_eq!(count("src/a.rs", "//! (later)"), 1);
        assert_eq!(count("src/a.rs", &format!("//! A.\n{}", "\n".repeat(599))), 0);
        assert_eq!(count("src/a.rs", &format!("//! A.\n{}", "\n".repeat(600))), 1);
    }

    #[test]
    fn empty_names_are_found() {
        assert_eq!(count("src/utils.rs", "//! A."), 1);
        assert_eq!(count("src/common/a.rs", "//! A."), 1);
        assert_eq!(count("src/a.rs", "//! A.\nmod helpers;"), 1);
        assert_eq!(count("src/main_loop.rs", "//! A.\nmod utility;"), 0);
    }

    #[test]
    fn long_functions_are_found_outside_tests() {
        let body = |n| format!("fn f(x: [u8; 2]) {{{}}}", "\n".repeat(n));
        assert_eq!(count("src/a.rs", &format!("//! A.\n{}", body(69))), 0);
        assert_eq!(count("src/a.rs", &format!("//! A.\n{}", body(70))), 1);
        assert_eq!(count("src/a.rs", &format!("//! A.\n#[test]\n{}", body(70))), 0);
        assert_eq!(count("src/a.rs", &format!("//! A.\nfn g();\n{}", body(5))), 0);
        assert_eq!(count("tests/a.rs", &format!("//! A.\n{}", body(70))), 0);
    }

    #[test]
    fn columns_are_counted_in_characters() {
        assert_eq!(columns("a.rs", &"é".repeat(100)), []);
        assert_eq!(columns("a.rs", &"é".repeat(101)).len(), 1);
        assert_eq!(columns("run", &format!("#!/bin/sh\n{}", "x".repeat(101))).len(), 1);
        assert_eq!(columns("README.md", &"x".repeat(101)), []);
    }

    #[test]
    fn the_median_counts_src_only() {
        let tree = |sizes: &[usize]| -> Vec<(String, String)> {
            let file = |n: &usize| ("src/a.rs".to_owned(), "\n".repeat(*n));
            sizes.iter().map(file).chain([("tests/a.rs".to_owned(), "\n".repeat(900))]).collect()
        };
        assert_eq!(median(&tree(&[10, 150, 500])), []);
        assert_eq!(median(&tree(&[10, 151, 500])).len(), 1);
    }
}
