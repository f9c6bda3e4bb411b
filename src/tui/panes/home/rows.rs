//! Draws the rows that are in sight.

use ratatui::layout::Rect;

use super::cells::{Cells, gpus};
use super::items::{Item, Pick};
use super::{Home, reviews};
use crate::base::quantity::format_gpu;
use crate::base::text;
use crate::model::page::JobRow;
use crate::model::team::DEFAULT_TEAM;
use crate::tui::ground::Ground;
use crate::tui::known::Known;
use crate::tui::section::Section;
use crate::tui::theme::Ink;
use crate::tui::widgets::Canvas;
use crate::view::list::{Folded, mark, since, what};
use crate::view::next::{next, trouble};
use crate::view::sight::Sight;
use crate::view::words::{review, state_short};

/// Lines of a job where lanes stand side by side.
pub const LANE_LINES: usize = 2;

/// Columns that are left to what happens next before a team's path is cut.
const SENTENCE: u16 = 30;

/// Widths of the columns; 0 for those that are not there.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Columns {
    pub(super) id: u16,
    pub(super) what: u16,
    pub(super) team: u16,
    pub(super) state: u16,
    pub(super) since: u16,
    pub(super) gpu: u16,
}

/// What the rows need, found once for a page.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Widest {
    id: u16,
    what: u16,
    /// 0 as long as nobody uses a team.
    team: u16,
    gpu: bool,
}

impl Widest {
    /// What all rows that came need.
    pub fn of(known: &Known) -> Widest {
        let mut widest = Widest { id: 3, ..Widest::default() };
        let mut teams = false;
        for row in known.slices.values().flat_map(|slice| &slice.rows) {
            let wide = |text: &str| u16::try_from(text::width(text)).unwrap_or(u16::MAX);
            // An element, or a row for many of them, has its number behind the name.
            let number = if row.array.is_some() { 5 } else { 0 };
            widest.id = widest.id.max(wide(&row.id.to_string()));
            widest.what = widest.what.max(wide(&row.name).saturating_add(number));
            // Nobody sees a team or a GPU before one is used.
            teams |= &*row.team != DEFAULT_TEAM;
            widest.team = widest.team.max(wide(&row.team));
            widest.gpu |= row.request.gpu_milli > 0;
        }
        for row in known.open_reviews() {
            let wide = |text: &str| u16::try_from(text::width(text)).unwrap_or(u16::MAX);
            widest.id = widest.id.max(wide(&row.id.to_string()));
            widest.what = widest.what.max(wide(&review::deed_of(row)));
            teams |= &*row.team != DEFAULT_TEAM;
            widest.team = widest.team.max(wide(&row.team));
            widest.gpu |= row.beside.holds.gpu_milli > 0;
        }
        Widest { team: if teams { widest.team } else { 0 }, ..widest }
    }
}

impl Columns {
    fn fit(widest: Widest, width: u16) -> Columns {
        let or = |there: bool, columns: u16| if there { columns } else { 0 };
        let what = widest.what.clamp(10, (width / 4).clamp(10, 30));
        // A path of teams is only cut where the sentence needs the room.
        let spare = width.saturating_sub(widest.id + what + 22 + SENTENCE);
        let team = widest.team.clamp(4, (width / 10).clamp(6, 14).max(spare.min(30)));
        Columns {
            id: widest.id,
            what,
            team: or(widest.team > 0 && width >= 66, team),
            state: or(width >= 50, 10),
            since: or(width >= 34, 5),
            gpu: or(widest.gpu && width >= 60, 3),
        }
    }
}

impl Columns {
    /// Columns before the last one.
    fn before_last(self) -> u16 {
        let all = [self.id, self.what, self.team, self.state, self.since, self.gpu];
        3 + all.into_iter().filter(|width| *width > 0).map(|width| width + 1).sum::<u16>()
    }
}

/// Lines of a row: of the chosen one and the next a sentence that does not fit goes on below,
/// where the screen is large enough for that. Rows above stay as they are, and so does the
/// chosen one's place on the screen.
pub fn lines_of(home: &Home, ground: &Ground, at: usize, chosen: Option<usize>) -> u16 {
    let near = chosen.is_some_and(|chosen| at == chosen || at == chosen + 1);
    let item = home.items.list.get(at).filter(|_| near && home.is_roomy());
    let row = item
        .and_then(Item::job)
        .and_then(|(section, job)| Some((section, ground.known.slice(section)?.row(job)?)));
    let Some((section, row)) = row else { return 1 };
    let width = home.list_area().width;
    let room = width.saturating_sub(Columns::fit(home.widest, width).before_last());
    let sentence = sentence(row, section, &ground.sight());
    if text::width(&sentence) > usize::from(room) { 2 } else { 1 }
}

