//! The panes: one file and one line in [`PANES`] each.
//!
//! A pane says what it wants to know, keeps its own place, and draws itself. The stack of open
//! panes is the way back.

pub mod events;
pub mod home;
pub mod hours;
pub mod job;
pub mod log;
pub mod messages;
pub mod nodes;
pub mod review;
pub mod sheet;
pub mod teams;
pub mod terminal;

use ratatui::layout::Rect;

use crate::base::{Digest, JobId, Name, ReviewId, Span};
use crate::tui::event::{Effect, Mouse};
use crate::tui::feed::{Data, Want};
use crate::tui::ground::Ground;
use crate::tui::keys::Key;
use crate::tui::section::Section;
use crate::tui::widgets::Canvas;

/// What kind of pane; actions name the kinds they work in.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Kind {
    /// The list of jobs.
    Home,
    /// One job.
    Job,
    /// Output of a job.
    Log,
    /// Terminal of a job.
    Terminal,
    /// Nodes and countable resources.
    Nodes,
    /// Who holds, borrows, is owed.
    Teams,
    /// What runs until when.
    Hours,
    /// Facts as they come.
    Events,
    /// What the console said.
    Messages,
    /// One review: what somebody is asked to decide.
    Review,
}

/// How a pane is opened.
pub struct Registered {
    /// Its kind.
    pub kind: Kind,
    /// Opens it, about a job or a review if it is about one.
    pub open: fn(&Target) -> Box<dyn Pane>,
}

/// Every pane.
pub const PANES: &[Registered] = &[
    Registered { kind: Kind::Home, open: |_| Box::new(home::Home::default()) },
    Registered { kind: Kind::Job, open: |of| Box::new(job::JobPane::new(of.job)) },
    Registered { kind: Kind::Log, open: |of| Box::new(log::Log::new(of.job)) },
    Registered { kind: Kind::Terminal, open: |of| Box::new(terminal::Terminal::new(of.job)) },
    Registered { kind: Kind::Nodes, open: |_| Box::new(nodes::Nodes::default()) },
    Registered { kind: Kind::Teams, open: |_| Box::new(teams::Teams::default()) },
    Registered { kind: Kind::Hours, open: |_| Box::new(hours::Hours::default()) },
    Registered { kind: Kind::Events, open: |_| Box::new(events::Events::default()) },
    Registered { kind: Kind::Messages, open: |_| Box::new(messages::MessageLog::default()) },
    Registered { kind: Kind::Review, open: |of| Box::new(review::ReviewPane::new(of.review)) },
];

/// Opens a pane.
pub fn open(kind: Kind, about: &Target) -> Box<dyn Pane> {
    let known = PANES.iter().find(|registered| registered.kind == kind);
    known.map_or_else(|| Box::new(home::Home::default()) as Box<dyn Pane>, |it| (it.open)(about))
}

/// A movement.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Motion {
    /// By lines.
    Lines(isize),
    /// By half pages.
    Halves(isize),
    /// To the first line.
    First,
    /// To the last line.
    Last,
    /// To the side: a lane, or columns.
    Side(isize),
}

/// Something only some panes can do.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Command {
    /// Show one section only, or all.
    Narrow(Option<Section>),
    /// Go to the next thing that needs somebody.
    NextNeeding,
    /// Another order.
    Order,
    /// Fold or unfold.
    Fold,
    /// Show everything that ended, or only what is new.
    AllEnded,
    /// Use a filter (or search).
    Filter(String),
    /// Show less time, or more.
    Zoom(bool),
    /// Break long lines or not.
    Wrap,
    /// Show when each line came, or not.
    Stamps,
    /// Follow the end or not.
    Follow,
    /// To the next match, or back.
    Match(bool),
    /// Another attempt's output.
    Attempt,
    /// Another task's output.
    Rank,
    /// Mark or unmark what is chosen.
    Mark,
    /// Open what is chosen; true if the pane did it itself.
    Open,
    /// Type to the program.
    Type,
    /// One step back inside the pane; true if there was one.
    Back,
    /// Show nothing but the bytes, or everything again.
    Bytes,
}

