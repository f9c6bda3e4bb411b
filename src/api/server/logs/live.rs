//! A file that is still written: new bytes are read as the kernel tells of them, and when the
//! file is rotated (`NAME` becomes `NAME.1`, `NAME.1` becomes `NAME.2`, a new `NAME` begins)
//! reading goes on where it was, in whatever that file is called now.
//!
//! Files are told apart by inode. The one being read is kept open, so its inode cannot be given
//! to another file meanwhile.

use std::fs::Metadata;
use std::io;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use tokio::fs::File;

use super::super::watch::{Watch, Watches};
use super::pour::{Pour, Stop};

/// Rotated files of one log at most.
const ROTATIONS: usize = 9;

/// A file that is still written.
pub(super) struct Live {
    /// `NAME`.
    path: PathBuf,
    /// What is read now, if anything is there yet.
    open: Option<Open>,
    watches: Option<Arc<Watches>>,
    /// Tells of new names in the directory.
    names: Option<Watch>,
}

struct Open {
    file: File,
    inode: (u64, u64),
    /// Tells of new bytes; none once the file is no longer written.
    bytes: Option<Watch>,
}

fn inode(meta: &Metadata) -> (u64, u64) {
    (meta.dev(), meta.ino())
}

fn rotated(path: &Path, n: usize) -> PathBuf {
    if n == 0 {
        return path.to_owned();
    }
    let mut name = path.as_os_str().to_owned();
    name.push(format!(".{n}"));
    PathBuf::from(name)
}

impl Live {
    /// A file that is written at `path`, or will be.
    pub(super) fn new(path: PathBuf, watches: Option<Arc<Watches>>) -> Live {
        Live { path, open: None, watches, names: None }
    }

    /// `NAME`.
    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    /// Pours everything that is there, oldest first.
    pub(super) async fn advance(&mut self, pour: &mut Pour) -> Result<(), Stop> {
        self.watch_names();
        loop {
            if let Some(open) = &mut self.open {
                pour.drain(&mut open.file, &self.path).await?;
            }
            let newer = self.newer().await?;
            if newer.is_empty() {
                return Ok(());
            }
            // The writer has left the file that was open; what it wrote last is still there.
            if let Some(mut left) = self.open.take() {
                pour.drain(&mut left.file, &self.path).await?;
            }
            let last = newer.len() - 1;
            for (index, mut open) in newer.into_iter().enumerate() {
                if index == last {
                    open.bytes = self.watch(&rotated(&self.path, 0));
                }
                pour.drain(&mut open.file, &self.path).await?;
                self.open = Some(open);
            }
        }
    }

    /// The files that came after the open one, oldest first. They are opened from the newest
    /// on: a rotation meanwhile shows a file twice, which is seen, and never hides one.
    async fn newer(&self) -> io::Result<Vec<Open>> {
        let mut found: Vec<Open> = Vec::new();
        let known = self.open.as_ref().map(|open| open.inode);
        for n in 0..=ROTATIONS {
            let file = match File::open(rotated(&self.path, n)).await {
                Ok(file) => file,
                // While it is being rotated, `NAME` is missing for a moment.
                Err(error) if error.kind() == io::ErrorKind::NotFound && n == 0 => continue,
                Err(error) if error.kind() == io::ErrorKind::NotFound => break,
                Err(error) => return Err(error),
            };
            let inode = inode(&file.metadata().await?);
            if Some(inode) == known {
                break;
            }
            if found.last().is_some_and(|newer| newer.inode == inode) {
                continue;
            }
            found.push(Open { file, inode, bytes: None });
        }
        found.reverse();
        Ok(found)
    }

    /// Returns when there may be more.
    pub(super) async fn changed(&self) {
        let bytes = self.open.as_ref().and_then(|open| open.bytes.as_ref());
        tokio::select! {
            () = heard(bytes) => {}
            () = heard(self.names.as_ref()) => {}
        }
    }