/// The list: titles of columns, then what is in sight.
pub fn list(home: &Home, ground: &Ground, canvas: &mut Canvas, area: Rect) {
    if home.items.list.is_empty() {
        super::panel::empty(home, ground, canvas, area);
        return;
    }
    let columns = Columns::fit(home.widest, area.width);
    titles(canvas, area, columns);
    let sight = ground.sight();
    let height = usize::from(area.height).saturating_sub(1);
    let seen = home.windows[0].seen(home.items.list.len(), height);
    below(canvas, area, home.items.list.len().saturating_sub(seen.end));
    let place = home.pick().and_then(|pick| home.items.place(Some(pick)));
    let mut y = area.y + 1;
    for at in seen {
        let Some(item) = home.items.list.get(at).filter(|_| y < area.bottom()) else { return };
        let lines = lines_of(home, ground, at, place).min(area.bottom() - y);
        let row = Rect { y, height: lines, ..area };
        draw(home, ground, canvas, row, item, columns, &sight);
        y += lines;
    }
}

/// Rows that one has to scroll to.
fn below(canvas: &mut Canvas, area: Rect, rows: usize) {
    if rows > 0 {
        let text = format!(" + {rows} below");
        canvas.put_right((area.right(), area.y), area.width / 3, &text, Ink::Muted);
    }
}

fn titles(canvas: &mut Canvas, area: Rect, columns: Columns) {
    let mut x = area.x + 3;
    let mut put = |text: &str, width: u16, right: bool| {
        if width == 0 {
            return;
        }
        let wide = usize::from(width);
        let text = if right { text::pad_left(text, wide) } else { text::pad(text, wide) };
        canvas.put((x, area.y), area.right().saturating_sub(x), &text, Ink::Muted);
        x += width + 1;
    };
    put("ID", columns.id, true);
    put("WHAT", columns.what, false);
    put("TEAM", columns.team, false);
    put("STATE", columns.state, false);
    put("SINCE", columns.since, true);
    put("GPU", columns.gpu, true);
    put("WHAT HAPPENS NEXT", 17, false);
}

fn draw(
    home: &Home,
    ground: &Ground,
    canvas: &mut Canvas,
    area: Rect,
    item: &Item,
    columns: Columns,
    sight: &Sight,
) {
    match item {
        Item::Head { section, .. } => head(ground, canvas, area, item, *section),
        Item::Above { .. } => above(canvas, area),
        Item::More { section, .. } => {
            let chosen = home.pick() == Some(Pick::More(*section));
            more(canvas, area, item, chosen);
        }
        Item::Others { hidden } => reviews::others(canvas, area, *hidden, home.pick()),
        Item::Review { review, .. } => {
            let Some(row) = ground.known.review_row(*review) else { return };
            reviews::row(canvas, area, row, columns, sight);
            reviews::chosen(home.pick(), canvas, area, row);
        }
        Item::Job { section, job, count, open, gpu_milli, .. } => {
            let slice = ground.known.slice(*section);
            let Some(row) = slice.and_then(|slice| slice.row(*job)) else { return };
            let folded = Folded { row, count: *count, open: *open, gpu_milli: *gpu_milli };
            job_row(canvas, area, *section, &folded, columns, sight);
            chosen(home, ground, canvas, area, *section, row);
        }
    }
}

/// Tints the chosen row and marks it; also without colours one sees which it is.
fn chosen(
    home: &Home,
    ground: &Ground,
    canvas: &mut Canvas,
    area: Rect,
    section: Section,
    row: &JobRow,
) {
    if ground.marks.contains(&row.id) {
        canvas.put((area.x, area.y), 1, "#", Ink::Marked);
    }
    if home.pick() == Some(Pick::Job(section, row.id)) {
        if !ground.marks.contains(&row.id) {
            canvas.put((area.x, area.y), 1, ">", Ink::Selected);
        }
        canvas.tint(area, Ink::Selected);
    }
}

