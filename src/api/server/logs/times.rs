//! When the bytes of a log file were written, from the marks beside it.

use std::fs::Metadata;
use std::io;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::time::UNIX_EPOCH;

use tokio::fs::File;
use tokio::io::{AsyncReadExt, AsyncSeekExt};

use crate::base::{Span, Wall};
use crate::model::stamps::{self, MARK_BYTES, Mark, UNMARKED_MS};

/// The marks of one log, read as far as they go.
#[derive(Debug, Default)]
pub(super) struct Times {
    place: PathBuf,
    inode: u64,
    marks: Vec<Mark>,
}

/// Marks of one log file, and since when it is there.
#[derive(Debug)]
pub(super) struct Known {
    marks: Vec<Mark>,
    first: Option<Wall>,
}

impl Times {
    /// What is known of a log file; marks that cannot be read are as good as none.
    pub(super) async fn of(&mut self, log: &Path, meta: &Metadata) -> Known {
        let place = stamps::place(log);
        if place != self.place {
            *self = Times { place, ..Times::default() };
        }
        if self.read().await.is_err() {
            self.marks.clear();
        }
        let marks = stamps::of_file(&self.marks, meta.ino());
        let first = beginning(meta, marks.first());
        Known { marks, first }
    }

    /// Reads on; from the beginning if the file was made anew.
    async fn read(&mut self) -> io::Result<()> {
        let mut file = File::open(&self.place).await?;
        let inode = file.metadata().await?.ino();
        if inode != self.inode {
            self.inode = inode;
            self.marks.clear();
        }
        let have = self.marks.len().saturating_mul(MARK_BYTES);
        file.seek(io::SeekFrom::Start(u64::try_from(have).unwrap_or(u64::MAX))).await?;
        let mut bytes = Vec::new();
        file.read_to_end(&mut bytes).await?;
        self.marks.extend(stamps::marks(&bytes));
        Ok(())
    }
}

/// When the bytes before the first mark came: at the file's birth, unless that cannot be (the
/// file was copied, marks are missing).
fn beginning(meta: &Metadata, first: Option<&Mark>) -> Option<Wall> {
    let since = meta.created().ok()?.duration_since(UNIX_EPOCH).ok()?;
    let born = Wall(i64::try_from(since.as_millis()).ok()?);
    let possible = match first {
        Some(mark) => mark.at >= born,
        None => {
            let last = Wall(meta.mtime().saturating_mul(1000).saturating_add(999));
            last <= born + Span(UNMARKED_MS * 2)
        }
    };
    possible.then_some(born)
}

impl Known {
    /// When the byte at `offset` came, and where that no longer holds.
    pub(super) fn at(&self, offset: u64) -> (Option<Wall>, Option<u64>) {
        let after = self.marks.partition_point(|mark| mark.offset <= offset);
        let until = self.marks.get(after).map(|mark| mark.offset);
        let before = after.checked_sub(1).and_then(|at| self.marks.get(at));
        (before.map_or(self.first, |mark| Some(mark.at)), until)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn write(log: &Path, marks: &[(u64, i64)]) {
        let inode = std::fs::metadata(log).unwrap().ino();
        let bytes: Vec<u8> = marks
            .iter()
            .flat_map(|(offset, at)| Mark { inode, offset: *offset, at: Wall(*at) }.to_bytes())
            .collect();
        std::fs::write(stamps::place(log), bytes).unwrap();
    }

    #[tokio::test]
    async fn a_byte_came_at_the_mark_before_it() {
        let dir = tempfile::tempdir().unwrap();
        let log = dir.path().join("1.1.0.log");
        std::fs::write(&log, "0123456789").unwrap();
        let meta = std::fs::metadata(&log).unwrap();
        let late = 9_000_000_000_000;
        write(&log, &[(4, late), (8, late + 5000)]);
        let mut times = Times::default();
        let known = times.of(&log, &meta).await;
        assert_eq!(known.at(4), (Some(Wall(late)), Some(8)));
        assert_eq!(known.at(9), (Some(Wall(late + 5000)), None));
        assert_eq!(known.at(0).1, Some(4));
        // A rotated log keeps its marks, and new ones are seen.
        let rotated = dir.path().join("1.1.0.log.1");
        std::fs::rename(&log, &rotated).unwrap();
        write(&rotated, &[(4, late), (8, late + 5000), (9, late + 9000)]);
        assert_eq!(times.of(&rotated, &meta).await.at(9).0, Some(Wall(late + 9000)));
    }

    #[tokio::test]
    async fn nothing_is_claimed_where_nothing_is_known() {
        let dir = tempfile::tempdir().unwrap();
        let log = dir.path().join("1.1.0.log");
        std::fs::write(&log, "0123456789").unwrap();
        // The first mark lies before the file's birth: the file is a copy.
        write(&log, &[(4, 1000)]);
        let meta = std::fs::metadata(&log).unwrap();
        let mut times = Times::default();
        let known = times.of(&log, &meta).await;
        assert_eq!((known.at(0).0, known.at(5).0), (None, Some(Wall(1000))));
    }
}
