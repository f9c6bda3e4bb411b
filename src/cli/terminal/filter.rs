//! A job's output on its way to a person's terminal: a stream filter for escape sequences.
//!
//! A job may draw; it may not set the clipboard, ask the terminal for answers that would be
//! typed back, or leave sequences open. Bytes come in any cut; memory is bounded.

/// What may pass besides text, tab and line ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Pass {
    /// Colours (SGR) only: a log among other lines.
    Colours,
    /// Whatever draws: the whole screen belongs to the job. `queries`: also what makes the
    /// terminal answer, when the answers are typed to the job.
    Screen {
        /// Let queries pass.
        queries: bool,
    },
}

/// Bytes of one control sequence that are kept; a longer one is dropped.
const SEQUENCE_MAX: usize = 128;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Inside {
    /// Plain text.
    Text,
    /// After 0xC2, which may begin an 8-bit control character.
    C2,
    /// After ESC.
    Escape,
    /// ESC and one intermediate byte: a designation of character sets.
    Designation,
    /// A control sequence (CSI).
    Control,
    /// A string (OSC, DCS, APC, PM, SOS) that is dropped to its end.
    Dropped,
    /// ESC inside a dropped string: its end, if a backslash follows.
    DroppedEscape,
}

/// The filter's state between two pieces of output.
#[derive(Debug, Clone)]
pub struct Filter {
    pass: Pass,
    inside: Inside,
    sequence: Vec<u8>,
}

impl Filter {
    /// A filter at the beginning of a text.
    pub fn new(pass: Pass) -> Filter {
        Filter { pass, inside: Inside::Text, sequence: Vec::new() }
    }

    /// Passes something else from here on.
    pub fn set(&mut self, pass: Pass) {
        self.pass = pass;
    }

    /// What of these bytes may be written to a terminal.
    pub fn feed(&mut self, bytes: &[u8]) -> Vec<u8> {
        let mut out = Vec::with_capacity(bytes.len());
        for byte in bytes {
            self.one(*byte, &mut out);
        }
        out
    }

    fn one(&mut self, byte: u8, out: &mut Vec<u8>) {
        match self.inside {
            Inside::Text => self.text(byte, out),
            Inside::C2 => {
                self.inside = Inside::Text;
                // U+0080 to U+009F are control characters: some terminals obey them.
                if !(0x80..=0x9f).contains(&byte) {
                    out.push(0xc2);
                    self.text(byte, out);
                }
            }
            Inside::Escape => self.escape(byte, out),
            Inside::Designation => self.end(byte, out, true),
            Inside::Control => self.control(byte, out),
            Inside::Dropped => match byte {
                0x1b => self.inside = Inside::DroppedEscape,
                0x07 | 0x18 | 0x1a => self.inside = Inside::Text,
                _ => {}
            },
            Inside::DroppedEscape => {
                self.inside = Inside::Text;
                if byte != b'\\' {
                    self.begin();
                    self.escape(byte, out);
                }
            }
        }
    }

    fn text(&mut self, byte: u8, out: &mut Vec<u8>) {
        match byte {
            0x1b => self.begin(),
            0xc2 => self.inside = Inside::C2,
            b'\t' | b'\n' | b'\r' => out.push(byte),
            // Backspace and the bell are drawing for a screen, and nothing in a log.
            0x07 | 0x08 | 0x0b | 0x0c | 0x0e | 0x0f if self.pass != Pass::Colours => out.push(byte),
            0x00..=0x1f | 0x7f => {}
            _ => out.push(byte),
        }
    }

    fn begin(&mut self) {
        self.inside = Inside::Escape;
        self.sequence.clear();
        self.sequence.push(0x1b);
    }

    fn escape(&mut self, byte: u8, out: &mut Vec<u8>) {
        match byte {
            b'[' => {
                self.sequence.push(byte);
                self.inside = Inside::Control;
            }
            b']' | b'P' | b'X' | b'^' | b'_' => self.inside = Inside::Dropped,
            0x20..=0x2f => {
                self.sequence.push(byte);
                self.inside = Inside::Designation;
            }
            0x1b => self.begin(),
            // ESC Z asks who the terminal is.
            b'Z' => self.inside = Inside::Text,
            0x30..=0x7e => self.end(byte, out, true),
            _ => {
                self.inside = Inside::Text;
                self.text(byte, out);
            }
        }
    }

    fn control(&mut self, byte: u8, out: &mut Vec<u8>) {
        match byte {
            0x20..=0x3f if self.sequence.len() < SEQUENCE_MAX => self.sequence.push(byte),
            // Too long: its bytes go nowhere, its end is still looked for.
            0x20..=0x3f => {}
            0x40..=0x7e => {
                let fits = self.sequence.len() < SEQUENCE_MAX;
                let may = fits && may_pass(self.pass, &self.sequence, byte);
                self.end(byte, out, may);
            }
            0x1b => self.begin(),
            0x18 | 0x1a => self.inside = Inside::Text,
            // Terminals obey control characters even inside a sequence.
            0x00..=0x1f => {
                let inside = self.inside;
                self.text(byte, out);
                self.inside = inside;
            }
            _ => self.inside = Inside::Text,
        }
    }

