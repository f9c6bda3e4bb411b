//! The one way to the screen's cells: by ink, clipped, sanitised.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::Style;

use crate::base::text;
use crate::tui::theme::{Ink, Theme};
use crate::view::line::Line;

/// A buffer with a theme. Whatever lies outside the buffer is not drawn.
pub struct Canvas<'a> {
    buffer: &'a mut Buffer,
    theme: &'a Theme,
    ascii: bool,
    /// Old data: everything is drawn in one ink.
    stale: bool,
}

impl<'a> Canvas<'a> {
    /// A canvas over a buffer; `ascii` keeps everything within ASCII.
    pub fn new(buffer: &'a mut Buffer, theme: &'a Theme, ascii: bool) -> Canvas<'a> {
        Canvas { buffer, theme, ascii, stale: false }
    }

    /// From here on draws as old, or no longer.
    pub fn stale(&mut self, stale: bool) {
        self.stale = stale;
    }

    /// Everything.
    pub fn area(&self) -> Rect {
        self.buffer.area
    }

    /// Writes from `x` on in row `y`, at most `columns`; returns the columns used.
    pub fn put(&mut self, (x, y): (u16, u16), columns: u16, text: &str, ink: Ink) -> u16 {
        self.styled((x, y), columns, text, self.style(ink))
    }

    /// [`Canvas::put`] with a style of one's own, for programs' output.
    pub fn styled(&mut self, (x, y): (u16, u16), columns: u16, text: &str, style: Style) -> u16 {
        let area = self.buffer.area;
        if y < area.top() || y >= area.bottom() || x < area.left() || x >= area.right() {
            return 0;
        }
        let room = columns.min(area.right() - x);
        let text = text::sanitise(text);
        let text = text::cut(&text, usize::from(room));
        let (end, _) = if self.ascii && !text.is_ascii() {
            let plain: String = text.chars().map(ascii).collect();
            self.buffer.set_stringn(x, y, plain, usize::from(room), style)
        } else {
            self.buffer.set_stringn(x, y, text, usize::from(room), style)
        };
        end - x
    }

    /// Writes a line of pieces.
    pub fn line(&mut self, (x, y): (u16, u16), columns: u16, line: &Line) -> u16 {
        self.line_as((x, y), columns, line, None)
    }

    /// Writes a line of pieces, all in one ink if one is given.
    pub fn line_as(
        &mut self,
        (x, y): (u16, u16),
        columns: u16,
        line: &Line,
        ink: Option<Ink>,
    ) -> u16 {
        let mut used = 0u16;
        let whole = line.0.iter().map(crate::view::line::Cell::width).sum::<usize>();
        let cut;
        let cells = if whole > usize::from(columns) {
            cut = line.clone().cut(usize::from(columns));
            &cut.0
        } else {
            &line.0
        };
        for cell in cells {
            let ink = ink.unwrap_or_else(|| cell.role.into());
            let room = columns.saturating_sub(used);
            used += self.put((x.saturating_add(used), y), room, &cell.text, ink);
        }
        used
    }

    /// Writes so that the text ends before column `right`; returns where it starts.
    pub fn put_right(&mut self, (right, y): (u16, u16), columns: u16, text: &str, ink: Ink) -> u16 {
        let wide = u16::try_from(text::width(text)).unwrap_or(u16::MAX).min(columns);
        let x = right.saturating_sub(wide);
        self.put((x, y), wide, text, ink);
        x
    }

    /// Gives an area an ink and empties it.
    pub fn fill(&mut self, area: Rect, ink: Ink) {
        let style = self.style(ink);
        let area = area.intersection(self.buffer.area);
        for y in area.top()..area.bottom() {
            for x in area.left()..area.right() {
                if let Some(cell) = self.buffer.cell_mut((x, y)) {
                    cell.reset();
                    cell.set_style(style);
                }
            }
        }
    }

    /// Gives what stands in an area another ink.
    pub fn tint(&mut self, area: Rect, ink: Ink) {
        let style = self.style(ink);
        self.buffer.set_style(area.intersection(self.buffer.area), style);
    }

    /// A horizontal rule with a title in it.
    pub fn rule(&mut self, area: Rect, title: &str, ink: Ink) {
        if area.height == 0 || area.width == 0 {
            return;
        }
        let line = "─".repeat(usize::from(area.width));
        self.put((area.x, area.y), area.width, &line, Ink::Border);
        if !title.is_empty() && area.width > 4 {
            let title = format!(" {title} ");
            self.put((area.x + 1, area.y), area.width - 2, &title, ink);
        }
    }

    /// A vertical rule.
    pub fn fence(&mut self, area: Rect) {
        for y in area.top()..area.bottom() {
            self.put((area.x, y), 1, "│", Ink::Border);
        }
    }

    /// A box with a title; returns what is inside.
    pub fn boxed(&mut self, area: Rect, title: &str, ink: Ink) -> Rect {
        let area = area.intersection(self.buffer.area);
        self.fill(area, Ink::Plain);
        if area.width < 2 || area.height < 2 {
            return area;
        }
        let (right, bottom) = (area.right() - 1, area.bottom() - 1);
        let flat = "─".repeat(usize::from(area.width - 2));
        self.put((area.x + 1, area.y), area.width - 2, &flat, Ink::Border);
        self.put((area.x + 1, bottom), area.width - 2, &flat, Ink::Border);
        for y in area.y + 1..bottom {
            self.put((area.x, y), 1, "│", Ink::Border);
            self.put((right, y), 1, "│", Ink::Border);
        }
        for (at, corner) in [
            ((area.x, area.y), "┌"),
            ((right, area.y), "┐"),
            ((area.x, bottom), "└"),
            ((right, bottom), "┘"),
        ] {
            self.put(at, 1, corner, Ink::Border);
        }
        if area.width > 6 && !title.is_empty() {
            self.put((area.x + 2, area.y), area.width - 4, &format!(" {title} "), ink);
        }
        Rect::new(area.x + 1, area.y + 1, area.width - 2, area.height - 2)
    }

    fn style(&self, ink: Ink) -> Style {
        let chrome = matches!(ink, Ink::Bar | Ink::Alert | Ink::Halt | Ink::Selected | Ink::Border);
        self.theme.style(if self.stale && !chrome { Ink::Stale } else { ink })
    }
}

/// The nearest ASCII character to one of ours; anything else foreign is a question mark.
fn ascii(c: char) -> char {
    match c {
        '─' | '–' => '-',
        '╷' => '|',
        '━' | '═' => '=',
        '╍' => '+',
        '┄' => '.',
        '│' | '┃' => '|',
        '┌' | '┐' | '└' | '┘' | '├' | '┤' | '┬' | '┴' | '┼' => '+',
        '…' => '~',
        '⏎' => '$',
        '›' => '>',
        '·' => '.',
        '▁' | '▂' => '_',
        '▃' | '▄' => '=',
        '▅' | '▆' | '▇' | '█' => '#',
        '▒' => '%',
        '░' => '.',
        '↑' => '^',
        '↓' => 'v',
        c if c.is_ascii() => c,
        _ => '?',
    }
}
