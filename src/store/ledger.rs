//! The ledger's rows: closed intervals as bytes, one row for each commit that closed any. They
//! have their own retention: compaction leaves them alone, `days` puts sums in their place.

use rusqlite::{Connection, OptionalExtension as _, Row};
use sha2::{Digest as _, Sha256};

use super::fault::{Place, Result};
use super::rows;
use crate::base::{At, Digest, Mono, Wall};
use crate::model::ports::journal::{Metered, StorageError};

const COLUMNS: &str = "SELECT seq, now, wall, bytes, hash FROM ledger";

/// Stores a row. The caller owns the transaction.
pub(super) fn put(conn: &Connection, row: &Metered) -> Result<()> {
    let sql = "INSERT INTO ledger (seq, now, wall, hash, bytes) VALUES (?1, ?2, ?3, ?4, ?5)";
    let (seq, now, wall) = (rows::int(row.seq)?, rows::int(row.at.now.0)?, row.at.wall.0);
    conn.prepare_cached(sql)?.execute((seq, now, wall, hash(row).0, &row.bytes)).map(drop)
}

/// At most `limit` rows after record `seq`, checked.
pub(super) fn after(
    conn: &Connection,
    place: &Place,
    seq: u64,
    limit: usize,
) -> std::result::Result<Vec<Metered>, StorageError> {
    let fault = |error: rusqlite::Error| place.fault(&error, "reading the ledger");
    if !exists(conn).map_err(fault)? {
        return Ok(Vec::new());
    }
    let sql = format!("{COLUMNS} WHERE seq > ?1 ORDER BY seq LIMIT ?2");
    let limit = i64::try_from(limit).unwrap_or(i64::MAX);
    let mut statement = conn.prepare_cached(&sql).map_err(fault)?;
    let found = statement.query_map((rows::int(seq).map_err(fault)?, limit), read);
    found
        .map_err(fault)?
        .map(|row| match row.map_err(fault)? {
            (row, stored) if hash(&row) == stored => Ok(row),
            (row, _) => {
                let what =
                    format!("the ledger's row of record {} is not what was written", row.seq);
                Err(place.damaged(&what))
            }
        })
        .collect()
}

/// Whether the file has a ledger: one of an earlier version gets it when a server opens it.
fn exists(conn: &Connection) -> Result<bool> {
    let sql = "SELECT count(*) FROM sqlite_schema WHERE type = 'table' AND name = 'ledger'";
    conn.prepare_cached(sql)?.query_row([], |row| row.get(0))
}

/// Every row: whether it is what was written.
pub(super) fn check(conn: &Connection, mut each: impl FnMut(u64, bool)) -> Result<()> {
    if !exists(conn)? {
        return Ok(());
    }
    let mut statement = conn.prepare(&format!("{COLUMNS} ORDER BY seq"))?;
    let mut found = statement.query([])?;
    while let Some(row) = found.next()? {
        let (row, stored) = read(row)?;
        each(row.seq, hash(&row) == stored);
    }
    Ok(())
}

/// The last record whose row is older than `wall`: rows are in order of time, so it is found by
/// halving.
pub(super) fn before(conn: &Connection, wall: Wall) -> Result<u64> {
    let sql = "SELECT seq, wall FROM ledger WHERE seq > ?1 ORDER BY seq LIMIT 1";
    let mut next = conn.prepare_cached(sql)?;
    let last = "SELECT coalesce(max(seq), 0) FROM ledger";
    let (mut old, mut high) = (0, conn.query_row(last, [], |row| row.get::<_, i64>(0))?);
    while old < high {
        let middle = old + (high - old) / 2;
        let row = |row: &Row<'_>| Ok((row.get::<_, i64>(0)?, row.get::<_, i64>(1)?));
        match next.query_row([middle], row).optional()? {
            Some((seq, then)) if then < wall.0 => old = seq,
            _ => high = middle,
        }
    }
    u64::try_from(old).map_err(|_| rusqlite::Error::IntegralValueOutOfRange(0, old))
}

/// The last record up to which nothing was metered, for an earlier version wrote it.
pub(super) fn unmetered(conn: &Connection) -> Result<u64> {
    if !exists(conn)? {
        return Ok(u64::MAX);
    }
    conn.query_row("SELECT seq FROM unmetered WHERE only = 0", [], |row| rows::unsigned(row, 0))
}

fn read(row: &Row<'_>) -> Result<(Metered, Digest)> {
    let at = At { now: Mono(rows::unsigned(row, 1)?), wall: Wall(row.get(2)?) };
    let metered = Metered { seq: rows::unsigned(row, 0)?, at, bytes: row.get(3)? };
    Ok((metered, rows::digest(row, 4)?))
}

/// The hash covers number and time too, so that a row cannot pass for one of another moment.
fn hash(row: &Metered) -> Digest {
    let mut hasher = Sha256::new();
    hasher.update(row.seq.to_le_bytes());
    hasher.update(row.at.now.0.to_le_bytes());
    hasher.update(row.at.wall.0.to_le_bytes());
    hasher.update(&row.bytes);
    Digest(hasher.finalize().into())
}
