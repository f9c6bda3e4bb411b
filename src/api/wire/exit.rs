//! How a process ended, as the keys a document shows.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::WireError;
use crate::model;

/// How a process ended.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Exit {
    /// `code`, `signal`, `not_started` or `unknown`.
    pub kind: String,
    /// Its code.
    pub code: Option<i32>,
    /// The number of the signal that ended it.
    pub signal: Option<i32>,
    /// Why it never ran.
    pub text: Option<String>,
}

impl From<&model::job::Exit> for Exit {
    fn from(exit: &model::job::Exit) -> Exit {
        let keys = |kind: &str, code, signal, text| {
            let kind = kind.to_owned();
            Exit { kind, code, signal, text }
        };
        match exit {
            model::job::Exit::Code(code) => keys("code", Some(*code), None, None),
            model::job::Exit::Signal(signal) => keys("signal", None, Some(*signal), None),
            model::job::Exit::NotStarted(text) => {
                keys("not_started", None, None, Some(text.clone()))
            }
            model::job::Exit::Unknown => keys("unknown", None, None, None),
        }
    }
}

impl TryFrom<Exit> for model::job::Exit {
    type Error = WireError;

    fn try_from(from: Exit) -> Result<model::job::Exit, WireError> {
        match from.kind.as_str() {
            "code" => {
                from.code.map(model::job::Exit::Code).ok_or_else(|| WireError::missing("code"))
            }
            "signal" => from
                .signal
                .map(model::job::Exit::Signal)
                .ok_or_else(|| WireError::missing("signal")),
            "not_started" => Ok(model::job::Exit::NotStarted(from.text.unwrap_or_default())),
            "unknown" => Ok(model::job::Exit::Unknown),
            other => Err(WireError::unknown("kind of exit", other)),
        }
    }
}

/// Reads an exit that may not be known.
pub(super) fn exit_of(exit: Option<Exit>) -> Result<Option<model::job::Exit>, WireError> {
    exit.map(TryInto::try_into).transpose()
}
