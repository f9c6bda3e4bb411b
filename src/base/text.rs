//! Text on a terminal: how wide it is, how it is cut, and how foreign text is made harmless.
//!
//! Everything that a job, a file or another person wrote goes through [`sanitise`] before it is
//! shown. Widths are columns, counted by grapheme.

use std::borrow::Cow;

use unicode_segmentation::UnicodeSegmentation;
use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

/// The mark of a text that was cut.
pub const ELLIPSIS: char = '…';
/// Stands where a line ended.
pub const LINE_MARK: char = '⏎';
/// Stands where something was that cannot be shown.
const HIDDEN: char = '\u{FFFD}';
const TAB: &str = "    ";
/// Marks that may be piled on one character; more would be drawn over other lines.
const MARKS_MAX: usize = 3;

/// Columns a text takes.
pub fn width(text: &str) -> usize {
    if text.bytes().all(|b| (0x20..0x7f).contains(&b)) {
        return text.len();
    }
    text.graphemes(true).map(UnicodeWidthStr::width).sum()
}

/// The text, or as much of its beginning as fits `columns` with an ellipsis at its end.
pub fn cut(text: &str, columns: usize) -> Cow<'_, str> {
    if width(text) <= columns {
        return Cow::Borrowed(text);
    }
    let Some(room) = columns.checked_sub(1) else { return Cow::Borrowed("") };
    let mut out = String::with_capacity(columns);
    let mut used = 0;
    for grapheme in text.graphemes(true) {
        used += grapheme.width();
        if used > room {
            break;
        }
        out.push_str(grapheme);
    }
    out.push(ELLIPSIS);
    Cow::Owned(out)
}

/// The text at exactly `columns`: cut, or filled with spaces on the right.
pub fn pad(text: &str, columns: usize) -> String {
    let mut out = cut(text, columns).into_owned();
    let missing = columns.saturating_sub(width(&out));
    out.extend(std::iter::repeat_n(' ', missing));
    out
}

/// The text at exactly `columns`: cut, or filled with spaces on the left.
pub fn pad_left(text: &str, columns: usize) -> String {
    let text = cut(text, columns);
    let missing = columns.saturating_sub(width(&text));
    let mut out = " ".repeat(missing);
    out.push_str(&text);
    out
}

/// Folds a text into lines of at most `columns`, at spaces where there are any. Line ends in
/// the text stay line ends; an empty text is one empty line.
pub fn fold_lines(text: &str, columns: usize) -> Vec<String> {
    let columns = columns.max(1);
    let mut lines = Vec::new();
    for line in text.split('\n') {
        let mut current = String::new();
        let mut used = 0;
        for word in line.split_inclusive(' ') {
            let wide = width(word.trim_end());
            if used + wide > columns && used > 0 {
                lines.push(std::mem::take(&mut current).trim_end().to_owned());
                used = 0;
                if word.trim().is_empty() {
                    continue;
                }
            }
            used = if wide > columns {
                split_hard(word, columns, &mut current, &mut lines)
            } else {
                current.push_str(word);
                used + width(word)
            };
        }
        lines.push(current.trim_end().to_owned());
    }
    lines
}

/// Lays a word that is wider than a line over several; returns the columns used in the last.
fn split_hard(word: &str, columns: usize, current: &mut String, lines: &mut Vec<String>) -> usize {
    let mut used = 0;
    for grapheme in word.graphemes(true) {
        let wide = grapheme.width();
        if used + wide > columns && used > 0 {
            lines.push(std::mem::take(current));
            used = 0;
        }
        current.push_str(grapheme);
        used += wide;
    }
    used
}

/// Foreign text as one line that a terminal only draws.
///
/// Escape sequences disappear; other control characters, direction overrides and invisible
/// characters become visible marks; tabs become spaces; line ends become `⏎`. The result holds
/// no control character and sanitising it again changes nothing.
pub fn sanitise(text: &str) -> Cow<'_, str> {
    let harmless = |b: u8| (0x20..0x7f).contains(&b);
    if text.bytes().all(harmless) {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len());
    let mut marks = 0;
    let mut rest = text;
    while let Some(c) = rest.chars().next() {
        if let Some(after) = skip_escape(rest) {
            rest = after;
            continue;
        }
        rest = rest.get(c.len_utf8()..).unwrap_or("");
        match seen(c) {
            Seen::Itself if c.width() == Some(0) => {
                marks += 1;
                if marks <= MARKS_MAX {
                    out.push(c);
                }
                continue;
            }
            Seen::Itself => out.push(c),
            Seen::Mark(mark) => out.push(mark),
            Seen::Tab => out.push_str(TAB),
            Seen::LineEnd => {
                if c == '\r' && rest.starts_with('\n') {
                    continue;
                }
                out.push(LINE_MARK);
            }
            Seen::Nothing => continue,
        }
        marks = 0;
    }
    if out == text { Cow::Borrowed(text) } else { Cow::Owned(out) }
}

