//! How many colours a terminal has, and the nearest one to a wish.

use ratatui::style::Color;

/// Colours of a terminal.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Depth {
    /// None: bold, underline and reverse only.
    None,
    /// The sixteen of old.
    Sixteen,
    /// The palette of 256.
    Palette,
    /// 24 bits.
    True,
}

impl Depth {
    /// What the environment says: `NO_COLOR` set to anything but nothing means none.
    pub fn of_environment(read: &dyn Fn(&str) -> Option<String>) -> Depth {
        let has = |name: &str, part: &str| read(name).is_some_and(|value| value.contains(part));
        if read("NO_COLOR").is_some_and(|value| !value.is_empty()) {
            return Depth::None;
        }
        if has("COLORTERM", "truecolor") || has("COLORTERM", "24bit") || has("TERM", "direct") {
            return Depth::True;
        }
        if has("TERM", "256color") || has("TERM", "kitty") || has("TERM", "alacritty") {
            return Depth::Palette;
        }
        if has("TERM", "mono") || has("TERM", "vt100") || has("TERM", "vt220") {
            return Depth::None;
        }
        Depth::Sixteen
    }
}

/// The nearest colour a terminal of this depth has; `None` is its own default.
pub fn fit(color: Color, depth: Depth) -> Option<Color> {
    match (color, depth) {
        (_, Depth::None) => None,
        (Color::Rgb(r, g, b), Depth::Palette) => Some(Color::Indexed(palette(r, g, b))),
        (Color::Rgb(r, g, b), Depth::Sixteen) => Some(sixteen(r, g, b)),
        (Color::Indexed(n), Depth::Sixteen) if n > 15 => {
            let (r, g, b) = rgb_of_index(n);
            Some(sixteen(r, g, b))
        }
        (color, _) => Some(color),
    }
}

/// Red, green and blue of a colour as a common terminal shows it; `None` for the default.
pub fn rgb(color: Color) -> Option<(u8, u8, u8)> {
    let index = match color {
        Color::Reset => return None,
        Color::Rgb(r, g, b) => return Some((r, g, b)),
        Color::Indexed(n) => n,
        named => u8::try_from(NAMED.iter().position(|known| *known == named)?).ok()?,
    };
    Some(rgb_of_index(index))
}

/// The sixteen by their number.
pub const NAMED: [Color; 16] = [
    Color::Black,
    Color::Red,
    Color::Green,
    Color::Yellow,
    Color::Blue,
    Color::Magenta,
    Color::Cyan,
    Color::Gray,
    Color::DarkGray,
    Color::LightRed,
    Color::LightGreen,
    Color::LightYellow,
    Color::LightBlue,
    Color::LightMagenta,
    Color::LightCyan,
    Color::White,
];

const SIXTEEN: [(u8, u8, u8); 16] = [
    (0x1c, 0x1f, 0x26),
    (0xcd, 0x4b, 0x4b),
    (0x4c, 0xa8, 0x5b),
    (0xc8, 0x9b, 0x2f),
    (0x4a, 0x86, 0xcf),
    (0xa8, 0x62, 0xc4),
    (0x35, 0xa3, 0xa8),
    (0xc8, 0xcc, 0xd4),
    (0x7a, 0x80, 0x8c),
    (0xf0, 0x71, 0x71),
    (0x7a, 0xd1, 0x86),
    (0xf0, 0xc6, 0x60),
    (0x7a, 0xb0, 0xf2),
    (0xcf, 0x8f, 0xe8),
    (0x6a, 0xd3, 0xd8),
    (0xf4, 0xf6, 0xfa),
];

const STEPS: [u8; 6] = [0, 95, 135, 175, 215, 255];

fn rgb_of_index(n: u8) -> (u8, u8, u8) {
    let step = |at: u8| STEPS.get(usize::from(at)).copied().unwrap_or(0);
    match n {
        0..16 => SIXTEEN.get(usize::from(n)).copied().unwrap_or_default(),
        16..232 => {
            let n = n - 16;
            (step(n / 36), step(n / 6 % 6), step(n % 6))
        }
        _ => {
            let grey = 8 + (n - 232) * 10;
            (grey, grey, grey)
        }
    }
}

fn distance(a: (u8, u8, u8), b: (u8, u8, u8)) -> u32 {
    let square = |x: u8, y: u8| u32::from(x.abs_diff(y)).pow(2);
    // The eye weighs green most and blue least.
    3 * square(a.0, b.0) + 6 * square(a.1, b.1) + square(a.2, b.2)
}

fn palette(r: u8, g: u8, b: u8) -> u8 {
    let near = |n: &u8| distance(rgb_of_index(*n), (r, g, b));
    (16..=255).min_by_key(near).unwrap_or(16)
}

fn sixteen(r: u8, g: u8, b: u8) -> Color {
    let near = |at: &usize| distance(SIXTEEN.get(*at).copied().unwrap_or_default(), (r, g, b));
    let at = (0..16).min_by_key(near).unwrap_or(7);
    NAMED.get(at).copied().unwrap_or(Color::Reset)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn depth(pairs: &[(&str, &str)]) -> Depth {
        Depth::of_environment(&|name| {
            pairs.iter().find(|(key, _)| *key == name).map(|(_, value)| (*value).to_owned())
        })
    }

    #[test]
    fn the_environment_says_how_many_colours() {
        assert_eq!(depth(&[("TERM", "xterm-256color")]), Depth::Palette);
        let full = [("TERM", "xterm-256color"), ("COLORTERM", "truecolor")];
        assert_eq!(depth(&full), Depth::True);
        assert_eq!(depth(&[("NO_COLOR", "1"), ("COLORTERM", "truecolor")]), Depth::None);
        assert_eq!(depth(&[("NO_COLOR", ""), ("TERM", "xterm")]), Depth::Sixteen);
        assert_eq!(depth(&[("TERM", "vt100")]), Depth::None);
    }

    #[test]
    fn colours_fit_the_depth() {
        assert_eq!(fit(Color::Rgb(255, 0, 0), Depth::Palette), Some(Color::Indexed(196)));
        assert_eq!(fit(Color::Rgb(0xf0, 0x70, 0x70), Depth::Sixteen), Some(Color::LightRed));
        assert_eq!(fit(Color::Red, Depth::None), None);
        assert_eq!(fit(Color::Red, Depth::True), Some(Color::Red));
    }
}
