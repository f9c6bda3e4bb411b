//! What was kept for waiting jobs over the last day, for every reader's header: read from the
//! ledger once, then row by row as it grows.

use crate::base::{At, Wall};
use crate::engine::assemble::Published;
use crate::engine::handle::{Handle, lock};
use crate::engine::metering::read_metered;
use crate::ledger::Tally;
use crate::ledger::tally::DAY;
use crate::model::page::KeptDay;

/// Rows read for one answer at most: a busy day is added up over several.
const ROWS: usize = 4096;

/// The sum so far.
#[derive(Default)]
pub(super) struct Day {
    tally: Tally,
    /// The last record whose row is in it; `None` before the first look.
    seq: Option<u64>,
}

impl Handle {
    /// What was kept over the last day; `None` while that is not all added up, or the store
    /// can't say.
    pub(super) fn kept_day(&self, published: &Published, at: At) -> Option<KeptDay> {
        let mut day = lock(&self.inner.day);
        let stored = lock(&self.inner.stored);
        let from = Wall(at.wall.0.saturating_sub_unsigned(DAY.0));
        let after = day.seq.map_or_else(|| stored.reader.metered_before(from).ok(), Some)?;
        let rows = stored.reader.metered(after, ROWS).ok()?;
        drop(stored);
        let full = rows.len() >= ROWS;
        // What was committed after the world was published is open in it.
        let rows: Vec<_> = rows.iter().take_while(|row| row.seq <= published.seq).collect();
        let last = rows.last().map_or(after, |row| row.seq);
        let intervals: Result<Vec<_>, _> = rows.into_iter().map(read_metered).collect();
        for interval in intervals.ok()?.iter().flatten() {
            day.tally.add(interval, at.now);
        }
        day.seq = Some(last);
        if full && last < published.seq {
            return None;
        }
        let mut tally = day.tally.clone();
        published.meter.settle(at.now).iter().for_each(|interval| tally.add(interval, at.now));
        let (reserved, all) = tally.sums(at.now);
        Some(KeptDay { reserved, all })
    }
}
