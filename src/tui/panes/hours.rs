//! The next hours: each node with what runs on it and until when, and when what waits may start.

use ratatui::layout::Rect;

use crate::base::{JobId, Span, Wall};
use crate::model::page::{JobRow, Opening};
use crate::tui::feed::{From, Rows, Want};
use crate::tui::ground::Ground;
use crate::tui::panes::{Command, Kind, Motion, Pane, Target};
use crate::tui::section::Section;
use crate::tui::theme::Ink;
use crate::tui::widgets::{Canvas, Window};
use crate::view::hours::{self, Axis, Row, ZOOMS};
use crate::view::list::what;
use crate::view::sight::Sight;

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
    window: Window,
    height: usize,
}

impl Default for Hours {
    fn default() -> Hours {
        Hours { chosen: 0, job: None, zoom: FIRST_ZOOM, window: Window::default(), height: 0 }
    }
}

fn section(ground: &Ground, section: Section) -> &[JobRow] {
    ground.known.watched(section).map_or(&[], |slice| &slice.rows)
}

fn rows(ground: &Ground) -> Vec<Row<'_>> {
    let nodes = ground.known.summary.as_ref().map_or(&[][..], |summary| &summary.nodes);
    let openings = ground.known.teams.as_ref().map_or(&[][..], |page| &page.openings);
    let asks = section(ground, Section::People).iter();
    let running: Vec<&JobRow> = asks.chain(section(ground, Section::Running)).collect();
    let waiting: Vec<&JobRow> = section(ground, Section::Queued).iter().collect();
    hours::rows(openings, nodes, &running, &waiting, ground.known.counts().queued)
}

impl Hours {
    fn span(&self) -> Span {
        ZOOMS.get(self.zoom).copied().unwrap_or(Span::hours(4))
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
        let rows = rows(ground);
        self.chosen = self.place(&rows);
        self.job = hours::job_at(&rows, self.chosen);
        self.height = usize::from(area.height.saturating_sub(1));
        self.window.follow(self.chosen, rows.len(), self.height);
    }

    fn go(&mut self, motion: Motion, ground: &Ground) {
        let rows = rows(ground);
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
        let rows = rows(ground);
        let names = names_columns(area.width);
        let chart = Rect { x: area.x + names, width: area.width.saturating_sub(names), ..area };
        let sight = ground.sight();
        let axis = Axis::around(sight.now.wall, self.span(), chart.width);
        ruler(canvas, area, chart, &axis, &sight);
        let seen = self.window.seen(rows.len(), self.height);
        let first = seen.start;
        for (at, row) in rows.get(seen).unwrap_or(&[]).iter().enumerate() {
            let y = area.y + 1 + u16::try_from(at).unwrap_or(0);
            let line = Rect { y, height: 1, ..area };
            let part = Rect { y, height: 1, ..chart };
            now_line(canvas, part, &axis, sight.now.wall);
            match row {
                Row::Window(openings) => window(canvas, line, part, openings, &axis, &sight),
                Row::Node(node) => {
                    canvas.put((line.x + 1, y), names - 2, &node.name, Ink::Head);
                    let (said, role) = hours::node(node, &sight);
                    after_now(canvas, part, &axis, &said, role.into(), sight.now.wall);
                }
                Row::Waiting(count) => {
                    let text = format!("WAITING {count}");
                    canvas.put((line.x + 1, y), names - 2, &text, Ink::Queued);
                }
                Row::Waits(folded) => {
                    name(canvas, Rect { width: names, ..line }, folded.row, &what(folded));
                    draw_bar(canvas, part, folded.row, &axis, &sight);
                }
                Row::Job(job) => {
                    name(canvas, Rect { width: names, ..line }, job, &job.name);
                    draw_bar(canvas, part, job, &axis, &sight);
                }
            }
            if first + at == self.chosen {
                canvas.put((line.x, y), 1, ">", Ink::Selected);
                canvas.tint(Rect { width: names.saturating_sub(1), ..line }, Ink::Selected);
            }
        }
    }
}

/// When a window of a team is open, and until when.
fn window(
    canvas: &mut Canvas,
    line: Rect,
    part: Rect,
    openings: &[Opening],
    axis: &Axis,
    sight: &Sight,
) {
    let Some(first) = openings.first() else { return };
    let names = part.x.saturating_sub(line.x + 2);
    let title = format!("{} {}", first.team, first.window);
    canvas.put((line.x + 1, line.y), names, &title, Ink::Muted);
    let (spans, said) = hours::opening(openings, axis, sight);
    let mut free = axis.column(sight.now.wall) + 2;
    for (from, to) in spans {
        let wide = to.min(part.width).saturating_sub(from);
        canvas.put((part.x + from, part.y), wide, &"═".repeat(usize::from(wide)), Ink::Gauge);
        free = free.max(if from <= free { to + 1 } else { free });
    }
    let said = said.unwrap_or_default();
    let wide = u16::try_from(crate::base::text::width(&said)).unwrap_or(u16::MAX);
    if free.saturating_add(wide) < part.width {
        canvas.put((part.x + free, part.y), part.width - free, &said, Ink::Muted);
    } else {
        // It lasts beyond the edge: the words stand on the line.
        let text = format!(" {said} >");
        canvas.put_right((part.right(), part.y), part.width, &text, Ink::Muted);
    }
}

