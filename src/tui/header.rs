//! The lines above the pane: where we are, whether it is so, what is used, what needs somebody.

use ratatui::layout::Rect;

use crate::base::quantity::{format_bytes, format_cpu, format_gpu};
use crate::base::{Span, duration, text};
use crate::model::Resources;
use crate::model::page::NodeRow;
use crate::tui::actions::TABLE;
use crate::tui::app::App;
use crate::tui::feed::Connection;
use crate::tui::ground::Ground;
use crate::tui::keys::Key;
use crate::tui::panes::Kind;
use crate::tui::section::Section;
use crate::tui::theme::Ink;
use crate::tui::widgets::Canvas;
use crate::view::describe;
use crate::view::line::{Line, Role};
use crate::view::next::{next, trouble};
use crate::view::words;

/// The first line: place, connection, resources, clock.
pub fn header(app: &App, canvas: &mut Canvas, area: Rect) {
    if area.height == 0 {
        return;
    }
    let ground = &app.ground;
    let bar = bar(ground);
    canvas.fill(area, bar);
    let (y, right) = (area.y, area.right().saturating_sub(1));
    let clock = clock(ground);
    let clock_at = canvas.put_right((right, y), area.width / 3, &clock, bar);
    let room = clock_at.saturating_sub(area.x + 2);
    let place = text::sanitise(&ground.options.place).into_owned();
    let place = if ground.options.loud { format!(" {} ", place.to_uppercase()) } else { place };
    let ink = if ground.options.loud { Ink::Alert } else { bar };
    let mut x = area.x + 1;
    x += canvas.put((x, y), room.min(24), &place, ink);
    let (state, ink) = match connection(ground) {
        (state, Ink::Bar) => (state, bar),
        other => other,
    };
    x += 1;
    x += canvas.put((x, y), clock_at.saturating_sub(x + 1), &state, ink);
    if ground.options.read_only {
        x += 1 + canvas.put((x + 1, y), clock_at.saturating_sub(x + 2), "read-only", Ink::Alert);
    }
    let mut resources = resources(ground);
    // What does not fit goes from the end: GPUs and cores stay longest.
    let fits = |parts: &[String]| {
        let wide: usize = parts.iter().map(|part| text::width(part) + 2).sum();
        usize::from(x) + 2 + wide <= usize::from(clock_at)
    };
    while !resources.is_empty() && !fits(&resources) {
        resources.pop();
    }
    let joined = resources.join("  ");
    canvas.put_right((clock_at.saturating_sub(2), y), area.width, &joined, bar);
}

/// The ink of the top of the screen: while everything is paused nobody shall miss it.
fn bar(ground: &Ground) -> Ink {
    if is_halted(ground) { Ink::Halt } else { Ink::Bar }
}

fn is_halted(ground: &Ground) -> bool {
    ground.known.summary.as_ref().is_some_and(|summary| summary.paused.is_some())
}

fn clock(ground: &Ground) -> String {
    let Some(now) = ground.known.clock.known() else { return String::new() };
    let time = ground.sight().second(now.wall);
    let minute = time.get(..5).unwrap_or("").to_owned();
    if ground.utc { format!("{minute} UTC") } else { minute }
}

/// The state of the connection in a word or two.
pub fn connection(ground: &Ground) -> (String, Ink) {
    let now = ground.known.clock.console();
    match &ground.known.link {
        None | Some((Connection::Connecting, _)) => ("connecting".to_owned(), Ink::Bar),
        Some((Connection::Live, _)) => ("live".to_owned(), Ink::Bar),
        Some((Connection::Lost { .. }, since)) => {
            let old = duration::short(Span(now.0.saturating_sub(since.0) / 1000 * 1000));
            (format!(" stale {old}, reconnecting "), Ink::Alert)
        }
    }
}

