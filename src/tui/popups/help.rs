//! The keys that work in this pane, from the actions table.

use crate::tui::actions::{self, Action, Danger};
use crate::tui::app::App;
use crate::tui::keys::{Code, Key};
use crate::tui::panes::Kind;
use crate::tui::popups::palette::draw_row;
use crate::tui::popups::{Outcome, middle};
use crate::tui::theme::Ink;
use crate::tui::widgets::Canvas;

/// Help for a kind of pane.
#[derive(Debug)]
pub struct Help {
    kind: Kind,
    first: usize,
}

enum Row {
    Title(&'static str),
    Action(&'static Action),
}

impl Help {
    /// Help for this kind of pane.
    pub fn new(kind: Kind) -> Help {
        Help { kind, first: 0 }
    }

    fn rows(&self) -> Vec<Row> {
        let here = |action: &&Action| action.works_in(self.kind);
        let of = |acts: bool| {
            let class = move |action: &&Action| (action.danger != Danger::Looks) == acts;
            actions::TABLE.iter().filter(here).filter(class).map(Row::Action)
        };
        let mut rows = vec![Row::Title(
            "ACTS: capitals; what may cost work and what hits several jobs asks first",
        )];
        rows.extend(of(true));
        rows.push(Row::Title("LOOKS: lower case changes nothing (but z seen, u undo)"));
        rows.extend(of(false));
        rows
    }

    /// Takes a key: scrolls, or closes.
    pub fn key(&mut self, key: Key) -> Outcome {
        let last = self.rows().len().saturating_sub(1);
        match key.code {
            Code::Down | Code::Char('j') => self.first = (self.first + 1).min(last),
            Code::Up | Code::Char('k') => self.first = self.first.saturating_sub(1),
            Code::PageDown | Code::Char(' ') => self.first = (self.first + 10).min(last),
            Code::PageUp => self.first = self.first.saturating_sub(10),
            _ => return Outcome::Closes(None),
        }
        Outcome::Stays(None)
    }

    /// Draws it.
    pub fn draw(&self, app: &App, canvas: &mut Canvas) {
        let rows = self.rows();
        let tall = u16::try_from(rows.len() + 3).unwrap_or(u16::MAX);
        let area = middle(canvas.area(), 96, tall);
        let inside = canvas.boxed(area, "keys that work here", Ink::Head);
        let bottom = inside.bottom().saturating_sub(1);
        let height = usize::from(inside.height.saturating_sub(1));
        let first = self.first.min(rows.len().saturating_sub(height));
        for (y, row) in (inside.y..bottom).zip(rows.iter().skip(first)) {
            match row {
                Row::Title(title) => {
                    canvas.put((inside.x, y), inside.width, title, Ink::Head);
                }
                Row::Action(action) => {
                    draw_row(app, canvas, (inside.x, y), inside.width, action, false);
                }
            }
        }
        let more = rows.len() > first + height;
        let hint = if more { "j more    any other key closes" } else { "any other key closes" };
        canvas.put((inside.x, bottom), inside.width, hint, Ink::Muted);
    }
}
