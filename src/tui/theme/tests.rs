//! Every theme: complete, readable, and telling states apart.

use super::super::depth::{Depth, rgb};
use super::*;

fn all() -> Vec<Theme> {
    BUILT_IN
        .iter()
        .map(|(name, _)| load(name).unwrap_or_else(|why| panic!("{name}: {why}")))
        .collect()
}

/// Relative luminance of sRGB.
fn luminance((r, g, b): (u8, u8, u8)) -> f64 {
    let part = |c: u8| {
        let c = f64::from(c) / 255.0;
        if c <= 0.03928 { c / 12.92 } else { ((c + 0.055) / 1.055).powf(2.4) }
    };
    0.2126 * part(r) + 0.7152 * part(g) + 0.0722 * part(b)
}

fn contrast(a: Color, b: Color) -> f64 {
    let (a, b) = (luminance(rgb(a).unwrap()), luminance(rgb(b).unwrap()));
    (a.max(b) + 0.05) / (a.min(b) + 0.05)
}

#[test]
fn every_theme_loads_under_its_name_and_names_every_role() {
    for (name, text) in BUILT_IN {
        assert_eq!(load(name).unwrap().name, *name);
        for ink in Ink::ALL {
            assert!(text.contains(&format!("\n{} ", ink.word())), "{name} lacks {}", ink.word());
        }
    }
}

#[test]
fn text_is_readable_on_its_background() {
    for theme in all() {
        let least: f64 = if theme.name == "high-contrast" { 7.0 } else { 4.5 };
        for ink in Ink::ALL {
            let style = theme.style(*ink);
            let or = |color: Option<Color>, screen: Color| match color {
                None | Some(Color::Reset) => screen,
                Some(color) => color,
            };
            let fg = or(style.fg, theme.screen.0);
            let bg = or(style.bg, theme.screen.1);
            // Lines and the unused part of a gauge need not be read.
            let least = if *ink == Ink::Border { 1.5 } else { least };
            let least = if *ink == Ink::Stale { least.min(3.0) } else { least };
            let got = contrast(fg, bg);
            assert!(got >= least, "{} {}: {got:.2}", theme.name, ink.word());
        }
    }
}

#[test]
fn what_matters_never_looks_plain() {
    let loud =
        [Ink::NeedsYou, Ink::Stuck, Ink::Bad, Ink::Selected, Ink::Alert, Ink::Danger, Ink::Halt];
    for theme in all() {
        for depth in [Depth::None, Depth::Sixteen, Depth::Palette, Depth::True] {
            let theme = theme.clone().at(depth);
            for ink in loud {
                let plain = theme.style(Ink::Plain);
                assert_ne!(theme.style(ink), plain, "{} {} {depth:?}", theme.name, ink.word());
            }
        }
    }
}

#[test]
fn without_colours_none_is_set() {
    for theme in all() {
        let theme = theme.at(Depth::None);
        for ink in Ink::ALL {
            let style = theme.style(*ink);
            assert_eq!((style.fg, style.bg), (None, None), "{}", theme.name);
        }
    }
}

#[test]
fn mistakes_are_named() {
    let say = |text: &str| parse(text).unwrap_err();
    assert!(say("name = 'x'\n[roles]\nstuk = {}").contains("did you mean stuck?"));
    assert!(say("name = 'x'\n[roles]\nstuck = { fg = 'rod' }").contains("is no colour"));
    assert!(load("drak").unwrap_err().contains("did you mean dark?"));
}

#[test]
fn the_screen_itself_keeps_to_the_colours_there_are() {
    for (depth, fits) in [
        (Depth::Palette, (|c| matches!(c, Color::Indexed(_))) as fn(Color) -> bool),
        (Depth::Sixteen, |c| !matches!(c, Color::Rgb(..) | Color::Indexed(16..))),
        (Depth::None, |c| c == Color::Reset),
    ] {
        let theme = load("dark").unwrap().at(depth);
        assert!(fits(theme.screen.0) && fits(theme.screen.1), "{depth:?} {:?}", theme.screen);
    }
}
