//! What somebody wants to do, and the hash that a yes is bound to.
//!
//! The hash is SHA-256 over canonical JSON ([`json`]) of exactly what takes effect. What a tool
//! only says beside it ([`projection`]) is left out, and shown as not covered. Start with
//! [`Action::hash`].

pub mod amount;
pub mod command;
pub mod diff;
pub mod json;
pub mod projection;
pub mod wrapped;

use serde::{Deserialize, Serialize};

pub use amount::Amount;
pub use diff::{Difference, differences, leaves};
pub use json::Json;

use crate::base::{Digest, Name};

/// Bytes of arguments that are kept and shown whole; above this only a list of files is.
pub const SHOWN_MAX: usize = 64 << 10;
/// Files such a list may name.
pub const FILES_MAX: usize = 1000;
/// Characters of a command that a row of a list has.
const COMMAND_MAX: usize = 120;
/// Bytes of a kind, a tool's name or a target at most.
pub const WORD_MAX: usize = 1024;

/// What kind of trace an action leaves.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum EffectClass {
    /// It changes nothing.
    Read,
    /// What it changes can be changed back.
    Reversible,
    /// It cannot be undone.
    Irreversible,
    /// Somebody outside sees it.
    External,
    /// It costs or moves money.
    Money,
    /// Nobody said; treated as irreversible.
    Unknown,
}

impl EffectClass {
    /// All of them.
    pub const ALL: [EffectClass; 6] = [
        EffectClass::Read,
        EffectClass::Reversible,
        EffectClass::Irreversible,
        EffectClass::External,
        EffectClass::Money,
        EffectClass::Unknown,
    ];

    /// Its stable word.
    pub const fn word(self) -> &'static str {
        match self {
            EffectClass::Read => "read",
            EffectClass::Reversible => "reversible",
            EffectClass::Irreversible => "irreversible",
            EffectClass::External => "external",
            EffectClass::Money => "money",
            EffectClass::Unknown => "unknown",
        }
    }

    /// The class behind a word.
    pub fn of(word: &str) -> Option<EffectClass> {
        EffectClass::ALL.into_iter().find(|effect| effect.word() == word)
    }

    /// Silence may let it happen, if somebody wrote that out: nothing is lost by it.
    pub const fn may_pass_in_silence(self) -> bool {
        matches!(self, EffectClass::Read | EffectClass::Reversible)
    }

    /// One yes may be given for the same bytes several times.
    pub const fn may_repeat(self) -> bool {
        matches!(self, EffectClass::Read | EffectClass::Reversible | EffectClass::External)
    }
}

/// What somebody wants to do.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Action {
    /// What kind of thing: `command`, `tool`, …
    pub kind: Name,
    /// The tool, if one is used.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tool: Option<Name>,
    /// Everything else that says what happens.
    pub args: Args,
    /// On what: an account, a host, a branch.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub target: Option<String>,
    /// How much money.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub amount: Option<Amount>,
}

/// The arguments of an action.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Args {
    /// Canonical JSON, all of it, up to [`SHOWN_MAX`] bytes.
    Here(String),
    /// Too long to be shown at once: the store has it under this digest.
    Stored {
        /// Of the bytes.
        digest: Digest,
        /// How many there are.
        bytes: u64,
        /// What they consist of, as far as it can be listed.
        files: Vec<FileLine>,
    },
}

/// One line of a list of files.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct FileLine {
    /// Its path.
    pub path: String,
    /// Of its bytes.
    pub digest: Digest,
    /// How many there are.
    pub bytes: u64,
}

/// What an action is about, in short.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Subject {
    /// What kind of thing.
    pub kind: Name,
    /// The tool, if one is used.
    pub tool: Option<Name>,
    /// On what.
    pub target: Option<String>,
    /// How much money.
    pub amount: Option<Amount>,
    /// The beginning of the command that it executes, if it is one.
    pub command: Option<String>,
}

/// On whose behalf an action is taken, and what kind of trace it leaves: both are part of what
/// a yes is bound to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Bound<'a> {
    /// The class.
    pub effect: EffectClass,
    /// Who owns the job that asks.
    pub principal: &'a str,
}

impl Action {
    /// What is wrong with it, in words: too long, or not canonical.
    pub fn problem(&self) -> Option<String> {
        let words = [Some(&*self.kind), self.tool.as_deref(), self.target.as_deref()];
        if words.into_iter().flatten().any(|word| word.len() > WORD_MAX) {
            return Some(format!("kind, tool and target have at most {WORD_MAX} bytes each"));
        }
        if self.kind.is_empty() {
            return Some("an action needs a kind, such as command or tool".to_owned());
        }
        match &self.args {
            Args::Here(text) if text.len() > SHOWN_MAX => Some(format!(
                "the action has {} bytes and at most {SHOWN_MAX} can be shown whole; give a list \
                 of files with their digests instead",
                text.len()
            )),
            Args::Here(text) => match Json::read(text) {
                Err(why) => Some(format!("the arguments are not usable: {why}")),
                Ok(args) if args.canonical() != *text => {
                    Some("the arguments are not written canonically (RFC 8785)".to_owned())
                }
                Ok(_) => None,
            },
            Args::Stored { files, .. } if files.len() > FILES_MAX => {
                Some(format!("a list of more than {FILES_MAX} files"))
            }
            Args::Stored { files, .. } => {
                let long = files.iter().any(|file| file.path.len() > WORD_MAX);
                long.then(|| format!("a path of more than {WORD_MAX} bytes"))
            }
        }
    }

