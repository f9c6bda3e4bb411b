//! The rows of a card: parts with titles, in two columns where there is room, else in one.

use crate::model::page::ReviewCard;
use crate::tui::theme::Ink;
use crate::view::describe::review::escape::pieces;
use crate::view::describe::review::{Lines, card as parts, people, silence, then};
use crate::view::line::{Cell, Line, Role};
use crate::view::sight::Sight;
use crate::view::words;

/// A row of a column.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Row {
    /// A part begins.
    Title(String, Ink),
    /// A line of it.
    Line(Line),
}

/// Everything on a card, before it is decided what is in sight.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Rows {
    /// The left column, or the only one.
    pub main: Vec<Row>,
    /// The right column.
    pub side: Vec<Row>,
    /// Which of the left rows are the bytes: the first and how many.
    pub bytes: (usize, usize),
}

/// The bytes at a width; with `hash` what they were made from, so that they are made once.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Bytes {
    made_for: Option<(u64, String, usize)>,
    lines: Vec<Line>,
}

impl Bytes {
    /// Makes them if what is shown changed.
    pub fn make(&mut self, card: &ReviewCard, columns: usize) {
        let now = Some((card.seq, card.review.hash.to_string(), columns));
        if self.made_for != now {
            self.lines = parts::bytes(card, columns);
            self.made_for = now;
        }
    }
}

fn part(title: impl Into<String>, ink: Ink, lines: Vec<Line>, out: &mut Vec<Row>) {
    if !lines.is_empty() {
        out.push(Row::Title(title.into(), ink));
        out.extend(lines.into_iter().map(Row::Line));
    }
}

/// Lines of a part.
fn made(columns: usize, make: impl FnOnce(&mut Lines)) -> Vec<Line> {
    let mut lines = Lines::new(columns);
    make(&mut lines);
    lines.done()
}

impl Rows {
    /// In two columns.
    pub fn beside(
        card: &ReviewCard,
        you: Option<&str>,
        sight: &Sight,
        widths: (usize, usize),
        bytes: &Bytes,
    ) -> Rows {
        let (left, right) = widths;
        let mut rows = Rows::default();
        rows.will_run(card, bytes);
        rows.compared(card, left, sight);
        rows.said(card, left);
        rows.talk(card, left, sight);
        let side = &mut rows.side;
        part("WHO", Ink::Head, made(right, |out| people::who(card, sight, out)), side);
        votes(card, you, right, sight, side);
        ends(card, right, sight, side);
        part("JOB", Ink::Head, made(right, |out| parts::job(card, sight, out)), side);
        rows
    }

    /// In one.
    pub fn below(
        card: &ReviewCard,
        you: Option<&str>,
        sight: &Sight,
        columns: usize,
        bytes: &Bytes,
    ) -> Rows {
        let mut rows = Rows::default();
        rows.will_run(card, bytes);
        rows.compared(card, columns, sight);
        votes(card, you, columns, sight, &mut rows.main);
        ends(card, columns, sight, &mut rows.main);
        rows.said(card, columns);
        rows.talk(card, columns, sight);
        let main = &mut rows.main;
        part("WHO", Ink::Head, made(columns, |out| people::who(card, sight, out)), main);
        part("JOB", Ink::Head, made(columns, |out| parts::job(card, sight, out)), main);
        rows
    }

    /// Nothing but the bytes that were hashed, as one text.
    pub fn canonical(card: &ReviewCard, columns: usize) -> Rows {
        let text = card.review.canonical();
        let mut lines = vec![Line::empty()];
        let mut used = 0;
        for piece in pieces(&text) {
            let role = if piece.escape { Role::Bad } else { Role::Plain };
            for c in piece.text.chars() {
                let wide = crate::base::text::width(c.encode_utf8(&mut [0; 4]));
                if used + wide > columns {
                    lines.push(Line::empty());
                    used = 0;
                }
                used += wide;
                let Some(line) = lines.last_mut() else { continue };
                match line.0.last_mut().filter(|cell| cell.role == role) {
                    Some(cell) => cell.text.push(c),
                    None => line.0.push(Cell::new(c.to_string(), role)),
                }
            }
        }
        let title = format!("ALL {} BYTES, {}", text.len(), card.review.hash_text());
        let count = lines.len();
        let mut main = vec![Row::Title(title, Ink::Head)];
        main.extend(lines.into_iter().map(Row::Line));
        Rows { main, side: Vec::new(), bytes: (1, count) }
    }

