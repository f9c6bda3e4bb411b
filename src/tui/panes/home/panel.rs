//! The side panel: the chosen row, the latest facts, use and queue over two hours. And what the
//! list says when it is empty.

use ratatui::layout::Rect;

use super::Home;
use super::peek::{Chosen, peek};
use crate::base::quantity::{format_cpu, format_gpu};
use crate::base::text::cut;
use crate::model::Fact;
use crate::model::history::MINUTES;
use crate::model::page::EventRow;
use crate::tui::ground::Ground;
use crate::tui::theme::Ink;
use crate::tui::widgets::{Canvas, spark};
use crate::view::describe::event_line;
use crate::view::line::{Line, Role};
use crate::view::sight::Sight;

/// Lines of the two small pictures with their titles.
const PICTURES: u16 = 5;

/// The panel at the right of the list.
pub fn beside(row: Option<Chosen>, ground: &Ground, canvas: &mut Canvas, area: Rect) {
    let pictures = if area.height > 24 { PICTURES } else { 0 };
    let upper = (area.height - pictures) * 3 / 5;
    let top = Rect { height: upper, ..area };
    let middle = Rect { y: top.bottom(), height: area.height - pictures - upper, ..area };
    let bottom = Rect { y: middle.bottom(), height: pictures, ..area };
    chosen(row, ground, canvas, top);
    facts(ground, canvas, middle);
    over_time(ground, canvas, bottom);
}

/// The panel below the lanes.
pub fn below(row: Option<Chosen>, ground: &Ground, canvas: &mut Canvas, area: Rect) {
    let third = area.width / 3;
    let part = |at: u16, width: u16| Rect { x: area.x + third * at, width, ..area };
    chosen(row, ground, canvas, part(0, third - 1));
    facts(ground, canvas, part(1, third - 1));
    over_time(ground, canvas, part(2, area.width - third * 2));
}

fn chosen(row: Option<Chosen>, ground: &Ground, canvas: &mut Canvas, area: Rect) {
    canvas.rule(area, "CHOSEN", Ink::Muted);
    let Some(row) = row else { return };
    let lines = peek(row, ground, usize::from(area.width.saturating_sub(2)));
    for (y, line) in (area.y + 1..area.bottom()).zip(&lines) {
        canvas.line((area.x + 1, y), area.width.saturating_sub(2), line);
    }
}

/// The latest facts that fit, the newest at the bottom.
fn facts(ground: &Ground, canvas: &mut Canvas, area: Rect) {
    canvas.rule(area, "LATEST", Ink::Muted);
    let height = usize::from(area.height.saturating_sub(1));
    let sight = ground.sight();
    let telling = ground.known.facts.iter().rev().filter(|row| tells(row)).take(height);
    let rows: Vec<&EventRow> = telling.collect();
    if rows.is_empty() && height > 0 {
        let text = "nothing has happened yet";
        canvas.put((area.x + 1, area.y + 1), area.width.saturating_sub(2), text, Ink::Muted);
    }
    for (y, row) in (area.y + 1..area.bottom()).zip(rows.iter().rev()) {
        let line = short(row, ground, &sight);
        canvas.line((area.x + 1, y), area.width.saturating_sub(2), &line);
    }
}

/// What people ask about: jobs that start, end, ask, are held; no bookkeeping.
fn tells(row: &EventRow) -> bool {
    !matches!(
        row.fact,
        Fact::KeyUsed { .. }
            | Fact::RateUsed { .. }
            | Fact::JobForgotten { .. }
            | Fact::Looked { .. }
            | Fact::JobReported { .. }
            | Fact::TaskPlaced { .. }
            | Fact::TaskStarted { .. }
            | Fact::TaskEnded { .. }
            | Fact::AttemptBegan { .. }
            | Fact::AttemptEnded { .. }
    )
}

/// A fact's line without its record number, with the name of its job.
fn short(row: &EventRow, ground: &Ground, sight: &Sight) -> Line {
    let line = event_line(row, sight);
    let time = line.0.first().map(|cell| cell.text.clone()).unwrap_or_default();
    let minute = time.get(time.len().saturating_sub(8)..).and_then(|t| t.get(..5));
    let mut short = Line::of(format!("{} ", minute.unwrap_or("")), Role::Muted);
    let mut rest = line.0.into_iter().skip(2);
    let said = rest.next().unwrap_or_default();
    let job = row.fact.job().map(|job| job.to_string());
    let named = job.as_ref().and_then(|job| said.text.strip_prefix(job.as_str()));
    match (job.as_ref().zip(named), row.fact.job().and_then(|job| ground.known.row(job))) {
        (Some((job, said_of_it)), Some(known)) if !names_itself(&row.fact) => {
            let name = cut(&known.name, 20);
            short = short.then(format!("{job} "), Role::Id).then(name, Role::Muted);
            short = short.then(said_of_it, said.role);
        }
        _ => short.0.push(said),
    }
    short.0.extend(rest);
    short
}

