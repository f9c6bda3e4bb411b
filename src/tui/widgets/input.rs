//! One line of text being typed.

use unicode_segmentation::UnicodeSegmentation;

use crate::base::text;
use crate::tui::keys::{Code, Key};
use crate::tui::theme::Ink;
use crate::tui::widgets::Canvas;

/// Bytes of one input at most.
const BYTES_MAX: usize = 4096;

/// A text and a place in it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Input {
    text: String,
    /// Byte offset of the cursor; always between graphemes.
    at: usize,
}

impl Input {
    /// Starts with a text, the cursor behind it.
    pub fn new(text: impl Into<String>) -> Input {
        let text = text.into();
        Input { at: text.len(), text }
    }

    /// What was typed.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Takes a key; false if it means nothing here.
    pub fn key(&mut self, key: Key) -> bool {
        match key {
            Key { code: Code::Char('u'), ctrl: true, .. } => {
                self.text.drain(..self.at);
                self.at = 0;
            }
            Key { code: Code::Char('w'), ctrl: true, .. } => self.drop_word(),
            Key { code: Code::Char('a'), ctrl: true, .. } => self.at = 0,
            Key { code: Code::Char('e'), ctrl: true, .. } => self.at = self.text.len(),
            Key { code: Code::Left, .. } => self.at = self.before(),
            Key { code: Code::Right, .. } => self.at = self.after(),
            Key { code: Code::Home, .. } => self.at = 0,
            Key { code: Code::End, .. } => self.at = self.text.len(),
            Key { code: Code::Backspace, .. } => {
                let from = self.before();
                self.text.drain(from..self.at);
                self.at = from;
            }
            Key { code: Code::Delete, .. } => {
                let to = self.after();
                self.text.drain(self.at..to);
            }
            key => match key.typed() {
                Some(c) => self.insert(c.encode_utf8(&mut [0; 4])),
                None => return false,
            },
        }
        true
    }

    /// Takes pasted text: line ends become spaces, so that nothing is sent by pasting.
    pub fn paste(&mut self, pasted: &str) {
        let one_line = pasted.replace("\r\n", " ").replace(['\r', '\n'], " ");
        self.insert(text::sanitise(&one_line).trim_end());
    }

    /// Draws the text and the cursor; what is too long shows its end.
    pub fn draw(&self, canvas: &mut Canvas, (x, y): (u16, u16), columns: u16) {
        let room = usize::from(columns).saturating_sub(1);
        let mut from = 0;
        let (before, _) = self.text.split_at(self.at);
        for (at, _) in before.grapheme_indices(true) {
            from = at;
            if text::width(before.get(at..).unwrap_or("")) <= room {
                break;
            }
        }
        let shown = self.text.get(from..).unwrap_or("");
        let used = canvas.put((x, y), columns, shown, Ink::Input);
        canvas.put((x + used, y), columns.saturating_sub(used), " ", Ink::Input);
        let cursor = text::width(self.text.get(from..self.at).unwrap_or(""));
        let cursor = u16::try_from(cursor).unwrap_or(u16::MAX).min(columns.saturating_sub(1));
        let area = ratatui::layout::Rect::new(x.saturating_add(cursor), y, 1, 1);
        canvas.tint(area, Ink::Selected);
    }

    fn insert(&mut self, new: &str) {
        if self.text.len() + new.len() <= BYTES_MAX {
            self.text.insert_str(self.at, new);
            self.at += new.len();
        }
    }

    fn drop_word(&mut self) {
        let (before, _) = self.text.split_at(self.at);
        let kept = before.trim_end().rfind(' ').map_or(0, |at| at + 1);
        self.text.drain(kept..self.at);
        self.at = kept;
    }

    fn before(&self) -> usize {
        let (before, _) = self.text.split_at(self.at);
        before.grapheme_indices(true).next_back().map_or(0, |(at, _)| at)
    }

    fn after(&self) -> usize {
        let (_, after) = self.text.split_at(self.at);
        after.graphemes(true).next().map_or(self.at, |grapheme| self.at + grapheme.len())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn editing_moves_by_grapheme_and_paste_is_one_line() {
        let mut input = Input::new("e\u{301}x");
        input.key(Key::plain(Code::Left));
        input.key(Key::plain(Code::Backspace));
        assert_eq!(input.text(), "x");
        input.paste("a\nb\r\n\x1b[2J");
        assert_eq!(input.text(), "a bx");
        input.key(Key::ctrl('w'));
        assert_eq!(input.text(), "a x");
        input.key(Key::ctrl('u'));
        assert_eq!(input.text(), "x");
        assert!(!input.key(Key::plain(Code::Up)));
    }
}
