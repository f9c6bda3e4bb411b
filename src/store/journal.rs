//! The journal's owner: one connection that writes, one transaction per batch.

use std::path::PathBuf;

use rusqlite::{Connection, TransactionBehavior};

use super::ballast::Ballast;
use super::dir::DataDir;
use super::fault::{Place, Result};
use super::reader::{Reader, checked_content, checked_summary, newest_snapshot};
use super::{audit, chain, compact, days, ledger, open, rows, snapshot};
use crate::base::Digest;
use crate::model::ports::journal::{
    Batch, EachRecord, Journal, JournalReader, Link, RolledUp, Snapshot, StorageError,
};

/// The journal of one data directory.
#[derive(Debug)]
pub struct Store {
    conn: Connection,
    place: Place,
    head: Link,
    /// Where the audit begins.
    installation: Digest,
    /// Where it ends.
    audited: Link,
    ballast: Ballast,
}

impl Store {
    /// Opens the journal of a locked directory, or makes it.
    ///
    /// # Errors
    /// [`StorageError::Newer`] and [`StorageError::Damaged`] leave the file as it is; of a
    /// damaged one a copy is kept. [`StorageError::Full`] when a new one finds no room.
    pub fn open(dir: &DataDir) -> std::result::Result<Store, StorageError> {
        let place = Place { path: dir.journal(), keeps_copies: true };
        let conn = open::writer(&place)?;
        let head = rows::head(&conn).map_err(|error| place.fault(&error, "finding its end"))?;
        let audit = audit::base(&conn).and_then(|base| Ok((base.link, audit::head(&conn)?)));
        let (installation, audited) =
            audit.map_err(|error| place.fault(&error, "finding the audit's end"))?;
        let ballast = Ballast::of(dir.path());
        ballast.restore();
        open::keep_log_on_close(&conn, false).map_err(|error| place.fault(&error, "opening it"))?;
        Ok(Store { conn, place, head, installation, audited, ballast })
    }

    /// The newest record and its link.
    pub fn head(&self) -> Link {
        self.head
    }

    /// The file.
    pub fn path(&self) -> PathBuf {
        self.place.path.clone()
    }

    /// After damage is found nothing more is written, not even when the file is closed.
    fn sealing<T>(
        &self,
        result: std::result::Result<T, StorageError>,
    ) -> std::result::Result<T, StorageError> {
        if matches!(result, Err(StorageError::Damaged(_))) {
            let _ = open::keep_log_on_close(&self.conn, true);
            let _ = self.conn.pragma_update(None, "query_only", true);
        }
        result
    }

    /// Rows that are read one at a time may be damaged alone: that is said, not copied.
    fn reading(&self) -> Place {
        Place { path: self.place.path.clone(), keeps_copies: false }
    }
}

impl Journal for Store {
    fn commit(&mut self, batch: &Batch) -> std::result::Result<(), StorageError> {
        let linked = link_records(self.head, batch).map_err(StorageError::Failed)?;
        check_contents(batch).map_err(StorageError::Failed)?;
        let audit = audit::linked(self.audited, &batch.audit);
        let written = write(&mut self.conn, batch, &linked, &audit)
            .map_err(|error| self.place.fault(&error, "writing records"));
        self.sealing(written)?;
        self.head = linked.last().copied().unwrap_or(self.head);
        self.audited = audit.last().map_or(self.audited, audit::AuditRow::end);
        Ok(())
    }

    fn snapshot(&self) -> std::result::Result<Option<Snapshot>, StorageError> {
        self.sealing(newest_snapshot(&self.conn, &self.place))
    }

    fn put_snapshot(&mut self, snapshot: &Snapshot) -> std::result::Result<(), StorageError> {
        if snapshot.seq > self.head.seq {
            return Err(StorageError::Failed(format!(
                "a snapshot of record {} cannot be stored: the journal ends at {}",
                snapshot.seq, self.head.seq
            )));
        }
        let stored = transaction(&mut self.conn, |conn| snapshot::put(conn, snapshot))
            .map_err(|error| self.place.fault(&error, "storing a snapshot"));
        self.sealing(stored)
    }

    fn replay(&self, seq: u64, each: &mut EachRecord<'_>) -> std::result::Result<(), StorageError> {
        self.sealing(chain::walk(&self.conn, &self.place, seq, each).map(|_| ()))
    }

    fn compact(&mut self) -> std::result::Result<u64, StorageError> {
        let dropped = compact::compact(&mut self.conn, &self.place);
        self.sealing(dropped)
    }

    fn roll_up(&mut self, rolled: &RolledUp) -> std::result::Result<(), StorageError> {
        let stored = transaction(&mut self.conn, |conn| days::put(conn, rolled))
            .map_err(|error| self.place.fault(&error, "rolling up the ledger"));
        self.sealing(stored)
    }

