//! How the rules for reviews are answered.

use crate::base::{Name, Span};

/// How one group of people answers: those of a policy, or of a team without one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HabitRow {
    /// `policy NAME` or `team PATH`.
    pub group: Name,
    /// People said yes.
    pub yes: u64,
    /// People said no.
    pub no: u64,
    /// Nobody decided in time.
    pub expired: u64,
    /// So many of a hundred decisions were yes; `None` without one.
    pub yes_percent: Option<u8>,
    /// The median of how long people looked before they decided.
    pub median: Option<Span>,
    /// Nearly always yes, and nobody looks: the rule asks for nothing, or too often.
    pub blind: bool,
}
