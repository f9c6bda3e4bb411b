//! Room that is kept for waiting jobs: for whom, how much of it is idle, what it came to.

use crate::model::Resources;
use crate::model::page::usage::{MILLI_MS_PER_HOUR, hours};
use crate::model::page::{KeptDay, KeptFor, Summary};
use crate::view::sight::Sight;
use crate::view::words::{amounts, percent};

/// Room of a node that is kept for a job: `8 GPUs, 48 cores kept for 240 from 05:40`.
pub fn kept_for(kept: &KeptFor, sight: &Sight) -> String {
    let from = match kept.from <= sight.now.wall {
        true => "now".to_owned(),
        false => format!("from {}", sight.day(kept.from)),
    };
    format!("{} kept for {} {from}", amounts(&kept.room), kept.job)
}

/// What of all nodes is free and kept.
pub fn kept_now(summary: &Summary) -> Resources {
    let mut all = Resources::default();
    summary.nodes.iter().for_each(|node| all.add(&node.reserved));
    all
}

/// What is idle because it is kept, now and over the last day; `None` if nothing was.
pub fn kept_idle(summary: &Summary) -> Option<String> {
    let now = kept_now(summary);
    let day = summary.kept_day.as_ref().and_then(day);
    if now.is_empty() && day.is_none() {
        return None;
    }
    let day = day.map_or_else(String::new, |day| format!("; in 24 h {day}"));
    Some(format!("kept idle for waiting jobs: {} now{day}", amounts(&now)))
}

/// Less than this is shown as nothing: half a hundredth of an hour.
const LEAST: u128 = MILLI_MS_PER_HOUR / 200;

/// The kind that is dear: `1.25 GPU hours (0.6%)`.
fn day(day: &KeptDay) -> Option<String> {
    let (kept, all) = (&day.reserved, &day.all);
    let kinds = [("GPU", kept.gpu_milli_ms, all.gpu_milli_ms)];
    let kinds = kinds.into_iter().chain([("core", kept.cpu_milli_ms, all.cpu_milli_ms)]);
    let said = kinds.filter(|(_, kept, _)| *kept >= LEAST).map(|(unit, kept, all)| {
        let part = (kept.saturating_mul(10_000)).checked_div(all).unwrap_or(0);
        let part = percent(u32::try_from(part).unwrap_or(10_000));
        format!("{} {unit} hours ({part})", hours(kept, MILLI_MS_PER_HOUR, 2))
    });
    let said: Vec<String> = said.collect();
    (!said.is_empty()).then(|| said.join(", "))
}
