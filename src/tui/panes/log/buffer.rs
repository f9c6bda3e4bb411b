//! Output as lines, bounded: the oldest go first. Nothing but colours survives of its escapes.

use std::collections::VecDeque;

use crate::base::Wall;
use crate::base::text::sanitise;

/// Bytes of text that are kept.
const BYTES_MAX: usize = 4 << 20;
/// Lines that are kept.
const LINES_MAX: usize = 50_000;
/// A line without an end is broken here.
const LINE_MAX: usize = 8 * 1024;

/// The kept end of some output. Lines are numbered from its beginning, so a place in it stays
/// where it is while old lines go.
#[derive(Debug, Default)]
pub struct Buffer {
    lines: VecDeque<(Option<Wall>, Box<str>)>,
    first: u64,
    bytes: usize,
    open: Vec<u8>,
    /// When the open line began.
    begun: Option<Wall>,
}

impl Buffer {
    /// Forgets everything.
    pub fn clear(&mut self) {
        *self = Buffer::default();
    }

    /// Takes bytes as they come, and when they were written.
    pub fn push(&mut self, at: Option<Wall>, bytes: &[u8]) {
        for piece in bytes.split_inclusive(|byte| *byte == b'\n') {
            if self.open.is_empty() {
                self.begun = at;
            }
            let room = LINE_MAX.saturating_sub(self.open.len());
            let (taken, over) = piece.split_at(piece.len().min(room));
            self.open.extend_from_slice(taken);
            if self.open.ends_with(b"\n") || !over.is_empty() {
                self.close();
                self.begun = at;
            }
            for chunk in over.chunks(LINE_MAX) {
                self.open.extend_from_slice(chunk);
                if self.open.len() >= LINE_MAX || self.open.ends_with(b"\n") {
                    self.close();
                }
            }
        }
    }

    /// Number of the first line that is kept.
    pub fn first(&self) -> u64 {
        self.first
    }

    /// Number after the last line; an unfinished line counts.
    pub fn end(&self) -> u64 {
        self.first + self.lines.len() as u64 + u64::from(!self.open.is_empty())
    }

    /// Number after the last line that is finished.
    pub fn closed(&self) -> u64 {
        self.first + self.lines.len() as u64
    }

    /// A line by its number: harmless text with colours only.
    pub fn line(&self, number: u64) -> Option<std::borrow::Cow<'_, str>> {
        let at = usize::try_from(number.checked_sub(self.first)?).ok()?;
        match self.lines.get(at) {
            Some((_, line)) => Some(line.as_ref().into()),
            None if at == self.lines.len() && !self.open.is_empty() => {
                Some(clean(&self.open).into())
            }
            None => None,
        }
    }

    /// When the first byte of a line was written, if that is known.
    pub fn time(&self, number: u64) -> Option<Wall> {
        let at = usize::try_from(number.checked_sub(self.first)?).ok()?;
        match self.lines.get(at) {
            Some((time, _)) => *time,
            None => self.begun.filter(|_| at == self.lines.len() && !self.open.is_empty()),
        }
    }

    fn close(&mut self) {
        let line = clean(&self.open).into_boxed_str();
        self.open.clear();
        self.bytes += line.len();
        self.lines.push_back((self.begun, line));
        while self.bytes > BYTES_MAX || self.lines.len() > LINES_MAX {
            let Some((_, old)) = self.lines.pop_front() else { return };
            self.bytes -= old.len();
            self.first += 1;
        }
    }
}

/// A line made harmless: of several texts written over each other the last, colours kept.
fn clean(bytes: &[u8]) -> String {
    let text = String::from_utf8_lossy(bytes);
    let text = text.trim_end_matches(['\n', '\r']);
    let text = text.rsplit('\r').find(|part| !part.is_empty()).unwrap_or("");
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find("\x1b[") {
        let (before, sequence) = rest.split_at(at);
        out.push_str(&sanitise(before));
        let body = sequence.get(2..).unwrap_or("");
        let end = body.find(|c: char| !matches!(c, '0'..='9' | ';' | ':')).unwrap_or(body.len());
        let (parameters, after) = body.split_at(end);
        if after.starts_with('m') && parameters.len() < 64 {
            out.push_str("\x1b[");
            out.push_str(parameters);
            out.push('m');
            rest = after.get(1..).unwrap_or("");
        } else {
            // Not a colour: whatever it is goes, with the text up to the next sequence.
            let next = body.find("\x1b[").map_or(body.len(), |next| next);
            let (foreign, after) = body.split_at(next);
            out.push_str(&sanitise(&format!("\x1b[{foreign}")));
            rest = after;
        }
    }
    out.push_str(&sanitise(rest));
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const PIECE: &str = "[\\x00-\\x7f]{0,6}|\\x1b\\[[0-9;?]{0,4}[mHJ]";

    fn lines(bytes: &[u8]) -> Vec<String> {
        let mut buffer = Buffer::default();
        buffer.push(None, bytes);
        (0..buffer.end()).filter_map(|n| buffer.line(n)).map(|line| line.into_owned()).collect()
    }

    #[test]
    fn only_colours_survive() {
        assert_eq!(lines(b"a\nb\r\nc"), ["a", "b", "c"]);
        assert_eq!(lines(b"10%\r20%\r30%\n"), ["30%"]);
        assert_eq!(lines(b"\x1b[31mred\x1b[0m\x1b[2J\x1b]0;t\x07x\n"), ["\x1b[31mred\x1b[0mx"]);
        assert_eq!(lines(b"a\tb\x07\n"), ["a    b\u{2407}"]);
        assert_eq!(lines(b"\x1b[38;5;9mx\x1b[?25hy\n"), ["\x1b[38;5;9mxy"]);
    }

    #[test]
    fn memory_is_bounded_and_numbers_go_on() {
        let mut buffer = Buffer::default();
        for _ in 0..LINES_MAX + 10 {
            buffer.push(None, b"x\n");
        }
        assert_eq!((buffer.first(), buffer.end()), (10, LINES_MAX as u64 + 10));
        let mut buffer = Buffer::default();
        buffer.push(None, &vec![b'x'; 3 * LINE_MAX + 5]);
        assert_eq!(buffer.end(), 4);
        assert!(buffer.line(0).is_some_and(|line| line.len() == LINE_MAX));
    }

    #[test]
    fn a_line_has_the_time_of_its_first_byte() {
        let mut buffer = Buffer::default();
        buffer.push(Some(Wall(1)), b"a\nb");
        buffer.push(Some(Wall(2)), b"c\n");
        buffer.push(Some(Wall(3)), b"d");
        buffer.push(None, b"e");
        let times: Vec<_> = (0..4).map(|n| buffer.time(n)).collect();
        assert_eq!(times, [Some(Wall(1)), Some(Wall(1)), Some(Wall(3)), None]);
    }

    proptest! {
        #[test]
        fn bytes_of_any_kind_leave_no_escape_but_colours(
            pieces in proptest::collection::vec(PIECE, 0..12),
        ) {
            for line in lines(pieces.concat().as_bytes()) {
                let without = super::super::sgr::plain(&line);
                prop_assert!(!without.chars().any(char::is_control), "{:?}", line);
            }
        }
    }
}
