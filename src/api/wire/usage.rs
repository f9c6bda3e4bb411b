//! Who used how much of what.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::time::{Time, join, split};
use super::words::Word;
use super::{SCHEMA_VERSION, WireError, check_version};
use crate::base::{JobId, Name};
use crate::model::fact::Class;
use crate::model::page::usage;
use crate::model::page::usage::{
    BYTE_MS_PER_GIB_HOUR, MILLI_MS_PER_HOUR, MS_PER_HOUR, UsageBy, UsagePage, Used, hours,
};

/// Digits of hours after the point.
const PLACES: u32 = 6;

/// Sums over a window, by team, job, node or class, and always by class.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct UsageList {
    /// 1.
    pub schema_version: u32,
    /// By what: `team`, `job`, `node` or `class`.
    pub by: String,
    /// From; null since metering began.
    pub since: Option<Time>,
    /// Up to.
    pub until: Time,
    /// The sums.
    pub usage: Vec<UsageRow>,
    /// The last record of the journal that is in it.
    pub seq: u64,
    /// When it was made.
    pub at: Time,
    /// The same on the scheduler's clock.
    pub at_mono: u64,
}

/// One sum. Hours are decimals with six digits after the point; what they were rounded from
/// stands beside them, exact: amounts times milliseconds, as decimal text, for they may be larger
/// than a number of JSON can be.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct UsageRow {
    /// The team, by team and by job; null for what nobody held.
    pub team: Option<String>,
    /// The job, by job.
    pub job: Option<u64>,
    /// The node, by node.
    pub node: Option<String>,
    /// The ledger class.
    pub class: String,
    /// Hours of a GPU.
    pub gpu_hours: String,
    /// Hours of a core.
    pub core_hours: String,
    /// Hours of a GiB of memory.
    pub gib_hours: String,
    /// Hours of a unit of countable resources.
    pub custom_hours: BTreeMap<String, String>,
    /// Thousandths of a GPU × ms.
    pub gpu_milli_ms: String,
    /// Thousandths of a core × ms.
    pub cpu_milli_ms: String,
    /// Bytes × ms.
    pub mem_byte_ms: String,
    /// Units of countable resources × ms.
    pub custom_ms: BTreeMap<String, String>,
}

/// A sum of what nodes have, in hours as decimals and exact.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Hours {
    /// Hours of a GPU.
    pub gpu_hours: String,
    /// Hours of a core.
    pub core_hours: String,
    /// Hours of a GiB of memory.
    pub gib_hours: String,
    /// Thousandths of a GPU × ms.
    pub gpu_milli_ms: String,
    /// Thousandths of a core × ms.
    pub cpu_milli_ms: String,
    /// Bytes × ms.
    pub mem_byte_ms: String,
}

impl From<&Used> for Hours {
    fn from(from: &Used) -> Hours {
        Hours {
            gpu_hours: hours(from.gpu_milli_ms, MILLI_MS_PER_HOUR, PLACES),
            core_hours: hours(from.cpu_milli_ms, MILLI_MS_PER_HOUR, PLACES),
            gib_hours: hours(from.mem_byte_ms, BYTE_MS_PER_GIB_HOUR, PLACES),
            gpu_milli_ms: from.gpu_milli_ms.to_string(),
            cpu_milli_ms: from.cpu_milli_ms.to_string(),
            mem_byte_ms: from.mem_byte_ms.to_string(),
        }
    }
}

impl TryFrom<Hours> for Used {
    type Error = WireError;

    fn try_from(from: Hours) -> Result<Used, WireError> {
        Ok(Used {
            cpu_milli_ms: exact(&from.cpu_milli_ms)?,
            mem_byte_ms: exact(&from.mem_byte_ms)?,
            gpu_milli_ms: exact(&from.gpu_milli_ms)?,
            custom_ms: BTreeMap::new(),
        })
    }
}

impl From<&UsagePage> for UsageList {
    fn from(from: &UsagePage) -> UsageList {
        let (at, at_mono) = split(from.at);
        UsageList {
            schema_version: SCHEMA_VERSION,
            by: from.by.word().to_owned(),
            since: from.from.map(Time),
            until: Time(from.to),
            usage: from.rows.iter().map(UsageRow::from).collect(),
            seq: from.seq,
            at,
            at_mono,
        }
    }
}

