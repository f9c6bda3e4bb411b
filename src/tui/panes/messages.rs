//! What the console said, the newest at the bottom.

use ratatui::layout::Rect;

use crate::base::text::fold_lines;
use crate::tui::feed::Want;
use crate::tui::ground::Ground;
use crate::tui::panes::sheet::Sheet;
use crate::tui::panes::{Kind, Motion, Pane, Target};
use crate::tui::theme::Ink;
use crate::tui::widgets::Canvas;
use crate::view::line::{Line, Role};

/// The pane.
#[derive(Debug, Default)]
pub struct MessageLog {
    sheet: Sheet,
    opened: bool,
}

fn lines(ground: &Ground, width: u16) -> Vec<Line> {
    let sight = ground.sight();
    let room = usize::from(width).saturating_sub(12).max(8);
    let mut lines = Vec::new();
    for message in &ground.messages.all {
        let time = message.at.map_or_else(|| "--:--:--".to_owned(), |at| sight.second(at));
        let role = if message.ink == Ink::Bad { Role::Bad } else { Role::Plain };
        for (at, text) in fold_lines(&message.text, room).into_iter().enumerate() {
            let lead = if at == 0 { format!("{time}  ") } else { " ".repeat(10) };
            lines.push(Line::of(lead, Role::Muted).then(text, role));
        }
    }
    if lines.is_empty() {
        lines.push(Line::of("nothing was said yet", Role::Muted));
    }
    lines
}

impl Pane for MessageLog {
    fn kind(&self) -> Kind {
        Kind::Messages
    }

    fn title(&self, _ground: &Ground) -> String {
        "messages".to_owned()
    }

    fn wants(&self, _ground: &Ground) -> Vec<Want> {
        Vec::new()
    }

    fn target(&self, _ground: &Ground) -> Target {
        Target::default()
    }

    fn settle(&mut self, ground: &Ground, area: Rect) {
        self.sheet.settle(lines(ground, area.width).len(), area);
        if !std::mem::replace(&mut self.opened, true) {
            self.sheet.go(Motion::Last);
        }
    }

    fn go(&mut self, motion: Motion, _ground: &Ground) {
        self.sheet.go(motion);
    }

    fn copy(&self, ground: &Ground) -> Option<(String, String)> {
        let last = ground.messages.all.back()?;
        Some((last.text.clone(), "the last message".to_owned()))
    }

    fn draw(&self, ground: &Ground, canvas: &mut Canvas, area: Rect) {
        self.sheet.draw(&lines(ground, area.width), canvas, area);
    }
}
