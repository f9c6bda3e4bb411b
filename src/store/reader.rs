//! Reading beside the owner, or offline.

use std::path::Path;

use rusqlite::Connection;

use super::audit::{self, AuditBase, AuditRow};
use super::dir::JOURNAL;
use super::fault::Place;
use super::{chain, days, ledger, open, rows, snapshot};
use crate::base::{Digest, Wall};
use crate::model::ports::journal::{
    DayRow, EachRecord, JournalReader, Link, Metered, Snapshot, StorageError,
};

/// Records fetched at once by [`Records`].
const PAGE_RECORDS: usize = 256;

/// A read-only view of a journal.
#[derive(Debug)]
pub struct Reader {
    conn: Connection,
    place: Place,
}

impl Reader {
    /// Opens the journal of a data directory, whether a server has it or not.
    ///
    /// # Errors
    /// As opening for writing, and when there is no journal.
    pub fn open(dir: &Path) -> Result<Reader, StorageError> {
        let place = Place { path: dir.join(JOURNAL), keeps_copies: false };
        Ok(Reader { conn: open::reader(&place)?, place })
    }

    /// A reader for the process that writes.
    pub(super) fn beside_owner(path: &Path) -> Result<Reader, StorageError> {
        let place = Place { path: path.to_owned(), keeps_copies: false };
        Ok(Reader { conn: open::beside_owner(&place)?, place })
    }

    /// Where the chain begins.
    ///
    /// # Errors
    /// When storage cannot be read.
    pub fn base(&self) -> Result<Link, StorageError> {
        rows::base(&self.conn).map(|base| base.at).map_err(|error| self.fault(&error))
    }

    /// The newest intact snapshot.
    ///
    /// # Errors
    /// As [`crate::model::ports::Journal::snapshot`].
    pub fn snapshot(&self) -> Result<Option<Snapshot>, StorageError> {
        newest_snapshot(&self.conn, &self.place)
    }

    /// Walks the records after `seq` and checks the chain; returns where it ends.
    ///
    /// # Errors
    /// As [`crate::model::ports::Journal::replay`].
    pub fn replay(&self, seq: u64, each: &mut EachRecord<'_>) -> Result<Link, StorageError> {
        chain::walk(&self.conn, &self.place, seq, each)
    }

    /// The records after `seq`, one by one, unchecked.
    pub fn iter(&self, seq: u64) -> Records<'_> {
        Records { reader: self, after: seq, page: Vec::new().into_iter(), over: false }
    }

    /// The last record whose intervals are not in the ledger, for a version before metering
    /// wrote it; 0 if there is none.
    ///
    /// # Errors
    /// When storage cannot be read.
    pub fn unmetered(&self) -> Result<u64, StorageError> {
        ledger::unmetered(&self.conn).map_err(|error| self.fault(&error))
    }

    /// Where the audit begins; `None` if only earlier versions wrote to this journal.
    ///
    /// # Errors
    /// When storage cannot be read.
    pub fn audit_base(&self) -> Result<Option<AuditBase>, StorageError> {
        audit::base_if_any(&self.conn).map_err(|error| self.fault(&error))
    }

    /// At most `limit` entries of the audit after `n`, in order, unchecked; of one review if it
    /// is given. None where there is no audit.
    ///
    /// # Errors
    /// When storage cannot be read.
    pub fn audit(
        &self,
        n: u64,
        review: Option<u64>,
        limit: usize,
    ) -> Result<Vec<AuditRow>, StorageError> {
        if self.audit_base()?.is_none() {
            return Ok(Vec::new());
        }
        audit::after(&self.conn, n, review, limit).map_err(|error| self.fault(&error))
    }

    /// Holds the picture as it is now: what a server writes from here on is not seen.
    ///
    /// # Errors
    /// When storage cannot be read.
    pub fn hold_still(&self) -> Result<(), StorageError> {
        self.conn.execute_batch("BEGIN").map_err(|error| self.fault(&error))
    }

    fn fault(&self, error: &rusqlite::Error) -> StorageError {
        self.place.fault(error, "reading it")
    }
}

