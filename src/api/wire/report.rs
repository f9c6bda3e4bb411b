//! What a job says about itself.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::time::Time;
use super::{WireError, name_map, text_map};
use crate::base::Span;
use crate::model::command;

/// What a job says about itself.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(tag = "kind", rename_all = "snake_case", deny_unknown_fields)]
pub enum Report {
    /// It saved itself.
    Checkpoint {
        /// Where.
        #[serde(default)]
        path: Option<String>,
        /// How far, in hundredths of a percent.
        #[serde(default)]
        basis_points: Option<u32>,
    },
    /// How far it is.
    Progress {
        /// Hundredths of a percent.
        #[serde(default)]
        basis_points: Option<u32>,
        /// In words.
        #[serde(default)]
        text: Option<String>,
    },
    /// It lives.
    Heartbeat {},
    /// It used something: added to the sums.
    Usage {
        /// Amounts by name.
        amounts: BTreeMap<String, u64>,
        /// The same key again adds nothing; the header `Idempotency-Key` stands for it.
        #[serde(default)]
        key: Option<String>,
    },
    /// The other side gives it no more of a countable resource until `until`, or for
    /// `retry_after_ms`; one of both is said.
    Limited {
        /// The resource.
        resource: String,
        /// At this time it may be taken again.
        #[serde(default)]
        until: Option<Time>,
        /// After so long it may be taken again.
        #[serde(default)]
        retry_after_ms: Option<u64>,
    },
}

impl From<&command::Report> for Report {
    fn from(from: &command::Report) -> Report {
        match from {
            command::Report::Checkpoint { path, basis_points } => {
                Report::Checkpoint { path: path.clone(), basis_points: *basis_points }
            }
            command::Report::Progress { basis_points, text } => {
                Report::Progress { basis_points: *basis_points, text: text.clone() }
            }
            command::Report::Heartbeat => Report::Heartbeat {},
            command::Report::Usage { amounts, key } => {
                Report::Usage { amounts: text_map(amounts), key: key.clone() }
            }
            command::Report::Limited { resource, until } => {
                let (until, retry_after_ms) = match until {
                    command::Until::At(wall) => (Some(Time(*wall)), None),
                    command::Until::After(span) => (None, Some(span.0)),
                };
                Report::Limited { resource: resource.to_string(), until, retry_after_ms }
            }
        }
    }
}

impl TryFrom<Report> for command::Report {
    type Error = WireError;

    fn try_from(from: Report) -> Result<command::Report, WireError> {
        Ok(match from {
            Report::Checkpoint { path, basis_points } => {
                command::Report::Checkpoint { path, basis_points }
            }
            Report::Progress { basis_points, text } => {
                command::Report::Progress { basis_points, text }
            }
            Report::Heartbeat {} => command::Report::Heartbeat,
            Report::Usage { amounts, key } => {
                command::Report::Usage { amounts: name_map(amounts), key }
            }
            Report::Limited { resource, until, retry_after_ms } => {
                let until = match (until, retry_after_ms) {
                    (Some(until), None) => command::Until::At(until.0),
                    (None, Some(millis)) => command::Until::After(Span(millis)),
                    _ => return Err(WireError("say `until` or `retry_after_ms`".to_owned())),
                };
                command::Report::Limited { resource: resource.into(), until }
            }
        })
    }
}