fn resources(ground: &Ground) -> Vec<String> {
    let Some(summary) = &ground.known.summary else { return Vec::new() };
    let mut parts = Vec::new();
    let mut part = |name: &str, [used, _, all]: [u64; 3], format: fn(u64) -> String| {
        if all > 0 {
            parts.push(format!("{name} {}/{}", format(used), format(all)));
        }
    };
    let of = |pick: fn(&Resources) -> u64| {
        let amounts = |node: &NodeRow| [&node.used, &node.reserved, &node.capacity].map(pick);
        let add = |sum: [u64; 3], more: [u64; 3]| {
            [0, 1, 2].map(|at: usize| sum[at].saturating_add(more[at]))
        };
        summary.nodes.iter().map(amounts).fold([0; 3], add)
    };
    part("gpu", of(|r| r.gpu_milli), format_gpu);
    part("cpu", of(|r| r.cpu_milli), format_cpu);
    part("mem", of(|r| r.mem_bytes), format_bytes);
    let held = summary.countables.iter().filter(|row| row.used > 0).take(3);
    parts.extend(held.map(|row| format!("{} {}/{}", row.name, row.used, row.count)));
    // Free, and yet nobody's to take: of the first kind there is.
    let (gpu, cpu) = (of(|r| r.gpu_milli), of(|r| r.cpu_milli));
    parts.extend(match (gpu, cpu) {
        ([_, kept, all], _) if all > 0 && kept > 0 => {
            Some(format!("{} gpu kept", format_gpu(kept)))
        }
        ([_, _, 0], [_, kept, _]) if kept > 0 => Some(format!("{} cpu kept", format_cpu(kept))),
        _ => None,
    });
    parts
}

/// What must be seen before anything else, worst first.
pub fn alerts(ground: &Ground) -> Vec<Line> {
    let mut lines = Vec::new();
    let Some(summary) = &ground.known.summary else { return lines };
    let sight = ground.sight();
    if let Some((_, why)) = ground.known.lost() {
        lines.push(Line::of(format!("no connection: {why}"), Role::Bad));
    }
    if let Some(hold) = &summary.paused {
        lines.push(describe::held("EVERYTHING", hold, &sight));
    }
    let mut going = ground.known.cancelling();
    if let Some(row) = going.next() {
        let more = more(going.count() as u64);
        let text = format!("{} {}: {}{more}; u keeps it", row.id, row.name, next(row, &sight));
        lines.push(Line::of(text, Role::Bad));
    }
    let lost: Vec<_> = summary.nodes.iter().filter(|node| !node.up).map(|n| &*n.name).collect();
    if !lost.is_empty() {
        lines.push(Line::of(format!("lost: {}", lost.join(", ")), Role::Bad));
    }
    let counts = ground.known.counts();
    if counts.human > 0 {
        let people = ground.known.watched(Section::People);
        let first = people.and_then(|slice| slice.rows.first());
        let asks = first.and_then(|row| Some((row, row.prompt.as_ref()?)));
        let text = match asks {
            Some((row, prompt)) => {
                let since = sight.since(prompt.since.now);
                let asked = words::quote(&prompt.text);
                let more = more(counts.human - 1);
                format!("{} {} asks {asked} since {since}{more}", row.id, row.name)
            }
            None => format!("{} for an answer", counted_waits(counts.human)),
        };
        lines.push(Line::of(text, Role::NeedsYou));
    } else if counts.stuck > 0 {
        let stuck = ground.known.watched(Section::Stuck);
        let text = match stuck.and_then(|slice| slice.rows.first()) {
            Some(row) => {
                let more = more(counts.stuck - 1);
                format!("{} {} {}{more}", row.id, row.name, trouble(row, &sight))
            }
            None => format!("{} stuck", words::counted(counts.stuck, "job")),
        };
        lines.push(Line::of(text, Role::Stuck));
    }
    lines
}

fn more(n: u64) -> String {
    if n == 0 { String::new() } else { format!(", {n} more") }
}

fn counted_waits(n: u64) -> String {
    if n == 1 { "1 job waits".to_owned() } else { format!("{n} jobs wait") }
}

/// The line of what must be seen.
pub fn alert(app: &App, canvas: &mut Canvas, area: Rect) {
    let lines = alerts(&app.ground);
    let Some(first) = lines.first().filter(|_| area.height > 0) else { return };
    let ink = if is_halted(&app.ground) { Ink::Halt } else { Ink::Alert };
    canvas.fill(area, ink);
    let right = area.right().saturating_sub(1);
    let hint = match (app.kind(), lines.len()) {
        // Who holds everything, until when and why needs the whole line.
        _ if ink == Ink::Halt => String::new(),
        (Kind::Home, 1) => "n = take me".to_owned(),
        (_, 1) => String::new(),
        (_, n) => format!("and {} more", n - 1),
    };
    let from = canvas.put_right((right, area.y), area.width / 3, &hint, ink);
    let room = from.saturating_sub(area.x + 4);
    let used = canvas.put((area.x, area.y), 3, " ! ", ink);
    canvas.line_as((area.x + used, area.y), room, first, Some(ink));
}