/// [`sanitise`] for bytes of any kind; what is not UTF-8 becomes `�`.
pub fn sanitise_bytes(bytes: &[u8]) -> String {
    sanitise(&String::from_utf8_lossy(bytes)).into_owned()
}

/// What is shown for a character.
enum Seen {
    Itself,
    Mark(char),
    Tab,
    LineEnd,
    Nothing,
}

fn seen(c: char) -> Seen {
    match c {
        '\t' => Seen::Tab,
        '\n' | '\u{0b}' | '\u{0c}' | '\u{85}' | '\u{2028}' | '\u{2029}' => Seen::LineEnd,
        '\r' => Seen::LineEnd,
        // The picture of a control character stands 0x2400 above it.
        '\0'..='\u{1f}' => Seen::Mark(char::from_u32(0x2400 + u32::from(c)).unwrap_or(HIDDEN)),
        '\u{7f}' => Seen::Mark('␡'),
        '\u{80}'..='\u{9f}' => Seen::Mark(HIDDEN),
        // Joiners inside emoji and their style: without them the parts are drawn side by side,
        // and take the same columns on every terminal, also on one that joins nothing.
        '\u{200d}' | '\u{fe00}'..='\u{fe0f}' => Seen::Nothing,
        _ if is_direction(c) || is_invisible(c) => Seen::Mark(HIDDEN),
        _ => Seen::Itself,
    }
}

/// Marks, embeddings, overrides and isolates of text direction.
fn is_direction(c: char) -> bool {
    matches!(c, '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}'
        | '\u{2066}'..='\u{2069}')
}

/// Characters that take no room or look like none, and so can hide or fake text.
fn is_invisible(c: char) -> bool {
    matches!(c, '\u{ad}' | '\u{34f}' | '\u{115f}' | '\u{1160}' | '\u{17b4}' | '\u{17b5}'
        | '\u{180b}'..='\u{180f}' | '\u{200b}' | '\u{200c}' | '\u{2060}'..='\u{2065}'
        | '\u{206a}'..='\u{206f}' | '\u{2800}' | '\u{3164}' | '\u{feff}' | '\u{ffa0}'
        | '\u{fff0}'..='\u{fffb}' | '\u{1bca0}'..='\u{1bca3}' | '\u{1d173}'..='\u{1d17a}'
        | '\u{e0000}'..='\u{e0fff}')
}

