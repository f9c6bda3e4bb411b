//! Nodes and countable resources: what there is, what is used, what is kept away.

use ratatui::layout::Rect;

use crate::base::quantity::{format_bytes, format_cpu, format_gpu};
use crate::base::{JobId, Name};
use crate::model::Resources;
use crate::model::node::Gpu;
use crate::model::page::{CountableRow, NodeRow, Summary};
use crate::tui::feed::Want;
use crate::tui::ground::Ground;
use crate::tui::panes::{Kind, Motion, Pane, Target};
use crate::tui::theme::Ink;
use crate::tui::widgets::{Canvas, Window, spark};
use crate::view::sight::Sight;
use crate::view::words::{self, counted};

/// The pane.
#[derive(Debug, Default)]
pub struct Nodes {
    chosen: Option<Name>,
    window: Window,
    height: usize,
}

fn nodes(ground: &Ground) -> &[NodeRow] {
    ground.known.summary.as_ref().map_or(&[], |summary| &summary.nodes)
}

/// Lines a node takes: its title, one for each amount, one for each device that is told about and
/// each job for which room is kept.
fn lines_of(node: &NodeRow, all: bool) -> usize {
    let gpus = usize::from(node.capacity.gpu_milli > 0);
    3 + gpus + told(node, all).count() + node.kept.len() + 1
}

/// Devices that are told about: all of them, or those that somebody else uses.
fn told(node: &NodeRow, all: bool) -> impl Iterator<Item = &Gpu> {
    node.gpus.iter().filter(move |gpu| all || gpu.foreign.is_some())
}

/// Who has which device is told of the chosen node if all else has room beside it.
fn all_of(ground: &Ground, chosen: usize, height: usize) -> Option<usize> {
    let lines = nodes(ground).iter().enumerate().map(|(at, node)| lines_of(node, at == chosen));
    let summary = ground.known.summary.as_ref();
    let countables = summary.map_or(0, |summary| summary.countables.len());
    let kept = summary.is_some_and(|summary| words::kept_idle(summary).is_some());
    let rest = usize::from(countables > 0) + countables + if kept { 2 } else { 0 };
    (lines.sum::<usize>() + rest <= height).then_some(chosen)
}

impl Nodes {
    fn place(&self, ground: &Ground) -> usize {
        let chosen = self.chosen.as_ref();
        nodes(ground).iter().position(|node| Some(&node.name) == chosen).unwrap_or(0)
    }
}

impl Pane for Nodes {
    fn kind(&self) -> Kind {
        Kind::Nodes
    }

    fn title(&self, _ground: &Ground) -> String {
        "nodes".to_owned()
    }

    fn wants(&self, _ground: &Ground) -> Vec<Want> {
        Vec::new()
    }

    fn target(&self, _ground: &Ground) -> Target {
        Target { node: self.chosen.clone(), ..Target::default() }
    }

    fn settle(&mut self, ground: &Ground, area: Rect) {
        let at = self.place(ground);
        self.chosen = nodes(ground).get(at).map(|node| node.name.clone());
        self.height = usize::from(area.height);
        let all = all_of(ground, at, self.height);
        let lines = |(place, node): (usize, &NodeRow)| lines_of(node, all == Some(place));
        let line = |n: usize| nodes(ground).iter().enumerate().take(n).map(lines).sum::<usize>();
        let len = line(usize::MAX) + 20;
        self.window.follow(line(at + 1).saturating_sub(1), len, self.height);
        self.window.follow(line(at), len, self.height);
    }

    fn go(&mut self, motion: Motion, ground: &Ground) {
        let at = self.place(ground);
        let last = nodes(ground).len().saturating_sub(1);
        let to = match motion {
            Motion::Lines(by) | Motion::Halves(by) | Motion::Side(by) => {
                at.saturating_add_signed(by)
            }
            Motion::First => 0,
            Motion::Last => last,
        };
        self.chosen = nodes(ground).get(to.min(last)).map(|node| node.name.clone());
    }

