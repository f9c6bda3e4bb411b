//! Keys as the bytes a terminal would send.

use crate::tui::keys::{Code, Key};

/// The bytes of a key; `application` is the mode in which arrows begin with `ESC O`.
pub fn bytes(key: Key, application: bool) -> Vec<u8> {
    let mut out = Vec::new();
    if key.alt {
        out.push(0x1b);
    }
    let arrow = |letter: u8| match (key.ctrl, application) {
        (true, _) => [b"\x1b[1;5".as_slice(), &[letter]].concat(),
        (false, true) => vec![0x1b, b'O', letter],
        (false, false) => vec![0x1b, b'[', letter],
    };
    match key.code {
        Code::Char(c) if key.ctrl => out.extend(control(c)),
        Code::Char(c) => out.extend(c.encode_utf8(&mut [0; 4]).as_bytes()),
        Code::Enter => out.push(b'\r'),
        Code::Esc => out.push(0x1b),
        Code::Tab => out.push(b'\t'),
        Code::BackTab => out.extend(b"\x1b[Z"),
        Code::Backspace => out.push(0x7f),
        Code::Delete => out.extend(b"\x1b[3~"),
        Code::Insert => out.extend(b"\x1b[2~"),
        Code::Up => out.extend(arrow(b'A')),
        Code::Down => out.extend(arrow(b'B')),
        Code::Right => out.extend(arrow(b'C')),
        Code::Left => out.extend(arrow(b'D')),
        Code::Home => out.extend(arrow(b'H')),
        Code::End => out.extend(arrow(b'F')),
        Code::PageUp => out.extend(b"\x1b[5~"),
        Code::PageDown => out.extend(b"\x1b[6~"),
        Code::F(n) => out.extend(function(n)),
    }
    out
}

fn control(c: char) -> Option<u8> {
    match c {
        'a'..='z' => u8::try_from(c).ok().map(|byte| byte - b'a' + 1),
        '@' | ' ' | '2' => Some(0),
        '[' | '3' => Some(0x1b),
        '\\' | '4' => Some(0x1c),
        ']' | '5' => Some(0x1d),
        '^' | '6' => Some(0x1e),
        '_' | '7' | '/' => Some(0x1f),
        '?' | '8' => Some(0x7f),
        _ => None,
    }
}

fn function(n: u8) -> &'static [u8] {
    const KEYS: [&[u8]; 12] = [
        b"\x1bOP",
        b"\x1bOQ",
        b"\x1bOR",
        b"\x1bOS",
        b"\x1b[15~",
        b"\x1b[17~",
        b"\x1b[18~",
        b"\x1b[19~",
        b"\x1b[20~",
        b"\x1b[21~",
        b"\x1b[23~",
        b"\x1b[24~",
    ];
    KEYS.get(usize::from(n.saturating_sub(1))).copied().unwrap_or(b"")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_are_sent_as_terminals_send_them() {
        let sent = |text: &str, application| bytes(Key::parse(text).unwrap(), application);
        assert_eq!(sent("a", false), b"a");
        assert_eq!(sent("ctrl-c", false), [3]);
        assert_eq!(sent("alt-b", false), b"\x1bb");
        assert_eq!(sent("up", false), b"\x1b[A");
        assert_eq!(sent("up", true), b"\x1bOA");
        assert_eq!(sent("ctrl-left", true), b"\x1b[1;5D");
        assert_eq!(sent("f5", false), b"\x1b[15~");
        assert_eq!(sent("enter", false), b"\r");
    }
}
