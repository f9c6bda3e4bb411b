//! Answers over a unix socket: `/api/v1` and beside it `/metrics`, `/healthz`, `/readyz` and
//! `/openapi.json`.
//!
//! May use: `base`, `model`, `view`, `engine`, `api/wire`, `api/auth`. It decides nothing and
//! keeps nothing: each handler turns a document into a call of [`Handle`] and the answer into a
//! document. Everything is bounded: connections, requests, streams, bodies, time. Start with
//! [`routes`]; [`socket`] and [`door`] are the way in, [`guard`] the bounds.

mod acts;
pub mod app;
mod control;
pub mod door;
mod events;
pub mod extract;
pub mod fault;
pub mod guard;
mod health;
mod holds;
mod jobs;
mod logs;
mod nodes;
pub mod openapi;
mod plan;
mod reviews;
pub mod routes;
pub mod sentences;
pub mod socket;
mod submit;
mod teams;
mod terminal;
mod usage;
pub mod watch;

use std::future::{Future, IntoFuture as _};
use std::io;
use std::sync::Arc;
use std::time::Duration;

use crate::api::auth::Peer;
use crate::engine::Handle;
use app::App;
use door::Door;
pub use socket::{BindError, Socket, bind};
use watch::Watches;

/// What connections get to end by themselves once the server ends.
const FAREWELL: Duration = Duration::from_secs(5);

/// Answers at `socket` until `shutdown` comes: then no connection is accepted any more, streams
/// end, answers under way are finished, and the socket's file is removed.
///
/// # Errors
/// When serving fails as a whole; a single connection never does that.
pub async fn serve(
    handle: Handle,
    socket: Socket,
    shutdown: impl Future<Output = ()> + Send + 'static,
) -> io::Result<()> {
    let watches = match Watches::new() {
        Ok(watches) => Some(Arc::new(watches)),
        Err(error) => {
            tracing::warn!(%error, "no inotify: a vanished socket stays so, logs are not followed");
            None
        }
    };
    let (end, ending) = tokio::sync::watch::channel(false);
    let app = App::new(handle.clone(), watches.clone(), ending);
    let service = routes::router(app.clone()).into_make_service_with_connect_info::<Peer>();
    let signal = async move {
        shutdown.await;
        end.send_replace(true);
    };
    let door = Door::new(socket, handle, watches);
    let serving = axum::serve(door, service).with_graceful_shutdown(signal).into_future();
    let too_long = async {
        app.ended().await;
        tokio::time::sleep(FAREWELL).await;
    };
    tokio::select! {
        served = serving => served,
        () = too_long => Ok(()),
    }
}
