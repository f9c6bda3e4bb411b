//! In which order lists show the jobs of a lane.

use std::cmp::Reverse;

use crate::model::job::{Job, State};
use crate::model::page::Lane;
use crate::sched::policy::gang::Standing;
use crate::sched::policy::order::Place;

/// Place inside a lane; smaller comes first.
pub type Order = (u64, u64);

/// Place inside the lane: the oldest question, the longest run, the best place in the queue and
/// the latest end come first.
pub fn order(job: &Job) -> Order {
    match Lane::of(job) {
        Lane::Human => (job.prompt.as_ref().map_or(0, |prompt| prompt.since.now.0), 0),
        Lane::Running => (job.started.map_or(0, |at| at.now.0), 0),
        Lane::Ended => (u64::MAX - job.ended.map_or(0, |at| at.now.0), u64::MAX - job.id.0),
        Lane::Queued => {
            let Place { front: Reverse(rank), resumed: Reverse(resumed), latest_start, .. } =
                Place::of(job, Standing::Below);
            let waits = u64::from(job.state != State::Queued);
            let urgency = URGENCY - u64::from(job.sort_priority()).min(URGENCY);
            let front = FRONT - rank.min(FRONT);
            let start = u64::try_from(latest_start.0 / 1000).unwrap_or(0).min(START);
            let new = u64::from(!resumed) << 63;
            let first = (waits << 63) | (urgency << 52) | (front << 32) | start;
            (first, new | (job.submitted.now.0 & !(1 << 63)))
        }
    }
}

/// What fits in the bits of a place in a list: priorities, with boosts; the last million that
/// were moved to the front; latest starts in seconds.
const URGENCY: u64 = (1 << 11) - 1;
const FRONT: u64 = (1 << 20) - 1;
const START: u64 = (1 << 32) - 1;