/// The newest snapshot that is intact and that the records continue.
pub(super) fn newest_snapshot(
    conn: &Connection,
    place: &Place,
) -> Result<Option<Snapshot>, StorageError> {
    let fault = |error: rusqlite::Error| place.fault(&error, "reading its snapshots");
    let base = rows::base(conn).map_err(fault)?;
    let head = rows::head(conn).map_err(fault)?;
    let usable = base.at.seq..=head.seq;
    let entries = snapshot::entries(conn).map_err(fault)?;
    let found = entries.iter().filter(|entry| usable.contains(&entry.seq)).find_map(|entry| {
        snapshot::body(conn, entry).map(|body| Snapshot { seq: entry.seq, body })
    });
    if found.is_none() && base.at.seq > 0 {
        return Err(place.damaged(&format!(
            "the snapshot that stands for the records up to {} is lost",
            base.at.seq
        )));
    }
    Ok(found)
}

/// A content that is what its name says.
pub(super) fn checked_content(
    conn: &Connection,
    place: &Place,
    digest: &Digest,
) -> Result<Option<Vec<u8>>, StorageError> {
    let bytes = rows::content(conn, digest)
        .map_err(|error| place.fault(&error, "reading a stored content"))?;
    match bytes {
        Some(bytes) if Digest::of(&bytes) != *digest => {
            Err(place.damaged(&format!("content {digest} is not what was written")))
        }
        other => Ok(other),
    }
}

/// A summary that is what was stored.
pub(super) fn checked_summary(
    conn: &Connection,
    place: &Place,
    job: u64,
) -> Result<Option<Vec<u8>>, StorageError> {
    let found =
        rows::summary(conn, job).map_err(|error| place.fault(&error, "reading a summary"))?;
    match found {
        Some((hash, bytes)) if Digest::of(&bytes) != hash => {
            Err(place.damaged(&format!("the summary of job {job} is not what was written")))
        }
        other => Ok(other.map(|(_, bytes)| bytes)),
    }
}

impl JournalReader for Reader {
    fn content(&self, digest: &Digest) -> Result<Option<Vec<u8>>, StorageError> {
        checked_content(&self.conn, &self.place, digest)
    }

    fn summary(&self, job: u64) -> Result<Option<Vec<u8>>, StorageError> {
        checked_summary(&self.conn, &self.place, job)
    }

    fn records(&self, seq: u64, limit: usize) -> Result<Vec<(u64, Vec<u8>)>, StorageError> {
        let read = || -> Result<Vec<(u64, Vec<u8>)>, rusqlite::Error> {
            let sql = "SELECT seq, bytes FROM records WHERE seq > ?1 ORDER BY seq LIMIT ?2";
            let limit = i64::try_from(limit).unwrap_or(i64::MAX);
            self.conn
                .prepare_cached(sql)?
                .query_map((rows::int(seq)?, limit), |row| {
                    Ok((rows::unsigned(row, 0)?, row.get(1)?))
                })?
                .collect()
        };
        read().map_err(|error| self.fault(&error))
    }

    fn oldest(&self) -> Result<Option<u64>, StorageError> {
        rows::oldest(&self.conn).map_err(|error| self.fault(&error))
    }

    fn rolled(&self) -> Result<u64, StorageError> {
        days::rolled(&self.conn).map_err(|error| self.fault(&error))
    }

    fn days(&self, from: i64, limit: usize) -> Result<Vec<DayRow>, StorageError> {
        days::from(&self.conn, &self.place, from, limit)
    }

    fn metered(&self, seq: u64, limit: usize) -> Result<Vec<Metered>, StorageError> {
        ledger::after(&self.conn, &self.place, seq, limit)
    }

    fn metered_before(&self, wall: Wall) -> Result<u64, StorageError> {
        ledger::before(&self.conn, wall).map_err(|error| self.fault(&error))
    }
}

/// Iterates over records with their numbers; ends after the first error.
#[derive(Debug)]
pub struct Records<'a> {
    reader: &'a Reader,
    after: u64,
    page: std::vec::IntoIter<(u64, Vec<u8>)>,
    over: bool,
}

impl Iterator for Records<'_> {
    type Item = Result<(u64, Vec<u8>), StorageError>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.page.len() == 0 && !self.over {
            match self.reader.records(self.after, PAGE_RECORDS) {
                Ok(page) => {
                    self.over = page.len() < PAGE_RECORDS;
                    self.page = page.into_iter();
                }
                Err(error) => {
                    self.over = true;
                    return Some(Err(error));
                }
            }
        }
        let record = self.page.next()?;
        self.after = record.0;
        Some(Ok(record))
    }
}
