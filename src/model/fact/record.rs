//! A line of the journal, and how long some things are kept in the world.

use serde::{Deserialize, Serialize};

use super::Fact;
use crate::base::{At, Span};

/// One line of the journal: a command, when it was decided, and what was decided.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Record {
    /// Its place in the journal, from 1.
    pub seq: u64,
    /// When.
    #[serde(flatten)]
    pub at: At,
    /// What came in.
    pub command: crate::model::Command,
    /// What was decided.
    pub facts: Vec<Fact>,
}

/// Times that facts leave to `apply`: how long an idempotency key and a rate entry live.
pub mod kept {
    use super::Span;

    /// An idempotency key is remembered this long, and at most [`KEYS`] of them.
    pub const KEY_FOR: Span = Span::hours(24);
    /// Idempotency keys remembered at most.
    pub const KEYS: usize = 20_000;
    /// A rate looks back this far.
    pub const RATE_WINDOW: Span = Span::secs(60);
}