/// Elements of an array that share a row.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Elements {
    /// The array.
    pub array: JobId,
    /// How many share the row.
    pub count: usize,
    /// There are more of them that are not here.
    pub open: bool,
}

/// What actions would work on.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Target {
    /// The chosen job.
    pub job: Option<JobId>,
    /// The chosen review.
    pub review: Option<ReviewId>,
    /// The chosen row stands for more elements of an array than that job.
    pub folded: Option<Elements>,
    /// The chosen node.
    pub node: Option<Name>,
    /// The chosen team.
    pub team: Option<Name>,
    /// The section the list is narrowed to.
    pub section: Option<Section>,
}

impl From<JobId> for Target {
    fn from(job: JobId) -> Target {
        Target { job: Some(job), ..Target::default() }
    }
}

impl From<ReviewId> for Target {
    fn from(review: ReviewId) -> Target {
        Target { review: Some(review), ..Target::default() }
    }
}

/// A card that stands on the screen, and how well it was read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Reading {
    /// Hash of what it is about.
    pub hash: Digest,
    /// Since when (on the console's clock) these bytes are there.
    pub since: Span,
    /// The last line of them has been on the screen.
    pub whole: bool,
}

/// A part of the console that fills the body.
pub trait Pane {
    /// What kind it is.
    fn kind(&self) -> Kind;

    /// Its step on the way shown in the header.
    fn title(&self, ground: &Ground) -> String;

    /// What it shows.
    fn wants(&self, ground: &Ground) -> Vec<Want>;

    /// What actions would work on.
    fn target(&self, ground: &Ground) -> Target;

    /// How many of some jobs have no row in sight; of panes without a list none.
    fn out_of_sight(&self, _jobs: &[JobId], _ground: &Ground) -> usize {
        0
    }

    /// Takes data that is not kept in what is known: output.
    fn take(&mut self, _data: &Data, _ground: &Ground) {}

    /// Brings choice and scrolling in order after something changed; `area` is the body.
    fn settle(&mut self, ground: &Ground, area: Rect);

    /// What it has to say after it was brought in order, once.
    fn says(&mut self) -> Option<String> {
        None
    }

    /// Moves.
    fn go(&mut self, motion: Motion, ground: &Ground);

    /// Does something of its own; false if it does not know it.
    fn command(&mut self, _command: &Command, _ground: &mut Ground) -> bool {
        false
    }

    /// Whether it could do that now, and if not why.
    ///
    /// # Errors
    /// Why not, for help and footer.
    fn can(&self, _command: &Command, _ground: &Ground) -> Result<(), String> {
        Ok(())
    }

    /// A program is typed to: every key but one goes there.
    fn is_typing(&self) -> bool {
        false
    }

    /// The current filter or search, to be edited.
    fn filter(&self) -> Option<&str> {
        None
    }

    /// How far a card in it was read, if it shows one.
    fn reading(&self) -> Option<Reading> {
        None
    }

    /// Takes a key before any action while a program is typed to; nothing if it does not.
    fn raw(&mut self, _key: Key, _ground: &Ground) -> Option<Vec<Effect>> {
        None
    }

    /// Takes pasted text while a program is typed to; nothing if it does not.
    fn paste(&mut self, _text: &str) -> Option<Vec<Effect>> {
        None
    }

    /// What the size of the pane means elsewhere: a terminal's size.
    fn resized(&mut self) -> Vec<Effect> {
        Vec::new()
    }

    /// A click inside the body.
    fn click(&mut self, _mouse: Mouse, _ground: &Ground) {}

    /// What `copy` puts on the clipboard, and what that is.
    fn copy(&self, _ground: &Ground) -> Option<(String, String)> {
        None
    }

    /// When something shown becomes older next, on the console's clock.
    fn ages_at(&self, _ground: &Ground) -> Option<Span> {
        None
    }

    /// Draws itself. Changes nothing.
    fn draw(&self, ground: &Ground, canvas: &mut Canvas, area: Rect);
}
