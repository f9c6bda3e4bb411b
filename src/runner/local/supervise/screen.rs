//! What a terminal's output says, without drawing it: the line that stands last, and the
//! sequences by which a program calls for a person.

/// Bytes of a line that are kept; of a longer one, its end.
const LINE_MAX: usize = 1024;
/// Bytes of an operating system command that are kept: enough to know its kind.
const COMMAND_MAX: usize = 16;
/// Bytes of a line that are told.
const TOLD_MAX: usize = 200;

/// How a program called for a person in a piece of output.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Heard {
    /// The bell, a notification, or a shell that began its prompt.
    pub call: bool,
    /// A shell that started a command after that.
    pub working: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum State {
    Text,
    Escape,
    /// Between ESC and its last byte, as in `ESC ( B`.
    EscapeMore,
    Control,
    Command,
    CommandEscape,
    /// A string for the terminal alone, up to ST.
    Hidden,
    HiddenEscape,
}

/// Follows a terminal's output.
#[derive(Debug)]
pub struct Screen {
    state: State,
    line: Vec<u8>,
    last: Vec<u8>,
    returned: bool,
    command: Vec<u8>,
}

impl Screen {
    /// An empty screen.
    pub fn new() -> Screen {
        Screen {
            state: State::Text,
            line: Vec::new(),
            last: Vec::new(),
            returned: false,
            command: Vec::new(),
        }
    }

    /// Takes output in pieces of any size.
    pub fn feed(&mut self, bytes: &[u8]) -> Heard {
        let mut heard = Heard::default();
        for byte in bytes {
            self.state = self.step(*byte, &mut heard);
        }
        heard
    }

    /// The last line with something on it, as text without control characters.
    pub fn last_line(&self) -> String {
        let line = if is_blank(&self.line) { &self.last } else { &self.line };
        let text = String::from_utf8_lossy(line);
        let text: String = text.chars().filter(|c| !c.is_control()).collect();
        let text = text.trim();
        let mut from = text.len().saturating_sub(TOLD_MAX);
        while !text.is_char_boundary(from) {
            from += 1;
        }
        text.get(from..).unwrap_or_default().to_owned()
    }

    fn step(&mut self, byte: u8, heard: &mut Heard) -> State {
        match (self.state, byte) {
            // CAN and SUB end any sequence.
            (_, 0x18 | 0x1a) => State::Text,
            (State::Text, _) => self.text(byte, heard),
            (State::Command, 0x07) | (State::CommandEscape, b'\\') => self.end_command(heard),
            (State::Command, 0x1b) => State::CommandEscape,
            (State::Command, _) => {
                if self.command.len() < COMMAND_MAX {
                    self.command.push(byte);
                }
                State::Command
            }
            (State::Hidden, 0x1b) => State::HiddenEscape,
            (State::Hidden, _) => State::Hidden,
            (State::HiddenEscape, b'\\') => State::Text,
            (State::Escape | State::CommandEscape | State::HiddenEscape, _) => self.escape(byte),
            (State::EscapeMore, 0x20..=0x2f) => State::EscapeMore,
            (State::EscapeMore, _) => State::Text,
            (State::Control, 0x1b) => State::Escape,
            (State::Control, 0x40..=0x7e) => self.control(byte),
            (State::Control, _) => State::Control,
        }
    }

    fn text(&mut self, byte: u8, heard: &mut Heard) -> State {
        match byte {
            0x1b => return State::Escape,
            0x07 => heard.call = true,
            b'\n' | 0x0b | 0x0c => self.break_line(),
            b'\r' => self.returned = true,
            0x08 => {
                self.line.pop();
            }
            b'\t' => self.put(b' '),
            0x00..=0x1f | 0x7f => {}
            _ => self.put(byte),
        }
        State::Text
    }

    fn put(&mut self, byte: u8) {
        if std::mem::take(&mut self.returned) {
            self.line.clear();
        }
        if self.line.len() == LINE_MAX {
            self.line.drain(..LINE_MAX / 2);
        }
        self.line.push(byte);
    }

    fn break_line(&mut self) {
        self.returned = false;
        if is_blank(&self.line) {
            self.line.clear();
        } else {
            std::mem::swap(&mut self.line, &mut self.last);
            self.line.clear();
        }
    }

