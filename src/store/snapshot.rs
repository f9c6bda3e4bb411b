//! Snapshots of the world: stored in parts so that no copy of a whole one is made on the way,
//! and named good only when their hash says so.

use rusqlite::Connection;
use sha2::{Digest as _, Sha256};

use super::fault::Result;
use super::rows;
use crate::base::Digest;
use crate::model::ports::journal::Snapshot;

/// Bytes in one part.
const PART_BYTES: usize = 64 << 10;
/// How many of the newest are kept, besides the one the chain continues from.
const KEPT: u32 = 2;

/// A stored snapshot's place and hash.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Entry {
    pub seq: u64,
    pub hash: Digest,
}

/// Stores one and drops the oldest beyond those kept. The caller owns the transaction.
pub(super) fn put(conn: &Connection, snapshot: &Snapshot) -> Result<()> {
    let seq = rows::int(snapshot.seq)?;
    let mut hasher = hasher(snapshot.seq);
    hasher.update(&snapshot.body);
    let hash: [u8; 32] = hasher.finalize().into();
    conn.execute("DELETE FROM snapshot_parts WHERE seq = ?1", [seq])?;
    conn.execute("INSERT OR REPLACE INTO snapshots (seq, hash) VALUES (?1, ?2)", (seq, hash))?;
    let sql = "INSERT INTO snapshot_parts (seq, part, bytes) VALUES (?1, ?2, ?3)";
    let mut insert = conn.prepare_cached(sql)?;
    for (part, bytes) in (0i64..).zip(snapshot.body.chunks(PART_BYTES)) {
        insert.execute((seq, part, bytes))?;
    }
    conn.execute(
        "DELETE FROM snapshots WHERE seq <> (SELECT seq FROM base) AND seq NOT IN
             (SELECT seq FROM snapshots ORDER BY seq DESC LIMIT ?1)",
        [KEPT],
    )?;
    drop_orphans(conn)
}

/// Drops every snapshot but one.
pub(super) fn keep_only(conn: &Connection, seq: u64) -> Result<()> {
    conn.execute("DELETE FROM snapshots WHERE seq <> ?1", [rows::int(seq)?])?;
    drop_orphans(conn)
}

fn drop_orphans(conn: &Connection) -> Result<()> {
    let sql = "DELETE FROM snapshot_parts WHERE seq NOT IN (SELECT seq FROM snapshots)";
    conn.execute(sql, []).map(|_| ())
}

/// All that are stored, newest first.
pub(super) fn entries(conn: &Connection) -> Result<Vec<Entry>> {
    conn.prepare_cached("SELECT seq, hash FROM snapshots ORDER BY seq DESC")?
        .query_map([], |row| {
            Ok(Entry { seq: rows::unsigned(row, 0)?, hash: rows::digest(row, 1)? })
        })?
        .collect()
}

/// Whether the stored bytes are those that were hashed.
pub(super) fn is_intact(conn: &Connection, entry: &Entry) -> Result<bool> {
    parts(conn, entry, |_| {})
}

/// The body of an intact one. A body that cannot be read counts as damaged, not as an error:
/// an older one, or the records, may do.
pub(super) fn body(conn: &Connection, entry: &Entry) -> Option<Vec<u8>> {
    let mut body = Vec::new();
    let intact = parts(conn, entry, |bytes| body.extend_from_slice(bytes));
    matches!(intact, Ok(true)).then_some(body)
}

/// The newest intact one, without its body.
pub(super) fn newest_intact(conn: &Connection) -> Result<Option<Entry>> {
    let found = entries(conn)?.into_iter();
    Ok(found.into_iter().find(|entry| matches!(is_intact(conn, entry), Ok(true))))
}

/// Hands over the parts in order; whether they hash to what the entry says.
fn parts(conn: &Connection, entry: &Entry, mut each: impl FnMut(&[u8])) -> Result<bool> {
    let sql = "SELECT bytes FROM snapshot_parts WHERE seq = ?1 ORDER BY part";
    let mut statement = conn.prepare_cached(sql)?;
    let mut found = statement.query([rows::int(entry.seq)?])?;
    let mut hasher = hasher(entry.seq);
    while let Some(row) = found.next()? {
        let bytes = row.get_ref(0)?.as_blob()?;
        hasher.update(bytes);
        each(bytes);
    }
    Ok(entry.hash.0 == <[u8; 32]>::from(hasher.finalize()))
}

/// The hash covers the number too, so that a snapshot cannot pass for one of another moment.
fn hasher(seq: u64) -> Sha256 {
    Sha256::new_with_prefix(seq.to_le_bytes())
}
