//! Bytes of files into a channel.

use std::io;
use std::path::Path;

use bytes::{Bytes, BytesMut};
use tokio::fs::File;
use tokio::io::AsyncReadExt;
use tokio::sync::mpsc;

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
}

impl Pour {
    pub(super) fn new(out: mpsc::Sender<io::Result<Bytes>>) -> Pour {
        Pour { out, skip: 0 }
    }

    /// Everything from where `file` stands to its present end.
    pub(super) async fn drain(&mut self, file: &mut File) -> Result<(), Stop> {
        if self.skip > 0 {
            self.skip_in(file).await?;
        }
        loop {
            let mut chunk = BytesMut::with_capacity(CHUNK);
            if file.read_buf(&mut chunk).await? == 0 {
                return Ok(());
            }
            self.out.send(Ok(chunk.freeze())).await.map_err(|_| Stop::Gone)?;
        }
    }

    /// A whole file; one that is not there has no bytes.
    pub(super) async fn drain_path(&mut self, path: &Path) -> Result<(), Stop> {
        match File::open(path).await {
            Ok(mut file) => self.drain(&mut file).await,
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
            Err(error) => Err(error.into()),
        }
    }

    async fn skip_in(&mut self, file: &mut File) -> io::Result<()> {
        use tokio::io::AsyncSeekExt;
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
