//! The list of jobs by urgency: the console's face.
//!
//! [`items`] decides which rows there are, [`rows`] draws one, [`panel`] is the side panel.
//! What is chosen is an id: it stays chosen when rows move.

pub mod cells;
mod items;
mod moves;
pub mod panel;
pub mod peek;
mod reach;
mod reviews;
pub mod rows;

use std::collections::BTreeSet;

use ratatui::layout::Rect;

use crate::base::{JobId, Span};
use crate::model::State;
use crate::model::job::Outcome;
use crate::model::page::JobRow;
use crate::tui::event::Mouse;
use crate::tui::feed::Want;
use crate::tui::ground::Ground;
use crate::tui::layout::{LANES_FROM, PANEL_FROM, with_panel};
use crate::tui::panes::{Command, Kind, Motion, Pane, Target};
use crate::tui::section::Section;
use crate::tui::widgets::{Canvas, Window};
use crate::view::words::{self, state_short};

use items::{Item, Items, Order, Pick};
use reach::{Edge, Reach};

/// Lines of a body from which reasons may take two.
const ROOMY: u16 = 24;

/// The list.
#[derive(Debug, Default)]
pub struct Home {
    narrow: Option<Section>,
    filter: String,
    order: Order,
    unfolded: BTreeSet<Section>,
    all_ended: bool,
    reach: [Reach; 5],
    /// An end that is gone to once it has come.
    edge: Option<Edge>,
    pick: Option<Pick>,
    /// The chosen job, where it only has a row because it is chosen.
    keep: Option<JobId>,
    /// What is chosen follows the most urgent row until everything came once or a key was pressed.
    begun: bool,
    /// A key changed what is listed: until that has come the choice goes to what is near.
    let_go: bool,
    /// Where what was chosen stood, after it vanished.
    gone_at: usize,
    /// What has to be said.
    says: Option<String>,
    items: Items,
    widest: rows::Widest,
    /// What `items` and `widest` were made for.
    built: Option<items::How>,
    windows: [Window; 5],
    body: Rect,
}

/// Ended badly.
pub fn is_bad(row: &JobRow) -> bool {
    let good = |how| matches!(how, Outcome::Succeeded | Outcome::Cancelled);
    matches!(row.state, State::Ended(how) if !good(how))
}

impl Home {
    /// Begins with a filter.
    pub fn set_filter(&mut self, filter: &str) {
        filter.clone_into(&mut self.filter);
    }

    /// Sections side by side instead of one below the other.
    fn in_lanes(&self) -> bool {
        self.narrow.is_none()
            && self.body.width >= LANES_FROM.0
            && self.body.height + 4 >= LANES_FROM.1
    }

    /// Where the rows are.
    fn list_area(&self) -> Rect {
        self.areas(self.body).0
    }

    /// There is room for reasons on two lines around the chosen row.
    fn is_roomy(&self) -> bool {
        !self.in_lanes() && self.body.width >= PANEL_FROM && self.body.height >= ROOMY
    }

    /// The part of the body with rows, and the panel.
    fn areas(&self, body: Rect) -> (Rect, Option<Rect>) {
        if self.in_lanes() {
            let below = (body.height / 3).clamp(10, 18);
            let top = Rect { height: body.height - below, ..body };
            let panel = Rect { y: top.bottom(), height: below, ..body };
            return (top, Some(panel));
        }
        with_panel(body)
    }

    /// Lanes of the wide screen: people and stuck share the first one.
    fn lane_areas(list: Rect) -> [Rect; 4] {
        let wide = list.width / 4;
        let x = |at: u16| list.x + wide * at;
        let last = list.width - wide * 3;
        [(0, wide - 1), (1, wide - 1), (2, wide - 1), (3, last)].map(|(at, width)| Rect {
            x: x(at),
            width,
            ..list
        })
    }

    const fn lane_of(section: Section) -> usize {
        match section {
            Section::People | Section::Stuck => 0,
            Section::Running => 1,
            Section::Queued => 2,
            Section::Ended => 3,
        }
    }

    /// Lines that a page has.
    fn height(&self) -> usize {
        let (list, _) = self.areas(self.body);
        usize::from(list.height).saturating_sub(1).max(1)
    }

    fn place(&self) -> Option<usize> {
        self.items.place(self.pick)
    }

    fn choose(&mut self, at: usize) {
        self.pick = self.items.pick_near(at);
    }
}

impl Home {
    /// The rows for what is known now, if they are not made yet.
    fn build(&mut self, ground: &Ground) {
        let (list, _) = self.areas(self.body);
        let spare = if self.is_roomy() { 2 } else { 0 };
        let how = items::How {
            version: ground.known.version,
            narrow: self.narrow,
            unfolded: self.unfolded.clone(),
            order: self.order,
            keep: self.keep,
            room: match self.in_lanes() {
                true => usize::MAX,
                false => usize::from(list.height).saturating_sub(1 + spare),
            },
        };
        if self.built.as_ref() != Some(&how) {
            self.items = Items::of(&ground.known, &how);
            self.widest = rows::Widest::of(&ground.known);
            self.built = Some(how);
        }
    }
}

