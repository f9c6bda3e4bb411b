//! Lines that are scrolled and nothing else: the inside of several panes.

use ratatui::layout::Rect;

use crate::tui::panes::Motion;
use crate::tui::widgets::{Canvas, Window};
use crate::view::line::Line;

/// A scrolled sheet.
#[derive(Debug, Clone, Copy, Default)]
pub struct Sheet {
    window: Window,
    height: usize,
    len: usize,
}

impl Sheet {
    /// Its lines or its area changed.
    pub fn settle(&mut self, len: usize, area: Rect) {
        self.len = len;
        self.height = usize::from(area.height);
        self.window.keep(self.len, self.height);
    }

    /// Scrolls.
    pub fn go(&mut self, motion: Motion) {
        let half = isize::try_from(self.height / 2).unwrap_or(1).max(1);
        let by = match motion {
            Motion::Lines(by) => by,
            Motion::Halves(by) => by * half,
            Motion::First => isize::MIN / 2,
            Motion::Last => isize::MAX / 2,
            Motion::Side(_) => 0,
        };
        self.window.scroll(by, self.len, self.height);
    }

    /// Draws the lines in sight, and how much is below.
    pub fn draw(&self, lines: &[Line], canvas: &mut Canvas, area: Rect) {
        let seen = self.window.seen(lines.len(), usize::from(area.height));
        let below = lines.len().saturating_sub(seen.end);
        for (y, line) in (area.y..area.bottom()).zip(lines.get(seen).unwrap_or(&[])) {
            canvas.line((area.x + 1, y), area.width.saturating_sub(2), line);
        }
        if below > 0 && area.height > 1 {
            let text = format!(" {below} more below ");
            let at = (area.right().saturating_sub(1), area.bottom() - 1);
            canvas.put_right(at, area.width / 2, &text, crate::tui::theme::Ink::Muted);
        }
    }
}
