//! One review: everything that somebody needs to decide it, and nothing that was not read.
//!
//! [`rows`] says what stands on the card. Here it is decided what is in sight: the head never
//! scrolls, the bytes scroll first, then what stands below them. A yes is only taken once their
//! last line was on the screen.

pub mod rows;

use ratatui::layout::Rect;

use crate::base::{Digest, ReviewId, Span};
use crate::model::page::ReviewCard;
use crate::tui::feed::Want;
use crate::tui::ground::Ground;
use crate::tui::panes::{Command, Kind, Motion, Pane, Reading, Target};
use crate::tui::theme::Ink;
use crate::tui::widgets::Canvas;
use crate::view::line::Line;

use rows::{Bytes, Row, Rows};

/// From this width on the card has two columns.
const TWO_FROM: u16 = 100;
/// Rows that the bytes get at least where they scroll.
const BYTES_LEAST: usize = 6;

/// The pane.
#[derive(Debug, Default)]
pub struct ReviewPane {
    review: Option<ReviewId>,
    /// Only the bytes.
    only_bytes: bool,
    /// How far it is scrolled: first over the bytes, then over all.
    at: usize,
    head: Vec<Line>,
    bytes: Bytes,
    rows: Rows,
    area: Rect,
    read: Option<Reading>,
    version: u32,
    says: Option<String>,
}

/// What of a column is in sight.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
struct Sighted {
    /// Rows of the bytes that are shown at once.
    window: usize,
    /// The first of them.
    first: usize,
    /// Rows above everything that is shown.
    above: usize,
}

impl ReviewPane {
    /// About a review.
    pub fn new(review: Option<ReviewId>) -> ReviewPane {
        ReviewPane { review, ..ReviewPane::default() }
    }

