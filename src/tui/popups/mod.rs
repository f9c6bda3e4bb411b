//! What stands in front of the panes: a question, a line to type, the palette, help.
//!
//! A popup takes every key while it is open. What it leads to is a [`Then`]: it never acts
//! itself.

pub mod answer;
pub mod ask;
pub mod confirm;
pub mod help;
pub mod palette;

use ratatui::layout::Rect;

use crate::base::{JobId, Span};
use crate::tui::app::App;
use crate::tui::event::Deed;
use crate::tui::keys::Key;
use crate::tui::widgets::Canvas;

pub use answer::Answer;
pub use ask::Ask;
pub use confirm::Confirm;
pub use help::Help;
pub use palette::Palette;

/// What a popup leads to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Then {
    /// Something is done.
    Do(Deed),
    /// All of these are done.
    All(Vec<Deed>),
    /// It is asked before this is done.
    Ask(Deed),
    /// These jobs are cancelled: it was confirmed.
    Cancel(Vec<JobId>),
    /// The pane's filter or search is this.
    Filter(String),
    /// Something is said.
    Say(String),
    /// An action of the table runs.
    Action(&'static str),
}

/// What a key made of a popup.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Outcome {
    /// It stays open.
    Stays(Option<Then>),
    /// It is over.
    Closes(Option<Then>),
}

/// What stands in front.
#[derive(Debug)]
pub enum Popup {
    /// Asks before something is done.
    Confirm(Confirm),
    /// Takes a line of text.
    Ask(Ask),
    /// Takes the answer to a review.
    Answer(Box<Answer>),
    /// All actions by name.
    Palette(Palette),
    /// All keys that work here.
    Help(Help),
}

impl Popup {
    /// Takes a key at a time on the console's clock.
    pub fn key(&mut self, key: Key, now: Span) -> Outcome {
        match self {
            Popup::Confirm(popup) => popup.key(key, now),
            Popup::Ask(popup) => popup.key(key, now),
            Popup::Answer(popup) => popup.key(key, now),
            Popup::Palette(popup) => popup.key(key),
            Popup::Help(popup) => popup.key(key),
        }
    }

    /// Takes pasted text: it is typed where something is typed, and never a key.
    pub fn paste(&mut self, text: &str, now: Span) -> Outcome {
        match self {
            Popup::Answer(popup) => popup.paste(text, now),
            Popup::Ask(popup) => popup.paste(text),
            Popup::Palette(popup) => popup.paste(text),
            Popup::Confirm(_) | Popup::Help(_) => Outcome::Stays(None),
        }
    }

    /// When it begins to take keys, if that is still to come.
    pub fn opens_at(&self, now: Span) -> Option<Span> {
        match self {
            Popup::Confirm(popup) => Some(popup.opens_at()).filter(|at| *at > now),
            Popup::Answer(popup) => Some(popup.opens_at()).filter(|at| *at > now),
            _ => None,
        }
    }

    /// Draws itself over the screen; `footer` is the last row.
    pub fn draw(&self, app: &App, canvas: &mut Canvas, footer: Rect) {
        match self {
            Popup::Confirm(popup) => popup.draw(app, canvas),
            Popup::Ask(popup) => popup.draw(app, canvas, footer),
            Popup::Answer(popup) => {
                popup.draw(app.ground.known.clock.console(), canvas, footer);
            }
            Popup::Palette(popup) => popup.draw(app, canvas),
            Popup::Help(popup) => popup.draw(app, canvas),
        }
    }
}

/// An area in the middle of the screen, as much of it as there is.
pub fn middle(screen: Rect, columns: u16, rows: u16) -> Rect {
    let width = columns.min(screen.width);
    let height = rows.min(screen.height);
    let x = screen.x + (screen.width - width) / 2;
    let y = screen.y + (screen.height - height) / 3;
    Rect::new(x, y, width, height)
}
