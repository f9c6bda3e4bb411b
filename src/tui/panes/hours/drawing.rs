//! The lines of the next hours on the canvas: names on the left, time on the right.

use ratatui::layout::Rect;

use crate::base::{Span, Wall};
use crate::model::page::{JobRow, NodeRow, Opening};
use crate::tui::theme::Ink;
use crate::tui::widgets::Canvas;
use crate::view::hours::{self, Axis, Device, Kept, Row};
use crate::view::list::what;
use crate::view::sight::Sight;

/// Eighths of a line.
const EIGHTHS: [&str; 9] = [" ", "▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"];
/// Names narrower than this say less.
const NARROW: u16 = 24;

/// Where things stand.
pub(super) struct Picture {
    sight: Sight,
    axis: Axis,
    area: Rect,
    /// Columns for names.
    names: u16,
}

/// A line's part for time.
#[derive(Clone, Copy)]
struct Part {
    x: u16,
    y: u16,
    width: u16,
}

impl Part {
    fn right(self) -> u16 {
        self.x + self.width
    }
}

impl Picture {
    /// So much time in an area.
    pub fn new(sight: Sight, span: Span, area: Rect) -> Picture {
        let names = (area.width / 3).clamp(14, 34).min(area.width);
        let axis = Axis::around(sight.now.wall, span, area.width.saturating_sub(names));
        Picture { sight, axis, area, names }
    }

    fn now(&self) -> Wall {
        self.sight.now.wall
    }

    fn part(&self, y: u16) -> Part {
        let width = self.area.width.saturating_sub(self.names);
        Part { x: self.area.x + self.names, y, width }
    }

    /// The marks of the axis, and where now is.
    pub fn ruler(&self, canvas: &mut Canvas, title: &str) {
        let part = self.part(self.area.y);
        canvas.put((self.area.x + 1, part.y), self.names.saturating_sub(1), title, Ink::Muted);
        for (column, text) in self.axis.marks(&self.sight) {
            let room = part.width.saturating_sub(column);
            canvas.put((part.x + column, part.y), room, &format!("╷{text}"), Ink::Muted);
        }
        let now = self.axis.column(self.now());
        canvas.put((part.x + now, part.y), part.width.saturating_sub(now), "now ", Ink::Head);
    }

    /// The chosen line.
    pub fn choose(&self, canvas: &mut Canvas, y: u16) {
        canvas.put((self.area.x, y), 1, ">", Ink::Selected);
        let width = self.names.saturating_sub(1);
        canvas.tint(Rect { x: self.area.x, y, width, height: 1 }, Ink::Selected);
    }

    /// One line.
    pub fn row(&self, canvas: &mut Canvas, y: u16, row: &Row) {
        let part = self.part(y);
        canvas.put((part.x + self.axis.column(self.now()), y), 1, "│", Ink::Border);
        match row {
            Row::Window(openings) => self.window(canvas, part, openings),
            Row::Node(node) => {
                self.title(canvas, y, &node.name, Ink::Head);
                let (said, role) = hours::node(node, &self.sight);
                self.after_now(canvas, part, &said, role.into());
            }
            Row::Load(node, here) => self.load(canvas, part, node, here),
            Row::Device(device) => self.device(canvas, part, device),
            Row::Waiting(count) => self.title(canvas, y, &format!("WAITING {count}"), Ink::Queued),
            Row::Waits(folded) => {
                self.name(canvas, y, folded.row, &what(folded));
                self.bar(canvas, part, folded.row, true, part.width);
            }
            Row::Job(job) => {
                self.name(canvas, y, job, &job.name);
                self.bar(canvas, part, job, true, part.width);
            }
        }
    }

    fn title(&self, canvas: &mut Canvas, y: u16, text: &str, ink: Ink) {
        canvas.put((self.area.x + 1, y), self.names.saturating_sub(2), text, ink);
    }

