//! What binds a record to all before it: link = SHA-256(previous link, number, bytes).

use rusqlite::Connection;

use super::fault::Place;
use super::rows;
use crate::base::Digest;
use crate::model::ports::journal::{EachRecord, Link, StorageError};

/// The link of the record `seq` that follows `previous`.
pub(super) fn link(previous: &Digest, seq: u64, bytes: &[u8]) -> Digest {
    previous.chained(seq, bytes)
}

/// Walks the records after `seq`, checks that none is missing, changed or out of order, and
/// hands each to `each`. Returns where the chain ends.
pub(super) fn walk(
    conn: &Connection,
    place: &Place,
    seq: u64,
    each: &mut EachRecord<'_>,
) -> Result<Link, StorageError> {
    let fault = |error: rusqlite::Error| place.fault(&error, "reading its records");
    let mut at = start(conn, place, seq)?;
    let mut statement = conn.prepare_cached(rows::RECORDS_AFTER).map_err(fault)?;
    let mut found = statement.query([rows::int(seq).map_err(fault)?]).map_err(fault)?;
    while let Some(row) = found.next().map_err(fault)? {
        let number = rows::unsigned(row, 0).map_err(fault)?;
        let stored = rows::digest(row, 1).map_err(fault)?;
        let bytes = row.get_ref(2).and_then(|v| Ok(v.as_blob()?)).map_err(fault)?;
        let expected = at.seq.saturating_add(1);
        if number != expected {
            return Err(place.damaged(&format!(
                "record {expected} is missing: after {} comes {number}",
                at.seq
            )));
        }
        let digest = link(&at.digest, number, bytes);
        if digest != stored {
            return Err(place.damaged(&format!("record {number} is not what was written")));
        }
        each(number, bytes)?;
        at = Link { seq: number, digest };
    }
    Ok(at)
}

/// The link to continue from after record `seq`.
fn start(conn: &Connection, place: &Place, seq: u64) -> Result<Link, StorageError> {
    let fault = |error: rusqlite::Error| place.fault(&error, "looking for its beginning");
    let base = rows::base(conn).map_err(fault)?;
    if seq == base.at.seq {
        return Ok(base.at);
    }
    if seq < base.at.seq {
        return Err(place.damaged(&format!(
            "records up to {} were dropped in favour of a snapshot, and no intact one is left",
            base.at.seq
        )));
    }
    match rows::link_of(conn, seq).map_err(fault)? {
        Some(digest) => Ok(Link { seq, digest }),
        None => Err(place.damaged(&format!("record {seq}, to continue from, is missing"))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_link_depends_on_everything_before() {
        let zero = Digest([0; 32]);
        let first = link(&zero, 1, b"a");
        assert_ne!(first, link(&zero, 2, b"a"));
        assert_ne!(first, link(&zero, 1, b"b"));
        assert_ne!(link(&first, 2, b"c"), link(&zero, 2, b"c"));
    }
}
