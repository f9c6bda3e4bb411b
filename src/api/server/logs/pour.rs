//! Bytes of files into a channel.

use std::io;
use std::path::Path;

use bytes::{Bytes, BytesMut};
use tokio::fs::File;
use tokio::io::{AsyncReadExt, AsyncSeekExt};
use tokio::sync::mpsc;

use super::times::{Known, Times};
use crate::api::wire::timed;

/// Bytes read at once.
const CHUNK: usize = 64 * 1024;

/// Why pouring ended.
#[derive(Debug)]
pub(super) enum Stop {
    /// The reader has gone, or the server ends.
    Gone,
    /// A file could not be read.
    Failed(io::Error),
}

impl From<io::Error> for Stop {
    fn from(error: io::Error) -> Stop {
        Stop::Failed(error)
    }
}

/// Where the bytes go.
pub(super) struct Pour {
    out: mpsc::Sender<io::Result<Bytes>>,
    /// Bytes that are left out first.
    pub(super) skip: u64,
    /// Frames with times instead of plain bytes.
    times: Option<Times>,
}

impl Pour {
    pub(super) fn new(out: mpsc::Sender<io::Result<Bytes>>) -> Pour {
        Pour { out, skip: 0, times: None }
    }

    /// Says when each piece was written, in frames.
    pub(super) fn with_times(mut self, on: bool) -> Pour {
        self.times = on.then(Times::default);
        self
    }

    /// Everything from where `file`, which is or was called `path`, stands to its present end.
    pub(super) async fn drain(&mut self, file: &mut File, path: &Path) -> Result<(), Stop> {
        if self.skip > 0 {
            self.skip_in(file).await?;
        }
        loop {
            let mut chunk = BytesMut::with_capacity(CHUNK);
            if file.read_buf(&mut chunk).await? == 0 {
                return Ok(());
            }
            self.send(file, path, chunk.freeze()).await?;
        }
    }

    /// Sends bytes that end where `file` stands.
    async fn send(&mut self, file: &mut File, path: &Path, bytes: Bytes) -> Result<(), Stop> {
        let piece = match &mut self.times {
            None => bytes,
            Some(times) => {
                let end = file.stream_position().await?;
                // Marks are written before what they stand for: they are there by now.
                let known = times.of(path, &file.metadata().await?).await;
                framed(&known, end.saturating_sub(long(bytes.len())), &bytes)
            }
        };
        self.out.send(Ok(piece)).await.map_err(|_| Stop::Gone)
    }

    /// A whole file; one that is not there has no bytes.
    pub(super) async fn drain_path(&mut self, path: &Path) -> Result<(), Stop> {
        match File::open(path).await {
            Ok(mut file) => self.drain(&mut file, path).await,
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
            Err(error) => Err(error.into()),
        }
    }

    async fn skip_in(&mut self, file: &mut File) -> io::Result<()> {
        let here = file.stream_position().await?;
        let left = file.metadata().await?.len().saturating_sub(here);
        let step = left.min(self.skip);
        file.seek(io::SeekFrom::Start(here.saturating_add(step))).await?;
        self.skip -= step;
        Ok(())
    }

    /// Returns when the reader has gone.
    pub(super) async fn gone(&self) {
        self.out.closed().await;
    }

    /// Tells the reader that what it has is not all.
    pub(super) async fn fail(&self, error: io::Error) {
        // A reader that has gone need not know.
        let _ = self.out.send(Err(error)).await;
    }
}

/// Bytes that stand at `from` of a log file, cut where another mark begins.
fn framed(known: &Known, mut from: u64, mut bytes: &[u8]) -> Bytes {
    let mut out = BytesMut::with_capacity(bytes.len() + 64);
    while !bytes.is_empty() {
        let (at, until) = known.at(from);
        let room = until.map_or(u64::MAX, |until| until.saturating_sub(from));
        let length = bytes.len().min(CHUNK).min(usize::try_from(room).unwrap_or(usize::MAX));
        let (piece, rest) = bytes.split_at(length.max(1));
        out.extend_from_slice(&timed::head(at, u32::try_from(piece.len()).unwrap_or(u32::MAX)));
        out.extend_from_slice(piece);
        from = from.saturating_add(long(piece.len()));
        bytes = rest;
    }
    out.freeze()
}

fn long(length: usize) -> u64 {
    u64::try_from(length).unwrap_or(u64::MAX)
}
