//! A screen as SVG: a rectangle for each background, a text for each run of one style.

use std::fmt::Write;

use ratatui::buffer::Buffer;
use ratatui::style::Modifier;

use super::{Rgb, colours};
use crate::tui::theme::Theme;

const WIDE: f64 = 8.4;
const TALL: f64 = 18.0;
const PAD: f64 = 12.0;

/// The picture. The same buffer and theme always give the same bytes.
pub fn svg(buffer: &Buffer, theme: &Theme) -> String {
    let area = buffer.area;
    let (columns, rows) = (f64::from(area.width), f64::from(area.height));
    let (width, height) = (columns * WIDE + 2.0 * PAD, rows * TALL + 2.0 * PAD);
    let blank = ratatui::buffer::Cell::default();
    let ground = colours(&blank, theme).1;
    let mut out = String::new();
    // Writing to a text cannot fail.
    let _ = writeln!(
        out,
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width:.0}\" height=\"{height:.0}\" \
         viewBox=\"0 0 {width:.1} {height:.1}\">\n\
         <rect width=\"100%\" height=\"100%\" rx=\"8\" fill=\"{}\"/>\n\
         <g font-family=\"ui-monospace,'DejaVu Sans Mono',Menlo,Consolas,monospace\" \
         font-size=\"14\" xml:space=\"preserve\">",
        hex(ground)
    );
    for row in 0..area.height {
        for run in runs(buffer, theme, row) {
            draw_run(&mut out, &run, row, ground);
        }
    }
    out.push_str("</g>\n</svg>\n");
    out
}

/// Cells beside each other that look the same.
struct Run {
    column: u16,
    columns: u16,
    text: String,
    fg: Rgb,
    bg: Rgb,
    modifier: Modifier,
}

fn runs(buffer: &Buffer, theme: &Theme, row: u16) -> Vec<Run> {
    let mut runs: Vec<Run> = Vec::new();
    let mut skip = 0;
    for column in 0..buffer.area.width {
        if skip > 0 {
            skip -= 1;
            continue;
        }
        let Some(cell) = buffer.cell((column, row)) else { continue };
        let (fg, bg) = colours(cell, theme);
        let text = cell.symbol();
        let columns = u16::try_from(crate::base::text::width(text)).unwrap_or(1).max(1);
        skip = columns - 1;
        match runs.last_mut() {
            Some(run) if (run.fg, run.bg, run.modifier) == (fg, bg, cell.modifier) => {
                run.text.push_str(text);
                run.columns += columns;
            }
            _ => runs.push(Run {
                column,
                columns,
                text: text.to_owned(),
                fg,
                bg,
                modifier: cell.modifier,
            }),
        }
    }
    runs
}

fn draw_run(out: &mut String, run: &Run, row: u16, ground: Rgb) {
    let x = PAD + f64::from(run.column) * WIDE;
    let y = PAD + f64::from(row) * TALL;
    let width = f64::from(run.columns) * WIDE;
    if run.bg != ground {
        let fill = hex(run.bg);
        let _ = writeln!(
            out,
            "<rect x=\"{x:.1}\" y=\"{y:.1}\" width=\"{width:.1}\" height=\"{TALL:.1}\" \
             fill=\"{fill}\"/>"
        );
    }
    if run.text.trim().is_empty() {
        return;
    }
    let mut style = String::new();
    for (modifier, attribute) in [
        (Modifier::BOLD, " font-weight=\"bold\""),
        (Modifier::ITALIC, " font-style=\"italic\""),
        (Modifier::UNDERLINED, " text-decoration=\"underline\""),
    ] {
        if run.modifier.contains(modifier) {
            style.push_str(attribute);
        }
    }
    let text = run.text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;");
    let _ = writeln!(
        out,
        "<text x=\"{x:.1}\" y=\"{:.1}\" fill=\"{}\" textLength=\"{width:.1}\" \
         lengthAdjust=\"spacingAndGlyphs\"{style}>{text}</text>",
        y + 13.5,
        hex(run.fg)
    );
}

fn hex((r, g, b): Rgb) -> String {
    format!("#{r:02x}{g:02x}{b:02x}")
}