    fn will_run(&mut self, card: &ReviewCard, bytes: &Bytes) {
        let digits = card.review.hash.to_string();
        let digits: String = digits.chars().take(8).collect();
        let title = if card.review.is_open() { "WHAT WILL RUN" } else { "WHAT IT WAS ABOUT" };
        self.main.push(Row::Title(format!("{title}  {digits}"), Ink::NeedsYou));
        self.bytes = (self.main.len(), bytes.lines.len());
        self.main.extend(bytes.lines.iter().cloned().map(Row::Line));
    }

    fn compared(&mut self, card: &ReviewCard, columns: usize, sight: &Sight) {
        let title = parts::compared_title(&card.compared);
        let lines = made(columns, |out| parts::compared(&card.compared, out));
        part(title, Ink::Head, lines, &mut self.main);
        let lines = made(columns, |out| parts::checked(card, sight, out));
        part("CHECKED BY HOLDSHORT", Ink::Head, lines, &mut self.main);
    }

    fn said(&mut self, card: &ReviewCard, columns: usize) {
        let lines = made(columns, |out| people::said(&card.review, out));
        part("SAID BY THE AGENT (nobody checked this)", Ink::Muted, lines, &mut self.main);
    }

    fn talk(&mut self, card: &ReviewCard, columns: usize, sight: &Sight) {
        let lines = made(columns, |out| people::talk(&card.review, sight, out));
        part("TALK", Ink::Head, lines, &mut self.main);
    }
}

fn votes(card: &ReviewCard, you: Option<&str>, columns: usize, sight: &Sight, out: &mut Vec<Row>) {
    let title = format!("VOTES {}", counted(card));
    part(title, Ink::Head, made(columns, |out| people::votes(card, you, sight, out)), out);
}

/// `1 of 2 yes`.
pub fn counted(card: &ReviewCard) -> String {
    format!("{} of {} yes", card.beside.yes, card.review.rule.need)
}

/// What a yes and a no lead to, or how it was decided.
fn ends(card: &ReviewCard, columns: usize, sight: &Sight, out: &mut Vec<Row>) {
    let review = &card.review;
    if review.is_open() {
        part("IF YES", Ink::Good, made(columns, |out| then::yes(card, sight, out)), out);
        part("IF NO", Ink::Bad, made(columns, |out| then::no(review, out)), out);
    } else {
        let lines = made(columns, |out| then::outcome(review, sight, out));
        part("DECIDED", Ink::Head, lines, out);
    }
}

/// The lines above everything, which never scroll: what it is, and what silence means.
pub fn head(card: &ReviewCard, sight: &Sight, columns: usize) -> Vec<Line> {
    let review = &card.review;
    let trace = words::review::trace(review.ask.effect);
    let title = parts::title(card);
    let right = format!("{trace}   {}", counted(card));
    let mut lines = Vec::new();
    let used = crate::base::text::width(&title) + crate::base::text::width(&right);
    if used + 3 <= columns {
        let space = " ".repeat(columns - used);
        lines
            .push(Line::of(title, Role::Head).then(space, Role::Plain).then(right, Role::NeedsYou));
    } else {
        lines.push(Line::of(crate::base::text::cut(&title, columns), Role::Head));
        lines.push(Line::of(right, Role::NeedsYou));
    }
    let mut sentence = Lines::new(columns);
    if review.is_open() {
        let (text, role) = silence::sentence(review, sight);
        sentence.text(&text, role);
    } else {
        then::outcome(review, sight, &mut sentence);
    }
    lines.extend(sentence.done().into_iter().take(2));
    lines
}
