//! Who may use whom: every path that leaves a room is looked up in the table.

use crate::tokens::{Kind, Token};
use crate::{Offence, offence};

/// What each room may use besides itself; exactly this, not transitively.
const MAY_USE: &[(&str, &[&str])] = &[
    ("base", &[]),
    ("model", &["base"]),
    ("ledger", &["base", "model"]),
    ("sched", &["base", "model", "ledger"]),
    ("view", &["base", "model"]),
    ("config", &["base", "model"]),
    ("store", &["base", "model"]),
    ("runner", &["base", "model"]),
    ("notify", &["base", "model"]),
    ("engine", &["base", "model", "ledger", "sched", "config"]),
    ("api/wire", &["base", "model"]),
    ("api/client", &["base", "model", "api/wire"]),
    ("api/server", &["base", "model", "view", "engine", "api/wire"]),
    ("link", &["base", "model", "view", "api/wire", "api/client"]),
    ("sim", &["base", "model", "ledger", "sched", "view", "engine", "link"]),
    ("tui", &["base", "model", "view", "config", "link"]),
];

/// The part of `api` that speaks HTTP is one room, whatever its files are called.
const SERVER_PARTS: &[&str] = &["server", "auth", "mcp", "hooks"];
/// What `main` may reach past `cli`: the way out for processes that are no command line.
const EARLY_EXITS: [&str; 2] = ["runner::local::supervise", "runner::local::early_exit"];
/// What stands outside the rooms' table: the root that lists them, and the composition root.
const UNBOUND: &[&str] = &["lib", "cli"];

/// A path as the code says it, from the crate's root.
#[derive(Debug, PartialEq, Eq)]
pub struct Use {
    pub line: usize,
    /// `std`, `crate`, or another root as it stands there.
    pub root: String,
    pub segments: Vec<String>,
}

/// Offences of one file under `src`.
pub fn of_file(file: &str, tokens: &[Token]) -> Vec<Offence> {
    let Some(module) = module_of(file) else { return Vec::new() };
    let room = room_of_file(file, &module);
    let uses = uses(&module, tokens);
    let ours = uses.iter().filter(|found| ["crate", "holdshort"].contains(&found.root.as_str()));
    ours.filter_map(|found| {
        let target = room_of_path(&found.segments)?;
        let text = match &target {
            Err(name) => format!("`crate::{name}` is no room: name the room it comes from"),
            Ok(target) if may_use(&room, target, &found.segments) => return None,
            Ok(target) => format!("{room} may not use {target}"),
        };
        Some(offence(file, found.line, text))
    })
    .collect()
}

fn may_use(room: &str, target: &str, path: &[String]) -> bool {
    let path = path.join("::");
    let early_exit = EARLY_EXITS.iter().any(|exit| path.starts_with(exit));
    let known = MAY_USE.iter().find(|(name, _)| *name == room);
    room == target
        || UNBOUND.contains(&room)
        || room == "main" && (target == "cli" || early_exit)
        || room == "api" && target.starts_with("api/")
        || known.is_some_and(|(_, allowed)| allowed.contains(&target))
}

/// The module a file holds; nothing for files outside `src`.
pub fn module_of(file: &str) -> Option<Vec<String>> {
    let inside = file.strip_prefix("src/")?.strip_suffix(".rs")?;
    let mut module: Vec<String> = inside.split('/').map(str::to_owned).collect();
    if module.last().is_some_and(|last| last == "mod") || ["lib", "main"].contains(&inside) {
        module.pop();
    }
    Some(module)
}

/// The room a file belongs to.
pub fn room_of_file(file: &str, module: &[String]) -> String {
    match file {
        "src/main.rs" => "main".into(),
        "src/lib.rs" => "lib".into(),
        _ => match room_of_path(module) {
            Some(Ok(room) | Err(room)) => room,
            None => String::new(),
        },
    }
}

/// The room a path leads to: unknown names are errors, `crate::*` and `crate::self` nothing.
fn room_of_path(path: &[String]) -> Option<Result<String, String>> {
    let first = path.first()?.as_str();
    let room = match (first, path.get(1).map(String::as_str)) {
        ("self" | "*", _) => return None,
        ("api", Some(part)) if SERVER_PARTS.contains(&part) => "api/server".to_owned(),
        ("api", Some(part @ ("wire" | "client"))) => format!("api/{part}"),
        _ => first.to_owned(),
    };
    let known = MAY_USE.iter().any(|(name, _)| *name == room);
    Some(if known || ["api", "cli"].contains(&room.as_str()) { Ok(room) } else { Err(room) })
}

