//! Colours in output: text between SGR sequences, each piece with its style.
//!
//! Only what helps reading is taken: colours, bold, italic, underline, reverse. Hidden and
//! blinking text is shown as it is.

use ratatui::style::{Color, Modifier, Style};

use crate::tui::theme::depth::NAMED;

/// Pieces of a line with their styles.
pub fn spans(line: &str) -> impl Iterator<Item = (Style, &str)> {
    let mut style = Style::new();
    let mut rest = line;
    std::iter::from_fn(move || {
        while let Some(body) = rest.strip_prefix("\x1b[") {
            let end = body.find('m')?;
            let (parameters, after) = body.split_at(end);
            style = applied(style, parameters);
            rest = after.get(1..).unwrap_or("");
        }
        if rest.is_empty() {
            return None;
        }
        let end = rest.find("\x1b[").unwrap_or(rest.len());
        let (text, after) = rest.split_at(end);
        rest = after;
        Some((style, text))
    })
}

/// The line without colours.
pub fn plain(line: &str) -> String {
    spans(line).map(|(_, text)| text).collect()
}

fn applied(mut style: Style, parameters: &str) -> Style {
    let mut numbers = parameters.split([';', ':']).map(|n| n.parse::<u16>().unwrap_or(0));
    while let Some(n) = numbers.next() {
        style = match n {
            0 => Style::new(),
            1 => style.add_modifier(Modifier::BOLD),
            3 => style.add_modifier(Modifier::ITALIC),
            4 => style.add_modifier(Modifier::UNDERLINED),
            7 => style.add_modifier(Modifier::REVERSED),
            22 => style.remove_modifier(Modifier::BOLD),
            23 => style.remove_modifier(Modifier::ITALIC),
            24 => style.remove_modifier(Modifier::UNDERLINED),
            27 => style.remove_modifier(Modifier::REVERSED),
            30..=37 => Style { fg: named(n - 30), ..style },
            38 => Style { fg: extended(&mut numbers), ..style },
            39 => Style { fg: None, ..style },
            40..=47 => Style { bg: named(n - 40), ..style },
            48 => Style { bg: extended(&mut numbers), ..style },
            49 => Style { bg: None, ..style },
            90..=97 => Style { fg: named(n - 82), ..style },
            100..=107 => Style { bg: named(n - 92), ..style },
            _ => style,
        };
    }
    style
}

fn named(n: u16) -> Option<Color> {
    NAMED.get(usize::from(n)).copied()
}

fn extended(numbers: &mut impl Iterator<Item = u16>) -> Option<Color> {
    let mut byte = || numbers.next().and_then(|n| u8::try_from(n).ok());
    match byte()? {
        5 => byte().map(Color::Indexed),
        2 => Some(Color::Rgb(byte()?, byte()?, byte()?)),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn colours_become_styles() {
        let found: Vec<_> = spans("a\x1b[31;1mb\x1b[0mc\x1b[38;5;9md\x1b[38;2;1;2;3me").collect();
        assert_eq!(found[0], (Style::new(), "a"));
        assert_eq!(found[1], (Style::new().fg(Color::Red).add_modifier(Modifier::BOLD), "b"));
        assert_eq!(found[2], (Style::new(), "c"));
        assert_eq!(found[3].0.fg, Some(Color::Indexed(9)));
        assert_eq!(found[4].0.fg, Some(Color::Rgb(1, 2, 3)));
        assert_eq!(plain("\x1b[31mx\x1b[my"), "xy");
    }
}
