//! What every pane stands on: options, theme, what is known, marks, messages, the size.

use std::collections::{BTreeSet, VecDeque};
use std::sync::Arc;

use chrono::{FixedOffset, Local};

use crate::base::{JobId, ReviewId, Span, Wall};
use crate::link::Pen;
use crate::tui::actions::{Keymap, TABLE};
use crate::tui::keys::Key;
use crate::tui::known::Known;
use crate::tui::theme::{Depth, Ink, Theme};
use crate::view::filter;
use crate::view::sight::Sight;

/// Messages that are remembered.
const MESSAGES_MAX: usize = 500;
/// How long a message that is no error stays in the footer.
const SHOWN: Span = Span::secs(6);

/// Where the console opens.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub enum Open {
    /// The home list.
    #[default]
    Home,
    /// A job.
    Job(JobId),
    /// A review.
    Review(ReviewId),
    /// The home list with a filter.
    Filter(String),
}

/// How the console shall be.
#[derive(Debug, Clone)]
pub struct Options {
    /// What the place is called: the machine's or the context's name.
    pub place: String,
    /// It is a place where mistakes are dear: its name is loud.
    pub loud: bool,
    /// Who looks.
    pub user: Option<String>,
    /// Nothing can be done from here.
    pub read_only: bool,
    /// The look, already fitted to `depth`.
    pub theme: Theme,
    /// Colours of the terminal.
    pub depth: Depth,
    /// Keys that differ from the table's.
    pub keymap: Keymap,
    /// ASCII only.
    pub ascii: bool,
    /// Nothing moves that need not.
    pub reduced_motion: bool,
    /// Times in UTC at first.
    pub utc: bool,
    /// The mouse is ours at first.
    pub mouse: bool,
    /// The reader's zone; the machine's if not given.
    pub zone: Option<FixedOffset>,
    /// Where to open.
    pub open: Open,
    /// Starts the server of this place, where that can be done.
    pub starter: Option<Starter>,
    /// When votes are signed.
    pub signs: Signs,
    /// With what.
    pub pen: Pen,
}

/// When votes from here are signed.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Signs {
    /// A yes that would not be sure enough without.
    #[default]
    Needed,
    /// Every vote.
    Always,
    /// None.
    Never,
}

/// Starts the server; blocks until it answers, or says why it does not.
#[derive(Clone)]
pub struct Starter(pub Arc<dyn Fn() -> Result<(), String> + Send + Sync>);

impl std::fmt::Debug for Starter {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Starter")
    }
}

impl Default for Options {
    fn default() -> Options {
        Options {
            place: "local".to_owned(),
            loud: false,
            user: None,
            read_only: false,
            // The theme is compiled in and a test loads it.
            theme: crate::tui::theme::load("terminal").unwrap_or_else(|_| Theme::roles()),
            depth: Depth::True,
            keymap: Keymap::default(),
            ascii: false,
            reduced_motion: false,
            utc: false,
            mouse: false,
            zone: None,
            open: Open::Home,
            starter: None,
            signs: Signs::Needed,
            pen: Pen::default(),
        }
    }
}

impl Options {
    /// Fitted to the terminal the environment describes: colours, and ASCII where the locale
    /// has nothing else. `NO_COLOR` asks for the theme without colours.
    #[must_use]
    pub fn fitted(mut self, read: &dyn Fn(&str) -> Option<String>) -> Options {
        self.depth = Depth::of_environment(read);
        if self.depth == Depth::None
            && let Ok(mono) = crate::tui::theme::load("mono")
        {
            self.theme = mono;
        }
        self.theme = self.theme.at(self.depth);
        let locale = ["LC_ALL", "LC_CTYPE", "LANG"].into_iter().filter_map(read);
        let locale = locale.into_iter().find(|value| !value.is_empty()).unwrap_or_default();
        let locale = locale.to_ascii_lowercase();
        self.ascii |= matches!(locale.as_str(), "c" | "posix");
        self
    }
}

/// Something the console said.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Message {
    /// When, if the server's time was known.
    pub at: Option<Wall>,
    /// What; sanitised when drawn.
    pub text: String,
    /// How bad.
    pub ink: Ink,
    console: Span,
}

