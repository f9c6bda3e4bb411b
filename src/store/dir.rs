//! The data directory: who may use it, and where things lie in it.

use std::fs::{DirBuilder, File, OpenOptions};
use std::io::{self, Read as _, Seek as _, SeekFrom, Write as _};
use std::os::unix::fs::{DirBuilderExt as _, OpenOptionsExt as _};
use std::path::{Path, PathBuf};

/// Only the owner may look inside.
const DIR_MODE: u32 = 0o700;
/// Only the owner may read or write.
pub(super) const FILE_MODE: u32 = 0o600;
/// Name of the journal's file; SQLite adds `-wal` and `-shm` beside it.
pub(super) const JOURNAL: &str = "journal.db";

/// Why a data directory cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum LockError {
    /// Another server has it.
    #[error("{}", taken(dir, *pid))]
    Taken {
        /// The directory.
        dir: PathBuf,
        /// The other server, if the lock says so.
        pid: Option<u32>,
    },
    /// It cannot be made, or not be written.
    #[error(
        "the data directory {} cannot be used: {error}. Choose another one with --data-dir, \
         or make this one writable for you",
        dir.display()
    )]
    Unusable {
        /// The directory.
        dir: PathBuf,
        /// What the system said.
        error: io::Error,
    },
}

fn taken(dir: &Path, pid: Option<u32>) -> String {
    let who = pid.map_or(String::from("another server"), |pid| format!("the server {pid}"));
    format!(
        "{who} already uses the data directory {}. Stop it with `holdshort server stop`, \
         or choose another directory with --data-dir",
        dir.display()
    )
}

/// A locked data directory: as long as this value lives, no other server opens the same one.
///
/// The lock belongs to the open file: a child that is forked without exec keeps it alive, so
/// fork first, then lock.
#[derive(Debug)]
pub struct DataDir {
    path: PathBuf,
    _lock: File,
}

impl DataDir {
    /// Makes the directory if needed (0700), and locks it for this process.
    ///
    /// # Errors
    /// [`LockError::Taken`] when another process has it, else [`LockError::Unusable`].
    pub fn lock(path: &Path) -> Result<DataDir, LockError> {
        let unusable = |error| LockError::Unusable { dir: path.to_owned(), error };
        DirBuilder::new().recursive(true).mode(DIR_MODE).create(path).map_err(unusable)?;
        let mut lock = OpenOptions::new()
            .read(true)
            .write(true)
            .create(true)
            .truncate(false)
            .mode(FILE_MODE)
            .open(path.join("lock"))
            .map_err(unusable)?;
        match lock.try_lock() {
            Ok(()) => {}
            Err(std::fs::TryLockError::WouldBlock) => {
                return Err(LockError::Taken { dir: path.to_owned(), pid: holder(&mut lock) });
            }
            Err(std::fs::TryLockError::Error(error)) => return Err(unusable(error)),
        }
        write_pid(&mut lock).map_err(unusable)?;
        Ok(DataDir { path: path.to_owned(), _lock: lock })
    }

    /// The directory.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Where the journal lies.
    pub fn journal(&self) -> PathBuf {
        self.path.join(JOURNAL)
    }
}

fn holder(lock: &mut File) -> Option<u32> {
    let mut text = String::new();
    lock.take(32).read_to_string(&mut text).ok()?;
    text.trim().parse().ok()
}

/// A full disk must not keep a server from starting: the number is a courtesy, the lock is not.
fn write_pid(lock: &mut File) -> io::Result<()> {
    let text = format!("{}\n", std::process::id());
    lock.seek(SeekFrom::Start(0))?;
    let written = lock.write_all(text.as_bytes()).and_then(|()| lock.set_len(text.len() as u64));
    match written {
        Err(error) if !is_full(&error) => Err(error),
        _ => Ok(()),
    }
}

/// Whether an error means that there is no room for this user.
pub(super) fn is_full(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded)
}

/// Makes a change of the directory's entries durable.
pub(super) fn sync_dir(dir: &Path) -> io::Result<()> {
    File::open(dir)?.sync_all()
}
