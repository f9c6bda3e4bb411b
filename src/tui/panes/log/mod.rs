//! Output of a job: follows its end or stays where one reads, searches, wraps.
//!
//! [`buffer`] keeps the lines, [`sgr`] reads their colours, [`paint`] draws them. Following is a
//! state of its own: scrolling up ends it, and new output never moves what one reads.

pub mod buffer;
mod hits;
mod paint;
pub mod sgr;

use ratatui::layout::Rect;

use crate::base::{JobId, text};
use crate::tui::feed::{Data, Output, Want};
use crate::tui::ground::Ground;
use crate::tui::panes::{Command, Kind, Motion, Pane, Target};
use crate::tui::theme::Ink;
use crate::tui::widgets::Canvas;

use buffer::Buffer;
use hits::Hits;

/// Bytes before the end that are fetched.
const TAIL: u64 = 1 << 20;
/// Columns of one step to the side.
const SIDE: usize = 16;

/// A log.
#[derive(Debug)]
pub struct Log {
    job: Option<JobId>,
    rank: u32,
    attempt: Option<u32>,
    buffer: Buffer,
    /// The first line in sight, while the end is not followed.
    top: u64,
    follow: bool,
    wrap: bool,
    /// The time before each line.
    stamps: bool,
    side: usize,
    search: String,
    found: Option<u64>,
    hits: Hits,
    state: State,
    height: usize,
    width: usize,
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum State {
    Waiting,
    Open,
    Over(Option<String>),
}

impl Log {
    /// Output of a job.
    pub fn new(job: Option<JobId>) -> Log {
        Log {
            job,
            rank: 0,
            attempt: None,
            buffer: Buffer::default(),
            top: 0,
            follow: true,
            wrap: false,
            stamps: false,
            side: 0,
            search: String::new(),
            found: None,
            hits: Hits::default(),
            state: State::Waiting,
            height: 1,
            width: 1,
        }
    }

    fn output(&self) -> Option<Output> {
        let job = self.job?;
        Some(Output { job, rank: self.rank, attempt: self.attempt, tail: TAIL })
    }

    fn restart(&mut self) {
        self.buffer.clear();
        self.state = State::Waiting;
        self.follow = true;
        self.found = None;
        self.hits = Hits::default();
    }

    /// Rows a line takes.
    fn rows_of(&self, number: u64) -> usize {
        if !self.wrap {
            return 1;
        }
        let line = self.buffer.line(number).unwrap_or_default();
        text::width(&sgr::plain(&line)).div_ceil(self.width.max(1)).max(1)
    }

    /// The first line in sight when the end is at the bottom.
    fn top_at_end(&self) -> u64 {
        let mut room = self.height;
        let mut top = self.buffer.end();
        while top > self.buffer.first() {
            let rows = self.rows_of(top - 1);
            if rows > room {
                break;
            }
            room -= rows;
            top -= 1;
        }
        // A line that is taller than the window still has to be seen.
        top.min(self.buffer.end().saturating_sub(1)).max(self.buffer.first())
    }

    fn first_seen(&self) -> u64 {
        if self.follow { self.top_at_end() } else { self.top.max(self.buffer.first()) }
    }

    fn move_to(&mut self, top: u64) {
        self.follow = false;
        self.top = top.clamp(self.buffer.first(), self.top_at_end().max(self.buffer.first()));
    }

    /// Byte ranges of matches in a line without colours.
    fn matches(&self, plain: &str) -> Vec<(usize, usize)> {
        if self.search.is_empty() {
            return Vec::new();
        }
        let exact = self.search.chars().any(char::is_uppercase);
        let (hay, needle) = if exact {
            (plain.to_owned(), self.search.clone())
        } else {
            (plain.to_ascii_lowercase(), self.search.to_ascii_lowercase())
        };
        hay.match_indices(&needle).map(|(at, found)| (at, at + found.len())).collect()
    }

    /// Looks through what came since.
    fn scan(&mut self) {
        let mut hits = std::mem::take(&mut self.hits);
        hits.scan(&self.buffer, |line| !self.matches(&sgr::plain(line)).is_empty());
        self.hits = hits;
    }

