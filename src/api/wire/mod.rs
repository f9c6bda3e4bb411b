//! Every JSON document of the API, version [`SCHEMA_VERSION`], and the ways from and to `model`.
//!
//! May use: `base`, `model`. One file for each noun. In documents that are read every key is
//! always there, null if unknown; times are RFC 3339 in UTC, amounts carry their unit in the
//! key. A key that ends in `_mono` is the same instant in milliseconds on the scheduler's own
//! clock, which no change of the date and no sleep disturbs: differences of those are durations.
//! In requests a missing key means "not said" and an unknown one is refused.
//!
//! Start with [`job`].

pub mod act;
pub mod amounts;
pub mod asked;
pub mod cursor;
pub mod detail;
pub mod estimate;
pub mod event;
pub mod eviction;
pub mod exit;
pub mod finding;
pub mod groups;
pub mod history;
pub mod hold;
pub mod job;
pub mod limited;
pub mod list;
pub mod node;
pub mod plan;
pub mod pool;
pub mod problem;
pub mod reason;
pub mod receipt;
pub mod report;
pub mod requests;
pub mod review;
pub mod setup;
pub mod spec;
pub mod state;
pub mod status;
pub mod submission;
pub mod summary;
pub mod task;
pub mod team;
pub mod terms;
pub mod time;
pub mod timed;
pub mod traits;
pub mod urgency;
pub mod usage;
pub mod why;
pub mod window;
pub mod words;

use std::collections::BTreeMap;
use std::fmt;

use crate::base::Name;

/// The version of all documents: `schema_version`.
pub const SCHEMA_VERSION: u32 = 1;

/// A document that does not say what it should.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WireError(pub String);

impl WireError {
    /// `what` has the value `value`, which means nothing to this version.
    pub fn unknown(what: &str, value: impl fmt::Display) -> WireError {
        WireError(format!("{what} {value:?} is not known", value = value.to_string()))
    }

    /// `key` is missing where the rest of the document needs it.
    pub fn missing(key: &str) -> WireError {
        WireError(format!("{key:?} is missing"))
    }
}

impl fmt::Display for WireError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for WireError {}

/// A document of another version is refused rather than misread.
///
/// # Errors
/// When `version` is not [`SCHEMA_VERSION`].
pub fn check_version(version: u32) -> Result<(), WireError> {
    if version == SCHEMA_VERSION {
        return Ok(());
    }
    Err(WireError(format!(
        "the server speaks version {version} of the API, this program version {SCHEMA_VERSION}"
    )))
}

/// Makes sentences of reasons and findings; `view` has the words, this room only their place.
pub trait Words {
    /// One sentence for a reason.
    fn reason(&self, reason: &crate::model::Reason) -> String;

    /// One sentence for what would change something: the reason is what must go away.
    fn change(&self, reason: &crate::model::Reason) -> String;

    /// One sentence for a finding.
    fn finding(&self, finding: &crate::model::Finding) -> String;
}

fn text_map<V: Clone, W: From<V>>(map: &BTreeMap<Name, V>) -> BTreeMap<String, W> {
    map.iter().map(|(key, value)| (key.to_string(), W::from(value.clone()))).collect()
}

fn name_map<V, W: From<V>>(map: BTreeMap<String, V>) -> BTreeMap<Name, W> {
    map.into_iter().map(|(key, value)| (key.into(), W::from(value))).collect()
}

fn labels_out(map: &BTreeMap<Name, Name>) -> BTreeMap<String, String> {
    map.iter().map(|(key, value)| (key.to_string(), value.to_string())).collect()
}

fn texts(names: &[Name]) -> Vec<String> {
    names.iter().map(ToString::to_string).collect()
}

fn names(texts: Vec<String>) -> Vec<Name> {
    texts.into_iter().map(Name::from).collect()
}

#[cfg(test)]
mod tests;