    /// The last byte of a sequence.
    fn end(&mut self, byte: u8, out: &mut Vec<u8>, may: bool) {
        self.inside = Inside::Text;
        let is_control = self.sequence.get(1) == Some(&b'[');
        if may && (is_control || self.pass != Pass::Colours) {
            out.extend(&self.sequence);
            out.push(byte);
        }
    }
}

/// May a control sequence pass? `sequence` starts with `ESC [`.
fn may_pass(pass: Pass, sequence: &[u8], last: u8) -> bool {
    let parameters = sequence.get(2..).unwrap_or_default();
    let private = parameters.first().is_some_and(|b| (0x3c..=0x3f).contains(b));
    let intermediate = parameters.iter().any(|b| (0x20..=0x2f).contains(b));
    match pass {
        Pass::Colours => last == b'm' && !private && !intermediate,
        Pass::Screen { queries } => {
            let asks = match last {
                b'c' | b'n' | b'x' => true,
                b'p' => parameters.contains(&b'$'),
                b'q' => parameters.first() == Some(&b'>'),
                b'u' => parameters.first() == Some(&b'?'),
                b'm' => parameters.first() == Some(&b'?'),
                _ => false,
            };
            // Window reports and moves are never part of drawing.
            last != b't' && (queries || !asks)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SCREEN: Pass = Pass::Screen { queries: false };

    fn filtered(pass: Pass, text: &str) -> String {
        // In one piece and byte by byte: the cut must not matter.
        let whole = Filter::new(pass).feed(text.as_bytes());
        let mut filter = Filter::new(pass);
        let single: Vec<u8> = text.bytes().flat_map(|byte| filter.feed(&[byte])).collect();
        assert_eq!(whole, single, "{text:?}");
        String::from_utf8(whole).unwrap()
    }

    #[test]
    fn a_log_keeps_text_and_colours_and_nothing_else() {
        for (given, shown) in [
            ("plain\ttext\r\n", "plain\ttext\r\n"),
            ("\x1b[1;31mred\x1b[0m", "\x1b[1;31mred\x1b[0m"),
            ("\x1b[38:2:1:2:3mx", "\x1b[38:2:1:2:3mx"),
            ("a\x1b[2Jb\x1b[Hc\x1b[?25ld", "abcd"),
            ("\x1b]52;c;c2VjcmV0\x07x", "x"),
            ("\x1b]0;title\x1b\\x", "x"),
            ("\x1bP+q544e\x1b\\x", "x"),
            ("\x1b_apc\x1b\\x\x1b^pm\x1b\\y", "xy"),
            ("\x1bcx\x1b(0y\x1b7z", "xyz"),
            ("\u{9b}2Jx é ü", "2Jx é ü"),
            ("bell\x07 back\x08 nul\0", "bell back nul"),
            ("\x1b[>4;2mx\x1b[?1mx", "xx"),
        ] {
            assert_eq!(filtered(Pass::Colours, given), shown, "{given:?}");
        }
    }

    #[test]
    fn a_screen_may_draw_but_not_ask_or_write_the_clipboard() {
        for (given, shown) in [
            ("\x1b[2J\x1b[1;1H\x1b[?1049h", "\x1b[2J\x1b[1;1H\x1b[?1049h"),
            ("\x1b7\x1b(B\x1b8", "\x1b7\x1b(B\x1b8"),
            ("\x1b[c\x1b[6n\x1b[?6n\x1b[>q\x1b[?u\x1b[?2026$px", "x"),
            ("\x1b[21t\x1b]52;c;eA==\x07\x1bZx", "x"),
            ("\x1b[2 q\x1b[1u\x1b[4m", "\x1b[2 q\x1b[1u\x1b[4m"),
        ] {
            assert_eq!(filtered(SCREEN, given), shown, "{given:?}");
        }
        assert_eq!(filtered(Pass::Screen { queries: true }, "\x1b[6n"), "\x1b[6n");
        assert_eq!(filtered(Pass::Screen { queries: true }, "\x1b[21t"), "");
    }

    #[test]
    fn an_endless_or_broken_sequence_takes_no_memory_and_ends() {
        let mut filter = Filter::new(SCREEN);
        assert_eq!(filter.feed(b"\x1b["), b"");
        for _ in 0..10_000 {
            assert_eq!(filter.feed(b"1;1;"), b"");
        }
        assert!(filter.sequence.len() <= SEQUENCE_MAX);
        assert_eq!(filter.feed(b"Hx"), b"x");
        assert_eq!(filtered(SCREEN, "\x1b[\x1b[1mx"), "\x1b[1mx");
        assert_eq!(filtered(SCREEN, "\x1b]0;open\x18x"), "x");
        assert_eq!(filtered(SCREEN, "\x1b]0;open\x1b[1mx"), "\x1b[1mx");
        assert_eq!(Filter::new(SCREEN).feed(b"\xff\xc2\xa0"), b"\xff\xc2\xa0");
    }
}
