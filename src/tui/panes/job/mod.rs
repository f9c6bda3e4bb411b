//! One job: why it is where it is, what was asked, what happened, what runs.

pub mod timeline;

use ratatui::layout::Rect;

use crate::base::{JobId, Span, text};
use crate::tui::feed::{Data, Want};
use crate::tui::ground::Ground;
use crate::tui::layout::PANEL_FROM;
use crate::tui::panes::log::Log;
use crate::tui::panes::sheet::Sheet;
use crate::tui::panes::{Kind, Motion, Pane, Target};
use crate::tui::theme::Ink;
use crate::tui::widgets::Canvas;
use crate::view::describe::{self, LABEL};
use crate::view::line::{Cell, Line, Role};

/// Lines of names of an environment at most.
const ENVIRONMENT_LINES: usize = 4;

/// The pane.
#[derive(Debug)]
pub struct JobPane {
    job: Option<JobId>,
    sheet: Sheet,
    /// Why and when, where they stand beside it.
    history: Sheet,
    /// The end of its output, where there is room for it.
    output: Log,
}

/// `42 fix-auth log`: a pane's step on the way.
pub fn named(job: Option<JobId>, ground: &Ground, what: &str) -> String {
    let Some(job) = job else { return what.to_owned() };
    let name = ground.known.row(job).map(|row| row.name.to_string()).unwrap_or_default();
    let text = format!("{job} {name} {what}");
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

impl JobPane {
    /// About a job.
    pub fn new(job: Option<JobId>) -> JobPane {
        JobPane { job, sheet: Sheet::default(), history: Sheet::default(), output: Log::new(job) }
    }

    /// What it is at the left; where there is room why and when at the right, output below.
    fn parts(area: Rect) -> (Rect, Option<(Rect, Rect)>) {
        if area.width < PANEL_FROM || area.height < 16 {
            return (area, None);
        }
        let left = Rect { width: area.width / 2, ..area };
        let right = Rect { x: left.right() + 1, width: area.width - left.width - 1, ..area };
        let upper = Rect { height: area.height * 3 / 5, ..right };
        let lower = Rect { y: upper.bottom(), height: area.height - upper.height, ..right };
        (left, Some((upper, lower)))
    }

    fn beside(&self, ground: &Ground, width: u16) -> Vec<Line> {
        let mut lines = self.why(ground, width);
        if !lines.is_empty() {
            lines.push(Line::empty());
        }
        lines.extend(self.timeline(ground, width));
        lines
    }

    fn why(&self, ground: &Ground, width: u16) -> Vec<Line> {
        let why = self.job.and_then(|job| ground.known.whys.get(&job));
        let Some(why) = why else { return Vec::new() };
        // The first line repeats the state, which stands above.
        let mut lines = vec![Line::of("WHY", Role::Head)];
        let row = self.job.and_then(|job| ground.known.row(job));
        lines.extend(row.map(|row| describe::trouble(row, &ground.sight())).unwrap_or_default());
        lines.extend(describe::why(why, &ground.sight()).into_iter().skip(1));
        let room = usize::from(width).saturating_sub(2);
        lines.into_iter().flat_map(|line| folded(line, room)).collect()
    }

    fn about(&self, ground: &Ground, width: u16) -> Vec<Line> {
        let detail = self.job.and_then(|job| ground.known.jobs.get(&job));
        let Some(detail) = detail else { return Vec::new() };
        let room = usize::from(width).saturating_sub(2);
        let mut lines = describe::job(detail, &ground.sight(), Some(room));
        // Said better in parts of their own.
        lines
            .retain(|line| !["why  ", "environment  "].iter().any(|w| line.plain().starts_with(w)));
        let pair = |line: &Line| line.0.first().is_some_and(|c| text::width(&c.text) == LABEL);
        let fold = |line| if pair(&line) { hanging(line, room) } else { vec![line] };
        lines.into_iter().flat_map(fold).collect()
    }

    /// The names of its environment, as many as one takes in at a glance.
    fn environment(&self, ground: &Ground, width: u16) -> Vec<Line> {
        let detail = self.job.and_then(|job| ground.known.jobs.get(&job));
        let names = detail.map(|detail| &detail.env_names).filter(|names| !names.is_empty());
        let Some(names) = names else { return Vec::new() };
        let room = usize::from(width).saturating_sub(2);
        let title = format!("ENVIRONMENT {}", names.len());
        let title = Line::of(title, Role::Head).then("  names; values stay private", Role::Muted);
        let folded = text::fold_lines(&names.join(" "), room);
        let hidden = folded.len().saturating_sub(ENVIRONMENT_LINES);
        let mut lines = vec![Line::empty(), title];
        lines.extend(
            folded.into_iter().take(ENVIRONMENT_LINES).map(|text| Line::of(text, Role::Muted)),
        );
        if hidden > 0 {
            let text = format!("+ {hidden} more lines: holdshort show --json has them");
            lines.push(Line::of(text, Role::Muted));
        }
        lines
    }

    /// What it asked people, the open ones first.
    fn reviews(&self, ground: &Ground, width: u16) -> Vec<Line> {
        let page = self.job.and_then(|job| ground.known.reviews_of.get(&job));
        let Some(page) = page.filter(|page| !page.reviews.is_empty()) else { return Vec::new() };
        let room = usize::from(width).saturating_sub(2);
        let title = format!("REVIEWS {}", page.reviews.len());
        let mut lines = vec![Line::empty(), Line::of(title, Role::Head)];
        lines.extend(describe::review::list::lines(&page.reviews, &ground.sight(), room));
        lines
    }

    /// What it is and, where why and when stand beside it, its environment.
    fn left(&self, ground: &Ground, width: u16) -> Vec<Line> {
        let mut lines = self.about(ground, width);
        lines.extend(self.reviews(ground, width));
        lines.extend(self.environment(ground, width));
        lines
    }

    /// Everything below each other, for a narrow screen.
    fn lines(&self, ground: &Ground, width: u16) -> Vec<Line> {
        let mut about = self.about(ground, width);
        let why = self.why(ground, width);
        // Title and state first, then why, then the rest.
        let head = about.iter().position(|line| line.plain().starts_with("command  "));
        let rest = about.split_off(head.unwrap_or(0).min(about.len()));
        let mut lines = about;
        if !why.is_empty() {
            lines.push(Line::empty());
            lines.extend(why);
            lines.push(Line::empty());
        }
        lines.extend(rest);
        lines.extend(self.reviews(ground, width));
        lines.push(Line::empty());
        lines.extend(self.timeline(ground, width));
        lines.extend(self.environment(ground, width));
        lines
    }

    fn timeline(&self, ground: &Ground, width: u16) -> Vec<Line> {
        let detail = self.job.and_then(|job| ground.known.jobs.get(&job));
        let Some(detail) = detail else { return Vec::new() };
        let mut lines = vec![Line::of("TIMELINE", Role::Head)];
        let own = ground.known.facts_of.get(&detail.row.id);
        let room = usize::from(width).saturating_sub(2);
        let own = timeline::lines(detail, own.map_or(&[], Vec::as_slice), &ground.sight());
        lines.extend(own.into_iter().flat_map(|line| hanging(line, room)));
        lines
    }
}

/// A label or a time and what stands behind it, on as many lines as that takes, below each other.
fn hanging(line: Line, room: usize) -> Vec<Line> {
    let value: String = line.0.iter().skip(2).map(|cell| &*cell.text).collect();
    let before: usize = line.0.iter().take(2).map(|cell| text::width(&cell.text)).sum();
    let beside = room.saturating_sub(before);
    let Some(role) = line.0.get(2).map(|cell| cell.role) else { return vec![line] };
    if text::width(&value) <= beside || beside < 8 {
        return vec![line];
    }
    let lines = text::fold_lines(&value, beside).into_iter().enumerate();
    let hung = |(at, text): (usize, String)| {
        let mut cells = match at {
            0 => line.0.iter().take(2).cloned().collect(),
            _ => vec![Cell::plain(" ".repeat(before))],
        };
        cells.push(Cell::new(text, role));
        Line(cells)
    };
    lines.map(hung).collect()
}

/// A line that is too long, on as many as it takes: nothing of a reason may be cut.
fn folded(line: Line, room: usize) -> Vec<Line> {
    let text = line.plain();
    if text::width(&text) <= room {
        return vec![line];
    }
    let role = line.0.get(1).or(line.0.first()).map_or(Role::Plain, |cell| cell.role);
    let lines = text::fold_lines(text.trim_start(), room.saturating_sub(4));
    let indent = |at: usize| if at == 0 { "  " } else { "    " };
    // What stands beside the point at the end, a reason's code, stays so.
    let aside = line.0.last().filter(|cell| cell.role == Role::Muted && line.0.len() > 1);
    let aside = aside.map_or("", |cell| cell.text.trim_start());
    let last = lines.len().saturating_sub(1);
    let said = |(at, text): (usize, String)| match text.strip_suffix(aside) {
        Some(text) if at == last && !aside.is_empty() => {
            Line::of(format!("{}{text}", indent(at)), role).then(aside, Role::Muted)
        }
        _ => Line::of(format!("{}{text}", indent(at)), role),
    };
    lines.into_iter().enumerate().map(said).collect()
}

impl Pane for JobPane {
    fn kind(&self) -> Kind {
        Kind::Job
    }

    fn title(&self, ground: &Ground) -> String {
        named(self.job, ground, "")
    }

    fn wants(&self, ground: &Ground) -> Vec<Want> {
        let own = self.job.into_iter().flat_map(|job| {
            let all = [Want::Job(job), Want::Why(job), Want::Facts(job)];
            all.into_iter().chain([Want::ReviewsOf(job)])
        });
        let roomy = ground.size.0 >= PANEL_FROM;
        own.chain(self.output.wants(ground).into_iter().filter(|_| roomy)).collect()
    }

    fn take(&mut self, data: &Data, ground: &Ground) {
        self.output.take(data, ground);
    }

    fn target(&self, ground: &Ground) -> Target {
        // The review that stands open, else the last one, is a key away.
        let page = self.job.and_then(|job| ground.known.reviews_of.get(&job));
        let review = page.and_then(|page| page.reviews.first()).map(|row| row.id);
        Target { job: self.job, review, ..Target::default() }
    }

    fn settle(&mut self, ground: &Ground, area: Rect) {
        let (left, right) = JobPane::parts(area);
        match right {
            None => self.sheet.settle(self.lines(ground, left.width).len(), left),
            Some((upper, lower)) => {
                self.sheet.settle(self.left(ground, left.width).len(), left);
                self.history.settle(self.beside(ground, upper.width).len(), upper);
                self.output.settle(ground, lower);
            }
        }
    }

    fn go(&mut self, motion: Motion, _ground: &Ground) {
        self.sheet.go(motion);
        self.history.go(motion);
    }

    fn copy(&self, ground: &Ground) -> Option<(String, String)> {
        let job = self.job?;
        let detail = ground.known.jobs.get(&job)?;
        let lines = describe::job(detail, &ground.sight(), None);
        Some((crate::view::line::plain(&lines), format!("everything about {job}")))
    }

    fn ages_at(&self, ground: &Ground) -> Option<Span> {
        let row = ground.known.row(self.job?)?;
        let age = ground.known.clock.at().now.since(row.since.now);
        let next = super::home::next_change(age, ground.options.reduced_motion);
        Some(ground.known.clock.console() + next)
    }

    fn draw(&self, ground: &Ground, canvas: &mut Canvas, area: Rect) {
        let Some(job) = self.job else { return };
        if !ground.known.jobs.contains_key(&job) {
            let failed = ground.known.failed.get(&Want::Job(job));
            let (text, ink) = match failed {
                Some(why) => (why.clone(), Ink::Bad),
                None => (format!("asking for {job}…"), Ink::Muted),
            };
            canvas.put((area.x + 1, area.y + 1), area.width.saturating_sub(2), &text, ink);
            return;
        }
        let (left, right) = JobPane::parts(area);
        let Some((upper, lower)) = right else {
            self.sheet.draw(&self.lines(ground, left.width), canvas, area);
            return;
        };
        self.sheet.draw(&self.left(ground, left.width), canvas, left);
        canvas.fence(Rect { x: upper.x - 1, width: 1, ..area });
        self.history.draw(&self.beside(ground, upper.width), canvas, upper);
        self.output.draw(ground, canvas, lower);
    }
}