fn head(ground: &Ground, canvas: &mut Canvas, area: Rect, item: &Item, section: Section) {
    let Item::Head { count, open, sorted, .. } = item else { return };
    let plus = if *open { "+" } else { "" };
    let mut title = format!("{} {count}{plus}", section.title());
    if let Some((here, order)) = sorted {
        title.push_str(&format!(", the first {here} {}", order.word()));
    }
    let known = &ground.known;
    let reviews = known.reviews.as_ref().is_some_and(|page| page.open > 0);
    let whole = known.slice(section).is_some_and(|slice| slice.filter.is_empty());
    if section == Section::People && reviews && whole {
        title.push_str(&format!(" - you can answer {}", known.answerable()));
    }
    let x = area.x + 1;
    let used = canvas.put((x, area.y), area.width - 1, &title, section.ink());
    if section == Section::Ended
        && let Some(slice) = ground.known.slice(section)
    {
        let rows: Vec<&JobRow> = slice.rows.iter().collect();
        let tally = crate::view::list::tally(&rows);
        let bad = rows.iter().any(|row| super::is_bad(row));
        let ink = if bad { Ink::Bad } else { Ink::Muted };
        canvas.put((x + used, area.y), area.width.saturating_sub(used + 1), &tally, ink);
    }
}

fn above(canvas: &mut Canvas, area: Rect) {
    let text = "+ more above: g goes to the first";
    canvas.put((area.x + 5, area.y), area.width.saturating_sub(5), text, Ink::Muted);
}

fn more(canvas: &mut Canvas, area: Rect, item: &Item, chosen: bool) {
    let Item::More { hidden, open, .. } = item else { return };
    let plus = if *open { "+" } else { "" };
    let hidden = hidden.map_or_else(String::new, |hidden| format!(" {hidden}{plus}"));
    let text = if chosen {
        format!("+{hidden} more: Enter shows them, / narrows")
    } else {
        format!("+{hidden} more")
    };
    canvas.put((area.x + 5, area.y), area.width.saturating_sub(5), &text, Ink::Muted);
    if chosen {
        canvas.put((area.x, area.y), 1, ">", Ink::Selected);
        canvas.tint(area, Ink::Selected);
    }
}

fn job_row(
    canvas: &mut Canvas,
    area: Rect,
    section: Section,
    folded: &Folded,
    columns: Columns,
    sight: &Sight,
) {
    let row = folded.row;
    let (glyph, role) = mark(row, section.kind());
    let ink = Ink::from(role);
    canvas.put((area.x + 1, area.y), 1, glyph, ink);
    let mut cells = Cells::new(canvas, area);
    cells.put(&row.id.to_string(), columns.id, true, Ink::Id);
    cells.put(&what(folded), columns.what, false, Ink::Plain);
    cells.put(&row.team, columns.team, false, Ink::Muted);
    cells.put(state_short(row), columns.state, false, ink);
    let age = sight.since(since(row, section.kind()).now);
    cells.put(&age, columns.since, true, Ink::Muted);
    cells.put(&gpus(folded.gpu_milli), columns.gpu, true, Ink::Plain);
    let sentence = sentence(row, section, sight);
    let loud = matches!(section, Section::People | Section::Stuck) || super::is_bad(row);
    let seen = row.acked.is_some() && super::is_bad(row);
    let last = if seen {
        Ink::Muted
    } else if loud {
        ink
    } else {
        Ink::Plain
    };
    if area.height < 2 {
        cells.put(&sentence, area.width, false, last);
        return;
    }
    let x = area.x + columns.before_last();
    let room = area.right().saturating_sub(x);
    let mut parts = text::fold_lines(&sentence, usize::from(room)).into_iter();
    canvas.put((x, area.y), room, &parts.next().unwrap_or_default(), last);
    let rest = parts.collect::<Vec<_>>().join(" ");
    canvas.put((x, area.y + 1), room, &rest, last);
}

fn sentence(row: &JobRow, section: Section, sight: &Sight) -> String {
    if section == Section::Stuck { trouble(row, sight) } else { next(row, sight) }
}

