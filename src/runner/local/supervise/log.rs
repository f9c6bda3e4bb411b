//! A task's log: three files of bounded size, whatever the job writes.
//!
//! Output that cannot be written is dropped, never kept and never waited for, so that a full
//! disk neither blocks nor ends a job. Once writing works again a line says how much is missing.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Read as _};
use std::os::fd::{AsFd as _, BorrowedFd};
use std::os::unix::fs::{FileExt as _, OpenOptionsExt as _};
use std::path::{Path, PathBuf};

use crate::runner::local::supervise::times::Times;
use crate::runner::local::{spool, sys};

/// Bytes that one look at a pipe moves at most.
const DRAIN_MAX: usize = 1 << 20;
const SCRATCH: usize = 16 << 10;

/// The log of one task.
#[derive(Debug)]
pub struct Log {
    path: PathBuf,
    max: u64,
    file: Option<File>,
    written: u64,
    rotated: u64,
    lost: u64,
    why: String,
    can_splice: bool,
    times: Times,
}

/// What a look at a pipe came to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Drained {
    /// Nothing more for now.
    Empty,
    /// More may be there.
    More,
    /// Nobody can write to it any more.
    Closed,
}

impl Log {
    /// Opens the log for more output; one that cannot be opened is tried again with each output.
    pub fn open(path: PathBuf, max: u64) -> Log {
        let times = Times::new(&path);
        let mut log = Log {
            path,
            max: max.max(1),
            file: None,
            written: 0,
            rotated: 0,
            lost: 0,
            why: String::new(),
            can_splice: true,
            times,
        };
        if let Err(error) = log.reopen() {
            log.why = error.to_string();
        }
        log
    }

    /// Bytes in files that were rotated away.
    pub fn rotated(&self) -> u64 {
        self.rotated
    }

    /// Where it is.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Moves what a pipe holds into the log.
    pub fn drain(&mut self, pipe: BorrowedFd<'_>) -> Drained {
        let mut moved = 0;
        while moved < DRAIN_MAX {
            let step = if self.make_ready() && self.can_splice {
                self.splice(pipe, DRAIN_MAX - moved)
            } else {
                self.copy(pipe)
            };
            match step {
                Ok(0) => return Drained::Closed,
                Ok(n) => moved += n,
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => return Drained::Empty,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(_) => return Drained::Closed,
            }
        }
        Drained::More
    }

    fn splice(&mut self, pipe: BorrowedFd<'_>, most: usize) -> io::Result<usize> {
        let Some(file) = &self.file else { return self.copy(pipe) };
        let room = usize::try_from(self.max.saturating_sub(self.written)).unwrap_or(usize::MAX);
        match sys::splice(pipe, file.as_fd(), self.written, most.min(room)) {
            Ok(n) => {
                self.written += n as u64;
                Ok(n)
            }
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => Err(error),
            Err(error) => {
                // The bytes are still in the pipe; the copy finds out what really is wrong.
                self.can_splice = error.raw_os_error() != Some(libc::EINVAL);
                self.copy(pipe)
            }
        }
    }

    fn copy(&mut self, mut pipe: BorrowedFd<'_>) -> io::Result<usize> {
        let mut scratch = [0; SCRATCH];
        let n = Pipe(&mut pipe).read(&mut scratch)?;
        self.write(scratch.get(..n).unwrap_or_default());
        Ok(n)
    }

    /// Writes bytes, or drops and counts them.
    pub fn write(&mut self, mut bytes: &[u8]) {
        while !bytes.is_empty() {
            if !self.make_ready() {
                self.lost += bytes.len() as u64;
                return;
            }
            let Some(file) = &self.file else { return };
            let room = usize::try_from(self.max - self.written).unwrap_or(usize::MAX);
            let part = bytes.get(..room).unwrap_or(bytes);
            match file.write_at(part, self.written) {
                Ok(n) if n > 0 => {
                    self.written += n as u64;
                    bytes = bytes.get(n..).unwrap_or_default();
                }
                Ok(_) => return self.lose(bytes.len(), &io::Error::from(io::ErrorKind::WriteZero)),
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return self.lose(bytes.len(), &error),
            }
        }
    }

    /// Adds a line of our own.
    pub fn note(&mut self, text: &str) {
        self.write(format!("\n[holdshort: {text}]\n").as_bytes());
    }

    fn lose(&mut self, bytes: usize, error: &io::Error) {
        self.lost += bytes as u64;
        self.why = error.to_string();
    }

    /// There is an open file with room in it, and nothing is missing that was not noted.
    fn make_ready(&mut self) -> bool {
        if self.file.is_none() && self.reopen().is_err() {
            return false;
        }
        if self.lost > 0 && !self.confess() {
            return false;
        }
        if self.written >= self.max && !self.rotate() {
            return false;
        }
        if let Some(file) = &self.file {
            self.times.output(file, self.written);
        }
        true
    }