/// The line of counts in the list, the way to every other pane.
pub fn way(app: &App, canvas: &mut Canvas, area: Rect) {
    if area.height == 0 {
        return;
    }
    canvas.fill(area, Ink::Plain);
    if app.kind() == Kind::Home {
        lanes(app, canvas, area);
        return;
    }
    let titles: Vec<String> = app.stack.iter().map(|pane| pane.title(&app.ground)).collect();
    let mut x = area.x + 1;
    for (at, title) in titles.iter().enumerate() {
        let last = at + 1 == titles.len();
        if at > 0 {
            x += canvas.put((x, area.y), area.right().saturating_sub(x), " › ", Ink::Muted);
        }
        let ink = if last { Ink::Head } else { Ink::Muted };
        x += canvas.put((x, area.y), area.right().saturating_sub(x), title, ink);
    }
}

fn lanes(app: &App, canvas: &mut Canvas, area: Rect) {
    let counts = app.ground.known.counts();
    let bad = app.ground.known.slice(Section::Ended).map_or(0, |slice| {
        slice.rows.iter().filter(|row| crate::tui::panes::home::is_bad(row)).count()
    });
    let chosen = app.front().and_then(|pane| pane.target(&app.ground).section);
    let known = app.ground.known.slice(Section::Ended).map(|slice| (slice.rows.len(), slice.more));
    let mut x = area.x + 1;
    let compact = area.width < 64;
    let all = [None].into_iter().chain(Section::ALL.map(Some));
    for section in all {
        let (key, word, count) = match section {
            None => (0, "all", None),
            Some(section) => {
                let n = match section {
                    Section::People => counts.human,
                    Section::Stuck => counts.stuck,
                    Section::Running => counts.running,
                    Section::Queued => counts.queued,
                    Section::Ended => known.map_or(0, |(rows, _)| rows as u64),
                };
                (section.place() + 1, section.word(), Some(n))
            }
        };
        let loud = count.is_some_and(|n| n > 0);
        let ink = match section {
            _ if chosen == section => Ink::Head,
            Some(section) if loud => section.ink(),
            _ => Ink::Muted,
        };
        let room = |x: u16| area.right().saturating_sub(x);
        if compact && section.is_none() {
            continue;
        }
        let key_ink = if chosen == section { Ink::Selected } else { Ink::Key };
        if !compact {
            x += canvas.put((x, area.y), room(x), &key.to_string(), key_ink) + 1;
        }
        let more =
            if section == Some(Section::Ended) && known.is_some_and(|(_, m)| m) { "+" } else { "" };
        let label = match count {
            None => word.to_owned(),
            Some(n) => format!("{word} {n}{more}"),
        };
        x += canvas.put((x, area.y), room(x), &label, ink);
        if section == Some(Section::Ended) && bad > 0 {
            x += canvas.put((x, area.y), room(x), &format!(" !{bad}"), Ink::Bad);
        }
        x += if compact { 2 } else { 3 };
    }
    x = elsewhere(app, canvas, area, x);
    right_side(app, canvas, area, x);
}

/// The ways to teams and hours, where there is room and something to see.
fn elsewhere(app: &App, canvas: &mut Canvas, area: Rect, from: u16) -> u16 {
    let mut x = from;
    for action in TABLE.iter().filter(|action| ["teams", "hours"].contains(&action.name)) {
        let key = app.ground.options.keymap.keys(action).first().map(Key::to_string);
        let Some(key) = key.filter(|_| (action.when)(app).is_ok()) else { continue };
        // Marks and filters need the rest.
        if x.saturating_add(34) > area.right() {
            return x;
        }
        x += canvas.put((x, area.y), 6, &key, Ink::Key) + 1;
        x += canvas.put((x, area.y), 12, action.name, Ink::Muted) + 3;
    }
    x
}

/// Marks, filter and order at the right end of the counts.
fn right_side(app: &App, canvas: &mut Canvas, area: Rect, from: u16) {
    let mut parts = Vec::new();
    if !app.ground.marks.is_empty() {
        parts.push((format!("{} marked", app.ground.marks.len()), Ink::Marked));
    }
    let filter = app.front().and_then(|pane| pane.filter()).filter(|filter| !filter.is_empty());
    if let Some(filter) = filter {
        parts.push((format!("/ {filter}"), Ink::Match));
    }
    let mut right = area.right().saturating_sub(1);
    for (text, ink) in parts {
        let room = right.saturating_sub(from);
        if room < 6 {
            return;
        }
        let at = canvas.put_right((right, area.y), room, &text, ink);
        right = at.saturating_sub(2);
    }
}
