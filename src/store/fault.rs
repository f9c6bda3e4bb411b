//! From what SQLite and the file system say to what the engine can act on, and the copy that is
//! kept of a damaged file.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Read, Write as _};
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::{Path, PathBuf};

use rusqlite::ErrorCode;

use super::dir::{FILE_MODE, is_full};
use crate::model::ports::journal::StorageError;

/// What a query comes to before it is classified.
pub(super) type Result<T> = std::result::Result<T, rusqlite::Error>;

/// More copies of damaged files than this are not made; the original is left alone anyway.
const COPIES_MAX: u32 = 20;

/// One journal file, as far as errors speak of it.
#[derive(Debug, Clone)]
pub(super) struct Place {
    /// The file.
    pub path: PathBuf,
    /// Whether a damaged file is copied: not by those who only look.
    pub keeps_copies: bool,
}

impl Place {
    /// What an SQLite error means; `doing` completes "while ...".
    pub(super) fn fault(&self, error: &rusqlite::Error, doing: &str) -> StorageError {
        let path = self.path.display();
        match error {
            rusqlite::Error::SqliteFailure(inner, _) => match inner.code {
                ErrorCode::DiskFull => self.full(doing),
                ErrorCode::SystemIoFailure if self.no_room() => self.full(doing),
                ErrorCode::DatabaseCorrupt | ErrorCode::NotADatabase => {
                    self.damaged(&format!("{error} while {doing}"))
                }
                ErrorCode::Unknown | ErrorCode::ConstraintViolation => {
                    self.damaged(&format!("its tables are not as expected while {doing}: {error}"))
                }
                ErrorCode::ReadOnly | ErrorCode::CannotOpen | ErrorCode::PermissionDenied => {
                    StorageError::Failed(format!(
                        "{path} cannot be written while {doing}: {error}. Check the permissions \
                         of the file and its directory, and that the disk is not read-only"
                    ))
                }
                ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked => {
                    StorageError::Failed(format!(
                        "{path} is held by another program while {doing}. Close whatever has \
                         the file open and try again"
                    ))
                }
                _ => StorageError::Failed(format!("{path}: {error} while {doing}")),
            },
            rusqlite::Error::SqlInputError { msg, .. } => {
                self.damaged(&format!("its tables are not as expected while {doing}: {msg}"))
            }
            rusqlite::Error::InvalidColumnType(..)
            | rusqlite::Error::FromSqlConversionFailure(..)
            | rusqlite::Error::IntegralValueOutOfRange(..)
            | rusqlite::Error::QueryReturnedNoRows => {
                self.damaged(&format!("{error} while {doing}"))
            }
            _ => StorageError::Failed(format!("{path}: {error} while {doing}")),
        }
    }

    /// There is no room.
    fn full(&self, doing: &str) -> StorageError {
        StorageError::Full(format!(
            "no space left for {} while {doing}; nothing of it was stored. Free some disk space",
            self.path.display()
        ))
    }

    /// A quota or a lazily found full disk reaches us as a plain I/O error: try it.
    fn no_room(&self) -> bool {
        let probe = self.path.with_extension("probe");
        let tried = OpenOptions::new()
            .write(true)
            .create(true)
            .truncate(true)
            .mode(FILE_MODE)
            .open(&probe)
            .and_then(|mut file| file.write_all(&[0; 8192]).and_then(|()| file.sync_data()));
        let _ = fs::remove_file(&probe);
        tried.is_err_and(|error| is_full(&error))
    }

    /// The stored data cannot be trusted: keeps a copy and says what to do.
    pub(super) fn damaged(&self, what: &str) -> StorageError {
        let path = self.path.display();
        let copy = if !self.keeps_copies {
            String::new()
        } else {
            match keep_copy(&self.path) {
                Ok(copy) => format!(" A copy is kept at {}.", copy.display()),
                Err(error) => format!(" No copy could be made of it ({error})."),
            }
        };
        StorageError::Damaged(format!(
            "the journal {path} is damaged: {what}. It was not changed.{copy} \
             `holdshort verify journal` names what is wrong. Restore the file from a backup, or \
             move it away to begin with an empty journal"
        ))
    }
}

/// Copies a file and its write-ahead log to the next free `NAME.damaged-N`, so that SQLite can
/// open the copy. A copy of the same bytes that is there already is enough.
fn keep_copy(path: &Path) -> io::Result<PathBuf> {
    for n in 1..=COPIES_MAX {
        let copy = sibling(path, &format!(".damaged-{n}"));
        let (log, log_copy) = (sibling(path, "-wal"), sibling(&copy, "-wal"));
        if !copy.exists() && !log_copy.exists() {
            copy_private(&log, &log_copy)?;
            copy_private(path, &copy)?;
            super::dir::sync_dir(path.parent().unwrap_or(Path::new(".")))?;
            return Ok(copy);
        }
        if same_bytes(path, &copy)? && same_bytes(&log, &log_copy)? {
            return Ok(copy);
        }
    }
    Err(io::Error::other(format!("there are {COPIES_MAX} copies already")))
}

/// `NAME` + `suffix` beside a file.
pub(super) fn sibling(path: &Path, suffix: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(suffix);
    PathBuf::from(name)
}

/// A file that is not there needs no copy. A copy that fails halfway leaves nothing.
fn copy_private(from: &Path, to: &Path) -> io::Result<()> {
    let mut source = match File::open(from) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
        other => other?,
    };
    let mut target = OpenOptions::new().write(true).create_new(true).mode(FILE_MODE).open(to)?;
    let copied = io::copy(&mut source, &mut target).and_then(|_| target.sync_all());
    if copied.is_err() {
        let _ = fs::remove_file(to);
    }
    copied
}

fn same_bytes(a: &Path, b: &Path) -> io::Result<bool> {
    let (mut a, mut b) = match (File::open(a), File::open(b)) {
        (Ok(a), Ok(b)) => (a, b),
        (Err(a), Err(b)) => {
            let missing = io::ErrorKind::NotFound;
            return Ok(a.kind() == missing && b.kind() == missing);
        }
        _ => return Ok(false),
    };
    if a.metadata()?.len() != b.metadata()?.len() {
        return Ok(false);
    }
    let (mut left, mut right) = (vec![0; 1 << 16], vec![0; 1 << 16]);
    loop {
        let (n, m) = (fill(&mut a, &mut left)?, fill(&mut b, &mut right)?);
        if left.get(..n) != right.get(..m) {
            return Ok(false);
        }
        if n == 0 {
            return Ok(true);
        }
    }
}

/// Reads until the buffer is full or the file ends.
fn fill(file: &mut impl Read, buffer: &mut [u8]) -> io::Result<usize> {
    let mut filled = 0;
    while let Some(rest) = buffer.get_mut(filled..).filter(|rest| !rest.is_empty()) {
        match file.read(rest) {
            Ok(0) => break,
            Ok(n) => filled += n,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    Ok(filled)
}
