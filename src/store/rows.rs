//! The queries more than one place asks, and how numbers and digests lie in a row.

use rusqlite::{Connection, OptionalExtension as _, Row};

use super::fault::Result;
use crate::base::Digest;
use crate::model::ports::journal::Link;

/// Every record after a number, in order.
pub(super) const RECORDS_AFTER: &str =
    "SELECT seq, link, bytes FROM records WHERE seq > ?1 ORDER BY seq";

/// What the chain continues from.
pub(super) struct Base {
    /// The last record that was dropped, and its link.
    pub at: Link,
    /// Hash of the snapshot that stands for the dropped records; `None` when none were.
    pub snapshot: Option<Digest>,
}

/// A number as SQLite keeps it.
pub(super) fn int(n: u64) -> Result<i64> {
    i64::try_from(n).map_err(|error| rusqlite::Error::ToSqlConversionFailure(Box::new(error)))
}

/// A stored number.
pub(super) fn unsigned(row: &Row<'_>, column: usize) -> Result<u64> {
    let n: i64 = row.get(column)?;
    u64::try_from(n).map_err(|_| rusqlite::Error::IntegralValueOutOfRange(column, n))
}

/// A stored digest.
pub(super) fn digest(row: &Row<'_>, column: usize) -> Result<Digest> {
    row.get(column).map(Digest)
}

/// Where the journal begins.
pub(super) fn base(conn: &Connection) -> Result<Base> {
    conn.query_row("SELECT seq, link, snapshot FROM base WHERE only = 0", [], |row| {
        let at = Link { seq: unsigned(row, 0)?, digest: digest(row, 1)? };
        Ok(Base { at, snapshot: row.get::<_, Option<[u8; 32]>>(2)?.map(Digest) })
    })
}

/// The newest record and its link, or where the journal begins if there is none.
pub(super) fn head(conn: &Connection) -> Result<Link> {
    let last = conn
        .query_row("SELECT seq, link FROM records ORDER BY seq DESC LIMIT 1", [], |row| {
            Ok(Link { seq: unsigned(row, 0)?, digest: digest(row, 1)? })
        })
        .optional()?;
    last.map_or_else(|| base(conn).map(|base| base.at), Ok)
}

/// The oldest record still there.
pub(super) fn oldest(conn: &Connection) -> Result<Option<u64>> {
    conn.query_row("SELECT seq FROM records ORDER BY seq LIMIT 1", [], |row| unsigned(row, 0))
        .optional()
}

/// The link of one record.
pub(super) fn link_of(conn: &Connection, seq: u64) -> Result<Option<Digest>> {
    conn.query_row("SELECT link FROM records WHERE seq = ?1", [int(seq)?], |row| digest(row, 0))
        .optional()
}

/// A content by its digest.
pub(super) fn content(conn: &Connection, wanted: &Digest) -> Result<Option<Vec<u8>>> {
    conn.prepare_cached("SELECT bytes FROM contents WHERE digest = ?1")?
        .query_row([wanted.0], |row| row.get(0))
        .optional()
}

/// A summary and the hash it was stored with.
pub(super) fn summary(conn: &Connection, job: u64) -> Result<Option<(Digest, Vec<u8>)>> {
    conn.prepare_cached("SELECT hash, bytes FROM summaries WHERE job = ?1")?
        .query_row([int(job)?], |row| Ok((digest(row, 0)?, row.get(1)?)))
        .optional()
}