/// Every path in a file that begins at a root, groups unfolded, `super` resolved.
pub fn uses(module: &[String], tokens: &[Token]) -> Vec<Use> {
    let mut found = Vec::new();
    let mut inline: Vec<(usize, String)> = Vec::new();
    let mut depth = 0;
    for (at, token) in tokens.iter().enumerate() {
        if token.is('{') {
            depth += 1;
            if at >= 2 && tokens[at - 2].word() == "mod" {
                inline.push((depth, tokens[at - 1].word().to_owned()));
            }
        } else if token.is('}') {
            inline.retain(|(opened, _)| *opened < depth);
            depth = depth.saturating_sub(1);
        }
        let continues = at > 0 && tokens[at - 1].kind == Kind::PathSep;
        let begins = tokens.get(at + 1).is_some_and(|next| next.kind == Kind::PathSep);
        let root = token.word();
        if continues || !begins || root.is_empty() {
            continue;
        }
        let here = || module.iter().chain(inline.iter().map(|(_, name)| name)).cloned();
        let (root, prefix) = match root {
            "super" => {
                let mut parent: Vec<String> = here().collect();
                parent.pop();
                ("crate", parent)
            }
            "self" => ("crate", here().collect()),
            other => (other, Vec::new()),
        };
        let mut tree = Tree { tokens, at: at + 2, root, found: &mut found };
        tree.path(prefix);
    }
    found
}

/// Reads what follows a root: names, further `super`s, groups.
struct Tree<'a> {
    tokens: &'a [Token],
    at: usize,
    root: &'a str,
    found: &'a mut Vec<Use>,
}

impl Tree<'_> {
    fn path(&mut self, mut segments: Vec<String>) {
        while let Some(token) = self.tokens.get(self.at) {
            let line = token.line;
            self.at += 1;
            match &token.kind {
                Kind::Word(word) if word == "super" => {
                    segments.pop();
                }
                Kind::Word(word) => segments.push(word.clone()),
                Kind::Sign('*') => segments.push("*".into()),
                Kind::Sign('{') => return self.group(&segments),
                _ => return,
            }
            if self.tokens.get(self.at).is_none_or(|next| next.kind != Kind::PathSep) {
                self.found.push(Use { line, root: self.root.to_owned(), segments });
                return;
            }
            self.at += 1;
        }
    }

    fn group(&mut self, segments: &[String]) {
        while let Some(token) = self.tokens.get(self.at) {
            match token.kind {
                Kind::Sign('}') => {
                    self.at += 1;
                    return;
                }
                Kind::Word(_) | Kind::Sign('*' | '{') => self.path(segments.to_vec()),
                _ => self.at += 1,
            }
            if self.tokens.get(self.at).is_some_and(|next| next.word() == "as") {
                self.at += 2;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tokens;

    fn texts(file: &str, text: &str) -> Vec<String> {
        of_file(file, &tokens::of(text)).into_iter().map(|o| o.to_string()).collect()
    }

    #[test]
    fn a_forbidden_arrow_is_found_however_it_is_written() {
        let wanted = ["src/store/x.rs:1: store may not use engine"];
        for text in [
            "use crate::engine::Handle;",
            "fn f() { crate::engine::run() }",
            "use crate::{base::Wall, engine::{self, Handle}, model as m};",
            "use super::super::engine::Handle;",
            "mod tests { use super::super::super::engine; }",
            "mod a { mod b {} fn f() {} } use crate::{model::{A, B}, engine};",
            "pub(in crate::engine) fn f() {}",
        ] {
            assert_eq!(texts("src/store/x.rs", text)[0], wanted[0], "{text}");
        }
    }

    #[test]
    fn allowed_arrows_and_comments_are_not() {
        let text = "// crate::engine\nuse crate::{base::*, model::x}; use super::engine;
            mod tests { use super::*; use super::super::rows; } use self::cli::x; use std::fs;";
        assert_eq!(texts("src/store/x.rs", text), [""; 0]);
        assert_eq!(texts("src/cli/x.rs", "use crate::store::Store;"), [""; 0]);
        assert_eq!(texts("tests/it/x.rs", "use crate::whatever::Store;"), [""; 0]);
    }

    #[test]
    fn the_parts_of_api_are_rooms_of_their_own() {
        let server = "src/api/server/x.rs";
        assert_eq!(texts(server, "use crate::api::wire::Job; use super::super::wire::A;"), [""; 0]);
        assert_eq!(texts(server, "use crate::api::client::C;").len(), 1);
        assert_eq!(texts("src/api/mcp.rs", "use crate::engine::Handle;"), [""; 0]);
        assert_eq!(texts("src/api/wire/x.rs", "use crate::view::Row;").len(), 1);
        assert_eq!(texts("src/link/x.rs", "use crate::api::server::serve;").len(), 1);
        assert_eq!(texts("src/api/mod.rs", "pub use self::wire::Job; use super::engine;").len(), 1);
    }

    #[test]
    fn main_reaches_cli_and_the_early_exits_only() {
        let text =
            "fn main() { holdshort::runner::local::supervise::run(); holdshort::cli::run() }";
        assert_eq!(texts("src/main.rs", text), [""; 0]);
        assert_eq!(texts("src/main.rs", "use holdshort::store::Store;").len(), 1);
        assert_eq!(texts("src/main.rs", "use holdshort::runner::local::pty;").len(), 1);
    }

    #[test]
    fn names_at_the_root_are_no_way_around() {
        let wanted = ["src/view/x.rs:1: `crate::Store` is no room: name the room it comes from"];
        assert_eq!(texts("src/view/x.rs", "use crate::Store;"), wanted);
    }
}
