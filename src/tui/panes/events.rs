//! Facts of the journal as they come, the newest at the bottom.

use ratatui::layout::Rect;

use crate::model::Fact;
use crate::model::page::EventRow;
use crate::tui::feed::Want;
use crate::tui::ground::Ground;
use crate::tui::panes::{Command, Kind, Motion, Pane, Target};
use crate::tui::theme::Ink;
use crate::tui::widgets::{Canvas, Window};
use crate::view::describe::event_line;
use crate::view::words;

/// The pane. What is chosen is a fact's place in the journal, so it stays while facts come.
#[derive(Debug, Default)]
pub struct Events {
    /// Record and place inside it; nothing while the newest is followed.
    chosen: Option<(u64, usize)>,
    search: String,
    window: Window,
    height: usize,
}

/// A fact with the number that names it: several facts share a record.
fn numbered(ground: &Ground) -> impl Iterator<Item = ((u64, usize), &EventRow)> {
    let mut last = (0, 0);
    ground.known.facts.iter().map(move |row| {
        last = if row.seq == last.0 { (row.seq, last.1 + 1) } else { (row.seq, 0) };
        (last, row)
    })
}

impl Events {
    fn rows<'a>(&'a self, ground: &'a Ground) -> Vec<((u64, usize), &'a EventRow)> {
        let sight = ground.sight();
        let needle = self.search.to_lowercase();
        let has = |row: &EventRow| {
            needle.is_empty() || words::event(&row.fact, &sight).to_lowercase().contains(&needle)
        };
        let said_again =
            |fact: &Fact| matches!(fact, Fact::Review { fact, .. } if fact.is_said_again());
        let tells =
            |row: &EventRow| !matches!(row.fact, Fact::KeyUsed { .. }) && !said_again(&row.fact);
        numbered(ground).filter(|(_, row)| tells(row) && has(row)).collect()
    }

    fn place(&self, rows: &[((u64, usize), &EventRow)]) -> usize {
        let last = rows.len().saturating_sub(1);
        match self.chosen {
            None => last,
            Some(chosen) => rows.iter().position(|(id, _)| *id >= chosen).unwrap_or(last),
        }
    }
}

impl Pane for Events {
    fn kind(&self) -> Kind {
        Kind::Events
    }

    fn title(&self, _ground: &Ground) -> String {
        "events".to_owned()
    }

    fn wants(&self, _ground: &Ground) -> Vec<Want> {
        Vec::new()
    }

    fn target(&self, ground: &Ground) -> Target {
        let rows = self.rows(ground);
        let job = rows.get(self.place(&rows)).and_then(|(_, row)| row.fact.job());
        Target { job, ..Target::default() }
    }

    fn settle(&mut self, ground: &Ground, area: Rect) {
        let rows = self.rows(ground);
        let (at, len) = (self.place(&rows), rows.len());
        self.height = usize::from(area.height.saturating_sub(1));
        self.window.follow(at, len, self.height);
    }

    fn go(&mut self, motion: Motion, ground: &Ground) {
        let rows = self.rows(ground);
        let at = self.place(&rows);
        let half = isize::try_from(self.height / 2).unwrap_or(1).max(1);
        let to = match motion {
            Motion::Lines(by) => at.saturating_add_signed(by),
            Motion::Halves(by) => at.saturating_add_signed(by * half),
            Motion::First => 0,
            Motion::Last => usize::MAX,
            Motion::Side(_) => at,
        };
        let chosen =
            if to.saturating_add(1) >= rows.len() { None } else { rows.get(to).map(|(id, _)| *id) };
        self.chosen = chosen;
    }

    fn command(&mut self, command: &Command, ground: &mut Ground) -> bool {
        match command {
            Command::Filter(text) => self.search.clone_from(text),
            Command::Follow => {
                let rows = self.rows(ground);
                let here = rows.get(self.place(&rows)).map(|(id, _)| *id);
                self.chosen = if self.chosen.is_some() { None } else { here };
            }
            Command::Back if !self.search.is_empty() => self.search.clear(),
            _ => return false,
        }
        true
    }

    fn filter(&self) -> Option<&str> {
        Some(&self.search)
    }

    fn copy(&self, ground: &Ground) -> Option<(String, String)> {
        let rows = self.rows(ground);
        let (_, row) = rows.get(self.place(&rows))?;
        Some((event_line(row, &ground.sight()).plain(), "the event".to_owned()))
    }

    fn draw(&self, ground: &Ground, canvas: &mut Canvas, area: Rect) {
        let rows = self.rows(ground);
        let at = self.place(&rows);
        let mut title = match self.chosen {
            None => "following".to_owned(),
            Some(_) => "paused: f follows".to_owned(),
        };
        if !self.search.is_empty() {
            title = format!("{title}  / {}", self.search);
        }
        canvas.rule(area, &title, Ink::Muted);
        if rows.is_empty() {
            let text = if self.search.is_empty() {
                "nothing has happened yet"
            } else {
                "no event has that"
            };
            canvas.put((area.x + 2, area.y + 1), area.width.saturating_sub(2), text, Ink::Muted);
        }
        let sight = ground.sight();
        let height = usize::from(area.height.saturating_sub(1));
        let seen = self.window.seen(rows.len(), height);
        let first = seen.start;
        let rows = rows.get(seen).unwrap_or(&[]);
        for ((y, (_, row)), place) in (area.y + 1..area.bottom()).zip(rows).zip(first..) {
            canvas.line((area.x + 2, y), area.width.saturating_sub(3), &event_line(row, &sight));
            if place == at {
                canvas.put((area.x, y), 1, ">", Ink::Selected);
                canvas.tint(Rect { y, height: 1, ..area }, Ink::Selected);
            }
        }
    }
}
