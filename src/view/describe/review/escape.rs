//! Foreign text with nothing left out and nothing done: what a terminal would obey, hide or draw
//! over other text stands there as an escape.
//!
//! `base::text::sanitise` drops escape sequences, which is right for a name in a list. Where
//! somebody decides about exact bytes nothing may be dropped.

use unicode_width::UnicodeWidthChar;

use crate::base::text::{LINE_MARK, sanitise};

/// A part of a text: as it is, or an escape for what is there.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Piece {
    /// What is shown.
    pub text: String,
    /// It is an escape.
    pub escape: bool,
}

/// The text in pieces; joined they show every character of it.
pub fn pieces(text: &str) -> Vec<Piece> {
    let mut out: Vec<Piece> = Vec::new();
    let mut add = |text: &str, escape: bool| match out.last_mut() {
        Some(last) if last.escape == escape => last.text.push_str(text),
        _ => out.push(Piece { text: text.to_owned(), escape }),
    };
    for c in text.chars() {
        match escape(c) {
            Some(shown) => add(&shown, true),
            None => add(c.encode_utf8(&mut [0; 4]), false),
        }
    }
    out
}

/// The same as one text.
pub fn escaped(text: &str) -> String {
    pieces(text).into_iter().map(|piece| piece.text).collect()
}

/// Something in it stands there as an escape.
pub fn has_escapes(text: &str) -> bool {
    text.chars().any(|c| escape(c).is_some())
}

/// What stands for a character that is not shown as itself.
fn escape(c: char) -> Option<String> {
    match c {
        ' '..='~' => return None,
        '\n' => return Some("\\n".to_owned()),
        '\r' => return Some("\\r".to_owned()),
        '\t' => return Some("\\t".to_owned()),
        _ => {}
    }
    // A space that is none, a mark on the character before, and our own mark for a line's end.
    let odd = c.is_whitespace() || c == LINE_MARK || c.width().is_none_or(|width| width == 0);
    let itself = !odd && sanitise(c.encode_utf8(&mut [0; 4])) == *c.encode_utf8(&mut [0; 4]);
    (!itself).then(|| format!("\\u{{{:x}}}", u32::from(c)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn nothing_is_dropped_and_nothing_acts() {
        assert_eq!(escaped("a\x1b[2Jb\u{202e}c\u{200b}d"), r"a\u{1b}[2Jb\u{202e}c\u{200b}d");
        assert_eq!(escaped("a\tb\r\nü日\u{a0}e\u{301}"), r"a\tb\r\nü日\u{a0}e\u{301}");
        assert_eq!(escaped("\x07\x1b]52;c;aGk=\x07"), r"\u{7}\u{1b}]52;c;aGk=\u{7}");
        assert!(has_escapes("⏎") && !has_escapes("pay --to \"A\""));
        let both = pieces("a\x07\x08b");
        assert_eq!(both.iter().map(|p| p.escape).collect::<Vec<_>>(), [false, true, false]);
    }

    proptest! {
        #[test]
        fn whatever_it_is_a_terminal_only_draws_it(text in any::<String>()) {
            let shown = escaped(&text);
            prop_assert_eq!(sanitise(&shown), shown.as_str());
            prop_assert!(shown.chars().count() >= text.chars().count());
        }
    }
}