    fn watch(&self, path: &Path) -> Option<Watch> {
        self.watches.as_ref()?.watch(path).ok()
    }

    fn watch_names(&mut self) {
        if self.names.is_none() {
            self.names = self.path.parent().and_then(|directory| self.watch(directory));
        }
    }
}

async fn heard(watch: Option<&Watch>) {
    match watch {
        Some(watch) => watch.changed().await,
        None => std::future::pending().await,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use bytes::Bytes;
    use std::io::Write;
    use std::time::Duration;
    use tokio::sync::mpsc;

    /// A log as a supervisor writes it: three files of at most `max` bytes.
    struct Writer {
        path: PathBuf,
        file: std::fs::File,
        len: usize,
        max: usize,
    }

    impl Writer {
        fn new(path: &Path, max: usize) -> Writer {
            let file = std::fs::File::create(path).unwrap();
            Writer { path: path.to_owned(), file, len: 0, max }
        }

        fn write(&mut self, text: &str) {
            if self.len + text.len() > self.max {
                for n in [1, 0] {
                    let _ = std::fs::rename(rotated(&self.path, n), rotated(&self.path, n + 1));
                }
                self.file = std::fs::File::create(&self.path).unwrap();
                self.len = 0;
            }
            self.file.write_all(text.as_bytes()).unwrap();
            self.len += text.len();
        }
    }

    struct Reader {
        live: Live,
        pour: Pour,
        out: mpsc::Receiver<io::Result<Bytes>>,
        text: String,
    }

    impl Reader {
        fn new(path: &Path, watches: Option<Arc<Watches>>) -> Reader {
            let (into, out) = mpsc::channel(1000);
            let live = Live::new(path.to_owned(), watches);
            Reader { live, pour: Pour::new(into), out, text: String::new() }
        }

        async fn advance(&mut self) -> &str {
            self.live.advance(&mut self.pour).await.unwrap();
            while let Ok(piece) = self.out.try_recv() {
                self.text.push_str(std::str::from_utf8(&piece.unwrap()).unwrap());
            }
            &self.text
        }
    }

    #[tokio::test]
    async fn reading_goes_on_over_rotations_without_loss_or_repetition() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("log");
        let mut reader = Reader::new(&path, None);
        assert_eq!(reader.advance().await, "", "nothing is there yet");
        let mut writer = Writer::new(&path, 10);
        let mut expected = String::new();
        for (round, lines) in [1, 4, 2, 7, 1, 5, 3].into_iter().enumerate() {
            // Up to two rotations happen between two looks.
            for line in 0..lines {
                let text = format!("{round}{line};");
                writer.write(&text);
                expected.push_str(&text);
            }
            assert_eq!(reader.advance().await, expected, "round {round}");
        }
    }

    #[tokio::test]
    async fn a_late_reader_gets_what_is_left_oldest_first() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("log");
        let mut writer = Writer::new(&path, 4);
        for n in 0..7 {
            writer.write(&format!("{n}...")[..4]);
        }
        assert_eq!(Reader::new(&path, None).advance().await, "4...5...6...");
        // Caught between a rename and the new file.
        std::fs::rename(&path, dir.path().join("log.9")).unwrap();
        assert_eq!(Reader::new(&path, None).advance().await, "4...5...");
    }

    #[tokio::test]
    async fn new_bytes_and_new_files_ring() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("log");
        let watches = Some(Arc::new(Watches::new().unwrap()));
        let mut reader = Reader::new(&path, watches);
        let mut expected = String::new();
        reader.advance().await;
        let mut writer = Writer::new(&path, 6);
        for n in 0..9 {
            let text = format!("{n},");
            writer.write(&text);
            expected.push_str(&text);
            let all = async {
                while reader.advance().await != expected {
                    reader.live.changed().await;
                }
            };
            tokio::time::timeout(Duration::from_secs(20), all).await.expect("a ring");
        }
    }
}
