//! When output came: marks beside the log, written by the one who writes the log.
//!
//! At most one mark a second, and none in the first second, so that short programs cost no
//! file. A mark is written before the output it stands for: who sees the bytes finds it. A mark
//! that cannot be written is left out; the log never waits for it.

use std::fs::{self, File, OpenOptions};
use std::io;
use std::os::unix::fs::{FileExt as _, MetadataExt as _, OpenOptionsExt as _};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use crate::base::Wall;
use crate::model::stamps::{self, MARK_BYTES, Mark, UNMARKED_MS};
use crate::runner::local::supervise::start::wall_ms;

/// Marks in the file at most; then every second one goes and new ones come half as often.
const MARKS_MAX: u64 = 16 * 1024;

/// The marks of one log.
#[derive(Debug)]
pub struct Times {
    path: PathBuf,
    file: Option<File>,
    /// Whole marks in the file.
    count: u64,
    max: u64,
    /// Between two marks.
    gap: Duration,
    last: Instant,
}

impl Times {
    /// The marks of a log that begins now. Touches no file.
    pub fn new(log: &Path) -> Times {
        Times {
            path: stamps::place(log),
            file: None,
            count: 0,
            max: MARKS_MAX,
            gap: Duration::from_millis(UNMARKED_MS),
            last: Instant::now(),
        }
    }

    /// Output comes that will stand at `offset` of the log file.
    pub fn output(&mut self, log: &File, offset: u64) {
        if self.last.elapsed() >= self.gap {
            self.put(log, offset);
        }
    }

    /// A new log file begins.
    pub fn begin(&mut self, log: &File) {
        self.put(log, 0);
    }

    fn put(&mut self, log: &File, offset: u64) {
        self.last = Instant::now();
        // Losing a mark makes times coarser, and is no reason to lose output.
        let _ = self.try_put(log, offset);
    }

    fn try_put(&mut self, log: &File, offset: u64) -> io::Result<()> {
        if self.count >= self.max {
            self.thin_out()?;
        }
        let mark = Mark { inode: log.metadata()?.ino(), offset, at: Wall(wall_ms()) };
        let file = match &self.file {
            Some(file) => file,
            None => self.file.insert(open(&self.path)?),
        };
        // Where the last whole mark ends, whatever a failed write left behind it.
        file.write_all_at(&mark.to_bytes(), self.count * MARK_BYTES as u64)?;
        self.count += 1;
        Ok(())
    }

    /// Every second mark goes; the first of each log file stays.
    fn thin_out(&mut self) -> io::Result<()> {
        self.gap = self.gap.saturating_mul(2);
        let marks = stamps::marks(&fs::read(&self.path)?);
        let kept = |(n, mark): &(usize, &Mark)| n % 2 == 0 || mark.offset == 0;
        let kept: Vec<&Mark> =
            marks.iter().enumerate().filter(kept).map(|(_, mark)| mark).collect();
        // A log that is rotated all the time has nothing but first marks: the old ones go.
        let most = usize::try_from(self.max / 4 * 3).unwrap_or(usize::MAX);
        let kept = kept.get(kept.len().saturating_sub(most)..).unwrap_or_default();
        let bytes: Vec<u8> = kept.iter().flat_map(|mark| mark.to_bytes()).collect();
        let mut name = self.path.clone().into_os_string();
        name.push(".new");
        let fresh = PathBuf::from(name);
        let file = open(&fresh)?;
        file.set_len(0)?;
        file.write_all_at(&bytes, 0)?;
        fs::rename(&fresh, &self.path)?;
        self.file = Some(file);
        self.count = kept.len() as u64;
        Ok(())
    }
}

fn open(path: &Path) -> io::Result<File> {
    OpenOptions::new().write(true).create(true).truncate(false).mode(0o600).open(path)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ready(times: &mut Times) {
        times.gap = Duration::ZERO;
    }

    fn read(times: &Times) -> Vec<(u64, u64)> {
        let bytes = fs::read(&times.path).unwrap();
        stamps::marks(&bytes).iter().map(|mark| (mark.inode, mark.offset)).collect()
    }

    #[test]
    fn the_first_second_costs_no_file() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("out");
        let log = File::create(&path).unwrap();
        let mut times = Times::new(&path);
        times.gap = Duration::from_secs(3600);
        times.output(&log, 0);
        assert!(!times.path.exists());
        ready(&mut times);
        times.output(&log, 12);
        assert_eq!(read(&times), [(log.metadata().unwrap().ino(), 12)]);
    }

    #[test]
    fn the_file_stays_small_and_keeps_the_first_mark_of_each_log() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("out");
        let log = File::create(&path).unwrap();
        let other = File::create(dir.path().join("other")).unwrap();
        let mut times = Times::new(&path);
        times.max = 16;
        ready(&mut times);
        times.begin(&other);
        for n in 0..100 {
            times.output(&log, n + 1);
            times.gap = Duration::ZERO;
        }
        let marks = read(&times);
        assert!(marks.len() <= 16, "{marks:?}");
        assert_eq!(marks[0], (other.metadata().unwrap().ino(), 0));
        assert_eq!(marks.last().unwrap().1, 100);
        assert!(marks[1..].is_sorted_by_key(|(_, offset)| *offset), "{marks:?}");
        for _ in 0..100 {
            times.begin(&log);
        }
        assert!(read(&times).len() <= 16);
    }

    #[test]
    fn a_place_that_cannot_be_written_is_no_trouble() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("out");
        let log = File::create(&path).unwrap();
        let mut times = Times::new(&path);
        ready(&mut times);
        fs::create_dir(&times.path).unwrap();
        times.output(&log, 0);
        fs::remove_dir(&times.path).unwrap();
        times.output(&log, 5);
        assert_eq!(read(&times).len(), 1);
    }
}
