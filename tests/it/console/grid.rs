//! A screen as a person reads it and as a reviewer checks it: the text, and under it what each
//! cell is, a letter for each role.

use std::collections::BTreeSet;
use std::fmt::Write;
use std::sync::Arc;

use chrono::FixedOffset;
use holdshort::link::Link;
use holdshort::tui::theme::{Ink, Theme};
use holdshort::tui::{Options, Stage};
use ratatui::buffer::Buffer;

/// Options with fixed zone and colours that stand for roles.
pub fn options() -> Options {
    Options {
        place: "gpu-box-3".into(),
        user: Some("ana".into()),
        theme: Theme::roles(),
        zone: FixedOffset::east_opt(0),
        ..Options::default()
    }
}

/// A console that has shown its first page, after some keys.
pub fn staged(link: Arc<dyn Link>, size: (u16, u16), keys: &str) -> Stage {
    staged_with(link, options(), size, keys)
}

/// The same with other options.
pub fn staged_with(link: Arc<dyn Link>, options: Options, size: (u16, u16), keys: &str) -> Stage {
    block(async {
        let mut stage = Stage::open(link, options, size).await;
        stage.press(keys).await;
        stage
    })
}

/// Runs something that waits for nothing but the fake link.
pub fn block<T>(future: impl Future<Output = T>) -> T {
    tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap().block_on(future)
}

/// The text of a screen.
pub fn text(buffer: &Buffer) -> String {
    rows(buffer, |buffer, at| buffer[at].symbol().to_owned())
}

/// Text, roles and legend.
pub fn printed(buffer: &Buffer) -> String {
    let mut seen = BTreeSet::new();
    let roles = rows(buffer, |buffer, at| {
        let cell = &buffer[at];
        let ink = Theme::ink_of(cell.fg).unwrap_or(Ink::Plain);
        // An empty cell of no ink says nothing.
        if cell.symbol() == " " && matches!(ink, Ink::Plain | Ink::Muted) {
            return " ".to_owned();
        }
        seen.insert(ink);
        ink.letter().to_string()
    });
    let legend: Vec<_> =
        seen.iter().map(|ink| format!("{} {}", ink.letter(), ink.word())).collect();
    format!("{}\n{}\n{}\n", text(buffer), roles, legend.join("  "))
}

/// The same with roles in runs: `12T 3.` is twelve cells of one role and three that say nothing.
/// Lines of the same roles are written once.
pub fn compact(buffer: &Buffer) -> String {
    let screen = printed(buffer);
    let lines: Vec<&str> = screen.lines().collect();
    let height = usize::from(buffer.area.height);
    let (text, rest) = lines.split_at(height.min(lines.len()));
    let mut out = text.join("\n") + "\n";
    let roles: Vec<String> = rest.iter().skip(1).take(height).map(|line| runs(line)).collect();
    for (at, line) in roles.iter().enumerate() {
        if !line.is_empty() && (at == 0 || roles[at - 1] != *line) {
            let _ = writeln!(out, "{at:>2} {line}");
        }
    }
    out
}

fn runs(line: &str) -> String {
    let mut out: Vec<(usize, char)> = Vec::new();
    for letter in line.chars() {
        match out.last_mut() {
            Some((n, last)) if *last == letter => *n += 1,
            _ => out.push((1, letter)),
        }
    }
    let runs = out.iter().map(|(n, letter)| format!("{n}{}", letter.to_string().replace(' ', "_")));
    runs.collect::<Vec<_>>().join(" ")
}

fn rows(buffer: &Buffer, mut cell: impl FnMut(&Buffer, (u16, u16)) -> String) -> String {
    let area = buffer.area;
    let mut out = String::new();
    for y in 0..area.height {
        let mut line = String::new();
        let mut skip = 0;
        for x in 0..area.width {
            if skip > 0 {
                skip -= 1;
                continue;
            }
            let symbol = buffer[(x, y)].symbol();
            skip = holdshort::base::text::width(symbol).saturating_sub(1);
            line.push_str(&cell(buffer, (x, y)));
        }
        let _ = writeln!(out, "{}", line.trim_end());
    }
    out
}
