//! What we build on: allowed licences, banned packages, one source. Asks cargo, not the network.

use std::collections::BTreeSet;
use std::process::Command;

use serde_json::Value;

/// The lists, shared with cargo-deny.
const RULES: &str = include_str!("../../.ci/deny.toml");

struct Rules {
    allowed: Vec<String>,
    banned: Vec<String>,
}

fn rules(text: &str) -> Rules {
    let table: toml::Table = text.parse().unwrap();
    let texts = |list: &toml::Value, key: Option<&str>| -> Vec<String> {
        let entries = list.as_array().unwrap().iter();
        let text = |entry: &toml::Value| {
            let value = key.map_or(entry, |key| &entry[key]);
            value.as_str().unwrap().to_owned()
        };
        entries.map(text).collect()
    };
    Rules {
        allowed: texts(&table["licenses"]["allow"], None),
        banned: texts(&table["bans"]["deny"], Some("crate")),
    }
}

/// Whether a licence expression can be satisfied by allowed licences alone. `/` is the old way
/// to write `OR`; `AND` binds tighter.
fn is_allowed(expression: &str, allowed: &[String]) -> bool {
    let spaced = expression.replace('/', " OR ").replace('(', " ( ").replace(')', " ) ");
    let words: Vec<&str> = spaced.split_whitespace().collect();
    let (result, rest) = any_of(&words, allowed);
    result && rest.is_empty()
}

fn any_of<'a>(words: &'a [&'a str], allowed: &[String]) -> (bool, &'a [&'a str]) {
    let (mut result, mut rest) = all_of(words, allowed);
    while let ["OR", tail @ ..] = rest {
        let (other, after) = all_of(tail, allowed);
        (result, rest) = (result | other, after);
    }
    (result, rest)
}

fn all_of<'a>(words: &'a [&'a str], allowed: &[String]) -> (bool, &'a [&'a str]) {
    let (mut result, mut rest) = one(words, allowed);
    while let ["AND", tail @ ..] = rest {
        let (other, after) = one(tail, allowed);
        (result, rest) = (result & other, after);
    }
    (result, rest)
}

fn one<'a>(words: &'a [&'a str], allowed: &[String]) -> (bool, &'a [&'a str]) {
    let known = |name: &str| allowed.iter().any(|entry| entry == name);
    match words {
        ["(", tail @ ..] => match any_of(tail, allowed) {
            (result, [")", rest @ ..]) => (result, rest),
            (_, rest) => (false, rest),
        },
        [name, "WITH", exception, rest @ ..] => (known(&format!("{name} WITH {exception}")), rest),
        [name, rest @ ..] => (known(name.trim_end_matches('+')), rest),
        [] => (false, words),
    }
}

/// Names and versions of the packages that are really built: the lock file also names optional
/// ones that nobody switched on.
fn built(tree: &str) -> BTreeSet<(&str, &str)> {
    let named = tree.lines().filter_map(|line| line.split_once(" v"));
    named.map(|(name, rest)| (name, first_word(rest))).collect()
}

fn first_word(text: &str) -> &str {
    text.split(' ').next().unwrap_or(text)
}

/// What is wrong with these packages.
fn offences(packages: &[&Value], rules: &Rules) -> Vec<String> {
    let source = |package: &Value| package["source"].as_str().map(str::to_owned);
    let first = packages.iter().find_map(|package| source(package));
    let judge = |package: &Value| {
        let name = package["name"].as_str().unwrap_or_default();
        let licence = package["license"].as_str().unwrap_or_default();
        let mut found = Vec::new();
        if rules.banned.iter().any(|banned| banned == name) {
            found.push(format!(
                "{name} is banned: see what pulls it in with `cargo tree -i {name}`"
            ));
        }
        if !is_allowed(licence, &rules.allowed) {
            found.push(format!("{name} has the licence `{licence}`, which is not allowed"));
        }
        match source(package) {
            Some(from) if !from.starts_with("registry+") || Some(&from) != first.as_ref() => {
                found.push(format!("{name} comes from {from}"));
            }
            _ => {}
        }
        found
    };
    packages.iter().flat_map(|package| judge(package)).collect()
}

fn output(program: &str, arguments: &[&str]) -> String {
    let output = Command::new(program)
        .args(arguments)
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .output()
        .unwrap();
    let complaint = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{program} {arguments:?}: {complaint}");
    String::from_utf8(output.stdout).unwrap()
}

#[test]
fn every_package_has_an_allowed_licence_and_source_and_none_is_banned() {
    let version = output("rustc", &["-vV"]);
    let host = version.lines().find_map(|line| line.strip_prefix("host: ")).unwrap();
    let cargo = std::env::var("CARGO").unwrap_or_else(|_| "cargo".into());
    let format = ["metadata", "--offline", "--locked", "--format-version", "1"];
    let text = output(&cargo, &[&format[..], &["--filter-platform", host]].concat());
    let metadata: Value = serde_json::from_str(&text).unwrap();
    let all = ["tree", "--offline", "--locked", "--edges", "normal,build,dev", "--prefix", "none"];
    let tree = output(&cargo, &[&all[..], &["--target", host]].concat());
    let built = built(&tree);
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let used = |package: &&Value| {
        built.contains(&(text(&package["name"]).as_str(), text(&package["version"]).as_str()))
    };
    let packages: Vec<&Value> =
        metadata["packages"].as_array().unwrap().iter().filter(used).collect();
    assert!(packages.len() > 50, "only {} packages", packages.len());
    let found = offences(&packages, &rules(RULES));
    assert!(found.is_empty(), "{}", found.join("\n"));
}

#[test]
fn licence_expressions_are_read_as_written() {
    let allowed = ["MIT", "ISC", "Apache-2.0 WITH LLVM-exception"].map(str::to_owned);
    for good in [
        "MIT",
        "GPL-3.0 OR MIT",
        "MIT/GPL-3.0",
        "GPL-3.0 / MIT",
        "MIT AND ISC",
        "(GPL-3.0 OR MIT) AND ISC",
        "Apache-2.0 WITH LLVM-exception",
        "GPL-3.0 AND X OR MIT",
        "MIT+",
    ] {
        assert!(is_allowed(good, &allowed), "{good}");
    }
    for bad in ["", "GPL-3.0", "MIT AND GPL-3.0", "Apache-2.0", "(MIT", "MIT ISC"] {
        assert!(!is_allowed(bad, &allowed), "{bad}");
    }
}

#[test]
fn banned_unlicensed_and_foreign_packages_are_found() {
    let package = |name, licence: Option<&str>, source: Option<&str>| {
        let package: Value =
            serde_json::json!({"license": licence, "source": source, "name": name});
        package
    };
    let packages = [
        package("ours", Some("MIT"), None),
        package("fine", Some("MIT"), Some("registry+one")),
        package("openssl-sys", Some("MIT"), Some("registry+one")),
        package("bare", None, Some("registry+one")),
        package("fork", Some("MIT"), Some("git+two")),
    ];
    let found = offences(&packages.iter().collect::<Vec<_>>(), &rules(RULES));
    let names: Vec<&str> = found.iter().map(|text| text.split(' ').next().unwrap()).collect();
    assert_eq!(names, ["openssl-sys", "bare", "fork"], "{found:?}");
}