    fn content(&self, digest: &Digest) -> std::result::Result<Option<Vec<u8>>, StorageError> {
        checked_content(&self.conn, &self.reading(), digest)
    }

    fn summary(&self, job: u64) -> std::result::Result<Option<Vec<u8>>, StorageError> {
        checked_summary(&self.conn, &self.reading(), job)
    }

    fn release_ballast(&mut self) -> bool {
        self.ballast.release()
    }

    fn restore_ballast(&mut self) {
        self.ballast.restore();
    }

    fn free_bytes(&self) -> u64 {
        self.ballast.free_bytes()
    }

    fn installation(&self) -> Digest {
        self.installation
    }

    fn audit_head(&self) -> Link {
        self.audited
    }

    fn reader(&self) -> std::result::Result<Box<dyn JournalReader>, StorageError> {
        Ok(Box::new(Reader::beside_owner(&self.place.path)?))
    }
}

/// The links of a batch's records, which must continue the journal.
fn link_records(head: Link, batch: &Batch) -> std::result::Result<Vec<Link>, String> {
    let mut at = head;
    let mut linked = Vec::with_capacity(batch.records.len());
    for (seq, bytes) in &batch.records {
        if *seq != at.seq.saturating_add(1) {
            return Err(format!(
                "record {seq} cannot be written: the journal ends at {}. Nothing was stored",
                at.seq
            ));
        }
        at = Link { seq: *seq, digest: chain::link(&at.digest, *seq, bytes) };
        linked.push(at);
    }
    Ok(linked)
}

/// A content under a wrong name would be called damaged when it is read.
fn check_contents(batch: &Batch) -> std::result::Result<(), String> {
    match batch.contents.iter().find(|(digest, bytes)| Digest::of(bytes) != *digest) {
        Some((digest, _)) => Err(format!("{digest} is not the digest of its content")),
        None => Ok(()),
    }
}

fn write(
    conn: &mut Connection,
    batch: &Batch,
    linked: &[Link],
    audit: &[audit::AuditRow],
) -> Result<()> {
    transaction(conn, |conn| {
        let sql = "INSERT INTO records (seq, link, bytes) VALUES (?1, ?2, ?3)";
        let mut record = conn.prepare_cached(sql)?;
        for ((seq, bytes), link) in batch.records.iter().zip(linked) {
            record.execute((rows::int(*seq)?, link.digest.0, bytes))?;
        }
        let sql = "INSERT OR IGNORE INTO contents (digest, bytes) VALUES (?1, ?2)";
        let mut content = conn.prepare_cached(sql)?;
        for (digest, bytes) in &batch.contents {
            content.execute((digest.0, bytes))?;
        }
        let sql = "INSERT OR REPLACE INTO summaries (job, hash, bytes) VALUES (?1, ?2, ?3)";
        let mut summary = conn.prepare_cached(sql)?;
        for (job, bytes) in &batch.summaries {
            summary.execute((rows::int(*job)?, Digest::of(bytes).0, bytes))?;
        }
        audit.iter().try_for_each(|row| audit::put(conn, row))?;
        batch.metered.iter().try_for_each(|row| ledger::put(conn, row))
    })
}

/// Runs `work` all or nothing: an error rolls back and leaves the connection usable.
fn transaction(conn: &mut Connection, work: impl FnOnce(&Connection) -> Result<()>) -> Result<()> {
    let tx = conn.transaction_with_behavior(TransactionBehavior::Immediate)?;
    work(&tx)?;
    tx.commit()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn batch(first: u64, count: u64, bytes: usize) -> Batch {
        let records = (first..first + count).map(|seq| (seq, vec![b'x'; bytes])).collect();
        Batch { records, ..Batch::default() }
    }

    #[test]
    fn a_full_file_stores_nothing_of_the_batch_and_goes_on_when_there_is_room() {
        let temp = tempfile::tempdir().unwrap();
        let dir = DataDir::lock(temp.path()).unwrap();
        let mut store = Store::open(&dir).unwrap();
        store.commit(&batch(1, 3, 400)).unwrap();
        let pages: u32 = store.conn.pragma_query_value(None, "page_count", |r| r.get(0)).unwrap();
        store.conn.pragma_update(None, "max_page_count", pages + 4).unwrap();
        let refused = store.commit(&batch(4, 50, 400)).unwrap_err();
        assert!(matches!(refused, StorageError::Full(_)), "{refused:?}");
        assert_eq!(store.head().seq, 3);
        store.conn.pragma_update(None, "max_page_count", 1_000_000).unwrap();
        store.commit(&batch(4, 50, 400)).unwrap();
        let mut seen = Vec::new();
        store
            .replay(0, &mut |seq, _| {
                seen.push(seq);
                Ok(())
            })
            .unwrap();
        assert_eq!(seen, (1..=53).collect::<Vec<_>>());
    }
}