impl Pane for Home {
    fn kind(&self) -> Kind {
        Kind::Home
    }

    fn title(&self, _ground: &Ground) -> String {
        "jobs".to_owned()
    }

    fn wants(&self, ground: &Ground) -> Vec<Want> {
        let some = Section::ALL.into_iter().filter(|section| ground.known.may_have(*section));
        let rows = some.filter_map(|section| self.rows_of(section, ground)).map(Want::Rows);
        rows.chain([Want::InSight(self.in_sight())]).collect()
    }

    fn target(&self, ground: &Ground) -> Target {
        let job = match self.pick {
            Some(Pick::Job(_, job)) => Some(job),
            _ => None,
        };
        let review = match self.pick {
            Some(Pick::Review(review)) => Some(review),
            _ => None,
        };
        let folded = self.folded(ground);
        Target { job, review, folded, section: self.narrow, ..Target::default() }
    }

    fn out_of_sight(&self, jobs: &[JobId], ground: &Ground) -> usize {
        let seen: BTreeSet<JobId> = self.in_sight().into_iter().collect();
        // A row stands for every element of an array in the same state.
        let of = |id: &JobId| {
            let row = ground.known.row(*id)?;
            Some((row.array?.id, state_short(row)))
        };
        let arrays: BTreeSet<(JobId, &str)> = seen.iter().filter_map(of).collect();
        let hidden = |job: &&JobId| {
            !seen.contains(job) && of(job).is_none_or(|array| !arrays.contains(&array))
        };
        jobs.iter().filter(hidden).count()
    }

    fn says(&mut self) -> Option<String> {
        self.says.take()
    }

    fn settle(&mut self, ground: &Ground, area: Rect) {
        self.body = area;
        let (list, _) = self.areas(area);
        let before = self.place().or(self.pick.is_none().then_some(self.gone_at));
        let line = before.map(|at| at.saturating_sub(self.windows[0].first));
        self.build(ground);
        self.hold_on(ground, before.unwrap_or(0));
        self.arrive(ground);
        self.reach_on(ground);
        let height = usize::from(list.height).saturating_sub(1);
        let at = self.place().unwrap_or(self.gone_at);
        if self.in_lanes() {
            let lane = self.pick.map_or(0, |pick| Home::lane_of(pick.section()));
            let rows = self.items.of_lane(lane, Home::lane_of);
            let within = rows.iter().position(|row| *row == at).unwrap_or(0);
            if let Some(window) = self.windows.get_mut(lane) {
                window.follow(within, rows.len(), height / rows::LANE_LINES);
            }
            return;
        }
        let len = self.items.list.len();
        // Second lines of rows around the chosen one take room of others.
        let around = at..len.min(at + 2);
        let lines = |row: usize| usize::from(rows::lines_of(self, ground, row, Some(at)));
        let second: usize = around.map(|row| lines(row) - 1).sum();
        let height = height.saturating_sub(second).max(1);
        if let (Some(line), true) = (line, self.windows[0].first > 0) {
            // Rows that come and go above leave the chosen one where it is on the screen.
            self.windows[0].first = at.saturating_sub(line);
        }
        // The first row brings its section's title into sight.
        let seen = if at <= 1 { 0 } else { at };
        self.windows[0].follow(seen, len, height);
        self.windows[0].follow(at, len, height);
    }

    fn go(&mut self, motion: Motion, ground: &Ground) {
        self.edge = None;
        self.begun = true;
        if self.pick.is_none() && matches!(motion, Motion::Lines(_) | Motion::Halves(_)) {
            self.choose(self.gone_at);
            self.gone_at = 0;
            return;
        }
        let at = self.place().unwrap_or(0);
        let height = self.height();
        let lanes = self.in_lanes();
        let len = self.items.list.len();
        let to = match motion {
            Motion::Lines(by) if lanes => return self.step_in_lane(by),
            Motion::Halves(by) if lanes => {
                let page = isize::try_from(height / rows::LANE_LINES / 2).unwrap_or(1).max(1);
                return self.step_in_lane(by * page);
            }
            Motion::Lines(by) => return self.step(by),
            Motion::Halves(by) => {
                let half = isize::try_from(height / 2).unwrap_or(1).max(1);
                at.saturating_add_signed(by * half).min(len.saturating_sub(1))
            }
            Motion::First => return self.go_to_edge(false, ground),
            Motion::Last => return self.go_to_edge(true, ground),
            Motion::Side(by) => return self.side(by),
        };
        self.choose(to);
    }

