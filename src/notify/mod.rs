//! Telling people of reviews: signed webhooks, texts for a chat, programs of one's own.
//!
//! May use `base` and `model`; the engine knows it as the port `model/ports/notify`. [`Post`] takes
//! messages into a bounded queue for each target and never waits; [`worker`] is the thread that
//! empties one, records each message before it goes and what came of it, and tries again after a
//! pause. [`letter`] is what is said, [`sign`] how a receiver knows that it was us, [`http`] and
//! [`command`] how it gets there. Nothing that comes back from a target is read but its status: an
//! answer by webhook is no vote. Start with [`Post::set`].

mod command;
mod http;
mod letter;
mod sign;
mod tls;
mod worker;

use std::collections::BTreeMap;
use std::sync::mpsc::{SyncSender, sync_channel};
use std::sync::{Mutex, PoisonError};

use crate::base::{Name, Span};
use crate::model::ports::Notify;
use crate::model::ports::notify::{Letter, Recorder, Way};

/// Messages that may wait for one target. More are offered again later by the engine.
const WAITING_MAX: usize = 256;

/// Where one target is, and how patiently it is tried.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Address {
    /// Its name.
    pub name: Name,
    /// How.
    pub way: Way,
    /// One try takes no longer.
    pub timeout: Span,
    /// Tries in all, at least one.
    pub tries: u32,
    /// The wait after the first try; four times as long after each more.
    pub backoff: Span,
}

/// Delivers messages to the targets that are configured.
pub struct Post {
    recorder: Recorder,
    boxes: Mutex<BTreeMap<Name, SyncSender<Letter>>>,
}

impl Post {
    /// Nobody is configured yet. What comes of messages goes to the recorder.
    pub fn new(recorder: Recorder) -> Post {
        Post { recorder, boxes: Mutex::default() }
    }

    /// From now on these are the targets. What waits for one that was there is delivered as it was
    /// configured then.
    pub fn set(&self, addresses: Vec<Address>) {
        let mut boxes = BTreeMap::new();
        for address in addresses {
            let (sender, receiver) = sync_channel(WAITING_MAX);
            let (name, recorder) = (address.name.clone(), self.recorder.clone());
            let body = move || worker::run(&address, &receiver, &recorder);
            match std::thread::Builder::new().name(format!("tell {name}")).spawn(body) {
                Ok(_) => drop(boxes.insert(name, sender)),
                Err(error) => tracing::error!("cannot tell {name} anything: {error}"),
            }
        }
        *self.boxes.lock().unwrap_or_else(PoisonError::into_inner) = boxes;
    }
}

impl Notify for Post {
    fn send(&self, letter: Letter) -> bool {
        let boxes = self.boxes.lock().unwrap_or_else(PoisonError::into_inner);
        boxes.get(&letter.via).is_some_and(|queue| queue.try_send(letter).is_ok())
    }
}
