//! Flag over environment over file over default.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use super::document::{self, Document, Entries, Found, Value, read_text};
use super::keys::{Key, SECTIONS, Shape};
use super::problem::{Place, Problem, Problems};
use super::{Config, Console, NodeEntry, PretendGpu, Server, UserEntry};
use crate::base::{Name, Span, quantity};
use crate::model::Resources;
use crate::model::people::Grant;
use crate::model::setup::{Countable, Defaults};

/// The largest file that is read; a configuration is never that long.
const FILE_MAX: u64 = 1 << 20;

/// The layers above the defaults.
pub struct Given<'a> {
    /// The file.
    pub file: &'a Path,
    /// Somebody named it: its absence is a mistake.
    pub must_exist: bool,
    /// The environment.
    pub env: &'a dyn Fn(&str) -> Option<String>,
    /// Flags, as `("server.socket", value)`.
    pub flags: &'a [(&'a str, String)],
}

/// Where an effective value comes from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Origin {
    /// A flag of this command.
    Flag,
    /// A variable of the environment.
    Env(&'static str),
    /// A line of the file.
    File(PathBuf, usize),
    /// Nobody set it.
    Default,
}

/// One effective value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Shown {
    /// `server.idle_exit`, `team[0].name`.
    pub key: String,
    /// As it would be written; empty if there is none.
    pub value: String,
    /// Where it comes from.
    pub origin: Origin,
}

impl std::fmt::Display for Origin {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Origin::Flag => f.write_str("flag"),
            Origin::Env(name) => write!(f, "environment {name}"),
            Origin::File(path, line) => write!(f, "{}:{line}", path.display()),
            Origin::Default => f.write_str("default"),
        }
    }
}

/// Reads the file and puts the layers together.
///
/// # Errors
/// Every mistake in the file, the environment and the flags.
pub fn load(given: &Given) -> Result<Config, Problems> {
    let text = read_file(given).map_err(|text| {
        Problems(vec![Problem { place: Place::File(given.file.to_owned(), 0), text }])
    })?;
    merge(given, &text)
}

fn read_file(given: &Given) -> Result<String, String> {
    let unreadable = |error: std::io::Error| format!("the configuration cannot be read: {error}");
    let length = match std::fs::metadata(given.file) {
        Ok(about) => about.len(),
        Err(e) if e.kind() == std::io::ErrorKind::NotFound && !given.must_exist => {
            return Ok(String::new());
        }
        Err(error) => return Err(unreadable(error)),
    };
    if length > FILE_MAX {
        return Err("larger than 1 MiB, which no configuration is; name another file".to_owned());
    }
    let bytes = std::fs::read(given.file).map_err(unreadable)?;
    String::from_utf8(bytes).map_err(|_| "not UTF-8 text; save it as UTF-8".to_owned())
}

/// Puts the layers together, the file's text already read.
///
/// # Errors
/// As [`load`].
pub fn merge(given: &Given, text: &str) -> Result<Config, Problems> {
    let mut problems = Vec::new();
    let file = document::read(given.file, text).unwrap_or_else(|found| {
        problems.extend(found);
        Document::default()
    });
    let mut layers = Layers { given, file: &file, problems, shown: Vec::new() };
    let over = layers.over();
    let config = layers.config(&over);
    if layers.problems.is_empty() { Ok(config) } else { Err(Problems(layers.problems)) }
}

struct Layers<'a> {
    given: &'a Given<'a>,
    file: &'a Document,
    problems: Vec<Problem>,
    shown: Vec<Shown>,
}

/// Effective values of the sections that stand once, by `section.key`.
type Effective = BTreeMap<String, Value>;