    fn card<'a>(&self, ground: &'a Ground) -> Option<&'a ReviewCard> {
        ground.known.cards.get(&self.review?)
    }

    /// Head, left column, right column.
    fn areas(&self) -> (Rect, Rect, Option<Rect>) {
        let area = self.area;
        let tall = u16::try_from(self.head.len()).unwrap_or(0).min(area.height / 2);
        let head = Rect { height: tall, ..area };
        let body = Rect { y: area.y + tall, height: area.height - tall, ..area };
        if area.width < TWO_FROM || self.only_bytes {
            return (head, body, None);
        }
        let right = (area.width * 2 / 5).min(64);
        let main = Rect { width: area.width - right - 1, ..body };
        let side = Rect { x: main.right() + 1, width: right, ..body };
        (head, main, Some(side))
    }

    /// How far it can be scrolled: over the bytes, and then over the column.
    fn reach(&self) -> (usize, usize, usize) {
        let (_, main, side) = self.areas();
        let height = usize::from(main.height);
        let (_, bytes) = self.rows.bytes;
        let rest = self.rows.main.len() - bytes;
        let window = match side {
            None => bytes,
            Some(_) => height.saturating_sub(rest).max(BYTES_LEAST).min(bytes),
        };
        let below = (rest + window).saturating_sub(height);
        let beside = side.map_or(0, |_| self.rows.side.len().saturating_sub(height));
        (window, bytes - window, below.max(beside))
    }

    fn sighted(&self) -> Sighted {
        let (window, over, _) = self.reach();
        let first = self.at.min(over);
        Sighted { window, first, above: self.at.saturating_sub(over) }
    }

    /// The rows of the left column that are in sight.
    fn main_rows(&self) -> impl Iterator<Item = &Row> {
        let Sighted { window, first, above } = self.sighted();
        let (from, bytes) = self.rows.bytes;
        let shown = move |at: &usize| {
            *at < from || *at >= from + bytes || (from + first..from + first + window).contains(at)
        };
        let rows = self.rows.main.iter().enumerate();
        let (_, main, _) = self.areas();
        let limit = self.above_main(above);
        rows.filter(move |(at, _)| shown(at))
            .map(|(_, row)| row)
            .skip(limit)
            .take(usize::from(main.height))
    }

    /// The left column does not scroll beyond its own end while the right one goes on.
    fn above_main(&self, above: usize) -> usize {
        let (window, _, _) = self.reach();
        let (_, main, _) = self.areas();
        let len = self.rows.main.len() - self.rows.bytes.1 + window;
        above.min(len.saturating_sub(usize::from(main.height)))
    }

    /// The last line of the bytes is on the screen.
    fn shows_the_end(&self) -> bool {
        let Sighted { window, first, above } = self.sighted();
        let (from, bytes) = self.rows.bytes;
        let (_, main, _) = self.areas();
        let above = self.above_main(above);
        let last = from + window;
        let seen = above..above + usize::from(main.height);
        bytes > 0 && first + window >= bytes && last > 0 && seen.contains(&(last - 1))
    }

    fn make(&mut self, ground: &Ground) {
        let Some(card) = self.review.and_then(|id| ground.known.cards.get(&id)) else {
            (self.rows, self.head) = (Rows::default(), Vec::new());
            return;
        };
        let sight = ground.sight();
        let room = |area: Rect| usize::from(area.width).saturating_sub(2).max(1);
        self.head = rows::head(card, &sight, room(self.area));
        let (_, main, side) = self.areas();
        let you = ground.options.user.as_deref();
        let columns = room(main);
        if !self.only_bytes {
            self.bytes.make(card, columns);
        }
        self.rows = match side {
            _ if self.only_bytes => Rows::canonical(card, columns),
            None => Rows::below(card, you, &sight, columns, &self.bytes),
            Some(side) => Rows::beside(card, you, &sight, (columns, room(side)), &self.bytes),
        };
    }

    /// Remembers how far these bytes were read; other bytes were not read at all.
    fn note(&mut self, hash: Digest, version: u32, now: Span) {
        let ends = self.shows_the_end();
        match &mut self.read {
            Some(read) if read.hash == hash => read.whole |= ends,
            read => {
                if let (Some(_), Some(id)) = (&read, self.review) {
                    self.says = Some(format!("{id} changed: it is about other bytes now"));
                }
                *read = Some(Reading { hash, since: now, whole: ends });
                self.at = 0;
            }
        }
        self.version = version;
    }
}

impl Pane for ReviewPane {
    fn kind(&self) -> Kind {
        Kind::Review
    }

    fn title(&self, _ground: &Ground) -> String {
        let id = self.review.map(|id| id.to_string()).unwrap_or_default();
        if self.only_bytes { format!("{id} bytes") } else { id }
    }

    fn wants(&self, _ground: &Ground) -> Vec<Want> {
        self.review.map(Want::Review).into_iter().collect()
    }

    fn target(&self, ground: &Ground) -> Target {
        let job = self.card(ground).map(|card| card.review.job);
        Target { job, review: self.review, ..Target::default() }
    }

    fn settle(&mut self, ground: &Ground, area: Rect) {
        self.area = area;
        self.make(ground);
        let (_, over, below) = self.reach();
        self.at = self.at.min(over + below);
        if let Some(review) = self.card(ground).map(|card| &card.review) {
            let (hash, version) = (review.hash, review.version);
            self.note(hash, version, ground.known.clock.console());
        }
    }

    fn says(&mut self) -> Option<String> {
        self.says.take()
    }

    fn go(&mut self, motion: Motion, _ground: &Ground) {
        let (_, main, _) = self.areas();
        let half = isize::try_from(main.height / 2).unwrap_or(1).max(1);
        let by = match motion {
            Motion::Lines(by) => by,
            Motion::Halves(by) => by * half,
            Motion::First => isize::MIN / 2,
            Motion::Last => isize::MAX / 2,
            Motion::Side(_) => 0,
        };
        let (_, over, below) = self.reach();
        self.at = self.at.saturating_add_signed(by).min(over + below);
    }

