//! Environments of jobs: private files named by digest, outside the journal because they hold
//! secrets and must be removable for good.

use std::collections::BTreeSet;
use std::fs::{self, DirBuilder, OpenOptions};
use std::io::{self, Write as _};
use std::os::unix::fs::{DirBuilderExt as _, OpenOptionsExt as _};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

use super::dir::{FILE_MODE, is_full, sync_dir};
use crate::base::Digest;
use crate::model::ports::Environments;
use crate::model::ports::journal::StorageError;

/// The folder of environments in a data directory. Any number of threads may use it.
#[derive(Debug)]
pub struct Spool {
    dir: PathBuf,
    drafts: AtomicU64,
}

impl Spool {
    /// Opens the folder `env` of a data directory, or makes it; halves of earlier writes go.
    ///
    /// # Errors
    /// When it cannot be made or read.
    pub fn open(data_dir: &Path) -> Result<Spool, StorageError> {
        let dir = data_dir.join("env");
        let spool = Spool { dir, drafts: AtomicU64::new(0) };
        let fault = |error| spool.fault(&error, "opening it");
        DirBuilder::new().recursive(true).mode(0o700).create(&spool.dir).map_err(fault)?;
        for entry in fs::read_dir(&spool.dir).map_err(fault)? {
            let path = entry.map_err(fault)?.path();
            if path.extension().is_some_and(|extension| extension == "new") {
                fs::remove_file(path).map_err(fault)?;
            }
        }
        Ok(spool)
    }

    /// Makes bytes durable under their digest, unless they are there already.
    ///
    /// # Errors
    /// [`StorageError::Full`] or [`StorageError::Failed`]; nothing is stored then.
    pub fn put(&self, bytes: &[u8]) -> Result<Digest, StorageError> {
        let digest = Digest::of(bytes);
        let path = self.file(&digest);
        let there = fs::symlink_metadata(&path).is_ok_and(|meta| meta.len() == bytes.len() as u64);
        if !there {
            self.write(&path, bytes).map_err(|error| self.fault(&error, "storing one"))?;
        }
        Ok(digest)
    }

    fn write(&self, path: &Path, bytes: &[u8]) -> io::Result<()> {
        let n = self.drafts.fetch_add(1, Ordering::Relaxed);
        let draft = self.dir.join(format!("{}-{n}.new", std::process::id()));
        let mut file =
            OpenOptions::new().write(true).create_new(true).mode(FILE_MODE).open(&draft)?;
        let written = file
            .write_all(bytes)
            .and_then(|()| file.sync_all())
            .and_then(|()| fs::rename(&draft, path));
        if written.is_err() {
            let _ = fs::remove_file(&draft);
        }
        written.and_then(|()| sync_dir(&self.dir))
    }

    /// The bytes behind a digest; `None` when they were never stored or are removed.
    ///
    /// # Errors
    /// [`StorageError::Damaged`] when the file is not what was stored.
    pub fn get(&self, digest: &Digest) -> Result<Option<Vec<u8>>, StorageError> {
        let path = self.file(digest);
        let bytes = match fs::read(&path) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            other => other.map_err(|error| self.fault(&error, "reading one"))?,
        };
        if Digest::of(&bytes) == *digest {
            return Ok(Some(bytes));
        }
        Err(StorageError::Damaged(format!(
            "the stored environment {} is not what was written. Submit the job again, or restore \
             the file from a backup",
            path.display()
        )))
    }

    /// Removes every environment that is not in `wanted`; how many. Nothing may be stored
    /// meanwhile whose digest is not yet in the set.
    ///
    /// # Errors
    /// When the folder cannot be read or changed.
    pub fn keep(&self, wanted: &BTreeSet<Digest>) -> Result<usize, StorageError> {
        let fault = |error| self.fault(&error, "removing old ones");
        let mut removed = 0;
        for entry in fs::read_dir(&self.dir).map_err(fault)? {
            let entry = entry.map_err(fault)?;
            let name = entry.file_name();
            let digest = name.to_str().and_then(|name| name.parse::<Digest>().ok());
            if digest.is_some_and(|digest| !wanted.contains(&digest)) {
                fs::remove_file(entry.path()).map_err(fault)?;
                removed += 1;
            }
        }
        Ok(removed)
    }

    fn file(&self, digest: &Digest) -> PathBuf {
        self.dir.join(digest.to_string())
    }

    fn fault(&self, error: &io::Error, doing: &str) -> StorageError {
        let dir = self.dir.display();
        if is_full(error) {
            StorageError::Full(format!(
                "no space left for environments in {dir} while {doing}. Free some disk space"
            ))
        } else {
            StorageError::Failed(format!(
                "environments in {dir}: {error} while {doing}. Check its permissions"
            ))
        }
    }
}

impl Environments for Spool {
    fn put(&self, bytes: &[u8]) -> Result<Digest, StorageError> {
        Spool::put(self, bytes)
    }

    fn get(&self, digest: &Digest) -> Result<Option<Vec<u8>>, StorageError> {
        Spool::get(self, digest)
    }

    fn keep(&self, wanted: &BTreeSet<Digest>) -> Result<usize, StorageError> {
        Spool::keep(self, wanted)
    }
}