impl Layers<'_> {
    /// Finds every effective value and remembers where it comes from.
    fn over(&mut self) -> Effective {
        let mut effective = Effective::new();
        for section in SECTIONS {
            match section.shape {
                Shape::Inner => {}
                Shape::One | Shape::Single => {
                    for key in section.keys {
                        let full = format!("{}.{}", section.name, key.name);
                        let value = self.one(key, &full, self.file.find(section.name, key.name));
                        effective.extend(value.map(|value| (full, value)));
                    }
                }
                Shape::Many => {
                    for (at, table) in self.file.tables(section.name).iter().enumerate() {
                        for key in section.keys {
                            let full = format!("{}[{at}].{}", section.name, key.name);
                            if let Some(found) = table.get(key.name) {
                                self.show(full, &found.written, self.in_file(found));
                            }
                        }
                    }
                }
            }
        }
        for (key, _) in self.given.flags {
            let known = self.shown.iter().any(|shown| shown.key == *key);
            if !known {
                let text = format!("there is no key {key:?}");
                self.problems.push(Problem { place: Place::Flag((*key).to_owned()), text });
            }
        }
        effective
    }

    fn in_file(&self, found: &Found) -> Origin {
        Origin::File(self.given.file.to_owned(), found.line)
    }

    fn show(&mut self, key: String, value: &str, origin: Origin) {
        self.shown.push(Shown { key, value: value.to_owned(), origin });
    }

    /// The effective value of one key.
    fn one(&mut self, key: &Key, full: &str, in_file: Option<&Found>) -> Option<Value> {
        let flag = self.given.flags.iter().rev().find(|(name, _)| *name == full);
        // An empty variable is how a shell unsets one for a single command.
        let from_env = |name| (self.given.env)(name).filter(|text| !text.is_empty());
        let env = key.env.and_then(|name| from_env(name).map(|text| (name, text)));
        let (text, origin, place) = match (flag, env, in_file) {
            (Some((_, text)), _, _) => (text.clone(), Origin::Flag, Place::Flag(full.to_owned())),
            (None, Some((name, text)), _) => (text, Origin::Env(name), Place::Env(name)),
            (None, None, Some(found)) => {
                self.show(full.to_owned(), &found.written, self.in_file(found));
                return Some(found.value.clone());
            }
            (None, None, None) => {
                self.show(full.to_owned(), key.default, Origin::Default);
                return read_text(key.kind, key.default).ok().filter(|_| !key.default.is_empty());
            }
        };
        self.show(full.to_owned(), &text, origin);
        match read_text(key.kind, &text) {
            Ok(value) => Some(value),
            Err(why) => {
                self.problems.push(Problem { place, text: why });
                None
            }
        }
    }

    fn config(&mut self, over: &Effective) -> Config {
        let path = |key: &str| text(over, key).map(PathBuf::from);
        let number = |key: &str| amount(over, key).unwrap_or_default();
        let span = |key: &str| match over.get(key) {
            Some(Value::Span(span)) => *span,
            _ => None,
        };
        let fallback = Defaults::default();
        Config {
            server: Server {
                socket: path("server.socket"),
                data_dir: path("server.data_dir"),
                group: text(over, "server.group"),
                idle_exit: span("server.idle_exit"),
                log_bytes: number("server.log_bytes"),
                snapshot_records: number("server.snapshot_records"),
            },
            defaults: Defaults {
                request: Resources {
                    cpu_milli: number("defaults.cpu"),
                    mem_bytes: number("defaults.mem"),
                    gpu_milli: number("defaults.gpu"),
                    ..Resources::default()
                },
                tier: match over.get("defaults.tier") {
                    Some(Value::Tier(tier)) => *tier,
                    _ => fallback.tier,
                },
                grace: span("defaults.grace").unwrap_or(fallback.grace),
                long_running: span("defaults.long_running").unwrap_or(fallback.long_running),
                keep_ended: usize::try_from(number("server.keep_ended")).unwrap_or(usize::MAX),
            },
            teams: self.teams(),
            node: node(over),
            resources: self.resources(),
            users: self.users(),
            console: console(over),
            shown: std::mem::take(&mut self.shown),
        }
    }

    fn teams(&mut self) -> Vec<Name> {
        let tables = self.file.tables("team");
        self.distinct("team", "name");
        tables.iter().filter_map(|table| name(table, "name")).collect()
    }

    fn resources(&mut self) -> BTreeMap<Name, Countable> {
        self.distinct("resource", "name");
        let entry = |table: &Entries| {
            let units = |key| match table.get(key)?.value {
                Value::Amount(n) => Some(n),
                _ => None,
            };
            let countable = Countable { count: units("count")?, per_minute: units("per_minute") };
            Some((name(table, "name")?, countable))
        };
        self.file.tables("resource").iter().filter_map(entry).collect()
    }

    fn users(&mut self) -> Vec<UserEntry> {
        self.distinct("user", "name");
        self.distinct("user", "os_user");
        let mut users = Vec::new();
        for table in self.file.tables("user") {
            let Some(shown) = name(table, "name") else { continue };
            match grants(table) {
                Ok(grants) => users.push(UserEntry {
                    os_user: name(table, "os_user").unwrap_or_else(|| shown.clone()),
                    name: shown,
                    grants,
                }),
                Err(why) => self.say(table.line, format!("user {shown} {why}")),
            }
        }
        users
    }

    fn say(&mut self, line: usize, text: String) {
        let place = Place::File(self.given.file.to_owned(), line);
        self.problems.push(Problem { place, text });
    }

    /// Two tables of a section with the same value of a key are a mistake.
    fn distinct(&mut self, section: &str, key: &str) {
        let mut seen = BTreeSet::new();
        let file = self.file;
        for found in file.tables(section).iter().filter_map(|table| table.get(key)) {
            if !seen.insert(&found.written) {
                let what = &found.written;
                let text = format!("{section} with {key} {what:?} stands twice; keep one");
                self.say(found.line, text);
            }
        }
    }
}

