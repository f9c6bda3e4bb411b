//! Everything that can change the console: one closed list.
//!
//! The loop gathers these from the terminal, the feed and the system; [`crate::tui::App`] takes
//! them one by one and answers with [`Effect`]s.

use crate::base::{JobId, Name, ReviewId, Wall};
use crate::link::Pen;
use crate::model::action::Action;
use crate::model::command::Verb;
use crate::model::review::{Review, ReviewVerb};
use crate::model::team::TeamEdit;
use crate::tui::feed::Data;
use crate::tui::keys::Key;

/// Something happened.
#[derive(Debug, Clone)]
pub enum Event {
    /// A key.
    Key(Key),
    /// Text was pasted; it is never a key.
    Paste(String),
    /// The wheel or a click, when the mouse was asked for.
    Mouse(Mouse),
    /// The terminal has another size.
    Resize {
        /// Columns.
        columns: u16,
        /// Rows.
        rows: u16,
    },
    /// The terminal got or lost the focus.
    Focus(bool),
    /// Something came from the server.
    Data(Data),
    /// Something shown has become older.
    Tick,
    /// The program goes on after a stop.
    Continued,
    /// The program shall end.
    End,
    /// A text came back from the editor, or why none did.
    Edited(Box<Editing>, Result<String, String>),
}

/// What the mouse did.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Mouse {
    /// The wheel, lines down.
    Wheel(i16),
    /// A click at column and row.
    Click(u16, u16),
}

/// What shall be done outside the console's memory.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Effect {
    /// Ask the server to do something.
    Do(Deed),
    /// Put text on the clipboard.
    Copy(String),
    /// Tell the terminal's user, who may look elsewhere.
    Notify(String),
    /// The window's title.
    Title(String),
    /// Take the mouse, or leave it to the terminal.
    Mouse(bool),
    /// Stop until the shell says go on.
    Suspend,
    /// Start the server that was stopped.
    Start,
    /// Have a text changed in the user's editor.
    Edit(Box<Editing>),
    /// Draw every cell anew.
    Redraw,
    /// End the console.
    Quit,
}

/// Something the server is asked to do.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Deed {
    /// Something with jobs.
    Act {
        /// The jobs.
        jobs: Vec<JobId>,
        /// What.
        verb: Verb,
    },
    /// Something with every live element of an array to which it applies.
    Array {
        /// The array.
        array: JobId,
        /// What.
        verb: Verb,
    },
    /// A copy of a job.
    Again(JobId),
    /// Hold back everything.
    PauseAll {
        /// Why.
        reason: String,
    },
    /// Lift that.
    ResumeAll,
    /// Hold back a team and all below it.
    PauseTeam {
        /// Its path.
        team: Name,
        /// Why.
        reason: String,
    },
    /// Lift that.
    ResumeTeam(Name),
    /// Change a team.
    EditTeam {
        /// Its path.
        team: Name,
        /// What of it.
        edit: Box<TeamEdit>,
    },
    /// Keep new work from a node, or let it come again.
    Drain {
        /// The node.
        node: Name,
        /// Keep it away.
        on: bool,
        /// Why, if they said so.
        reason: Option<String>,
    },
    /// Bytes for a job's terminal.
    Input {
        /// The job.
        job: JobId,
        /// The task.
        rank: u32,
        /// The bytes.
        bytes: Vec<u8>,
    },
    /// A new size of a job's terminal.
    Size {
        /// The job.
        job: JobId,
        /// The task.
        rank: u32,
        /// Rows.
        rows: u16,
        /// Columns.
        columns: u16,
    },
    /// This user has seen what ended up to an instant.
    Looked(Wall),
    /// Something with a review.
    Review {
        /// The review.
        review: ReviewId,
        /// What.
        verb: Box<ReviewVerb>,
    },
    /// A vote that is signed first, which may take as long as a person takes to touch a key.
    Signed {
        /// The review as it was read.
        review: Box<Review>,
        /// The vote.
        verb: Box<ReviewVerb>,
        /// With what.
        pen: Pen,
    },
}

/// A text that somebody changes in an editor.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Editing {
    /// The review it is about.
    pub review: ReviewId,
    /// Hash of what was looked at.
    pub hash: String,
    /// What it is about now.
    pub action: Action,
    /// What the editor begins with.
    pub text: String,
}

impl Deed {
    /// It changes something: everything but moving one's own mark.
    pub fn changes(&self) -> bool {
        !matches!(self, Deed::Looked(_))
    }

    /// It only says who looks at a review: nobody waits for it, and nobody is told how it went.
    pub fn is_glance(&self) -> bool {
        let Deed::Review { verb, .. } = self else { return false };
        matches!(**verb, ReviewVerb::Look | ReviewVerb::Leave)
    }

    /// What is done with which review.
    pub fn on_review(&self) -> Option<(ReviewId, &ReviewVerb)> {
        match self {
            Deed::Review { review, verb } => Some((*review, verb)),
            Deed::Signed { review, verb, .. } => Some((review.id, verb)),
            _ => None,
        }
    }
}
