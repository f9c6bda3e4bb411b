//! What every handler has.

use std::sync::Arc;

use tokio::sync::{OwnedSemaphorePermit, Semaphore, watch};

use super::fault::Fault;
use super::watch::Watches;
use crate::engine::Handle;
use crate::model::Actor;

/// Requests that are being answered at once; further ones wait.
const REQUESTS: usize = 256;
/// Streams at once; further ones are refused.
const STREAMS: usize = 256;

/// Those who wait for news of a review at once; further ones are answered without waiting.
/// Fewer than connections, so that somebody who answers always gets in.
const WAITS: usize = 512;

/// The engine and the bounds of the server. Cheap to clone.
#[derive(Clone)]
pub struct App {
    /// The engine.
    pub handle: Handle,
    /// Changes of files; none when the system has no room for them.
    pub watches: Option<Arc<Watches>>,
    /// Becomes true when the server ends: streams end then.
    pub ending: watch::Receiver<bool>,
    /// Room for requests.
    pub requests: Arc<Semaphore>,
    /// Room for those who wait for news of a review.
    pub waits: Arc<Semaphore>,
    streams: Arc<Semaphore>,
}

impl App {
    /// Puts it together.
    pub fn new(
        handle: Handle,
        watches: Option<Arc<Watches>>,
        ending: watch::Receiver<bool>,
    ) -> App {
        let requests = Arc::new(Semaphore::new(REQUESTS));
        let streams = Arc::new(Semaphore::new(STREAMS));
        let waits = Arc::new(Semaphore::new(WAITS));
        App { handle, watches, ending, requests, waits, streams }
    }

    /// Room for one stream, given back when it ends.
    ///
    /// # Errors
    /// When there are as many as there may be.
    pub fn stream(&self) -> Result<OwnedSemaphorePermit, Fault> {
        let taken = self.streams.clone().try_acquire_owned();
        taken.map_err(|_| Fault::too_many("the server feeds as many streams as it may"))
    }

    /// The server reading for itself: its own user may see everything.
    pub fn own(&self) -> Actor {
        let uid = nix::unistd::geteuid().as_raw();
        Actor { uid: Some(uid), ..Actor::system() }
    }

    /// The caller is the server's own user outside any job, who may see everything.
    pub fn is_own(&self, by: &Actor) -> bool {
        by.in_job.is_none() && by.uid == self.own().uid
    }

    /// Returns when the server ends.
    pub async fn ended(&self) {
        let mut ending = self.ending.clone();
        // An error means that the server is gone altogether.
        let _ = ending.wait_for(|ending| *ending).await;
    }
}
