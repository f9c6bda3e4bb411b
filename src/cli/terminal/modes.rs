//! What a job's output switched on in our terminal, and the bytes that switch it off again.

use std::collections::BTreeSet;

/// Modes that are on in a terminal at rest: switching them off is what must be undone.
const ON_AT_REST: &[u16] = &[7, 25];

/// Follows output that went to the terminal. Feed it what [`super::filter::Filter`] let pass.
#[derive(Debug, Default)]
pub struct Modes {
    /// Private modes that differ from a terminal at rest.
    changed: BTreeSet<u16>,
    /// A control sequence that is not complete yet.
    open: Vec<u8>,
    /// Depth of the stack of keyboard modes.
    keyboard: u32,
}

impl Modes {
    /// Notes what these bytes switch.
    pub fn feed(&mut self, bytes: &[u8]) {
        for byte in bytes {
            match (self.open.len(), *byte) {
                (_, 0x1b) => self.open = vec![0x1b],
                (0, _) => {}
                (1, b'[') => self.open.push(b'['),
                (1, _) => self.open.clear(),
                (2..=128, 0x20..=0x3f) => self.open.push(*byte),
                (_, last) => {
                    self.sequence(last);
                    self.open.clear();
                }
            }
        }
    }

    fn sequence(&mut self, last: u8) {
        let parameters = self.open.get(2..).unwrap_or_default();
        let Some((kind, rest)) = parameters.split_first() else { return };
        match (kind, last) {
            (b'?', b'h' | b'l') => {
                let text = String::from_utf8_lossy(rest).into_owned();
                for mode in text.split(';').filter_map(|n| n.parse::<u16>().ok()) {
                    let at_rest = ON_AT_REST.contains(&mode) == (last == b'h');
                    if at_rest {
                        self.changed.remove(&mode);
                    } else {
                        self.changed.insert(mode);
                    }
                }
            }
            (b'>', b'u') => self.keyboard = self.keyboard.saturating_add(1),
            (b'<', b'u') => self.keyboard = self.keyboard.saturating_sub(1),
            _ => {}
        }
    }

    /// Bytes that bring the terminal back to rest: modes, keyboard, colours.
    pub fn undo(&self) -> Vec<u8> {
        let mut out = Vec::new();
        if self.keyboard > 0 {
            out.extend(format!("\x1b[<{}u", self.keyboard).bytes());
        }
        for mode in self.changed.iter().rev() {
            let back = if ON_AT_REST.contains(mode) { 'h' } else { 'l' };
            out.extend(format!("\x1b[?{mode}{back}").bytes());
        }
        out.extend(b"\x1b[0m");
        out
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn undo(text: &str) -> String {
        let mut modes = Modes::default();
        text.bytes().for_each(|byte| modes.feed(&[byte]));
        String::from_utf8(modes.undo()).unwrap()
    }

    #[test]
    fn only_what_was_left_switched_is_undone() {
        assert_eq!(undo("plain \x1b[31mred"), "\x1b[0m");
        assert_eq!(undo("\x1b[?1049h\x1b[?25l"), "\x1b[?1049l\x1b[?25h\x1b[0m");
        assert_eq!(undo("\x1b[?1049h\x1b[?1049l\x1b[?25l\x1b[?25h"), "\x1b[0m");
        assert_eq!(undo("\x1b[?1000;1006h"), "\x1b[?1006l\x1b[?1000l\x1b[0m");
        assert_eq!(undo("\x1b[>1u\x1b[>1u\x1b[<u"), "\x1b[<1u\x1b[0m");
        assert_eq!(undo("\x1b[?2004"), "\x1b[0m", "an unfinished sequence switched nothing");
    }
}
