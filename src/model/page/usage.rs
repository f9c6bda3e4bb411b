//! Who used how much of what, and how it is booked.

use std::collections::BTreeMap;

use crate::base::{At, JobId, Name, Wall};
use crate::model::fact::Class;

/// By what sums are taken; by class they are in any case.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum UsageBy {
    /// By team; what nobody held has none.
    #[default]
    Team,
    /// By job.
    Job,
    /// By node.
    Node,
    /// By class alone.
    Class,
}

/// Which usage.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct UsageQuery {
    /// From; `None`: since metering began.
    pub from: Option<Wall>,
    /// Up to; `None`: now.
    pub to: Option<Wall>,
    /// By what.
    pub by: UsageBy,
}

/// Sums over a window.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UsagePage {
    /// By what.
    pub by: UsageBy,
    /// From; `None`: since metering began.
    pub from: Option<Wall>,
    /// Up to.
    pub to: Wall,
    /// The sums, in order of what they are by, then of the class.
    pub rows: Vec<UsageRow>,
    /// The last record of the journal that is in it.
    pub seq: u64,
    /// When it was made.
    pub at: At,
}

/// One sum.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UsageRow {
    /// The team, by team and by job.
    pub team: Option<Name>,
    /// The job, by job.
    pub job: Option<JobId>,
    /// The node, by node.
    pub node: Option<Name>,
    /// How it is booked.
    pub class: Class,
    /// How much.
    pub used: Used,
}

/// Amounts times milliseconds, exact.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Used {
    /// Thousandths of a core × ms.
    pub cpu_milli_ms: u128,
    /// Bytes × ms.
    pub mem_byte_ms: u128,
    /// Thousandths of a device × ms.
    pub gpu_milli_ms: u128,
    /// Units of countable resources × ms.
    pub custom_ms: BTreeMap<Name, u128>,
}

impl UsageBy {
    /// All of them.
    pub const ALL: [UsageBy; 4] = [UsageBy::Team, UsageBy::Job, UsageBy::Node, UsageBy::Class];

    /// Its word.
    pub const fn word(self) -> &'static str {
        match self {
            UsageBy::Team => "team",
            UsageBy::Job => "job",
            UsageBy::Node => "node",
            UsageBy::Class => "class",
        }
    }
}

impl std::str::FromStr for UsageBy {
    type Err = String;

    fn from_str(text: &str) -> Result<UsageBy, String> {
        let known = UsageBy::ALL.into_iter().find(|by| by.word() == text);
        known.ok_or_else(|| format!("{text:?} is none of team, job, node and class"))
    }
}

/// Thousandths of a core or device × ms in an hour of a whole one.
pub const MILLI_MS_PER_HOUR: u128 = 1000 * 3_600_000;
/// Bytes × ms in an hour of a GiB.
pub const BYTE_MS_PER_GIB_HOUR: u128 = (1 << 30) * 3_600_000;
/// Units × ms in an hour of one.
pub const MS_PER_HOUR: u128 = 3_600_000;

/// A sum in hours as a decimal with `places` digits after the point, half rounded up.
pub fn hours(sum: u128, per_hour: u128, places: u32) -> String {
    let scale = 10_u128.saturating_pow(places);
    let whole = sum / per_hour;
    let part = ((sum % per_hour) * scale * 2 + per_hour) / (per_hour * 2);
    let (whole, part) = (whole + part / scale, part % scale);
    match usize::try_from(places) {
        Ok(width) if width > 0 => format!("{whole}.{part:0width$}"),
        _ => whole.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hours_are_exact_decimals() {
        let core = |sum| hours(sum, MILLI_MS_PER_HOUR, 2);
        assert_eq!(core(0), "0.00");
        assert_eq!(core(MILLI_MS_PER_HOUR * 3 / 2), "1.50");
        assert_eq!(core(MILLI_MS_PER_HOUR - 1), "1.00");
        assert_eq!(core(MILLI_MS_PER_HOUR / 200), "0.01");
        assert_eq!(hours(7 << 29, BYTE_MS_PER_GIB_HOUR, 0), "0");
        assert_eq!(hours(BYTE_MS_PER_GIB_HOUR * 7 / 2, BYTE_MS_PER_GIB_HOUR, 6), "3.500000");
        assert_eq!(hours(u128::from(u64::MAX) << 35, BYTE_MS_PER_GIB_HOUR, 0), "163971058432974");
    }

    #[test]
    fn words_read_back() {
        UsageBy::ALL.iter().for_each(|by| assert_eq!(by.word().parse(), Ok(*by)));
        assert!("money".parse::<UsageBy>().unwrap_err().contains("team, job"));
    }
}
