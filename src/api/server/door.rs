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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::api::auth::tests::Fixed;
    use crate::api::server::socket::bind;
    use crate::base::JobId;
    use axum::extract::ConnectInfo;
    use axum::routing::get;
    use std::path::Path;
    use std::time::Duration;

    fn serve(path: &Path, registry: Fixed) -> tokio::task::AbortHandle {
        let socket = bind(path, 0o600, None).unwrap();
        let watches = Some(Arc::new(Watches::new().unwrap()));
        let door = Door::new(socket, registry, watches);
        let who = |ConnectInfo(peer): ConnectInfo<Peer>| async move { format!("{peer:?}") };
        let router = axum::Router::new().route("/", get(who));
        let service = router.into_make_service_with_connect_info::<Peer>();
        let serving = std::future::IntoFuture::into_future(axum::serve(door, service));
        tokio::spawn(serving).abort_handle()
    }

    async fn ask(path: &Path) -> reqwest::Result<String> {
        let client = reqwest::Client::builder().unix_socket(path).build()?;
        client.get("http://x/").send().await?.text().await
    }

    #[tokio::test]
    async fn a_connection_is_known_by_its_process() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("s");
        let pid = std::process::id();
        let server = serve(&path, Fixed { in_job: Some((pid, JobId(4))), token: None });
        let uid = nix::unistd::geteuid().as_raw();
        let said = ask(&path).await.unwrap();
        assert!(said.contains(&format!("uid: {uid}")), "{said}");
        assert!(said.contains(&format!("pid: Some({pid})")), "{said}");
        assert!(said.contains("in_job: Some(JobId(4))"), "{said}");
        server.abort();
    }

    #[tokio::test]
    async fn a_vanished_socket_comes_back_by_itself() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("deep/er/s");
        let server = serve(&path, Fixed { in_job: None, token: None });
        for vanishes in ["deep/er/s", "deep/er", "deep"] {
            assert!(ask(&path).await.is_ok());
            // Moved away, for a directory could not be removed while the socket comes back.
            let gone = dir.path().join(vanishes.replace('/', "-"));
            std::fs::rename(dir.path().join(vanishes), gone).unwrap();
            let again = async {
                while ask(&path).await.is_err() {
                    tokio::task::yield_now().await;
                }
            };
            let back = tokio::time::timeout(Duration::from_secs(20), again).await;
            assert!(back.is_ok(), "{vanishes} is gone and the socket stays away");
        }
        server.abort();
    }
}
