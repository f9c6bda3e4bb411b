//! The supervisor's end of its connection to a server.

use std::io::{self, Read as _};
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::os::unix::net::UnixStream;

use crate::runner::local::sys;
use crate::runner::local::wire::{Decoder, Down, Order, Up, encode};

/// Bytes that may wait for a server that does not read; what would not fit is dropped, for the
/// server learns all that matters from the spool.
const BACKLOG_MAX: usize = 256 << 10;

/// A connection to a server.
#[derive(Debug)]
pub struct Control {
    stream: UnixStream,
    decoder: Decoder,
    backlog: Vec<u8>,
}

impl Control {
    /// Waits for the order that comes first. None when the server went away before it was
    /// whole.
    pub fn receive_order(socket: OwnedFd) -> Option<(Control, Box<Order>)> {
        let mut control = Control::new(UnixStream::from(socket));
        let mut buf = [0; 16 << 10];
        loop {
            match control.stream.read(&mut buf) {
                Ok(0) => return None,
                Ok(n) => control.decoder.feed(buf.get(..n)?),
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(_) => return None,
            }
            if let Some(Down::Start(order)) = control.decoder.take().ok()? {
                control.stream.set_nonblocking(true).ok()?;
                return Some((control, order));
            }
        }
    }

    /// A server that connected; only the own user and root may.
    pub fn accept(stream: UnixStream) -> io::Result<Control> {
        let peer = sys::peer_uid(&stream)?;
        if peer != 0 && peer != nix::unistd::geteuid().as_raw() {
            return Err(io::Error::from(io::ErrorKind::PermissionDenied));
        }
        stream.set_nonblocking(true)?;
        Ok(Control::new(stream))
    }

    fn new(stream: UnixStream) -> Control {
        Control { stream, decoder: Decoder::default(), backlog: Vec::new() }
    }

    /// For waiting.
    pub fn fd(&self) -> BorrowedFd<'_> {
        self.stream.as_fd()
    }

    /// Something waits to be sent.
    pub fn has_backlog(&self) -> bool {
        !self.backlog.is_empty()
    }

    /// Sends a message, with descriptors if nothing waits before it.
    ///
    /// # Errors
    /// When the server is gone.
    pub fn send(&mut self, message: &Up, fds: &[BorrowedFd<'_>]) -> io::Result<()> {
        let frame = encode(message)?;
        let mut sent = 0;
        if self.backlog.is_empty() {
            match sys::send(self.stream.as_fd(), &frame, fds) {
                Ok(n) => sent = n,
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => {}
                Err(error) => return Err(error),
            }
        }
        if self.backlog.len() + frame.len() <= BACKLOG_MAX {
            self.backlog.extend_from_slice(frame.get(sent..).unwrap_or_default());
        }
        Ok(())
    }

    /// Sends what waits.
    ///
    /// # Errors
    /// When the server is gone.
    pub fn flush(&mut self) -> io::Result<()> {
        match sys::send(self.stream.as_fd(), &self.backlog, &[]) {
            Ok(n) => {
                self.backlog.drain(..n);
                Ok(())
            }
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => Ok(()),
            Err(error) => Err(error),
        }
    }

    /// Takes what came. False when the server is gone.
    pub fn fill(&mut self) -> bool {
        let mut buf = [0; 4 << 10];
        match self.stream.read(&mut buf) {
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
    pub fn take(&mut self) -> io::Result<Option<Down>> {
        self.decoder.take()
    }
}
