//! Flag over environment over file over default.
//!
//! What stands in lists of tables is in [`tables`]; only the file can say it.

mod notify;
mod pools;
mod reviews;
mod tables;
mod windows;

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use super::document::{self, Document, Found, Value, read_text};
use super::keys::{Key, SECTIONS, Shape};
use super::problem::{Place, Problem, Problems};
use super::{Config, Console, Server};
use crate::base::Span;
use crate::model::Resources;
use crate::model::job::Grace;
use crate::model::setup::{Cycle, Defaults, PlaceBy, ReclaimProtection};

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
                Shape::One => {
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
                allowed_signers: path("server.allowed_signers"),
                idle_exit: span("server.idle_exit"),
                log_bytes: number("server.log_bytes"),
                snapshot_records: number("server.snapshot_records"),
                keep_ledger: span("server.keep_ledger"),
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
            windows: self.windows(),
            review_policies: self.review_policies(),
            notify: self.notify(),
            pools: self.pools(),
            cycle: cycle(over),
            nodes: self.nodes(),
            resources: self.resources(),
            users: self.users(),
            console: console(over),
            shown: std::mem::take(&mut self.shown),
        }
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

/// `[scheduler]`.
fn cycle(over: &Effective) -> Cycle {
    let fallback = Cycle::default();
    let place = |key: &str| match text(over, key).as_deref() {
        Some("spread") => PlaceBy::Spread,
        Some("least_fragmentation") => PlaceBy::LeastFragmentation,
        _ => PlaceBy::BinPack,
    };
    let number = |key: &str| amount(over, key);
    let span = |key: &str| match over.get(key) {
        Some(Value::Span(span)) => *span,
        _ => None,
    };
    Cycle {
        off: match over.get("scheduler.off") {
            Some(Value::Words(words)) => words.clone(),
            _ => fallback.off,
        },
        place_gpu: place("scheduler.place_gpu"),
        place_cpu: place("scheduler.place_cpu"),
        stale_grace: span("scheduler.stale_grace").map_or(Grace::Never, Grace::After),
        usage_weight: number("scheduler.usage_weight").unwrap_or(fallback.usage_weight),
        usage_half_life: span("scheduler.usage_half_life"),
        reclaim_protection: match text(over, "scheduler.reclaim_protection").as_deref() {
            Some("queue") => ReclaimProtection::Queue,
            _ => ReclaimProtection::Lca,
        },
        saturation: number("scheduler.saturation").unwrap_or(fallback.saturation),
        move_victims: over.get("scheduler.move_victims") != Some(&Value::Flag(false)),
        consolidation_victims: number("scheduler.consolidation_victims")
            .map(|n| u32::try_from(n).unwrap_or(u32::MAX)),
        patience: span("scheduler.patience").unwrap_or(fallback.patience),
        large: number("scheduler.large").unwrap_or(fallback.large),
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
        sign: text(over, "console.sign").unwrap_or_default(),
        sign_key: text(over, "console.sign_key").map(PathBuf::from),
        keys: match over.get("console.keys") {
            Some(Value::Keys(keys)) => keys.clone(),
            _ => Vec::new(),
        },
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
