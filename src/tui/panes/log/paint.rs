//! Lines on the screen: colours, matches, times.

use ratatui::layout::Rect;
use unicode_segmentation::UnicodeSegmentation;

use super::{Log, sgr};
use crate::base::text;
use crate::tui::ground::Ground;
use crate::tui::theme::{Ink, depth};
use crate::tui::widgets::Canvas;

/// Columns of a time of day and of one with a date, each with the space behind it.
const TIME: u16 = 9;
const DATE: u16 = 15;
/// Fewer columns than this are for text alone.
const LEAST: u16 = 30;

impl Log {
    /// Columns for times. The date is shown when the output is not all of today.
    pub(super) fn gutter(&self, ground: &Ground) -> u16 {
        if !self.stamps || ground.size.0 < LEAST {
            return 0;
        }
        let sight = ground.sight();
        let day = |at| sight.full(at).get(..10).map(str::to_owned);
        let first = (self.buffer.first()..self.buffer.end()).find_map(|n| self.buffer.time(n));
        match first.is_some_and(|first| day(first) != day(sight.now.wall)) {
            true => DATE,
            false => TIME,
        }
    }

    /// The times in sight, each once: lines below it without one came with it.
    pub(super) fn draw_time(
        &self,
        ground: &Ground,
        canvas: &mut Canvas,
        (area, gutter): (Rect, u16),
        number: u64,
    ) {
        let sight = ground.sight();
        let text = |number: u64| {
            let full = self.buffer.time(number).map(|at| sight.full(at));
            let from = if gutter == DATE { 5 } else { 11 };
            full.map_or_else(|| "-".to_owned(), |full| full.get(from..).unwrap_or("").to_owned())
        };
        let now = text(number);
        if number == self.first_seen() || text(number - 1) != now {
            canvas.put((area.x, area.y), gutter.saturating_sub(1), &now, Ink::Muted);
        }
    }

    pub(super) fn draw_line(
        &self,
        ground: &Ground,
        canvas: &mut Canvas,
        area: Rect,
        number: u64,
    ) -> u16 {
        let line = self.buffer.line(number).unwrap_or_default();
        let plain = sgr::plain(&line);
        let depth = ground.options.depth;
        let wide = usize::from(area.width).max(1);
        let skip = if self.wrap { 0 } else { self.side };
        let mut column = 0usize;
        let place = |column: usize| -> Option<(u16, u16)> {
            let shown = column.checked_sub(skip)?;
            let (row, x) = if self.wrap { (shown / wide, shown % wide) } else { (0, shown) };
            let y = area.y.checked_add(u16::try_from(row).ok()?)?;
            let inside = x < wide && y < area.bottom();
            inside.then(|| Some((area.x + u16::try_from(x).ok()?, y))).flatten()
        };
        for (mut style, piece) in sgr::spans(&line) {
            style.fg = style.fg.and_then(|color| depth::fit(color, depth));
            style.bg = style.bg.and_then(|color| depth::fit(color, depth));
            for grapheme in piece.graphemes(true) {
                if let Some((x, y)) = place(column) {
                    canvas.styled((x, y), area.right() - x, grapheme, style);
                }
                column += text::width(grapheme);
            }
        }
        for (from, to) in self.matches(&plain) {
            let at = text::width(plain.get(..from).unwrap_or(""));
            let len = text::width(plain.get(from..to).unwrap_or(""));
            for column in at..at + len {
                if let Some((x, y)) = place(column) {
                    canvas.tint(Rect::new(x, y, 1, 1), Ink::Match);
                }
            }
        }
        u16::try_from(self.rows_of(number)).unwrap_or(u16::MAX)
    }
}