    /// What it is about, in short.
    pub fn subject(&self) -> Subject {
        Subject {
            kind: self.kind.clone(),
            tool: self.tool.clone(),
            target: self.target.clone(),
            amount: self.amount.clone(),
            command: self.command(),
        }
    }

    /// The beginning of the command that it executes, or of the words that say what is to be done.
    fn command(&self) -> Option<String> {
        let args = self.read_args()?;
        let words = args.get("argv").or_else(|| args.get("words"));
        let text = match (args.get("command"), words) {
            (Some(Json::Text(command)), _) => command.trim().to_owned(),
            (_, Some(Json::List(words))) => {
                let words = words.iter().filter_map(|word| match word {
                    Json::Text(word) => Some(word.as_str()),
                    _ => None,
                });
                words.collect::<Vec<_>>().join(" ")
            }
            _ => return None,
        };
        let cut: String = text.chars().take(COMMAND_MAX).collect();
        (!cut.is_empty()).then_some(cut)
    }

    /// Bytes of it that the world keeps.
    pub fn kept_bytes(&self) -> usize {
        let args = match &self.args {
            Args::Here(text) => text.len(),
            Args::Stored { files, .. } => files.iter().map(|file| file.path.len() + 48).sum(),
        };
        args + self.kind.len() + self.target.as_ref().map_or(0, String::len)
    }

    /// All of it can be shown at once.
    pub fn is_whole(&self) -> bool {
        matches!(self.args, Args::Here(_))
    }

    /// Names of arguments that the hash leaves out because they change nothing.
    pub fn not_covered(&self) -> Vec<&'static str> {
        let Some(Json::Object(pairs)) = self.read_args() else { return Vec::new() };
        let advisory = projection::advisory(self.tool.as_deref()).iter();
        advisory.filter(|name| pairs.iter().any(|(key, _)| key == *name)).copied().collect()
    }

    /// Paths of what the hash covers, as a decision file names them.
    pub fn covered(&self) -> Vec<String> {
        let args = match self.projected_args() {
            Json::Object(pairs) => pairs.iter().map(|(key, _)| format!("args.{key}")).collect(),
            _ => vec!["args".to_owned()],
        };
        let beside = [
            Some("effect"),
            Some("kind"),
            Some("principal"),
            self.tool.as_ref().map(|_| "tool"),
            self.target.as_ref().map(|_| "target"),
            self.amount.as_ref().map(|_| "amount"),
        ];
        let beside = beside.into_iter().flatten().map(ToOwned::to_owned);
        beside.chain(args).collect()
    }

    /// What takes effect, as canonical JSON: what a yes is for, word by word.
    pub fn canonical(&self, bound: Bound<'_>) -> String {
        let pair = |key: &str, value: Json| (key.to_owned(), value);
        let mut pairs = vec![
            pair("v", Json::Number("1".to_owned())),
            pair("kind", Json::text(&self.kind)),
            pair("args", self.projected_args()),
            pair("effect", Json::text(bound.effect.word())),
            pair("principal", Json::text(bound.principal)),
        ];
        pairs.extend(self.tool.as_ref().map(|tool| pair("tool", Json::text(tool))));
        pairs.extend(self.target.as_ref().map(|target| pair("target", Json::text(target))));
        pairs.extend(self.amount.as_ref().map(|amount| pair("amount", amount.json())));
        Json::object(pairs).canonical()
    }

    /// The hash that votes and grants are bound to.
    pub fn hash(&self, bound: Bound<'_>) -> Digest {
        Digest::of(self.canonical(bound).as_bytes())
    }

    fn read_args(&self) -> Option<Json> {
        match &self.args {
            Args::Here(text) => Json::read(text).ok(),
            Args::Stored { .. } => None,
        }
    }

    fn projected_args(&self) -> Json {
        match &self.args {
            // Text that is no JSON never gets here: it is refused at the door.
            Args::Here(text) => Json::read(text).map_or_else(
                |_| Json::text(text),
                |args| args.without(projection::advisory(self.tool.as_deref())),
            ),
            Args::Stored { digest, .. } => {
                Json::object(vec![("digest".to_owned(), Json::text(&format!("sha256:{digest}")))])
            }
        }
    }
}

#[cfg(test)]
#[path = "tests.rs"]
mod tests;
