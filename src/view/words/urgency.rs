//! What lifts a job above its priority.

use crate::base::JobId;
use crate::base::text::sanitise;
use crate::model::job::{BoostCause, Inherited};
use crate::model::page::JobRow;
use crate::model::setup::{Limited, Tier};
use crate::view::sight::Sight;

/// Its priority, what lifts it, and the tier: `200+20 (research)`.
pub fn priority(row: &JobRow) -> String {
    let lift = row.lifted.saturating_sub(row.priority);
    let lift = if lift > 0 { format!("+{lift}") } else { String::new() };
    format!("{}{lift} ({})", row.priority, Tier::of(row.priority).word())
}

/// For what a job is sorted higher.
pub fn boost(cause: BoostCause) -> &'static str {
    match cause {
        BoostCause::Ageing => "for waiting",
        BoostCause::Deadline => "for its deadline",
        BoostCause::Retry => "for its retries",
    }
}

/// That a countable resource is closed: `closed until 15:00 by job 42: 429`.
pub fn closed(limited: &Limited, sight: &Sight) -> String {
    let until = sight.day(limited.until);
    let who = match limited.job {
        Some(job) => format!("job {job}"),
        None => sanitise(&limited.by).into_owned(),
    };
    let why = limited.reason.as_deref();
    let why = why.map_or_else(String::new, |why| format!(": {}", super::quote(why)));
    format!("closed until {until}, says {who}{why}")
}

/// Whose priority a job has.
pub fn inherits(job: JobId, from: Option<&Inherited>) -> String {
    let Some(from) = from else { return format!("{job} has its own priority again") };
    let waits = match &from.resource {
        Some(resource) => format!("which waits for {}", sanitise(resource)),
        None => "which comes after it".to_owned(),
    };
    format!("{job} has priority {} from {}, {waits}", from.priority, from.from)
}
