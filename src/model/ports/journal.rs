//! Durable bytes: the journal, its snapshots, stored contents and summaries.

use std::fmt;

use crate::base::{At, Digest, Wall};

/// What one commit makes durable, all or nothing.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Batch {
    /// Records in order: consecutive sequence numbers with their bytes.
    pub records: Vec<(u64, Vec<u8>)>,
    /// Contents stored once per [`Digest::of`] their bytes; one that is there already is left
    /// alone.
    pub contents: Vec<(Digest, Vec<u8>)>,
    /// Summaries of ended jobs by number; a later one replaces an earlier one.
    pub summaries: Vec<(u64, Vec<u8>)>,
    /// What the records' facts closed in the ledger, if anything.
    pub metered: Option<Metered>,
    /// What they say about reviews, in order: the audit's next entries.
    pub audit: Vec<Audited>,
}

/// An entry of the audit before it has its place in the chain. Entries outlive the records:
/// compaction keeps them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Audited {
    /// The review it is about; 0 when it is about several.
    pub review: u64,
    /// The entry: canonical JSON.
    pub bytes: Vec<u8>,
}

/// A row of the ledger: the intervals that the records of one commit closed. Rows outlive the
/// records: compaction keeps them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Metered {
    /// The last record of the commit.
    pub seq: u64,
    /// When it was decided; no later row is older.
    pub at: At,
    /// The intervals as bytes.
    pub bytes: Vec<u8>,
}

/// Days of the ledger that are put in the place of its oldest rows.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct RolledUp {
    /// Rows up to this record go.
    pub seq: u64,
    /// The days they are counted in now, as they are from then on.
    pub days: Vec<DayRow>,
}

/// What a day of the ledger came to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DayRow {
    /// The day: so many after 1970-01-01, UTC.
    pub day: i64,
    /// The sums as bytes.
    pub bytes: Vec<u8>,
}

/// Where the journal begins now: sequence number of the last record it no longer has, and the
/// link of the chain after that record.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Link {
    /// Sequence number; 0 for a journal that was never compacted.
    pub seq: u64,
    /// SHA-256 over the previous link and the record's bytes.
    pub digest: Digest,
}

/// A stored snapshot of the world.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Snapshot {
    /// The last record it includes.
    pub seq: u64,
    /// The world as bytes.
    pub body: Vec<u8>,
}

/// What went wrong with durable storage.
#[derive(Debug)]
pub enum StorageError {
    /// No room: the batch is not stored and may be tried again.
    Full(String),
    /// Stored data cannot be trusted or read; the text says what, where and what to do.
    Damaged(String),
    /// The data was written by a newer version.
    Newer(String),
    /// Anything else.
    Failed(String),
}

impl fmt::Display for StorageError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (StorageError::Full(text)
        | StorageError::Damaged(text)
        | StorageError::Newer(text)
        | StorageError::Failed(text)) = self;
        f.write_str(text)
    }
}

impl std::error::Error for StorageError {}

/// Takes one record: its sequence number and its bytes.
pub type EachRecord<'a> = dyn FnMut(u64, &[u8]) -> Result<(), StorageError> + 'a;

/// The journal of one data directory. One owner writes.
pub trait Journal: Send {
    /// Makes a batch durable: when this returns `Ok`, it survives a power cut.
    ///
    /// # Errors
    /// Nothing of the batch is stored then.
    fn commit(&mut self, batch: &Batch) -> Result<(), StorageError>;

    /// The newest snapshot that is intact, if there is one.
    ///
    /// # Errors
    /// When storage cannot be read.
    fn snapshot(&self) -> Result<Option<Snapshot>, StorageError>;

    /// Stores a snapshot beside the records.
    ///
    /// # Errors
    /// Nothing is stored then.
    fn put_snapshot(&mut self, snapshot: &Snapshot) -> Result<(), StorageError>;

    /// Calls `each` with sequence number and bytes of every record after `seq`, in order, and
    /// checks the chain on the way.
    ///
    /// # Errors
    /// [`StorageError::Damaged`] when a record is missing, changed or out of order.
    fn replay(&self, seq: u64, each: &mut EachRecord<'_>) -> Result<(), StorageError>;

    /// Drops the records up to the newest snapshot, which becomes what the chain continues
    /// from. Returns how many were dropped.
    ///
    /// # Errors
    /// Nothing is dropped then.
    fn compact(&mut self) -> Result<u64, StorageError>;

    /// Puts days in the place of the ledger's rows up to a record, all or nothing.
    ///
    /// # Errors
    /// Nothing is changed then.
    fn roll_up(&mut self, rolled: &RolledUp) -> Result<(), StorageError>;

    /// A stored content.
    ///
    /// # Errors
    /// When storage cannot be read.
    fn content(&self, digest: &Digest) -> Result<Option<Vec<u8>>, StorageError>;

    /// The summary of an ended job.
    ///
    /// # Errors
    /// When storage cannot be read.
    fn summary(&self, job: u64) -> Result<Option<Vec<u8>>, StorageError>;

    /// Gives back the disk space that is kept for ends, votes and stops on a full disk.
    /// False when it was given back already.
    fn release_ballast(&mut self) -> bool;

    /// Takes that space again if the disk has room for it.
    fn restore_ballast(&mut self);

    /// Free bytes on the journal's file system for this user.
    fn free_bytes(&self) -> u64;

    /// The link at which the audit begins: random, made with the journal. It names the
    /// installation.
    fn installation(&self) -> Digest;

    /// The newest entry of the audit and its link, or where it begins.
    fn audit_head(&self) -> Link;

    /// A second, independent view for readers in other threads.
    ///
    /// # Errors
    /// When storage cannot be opened.
    fn reader(&self) -> Result<Box<dyn JournalReader>, StorageError>;
}

/// Reads stored data beside the owner.
pub trait JournalReader: Send {
    /// A stored content.
    ///
    /// # Errors
    /// When storage cannot be read.
    fn content(&self, digest: &Digest) -> Result<Option<Vec<u8>>, StorageError>;

    /// The summary of an ended job.
    ///
    /// # Errors
    /// When storage cannot be read.
    fn summary(&self, job: u64) -> Result<Option<Vec<u8>>, StorageError>;

    /// At most `limit` records after `seq`, in order.
    ///
    /// # Errors
    /// When storage cannot be read.
    fn records(&self, seq: u64, limit: usize) -> Result<Vec<(u64, Vec<u8>)>, StorageError>;

    /// The oldest record still there, if any.
    ///
    /// # Errors
    /// When storage cannot be read.
    fn oldest(&self) -> Result<Option<u64>, StorageError>;

    /// The last record whose row of the ledger was rolled up into days; 0 if none was.
    ///
    /// # Errors
    /// When storage cannot be read.
    fn rolled(&self) -> Result<u64, StorageError>;

    /// At most `limit` days of the ledger from one on, in order.
    ///
    /// # Errors
    /// When storage cannot be read, or one is not what was written.
    fn days(&self, from: i64, limit: usize) -> Result<Vec<DayRow>, StorageError>;

    /// At most `limit` rows of the ledger after record `seq`, in order.
    ///
    /// # Errors
    /// When storage cannot be read, or a row is not what was written.
    fn metered(&self, seq: u64, limit: usize) -> Result<Vec<Metered>, StorageError>;

    /// The last record whose row of the ledger, and all before it, is older than `wall`; 0 if
    /// none is.
    ///
    /// # Errors
    /// When storage cannot be read.
    fn metered_before(&self, wall: Wall) -> Result<u64, StorageError>;
}
