//! The offline check behind `holdshort verify journal`: reads everything, changes nothing, and
//! names every record that is not what was written.

use std::fmt;
use std::path::Path;

use rusqlite::Connection;

use super::dir::JOURNAL;
use super::fault::{Place, Result};
use super::{chain, days, ledger, open, rows, snapshot};
use crate::base::Digest;
use crate::model::ports::journal::{Link, StorageError};

/// Complaints of SQLite that are shown at most.
const COMPLAINTS_MAX: u32 = 20;

/// Something that is not as it was written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Fault {
    /// The file itself: SQLite's words.
    File(String),
    /// Records `from` to `to` are missing.
    Missing {
        /// The first one.
        from: u64,
        /// The last one.
        to: u64,
    },
    /// A record or its link is not what was written.
    Record(u64),
    /// Records from this one on cannot be read.
    Unreadable(u64),
    /// A snapshot does not have the hash it was stored with.
    Snapshot(u64),
    /// The dropped records are stood for by a snapshot that is gone or another one.
    Base(u64),
    /// A content is not what its digest says.
    Content(Digest),
    /// The summary of a job is not what was stored.
    Summary(u64),
    /// The ledger's row of a record is not what was stored.
    Ledger(u64),
    /// The ledger's day (so many after 1970-01-01) is not what was stored.
    Day(i64),
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Fault::File(text) => write!(f, "file: {text}"),
            Fault::Missing { from, to } if from == to => write!(f, "record {from} is missing"),
            Fault::Missing { from, to } => write!(f, "records {from} to {to} are missing"),
            Fault::Record(seq) => write!(f, "record {seq} is not what was written"),
            Fault::Unreadable(seq) => write!(f, "records from {seq} on cannot be read"),
            Fault::Snapshot(seq) => write!(f, "the snapshot of record {seq} is damaged"),
            Fault::Base(seq) => {
                write!(f, "the snapshot that stands for the records up to {seq} is missing")
            }
            Fault::Content(digest) => write!(f, "content {digest} is not what was written"),
            Fault::Summary(job) => write!(f, "the summary of job {job} is not what was written"),
            Fault::Ledger(seq) => {
                write!(f, "the ledger's row of record {seq} is not what was written")
            }
            Fault::Day(day) => write!(f, "the ledger's day {day} is not what was written"),
        }
    }
}

/// What a journal holds, and what is wrong with it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Report {
    /// Where the chain begins.
    pub base: Link,
    /// The newest record and its stored link.
    pub head: Link,
    /// Records.
    pub records: u64,
    /// Snapshots: number of the last record each includes, newest first.
    pub snapshots: Vec<u64>,
    /// Contents.
    pub contents: u64,
    /// Summaries.
    pub summaries: u64,
    /// Rows of the ledger.
    pub metered: u64,
    /// Everything that is wrong; empty when all is well.
    pub faults: Vec<Fault>,
}

/// Checks the journal of a data directory, whether a server has it or not.
///
/// # Errors
/// When it cannot be opened at all; a journal that can be opened and is damaged gives a report.
pub fn verify(dir: &Path) -> std::result::Result<Report, StorageError> {
    let place = Place { path: dir.join(JOURNAL), keeps_copies: false };
    let conn = open::reader(&place)?;
    let fault = |error: rusqlite::Error| place.fault(&error, "looking for its beginning");
    // One transaction, so that a server that goes on writing does not disturb the picture.
    conn.execute_batch("BEGIN").map_err(fault)?;
    let base = rows::base(&conn).map_err(fault)?;
    let mut report = Report {
        base: base.at,
        head: base.at,
        records: 0,
        snapshots: Vec::new(),
        contents: 0,
        summaries: 0,
        metered: 0,
        faults: Vec::new(),
    };
    let steps: [fn(&Connection, &mut Report) -> Result<()>; 6] =
        [file, records, snapshots, contents, summaries, metered];
    for step in steps {
        if let Err(error) = step(&conn, &mut report) {
            report.faults.push(Fault::File(error.to_string()));
        }
    }
    let stands = base.snapshot.is_none_or(|hash| {
        let of_base = |entry: &snapshot::Entry| entry.seq == base.at.seq && entry.hash == hash;
        snapshot::entries(&conn).is_ok_and(|entries| entries.iter().any(of_base))
    });
    if !stands {
        report.faults.push(Fault::Base(base.at.seq));
    }
    Ok(report)
}