    /// Notes what was lost. A note that does not fit is taken back.
    fn confess(&mut self) -> bool {
        let Some(file) = &self.file else { return false };
        let (lost, why) = (self.lost, &self.why);
        let text = format!("\n[holdshort: {lost} bytes of output were lost here: {why}]\n");
        if file.write_all_at(text.as_bytes(), self.written).is_err() {
            let _ = file.set_len(self.written);
            return false;
        }
        self.written += text.len() as u64;
        self.lost = 0;
        true
    }

    fn rotate(&mut self) -> bool {
        let name = |n: u8| {
            let mut name = self.path.clone().into_os_string();
            name.push(format!(".{n}"));
            PathBuf::from(name)
        };
        let moved = match fs::rename(name(1), name(2)) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
            _ => fs::rename(&self.path, name(1)),
        };
        let full = self.written;
        match moved.and_then(|()| self.reopen()) {
            Ok(()) => {
                self.rotated += full;
                if let Some(file) = &self.file {
                    self.times.begin(file);
                }
                true
            }
            Err(error) => {
                self.why = error.to_string();
                false
            }
        }
    }

    fn reopen(&mut self) -> io::Result<()> {
        self.file = None;
        let open = || {
            let mut how = OpenOptions::new();
            how.write(true).create(true).truncate(false).mode(0o600).open(&self.path)
        };
        let file = match (open(), self.path.parent()) {
            (Err(error), Some(parent)) if error.kind() == io::ErrorKind::NotFound => {
                spool::make_private_dir(parent, true)?;
                open()?
            }
            (opened, _) => opened?,
        };
        self.written = file.metadata()?.len();
        self.file = Some(file);
        Ok(())
    }
}

/// Reads from a borrowed descriptor.
struct Pipe<'a, 'b>(&'a mut BorrowedFd<'b>);

impl io::Read for Pipe<'_, '_> {
    fn read(&mut self, buf: &mut [u8]) -> io::Result<usize> {
        Ok(nix::unistd::read(*self.0, buf)?)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn files(dir: &Path) -> Vec<(String, u64)> {
        let mut found: Vec<_> = fs::read_dir(dir)
            .unwrap()
            .map(|entry| entry.unwrap())
            .map(|e| (e.file_name().into_string().unwrap(), e.metadata().unwrap().len()))
            .filter(|(name, _)| !name.ends_with(".times"))
            .collect();
        found.sort();
        found
    }

    #[test]
    fn three_files_are_kept_and_the_newest_bytes_with_them() {
        let dir = tempfile::tempdir().unwrap();
        let mut log = Log::open(dir.path().join("sub/out"), 10);
        for n in 0..47u8 {
            log.write(&[n]);
        }
        let want = [("out", 7), ("out.1", 10), ("out.2", 10)].map(|(n, l)| (n.to_owned(), l));
        assert_eq!(files(&dir.path().join("sub")), want);
        assert_eq!(log.rotated(), 40);
        assert!(dir.path().join("sub/out.times").exists(), "a rotated log has its times");
        let newest = fs::read(dir.path().join("sub/out")).unwrap();
        assert_eq!(newest, (40..47).collect::<Vec<u8>>());
    }

    #[test]
    fn a_pipe_is_drained_over_rotations_until_its_writers_are_gone() {
        let dir = tempfile::tempdir().unwrap();
        let mut log = Log::open(dir.path().join("out"), 1000);
        let (reader, writer) = io::pipe().unwrap();
        std::io::Write::write_all(&mut &writer, &[b'x'; 2500]).unwrap();
        drop(writer);
        assert_eq!(log.drain(reader.as_fd()), Drained::Closed);
        let want = [("out", 500), ("out.1", 1000), ("out.2", 1000)];
        assert_eq!(files(dir.path()), want.map(|(n, l)| (n.to_owned(), l)));
    }

    #[test]
    fn what_cannot_be_written_is_dropped_and_confessed_when_writing_works_again() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("out");
        fs::create_dir(&path).unwrap();
        let mut log = Log::open(path.clone(), 1000);
        log.write(b"gone");
        log.write(b"too");
        fs::remove_dir(&path).unwrap();
        log.write(b"back\n");
        let text = fs::read_to_string(&path).unwrap();
        assert!(text.starts_with("\n[holdshort: 7 bytes of output were lost here: "), "{text}");
        assert!(text.ends_with("]\nback\n"), "{text}");
    }

    #[test]
    fn a_full_device_loses_output_without_an_error() {
        let mut log = Log::open(PathBuf::from("/dev/full"), 1000);
        let (reader, writer) = io::pipe().unwrap();
        std::io::Write::write_all(&mut &writer, &[b'x'; 2500]).unwrap();
        drop(writer);
        assert_eq!(log.drain(reader.as_fd()), Drained::Closed);
        assert_eq!(log.lost, 2500);
    }
}