    /// Goes to the next line with a match; false if there is none but where one is.
    fn find(&mut self, forward: bool) -> bool {
        self.scan();
        let from = self.found.unwrap_or_else(|| self.first_seen());
        let found = match (forward, self.found) {
            (true, None) => self.hits.at_or_after(from),
            (true, Some(at)) => self.hits.at_or_after(at + 1),
            (false, _) => self.hits.before(from),
        };
        let moved = found.is_some() && found != self.found;
        if let Some(number) = found {
            self.found = Some(number);
            let third = self.height as u64 / 3;
            self.move_to(number.saturating_sub(third));
        }
        moved
    }

    fn status(&self, canvas: &mut Canvas, area: Rect) {
        let (first, end) = (self.buffer.first(), self.buffer.end());
        let mut parts = vec![match self.attempt {
            Some(attempt) => format!("attempt {attempt}"),
            None => "all attempts".to_owned(),
        }];
        if self.rank > 0 {
            parts.push(format!("task {}", self.rank));
        }
        parts.push(match (&self.state, self.follow) {
            (State::Waiting, _) => "asking…".to_owned(),
            (State::Over(None), _) => "complete".to_owned(),
            (State::Over(Some(why)), _) => format!("broke off: {why}"),
            (State::Open, true) => "following".to_owned(),
            (State::Open, false) => {
                match end.saturating_sub(self.first_seen() + self.height as u64) {
                    0 => "stays here: f follows".to_owned(),
                    1 => "paused, 1 line below: f follows".to_owned(),
                    below => format!("paused, {below} lines below: f follows"),
                }
            }
        });
        if first > 0 {
            parts.push(format!("{first} older lines are not here"));
        }
        if self.wrap {
            parts.push("wrapped".to_owned());
        }
        if !self.search.is_empty() {
            let (at, all) = (self.found.and_then(|n| self.hits.place(n)), self.hits.len());
            let place = match (at, all) {
                (_, 0) => "no line has it".to_owned(),
                (Some(at), all) => format!("{at} of {all}"),
                (None, all) => format!("{all} lines"),
            };
            parts.insert(0, format!("/ {}  {place}", self.search));
        }
        let broke = matches!(self.state, State::Over(Some(_)));
        let ink = if broke { Ink::Bad } else { Ink::Muted };
        canvas.rule(area, &parts.join("  "), ink);
        let at = format!(" {}/{end} ", (self.first_seen() + self.height as u64).min(end));
        canvas.put_right((area.right().saturating_sub(1), area.y), area.width / 4, &at, Ink::Muted);
    }
}

impl Pane for Log {
    fn kind(&self) -> Kind {
        Kind::Log
    }

    fn title(&self, ground: &Ground) -> String {
        super::job::named(self.job, ground, "log")
    }

    fn wants(&self, _ground: &Ground) -> Vec<Want> {
        let output = self.output().map(Want::Output);
        output.into_iter().chain(self.job.map(Want::Job)).collect()
    }

    fn target(&self, _ground: &Ground) -> Target {
        Target { job: self.job, ..Target::default() }
    }

    fn take(&mut self, data: &Data, _ground: &Ground) {
        let mine = self.output();
        match data {
            Data::OutputBegins(output) if Some(*output) == mine => {
                self.buffer.clear();
                self.hits.restart();
                self.state = State::Open;
            }
            Data::More(output, piece) if Some(*output) == mine => {
                self.buffer.push(piece.at, &piece.bytes);
            }
            Data::OutputEnds(output, why) if Some(*output) == mine => {
                self.state = State::Over(why.clone());
            }
            _ => {}
        }
    }

    fn settle(&mut self, ground: &Ground, area: Rect) {
        self.height = usize::from(area.height.saturating_sub(1)).max(1);
        self.width = usize::from(area.width.saturating_sub(self.gutter(ground))).max(1);
        self.top = self.top.max(self.buffer.first());
        self.scan();
    }

    fn go(&mut self, motion: Motion, _ground: &Ground) {
        let half = (self.height / 2).max(1);
        let from = self.first_seen();
        let by = |lines: isize| from.saturating_add_signed(lines as i64);
        match motion {
            Motion::Lines(lines) => self.move_to(by(lines)),
            Motion::Halves(n) => self.move_to(by(n * isize::try_from(half).unwrap_or(1))),
            Motion::First => self.move_to(0),
            Motion::Last => self.follow = true,
            Motion::Side(n) => {
                let step = n * isize::try_from(SIDE).unwrap_or(1);
                self.side = self.side.saturating_add_signed(step).min(buffer_columns());
            }
        }
    }