impl TryFrom<UsageList> for UsagePage {
    type Error = WireError;

    fn try_from(from: UsageList) -> Result<UsagePage, WireError> {
        check_version(from.schema_version)?;
        let rows: Result<_, WireError> = from.usage.into_iter().map(TryInto::try_into).collect();
        Ok(UsagePage {
            by: from.by.parse::<UsageBy>().map_err(WireError)?,
            from: from.since.map(|time| time.0),
            to: from.until.0,
            rows: rows?,
            seq: from.seq,
            at: join(from.at, from.at_mono),
        })
    }
}

impl From<&usage::UsageRow> for UsageRow {
    fn from(from: &usage::UsageRow) -> UsageRow {
        let Used { cpu_milli_ms, mem_byte_ms, gpu_milli_ms, custom_ms } = &from.used;
        let custom = |text: &dyn Fn(u128) -> String| {
            custom_ms.iter().map(|(name, sum)| (name.to_string(), text(*sum))).collect()
        };
        UsageRow {
            team: from.team.as_ref().map(ToString::to_string),
            job: from.job.map(|job| job.0),
            node: from.node.as_ref().map(ToString::to_string),
            class: from.class.to_word(),
            gpu_hours: hours(*gpu_milli_ms, MILLI_MS_PER_HOUR, PLACES),
            core_hours: hours(*cpu_milli_ms, MILLI_MS_PER_HOUR, PLACES),
            gib_hours: hours(*mem_byte_ms, BYTE_MS_PER_GIB_HOUR, PLACES),
            custom_hours: custom(&|sum| hours(sum, MS_PER_HOUR, PLACES)),
            gpu_milli_ms: gpu_milli_ms.to_string(),
            cpu_milli_ms: cpu_milli_ms.to_string(),
            mem_byte_ms: mem_byte_ms.to_string(),
            custom_ms: custom(&|sum| sum.to_string()),
        }
    }
}

impl TryFrom<UsageRow> for usage::UsageRow {
    type Error = WireError;

    fn try_from(from: UsageRow) -> Result<usage::UsageRow, WireError> {
        let custom = from.custom_ms.into_iter();
        let custom = custom.map(|(name, sum)| Ok((Name::from(name), exact(&sum)?)));
        Ok(usage::UsageRow {
            team: from.team.map(Into::into),
            job: from.job.map(JobId),
            node: from.node.map(Into::into),
            class: Class::of_word(&from.class)?,
            used: Used {
                cpu_milli_ms: exact(&from.cpu_milli_ms)?,
                mem_byte_ms: exact(&from.mem_byte_ms)?,
                gpu_milli_ms: exact(&from.gpu_milli_ms)?,
                custom_ms: custom.collect::<Result<_, WireError>>()?,
            },
        })
    }
}

fn exact(text: &str) -> Result<u128, WireError> {
    text.parse().map_err(|_| WireError::unknown("sum", text))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::{At, Mono, Wall};

    #[test]
    fn sums_survive_the_wire_to_the_last_digit() {
        let used = Used {
            cpu_milli_ms: u128::from(u64::MAX) * 3 + 1,
            mem_byte_ms: BYTE_MS_PER_GIB_HOUR * 5 / 2,
            gpu_milli_ms: MILLI_MS_PER_HOUR,
            custom_ms: [("api:x".into(), 7)].into(),
        };
        let rows = Class::ALL.iter().map(|class| usage::UsageRow {
            team: Some("org/ml".into()),
            job: Some(JobId(7)),
            node: None,
            class: *class,
            used: used.clone(),
        });
        let at = At { now: Mono(1), wall: Wall(1_800_000_000_000) };
        let (by, from, to, seq) = (UsageBy::Job, Some(Wall(5)), at.wall, 9);
        let page = UsagePage { by, from, to, rows: rows.collect(), seq, at };
        let text = serde_json::to_string(&UsageList::from(&page)).unwrap();
        let read: UsageList = serde_json::from_str(&text).unwrap();
        assert_eq!(read.usage[0].gib_hours, "2.500000");
        assert_eq!(UsagePage::try_from(read.clone()), Ok(page));
        let mut bad = read;
        bad.usage[0].cpu_milli_ms = "1e3".into();
        assert!(UsagePage::try_from(bad).is_err());
    }
}