    fn command(&mut self, command: &Command, ground: &mut Ground) -> bool {
        self.begun = true;
        let lists = matches!(command, Command::Narrow(Some(_)) | Command::Order | Command::Fold)
            || matches!(command, Command::AllEnded | Command::Filter(_) | Command::Back);
        self.let_go |= lists;
        match command {
            Command::Narrow(None) => {
                self.narrow = None;
                self.windows = Default::default();
            }
            Command::Narrow(section) => {
                self.narrow = *section;
                self.windows = Default::default();
                self.reach_back();
            }
            Command::NextNeeding => return self.next_needing() || self.widened_next(ground),
            Command::Order => {
                self.order = self.order.next();
                self.reach_back();
                ground.say(format!("order: {}", self.order.word()));
            }
            Command::Fold => self.fold(),
            Command::AllEnded => {
                self.all_ended = !self.all_ended;
                let what = if self.all_ended { "all" } else { "what is new since you last looked" };
                ground.say(format!("ended jobs: {what}"));
            }
            Command::Filter(text) => {
                self.filter.clone_from(text);
                self.reach_back();
            }
            Command::Mark => {
                if let Some(Pick::Job(section, job)) = self.pick {
                    self.mark(section, job, ground);
                    self.step(1);
                }
            }
            Command::Open => match self.pick {
                Some(Pick::More(section)) => {
                    if self.order != Order::Urgency {
                        let most = reach::ROWS_MAX;
                        ground.say(format!("only the {most} most urgent are sorted; / narrows"));
                    }
                    self.unfolded.insert(section);
                }
                Some(Pick::Others) => {
                    self.unfolded.insert(Section::People);
                }
                _ => return false,
            },
            Command::Back => return self.one_back(ground),
            _ => return false,
        }
        true
    }

    fn filter(&self) -> Option<&str> {
        Some(&self.filter)
    }

    fn click(&mut self, mouse: Mouse, ground: &Ground) {
        let Mouse::Click(x, y) = mouse else { return };
        let (list, _) = self.areas(self.body);
        if self.in_lanes() || !list.contains((x, y).into()) || y == list.y {
            return;
        }
        let chosen = self.place();
        let mut below = list.y + 1;
        let under = (self.windows[0].first..self.items.list.len()).find(|at| {
            below += rows::lines_of(self, ground, *at, chosen);
            below > y
        });
        let Some(at) = under else { return };
        if self.items.list.get(at).is_some_and(Item::can_be_chosen) {
            self.choose(at);
        }
    }

    fn copy(&self, ground: &Ground) -> Option<(String, String)> {
        let job = match self.pick? {
            Pick::Job(_, job) => job,
            Pick::Review(review) => return Some((review.to_string(), review.to_string())),
            Pick::Others | Pick::More(_) => return None,
        };
        let row = ground.known.row(job);
        let command = row.map(|row| words::command(&row.command)).filter(|text| !text.is_empty());
        let text = command.map_or_else(|| job.to_string(), |command| format!("{job}  {command}"));
        Some((text, format!("{job} and its command")))
    }

    fn ages_at(&self, ground: &Ground) -> Option<Span> {
        let now = ground.known.clock.at();
        let console = ground.known.clock.console();
        let seen = self.windows[0].seen(self.items.list.len(), self.height());
        let rows = self.items.list.get(if self.in_lanes() {
            0..self.items.list.len().min(200)
        } else {
            seen
        })?;
        let next = |item: &Item| {
            if let Item::Review { review, .. } = item {
                let row = ground.known.review_row(*review)?;
                return Some(reviews::changes(row, now, ground.options.reduced_motion));
            }
            let (section, job) = item.job()?;
            let row = ground.known.slice(section)?.row(job)?;
            let since = crate::view::list::since(row, section.kind());
            Some(next_change(now.now.since(since.now), ground.options.reduced_motion))
        };
        rows.iter().filter_map(next).min().map(|span| console + span)
    }

    fn draw(&self, ground: &Ground, canvas: &mut Canvas, area: Rect) {
        let (list, side) = self.areas(area);
        if self.in_lanes() {
            rows::lanes(self, ground, canvas, &Home::lane_areas(list));
            if let Some(side) = side {
                panel::below(self.chosen(ground), ground, canvas, side);
            }
            return;
        }
        rows::list(self, ground, canvas, list);
        if let Some(side) = side {
            canvas.fence(Rect { x: side.x - 1, width: 1, ..side });
            panel::beside(self.chosen(ground), ground, canvas, side);
        }
    }
}

/// How long until an age reads differently: seconds below a minute, then minutes.
pub fn next_change(age: Span, reduced: bool) -> Span {
    let unit = match age.0 {
        // With reduced motion nothing counts seconds.
        0..60_000 if reduced => 60_000,
        0..60_000 => 1000,
        60_000..86_400_000 => 60_000,
        _ => 3_600_000,
    };
    Span(unit - age.0 % unit)
}
