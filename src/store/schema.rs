//! Tables, their versions, and how a connection is set up.
//!
//! Pages are as small as SQLite allows: a commit writes whole pages, and one record dirties
//! about three of them (its leaf, an overflow page, the file's first page), which a checkpoint
//! partly writes again. With 512 bytes that is 2.5 kB, with the usual 4096 it would be 15 kB.
//! Pages are not tracked for incremental vacuum: that costs a fourth page per record, and its
//! time grows with the square of what was freed. Compaction rewrites the file instead.

use rusqlite::Connection;

use super::fault::Result;

/// "hshj" in the file's header: this is a journal of ours.
pub(super) const APPLICATION_ID: i32 = 0x6873_686a;
/// Bytes of a page.
const PAGE_BYTES: u32 = 512;
/// Pages in the write-ahead log after which it is carried into the file: 2 MiB.
const CHECKPOINT_PAGES: u32 = 4096;
/// A larger write-ahead log (after a snapshot) is cut back to this when it starts anew.
const WAL_BYTES_KEPT: u32 = 4 << 20;
/// How long to wait for a reader's lock.
const BUSY_MS: u64 = 5000;

/// What brings a database from version `n` to `n + 1`, by position.
const MIGRATIONS: &[&str] = &[
    "
    CREATE TABLE base (
        only INTEGER PRIMARY KEY CHECK (only = 0),
        seq INTEGER NOT NULL,
        link BLOB NOT NULL,
        snapshot BLOB
    ) STRICT;
    CREATE TABLE records (
        seq INTEGER PRIMARY KEY,
        link BLOB NOT NULL,
        bytes BLOB NOT NULL
    ) STRICT;
    CREATE TABLE contents (
        digest BLOB PRIMARY KEY,
        bytes BLOB NOT NULL
    ) STRICT, WITHOUT ROWID;
    CREATE TABLE summaries (
        job INTEGER PRIMARY KEY,
        hash BLOB NOT NULL,
        bytes BLOB NOT NULL
    ) STRICT;
    CREATE TABLE snapshots (
        seq INTEGER PRIMARY KEY,
        hash BLOB NOT NULL
    ) STRICT;
    CREATE TABLE snapshot_parts (
        seq INTEGER NOT NULL,
        part INTEGER NOT NULL,
        bytes BLOB NOT NULL,
        PRIMARY KEY (seq, part)
    ) STRICT, WITHOUT ROWID;
    INSERT INTO base (only, seq, link) VALUES (0, 0, zeroblob(32));
",
    "
    CREATE TABLE ledger (
        seq INTEGER PRIMARY KEY,
        now INTEGER NOT NULL,
        wall INTEGER NOT NULL,
        hash BLOB NOT NULL,
        bytes BLOB NOT NULL
    ) STRICT;
    CREATE TABLE unmetered (
        only INTEGER PRIMARY KEY CHECK (only = 0),
        seq INTEGER NOT NULL
    ) STRICT;
    INSERT INTO unmetered (only, seq)
        SELECT 0, max(base.seq, coalesce((SELECT max(seq) FROM records), 0)) FROM base;
",
    "
    CREATE TABLE audit (
        n INTEGER PRIMARY KEY,
        link BLOB NOT NULL,
        review INTEGER NOT NULL,
        bytes BLOB NOT NULL
    ) STRICT;
    CREATE INDEX audit_review ON audit (review, n);
    CREATE TABLE audit_base (
        only INTEGER PRIMARY KEY CHECK (only = 0),
        link BLOB NOT NULL,
        seq INTEGER NOT NULL
    ) STRICT;
    INSERT INTO audit_base (only, link, seq)
        SELECT 0, randomblob(32), max(base.seq, coalesce((SELECT max(seq) FROM records), 0))
        FROM base;
",
    "
    CREATE TABLE IF NOT EXISTS ledger_days (
        day INTEGER PRIMARY KEY,
        hash BLOB NOT NULL,
        bytes BLOB NOT NULL
    ) STRICT;
    CREATE TABLE IF NOT EXISTS ledger_rolled (
        only INTEGER PRIMARY KEY CHECK (only = 0),
        seq INTEGER NOT NULL
    ) STRICT;
    INSERT OR IGNORE INTO ledger_rolled (only, seq) VALUES (0, 0);
",
];

/// The version this build writes.
pub(super) fn version() -> i32 {
    i32::try_from(MIGRATIONS.len()).unwrap_or(i32::MAX)
}

/// Sets what must be set before the first table of a new file exists.
pub(super) fn prepare_empty(conn: &Connection) -> Result<()> {
    conn.pragma_update(None, "page_size", PAGE_BYTES)?;
    conn.pragma_update(None, "application_id", APPLICATION_ID)
}

/// Settings of the connection that writes.
pub(super) fn configure_writer(conn: &Connection) -> Result<()> {
    conn.busy_timeout(std::time::Duration::from_millis(BUSY_MS))?;
    conn.pragma_update(None, "journal_mode", "WAL")?;
    conn.pragma_update(None, "synchronous", "FULL")?;
    conn.pragma_update(None, "wal_autocheckpoint", CHECKPOINT_PAGES)?;
    conn.pragma_update(None, "journal_size_limit", WAL_BYTES_KEPT)?;
    conn.set_prepared_statement_cache_capacity(32);
    Ok(())
}

/// Settings of a connection that only reads.
pub(super) fn configure_reader(conn: &Connection) -> Result<()> {
    conn.busy_timeout(std::time::Duration::from_millis(BUSY_MS))?;
    conn.pragma_update(None, "query_only", true)?;
    conn.set_prepared_statement_cache_capacity(16);
    Ok(())
}

/// The version of the stored tables.
pub(super) fn stored_version(conn: &Connection) -> Result<i32> {
    conn.pragma_query_value(None, "user_version", |row| row.get(0))
}

/// Brings older tables up to this build's version, each step all or nothing.
pub(super) fn migrate(conn: &mut Connection) -> Result<()> {
    let from = usize::try_from(stored_version(conn)?).unwrap_or(0);
    for (step, sql) in (1i32..).zip(MIGRATIONS).skip(from) {
        let tx = conn.transaction()?;
        tx.execute_batch(sql)?;
        tx.pragma_update(None, "user_version", step)?;
        tx.commit()?;
    }
    Ok(())
}
