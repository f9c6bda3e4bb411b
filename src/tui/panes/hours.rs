//! The next hours: each node with its devices, what runs on them and until when, and when what
//! waits may start. `drawing` puts the lines on the canvas.

mod drawing;

use ratatui::layout::Rect;

use drawing::Picture;

use crate::base::{JobId, Span};
use crate::model::page::JobRow;
use crate::tui::feed::{From, Rows, Want};
use crate::tui::ground::Ground;
use crate::tui::panes::{Command, Kind, Motion, Pane, Target};
use crate::tui::section::Section;
use crate::tui::theme::Ink;
use crate::tui::widgets::{Canvas, Window};
use crate::view::hours::{self, Detail, Row, Seen, ZOOMS};

/// Jobs of a section that are shown at most.
const JOBS_MAX: usize = 200;
/// The span it opens with.
const FIRST_ZOOM: usize = 3;

/// The pane.
#[derive(Debug)]
pub struct Hours {
    /// A line with this job is chosen, the so-manieth: a gang stands on several nodes.
    chosen: usize,
    job: Option<JobId>,
    zoom: usize,
    /// How much is told, if somebody chose that; else as much as fits.
    detail: Option<Detail>,
    window: Window,
    height: usize,
}

impl Default for Hours {
    fn default() -> Hours {
        let (zoom, window) = (FIRST_ZOOM, Window::default());
        Hours { chosen: 0, job: None, zoom, detail: None, window, height: 0 }
    }
}

fn section(ground: &Ground, section: Section) -> &[JobRow] {
    ground.known.watched(section).map_or(&[], |slice| &slice.rows)
}

fn seen(ground: &Ground) -> Seen<'_> {
    let asks = section(ground, Section::People).iter();
    Seen {
        openings: ground.known.teams.as_ref().map_or(&[][..], |page| &page.openings),
        nodes: ground.known.summary.as_ref().map_or(&[][..], |summary| &summary.nodes),
        running: asks.chain(section(ground, Section::Running)).collect(),
        waiting: section(ground, Section::Queued).iter().collect(),
        queued: ground.known.counts().queued,
    }
}

impl Hours {
    fn span(&self) -> Span {
        ZOOMS.get(self.zoom).copied().unwrap_or(Span::hours(4))
    }

    fn detail(&self, seen: &Seen) -> Detail {
        self.detail.unwrap_or_else(|| Detail::that_fits(seen, self.height))
    }

    fn rows<'a>(&self, ground: &'a Ground) -> Vec<Row<'a>> {
        let seen = seen(ground);
        hours::rows(&seen, self.detail(&seen))
    }

    /// The chosen line, near where it was if its job is gone.
    fn place(&self, rows: &[Row]) -> usize {
        let is = |at: usize| hours::job_at(rows, at) == self.job && self.job.is_some();
        let near = self.chosen.min(rows.len().saturating_sub(1));
        if is(near) { near } else { (0..rows.len()).find(|at| is(*at)).unwrap_or(near) }
    }
}

impl Pane for Hours {
    fn kind(&self) -> Kind {
        Kind::Hours
    }

    fn title(&self, _ground: &Ground) -> String {
        "hours".to_owned()
    }

    fn wants(&self, ground: &Ground) -> Vec<Want> {
        let rows = |section| {
            let (filter, from) = (String::new(), From::Start);
            let (since, again) = (None, 0);
            Want::Rows(Rows { section, filter, since, from, limit: JOBS_MAX, again, watch: true })
        };
        let teams = ground.known.summary.as_ref().is_some_and(|summary| summary.teams);
        let jobs = [rows(Section::Running), rows(Section::Queued)];
        jobs.into_iter().chain(teams.then_some(Want::Teams)).collect()
    }

    fn target(&self, _ground: &Ground) -> Target {
        Target { job: self.job, ..Target::default() }
    }

    fn settle(&mut self, ground: &Ground, area: Rect) {
        self.height = usize::from(area.height.saturating_sub(1));
        let rows = self.rows(ground);
        self.chosen = self.place(&rows);
        self.job = hours::job_at(&rows, self.chosen);
        self.window.follow(self.chosen, rows.len(), self.height);
    }

    fn go(&mut self, motion: Motion, ground: &Ground) {
        let rows = self.rows(ground);
        let at = self.place(&rows);
        let half = isize::try_from(self.height / 2).unwrap_or(1).max(1);
        let last = rows.len().saturating_sub(1);
        let to = match motion {
            Motion::Lines(by) => at.saturating_add_signed(by),
            Motion::Halves(by) => at.saturating_add_signed(by * half),
            Motion::First => 0,
            Motion::Last => last,
            Motion::Side(_) => at,
        };
        self.chosen = to.min(last);
        self.job = hours::job_at(&rows, self.chosen);
    }

    fn command(&mut self, command: &Command, ground: &mut Ground) -> bool {
        if *command == Command::Fold {
            self.detail = Some(self.detail(&seen(ground)).next());
            return true;
        }
        let Command::Zoom(nearer) = command else { return false };
        let to = if *nearer { self.zoom.checked_sub(1) } else { self.zoom.checked_add(1) };
        match to.filter(|to| *to < ZOOMS.len()) {
            Some(to) => self.zoom = to,
            None => {
                ground.say(if *nearer { "no nearer than this" } else { "no farther than this" });
            }
        }
        true
    }

    fn copy(&self, _ground: &Ground) -> Option<(String, String)> {
        self.job.map(|job| (job.to_string(), format!("the number {job}")))
    }

    fn ages_at(&self, ground: &Ground) -> Option<Span> {
        // Now wanders through the columns; a screen has some hundred of them.
        let column = (self.span().0 / u64::from(ground.size.0.max(1))).max(1000);
        Some(ground.known.clock.console() + Span(column))
    }

    fn draw(&self, ground: &Ground, canvas: &mut Canvas, area: Rect) {
        if ground.known.summary.is_none() {
            canvas.put((area.x + 1, area.y + 1), area.width, "asking for jobs…", Ink::Muted);
            return;
        }
        let seen = seen(ground);
        let detail = self.detail(&seen);
        let rows = hours::rows(&seen, detail);
        let picture = Picture::new(ground.sight(), self.span(), area);
        picture.ruler(canvas, detail.title());
        let range = self.window.seen(rows.len(), self.height);
        let first = range.start;
        for (at, row) in rows.get(range).unwrap_or(&[]).iter().enumerate() {
            let y = area.y + 1 + u16::try_from(at).unwrap_or(0);
            picture.row(canvas, y, row);
            if first + at == self.chosen {
                picture.choose(canvas, y);
            }
        }
    }
}
