//! The text form of a place in a listing: opaque, safe in an address.

use super::WireError;
use crate::model::page::{Cursor, Lane};

const LANES: [Lane; 4] = [Lane::Human, Lane::Running, Lane::Queued, Lane::Ended];

/// Hexadecimal fields between dots.
pub fn cursor_text(cursor: Cursor) -> String {
    let (a, b, c) = cursor.place;
    let lane = cursor.lane.word().get(..1).unwrap_or_default();
    format!("{lane}.{a:x}.{b:x}.{c:x}")
}

/// Reads what [`cursor_text`] wrote.
///
/// # Errors
/// When the text is anything else.
pub fn cursor_of(text: &str) -> Result<Cursor, WireError> {
    let bad = || WireError(format!("cursor {text:?} was not given out by this server"));
    let mut parts = text.split('.');
    let first = parts.next().unwrap_or_default();
    let lane = LANES.into_iter().find(|lane| lane.word().get(..1) == Some(first));
    let mut number = || {
        let part = parts.next().filter(|part| part.bytes().all(|b| b.is_ascii_hexdigit()));
        part.and_then(|part| u64::from_str_radix(part, 16).ok()).ok_or_else(bad)
    };
    let place = (number()?, number()?, number()?);
    match (lane, parts.next()) {
        (Some(lane), None) => Ok(Cursor { lane, place }),
        _ => Err(bad()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cursor_reads_back_and_nothing_else_does() {
        for lane in LANES {
            let cursor = Cursor { lane, place: (u64::MAX, 0, 42) };
            assert_eq!(cursor_of(&cursor_text(cursor)), Ok(cursor));
        }
        for bad in ["", "q", "q.1.2", "q.1.2.3.4", "x.1.2.3", "q.+1.2.3", "q.1.2.", "é.1.2.3"] {
            assert!(cursor_of(bad).is_err(), "{bad}");
        }
    }
}