    fn copy(&self, _ground: &Ground) -> Option<(String, String)> {
        self.chosen.as_ref().map(|name| (name.to_string(), format!("the name {name}")))
    }

    fn draw(&self, ground: &Ground, canvas: &mut Canvas, area: Rect) {
        let Some(summary) = &ground.known.summary else {
            canvas.put((area.x + 1, area.y + 1), area.width, "asking for nodes…", Ink::Muted);
            return;
        };
        let sight = ground.sight();
        let skipped = i64::try_from(self.window.first).unwrap_or(0);
        let mut y = i64::from(area.y) - skipped;
        let all = all_of(ground, self.place(ground), usize::from(area.height));
        for (place, node) in summary.nodes.iter().enumerate() {
            let chosen = Some(&node.name) == self.chosen.as_ref();
            let (cut, all) = (&mut Cut { canvas, area }, all == Some(place));
            draw_node(node, chosen, &sight, cut, y);
            let after = y + i64::try_from(lines_of(node, all)).unwrap_or(0);
            details(node, all, ground, cut, after - 1);
            y = after;
        }
        if summary.nodes.is_empty() {
            let text = "no node is known; the server adds this machine when it starts";
            canvas.put((area.x + 1, area.y + 1), area.width.saturating_sub(2), text, Ink::Muted);
        }
        if let Some(text) = words::kept_idle(summary) {
            Cut { canvas, area }.put(1, y, &text, Ink::Muted);
            y += 2;
        }
        countables(summary, &sight, &mut Cut { canvas, area }, y.max(i64::from(area.y)));
    }
}

/// A canvas whose rows may lie above or below its area.
struct Cut<'a, 'b> {
    canvas: &'a mut Canvas<'b>,
    area: Rect,
}

impl Cut<'_, '_> {
    fn put(&mut self, x: u16, y: i64, text: &str, ink: Ink) -> u16 {
        let inside =
            u16::try_from(y).ok().filter(|y| (self.area.y..self.area.bottom()).contains(y));
        let Some(y) = inside else { return 0 };
        let room = self.area.width.saturating_sub(x);
        self.canvas.put((self.area.x + x, y), room, text, ink)
    }

    fn tint(&mut self, y: i64) {
        let inside =
            u16::try_from(y).ok().filter(|y| (self.area.y..self.area.bottom()).contains(y));
        if let Some(y) = inside {
            self.canvas.tint(Rect { y, height: 1, ..self.area }, Ink::Selected);
        }
    }
}

fn draw_node(node: &NodeRow, chosen: bool, sight: &Sight, cut: &mut Cut, y: i64) {
    let (word, ink) = match (node.up, &node.drain) {
        (false, _) => ("lost", Ink::Bad),
        (true, Some(_)) if node.tasks > 0 => ("draining", Ink::Queued),
        (true, Some(_)) => ("drained", Ink::Queued),
        (true, None) => ("up", Ink::Good),
    };
    let mut x = 1;
    let lead = if chosen { ("> ", Ink::Selected) } else { ("  ", Ink::Plain) };
    x += cut.put(x, y, lead.0, lead.1);
    x += cut.put(x, y, &node.name, Ink::Head) + 2;
    x += cut.put(x, y, word, ink) + 2;
    x += cut.put(x, y, &counted(node.tasks, "task"), Ink::Muted) + 2;
    if let Some(warning) = &node.warning {
        let text = format!("vanishes at {}", sight.second(warning.due.wall));
        x += cut.put(x, y, &text, Ink::Bad) + 2;
    }
    if let Some(drain) = &node.drain {
        let why = words::because(drain.reason.as_deref());
        let text = format!("by {} since {}{why}", drain.by, sight.day(drain.since.wall));
        cut.put(x, y, &text, Ink::Muted);
    }
    if chosen {
        cut.tint(y);
    }
    let mut y = y + 1;
    let wide = cut.area.width.saturating_sub(40).clamp(6, 40);
    let mut bar = |name: &str, pick: fn(&Resources) -> u64, format: fn(u64) -> String| {
        let (used, kept, all) = (pick(&node.used), pick(&node.reserved), pick(&node.capacity));
        let (full, free) = spark::gauge(used, all, wide);
        let mut x = 4;
        x += cut.put(x, y, &format!("{name:<4}"), Ink::Muted);
        x += cut.put(x, y, &full, Ink::Gauge);
        x += cut.put(x, y, &free, Ink::Border) + 1;
        x += cut.put(x, y, &format!("{} of {}", format(used), format(all)), Ink::Plain);
        if kept > 0 {
            cut.put(x, y, &format!(", {} kept idle", format(kept)), Ink::Queued);
        }
        y += 1;
    };
    if node.capacity.gpu_milli > 0 {
        bar("gpu", |of| of.gpu_milli, format_gpu);
    }
    bar("cpu", |of| of.cpu_milli, format_cpu);
    bar("mem", |of| of.mem_bytes, format_bytes);
}

