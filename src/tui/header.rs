//! The lines above the pane: where we are, whether it is so, what is used, what needs somebody.

use ratatui::layout::Rect;

use crate::base::quantity::{format_bytes, format_cpu, format_gpu};
use crate::base::text::cut;
use crate::base::{Span, duration, text};
use crate::link::STOPPED;
use crate::model::Resources;
use crate::model::page::NodeRow;
use crate::tui::app::App;
use crate::tui::counts;
use crate::tui::feed::Connection;
use crate::tui::ground::Ground;
use crate::tui::known::people::is_mine;
use crate::tui::panes::Kind;
use crate::tui::section::Section;
use crate::tui::theme::Ink;
use crate::tui::widgets::Canvas;
use crate::view::describe;
use crate::view::describe::review::silence;
use crate::view::line::{Line, Role};
use crate::view::next::{next, trouble};
use crate::view::sight::Sight;
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
        Some((Connection::Live, _)) => match ground.known.silent {
            None => ("live".to_owned(), Ink::Bar),
            Some(since) => {
                let old = now.0.saturating_sub(since.0) / 1000;
                (format!(" no answer for {old}s "), Ink::Alert)
            }
        },
        Some((Connection::Lost { why, .. }, _)) if why.contains(STOPPED) => {
            let key = ground.start_key().map(|key| format!(", press {key} to start it"));
            (format!(" server stopped{} ", key.unwrap_or_default()), Ink::Alert)
        }
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
    let people = ground.known.people_count() > 0;
    if !people {
        lines.extend(going(ground, &sight));
    }
    // Whose time is short comes before everything that can wait.
    let urgent = urgent(ground, &sight);
    let waits = urgent.is_none();
    lines.extend(urgent);
    let lost: Vec<_> = summary.nodes.iter().filter(|node| !node.up).map(|n| &*n.name).collect();
    if !lost.is_empty() {
        lines.push(Line::of(format!("lost: {}", lost.join(", ")), Role::Bad));
    }
    let counts = ground.known.counts();
    if people && waits {
        lines.push(Line::of(waiting(ground, &sight), Role::NeedsYou));
    } else if !people && counts.stuck > 0 {
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

/// The review of this user's whose time is short: what happens, and when.
fn urgent(ground: &Ground, sight: &Sight) -> Option<Line> {
    let mut mine = ground.known.open_reviews().filter(|row| is_mine(&row.beside));
    let row = mine.find(|row| silence::is_pressing(*row, sight))?;
    let left = duration::short(row.deadline.since(sight.now.wall));
    let (deed, then) = (words::review::deed_of(row), silence::verdict(row));
    let text = format!("ACT NOW  {} {}: {left} left, then {then}", row.id, cut(&deed, 48));
    Some(Line::of(text, Role::Bad))
}

/// Who waits for an answer: a review of this user's, a job at a prompt, what others decide.
fn waiting(ground: &Ground, sight: &Sight) -> String {
    let known = &ground.known;
    let more = match known.people_count().saturating_sub(1) {
        0 => String::new(),
        1 if known.reviews.as_ref().is_none_or(|page| page.open == 0) => {
            "; 1 more job needs you".to_owned()
        }
        n if known.reviews.as_ref().is_none_or(|page| page.open == 0) => {
            format!("; {n} more jobs need you")
        }
        n => format!("; {n} more"),
    };
    let mut reviews = known.open_reviews();
    let first = reviews.next();
    if let Some(row) = first.filter(|row| is_mine(&row.beside)) {
        let deed = words::review::deed_of(row);
        let since = sight.since(row.asked.now);
        let then = silence::countdown(row, sight);
        return format!("{} asks since {since}: {}; {then}{more}", row.id, cut(&deed, 48));
    }
    let prompt = known.at_prompt().next().and_then(|row| Some((row, row.prompt.as_ref()?)));
    if let Some((row, prompt)) = prompt {
        let since = sight.since(prompt.since.now);
        let asked = words::quote(&prompt.text);
        return format!("{} {} asks {asked} since {since}{more}", row.id, row.name);
    }
    match first {
        Some(row) => {
            let (deed, then) = (words::review::deed_of(row), silence::countdown(row, sight));
            format!("{} waits on others: {}; {then}{more}", row.id, cut(&deed, 48))
        }
        None => format!("{} for an answer", counted_waits(known.people_count())),
    }
}

/// What is about to be cancelled and can still be kept.
fn going(ground: &Ground, sight: &Sight) -> Option<Line> {
    let mut going = ground.known.cancelling();
    let row = going.next()?;
    let more = more(going.count() as u64);
    let text = format!("{} {}: {}{more}; u keeps it", row.id, row.name, next(row, sight));
    Some(Line::of(text, Role::Bad))
}

/// The same at the right of those who wait.
fn going_short(ground: &Ground, sight: &Sight) -> Option<String> {
    let mut going = ground.known.cancelling();
    let row = going.next()?;
    let more = more(going.count() as u64);
    Some(format!("{} {}{more}; u keeps it", row.id, next(row, sight)))
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
    let short = going_short(&app.ground, &app.ground.sight());
    let short = short.filter(|_| app.ground.known.people_count() > 0);
    let wide = if short.is_some() { area.width / 2 } else { area.width / 3 };
    let hint = match (app.kind(), lines.len()) {
        _ if short.is_some() && ink == Ink::Alert => short.unwrap_or_default(),
        // Who holds everything, until when and why needs the whole line.
        _ if ink == Ink::Halt => String::new(),
        (Kind::Home, 1) if app.target().review.is_some() => "Enter = open".to_owned(),
        (Kind::Home, 1) => "n = take me".to_owned(),
        (_, 1) => String::new(),
        (_, n) => format!("and {} more", n - 1),
    };
    let from = canvas.put_right((right, area.y), wide, &hint, ink);
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
        counts::draw(app, canvas, area);
        return;
    }
    let titles: Vec<String> = app.stack.iter().map(|pane| pane.title(&app.ground)).collect();
    let mut x = area.x + 1;
    for (at, title) in titles.iter().enumerate() {
        let last = at + 1 == titles.len();
        // What the step before says is not said again: `30 multi › log`.
        let before = at.checked_sub(1).and_then(|at| titles.get(at));
        let rest = before.and_then(|before| title.strip_prefix(before.as_str()));
        let title = rest.and_then(|rest| rest.strip_prefix(' ')).unwrap_or(title);
        if at > 0 {
            x += canvas.put((x, area.y), area.right().saturating_sub(x), " › ", Ink::Muted);
        }
        let ink = if last { Ink::Head } else { Ink::Muted };
        x += canvas.put((x, area.y), area.right().saturating_sub(x), title, ink);
    }
}
