//! The cells of a row, one after the other, each in its column: jobs and reviews alike.

use ratatui::layout::Rect;

use crate::base::quantity::format_gpu;
use crate::tui::theme::Ink;
use crate::tui::widgets::Canvas;

/// Writes the cells of a row.
pub struct Cells<'a, 'b> {
    canvas: &'a mut Canvas<'b>,
    area: Rect,
    x: u16,
}

impl<'a, 'b> Cells<'a, 'b> {
    /// Of the row of an area, after its mark.
    pub fn new(canvas: &'a mut Canvas<'b>, area: Rect) -> Cells<'a, 'b> {
        Cells { canvas, area, x: area.x + 3 }
    }

    /// Writes the next cell, so wide at most; a column without a width is left out.
    pub fn put(&mut self, text: &str, width: u16, right: bool, ink: Ink) {
        if width == 0 {
            return;
        }
        let (x, y) = (self.x, self.area.y);
        let room = width.min(self.area.right().saturating_sub(x));
        if right {
            self.canvas.put_right((x + width, y), room, text, ink);
        } else {
            self.canvas.put((x, y), room, text, ink);
        }
        self.x += width + 1;
    }
}

/// How many GPUs, for a column of them.
pub fn gpus(milli: u64) -> String {
    match milli {
        0 => "-".to_owned(),
        milli => format_gpu(milli),
    }
}
