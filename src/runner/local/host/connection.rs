//! The server's end of its connection to a supervisor.

use std::io;
use std::os::fd::{AsFd, AsRawFd as _, BorrowedFd, OwnedFd, RawFd};
use std::os::unix::net::UnixStream;
use std::path::Path;

use crate::runner::local::wire::{Decoder, Up};
use crate::runner::local::{spool, sys};

/// A connection to a supervisor.
#[derive(Debug)]
pub struct Connection {
    stream: UnixStream,
    decoder: Decoder,
    unsent: Vec<u8>,
    /// Locks that came along, in order.
    pub locks: Vec<OwnedFd>,
}

impl Connection {
    /// A connection and its other end, for a supervisor that is to be forked.
    ///
    /// # Errors
    /// When too many descriptors are open.
    pub fn pair() -> io::Result<(Connection, OwnedFd)> {
        let (ours, theirs) = UnixStream::pair()?;
        Ok((Connection::over(ours)?, theirs.into()))
    }

    /// Connects to the supervisor that listens in a task's directory.
    ///
    /// # Errors
    /// When none does.
    pub fn open(dir: &Path) -> io::Result<Connection> {
        let (_held, path) = spool::socket_path(dir)?;
        Connection::over(UnixStream::connect(path)?)
    }

    fn over(stream: UnixStream) -> io::Result<Connection> {
        stream.set_nonblocking(true)?;
        let decoder = Decoder::default();
        Ok(Connection { stream, decoder, unsent: Vec::new(), locks: Vec::new() })
    }

    /// Names it among the others.
    pub fn number(&self) -> RawFd {
        self.stream.as_raw_fd()
    }

    /// Something waits to be sent.
    pub fn has_unsent(&self) -> bool {
        !self.unsent.is_empty()
    }

    /// Sends bytes, now or when there is room.
    ///
    /// # Errors
    /// When the supervisor is gone.
    pub fn send(&mut self, frame: &[u8]) -> io::Result<()> {
        self.unsent.extend_from_slice(frame);
        self.flush()
    }

    /// Sends what waits, as far as there is room.
    ///
    /// # Errors
    /// When the supervisor is gone.
    pub fn flush(&mut self) -> io::Result<()> {
        while !self.unsent.is_empty() {
            match sys::send(self.stream.as_fd(), &self.unsent, &[]) {
                Ok(n) => drop(self.unsent.drain(..n)),
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => return Ok(()),
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
        Ok(())
    }

    /// Takes what came. False when the supervisor is gone.
    pub fn fill(&mut self) -> bool {
        let mut buf = [0; 4 << 10];
        match sys::receive(self.stream.as_fd(), &mut buf, &mut self.locks) {
            Ok(0) => false,
            Ok(n) => {
                self.decoder.feed(buf.get(..n).unwrap_or_default());
                true
            }
            Err(error) => {
                matches!(error.kind(), io::ErrorKind::WouldBlock | io::ErrorKind::Interrupted)
            }
        }
    }

    /// The next whole message.
    ///
    /// # Errors
    /// When the other end talks nonsense.
    pub fn take(&mut self) -> io::Result<Option<Up>> {
        self.decoder.take()
    }
}

impl AsFd for Connection {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.stream.as_fd()
    }
}
