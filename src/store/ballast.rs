//! Disk space kept in reserve, so that ends, votes and stops can still be written when the disk
//! is full.

use std::fs::{self, OpenOptions};
use std::io;
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::{Path, PathBuf};

use nix::fcntl::posix_fallocate;
use nix::sys::statvfs::statvfs;

use super::dir::{FILE_MODE, sync_dir};

/// Bytes in reserve.
const BYTES: u32 = 4 << 20;
/// The reserve is only taken while this many times its size is free.
const FREE_FACTOR: u64 = 4;

/// The reserve of one data directory.
#[derive(Debug)]
pub(super) struct Ballast {
    dir: PathBuf,
    file: PathBuf,
}

impl Ballast {
    pub(super) fn of(dir: &Path) -> Ballast {
        Ballast { dir: dir.to_owned(), file: dir.join("ballast") }
    }

    /// Takes the space, if it is not taken already and the disk has room for it.
    pub(super) fn restore(&self) {
        if self.file.exists() || self.free_bytes() <= u64::from(BYTES) * FREE_FACTOR {
            return;
        }
        let draft = self.file.with_extension("new");
        let taken = fill(&draft).and_then(|()| fs::rename(&draft, &self.file));
        if taken.is_err() {
            let _ = fs::remove_file(&draft);
        }
    }

    /// Gives the space back; false when there is none.
    pub(super) fn release(&self) -> bool {
        let released = fs::remove_file(&self.file).is_ok();
        if released {
            // Some file systems hand out freed blocks only after the removal is on disk.
            let _ = sync_dir(&self.dir);
        }
        released
    }

    /// Free bytes for this user; 0 when the system does not say.
    pub(super) fn free_bytes(&self) -> u64 {
        statvfs(&self.dir).map_or(0, |fs| fs.blocks_available().saturating_mul(fs.fragment_size()))
    }
}

fn fill(path: &Path) -> io::Result<()> {
    let file =
        OpenOptions::new().write(true).create(true).truncate(true).mode(FILE_MODE).open(path)?;
    posix_fallocate(&file, 0, libc::off_t::from(BYTES))?;
    file.sync_all()
}
