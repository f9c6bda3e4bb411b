//! Why a command changed nothing: what, why, what to do.

use std::fmt;

use serde::{Deserialize, Serialize};

/// A refused command. Nothing was changed and no number was used up.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Refusal {
    /// The stable code.
    pub code: RefusalCode,
    /// What was refused and why, one sentence without a full stop.
    pub what: String,
    /// What to do instead, one sentence without a full stop; may be empty.
    pub hint: String,
}

/// Stable codes of refusals; each stands for an exit code of the CLI and a status of the API.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum RefusalCode {
    /// The request makes no sense (exit 2, HTTP 400).
    Usage,
    /// No such job, team or node (exit 3, HTTP 404).
    NotFound,
    /// Not allowed to this caller (exit 4, HTTP 403).
    Forbidden,
    /// Not possible in this state (exit 4, HTTP 409).
    Conflict,
    /// `--must-fit` and it could never start (exit 4, HTTP 409).
    NeverFits,
    /// The key was used before for something else (exit 4, HTTP 409).
    KeyReused,
    /// What is to be done differs from what was approved (exit 4, of `redeem` 13; HTTP 409).
    Changed,
    /// The right was used or is over (exit 4, HTTP 410).
    Spent,
    /// The disk is full: nothing new is taken on (exit 4, HTTP 507).
    DiskFull,
    /// Too much at once (exit 4, HTTP 429).
    TooMany,
    /// The server is shutting down (exit 6, HTTP 503).
    ShuttingDown,
    /// The server failed (exit 1, HTTP 500).
    Internal,
}

impl RefusalCode {
    /// The stable word.
    pub const fn word(self) -> &'static str {
        match self {
            RefusalCode::Usage => "usage",
            RefusalCode::NotFound => "not_found",
            RefusalCode::Forbidden => "forbidden",
            RefusalCode::Conflict => "conflict",
            RefusalCode::NeverFits => "never_fits",
            RefusalCode::KeyReused => "key_reused",
            RefusalCode::Changed => "changed",
            RefusalCode::Spent => "spent",
            RefusalCode::DiskFull => "disk_full",
            RefusalCode::TooMany => "too_many",
            RefusalCode::ShuttingDown => "shutting_down",
            RefusalCode::Internal => "internal",
        }
    }

    /// All codes.
    pub const ALL: [RefusalCode; 12] = [
        RefusalCode::Usage,
        RefusalCode::NotFound,
        RefusalCode::Forbidden,
        RefusalCode::Conflict,
        RefusalCode::NeverFits,
        RefusalCode::KeyReused,
        RefusalCode::Changed,
        RefusalCode::Spent,
        RefusalCode::DiskFull,
        RefusalCode::TooMany,
        RefusalCode::ShuttingDown,
        RefusalCode::Internal,
    ];

    /// Exit code of the CLI (INTERFACE.md, "Exit codes of our own verbs").
    pub const fn exit_code(self) -> u8 {
        match self {
            RefusalCode::Usage => 2,
            RefusalCode::NotFound => 3,
            RefusalCode::ShuttingDown => 6,
            RefusalCode::Internal => 1,
            _ => 4,
        }
    }
}

impl Refusal {
    /// A refusal of any code.
    pub fn new(code: RefusalCode, what: impl Into<String>, hint: impl Into<String>) -> Refusal {
        Refusal { code, what: what.into(), hint: hint.into() }
    }
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.what)?;
        if !self.hint.is_empty() {
            write!(f, "; {}", self.hint)?;
        }
        Ok(())
    }
}

impl std::error::Error for Refusal {}
