//! The ledger's days: sums that stand for rows which are kept no longer. They come and the rows
//! go in one transaction, so that neither is ever without the other.

use rusqlite::{Connection, Row};
use sha2::{Digest as _, Sha256};

use super::fault::{Place, Result};
use super::rows;
use crate::base::Digest;
use crate::model::ports::journal::{DayRow, RolledUp, StorageError};

/// Puts days in the place of rows. The caller owns the transaction.
pub(super) fn put(conn: &Connection, rolled: &RolledUp) -> Result<()> {
    let sql = "INSERT OR REPLACE INTO ledger_days (day, hash, bytes) VALUES (?1, ?2, ?3)";
    let mut insert = conn.prepare_cached(sql)?;
    for row in &rolled.days {
        insert.execute((row.day, hash(row).0, &row.bytes))?;
    }
    let seq = rows::int(rolled.seq)?;
    conn.execute("DELETE FROM ledger WHERE seq <= ?1", [seq])?;
    conn.execute("UPDATE ledger_rolled SET seq = ?1 WHERE only = 0", [seq]).map(drop)
}

/// The last record whose row is rolled up; 0 if none is.
pub(super) fn rolled(conn: &Connection) -> Result<u64> {
    if !exists(conn)? {
        return Ok(0);
    }
    let sql = "SELECT seq FROM ledger_rolled WHERE only = 0";
    conn.query_row(sql, [], |row| rows::unsigned(row, 0))
}

/// At most `limit` days from one on, checked.
pub(super) fn from(
    conn: &Connection,
    place: &Place,
    day: i64,
    limit: usize,
) -> std::result::Result<Vec<DayRow>, StorageError> {
    let fault = |error: rusqlite::Error| place.fault(&error, "reading the ledger's days");
    if !exists(conn).map_err(fault)? {
        return Ok(Vec::new());
    }
    let sql = "SELECT day, hash, bytes FROM ledger_days WHERE day >= ?1 ORDER BY day LIMIT ?2";
    let limit = i64::try_from(limit).unwrap_or(i64::MAX);
    let mut statement = conn.prepare_cached(sql).map_err(fault)?;
    let found = statement.query_map((day, limit), read).map_err(fault)?;
    found
        .map(|row| match row.map_err(fault)? {
            (row, stored) if hash(&row) == stored => Ok(row),
            (row, _) => {
                let what = format!("the ledger's day {} is not what was written", row.day);
                Err(place.damaged(&what))
            }
        })
        .collect()
}

/// Every day: whether it is what was written.
pub(super) fn check(conn: &Connection, mut each: impl FnMut(i64, bool)) -> Result<()> {
    if !exists(conn)? {
        return Ok(());
    }
    let mut statement = conn.prepare("SELECT day, hash, bytes FROM ledger_days ORDER BY day")?;
    let mut found = statement.query([])?;
    while let Some(row) = found.next()? {
        let (row, stored) = read(row)?;
        each(row.day, hash(&row) == stored);
    }
    Ok(())
}

/// Whether the file has days: one of an earlier version gets them when a server opens it.
fn exists(conn: &Connection) -> Result<bool> {
    let sql = "SELECT count(*) FROM sqlite_schema WHERE type = 'table' AND name = 'ledger_days'";
    conn.prepare_cached(sql)?.query_row([], |row| row.get(0))
}

fn read(row: &Row<'_>) -> Result<(DayRow, Digest)> {
    Ok((DayRow { day: row.get(0)?, bytes: row.get(2)? }, rows::digest(row, 1)?))
}

fn hash(row: &DayRow) -> Digest {
    let mut hasher = Sha256::new();
    hasher.update(row.day.to_le_bytes());
    hasher.update(&row.bytes);
    Digest(hasher.finalize().into())
}
