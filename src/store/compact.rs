//! Making the journal shorter: records up to the newest intact snapshot go, and the chain
//! continues from what is written in their place.

use rusqlite::{Connection, TransactionBehavior};

use super::fault::{Place, Result};
use super::{chain, rows, snapshot};
use crate::model::ports::journal::StorageError;

/// Pages given back in one transaction, which bounds the write-ahead log.
const VACUUM_PAGES: u32 = 8192;

/// Drops records and gives the space back to the file system. Returns how many were dropped.
pub(super) fn compact(
    conn: &mut Connection,
    place: &Place,
) -> std::result::Result<u64, StorageError> {
    let fault = |error: rusqlite::Error| place.fault(&error, "making it shorter");
    let base = rows::base(conn).map_err(fault)?;
    let Some(chosen) = snapshot::newest_intact(conn).map_err(fault)? else { return Ok(0) };
    if chosen.seq <= base.at.seq {
        return Ok(0);
    }
    // What is dropped can never be checked again.
    chain::walk(conn, place, base.at.seq, &mut |_, _| Ok(()))?;
    let dropped = drop_records(conn, &chosen).map_err(fault)?;
    // The space stays reusable inside the file if this fails, e.g. on a full disk.
    let _ = give_back(conn);
    Ok(dropped)
}

fn drop_records(conn: &mut Connection, chosen: &snapshot::Entry) -> Result<u64> {
    let seq = rows::int(chosen.seq)?;
    let tx = conn.transaction_with_behavior(TransactionBehavior::Immediate)?;
    let link = rows::link_of(&tx, chosen.seq)?.ok_or(rusqlite::Error::QueryReturnedNoRows)?;
    tx.execute(
        "UPDATE base SET seq = ?1, link = ?2, snapshot = ?3 WHERE only = 0",
        (seq, link.0, chosen.hash.0),
    )?;
    let dropped = tx.execute("DELETE FROM records WHERE seq <= ?1", [seq])?;
    snapshot::keep_only(&tx, chosen.seq)?;
    tx.commit()?;
    Ok(dropped as u64)
}

fn give_back(conn: &Connection) -> Result<()> {
    let free = |conn: &Connection| -> Result<u32> {
        conn.pragma_query_value(None, "freelist_count", |row| row.get(0))
    };
    let mut before = free(conn)?;
    while before > 0 {
        let mut step = conn.prepare(&format!("PRAGMA incremental_vacuum({VACUUM_PAGES})"))?;
        let mut pages = step.query([])?;
        while pages.next()?.is_some() {}
        let now = free(conn)?;
        if now >= before {
            break;
        }
        before = now;
    }
    conn.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |_| Ok(()))
}
