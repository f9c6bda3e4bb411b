//! One job: why it is where it is, what was asked, what happened, what runs.

pub mod timeline;

use ratatui::layout::Rect;

use crate::base::{JobId, Span};
use crate::tui::feed::Want;
use crate::tui::ground::Ground;
use crate::tui::layout::PANEL_FROM;
use crate::tui::panes::sheet::Sheet;
use crate::tui::panes::{Kind, Motion, Pane, Target};
use crate::tui::theme::Ink;
use crate::tui::widgets::Canvas;
use crate::view::describe;
use crate::view::line::{Line, Role};

/// The pane.
#[derive(Debug)]
pub struct JobPane {
    job: Option<JobId>,
    sheet: Sheet,
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
        JobPane { job, sheet: Sheet::default() }
    }

    fn two_columns(area: Rect) -> (Rect, Option<Rect>) {
        if area.width < PANEL_FROM {
            return (area, None);
        }
        let left = Rect { width: area.width / 2, ..area };
        let right = Rect { x: left.right() + 1, width: area.width - left.width - 1, ..area };
        (left, Some(right))
    }

    fn why(&self, ground: &Ground) -> Vec<Line> {
        let why = self.job.and_then(|job| ground.known.whys.get(&job));
        let Some(why) = why else { return Vec::new() };
        // The first line repeats the state, which stands above.
        let mut lines = vec![Line::of("WHY", Role::Head)];
        lines.extend(describe::why(why, &ground.sight()).into_iter().skip(1));
        lines
    }

    fn about(&self, ground: &Ground, width: u16) -> Vec<Line> {
        let detail = self.job.and_then(|job| ground.known.jobs.get(&job));
        let Some(detail) = detail else { return Vec::new() };
        let room = usize::from(width).saturating_sub(2);
        let mut lines = describe::job(detail, &ground.sight(), Some(room));
        // Said better in parts of their own.
        lines
            .retain(|line| !["why  ", "environment  "].iter().any(|w| line.plain().starts_with(w)));
        if !detail.env_names.is_empty() {
            let names = detail.env_names.join(" ");
            let title = format!("ENVIRONMENT {}", detail.env_names.len());
            lines.push(Line::empty());
            lines.push(
                Line::of(title, Role::Head).then("  names; values stay private", Role::Muted),
            );
            let folded = crate::base::text::fold_lines(&names, room);
            lines.extend(folded.into_iter().map(|text| Line::of(text, Role::Muted)));
        }
        lines
    }

    /// Everything below each other, for a narrow screen.
    fn lines(&self, ground: &Ground, width: u16) -> Vec<Line> {
        let mut about = self.about(ground, width);
        let why = self.why(ground);
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
        lines.push(Line::empty());
        lines.extend(self.timeline(ground));
        lines
    }

    fn timeline(&self, ground: &Ground) -> Vec<Line> {
        let detail = self.job.and_then(|job| ground.known.jobs.get(&job));
        let Some(detail) = detail else { return Vec::new() };
        let mut lines = vec![Line::of("TIMELINE", Role::Head)];
        lines.extend(timeline::lines(detail, &ground.known.facts, &ground.sight()));
        lines
    }
}

impl Pane for JobPane {
    fn kind(&self) -> Kind {
        Kind::Job
    }

    fn title(&self, ground: &Ground) -> String {
        named(self.job, ground, "")
    }

    fn wants(&self, _ground: &Ground) -> Vec<Want> {
        self.job.into_iter().flat_map(|job| [Want::Job(job), Want::Why(job)]).collect()
    }

    fn target(&self, _ground: &Ground) -> Target {
        Target { job: self.job, ..Target::default() }
    }

    fn settle(&mut self, ground: &Ground, area: Rect) {
        let (left, right) = JobPane::two_columns(area);
        let len = match right {
            None => self.lines(ground, left.width).len(),
            Some(right) => {
                let beside = self.why(ground).len() + 1 + self.timeline(ground).len();
                self.about(ground, left.width)
                    .len()
                    .max(beside)
                    .max(usize::from(right.height.min(1)))
            }
        };
        self.sheet.settle(len, left);
    }

    fn go(&mut self, motion: Motion, _ground: &Ground) {
        self.sheet.go(motion);
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
        let (left, right) = JobPane::two_columns(area);
        let Some(right) = right else {
            self.sheet.draw(&self.lines(ground, left.width), canvas, area);
            return;
        };
        self.sheet.draw(&self.about(ground, left.width), canvas, left);
        canvas.fence(Rect { x: right.x - 1, width: 1, ..right });
        let mut beside = self.why(ground);
        if !beside.is_empty() {
            beside.push(Line::empty());
        }
        beside.extend(self.timeline(ground));
        self.sheet.draw(&beside, canvas, right);
    }
}
