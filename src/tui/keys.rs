//! Keys as the console means them: a small copyable value with a written form.
//!
//! `ctrl-z`, `enter`, `G`, `space`: the written form is what the actions table holds and what
//! help shows. A capital letter is a key of its own, whatever way the terminal reports shift.

use std::fmt;

use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};

/// Which key.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Code {
    /// A character, capitals as capitals.
    Char(char),
    /// Enter.
    Enter,
    /// Escape.
    Esc,
    /// Tab.
    Tab,
    /// Shift and tab.
    BackTab,
    /// Backspace.
    Backspace,
    /// Delete.
    Delete,
    /// Insert.
    Insert,
    /// Arrow up.
    Up,
    /// Arrow down.
    Down,
    /// Arrow left.
    Left,
    /// Arrow right.
    Right,
    /// Home.
    Home,
    /// End.
    End,
    /// Page up.
    PageUp,
    /// Page down.
    PageDown,
    /// A function key.
    F(u8),
}

/// A key with its modifiers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Key {
    /// Which.
    pub code: Code,
    /// With control.
    pub ctrl: bool,
    /// With alt.
    pub alt: bool,
}

const NAMED: &[(&str, Code)] = &[
    ("enter", Code::Enter),
    ("esc", Code::Esc),
    ("tab", Code::Tab),
    ("shift-tab", Code::BackTab),
    ("backspace", Code::Backspace),
    ("delete", Code::Delete),
    ("insert", Code::Insert),
    ("up", Code::Up),
    ("down", Code::Down),
    ("left", Code::Left),
    ("right", Code::Right),
    ("home", Code::Home),
    ("end", Code::End),
    ("pgup", Code::PageUp),
    ("pgdn", Code::PageDown),
    ("space", Code::Char(' ')),
];

impl Key {
    /// A key without modifiers.
    pub const fn plain(code: Code) -> Key {
        Key { code, ctrl: false, alt: false }
    }

    /// A character.
    pub const fn char(c: char) -> Key {
        Key::plain(Code::Char(c))
    }

    /// A character with control.
    pub const fn ctrl(c: char) -> Key {
        Key { code: Code::Char(c), ctrl: true, alt: false }
    }

    /// Reads the written form.
    pub fn parse(text: &str) -> Option<Key> {
        let (ctrl, rest) = prefixed(text, "ctrl-");
        let (alt, rest) = prefixed(rest, "alt-");
        let named = NAMED.iter().find(|(name, _)| *name == rest).map(|(_, code)| *code);
        let function = rest.strip_prefix('f').and_then(|n| n.parse().ok()).map(Code::F);
        let mut chars = rest.chars();
        let single = chars.next().filter(|_| chars.next().is_none()).map(Code::Char);
        Some(Key { code: named.or(single).or(function)?, ctrl, alt })
    }

    /// The character it types, if it types one.
    pub fn typed(self) -> Option<char> {
        match self.code {
            Code::Char(c) if !self.ctrl && !self.alt => Some(c),
            _ => None,
        }
    }

    /// What the terminal library saw; nothing for releases and keys we do not know.
    pub fn from_terminal(event: &KeyEvent) -> Option<Key> {
        if event.kind == crossterm::event::KeyEventKind::Release {
            return None;
        }
        let shift = event.modifiers.contains(KeyModifiers::SHIFT);
        let code = match event.code {
            KeyCode::Char(c) if shift => Code::Char(c.to_uppercase().next().unwrap_or(c)),
            KeyCode::Char(c) => Code::Char(c),
            KeyCode::Enter => Code::Enter,
            KeyCode::Esc => Code::Esc,
            KeyCode::Tab => Code::Tab,
            KeyCode::BackTab => Code::BackTab,
            KeyCode::Backspace => Code::Backspace,
            KeyCode::Delete => Code::Delete,
            KeyCode::Insert => Code::Insert,
            KeyCode::Up => Code::Up,
            KeyCode::Down => Code::Down,
            KeyCode::Left => Code::Left,
            KeyCode::Right => Code::Right,
            KeyCode::Home => Code::Home,
            KeyCode::End => Code::End,
            KeyCode::PageUp => Code::PageUp,
            KeyCode::PageDown => Code::PageDown,
            KeyCode::F(n) => Code::F(n),
            _ => return None,
        };
        let ctrl = event.modifiers.contains(KeyModifiers::CONTROL);
        // Control and a letter is one key, whatever shift says.
        let code = match code {
            Code::Char(c) if ctrl => Code::Char(c.to_ascii_lowercase()),
            code => code,
        };
        Some(Key { code, ctrl, alt: event.modifiers.contains(KeyModifiers::ALT) })
    }
}

fn prefixed<'a>(text: &'a str, prefix: &str) -> (bool, &'a str) {
    match text.strip_prefix(prefix) {
        Some(rest) if !rest.is_empty() => (true, rest),
        _ => (false, text),
    }
}

impl fmt::Display for Key {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.ctrl {
            f.write_str("ctrl-")?;
        }
        if self.alt {
            f.write_str("alt-")?;
        }
        if let Some((name, _)) = NAMED.iter().find(|(_, code)| *code == self.code) {
            return f.write_str(name);
        }
        match self.code {
            Code::Char(c) => write!(f, "{c}"),
            Code::F(n) => write!(f, "f{n}"),
            // Every other key stands in the list of names.
            _ => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn written_forms_read_back() {
        for text in ["a", "G", "ctrl-z", "alt-x", "enter", "pgdn", "space", "f5", "f", "-", "+"] {
            assert_eq!(Key::parse(text).map(|key| key.to_string()).as_deref(), Some(text));
        }
        assert_eq!(Key::parse("nonsense"), None);
        assert_eq!(Key::parse("ctrl-\\"), Some(Key::ctrl('\\')));
    }
}
