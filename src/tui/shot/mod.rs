//! Pictures of a screen: SVG for documents, PNG for whoever reviews one.
//!
//! Both draw the cells of a buffer in a theme's colours. The PNG needs no font of the machine:
//! its glyphs are compiled in, lines and bars are drawn as shapes.

mod glyphs;
pub mod png;
pub mod svg;

use ratatui::buffer::{Buffer, Cell};
use ratatui::layout::Rect;
use ratatui::style::{Color, Modifier};

use crate::tui::app::App;
use crate::tui::draw::paint;
use crate::tui::theme::{Theme, depth};

pub use png::png;
pub use svg::svg;

/// The screen of a console in a buffer of its size.
pub fn screen(app: &App) -> Buffer {
    let (columns, rows) = app.ground.size;
    let mut buffer = Buffer::empty(Rect::new(0, 0, columns, rows));
    let area = buffer.area;
    paint(app, &mut buffer, area);
    buffer
}

type Rgb = (u8, u8, u8);

/// Foreground and background of a cell as they are seen.
fn colours(cell: &Cell, theme: &Theme) -> (Rgb, Rgb) {
    let default = |color: Color, other: Rgb| depth::rgb(color).unwrap_or(other);
    let ground =
        (default(theme.screen.0, (0xd0, 0xd0, 0xd0)), default(theme.screen.1, (0x12, 0x12, 0x12)));
    let mut fg = default(cell.fg, ground.0);
    let mut bg = default(cell.bg, ground.1);
    if cell.modifier.contains(Modifier::REVERSED) {
        (fg, bg) = (bg, fg);
    }
    if cell.modifier.contains(Modifier::DIM) {
        let mix = |a: u8, b: u8| u8::try_from((u16::from(a) * 2 + u16::from(b)) / 3).unwrap_or(a);
        fg = (mix(fg.0, bg.0), mix(fg.1, bg.1), mix(fg.2, bg.2));
    }
    (fg, bg)
}