    fn command(&mut self, command: &Command, _ground: &mut Ground) -> bool {
        match command {
            Command::Bytes => self.only_bytes = !self.only_bytes,
            Command::Back if self.only_bytes => self.only_bytes = false,
            _ => return false,
        }
        self.at = 0;
        true
    }

    fn reading(&self) -> Option<Reading> {
        self.read
    }

    fn copy(&self, ground: &Ground) -> Option<(String, String)> {
        let card = self.card(ground)?;
        Some((card.review.canonical(), format!("the bytes of {}", card.review.id)))
    }

    fn ages_at(&self, ground: &Ground) -> Option<Span> {
        let review = &self.card(ground)?.review;
        let wall = ground.known.clock.at().wall;
        let effect = review.grant.as_ref().map(|grant| grant.from.since(wall));
        let held = review.held_no().and_then(|no| no.from).map(|from| from.since(wall));
        let left = match review.is_open() {
            true => held.unwrap_or(review.left(wall)),
            false => effect.filter(|left| left.0 > 0)?,
        };
        let unit = if left.0 < 60_000 { 1000 } else { 60_000 };
        Some(ground.known.clock.console() + Span(left.0 % unit + 1))
    }

    fn draw(&self, ground: &Ground, canvas: &mut Canvas, area: Rect) {
        let Some(id) = self.review else { return };
        if self.card(ground).is_none() {
            let failed = ground.known.failed.get(&Want::Review(id));
            let (text, ink) = match failed {
                Some(why) => (why.clone(), Ink::Bad),
                None => (format!("asking for {id}…"), Ink::Muted),
            };
            canvas.put((area.x + 1, area.y), area.width.saturating_sub(2), &text, ink);
            return;
        }
        let (head, main, side) = self.areas();
        for (y, line) in (head.y..head.bottom()).zip(&self.head) {
            canvas.line((head.x + 1, y), head.width.saturating_sub(2), line);
        }
        column(canvas, main, self.main_rows());
        self.how_much(canvas, main);
        let Some(side) = side else { return };
        canvas.fence(Rect { x: side.x - 1, width: 1, ..side });
        let Sighted { above, .. } = self.sighted();
        let above = above.min(self.rows.side.len().saturating_sub(usize::from(side.height)));
        column(canvas, side, self.rows.side.iter().skip(above));
    }
}

impl ReviewPane {
    /// How much of the bytes is in sight, in their title, and that there is more below.
    fn how_much(&self, canvas: &mut Canvas, area: Rect) {
        let Sighted { window, first, above } = self.sighted();
        let (_, bytes) = self.rows.bytes;
        let (_, over, below) = self.reach();
        let right = area.right().saturating_sub(1);
        let room = area.width / 2;
        if self.above_main(above) == 0 && area.height > 0 {
            let last = (first + window).min(bytes);
            let whole = self.read.is_some_and(|read| read.whole);
            let text = match over {
                0 => format!(" all {bytes} lines "),
                _ => format!(" lines {}-{last} of {bytes}, j for more ", first + 1),
            };
            let ink = if whole || over == 0 { Ink::Muted } else { Ink::NeedsYou };
            canvas.put_right((right, area.y), room, &text, ink);
        }
        let left = (over + below).saturating_sub(self.at);
        if left > 0 && over == 0 && area.height > 2 {
            let at = (right, area.bottom() - 1);
            canvas.put_right(at, room, &format!(" {left} more below "), Ink::Muted);
        }
    }
}

fn column<'a>(canvas: &mut Canvas, area: Rect, rows: impl Iterator<Item = &'a Row>) {
    for (y, row) in (area.y..area.bottom()).zip(rows) {
        match row {
            Row::Title(title, ink) => canvas.rule(Rect { y, height: 1, ..area }, title, *ink),
            Row::Line(line) => {
                canvas.line((area.x + 1, y), area.width.saturating_sub(2), line);
            }
        }
    }
}
