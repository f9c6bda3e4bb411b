//! The audit's entries: what became so of reviews, each bound to all before it. They have their
//! own retention: compaction leaves them alone.

use rusqlite::{Connection, OptionalExtension as _, Row};

use super::fault::Result;
use super::rows;
use crate::base::Digest;
use crate::model::ports::journal::{Audited, Link};

const COLUMNS: &str = "SELECT n, link, review, bytes FROM audit";

/// An entry of the audit in its place.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AuditRow {
    /// Its number, from 1.
    pub n: u64,
    /// [`Digest::chained`] over the link before, its number and its bytes.
    pub link: Digest,
    /// The review it is about; 0 when it is about several.
    pub review: u64,
    /// The entry: canonical JSON.
    pub bytes: Vec<u8>,
}

impl AuditRow {
    /// The chain up to this entry.
    pub fn end(&self) -> Link {
        Link { seq: self.n, digest: self.link }
    }
}

/// Where the audit begins.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct AuditBase {
    /// The link before its first entry: random, and the name of the installation.
    pub link: Digest,
    /// The last record of the journal from before there was an audit.
    pub seq: u64,
}

/// Gives entries their places behind `head`.
pub(super) fn linked(head: Link, entries: &[Audited]) -> Vec<AuditRow> {
    let mut at = head;
    let place = |entry: &Audited| {
        let n = at.seq.saturating_add(1);
        let Audited { review, bytes } = entry.clone();
        let row = AuditRow { n, link: at.digest.chained(n, &bytes), review, bytes };
        at = row.end();
        row
    };
    entries.iter().map(place).collect()
}

/// Stores an entry. The caller owns the transaction.
pub(super) fn put(conn: &Connection, row: &AuditRow) -> Result<()> {
    let sql = "INSERT INTO audit (n, link, review, bytes) VALUES (?1, ?2, ?3, ?4)";
    let (n, review) = (rows::int(row.n)?, rows::int(row.review)?);
    conn.prepare_cached(sql)?.execute((n, row.link.0, review, &row.bytes)).map(drop)
}

/// Where the audit begins; `None` in a file of an earlier version, which gets one when a server
/// opens it.
pub(super) fn base_if_any(conn: &Connection) -> Result<Option<AuditBase>> {
    let sql = "SELECT count(*) FROM sqlite_schema WHERE type = 'table' AND name = 'audit_base'";
    let there: bool = conn.prepare_cached(sql)?.query_row([], |row| row.get(0))?;
    if there { base(conn).map(Some) } else { Ok(None) }
}

/// Where the audit begins.
pub(super) fn base(conn: &Connection) -> Result<AuditBase> {
    conn.query_row("SELECT link, seq FROM audit_base WHERE only = 0", [], |row| {
        Ok(AuditBase { link: rows::digest(row, 0)?, seq: rows::unsigned(row, 1)? })
    })
}

/// The newest entry and its link, or where the audit begins.
pub(super) fn head(conn: &Connection) -> Result<Link> {
    let last = conn
        .query_row(&format!("{COLUMNS} ORDER BY n DESC LIMIT 1"), [], read)
        .optional()?
        .map(|row| row.end());
    last.map_or_else(|| base(conn).map(|base| Link { seq: 0, digest: base.link }), Ok)
}

/// At most `limit` entries after `n`, in order, unchecked; of one review if it is given.
pub(super) fn after(
    conn: &Connection,
    n: u64,
    review: Option<u64>,
    limit: usize,
) -> Result<Vec<AuditRow>> {
    let limit = i64::try_from(limit).unwrap_or(i64::MAX);
    let of = if review.is_some() { "review = ?3" } else { "?3 IS NULL" };
    let sql = format!("{COLUMNS} WHERE n > ?1 AND {of} ORDER BY n LIMIT ?2");
    let review = review.map(rows::int).transpose()?;
    let mut statement = conn.prepare_cached(&sql)?;
    let found = statement.query_map((rows::int(n)?, limit, review), read)?;
    found.collect()
}

fn read(row: &Row<'_>) -> Result<AuditRow> {
    Ok(AuditRow {
        n: rows::unsigned(row, 0)?,
        link: rows::digest(row, 1)?,
        review: rows::unsigned(row, 2)?,
        bytes: row.get(3)?,
    })
}