/// Columns for names.
fn names_columns(width: u16) -> u16 {
    (width / 3).clamp(14, 34).min(width)
}

/// The marks of the axis, and where now is.
fn ruler(canvas: &mut Canvas, area: Rect, chart: Rect, axis: &Axis, sight: &Sight) {
    let title = "NODE, JOB";
    canvas.put((area.x + 1, area.y), chart.x.saturating_sub(area.x + 1), title, Ink::Muted);
    for (column, text) in axis.marks(sight) {
        let room = chart.width.saturating_sub(column);
        canvas.put((chart.x + column, area.y), room, &format!("╷{text}"), Ink::Muted);
    }
    let now = axis.column(sight.now.wall);
    let room = chart.width.saturating_sub(now);
    canvas.put((chart.x + now, area.y), room, "now ", Ink::Head);
}

fn now_line(canvas: &mut Canvas, part: Rect, axis: &Axis, now: Wall) {
    canvas.put((part.x + axis.column(now), part.y), 1, "│", Ink::Border);
}

/// Text that begins right of now, or anywhere if there is no room.
fn after_now(canvas: &mut Canvas, part: Rect, axis: &Axis, text: &str, ink: Ink, now: Wall) {
    let x = (axis.column(now) + 2).min(part.width);
    canvas.put((part.x + x, part.y), part.width - x, text, ink);
}

fn name(canvas: &mut Canvas, area: Rect, job: &JobRow, name: &str) {
    let y = area.y;
    let size = hours::size(job);
    let right = area.right().saturating_sub(1);
    let at =
        if area.width >= 24 { canvas.put_right((right, y), 8, &size, Ink::Muted) } else { right };
    let mut x = area.x + 2;
    x += canvas.put((x, y), at.saturating_sub(x), &job.id.to_string(), Ink::Id) + 1;
    canvas.put((x, y), at.saturating_sub(x + 1), name, Ink::Plain);
}

/// When it may start, if that is known and in sight, and what it waits for.
fn waits(canvas: &mut Canvas, part: Rect, job: &JobRow, axis: &Axis, sight: &Sight) {
    let said = crate::view::next::next(job, sight);
    let start = hours::start(job, axis, sight.now.wall).filter(|start| start.0 < part.width);
    let Some((from, to, kept)) = start else {
        return after_now(canvas, part, axis, &said, Ink::Queued, sight.now.wall);
    };
    let wide = to.saturating_sub(from).max(1).min(part.width - from);
    // Room that is kept is solid, hope is light.
    let mark = if kept { "▒" } else { "░" };
    let bar = mark.repeat(usize::from(wide));
    let right = from + wide + 1;
    let left = axis.column(sight.now.wall) + 2;
    if from > left + (part.width / 2) && right + 24 > part.width {
        let text = crate::base::text::cut(&said, usize::from(from - left - 1)).into_owned();
        canvas.put((part.x + left, part.y), from - left - 1, &text, Ink::Queued);
    } else {
        let room = part.width.saturating_sub(right);
        canvas.put((part.x + right, part.y), room, &said, Ink::Queued);
    }
    let ink = if kept { Ink::NeedsYou } else { Ink::Queued };
    canvas.put((part.x + from, part.y), wide, &bar, ink);
}

/// Solid as long as it is likely, light as long as it is possible, dots where nobody knows.
fn draw_bar(canvas: &mut Canvas, part: Rect, job: &JobRow, axis: &Axis, sight: &Sight) {
    let now = sight.now.wall;
    let Some(bar) = hours::bar(job, axis, now) else {
        return waits(canvas, part, job, axis, sight);
    };
    let mut put = |from: u16, to: u16, mark: &str, ink| {
        let wide = to.min(part.width).saturating_sub(from);
        canvas.put((part.x + from, part.y), wide, &mark.repeat(usize::from(wide)), ink);
    };
    let ink = if bar.overdue { Ink::Stuck } else { Ink::Running };
    put(bar.from, bar.likely.max(bar.from + 1), "━", ink);
    put(bar.likely, bar.late, "─", ink);
    if bar.open {
        put(bar.likely, part.width, "┄", Ink::Muted);
    }
    let (said, role) = hours::end(job, sight);
    let x = bar.late.max(bar.from + 1) + 1;
    let wide = u16::try_from(crate::base::text::width(&said)).unwrap_or(u16::MAX);
    let text = format!(" {said} ");
    if x.saturating_add(wide + 1) <= part.width {
        canvas.put((part.x + x - 1, part.y), part.width - x + 1, &text, role.into());
    } else if bar.late >= part.width {
        // It ends behind the edge: the words stand on the bar.
        canvas.put_right((part.right(), part.y), part.width, &format!(" {said} >"), role.into());
    }
}
