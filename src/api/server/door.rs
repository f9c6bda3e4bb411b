//! Accepts connections: each is placed in the process tree, their number is bounded, and the
//! socket is bound again when its file vanishes.

use std::io;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};

use axum::extract::connect_info::Connected;
use axum::serve::{IncomingStream, Listener};
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::UnixStream;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use super::socket::Socket;
use super::watch::{Watch, Watches};
use crate::api::auth::{self, Peer, Registry};

/// Connections at once.
const CONNECTIONS: usize = 1024;

/// The entrance of a server.
pub struct Door<R> {
    socket: Socket,
    registry: R,
    room: Arc<Semaphore>,
    watches: Option<Arc<Watches>>,
    watch: Option<Watch>,
}

impl<R: Registry> Door<R> {
    /// Listens at a bound socket. Without `watches` a vanished socket stays so.
    pub fn new(socket: Socket, registry: R, watches: Option<Arc<Watches>>) -> Door<R> {
        let room = Arc::new(Semaphore::new(CONNECTIONS));
        let mut door = Door { socket, registry, room, watches, watch: None };
        door.look_after_socket();
        door
    }

    /// Binds the socket again if its file is gone, and watches the directory it lies in or
    /// should lie in.
    fn look_after_socket(&mut self) {
        let Some(watches) = self.watches.clone() else { return };
        // Watch first, then look: what happens in between rings.
        let directory = self.socket.nearest_directory().to_owned();
        self.watch = watches.watch(&directory).ok();
        match self.socket.restore() {
            Ok(false) => {}
            Ok(true) => {
                tracing::info!(socket = %self.socket.path().display(), "bound again");
                self.watch = watches.watch(self.socket.nearest_directory()).ok();
            }
            Err(error) => tracing::warn!(%error, "the socket is gone"),
        }
    }
}

async fn changed(watch: Option<&Watch>) {
    match watch {
        Some(watch) => watch.changed().await,
        None => std::future::pending().await,
    }
}

impl<R: Registry> Listener for Door<R> {
    type Io = Connection;
    type Addr = Peer;

    async fn accept(&mut self) -> (Connection, Peer) {
        loop {
            let accepted = tokio::select! {
                accepted = self.socket.listener().accept() => accepted,
                () = changed(self.watch.as_ref()) => {
                    self.look_after_socket();
                    continue;
                }
            };
            let stream = match accepted {
                Ok((stream, _)) => stream,
                Err(error) => {
                    tracing::warn!(%error, "a connection could not be accepted");
                    // Out of descriptors, as a rule: give others time to close some.
                    tokio::time::sleep(std::time::Duration::from_millis(100)).await;
                    continue;
                }
            };
            let Ok(credentials) = stream.peer_cred() else { continue };
            let Ok(permit) = self.room.clone().acquire_owned().await else { continue };
            let (uid, gid) = (credentials.uid(), credentials.gid());
            let peer = auth::meet(&self.registry, uid, gid, credentials.pid());
            return (Connection { stream, _permit: permit }, peer);
        }
    }

    fn local_addr(&self) -> io::Result<Peer> {
        let (uid, gid) = (nix::unistd::geteuid().as_raw(), nix::unistd::getegid().as_raw());
        let pid = Some(std::process::id());
        Ok(Peer { uid, gid, pid, in_job: None, gone: false })
    }
}

impl<R: Registry> Connected<IncomingStream<'_, Door<R>>> for Peer {
    fn connect_info(stream: IncomingStream<'_, Door<R>>) -> Peer {
        stream.remote_addr().clone()
    }
}

/// An accepted connection; it gives its place back when it ends.
pub struct Connection {
    stream: UnixStream,
    _permit: OwnedSemaphorePermit,
}

impl AsyncRead for Connection {
    fn poll_read(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buf: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_read(cx, buf)
    }
}

impl AsyncWrite for Connection {
    fn poll_write(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.stream).poll_write(cx, bytes)
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_flush(cx)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(cx)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        bufs: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.stream).poll_write_vectored(cx, bufs)
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }
}