/// What follows the escape sequence that `text` starts with; `None` when it starts with none
/// or with one that has no end (whose ESC is then shown as a mark).
fn skip_escape(text: &str) -> Option<&str> {
    let mut chars = text.chars();
    let first = chars.next()?;
    let kind = match first {
        '\u{1b}' => chars.next()?,
        // The eight-bit forms of CSI, OSC, DCS, SOS, PM and APC.
        '\u{9b}' => '[',
        '\u{9d}' => ']',
        '\u{90}' => 'P',
        '\u{98}' => 'X',
        '\u{9e}' => '^',
        '\u{9f}' => '_',
        _ => return None,
    };
    let body = chars.as_str();
    match kind {
        '[' => {
            let end = body.find(|c| !matches!(c, '\u{20}'..='\u{3f}'))?;
            let (_, rest) = body.split_at(end);
            let last = rest.chars().next()?;
            matches!(last, '\u{40}'..='\u{7e}').then(|| rest.get(1..)).flatten()
        }
        ']' | 'P' | 'X' | '^' | '_' => {
            let end = body.find(['\u{07}', '\u{1b}', '\u{9c}', '\u{18}', '\u{1a}'])?;
            let rest = body.get(end..)?;
            rest.strip_prefix("\u{1b}\\")
                .or_else(|| rest.strip_prefix(['\u{07}', '\u{9c}', '\u{18}', '\u{1a}']))
        }
        '\u{20}'..='\u{2f}' => {
            let end = body.find(|c| !matches!(c, '\u{20}'..='\u{2f}'))?;
            let rest = body.get(end..)?;
            let last = rest.chars().next()?;
            matches!(last, '\u{30}'..='\u{7e}').then(|| rest.get(1..)).flatten()
        }
        '\u{30}'..='\u{7e}' => Some(body),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn width_is_in_columns() {
        for (text, columns) in
            [("abc", 3), ("日本", 4), ("e\u{301}", 1), ("👨\u{200d}👩", 2), ("", 0)]
        {
            assert_eq!(width(text), columns, "{text}");
        }
    }

    #[test]
    fn cutting_never_exceeds_the_room_and_never_halves_a_character() {
        assert_eq!(cut("finetune-70b", 8), "finetun…");
        assert_eq!(cut("日本語", 4), "日…");
        assert_eq!(cut("日本語", 6), "日本語");
        assert_eq!(cut("abc", 1), "…");
        assert_eq!(cut("abc", 0), "");
        assert_eq!(pad("日本語", 4), "日… ");
        assert_eq!(pad("a", 3), "a  ");
        assert_eq!(pad_left("7", 3), "  7");
    }

    #[test]
    fn folding_breaks_at_spaces_and_only_if_it_must_inside_a_word() {
        assert_eq!(fold_lines("limit 2h, ran 1h", 8), ["limit", "2h, ran", "1h"]);
        assert_eq!(fold_lines("needs 4 GPUs on one node", 10), ["needs 4", "GPUs on", "one node"]);
        assert_eq!(fold_lines("abcdefgh ij", 5), ["abcde", "fgh", "ij"]);
        assert_eq!(fold_lines("a\n\nb", 5), ["a", "", "b"]);
        assert_eq!(fold_lines("", 5), [""]);
        assert_eq!(fold_lines("日本", 1), ["日", "本"]);
    }

    #[test]
    fn hostile_text_becomes_harmless() {
        for (text, shown) in [
            ("plain", "plain"),
            ("naïve 日本", "naïve 日本"),
            ("\x1b[31mred\x1b[0m", "red"),
            ("\x1b]0;title\x07x", "x"),
            ("\x1b]8;;http://e\x1b\\link\x1b]8;;\x1b\\", "link"),
            ("\x1bP1$r\x1b\\y", "y"),
            ("\u{9b}31mred", "red"),
            ("\x1b(Bx\x1bcy", "xy"),
            ("end\x1b", "end␛"),
            ("\x1b[12", "␛[12"),
            ("\x1b]0;open", "␛]0;open"),
            ("a\tb", "a    b"),
            ("a\r\nb\nc\rd", "a⏎b⏎c⏎d"),
            ("bell\x07 nul\0 del\x7f", "bell␇ nul␀ del␡"),
            ("\u{202e}evil\u{2066}", "�evil�"),
            ("ze\u{200b}ro\u{feff}", "ze�ro�"),
            ("tag\u{e0041}", "tag�"),
            ("👨\u{200d}👩☑\u{fe0f}", "👨👩☑"),
            ("z\u{301}\u{301}\u{301}\u{301}\u{301}", "z\u{301}\u{301}\u{301}"),
            ("\x1b\x1b[0m[31m", "␛[31m"),
        ] {
            assert_eq!(sanitise(text), shown, "{text:?}");
        }
        assert_eq!(sanitise_bytes(b"ok \xff\x9b31m"), "ok ��31m");
        assert!(matches!(sanitise("naïve"), Cow::Borrowed(_)));
    }

    fn hostile() -> impl Strategy<Value = String> {
        let piece = prop_oneof![
            any::<char>().prop_map(String::from),
            "[\\x00-\\x1f\\x7f-\\x9f]{1,3}",
            "\\x1b[\\[\\]P_^X(#c][ -~]{0,6}[\\x07mH]?",
            "[\\u{200b}-\\u{200f}\\u{202a}-\\u{202e}\\u{2060}-\\u{206f}\\u{feff}]{1,2}",
            "[ -~]{0,5}",
            Just("\u{301}".to_owned()),
        ];
        proptest::collection::vec(piece, 0..12).prop_map(|parts| parts.concat())
    }

    proptest! {
        #[test]
        fn nothing_that_acts_passes(text in hostile()) {
            let once = sanitise(&text).into_owned();
            let acts = |c: char| c.is_control() || is_direction(c) || is_invisible(c);
            prop_assert!(!once.chars().any(acts), "{:?}", once);
            prop_assert_eq!(sanitise(&once), once.as_str());
        }

        #[test]
        fn bytes_of_any_kind_pass(bytes: Vec<u8>) {
            prop_assert!(!sanitise_bytes(&bytes).chars().any(char::is_control));
        }

        #[test]
        fn what_is_cut_fits(text in hostile(), columns in 0usize..20) {
            let text = sanitise(&text);
            prop_assert!(width(&cut(&text, columns)) <= columns);
            prop_assert_eq!(width(&pad(&text, columns)), columns);
            let wide = columns.max(2);
            prop_assert!(fold_lines(&text, wide).iter().all(|line| width(line) <= wide));
        }
    }
}