    /// When a window of a team is open, and until when.
    fn window(&self, canvas: &mut Canvas, part: Part, openings: &[Opening]) {
        let Some(first) = openings.first() else { return };
        self.title(canvas, part.y, &format!("{} {}", first.team, first.window), Ink::Muted);
        let (spans, said) = hours::opening(openings, &self.axis, &self.sight);
        let mut free = self.axis.column(self.now()) + 2;
        for (from, to) in spans {
            let wide = to.min(part.width).saturating_sub(from);
            canvas.put((part.x + from, part.y), wide, &"═".repeat(usize::from(wide)), Ink::Gauge);
            free = free.max(if from <= free { to + 1 } else { free });
        }
        let said = said.unwrap_or_default();
        if free.saturating_add(columns(&said)) < part.width {
            canvas.put((part.x + free, part.y), part.width - free, &said, Ink::Muted);
        } else {
            // It lasts beyond the edge: the words stand on the line.
            let text = format!(" {said} >");
            canvas.put_right((part.right(), part.y), part.width, &text, Ink::Muted);
        }
    }

    /// A node as one line: how full it will be.
    fn load(&self, canvas: &mut Canvas, part: Part, node: &NodeRow, here: &[&JobRow]) {
        let (said, role) = hours::folded(node, here.len());
        let right = part.x.saturating_sub(1);
        let room = self.names.saturating_sub(4) / 2;
        let used = if self.names < NARROW { 0 } else { columns(&said).min(room) };
        canvas.put_right((right, part.y), used, &said, role.into());
        let names = self.names.saturating_sub(used + 3);
        canvas.put((self.area.x + 1, part.y), names, &node.name, Ink::Head);
        let now = part.x + self.axis.column(self.now());
        for (x, level) in (now..).zip(hours::load(node, here, &self.axis, self.now())) {
            let mark = EIGHTHS.get(usize::from(level.eighths)).copied().unwrap_or("█");
            let ink = if level.kept { Ink::NeedsYou } else { Ink::Running };
            if level.eighths > 0 {
                canvas.put((x, part.y), 1, mark, ink);
            }
        }
        if let Some((said, role)) = hours::kept_away(node) {
            canvas.put_right((part.right(), part.y), part.width, &format!(" {said} "), role.into());
        }
    }

    /// A device: who has it and until when, and for whom it is kept then.
    fn device(&self, canvas: &mut Canvas, part: Part, device: &Device) {
        self.device_name(canvas, part.y, device);
        let starts = device.kept.iter().map(|kept| self.axis.column(kept.from.max(self.now())));
        let limit = starts.min().unwrap_or(part.width).min(part.width);
        match (device.job, device.on) {
            (Some(job), _) => self.bar(canvas, part, job, !device.same, limit),
            (None, Some(_)) => {
                let from = self.axis.column(self.now());
                let wide = usize::from(limit.saturating_sub(from));
                canvas.put((part.x + from, part.y), part.width, &"┄".repeat(wide), Ink::Muted);
            }
            (None, None) => {
                let (said, role) = hours::free_device(device);
                let x = (self.axis.column(self.now()) + 2).min(limit);
                canvas.put((part.x + x, part.y), limit - x, &said, role.into());
            }
        }
        device.kept.iter().for_each(|kept| self.kept(canvas, part, kept));
    }

    fn device_name(&self, canvas: &mut Canvas, y: u16, device: &Device) {
        let (narrow, index) = (self.names < NARROW, device.gpu.index);
        let label = if narrow { format!("{index:>2}") } else { format!("gpu {index:<2}") };
        let mut x = self.area.x + 2;
        let ink = if device.again { Ink::Border } else { Ink::Muted };
        x += canvas.put((x, y), self.names.saturating_sub(2), &label, ink) + 1;
        let Some(on) = device.on else { return };
        let right = self.area.x + self.names.saturating_sub(1);
        let mut room = right.saturating_sub(x);
        if on.milli < 1000 && !narrow {
            let share = crate::base::quantity::format_gpu(on.milli).to_string();
            room = canvas.put_right((right, y), 5, &share, Ink::Muted).saturating_sub(x + 1);
        }
        let id = canvas.put((x, y), room, &on.job.to_string(), Ink::Id) + 1;
        let name = device.job.map_or("", |job| &*job.name);
        canvas.put((x + id, y), room.saturating_sub(id), name, Ink::Plain);
    }