fn file(conn: &Connection, report: &mut Report) -> Result<()> {
    let mut statement = conn.prepare(&format!("PRAGMA integrity_check({COMPLAINTS_MAX})"))?;
    let mut found = statement.query([])?;
    while let Some(row) = found.next()? {
        let text: String = row.get(0)?;
        if text != "ok" {
            report.faults.push(Fault::File(text.replace('\n', "; ")));
        }
    }
    Ok(())
}

fn records(conn: &Connection, report: &mut Report) -> Result<()> {
    let walked = walk(conn, report);
    if walked.is_err() {
        report.faults.push(Fault::Unreadable(report.head.seq.saturating_add(1)));
    }
    walked
}

/// After a mismatch the next record may continue from the stored link (the bytes are wrong) or
/// from the computed one (the link is wrong): either way only the wrong record is named.
fn walk(conn: &Connection, report: &mut Report) -> Result<()> {
    let mut statement = conn.prepare(rows::RECORDS_AFTER)?;
    let mut found = statement.query([rows::int(0)?])?;
    let mut before = [report.base.digest; 2];
    while let Some(row) = found.next()? {
        let seq = rows::unsigned(row, 0)?;
        let stored = rows::digest(row, 1)?;
        let bytes = row.get_ref(2)?.as_blob()?;
        let expected = report.head.seq.saturating_add(1);
        let computed = before.map(|link| chain::link(&link, seq, bytes));
        if seq > expected {
            report.faults.push(Fault::Missing { from: expected, to: seq - 1 });
        } else if seq < expected || !computed.contains(&stored) {
            report.faults.push(Fault::Record(seq));
        }
        before = [stored, computed[0]];
        report.head = Link { seq, digest: stored };
        report.records += 1;
    }
    Ok(())
}

fn snapshots(conn: &Connection, report: &mut Report) -> Result<()> {
    for entry in snapshot::entries(conn)? {
        report.snapshots.push(entry.seq);
        if !matches!(snapshot::is_intact(conn, &entry), Ok(true)) {
            report.faults.push(Fault::Snapshot(entry.seq));
        }
    }
    Ok(())
}

fn contents(conn: &Connection, report: &mut Report) -> Result<()> {
    let mut statement = conn.prepare("SELECT digest, bytes FROM contents")?;
    let mut found = statement.query([])?;
    while let Some(row) = found.next()? {
        let digest = rows::digest(row, 0)?;
        if Digest::of(row.get_ref(1)?.as_blob()?) != digest {
            report.faults.push(Fault::Content(digest));
        }
        report.contents += 1;
    }
    Ok(())
}

fn summaries(conn: &Connection, report: &mut Report) -> Result<()> {
    let mut statement = conn.prepare("SELECT job, hash, bytes FROM summaries")?;
    let mut found = statement.query([])?;
    while let Some(row) = found.next()? {
        if Digest::of(row.get_ref(2)?.as_blob()?) != rows::digest(row, 1)? {
            report.faults.push(Fault::Summary(rows::unsigned(row, 0)?));
        }
        report.summaries += 1;
    }
    Ok(())
}

fn metered(conn: &Connection, report: &mut Report) -> Result<()> {
    let Report { metered, faults, .. } = report;
    ledger::check(conn, |seq, intact| {
        *metered += 1;
        if !intact {
            faults.push(Fault::Ledger(seq));
        }
    })?;
    days::check(conn, |day, intact| {
        if !intact {
            faults.push(Fault::Day(day));
        }
    })
}
