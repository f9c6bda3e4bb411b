//! Server-sent events out of bytes, as they arrive.

/// Bytes of one event at most; more is nonsense.
const EVENT_MAX: usize = 32 * 1024 * 1024;

/// One event.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Message {
    /// Its name; empty if it has none.
    pub event: String,
    /// Its data; lines joined by line feeds.
    pub data: String,
    /// Its id, if it carries one.
    pub id: Option<String>,
}

/// Takes bytes in pieces of any size and gives whole events.
#[derive(Debug, Default)]
pub struct Parser {
    /// Bytes of a line that has not ended.
    rest: Vec<u8>,
    message: Message,
    /// There was a data line, if only an empty one.
    has_data: bool,
}

impl Parser {
    /// The events that `bytes` complete.
    ///
    /// # Errors
    /// When an event is larger than any of ours can be.
    pub fn push(&mut self, bytes: &[u8]) -> Result<Vec<Message>, &'static str> {
        let mut done = Vec::new();
        let mut lines = bytes.split(|byte| *byte == b'\n').peekable();
        while let Some(piece) = lines.next() {
            self.rest.extend_from_slice(piece);
            if self.rest.len() + self.message.data.len() > EVENT_MAX {
                return Err("an event is too large");
            }
            if lines.peek().is_none() {
                break;
            }
            let line = std::mem::take(&mut self.rest);
            let line = line.strip_suffix(b"\r").unwrap_or(&line);
            done.extend(self.line(&String::from_utf8_lossy(line)));
        }
        Ok(done)
    }

    /// One line; an empty one ends an event.
    fn line(&mut self, line: &str) -> Option<Message> {
        if line.is_empty() {
            let message = std::mem::take(&mut self.message);
            return std::mem::take(&mut self.has_data).then_some(message);
        }
        let (field, value) = line.split_once(':').unwrap_or((line, ""));
        let value = value.strip_prefix(' ').unwrap_or(value);
        match field {
            "event" => value.clone_into(&mut self.message.event),
            "id" => self.message.id = Some(value.to_owned()),
            "data" => {
                if self.has_data {
                    self.message.data.push('\n');
                }
                self.message.data.push_str(value);
                self.has_data = true;
            }
            // A comment (the empty field) or something newer.
            _ => {}
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = ": hello\n\nevent: job_ended\r\nid: 7\r\ndata: {\"a\":\r\ndata:1}\r\n\r\n\
        retry: 5\n\ndata\n\nevent: é\ndata:  x\n\n";

    fn message(event: &str, data: &str, id: Option<&str>) -> Message {
        Message { event: event.into(), data: data.into(), id: id.map(Into::into) }
    }

    #[test]
    fn events_come_out_whole_however_the_bytes_are_cut() {
        let expected = vec![
            message("job_ended", "{\"a\":\n1}", Some("7")),
            message("", "", None),
            message("é", " x", None),
        ];
        for size in 1..=TEXT.len() {
            let mut parser = Parser::default();
            let pushed = TEXT.as_bytes().chunks(size).map(|piece| parser.push(piece).unwrap());
            assert_eq!(pushed.flatten().collect::<Vec<_>>(), expected, "pieces of {size}");
        }
    }

    #[test]
    fn an_endless_line_is_refused_and_not_kept() {
        let mut parser = Parser::default();
        let piece = vec![b'x'; EVENT_MAX / 2 + 1];
        assert!(parser.push(&piece).is_ok());
        assert!(parser.push(&piece).is_err());
    }
}
