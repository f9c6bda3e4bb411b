//! Themes from TOML: a palette of names and a style for each role.
//!
//! A colour is `"#rrggbb"`, one of the terminal's sixteen (`"red"`, `"light-red"`), `"default"`
//! or a name from `[palette]`. Roles that a file leaves out look plain.

use std::collections::BTreeMap;

use ratatui::style::{Color, Modifier, Style};
use serde::Deserialize;

use super::{Ink, Theme};
use crate::base::nearest;

/// The themes that come with the program: name and file.
pub const BUILT_IN: &[(&str, &str)] = &[
    ("terminal", include_str!("../../../themes/terminal.toml")),
    ("dark", include_str!("../../../themes/dark.toml")),
    ("light", include_str!("../../../themes/light.toml")),
    ("high-contrast", include_str!("../../../themes/high-contrast.toml")),
    ("colour-blind", include_str!("../../../themes/colour-blind.toml")),
    ("mono", include_str!("../../../themes/mono.toml")),
];

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    name: String,
    #[serde(default)]
    about: String,
    #[serde(default)]
    screen: Screen,
    #[serde(default)]
    palette: BTreeMap<String, String>,
    roles: BTreeMap<String, Look>,
}

#[derive(Deserialize, Default)]
#[serde(deny_unknown_fields, default)]
struct Screen {
    fg: Option<String>,
    bg: Option<String>,
    paint: bool,
}

#[derive(Deserialize, Default)]
#[serde(deny_unknown_fields, default)]
struct Look {
    fg: Option<String>,
    bg: Option<String>,
    bold: bool,
    dim: bool,
    italic: bool,
    underline: bool,
    reverse: bool,
}

/// A theme by name.
///
/// # Errors
/// There is none of this name; the text names the nearest.
pub fn load(name: &str) -> Result<Theme, String> {
    let known = BUILT_IN.iter().find(|(known, _)| *known == name);
    let Some((_, text)) = known else {
        let names: Vec<_> = BUILT_IN.iter().map(|(name, _)| *name).collect();
        return Err(match nearest(name, names.iter().copied()) {
            Some(near) => format!("there is no theme {name:?}; did you mean {near}?"),
            None => format!("there is no theme {name:?}; there are {}", names.join(", ")),
        });
    };
    parse(text)
}

/// A theme from its file.
///
/// # Errors
/// What is wrong with the file.
pub fn parse(text: &str) -> Result<Theme, String> {
    let file: File = toml::from_str(text).map_err(|error| error.to_string())?;
    let color = |text: &Option<String>| match text {
        Some(text) => color(text, &file.palette).map(Some),
        None => Ok(None),
    };
    for name in file.roles.keys() {
        if !Ink::ALL.iter().any(|ink| ink.word() == name) {
            let near = nearest(name, Ink::ALL.iter().map(|ink| ink.word()));
            let hint = near.map_or_else(String::new, |near| format!("; did you mean {near}?"));
            return Err(format!("there is no role {name:?}{hint}"));
        }
    }
    let plain = Look::default();
    let mut styles = Vec::with_capacity(Ink::ALL.len());
    for ink in Ink::ALL {
        let look = file.roles.get(ink.word()).unwrap_or(&plain);
        let style = Style { fg: color(&look.fg)?, bg: color(&look.bg)?, ..Style::default() };
        styles.push(style.add_modifier(modifiers(look)));
    }
    let fg = color(&file.screen.fg)?.unwrap_or(Color::Reset);
    let bg = color(&file.screen.bg)?.unwrap_or(Color::Reset);
    let paint = file.screen.paint;
    Ok(Theme { name: file.name, about: file.about, screen: (fg, bg), paint, styles })
}

fn modifiers(look: &Look) -> Modifier {
    let mut all = Modifier::empty();
    for (on, modifier) in [
        (look.bold, Modifier::BOLD),
        (look.dim, Modifier::DIM),
        (look.italic, Modifier::ITALIC),
        (look.underline, Modifier::UNDERLINED),
        (look.reverse, Modifier::REVERSED),
    ] {
        all.set(modifier, on);
    }
    all
}

fn color(text: &str, palette: &BTreeMap<String, String>) -> Result<Color, String> {
    let text = palette.get(text).map_or(text, String::as_str);
    if text == "default" {
        return Ok(Color::Reset);
    }
    text.parse().map_err(|_| {
        format!("{text:?} is no colour; write #rrggbb, red, light-red, default or a palette name")
    })
}

#[cfg(test)]
#[path = "tests.rs"]
mod tests;
