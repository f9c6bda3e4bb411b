//! Making the journal shorter: records up to the newest intact snapshot go, and the chain
//! continues from what is written in their place.

use rusqlite::{Connection, TransactionBehavior};

use super::fault::{Place, Result};
use super::{chain, rows, snapshot};
use crate::model::ports::journal::StorageError;

/// The file is rewritten when at least one page in this many is unused.
const FREE_FACTOR: i64 = 2;

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

/// Rewrites the file when most of it is unused. Otherwise the free pages wait for new records,
/// so that contents and summaries, which only grow, are not copied each time.
fn give_back(conn: &Connection) -> Result<()> {
    let count = |pragma| conn.pragma_query_value(None, pragma, |row| row.get::<_, i64>(0));
    if count("freelist_count")?.saturating_mul(FREE_FACTOR) < count("page_count")? {
        return Ok(());
    }
    conn.execute_batch("VACUUM")?;
    conn.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |_| Ok(()))
}
