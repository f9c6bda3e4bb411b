//! The door of the loop: what can come in, and the bounded channel it comes through.

use std::sync::Arc;
use std::sync::mpsc::{Receiver, SyncSender, TrySendError, sync_channel};

use tokio::sync::oneshot;

use crate::base::{Digest, Name, TaskId};
use crate::config::NodeEntry;
use crate::engine::Receipt;
use crate::engine::telling::Told;
use crate::model::command::Command;
use crate::model::ports::runner::{Events, RunnerEvent};
use crate::model::refusal::{Refusal, RefusalCode};
use crate::model::setup::Setup;

/// Requests that may wait at once. More are refused to callers; the runner waits.
const WAITING_MAX: usize = 4096;

/// Something for the loop.
pub(super) enum Request {
    /// Decide a command and answer when it is durable.
    Decide {
        command: Box<Command>,
        /// Contents the command refers to by digest, stored in the same commit.
        contents: Vec<(Digest, Vec<u8>)>,
        reply: oneshot::Sender<Result<Receipt, Refusal>>,
    },
    /// The configuration was read anew.
    Configure {
        setup: Box<Setup>,
        nodes: Vec<NodeEntry>,
        reply: oneshot::Sender<Result<Receipt, Refusal>>,
    },
    /// The runner saw something.
    Runner(RunnerEvent),
    /// The runner has looked at what earlier servers left.
    Recovered(Vec<TaskId>),
    /// A message about a review is about to be sent, or was.
    Told(Told),
    /// The command of a pool is over.
    Provided { node: Name, up: bool, failed: Option<String> },
    /// Something may be due.
    Alarm,
    /// Make the journal shorter.
    Compact { reply: oneshot::Sender<Result<u64, Refusal>> },
    /// End the loop.
    Stop { reply: oneshot::Sender<()> },
}

/// The outer side of the door. Cheap to clone.
#[derive(Clone)]
pub struct Door {
    sender: SyncSender<Request>,
}

/// The inner side.
pub struct Inbox {
    pub(super) receiver: Receiver<Request>,
}

/// A door and its inner side. The runner is built with the door before the loop exists.
pub fn door() -> (Door, Inbox) {
    let (sender, receiver) = sync_channel(WAITING_MAX);
    (Door { sender }, Inbox { receiver })
}

impl Door {
    /// Where the runner puts its events; it waits while the loop is behind.
    pub fn events(&self) -> Events {
        let sender = self.sender.clone();
        Arc::new(move |event| {
            // The loop is gone only when the server ends; then nobody needs the event: the
            // next server finds what happened in the spool.
            let _ = sender.send(Request::Runner(event));
        })
    }

    /// Rings the loop; false when it is gone.
    pub(super) fn ring(&self) -> bool {
        !matches!(self.sender.try_send(Request::Alarm), Err(TrySendError::Disconnected(_)))
    }

    /// Hands over a request, waiting for room; only for threads that may block.
    pub(super) fn send(&self, request: Request) {
        let _ = self.sender.send(request);
    }

    /// Hands over a request without waiting.
    pub(super) fn put(&self, request: Request) -> Result<(), Refusal> {
        self.sender.try_send(request).map_err(|error| match error {
            TrySendError::Full(_) => {
                let what = "the server has more requests waiting than it takes";
                Refusal::new(RefusalCode::TooMany, what, "try again in a moment")
            }
            TrySendError::Disconnected(_) => closed(),
        })
    }
}

/// The loop is gone.
pub(super) fn closed() -> Refusal {
    Refusal::new(RefusalCode::ShuttingDown, "the server is shutting down", "try again")
}