/// Who has which device and for whom room is kept: the lines of a node that end before `end`.
fn details(node: &NodeRow, all: bool, ground: &Ground, cut: &mut Cut, end: i64) {
    let count = told(node, all).count() + node.kept.len();
    let mut y = end - i64::try_from(count).unwrap_or(0);
    let sight = ground.sight();
    let job = |id: JobId| match ground.known.row(id) {
        Some(row) => format!("{id} {}", row.name),
        None => id.to_string(),
    };
    for gpu in told(node, all) {
        let here = node.on_gpus.iter().filter(|on| on.index == gpu.index);
        let part = |milli: u64| match milli {
            1000 => String::new(),
            milli => format!(" {}", format_gpu(milli)),
        };
        let ours: Vec<String> =
            here.map(|on| format!("{}{}", job(on.job), part(on.milli))).collect();
        let (text, ink) = match &gpu.foreign {
            Some(by) => (format!("{} is used by {by}, not by us", gpu.model), Ink::Stuck),
            None if ours.is_empty() => ("free".to_owned(), Ink::Muted),
            None => (ours.join(", "), Ink::Plain),
        };
        let x = 4 + cut.put(4, y, &format!("GPU {:<3}", gpu.index), Ink::Muted);
        cut.put(x, y, &text, ink);
        y += 1;
    }
    for kept in &node.kept {
        cut.put(4, y, &words::kept_for(kept, &sight), Ink::Queued);
        y += 1;
    }
}

fn countables(summary: &Summary, sight: &Sight, cut: &mut Cut, mut y: i64) {
    if summary.countables.is_empty() {
        return;
    }
    cut.put(1, y, "COUNTABLE RESOURCES", Ink::Head);
    let wide = cut.area.width.saturating_sub(60).clamp(6, 24);
    for CountableRow { name, count, used, per_minute, taken, limited } in &summary.countables {
        y += 1;
        let mut x = 3;
        let named = crate::base::text::pad(name, 20);
        x += cut.put(x, y, &named, Ink::Plain) + 1;
        let (full, free) = spark::gauge(*used, *count, wide);
        x += cut.put(x, y, &full, if used >= count { Ink::Queued } else { Ink::Gauge });
        x += cut.put(x, y, &free, Ink::Border) + 1;
        x += cut.put(x, y, &format!("{used} of {count}"), Ink::Plain) + 2;
        if let Some(limited) = limited {
            let closed = crate::view::words::urgency::closed(limited, sight);
            cut.put(x, y, &closed, Ink::Stuck);
        } else if let Some(rate) = per_minute {
            cut.put(x, y, &format!("{taken} of {rate} this minute"), Ink::Muted);
        }
    }
}
