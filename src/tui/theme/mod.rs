//! Looks by meaning: panes ask for an [`Ink`], only this module knows colours.
//!
//! Themes are TOML files in `themes/`, compiled in ([`mod@load`]); [`depth`] fits them to what the
//! terminal can show. Start with [`Theme`].

pub mod depth;
pub mod load;

use ratatui::style::{Color, Modifier, Style};

use crate::view::line::Role;

pub use depth::Depth;
pub use load::{BUILT_IN, load};

macro_rules! inks {
    ($($(#[$doc:meta])* $name:ident = $word:literal, $letter:literal,)*) => {
        /// What a cell of the screen is.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
        pub enum Ink { $($(#[$doc])* $name,)* }

        impl Ink {
            /// Every ink.
            pub const ALL: &[Ink] = &[$(Ink::$name,)*];

            /// Its word in a theme file.
            pub const fn word(self) -> &'static str {
                match self { $(Ink::$name => $word,)* }
            }

            /// Its letter in a snapshot.
            pub const fn letter(self) -> char {
                match self { $(Ink::$name => $letter,)* }
            }
        }
    };
}

inks! {
    /// Nothing special.
    Plain = "plain", '.',
    /// Beside the point.
    Muted = "muted", 'm',
    /// A title.
    Head = "head", 'h',
    /// Waits on a person.
    NeedsYou = "needs_you", 'Y',
    /// Something is wrong with it.
    Stuck = "stuck", 'S',
    /// Holds room and runs.
    Running = "running", 'R',
    /// Waits.
    Queued = "queued", 'Q',
    /// Ended well.
    Good = "good", 'G',
    /// Ended badly.
    Bad = "bad", 'B',
    /// A job's number.
    Id = "id", 'i',
    /// The chosen row.
    Selected = "selected", '>',
    /// A marked row's mark.
    Marked = "marked", 'M',
    /// The bar at the top.
    Bar = "bar", '=',
    /// Lines between things.
    Border = "border", '-',
    /// Must be seen now.
    Alert = "alert", '!',
    /// A key in the footer or in help.
    Key = "key", 'k',
    /// What was searched for.
    Match = "match", '/',
    /// Where one types.
    Input = "input", '_',
    /// The used part of a gauge.
    Gauge = "gauge", '#',
    /// Old data while the connection is gone.
    Stale = "stale", '~',
    /// Asks before something that cannot be taken back.
    Danger = "danger", 'D',
    /// Everything is held back: the top of the screen until that is lifted.
    Halt = "halt", 'H',
}

impl From<Role> for Ink {
    fn from(role: Role) -> Ink {
        match role {
            Role::Plain => Ink::Plain,
            Role::Muted => Ink::Muted,
            Role::Head => Ink::Head,
            Role::NeedsYou => Ink::NeedsYou,
            Role::Stuck => Ink::Stuck,
            Role::Running => Ink::Running,
            Role::Queued => Ink::Queued,
            Role::Good => Ink::Good,
            Role::Bad => Ink::Bad,
            Role::Id => Ink::Id,
        }
    }
}

/// A look: a style for each ink.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Theme {
    /// Its name.
    pub name: String,
    /// One line about it.
    pub about: String,
    /// Foreground and background of the whole screen, for pictures, and on screen if `paint`.
    pub screen: (Color, Color),
    /// Fill the screen with its own background instead of the terminal's.
    pub paint: bool,
    styles: Vec<Style>,
}

/// First of the indexed colours that stand for inks in [`Theme::roles`].
const ROLES_FROM: u8 = 100;

impl Theme {
    /// The style of an ink.
    pub fn style(&self, ink: Ink) -> Style {
        self.styles.get(ink as usize).copied().unwrap_or_default()
    }

    /// A theme that paints meanings: each ink is a colour of its own, so that a test can read
    /// the roles of a screen back with [`Theme::ink_of`].
    pub fn roles() -> Theme {
        let style = |at: usize| {
            let at = u8::try_from(at).unwrap_or(0);
            Style::new().fg(Color::Indexed(ROLES_FROM + at))
        };
        Theme {
            name: "roles".to_owned(),
            about: String::new(),
            screen: (Color::Reset, Color::Reset),
            paint: false,
            styles: (0..Ink::ALL.len()).map(style).collect(),
        }
    }

    /// The ink that painted a cell of this colour under [`Theme::roles`].
    pub fn ink_of(color: Color) -> Option<Ink> {
        match color {
            Color::Indexed(n) => Ink::ALL.get(usize::from(n.checked_sub(ROLES_FROM)?)).copied(),
            _ => None,
        }
    }

    /// The same theme with colours that a terminal of this depth has.
    #[must_use]
    pub fn at(mut self, depth: Depth) -> Theme {
        for style in &mut self.styles {
            style.fg = style.fg.and_then(|color| depth::fit(color, depth));
            style.bg = style.bg.and_then(|color| depth::fit(color, depth));
        }
        let fit = |color: Color| depth::fit(color, depth).unwrap_or(Color::Reset);
        self.screen = (fit(self.screen.0), fit(self.screen.1));
        if depth == Depth::None {
            self.paint = false;
            self.mark_without_colour();
        }
        self
    }

    /// Without colours a few inks still have to stand out.
    fn mark_without_colour(&mut self) {
        for (ink, modifier) in [
            (Ink::Selected, Modifier::REVERSED),
            (Ink::Bar, Modifier::REVERSED),
            (Ink::Alert, Modifier::REVERSED.union(Modifier::BOLD)),
            (Ink::Match, Modifier::REVERSED),
            (Ink::Danger, Modifier::BOLD.union(Modifier::UNDERLINED)),
            (Ink::Halt, Modifier::REVERSED.union(Modifier::BOLD)),
        ] {
            if let Some(style) = self.styles.get_mut(ink as usize) {
                *style = style.add_modifier(modifier);
            }
        }
    }
}
