//! When output was written: a file of marks beside a task's log, as bytes.
//!
//! A mark says that what stands at an offset of a log file, and after it, came at an instant or
//! later; the next mark says until when. Log files are told apart by inode, so that a mark stays
//! true when its file is rotated. The supervisor writes marks, the server reads them.

use std::path::{Path, PathBuf};

use crate::base::Wall;

/// Bytes of one mark.
pub const MARK_BYTES: usize = 24;

/// What was written before the first mark came within this many milliseconds of the file's
/// birth: a program that is over so soon costs no second file.
pub const UNMARKED_MS: u64 = 1000;

/// An instant at a place of a log file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Mark {
    /// The log file's inode.
    pub inode: u64,
    /// Bytes of that file before the place.
    pub offset: u64,
    /// When.
    pub at: Wall,
}

impl Mark {
    /// As bytes, little end first.
    pub fn to_bytes(self) -> [u8; MARK_BYTES] {
        let mut out = [0; MARK_BYTES];
        let parts = [self.inode.to_le_bytes(), self.offset.to_le_bytes(), self.at.0.to_le_bytes()];
        for (place, byte) in out.iter_mut().zip(parts.concat()) {
            *place = byte;
        }
        out
    }

    /// From bytes.
    pub fn of_bytes(bytes: &[u8; MARK_BYTES]) -> Mark {
        let word = |n: usize| -> [u8; 8] {
            let part = bytes.get(n * 8..n * 8 + 8).and_then(|part| part.try_into().ok());
            part.unwrap_or_default()
        };
        Mark {
            inode: u64::from_le_bytes(word(0)),
            offset: u64::from_le_bytes(word(1)),
            at: Wall(i64::from_le_bytes(word(2))),
        }
    }
}

/// The marks in a file's bytes, in order; a torn last one is left out.
pub fn marks(bytes: &[u8]) -> Vec<Mark> {
    bytes.as_chunks::<MARK_BYTES>().0.iter().map(Mark::of_bytes).collect()
}

/// Of all marks those of one log file, by offset. An inode may have belonged to an older file
/// that is gone: a mark that goes back begins the younger one.
pub fn of_file(marks: &[Mark], inode: u64) -> Vec<Mark> {
    let mut out: Vec<Mark> = Vec::new();
    for mark in marks.iter().filter(|mark| mark.inode == inode) {
        if out.last().is_some_and(|last| mark.offset <= last.offset) {
            out.clear();
        }
        out.push(*mark);
    }
    out
}

/// Where the marks of a log lie; `log` is the file that is written, or a rotation of it
/// (`NAME.1`).
pub fn place(log: &Path) -> PathBuf {
    let rotation = log.extension().and_then(|extension| extension.to_str());
    let digits = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    let mut name = match rotation.filter(|text| digits(text)) {
        Some(_) => log.with_extension("").into_os_string(),
        None => log.as_os_str().to_owned(),
    };
    name.push(".times");
    PathBuf::from(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn mark(inode: u64, offset: u64, at: i64) -> Mark {
        Mark { inode, offset, at: Wall(at) }
    }

    #[test]
    fn marks_survive_bytes_and_a_torn_end() {
        let all = [mark(7, 0, -5), mark(u64::MAX, 1 << 40, 1_800_000_000_123)];
        let mut bytes: Vec<u8> = all.iter().flat_map(|mark| mark.to_bytes()).collect();
        bytes.extend([1, 2, 3]);
        assert_eq!(marks(&bytes), all);
    }

    #[test]
    fn an_inode_that_is_used_again_belongs_to_the_younger_file() {
        let all = [mark(1, 5, 10), mark(1, 90, 20), mark(2, 0, 30), mark(1, 0, 40), mark(1, 8, 50)];
        assert_eq!(of_file(&all, 1), [mark(1, 0, 40), mark(1, 8, 50)]);
        assert_eq!(of_file(&all, 2), [mark(2, 0, 30)]);
        assert_eq!(of_file(&all, 3), []);
    }

    #[test]
    fn rotations_share_one_place() {
        let of = |name: &str| place(Path::new(name));
        assert_eq!(of("/l/7.1.0.log"), Path::new("/l/7.1.0.log.times"));
        assert_eq!(of("/l/7.1.0.log.2"), Path::new("/l/7.1.0.log.times"));
        assert_eq!(of("out"), Path::new("out.times"));
    }
}
