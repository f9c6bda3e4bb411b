//! The terminal of a job, inside the console: one looks until `i`, ctrl-\ stops typing.

pub mod keys;

use std::num::NonZeroU16;

use ratatui::layout::Rect;
use ratatui::style::{Color, Modifier, Style};

use crate::base::JobId;
use crate::tui::event::{Deed, Effect};
use crate::tui::feed::{Data, Output, Want};
use crate::tui::ground::Ground;
use crate::tui::keys::Key;
use crate::tui::panes::{Command, Kind, Motion, Pane, Target};
use crate::tui::theme::{Ink, depth};
use crate::tui::widgets::Canvas;

/// Bytes of earlier output from which the screen is built.
const TAIL: u64 = 256 * 1024;
/// Lines that scrolled away and can be looked at.
const SCROLLBACK: usize = 2000;
/// Stops typing.
const LEAVE: Key = Key::ctrl('\\');
/// What crossterm calls the same byte.
const LEAVE_TOO: Key = Key::ctrl('4');

/// The pane.
pub struct Terminal {
    job: Option<JobId>,
    rank: u32,
    screen: vt100::Parser,
    typing: bool,
    state: Option<Result<(), Option<String>>>,
    size: (u16, u16),
    told: Option<(u16, u16)>,
}

fn at_least_one(n: u16) -> NonZeroU16 {
    NonZeroU16::new(n).unwrap_or(NonZeroU16::MIN)
}

impl Terminal {
    /// The terminal of a job.
    pub fn new(job: Option<JobId>) -> Terminal {
        Terminal {
            job,
            rank: 0,
            screen: blank((80, 24)),
            typing: false,
            state: None,
            size: (80, 24),
            told: None,
        }
    }

    fn output(&self) -> Option<Output> {
        Some(Output { job: self.job?, rank: self.rank, attempt: None, tail: TAIL })
    }

    fn send(&self, bytes: Vec<u8>) -> Vec<Effect> {
        let Some(job) = self.job.filter(|_| !bytes.is_empty()) else { return Vec::new() };
        vec![Effect::Do(Deed::Input { job, rank: self.rank, bytes })]
    }

    fn status(&self) -> (String, Ink) {
        let back = self.screen.screen().scrollback();
        match (&self.state, self.typing) {
            (None, _) => ("asking…".to_owned(), Ink::Muted),
            (Some(Err(None)), _) => ("it has ended".to_owned(), Ink::Muted),
            (Some(Err(Some(why))), _) => (format!("broke off: {why}"), Ink::Bad),
            (Some(Ok(())), true) => {
                ("TYPING: every key goes to the program; ctrl-\\ stops".to_owned(), Ink::NeedsYou)
            }
            (Some(Ok(())), false) if back > 0 => (format!("{back} lines back"), Ink::Muted),
            (Some(Ok(())), false) => ("looking: i types".to_owned(), Ink::Muted),
        }
    }

    fn draw_cell(&self, ground: &Ground, canvas: &mut Canvas, area: Rect, row: u16, column: u16) {
        let Some(cell) = self.screen.screen().cell(row, column) else { return };
        if cell.is_wide_continuation() {
            return;
        }
        let fit = |color| depth::fit(color, ground.options.depth);
        let mut style = Style::new();
        style.fg = color(cell.fgcolor()).and_then(fit);
        style.bg = color(cell.bgcolor()).and_then(fit);
        for (on, modifier) in [
            (cell.bold(), Modifier::BOLD),
            (cell.dim(), Modifier::DIM),
            (cell.italic(), Modifier::ITALIC),
            (cell.underline(), Modifier::UNDERLINED),
            (cell.inverse(), Modifier::REVERSED),
        ] {
            if on {
                style = style.add_modifier(modifier);
            }
        }
        let text = if cell.has_contents() { cell.contents() } else { " " };
        let (x, y) = (area.x + column, area.y + row);
        canvas.styled((x, y), if cell.is_wide() { 2 } else { 1 }, text, style);
    }
}

fn blank((columns, rows): (u16, u16)) -> vt100::Parser {
    vt100::Parser::new(at_least_one(rows), at_least_one(columns), SCROLLBACK)
}

fn color(color: vt100::Color) -> Option<Color> {
    match color {
        vt100::Color::Default => None,
        vt100::Color::Idx(n) => Some(Color::Indexed(n)),
        vt100::Color::Rgb(r, g, b) => Some(Color::Rgb(r, g, b)),
    }
}

impl Pane for Terminal {
    fn kind(&self) -> Kind {
        Kind::Terminal
    }

    fn title(&self, ground: &Ground) -> String {
        super::job::named(self.job, ground, "terminal")
    }

    fn wants(&self, _ground: &Ground) -> Vec<Want> {
        let output = self.output().map(Want::Output);
        output.into_iter().chain(self.job.map(Want::Job)).collect()
    }

    fn target(&self, _ground: &Ground) -> Target {
        Target { job: self.job, ..Target::default() }
    }

