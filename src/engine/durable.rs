//! The loop and the disk: commits, the full disk, snapshots, compaction.

use crate::engine::metering::snapshot_body;
use crate::engine::owner::Owner;
use crate::model::ports::journal::{Batch, Snapshot, StorageError};
use crate::model::refusal::{Refusal, RefusalCode};

/// New jobs are refused below this many free bytes: what is left is for ends and stops.
const FREE_LEAST: u64 = 16 << 20;

impl Owner {
    /// One commit. On a full disk the ballast is given back, so that what has happened already
    /// can be written down.
    pub(super) fn commit(&mut self, batch: &Batch) -> Result<(), StorageError> {
        let records = batch.records.len() as u64;
        let result = match self.journal.commit(batch) {
            Err(StorageError::Full(why)) if self.journal.release_ballast() => {
                tracing::error!("the disk is full ({why}); the ballast is given back");
                self.ballast_out = true;
                self.notes = vec![format!(
                    "the disk is full: new jobs are refused until {} has room",
                    self.launcher.data_dir().display()
                )];
                self.journal.commit(batch)
            }
            other => other,
        };
        self.count(|counters| {
            counters.commits += 1;
            counters.records += records;
        });
        result
    }

    /// Whether nothing new is taken on. Takes the ballast again once there is room.
    pub(super) fn disk_is_full(&mut self) -> bool {
        let full = self.journal.free_bytes() < FREE_LEAST;
        if !full && self.ballast_out {
            self.journal.restore_ballast();
            self.ballast_out = false;
            self.notes.clear();
        }
        full
    }

    pub(super) fn snapshot_if_due(&mut self) -> Result<(), StorageError> {
        let jobs = self.world.job_count();
        if self.seq - self.snapshot_seq < self.snapshot_records.max(jobs) {
            return Ok(());
        }
        self.snapshot()
    }

    pub(super) fn snapshot(&mut self) -> Result<(), StorageError> {
        if self.seq == self.snapshot_seq {
            return Ok(());
        }
        let body = snapshot_body(&self.world, &self.meter, self.journal.audit_head())?;
        match self.journal.put_snapshot(&Snapshot { seq: self.seq, body }) {
            Ok(()) => self.snapshot_seq = self.seq,
            // A snapshot only saves time: without room for one the records suffice.
            Err(StorageError::Full(why)) => tracing::warn!("no room for a snapshot: {why}"),
            Err(error) => return Err(error),
        }
        Ok(())
    }

    pub(super) fn compact(&mut self) -> Result<u64, Refusal> {
        let failed = |error: StorageError| {
            Refusal::new(
                RefusalCode::Internal,
                format!("the journal was left as it is: {error}"),
                "",
            )
        };
        self.snapshot().map_err(failed)?;
        self.journal.compact().map_err(failed)
    }
}
