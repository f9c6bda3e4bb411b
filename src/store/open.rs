//! What may be opened, and how a new journal comes to be.
//!
//! The file is judged from its own bytes before SQLite touches it, since SQLite would take an
//! empty file for a new database and throw away the log beside it. A new journal is built under
//! another name and moved into place whole, so that a file that is there is never half made.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Read as _};
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::Path;

use rusqlite::config::DbConfig;
use rusqlite::{Connection, OpenFlags};

use super::dir::{FILE_MODE, is_full, sync_dir};
use super::fault::{Place, sibling};
use super::schema;
use crate::model::ports::journal::StorageError;

/// Bytes of SQLite's file header.
const HEADER_BYTES: usize = 100;
const MAGIC: &[u8] = b"SQLite format 3\0";
/// Where the header keeps two big-endian numbers of ours.
const VERSION_AT: usize = 60;
const APPLICATION_AT: usize = 68;

/// Opens the journal for its owner, making it first if it is not there.
pub(super) fn writer(place: &Place) -> Result<Connection, StorageError> {
    if judge(place)? == Found::Nothing {
        create(place)?;
    }
    let fault = |error: rusqlite::Error| place.fault(&error, "opening it");
    let mut conn = connect(place, OpenFlags::SQLITE_OPEN_READ_WRITE)?;
    keep_log_on_close(&conn, true).map_err(fault)?;
    check_version(&conn, place)?;
    schema::configure_writer(&conn).map_err(fault)?;
    let mode: String =
        conn.pragma_query_value(None, "journal_mode", |row| row.get(0)).map_err(fault)?;
    if mode != "wal" {
        return Err(StorageError::Failed(format!(
            "the file system of {} cannot share memory between processes (journal mode {mode}). \
             Put the data directory on a local disk",
            place.path.display()
        )));
    }
    schema::migrate(&mut conn).map_err(|error| place.fault(&error, "bringing it up to date"))?;
    Ok(conn)
}

/// Opens the journal for reading only; nothing is made or changed.
pub(super) fn reader(place: &Place) -> Result<Connection, StorageError> {
    if judge(place)? == Found::Nothing {
        return Err(StorageError::Failed(format!(
            "there is no journal at {}. Check the data directory with `holdshort paths`",
            place.path.display()
        )));
    }
    beside_owner(place)
}

/// A reader while this process has the journal open for writing. The file must not be opened
/// by other means then: closing it would drop the locks SQLite holds on it.
pub(super) fn beside_owner(place: &Place) -> Result<Connection, StorageError> {
    let fault = |error: rusqlite::Error| place.fault(&error, "opening it for reading");
    let conn = connect(place, OpenFlags::SQLITE_OPEN_READ_ONLY)?;
    keep_log_on_close(&conn, true).map_err(fault)?;
    check_version(&conn, place)?;
    schema::configure_reader(&conn).map_err(fault)?;
    Ok(conn)
}

/// Whether closing the last connection leaves the write-ahead log as it is, so that a file that
/// cannot be trusted is not written to.
pub(super) fn keep_log_on_close(conn: &Connection, keep: bool) -> rusqlite::Result<()> {
    conn.set_db_config(DbConfig::SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, keep).map(|_| ())
}

fn connect(place: &Place, access: OpenFlags) -> Result<Connection, StorageError> {
    Connection::open_with_flags(&place.path, access | OpenFlags::SQLITE_OPEN_NO_MUTEX)
        .map_err(|error| place.fault(&error, "opening it"))
}

#[derive(PartialEq, Eq)]
enum Found {
    Nothing,
    Journal,
}

/// Looks at the first bytes of the file.
fn judge(place: &Place) -> Result<Found, StorageError> {
    let path = &place.path;
    let unreadable = |error: io::Error| {
        StorageError::Failed(format!(
            "{} cannot be read: {error}. Check its permissions",
            path.display()
        ))
    };
    let mut header = Vec::with_capacity(HEADER_BYTES);
    match File::open(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            if sibling(path, "-wal").exists() {
                return Err(place.damaged("its write-ahead log is there, but it is missing"));
            }
            return Ok(Found::Nothing);
        }
        other => other
            .and_then(|file| file.take(HEADER_BYTES as u64).read_to_end(&mut header))
            .map_err(unreadable)?,
    };
    if header.is_empty() {
        return Err(place.damaged("it is empty"));
    }
    if header.len() < HEADER_BYTES || !header.starts_with(MAGIC) {
        return Err(place.damaged("it is not a database"));
    }
    if number(&header, APPLICATION_AT) != Some(schema::APPLICATION_ID) {
        return Err(place.damaged("it belongs to another program"));
    }
    match number(&header, VERSION_AT) {
        Some(version) if version > schema::version() => Err(newer(path, version)),
        _ => Ok(Found::Journal),
    }
}

fn number(header: &[u8], at: usize) -> Option<i32> {
    let bytes: [u8; 4] = header.get(at..at + 4)?.try_into().ok()?;
    Some(i32::from_be_bytes(bytes))
}

/// The log may hold a newer header than the file.
fn check_version(conn: &Connection, place: &Place) -> Result<(), StorageError> {
    let version =
        schema::stored_version(conn).map_err(|error| place.fault(&error, "reading its version"))?;
    if version > schema::version() { Err(newer(&place.path, version)) } else { Ok(()) }
}

fn newer(path: &Path, version: i32) -> StorageError {
    StorageError::Newer(format!(
        "the journal {} was written by a newer holdshort (format {version}, this one knows up to \
         {}). It was not changed. Install the newer version, or choose another directory with \
         --data-dir",
        path.display(),
        schema::version()
    ))
}

fn create(place: &Place) -> Result<(), StorageError> {
    let draft = sibling(&place.path, ".new");
    let built = build(&draft).map_err(|error| {
        let draft_place = Place { path: draft.clone(), keeps_copies: false };
        draft_place.fault(&error, "making a new journal")
    });
    built?;
    let moved = File::open(&draft).and_then(|file| file.sync_all()).and_then(|()| {
        fs::rename(&draft, &place.path)?;
        sync_dir(place.path.parent().unwrap_or(Path::new(".")))
    });
    moved.map_err(|error| {
        let text = format!("{} cannot be made: {error}", place.path.display());
        if is_full(&error) { StorageError::Full(text) } else { StorageError::Failed(text) }
    })
}

/// Builds an empty journal; leftovers of an earlier try are replaced.
fn build(draft: &Path) -> rusqlite::Result<()> {
    for suffix in ["", "-wal", "-shm", "-journal"] {
        let _ = fs::remove_file(sibling(draft, suffix));
    }
    // Made here for its mode; that it cannot be made is said better by the open that follows.
    let _ = OpenOptions::new().write(true).create_new(true).mode(FILE_MODE).open(draft);
    let mut conn = Connection::open_with_flags(draft, OpenFlags::SQLITE_OPEN_READ_WRITE)?;
    schema::prepare_empty(&conn)?;
    schema::migrate(&mut conn)?;
    conn.pragma_update(None, "journal_mode", "WAL")?;
    conn.close().map_err(|(_, error)| error)
}
