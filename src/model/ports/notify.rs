//! Telling people of reviews, outside of the program.
//!
//! The engine hands over what is to be told and goes on; whoever delivers records each message
//! before it goes and again when it is known what came of it.

use std::path::PathBuf;
use std::sync::Arc;

use crate::base::{Name, ReviewId, Wall};
use crate::model::review::{Delivery, Moment, Review};

/// How somebody is told.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Way {
    /// A signed HTTP request.
    Webhook {
        /// Where to.
        url: Held,
        /// What it is signed with.
        secret: Held,
    },
    /// A text for a channel of a chat.
    Chat {
        /// Where to.
        url: Held,
    },
    /// A program that reads JSON.
    Command {
        /// The program and its arguments.
        argv: Vec<String>,
    },
}

/// Where a value is held: those that are secret stand elsewhere than in the configuration, and are
/// read each time they are needed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Held {
    /// In the configuration.
    Here(String),
    /// In a variable of the server.
    Env(String),
    /// In a file.
    File(PathBuf),
}

/// One message for one target.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Letter {
    /// The target, by the name of its `[[notify]]`.
    pub via: Name,
    /// Whom it reaches.
    pub to: Name,
    /// At which moment of the review.
    pub moment: Moment,
    /// The review as it was then.
    pub review: Arc<Review>,
    /// The name of its job.
    pub job_name: Name,
    /// Who may decide.
    pub asked: Vec<Name>,
    /// When it was written.
    pub wall: Wall,
}

/// Records what came of a message, or that it is about to be sent; waits until that is durable.
/// False when it must not be sent: it was before, it is no news any more, or the program ends. Only
/// for threads that may block.
pub type Recorder = Arc<dyn Fn(ReviewId, Delivery) -> bool + Send + Sync>;

/// Delivers messages.
pub trait Notify: Send + Sync {
    /// Takes a message for a target, without waiting; false when there is no room for it now. It
    /// is offered again then, later.
    fn send(&self, letter: Letter) -> bool;
}