/// Sentences that say the job's name themselves.
fn names_itself(fact: &Fact) -> bool {
    matches!(fact, Fact::JobSubmitted { .. } | Fact::JobChanged { .. })
}

fn over_time(ground: &Ground, canvas: &mut Canvas, area: Rect) {
    if area.height == 0 {
        return;
    }
    canvas.rule(area, "TWO HOURS", Ink::Muted);
    let history = &ground.known.history;
    let room = area.width.saturating_sub(2);
    let used = history.used();
    let queued = history.queued();
    let format = if history.gpus { format_gpu } else { format_cpu };
    let name = if history.gpus { "GPUs in use" } else { "cores in use" };
    let now =
        format!("{name} {}/{}", format(used.last().copied().unwrap_or(0)), format(history.all));
    let peak = queued.iter().copied().max().unwrap_or(0);
    let now_queued = queued.last().copied().unwrap_or(0);
    let waiting = format!("waiting jobs {now_queued}, at most {peak}");
    let most = peak.max(4);
    let rows = [
        (now, spark::row(&used, MINUTES, history.all, room), Ink::Gauge),
        (waiting, spark::row(&queued, MINUTES, most, room), Ink::Queued),
    ];
    let mut y = area.y + 1;
    for (label, bars, ink) in rows {
        if y + 1 >= area.bottom() {
            return;
        }
        canvas.put((area.x + 1, y), room, &label, Ink::Plain);
        canvas.put_right((area.right().saturating_sub(1), y + 1), room, &bars, ink);
        y += 2;
    }
}

/// What the list says when it has no rows: why, and what to type.
pub fn empty(home: &Home, ground: &Ground, canvas: &mut Canvas, area: Rect) {
    let known = &ground.known;
    let failed = known.failed.values().next();
    let counts = known.counts();
    let any = counts.human + counts.running + counts.queued + counts.ended > 0;
    let lines: Vec<(String, Ink)> = match (known.summary.is_some(), known.lost(), failed) {
        (false, Some((_, why)), _) => vec![
            (format!("{} does not answer", ground.options.place), Ink::Bad),
            (why.to_owned(), Ink::Plain),
            ("The console keeps trying. q leaves.".to_owned(), Ink::Muted),
        ],
        (_, None, Some(why)) => vec![
            ("the list could not be read".to_owned(), Ink::Bad),
            (why.clone(), Ink::Plain),
            ("It is tried again with the next news.".to_owned(), Ink::Muted),
        ],
        (false, None, None) => vec![("asking for jobs…".to_owned(), Ink::Muted)],
        _ if !home.filter.is_empty() => vec![
            (format!("no job matches {}", home.filter), Ink::Head),
            ("Esc clears the filter, / changes it.".to_owned(), Ink::Muted),
        ],
        _ if home.narrow.is_some() => vec![
            (format!("nothing is {}", home.narrow.map_or("", nothing)), Ink::Good),
            ("0 shows every section.".to_owned(), Ink::Muted),
        ],
        _ if any => vec![
            ("All quiet: nothing is live and nothing is new.".to_owned(), Ink::Good),
            ("h shows what ended earlier.".to_owned(), Ink::Muted),
        ],
        _ => first_steps(),
    };
    let y = area.y + (area.height / 3).min(4).max(u16::from(area.height > 2));
    for (y, (text, ink)) in (y..area.bottom()).zip(lines) {
        canvas.put((area.x + 3, y), area.width.saturating_sub(4), &text, ink);
    }
}

fn nothing(section: crate::tui::section::Section) -> &'static str {
    use crate::tui::section::Section;
    match section {
        Section::People => "waiting on people",
        Section::Stuck => "stuck",
        Section::Running => "running",
        Section::Queued => "waiting",
        Section::Ended => "new among what ended; h shows what ended earlier",
    }
}

fn first_steps() -> Vec<(String, Ink)> {
    let line = |text: &str, ink| (text.to_owned(), ink);
    vec![
        line("No jobs yet. In another terminal:", Ink::Head),
        line("", Ink::Plain),
        line("holdshort submit -- ./agent.sh", Ink::Key),
        line("    queues it; it runs when there is room", Ink::Muted),
        line("holdshort submit -t -- claude", Ink::Key),
        line("    gives it a terminal, so it can ask you", Ink::Muted),
        line("holdshort demo", Ink::Key),
        line("    shows this screen with a made-up fleet", Ink::Muted),
        line("", Ink::Plain),
        line("? shows the keys, q leaves.", Ink::Muted),
    ]
}