    /// A time in which a device is kept, with the job's number on it.
    fn kept(&self, canvas: &mut Canvas, part: Part, kept: &Kept) {
        let from = self.axis.column(kept.from.max(self.now()));
        let until = kept.until.map_or(part.width, |until| self.axis.column(until));
        let wide = until.max(from + 1).min(part.width).saturating_sub(from);
        let bar = "▒".repeat(usize::from(wide));
        canvas.put((part.x + from, part.y), wide, &bar, Ink::NeedsYou);
        let number = kept.job.to_string();
        if columns(&number) + 2 <= wide {
            canvas.put((part.x + from + 1, part.y), wide, &number, Ink::NeedsYou);
        }
    }

    /// Text that begins right of now, or anywhere if there is no room.
    fn after_now(&self, canvas: &mut Canvas, part: Part, text: &str, ink: Ink) {
        let x = (self.axis.column(self.now()) + 2).min(part.width);
        canvas.put((part.x + x, part.y), part.width - x, text, ink);
    }

    fn name(&self, canvas: &mut Canvas, y: u16, job: &JobRow, name: &str) {
        let size = hours::size(job);
        let right = self.area.x + self.names.saturating_sub(1);
        let wide = self.names >= NARROW;
        let at = if wide { canvas.put_right((right, y), 8, &size, Ink::Muted) } else { right };
        let mut x = self.area.x + 2;
        x += canvas.put((x, y), at.saturating_sub(x), &job.id.to_string(), Ink::Id) + 1;
        canvas.put((x, y), at.saturating_sub(x + 1), name, Ink::Plain);
    }

    /// When it may start, if that is known and in sight, and what it waits for.
    fn waits(&self, canvas: &mut Canvas, part: Part, job: &JobRow) {
        let said = crate::view::next::next(job, &self.sight);
        let start = hours::start(job, &self.axis, self.now());
        let Some((from, to, kept)) = start.filter(|start| start.0 < part.width) else {
            return self.after_now(canvas, part, &said, Ink::Queued);
        };
        let wide = to.saturating_sub(from).max(1).min(part.width - from);
        // Room that is kept is solid, hope is light.
        let mark = if kept { "▒" } else { "░" };
        let bar = mark.repeat(usize::from(wide));
        let right = from + wide + 1;
        let left = self.axis.column(self.now()) + 2;
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
    /// Words stand left of `limit`.
    fn bar(&self, canvas: &mut Canvas, part: Part, job: &JobRow, says: bool, limit: u16) {
        let Some(bar) = hours::bar(job, &self.axis, self.now()) else {
            return self.waits(canvas, part, job);
        };
        let mut put = |from: u16, to: u16, mark: &str, ink| {
            let wide = to.min(part.width).saturating_sub(from);
            let text = mark.repeat(usize::from(wide));
            canvas.put((part.x + from, part.y), wide, &text, ink);
        };
        let ink = if bar.overdue { Ink::Stuck } else { Ink::Running };
        put(bar.from, bar.likely.max(bar.from + 1), "━", ink);
        put(bar.likely, bar.late, "─", ink);
        if bar.open {
            put(bar.likely, limit, "┄", Ink::Muted);
        }
        if !says {
            return;
        }
        let (said, role) = hours::end(job, &self.sight);
        let x = bar.late.max(bar.from + 1) + 1;
        if x.saturating_add(columns(&said) + 1) <= limit {
            let text = format!(" {said} ");
            canvas.put((part.x + x - 1, part.y), limit - x + 1, &text, role.into());
            return;
        }
        // There is no room behind its end: the words stand on the bar.
        let beyond = if bar.late >= part.width { " >" } else { " " };
        let text = format!(" {said}{beyond}");
        if bar.from.saturating_add(columns(&text)) < limit {
            canvas.put_right((part.x + limit, part.y), part.width, &text, role.into());
        }
    }
}

fn columns(text: &str) -> u16 {
    u16::try_from(crate::base::text::width(text)).unwrap_or(u16::MAX)
}