/// What the console said, and what of it is still in the footer.
#[derive(Debug, Default)]
pub struct Messages {
    /// All that are remembered, oldest first.
    pub all: VecDeque<Message>,
    shown: bool,
}

impl Messages {
    fn push(&mut self, message: Message) {
        if self.all.len() == MESSAGES_MAX {
            self.all.pop_front();
        }
        self.all.push_back(message);
        self.shown = true;
    }

    /// The message in the footer; an error stays until it was seen.
    pub fn shown(&self, console: Span) -> Option<&Message> {
        let last = self.all.back().filter(|_| self.shown)?;
        let fresh = console.0.saturating_sub(last.console.0) < SHOWN.0;
        (fresh || last.ink == Ink::Bad).then_some(last)
    }

    /// When the footer's message goes by itself.
    pub fn goes_at(&self) -> Option<Span> {
        let last = self.all.back().filter(|last| self.shown && last.ink != Ink::Bad)?;
        Some(last.console + SHOWN)
    }

    /// The footer's message was seen; an error only if `errors`. False if there was none.
    pub fn seen(&mut self, errors: bool) -> bool {
        let was = self.shown;
        let keeps = self.all.back().is_some_and(|last| last.ink == Ink::Bad) && !errors;
        self.shown = was && keeps;
        was && !self.shown
    }
}

/// What every pane stands on.
#[derive(Debug)]
pub struct Ground {
    /// How the console shall be.
    pub options: Options,
    /// What came from the server.
    pub known: Known,
    /// Marked jobs.
    pub marks: BTreeSet<JobId>,
    /// What was said.
    pub messages: Messages,
    /// Columns and rows.
    pub size: (u16, u16),
    /// Times in UTC.
    pub utc: bool,
    /// The mouse is ours.
    pub mouse: bool,
    /// The review on which a vote is being signed.
    pub signing: Option<ReviewId>,
}

impl Ground {
    /// The beginning: nothing is known.
    pub fn new(options: Options, size: (u16, u16)) -> Ground {
        let (utc, mouse) = (options.utc, options.mouse);
        Ground {
            options,
            known: Known::default(),
            marks: BTreeSet::new(),
            messages: Messages::default(),
            size,
            utc,
            mouse,
            signing: None,
        }
    }

    /// Time and zone as the reader wants them.
    pub fn sight(&self) -> Sight {
        let now = self.known.clock.at();
        match (self.utc, self.options.zone) {
            (true, _) => Sight::utc(now),
            (false, Some(zone)) => Sight::new(now, zone),
            (false, None) => Sight::new(now, Local),
        }
    }

    /// The key that starts the server, where this console may do that.
    pub fn start_key(&self) -> Option<Key> {
        self.options.starter.as_ref().filter(|_| !self.options.read_only)?;
        let action = TABLE.iter().find(|action| action.name == "start-server")?;
        self.options.keymap.keys(action).first().copied()
    }

    /// Says something.
    pub fn say(&mut self, text: impl Into<String>) {
        self.message(text.into(), Ink::Plain);
    }

    /// Says that something went wrong; stays until seen.
    pub fn complain(&mut self, text: impl Into<String>) {
        self.message(text.into(), Ink::Bad);
    }

    fn message(&mut self, text: String, ink: Ink) {
        let at = self.known.clock.known().map(|at| at.wall);
        let console = self.known.clock.console();
        self.messages.push(Message { at, text, ink, console });
    }

    /// Why nothing can be done just now.
    ///
    /// # Errors
    /// The reason, for the footer.
    pub fn may_act(&self) -> Result<(), String> {
        if self.options.read_only {
            return Err("this console only looks (read-only)".to_owned());
        }
        match self.known.lost() {
            Some((_, why)) => Err(format!("no connection: {why}")),
            None => Ok(()),
        }
    }
}

/// A filter that can be read, or why not.
///
/// # Errors
/// What is wrong with it.
pub fn check_filter(text: &str) -> Result<(), String> {
    filter::parse(text).map(|_| ()).map_err(|refusal| refusal.to_string())
}