fn text(over: &Effective, key: &str) -> Option<String> {
    match over.get(key) {
        Some(Value::Text(text)) => Some(text.clone()),
        _ => None,
    }
}

fn amount(over: &Effective, key: &str) -> Option<u64> {
    match over.get(key) {
        Some(Value::Amount(n)) => Some(*n),
        _ => None,
    }
}

fn name(table: &Entries, key: &str) -> Option<Name> {
    match &table.get(key)?.value {
        Value::Text(text) => Some(text.as_str().into()),
        _ => None,
    }
}

/// The grants of a user: `role` and `team`, or a list.
fn grants(table: &Entries) -> Result<Vec<Grant>, &'static str> {
    let grant = |entries: &Entries| match entries.get("role")?.value {
        Value::Role(role) => {
            Some(Grant { team: name(entries, "team").unwrap_or_else(|| "".into()), role })
        }
        _ => None,
    };
    let short = table.get("role").or_else(|| table.get("team"));
    match (short, table.get("grants").map(|found| &found.value)) {
        (Some(_), Some(_)) => Err("has role or team and also grants; keep one form"),
        (None, Some(Value::Tables(list))) => Ok(list.iter().filter_map(grant).collect()),
        _ => grant(table).map(|one| vec![one]).ok_or("may do nothing; add role = \"submitter\""),
    }
}

fn console(over: &Effective) -> Console {
    let flag = |key: &str| matches!(over.get(key), Some(Value::Flag(true)));
    Console {
        theme: text(over, "console.theme").unwrap_or_default(),
        ascii: flag("console.ascii"),
        utc: flag("console.utc"),
        mouse: flag("console.mouse"),
        reduced_motion: flag("console.reduced_motion"),
        keys: match over.get("console.keys") {
            Some(Value::Keys(keys)) => keys.clone(),
            _ => Vec::new(),
        },
    }
}

fn node(over: &Effective) -> NodeEntry {
    let mem = quantity::parse_bytes(super::keys::PRETEND_MEM).unwrap_or_default();
    let pretend = |at: usize| PretendGpu { name: format!("pretend-{at}").into(), mem_bytes: mem };
    let gpus = match over.get("node.gpus") {
        Some(Value::Amount(n)) => {
            Some((0..usize::try_from(*n).unwrap_or(0)).map(pretend).collect())
        }
        Some(Value::Tables(list)) => Some(
            list.iter()
                .enumerate()
                .map(|(at, table)| PretendGpu {
                    name: name(table, "name").unwrap_or_else(|| pretend(at).name),
                    mem_bytes: match table.value("node.gpus", "mem") {
                        Some(Value::Amount(n)) => n,
                        _ => mem,
                    },
                })
                .collect(),
        ),
        _ => None,
    };
    NodeEntry {
        name: text(over, "node.name").map(Name::from),
        cpu_milli: amount(over, "node.cpu"),
        mem_bytes: amount(over, "node.mem"),
        gpus,
    }
}

impl Default for Config {
    /// What holds without any file.
    fn default() -> Config {
        let given = Given { file: Path::new(""), must_exist: false, env: &|_| None, flags: &[] };
        let none = Document::default();
        let mut layers =
            Layers { given: &given, file: &none, problems: Vec::new(), shown: Vec::new() };
        let over = layers.over();
        layers.config(&over)
    }
}

impl Config {
    /// Where a value comes from, for what only its user can find wrong with it.
    pub fn origin(&self, key: &str) -> Option<&Origin> {
        self.shown.iter().find(|shown| shown.key == key).map(|shown| &shown.origin)
    }

    /// Without a limit of idle time the server stays.
    pub fn stays(&self) -> bool {
        self.server.idle_exit.is_none_or(|span| span == Span::ZERO)
    }
}

#[cfg(test)]
#[path = "layers/tests.rs"]
mod tests;
