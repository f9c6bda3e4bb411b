//! How the rules for reviews are answered, there and back.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::api::wire::{SCHEMA_VERSION, WireError, check_version};
use crate::base::Span;
use crate::model::page::habits::HabitRow;

/// How all rules are answered.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct HabitList {
    /// 1.
    pub schema_version: u32,
    /// Those that look least first.
    pub rules: Vec<HabitLine>,
}

/// How one group of people answers.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct HabitLine {
    /// `policy NAME`, or `team PATH` where no policy fits.
    pub group: String,
    /// Reviews that are over.
    pub asks: u64,
    /// People said yes.
    pub yes: u64,
    /// People said no.
    pub no: u64,
    /// Nobody decided in time.
    pub expired: u64,
    /// So many of a hundred decisions were yes; null without one.
    pub yes_percent: Option<u8>,
    /// The median of how long people looked, in milliseconds: from when they opened it, else from
    /// when it was asked.
    pub median_ms: Option<u64>,
    /// More than 95 of a hundred were yes, within 3 s as a rule, of 20 decisions or more.
    pub blind: bool,
}

impl HabitList {
    /// The document of some rows.
    pub fn new(rows: &[HabitRow]) -> HabitList {
        HabitList { schema_version: SCHEMA_VERSION, rules: rows.iter().map(Into::into).collect() }
    }
}

impl From<&HabitRow> for HabitLine {
    fn from(from: &HabitRow) -> HabitLine {
        HabitLine {
            group: from.group.to_string(),
            asks: from.yes.saturating_add(from.no).saturating_add(from.expired),
            yes: from.yes,
            no: from.no,
            expired: from.expired,
            yes_percent: from.yes_percent,
            median_ms: from.median.map(|median| median.0),
            blind: from.blind,
        }
    }
}

impl TryFrom<HabitList> for Vec<HabitRow> {
    type Error = WireError;

    fn try_from(from: HabitList) -> Result<Vec<HabitRow>, WireError> {
        check_version(from.schema_version)?;
        let row = |line: HabitLine| HabitRow {
            group: line.group.into(),
            yes: line.yes,
            no: line.no,
            expired: line.expired,
            yes_percent: line.yes_percent,
            median: line.median_ms.map(Span),
            blind: line.blind,
        };
        Ok(from.rules.into_iter().map(row).collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_go_there_and_back() {
        let row = HabitRow {
            group: "policy pay".into(),
            yes: 40,
            no: 1,
            expired: 2,
            yes_percent: Some(97),
            median: Some(Span::secs(2)),
            blind: true,
        };
        let list = HabitList::new(std::slice::from_ref(&row));
        assert_eq!(list.rules[0].asks, 43);
        let back: Result<Vec<HabitRow>, WireError> = list.try_into();
        assert_eq!(back, Ok(vec![row]));
    }
}
