//! Use and queue over the last two hours.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::time::Time;
use super::{SCHEMA_VERSION, WireError};
use crate::model::history;

/// A value a minute, oldest first, without gaps; 120 at most.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct History {
    /// 1.
    pub schema_version: u32,
    /// The beginning of the last minute.
    pub last: Time,
    /// The minutes.
    pub minutes: Vec<Minute>,
}

/// How a minute ended.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Minute {
    /// Thousandths of cores in use.
    pub cpu_milli: u64,
    /// Thousandths of GPUs in use.
    pub gpu_milli: u64,
    /// Jobs that hold room.
    pub running: u64,
    /// Jobs that wait.
    pub queued: u64,
}

impl From<&history::History> for History {
    fn from(from: &history::History) -> History {
        let minute = |minute: &history::Minute| {
            let history::Minute { cpu_milli, gpu_milli, running, queued } = *minute;
            Minute { cpu_milli, gpu_milli, running, queued }
        };
        History {
            schema_version: SCHEMA_VERSION,
            last: Time(from.last()),
            minutes: from.minutes().iter().map(minute).collect(),
        }
    }
}

impl TryFrom<History> for history::History {
    type Error = WireError;

    fn try_from(from: History) -> Result<history::History, WireError> {
        super::check_version(from.schema_version)?;
        let minute = |minute: Minute| {
            let Minute { cpu_milli, gpu_milli, running, queued } = minute;
            history::Minute { cpu_milli, gpu_milli, running, queued }
        };
        let minutes = from.minutes.into_iter().map(minute).collect();
        Ok(history::History::new(from.last.0, minutes))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::Wall;

    #[test]
    fn minutes_come_back_as_they_were() {
        let mut before = history::History::default();
        before.put(Wall(60_000), history::Minute { cpu_milli: 1, ..Default::default() });
        before.put(Wall(240_000), history::Minute { queued: 9, ..Default::default() });
        let text = serde_json::to_string(&History::from(&before)).unwrap();
        let document: History = serde_json::from_str(&text).unwrap();
        assert_eq!(history::History::try_from(document), Ok(before));
    }
}