    fn take(&mut self, data: &Data, ground: &Ground) {
        let row = self.job.and_then(|job| ground.known.row(job));
        let plain = row.is_some_and(|row| !row.pty);
        let mine = self.output();
        match data {
            Data::OutputBegins(output) if Some(*output) == mine => {
                self.screen = blank(self.size);
                self.state = Some(Ok(()));
            }
            // Without a terminal nothing has put the returns in.
            Data::More(output, piece) if Some(*output) == mine && plain => {
                for line in piece.bytes.split_inclusive(|byte| *byte == b'\n') {
                    match line.strip_suffix(b"\n") {
                        Some(text) => self.screen.process(&[text, b"\r\n"].concat()),
                        None => self.screen.process(line),
                    }
                }
            }
            Data::More(output, piece) if Some(*output) == mine => {
                self.screen.process(&piece.bytes);
            }
            Data::OutputEnds(output, why) if Some(*output) == mine => {
                self.state = Some(Err(why.clone()));
                self.typing = false;
            }
            _ => {}
        }
    }

    fn settle(&mut self, _ground: &Ground, area: Rect) {
        let size = (area.width, area.height.saturating_sub(1));
        if size != self.size && size.0 > 0 && size.1 > 0 {
            self.size = size;
            self.screen.screen_mut().set_size(at_least_one(size.1), at_least_one(size.0));
        }
    }

    fn go(&mut self, motion: Motion, _ground: &Ground) {
        let half = isize::try_from(self.size.1 / 2).unwrap_or(1).max(1);
        let now = self.screen.screen().scrollback();
        let to = match motion {
            Motion::Lines(by) => now.saturating_add_signed(-by),
            Motion::Halves(by) => now.saturating_add_signed(-by * half),
            Motion::First => SCROLLBACK,
            Motion::Last => 0,
            Motion::Side(_) => now,
        };
        self.screen.screen_mut().set_scrollback(to.min(SCROLLBACK));
    }

    fn command(&mut self, command: &Command, ground: &mut Ground) -> bool {
        match command {
            Command::Type => {
                self.screen.screen_mut().set_scrollback(0);
                self.typing = matches!(self.state, Some(Ok(())));
            }
            Command::Rank => {
                let row = self.job.and_then(|job| ground.known.row(job));
                let size = row.map_or(1, |row| row.gang.size.max(1));
                self.rank = (self.rank + 1) % size;
                self.state = None;
                self.told = None;
                self.screen = blank(self.size);
            }
            _ => return false,
        }
        true
    }

    fn is_typing(&self) -> bool {
        self.typing
    }

    fn raw(&mut self, key: Key, _ground: &Ground) -> Option<Vec<Effect>> {
        if !self.typing {
            return None;
        }
        if key == LEAVE || key == LEAVE_TOO {
            self.typing = false;
            return Some(Vec::new());
        }
        Some(self.send(keys::bytes(key, self.screen.screen().application_cursor())))
    }

    fn paste(&mut self, text: &str) -> Option<Vec<Effect>> {
        if !self.typing {
            return None;
        }
        // A pasted end of paste would let the rest of the text act as keys.
        let text = text.replace("\x1b[201~", "");
        let bytes = if self.screen.screen().bracketed_paste() {
            format!("\x1b[200~{text}\x1b[201~").into_bytes()
        } else {
            text.replace("\r\n", "\r").replace('\n', "\r").into_bytes()
        };
        Some(self.send(bytes))
    }

    fn resized(&mut self) -> Vec<Effect> {
        // Only who types changes the size: a look must not disturb the program.
        let Some(job) = self.job.filter(|_| self.typing && self.told != Some(self.size)) else {
            return Vec::new();
        };
        self.told = Some(self.size);
        let (columns, rows) = self.size;
        vec![Effect::Do(Deed::Size { job, rank: self.rank, rows, columns })]
    }

    fn copy(&self, _ground: &Ground) -> Option<(String, String)> {
        Some((self.screen.screen().contents(), "the screen".to_owned()))
    }

    fn draw(&self, ground: &Ground, canvas: &mut Canvas, area: Rect) {
        let (status, ink) = self.status();
        let row = ground.known.row(self.job.unwrap_or(JobId(0)));
        let title = match row.filter(|row| !row.pty) {
            Some(_) => "it has no terminal; this is its output".to_owned(),
            None => status,
        };
        canvas.rule(area, &title, ink);
        let inside = Rect { y: area.y + 1, height: area.height.saturating_sub(1), ..area };
        let (rows, columns) = self.screen.screen().size();
        for row in 0..rows.get().min(inside.height) {
            for column in 0..columns.get().min(inside.width) {
                self.draw_cell(ground, canvas, inside, row, column);
            }
        }
        let screen = self.screen.screen();
        if self.typing && !screen.hide_cursor() && screen.scrollback() == 0 {
            let (row, column) = screen.cursor_position();
            if row < inside.height && column < inside.width {
                let cursor = Rect::new(inside.x + column, inside.y + row, 1, 1);
                canvas.tint(cursor, Ink::Selected);
            }
        }
    }
}
