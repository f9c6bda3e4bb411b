//! What leaves the screen: clipboard, notifications, the window's title.
//!
//! Built only from sanitised text, so that nothing foreign can end a sequence early.

use crossterm::Command;
use crossterm::clipboard::CopyToClipboard;

use crate::base::text::{cut, sanitise};

/// Columns of a notification or a title at most.
const LONGEST: usize = 160;

/// Where the terminal is: inside tmux sequences for the outer terminal are wrapped.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Outside {
    /// The console runs inside tmux.
    pub tmux: bool,
}

impl Outside {
    /// What the environment says.
    pub fn of_environment() -> Outside {
        Outside { tmux: std::env::var_os("TMUX").is_some_and(|value| !value.is_empty()) }
    }

    /// Puts text on the clipboard of the reader's machine (OSC 52).
    pub fn copy(self, text: &str) -> String {
        let mut out = String::new();
        // Writing to a text cannot fail.
        let _ = CopyToClipboard::to_clipboard_from(text).write_ansi(&mut out);
        // tmux takes the plain form if it may set the clipboard, the wrapped one if it passes on.
        let wrapped = if self.tmux { wrap(&out) } else { String::new() };
        out + &wrapped
    }

    /// Tells somebody who looks elsewhere (OSC 9, OSC 777), and rings for terminals that know
    /// neither.
    pub fn notify(self, text: &str) -> String {
        // A semicolon would be read as the next field.
        let text = harmless(text).replace(';', ",");
        let both = format!("\x1b]9;{text}\x1b\\\x1b]777;notify;holdshort;{text}\x1b\\");
        let both = if self.tmux { wrap(&both) } else { both };
        format!("{both}\x07")
    }

    /// The window's title.
    pub fn title(self, text: &str) -> String {
        format!("\x1b]2;{}\x1b\\", harmless(text))
    }
}

fn harmless(text: &str) -> String {
    cut(&sanitise(text), LONGEST).into_owned()
}

/// tmux hands what is inside to the outer terminal; every ESC inside is doubled.
fn wrap(sequence: &str) -> String {
    format!("\x1bPtmux;{}\x1b\\", sequence.replace('\x1b', "\x1b\x1b"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn foreign_text_cannot_end_a_sequence() {
        let outside = Outside { tmux: false };
        let sent = outside.notify("a\x07b\x1b]0;x\x07;c\n");
        assert_eq!(sent.matches('\x07').count(), 1, "{sent:?}");
        assert_eq!(sent.matches('\x1b').count(), 4, "{sent:?}");
        assert_eq!(outside.title("42\x1b\\evil"), "\x1b]2;42evil\x1b\\");
        assert_eq!(outside.copy("hi"), "\x1b]52;c;aGk=\x1b\\");
    }

    #[test]
    fn inside_tmux_it_is_wrapped() {
        let sent = Outside { tmux: true }.notify("x");
        assert!(sent.starts_with("\x1bPtmux;\x1b\x1b]9;x"), "{sent:?}");
        assert!(sent.ends_with("\x1b\\\x07"), "{sent:?}");
    }
}