    fn command(&mut self, command: &Command, ground: &mut Ground) -> bool {
        match command {
            Command::Wrap => self.wrap = !self.wrap,
            Command::Stamps => self.stamps = !self.stamps,
            Command::Follow if self.follow => self.move_to(self.first_seen()),
            Command::Follow => self.follow = true,
            Command::Filter(text) => {
                self.search.clone_from(text);
                self.found = None;
                self.hits = Hits::default();
                if !text.is_empty() {
                    // How many there are stands above, and goes on being so while more comes.
                    self.find(true);
                }
            }
            Command::Match(forward) => {
                let forward = *forward;
                if self.search.is_empty() {
                    ground.say("search with / first");
                } else if !self.find(forward) {
                    let search = &self.search;
                    ground.say(match self.hits.len() {
                        0 => format!("no line has {search}"),
                        _ => format!("this is the only line with {search}"),
                    });
                }
            }
            Command::Attempt => {
                let last = self.job.and_then(|job| ground.known.row(job)).map_or(0, |r| r.attempt);
                self.attempt = match self.attempt {
                    None if last > 0 => Some(last),
                    Some(n) if n > 1 => Some(n - 1),
                    _ => None,
                };
                self.restart();
            }
            Command::Rank => {
                let row = self.job.and_then(|job| ground.known.row(job));
                let size = row.map_or(1, |row| row.gang.size.max(1));
                self.rank = (self.rank + 1) % size;
                self.restart();
            }
            Command::Back if !self.search.is_empty() => {
                self.search.clear();
                self.hits = Hits::default();
            }
            _ => return false,
        }
        true
    }

    fn can(&self, command: &Command, ground: &Ground) -> Result<(), String> {
        let row = self.job.and_then(|job| ground.known.row(job));
        match command {
            Command::Match(_) if self.search.is_empty() => Err("search with / first".to_owned()),
            Command::Follow if self.follow && matches!(self.state, State::Over(_)) => {
                Err("the output is complete".to_owned())
            }
            Command::Attempt if row.is_some_and(|row| row.attempt < 2) => {
                Err("there is only one attempt".to_owned())
            }
            Command::Rank if row.is_some_and(|row| row.gang.size < 2) => {
                Err("there is only one task".to_owned())
            }
            _ => Ok(()),
        }
    }

    fn filter(&self) -> Option<&str> {
        Some(&self.search)
    }

    fn copy(&self, _ground: &Ground) -> Option<(String, String)> {
        let from = self.first_seen();
        let lines = (from..self.buffer.end()).take(self.height);
        let text: Vec<_> =
            lines.filter_map(|n| self.buffer.line(n)).map(|line| sgr::plain(&line)).collect();
        (!text.is_empty()).then(|| (text.join("\n"), "the lines in sight".to_owned()))
    }

    fn draw(&self, ground: &Ground, canvas: &mut Canvas, area: Rect) {
        self.status(canvas, Rect { height: 1.min(area.height), ..area });
        let mut rest = Rect { y: area.y + 1, height: area.height.saturating_sub(1), ..area };
        if self.buffer.end() == self.buffer.first() {
            let text = match &self.state {
                State::Waiting => "asking for output…",
                State::Open => "no output yet",
                State::Over(_) => "no output",
            };
            canvas.put((rest.x + 1, rest.y), rest.width.saturating_sub(1), text, Ink::Muted);
            return;
        }
        let mut number = self.first_seen();
        let gutter = self.gutter(ground).min(rest.width);
        while rest.height > 0 && number < self.buffer.end() {
            if gutter > 0 {
                self.draw_time(ground, canvas, (rest, gutter), number);
            }
            let text = Rect { x: rest.x + gutter, width: rest.width - gutter, ..rest };
            let rows = self.draw_line(ground, canvas, text, number).min(rest.height);
            rest = Rect { y: rest.y + rows, height: rest.height - rows, ..rest };
            number += 1;
        }
    }
}

/// The farthest one can go to the side: a line cannot be longer.
const fn buffer_columns() -> usize {
    8 * 1024
}