/// Lanes side by side: each job on two lines.
pub fn lanes(home: &Home, ground: &Ground, canvas: &mut Canvas, areas: &[Rect; 4]) {
    let sight = ground.sight();
    if home.items.list.is_empty() {
        super::panel::empty(home, ground, canvas, areas[0]);
        return;
    }
    for (lane, area) in areas.iter().enumerate() {
        if lane > 0 {
            canvas.fence(Rect { x: area.x.saturating_sub(1), width: 1, ..*area });
        }
        let places = home.items.of_lane(lane, Home::lane_of);
        let height = usize::from(area.height) / LANE_LINES;
        let window = home.windows.get(lane).copied().unwrap_or_default();
        let mut y = area.y;
        if places.is_empty() {
            let title = match lane {
                0 => "NOTHING NEEDS YOU",
                1 => "NOTHING RUNS",
                2 => "NOTHING WAITS",
                _ => "NOTHING ENDED",
            };
            canvas.put((area.x + 1, y), area.width.saturating_sub(1), title, Ink::Muted);
        }
        let seen = window.seen(places.len(), height.max(1));
        let stands_for = |place: &usize| match home.items.list.get(*place) {
            Some(Item::Job { count, .. }) => *count as u64,
            Some(Item::Review { .. }) => 1,
            Some(Item::Others { hidden }) => *hidden,
            Some(Item::More { hidden, .. }) => hidden.unwrap_or(0),
            _ => 0,
        };
        let hidden: u64 = places.iter().skip(seen.end).map(stands_for).sum();
        for place in places.get(seen).unwrap_or(&[]) {
            let Some(item) = home.items.list.get(*place) else { continue };
            let two = Rect { y, height: 2, ..*area };
            y += lane_item(home, ground, canvas, two, item, &sight);
        }
        if hidden > 0 && y < area.bottom() {
            let room = area.width.saturating_sub(5);
            canvas.put((area.x + 5, y), room, &format!("+ {hidden} more"), Ink::Muted);
        }
    }
}

/// Draws a row of a lane; returns the lines it took.
fn lane_item(
    home: &Home,
    ground: &Ground,
    canvas: &mut Canvas,
    area: Rect,
    item: &Item,
    sight: &Sight,
) -> u16 {
    let first = Rect { height: 1, ..area };
    match item {
        Item::Head { section, .. } => {
            head(ground, canvas, first, item, *section);
            1
        }
        Item::Above { .. } => {
            above(canvas, first);
            1
        }
        Item::More { section, .. } => {
            more(canvas, first, item, home.pick() == Some(Pick::More(*section)));
            1
        }
        Item::Others { hidden } => {
            reviews::others(canvas, first, *hidden, home.pick());
            1
        }
        Item::Review { review, .. } => {
            let Some(row) = ground.known.review_row(*review) else { return 0 };
            reviews::in_lane(canvas, area, row, sight);
            let both = Rect { width: area.width.saturating_sub(1), ..area };
            reviews::chosen(home.pick(), canvas, both, row);
            2
        }
        Item::Job { section, job, count, open, gpu_milli, .. } => {
            let slice = ground.known.slice(*section);
            let Some(row) = slice.and_then(|slice| slice.row(*job)) else { return 0 };
            let folded = Folded { row, count: *count, open: *open, gpu_milli: *gpu_milli };
            let (glyph, role) = mark(row, section.kind());
            let ink = Ink::from(role);
            canvas.put((area.x + 1, area.y), 1, glyph, ink);
            let id = row.id.to_string();
            let mut x = area.x + 3;
            x += canvas.put((x, area.y), 12, &id, Ink::Id) + 1;
            let age = sight.since(since(row, section.kind()).now);
            let tail = match folded.gpu_milli {
                0 => format!("{} {age:>6}", state_short(row)),
                milli => format!("{} gpu {} {age:>6}", state_short(row), format_gpu(milli)),
            };
            let at = canvas.put_right(
                (area.right().saturating_sub(1), area.y),
                area.width / 2,
                &tail,
                ink,
            );
            canvas.put((x, area.y), at.saturating_sub(x + 1), &what(&folded), Ink::Plain);
            let next = sentence(row, *section, sight);
            let loud =
                if matches!(section, Section::People | Section::Stuck) { ink } else { Ink::Muted };
            canvas.put((area.x + 5, area.y + 1), area.width.saturating_sub(6), &next, loud);
            let both = Rect { width: area.width.saturating_sub(1), ..area };
            chosen(home, ground, canvas, both, *section, row);
            2
        }
    }
}
