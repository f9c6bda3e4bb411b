//! What the ledger keeps: intervals for as long as configured, daily sums for ever.
//!
//! Once a day the loop takes the rows that are older, a slice after each turn, adds them to the
//! sums of their days and stores these in their place, in one transaction: a crash leaves a row
//! either there or counted, never both.

use std::collections::BTreeMap;

use crate::base::{At, Span};
use crate::engine::metering::{read_day, read_metered};
use crate::engine::owner::Owner;
use crate::ledger::days::{self, Day};
use crate::model::ports::journal::{DayRow, JournalReader, RolledUp, StorageError};

/// Rows in one slice at most: some milliseconds.
const ROWS: usize = 32;
/// Headers show what was kept idle over the last day, so that is never rolled up.
const KEPT_LEAST: Span = Span::hours(48);

/// The loop's view of the ledger's age.
pub(super) struct Retention {
    /// How long intervals are kept; `None` is for ever.
    pub keep: Option<Span>,
    /// A view of what is stored.
    pub reader: Box<dyn JournalReader>,
    /// The day on which nothing was left to do.
    pub done: Option<i64>,
}

impl Retention {
    /// Nothing was looked at yet.
    pub fn new(keep: Option<Span>, reader: Box<dyn JournalReader>) -> Retention {
        Retention { keep, reader, done: None }
    }

    /// The next slice: days as they will be, and up to which record rows go.
    fn slice(&self, at: At, keep: Span) -> Result<Option<RolledUp>, StorageError> {
        // Whole days only: what is kept begins at a midnight.
        let first_kept = days::begins(days::day_of(at.wall - keep.max(KEPT_LEAST)));
        let rows = self.reader.metered(self.reader.rolled()?, ROWS)?;
        let mut found: BTreeMap<i64, Day> = BTreeMap::new();
        let mut seq = None;
        for row in rows.iter().take_while(|row| row.at.wall < first_kept) {
            for interval in read_metered(row)? {
                days::add_to(&mut found, &interval, row.at);
            }
            seq = Some(row.seq);
        }
        let Some(seq) = seq else { return Ok(None) };
        let mut stored = Vec::with_capacity(found.len());
        for (day, more) in found {
            let before = self.reader.days(day, 1)?;
            let mut sums = match before.first().filter(|row| row.day == day) {
                Some(row) => read_day(row)?,
                None => Day::default(),
            };
            sums.merge(&more);
            let failed = |error| StorageError::Failed(format!("cannot write a day: {error}"));
            stored.push(DayRow { day, bytes: serde_json::to_vec(&sums).map_err(failed)? });
        }
        Ok(Some(RolledUp { seq, days: stored }))
    }
}

impl Owner {
    /// Rolls up one slice if any is due, and sees to it that the next one follows.
    pub(super) fn roll_up_if_due(&mut self, at: At) {
        let today = days::day_of(at.wall);
        let Some(keep) = self.retention.keep.filter(|_| self.retention.done != Some(today)) else {
            return;
        };
        let slice = self.retention.slice(at, keep);
        let rolled = slice.and_then(|slice| match slice {
            Some(slice) => self.journal.roll_up(&slice).map(|()| true),
            None => Ok(false),
        });
        match rolled {
            // The loop comes by again after whoever waits now.
            Ok(true) => {
                self.door.ring();
            }
            Ok(false) => self.retention.done = Some(today),
            // It is no harm to have more than one must. Tomorrow it is tried again.
            Err(error) => {
                tracing::warn!("the ledger keeps what is older than configured: {error}");
                self.retention.done = Some(today);
            }
        }
    }
}