    fn escape(&mut self, byte: u8) -> State {
        match byte {
            b'[' => State::Control,
            b']' => {
                self.command.clear();
                State::Command
            }
            b'P' | b'X' | b'^' | b'_' => State::Hidden,
            b'D' | b'E' | b'M' => {
                self.break_line();
                State::Text
            }
            0x20..=0x2f => State::EscapeMore,
            0x1b => State::Escape,
            _ => State::Text,
        }
    }

    /// The last byte of a control sequence. A cursor that goes to another place goes to another
    /// line, as far as we care; one that goes right leaves a gap.
    fn control(&mut self, byte: u8) -> State {
        match byte {
            b'A' | b'B' | b'E' | b'F' | b'H' | b'J' | b'd' | b'f' => self.break_line(),
            b'C' => self.put(b' '),
            b'G' => self.returned = true,
            _ => {}
        }
        State::Text
    }

    /// 9 and 777 are notifications, except `9;4`, which shows progress; 133 marks a shell's
    /// prompt (A, B), its command (C) and the command's end (D).
    fn end_command(&mut self, heard: &mut Heard) -> State {
        let command = self.command.as_slice();
        if command.starts_with(b"133;A") || command.starts_with(b"133;B") {
            heard.call = true;
        } else if command.starts_with(b"133;C") {
            heard.call = false;
            heard.working = true;
        } else if command.starts_with(b"777;")
            || (command.starts_with(b"9;") && !command.starts_with(b"9;4"))
        {
            heard.call = true;
        }
        State::Text
    }
}

fn is_blank(line: &[u8]) -> bool {
    line.iter().all(u8::is_ascii_whitespace)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn after(bytes: &[u8]) -> (Heard, String) {
        let mut screen = Screen::new();
        let whole = screen.feed(bytes);
        let mut slow = Screen::new();
        let mut pieces = Heard::default();
        for byte in bytes {
            let heard = slow.feed(&[*byte]);
            pieces.call |= heard.call;
            pieces.working |= heard.working;
        }
        assert_eq!(slow.last_line(), screen.last_line(), "the size of pieces does not matter");
        assert_eq!(whole.working, pieces.working);
        (whole, screen.last_line())
    }

    #[test]
    fn the_last_line_is_what_a_person_would_see() {
        for (bytes, line) in [
            (&b"one\r\ntwo\r\n"[..], "two"),
            (b"Delete all? [y/N] ", "Delete all? [y/N]"),
            (b"\x1b[1;31mred\x1b[0m $ ", "red $"),
            (b"10%\r20%\r30%", "30%"),
            (b"abc\x08\x08x\r\n\r\n", "ax"),
            (b"\x1b]0;a title\x07prompt>", "prompt>"),
            (b"\x1b]0;a title\x1b\\prompt>", "prompt>"),
            (b"\x1bPhidden\x1b\\seen", "seen"),
            (b"\x1b(Bplain", "plain"),
            (b"up\x1b[5;1Hquestion?\x1b[K", "question?"),
            (b"two\x1b[3Cwords", "two words"),
            ("ö\u{9b}é".as_bytes(), "öé"),
            (b"\xff\xfe", "\u{fffd}\u{fffd}"),
            (b"", ""),
        ] {
            assert_eq!(after(bytes).1, line, "{bytes:?}");
        }
        let long = format!("{}é?", "x".repeat(5000));
        assert_eq!(after(long.as_bytes()).1.len(), TOLD_MAX);
        let wide = "é".repeat(3000) + "?";
        assert!(after(wide.as_bytes()).1.len() < TOLD_MAX);
    }

    #[test]
    fn calls_are_told_from_what_only_looks_like_one() {
        for (bytes, call) in [
            (&b"ding\x07"[..], true),
            (b"\x1b]9;build done\x07", true),
            (b"\x1b]777;notify;a;b\x1b\\", true),
            (b"\x1b]133;A\x07$ \x1b]133;B\x07", true),
            (b"\x1b]9;4;1;50\x07", false),
            (b"\x1b]0;title\x07", false),
            (b"\x1bPx\x07y\x1b\\", false),
            (b"plain", false),
        ] {
            assert_eq!(after(bytes).0.call, call, "{bytes:?}");
        }
        let mut screen = Screen::new();
        let heard = screen.feed(b"\x1b]133;B\x07ls\r\n\x1b]133;C\x07");
        assert_eq!(heard, Heard { call: false, working: true });
    }
}
