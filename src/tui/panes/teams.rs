//! Teams: who holds what of its quota and share, who borrows, who is owed, who goes first.

use ratatui::layout::Rect;

use crate::base::Name;
use crate::base::text;
use crate::model::page::{NodeRow, TeamRow};
use crate::tui::feed::Want;
use crate::tui::ground::Ground;
use crate::tui::panes::{Kind, Motion, Pane, Target};
use crate::tui::theme::Ink;
use crate::tui::widgets::{Canvas, Window};
use crate::view::line::Line;
use crate::view::standing::{self, Shared, Standing};

/// Lines about the chosen team below the list.
const BELOW: u16 = 8;
/// Columns of a figure.
const FIGURE: u16 = 6;

/// The pane.
#[derive(Debug, Default)]
pub struct Teams {
    chosen: Option<Name>,
    window: Window,
    height: usize,
    /// Another resource than the first one is looked at: so many steps to the right.
    aside: usize,
}

fn teams(ground: &Ground) -> &[TeamRow] {
    ground.known.teams.as_ref().map_or(&[], |page| &page.teams)
}

fn nodes(ground: &Ground) -> &[NodeRow] {
    ground.known.summary.as_ref().map_or(&[], |summary| &summary.nodes)
}

/// The list, and where the chosen team is told about.
fn parts(area: Rect) -> (Rect, Option<Rect>) {
    if area.height < BELOW + 6 {
        return (area, None);
    }
    let list = Rect { height: area.height - BELOW, ..area };
    (list, Some(Rect { y: list.bottom(), height: BELOW, ..area }))
}

impl Teams {
    fn place(&self, ground: &Ground) -> usize {
        let chosen = self.chosen.as_ref();
        teams(ground).iter().position(|row| Some(&row.name) == chosen).unwrap_or(0)
    }

    /// The resource that is looked at.
    fn shown(&self, ground: &Ground) -> Shared {
        let first = Shared::first(nodes(ground));
        let from = Shared::ALL.iter().position(|what| *what == first).unwrap_or(0);
        let kinds = Shared::ALL.get(from..).unwrap_or(&Shared::ALL);
        kinds.get(self.aside % kinds.len().max(1)).copied().unwrap_or(first)
    }

    fn chosen<'a>(&self, ground: &'a Ground) -> Option<&'a TeamRow> {
        teams(ground).get(self.place(ground))
    }
}

impl Pane for Teams {
    fn kind(&self) -> Kind {
        Kind::Teams
    }

    fn title(&self, _ground: &Ground) -> String {
        "teams".to_owned()
    }

    fn wants(&self, ground: &Ground) -> Vec<Want> {
        let victim = self.chosen(ground).and_then(|row| row.next_victim);
        [Want::Teams].into_iter().chain(victim.map(Want::Job)).collect()
    }

    fn target(&self, _ground: &Ground) -> Target {
        Target { team: self.chosen.clone(), ..Target::default() }
    }

    fn settle(&mut self, ground: &Ground, area: Rect) {
        if self.chosen.is_none() {
            // It opens where there is something to see.
            let what = self.shown(ground);
            let told = |row: &&TeamRow| standing::Standing::of(row, what).borrowed > 0;
            self.chosen = teams(ground).iter().rfind(told).map(|row| row.name.clone());
        }
        let at = self.place(ground);
        self.chosen = teams(ground).get(at).map(|row| row.name.clone());
        self.height = usize::from(parts(area).0.height.saturating_sub(1));
        self.window.follow(at, teams(ground).len(), self.height);
    }

    fn go(&mut self, motion: Motion, ground: &Ground) {
        let at = self.place(ground);
        let half = isize::try_from(self.height / 2).unwrap_or(1).max(1);
        let to = match motion {
            Motion::Lines(by) => at.saturating_add_signed(by),
            Motion::Halves(by) => at.saturating_add_signed(by * half),
            Motion::First => 0,
            Motion::Last => usize::MAX,
            Motion::Side(by) => {
                // As many steps back as it takes to come around.
                self.aside = self.aside.wrapping_add_signed(by) % 6;
                at
            }
        };
        let last = teams(ground).len().saturating_sub(1);
        self.chosen = teams(ground).get(to.min(last)).map(|row| row.name.clone());
    }

    fn copy(&self, _ground: &Ground) -> Option<(String, String)> {
        self.chosen.as_ref().map(|name| (name.to_string(), format!("the name {name}")))
    }

    fn draw(&self, ground: &Ground, canvas: &mut Canvas, area: Rect) {
        let say = |canvas: &mut Canvas, text: &str, ink| {
            canvas.put((area.x + 1, area.y + 1), area.width.saturating_sub(2), text, ink);
        };
        let Some(page) = &ground.known.teams else {
            match ground.known.failed.get(&Want::Teams) {
                Some(why) => say(canvas, why, Ink::Bad),
                None => say(canvas, "asking for teams…", Ink::Muted),
            }
            return;
        };
        if page.teams.is_empty() {
            return say(canvas, "no team yet; holdshort team add ml --quota gpu=4", Ink::Muted);
        }
        let (list, about) = parts(area);
        let what = self.shown(ground);
        let columns = Columns::fit(&page.teams, list.width);
        columns.titles(canvas, list, what);
        let scale = scale(&page.teams, nodes(ground), what);
        let rows = self.window.seen(page.teams.len(), self.height);
        let first = rows.start;
        for (at, row) in page.teams.get(rows).unwrap_or(&[]).iter().enumerate() {
            let y = list.y + 1 + u16::try_from(at).unwrap_or(0);
            let line = Rect { y, height: 1, ..list };
            columns.row(canvas, line, row, what, scale);
            if first + at == self.place(ground) {
                canvas.put((line.x, y), 1, ">", Ink::Selected);
                canvas.tint(line, Ink::Selected);
            }
        }
        if let Some(about) = about {
            tell(self.chosen(ground), ground, canvas, about);
        }
    }
}

/// What stands for a full bar: all there is, or more if more is promised or held.
fn scale(teams: &[TeamRow], nodes: &[NodeRow], what: Shared) -> u64 {
    let all = nodes.iter().map(|node| what.of(&node.capacity)).fold(0, u64::saturating_add);
    let most = |row: &TeamRow| {
        let standing = Standing::of(row, what);
        standing.held.max(standing.quota.unwrap_or(0)).max(standing.share.unwrap_or(0))
    };
    teams.iter().map(most).fold(all, u64::max)
}

/// Everything about the chosen team, and what the bars mean.
fn tell(row: Option<&TeamRow>, ground: &Ground, canvas: &mut Canvas, area: Rect) {
    canvas.rule(area, "CHOSEN", Ink::Muted);
    let Some(row) = row else { return };
    let inside = Rect { y: area.y + 1, height: area.height.saturating_sub(1), ..area };
    let room = inside.width.saturating_sub(2);
    let lines = standing::lines(row, &ground.sight(), &|job| ground.known.row(job));
    let folded = lines.into_iter().flat_map(|line| fold(line, usize::from(room)));
    let mut y = inside.y;
    for line in folded {
        if y >= inside.bottom() {
            return;
        }
        canvas.line((inside.x + 1, y), room, &line);
        y += 1;
    }
    let legend: [(&str, Ink, &str); 4] = [
        ("━", Ink::Gauge, " within quota  "),
        ("╍", Ink::NeedsYou, " borrowed  "),
        ("┄", Ink::Queued, " wanted  "),
        ("│", Ink::Head, " share"),
    ];
    let y = inside.bottom().saturating_sub(1).max(y);
    if y >= inside.bottom() {
        return;
    }
    let mut x = inside.x + 1;
    for (mark, ink, text) in legend {
        x += canvas.put((x, y), inside.right().saturating_sub(x), mark, ink);
        x += canvas.put((x, y), inside.right().saturating_sub(x), text, Ink::Muted);
    }
}

/// A line on as many as it takes; the first piece keeps its role if all fits.
fn fold(line: Line, room: usize) -> Vec<Line> {
    let plain = line.plain();
    if text::width(&plain) <= room {
        return vec![line];
    }
    let role = line.0.last().map(|cell| cell.role).unwrap_or_default();
    let lines = text::fold_lines(&plain, room.saturating_sub(2)).into_iter().enumerate();
    let indent = |at: usize| if at == 0 { "" } else { "  " };
    lines.map(|(at, text)| Line::of(format!("{}{text}", indent(at)), role)).collect()
}

/// Widths of columns; 0 for those there is no room for.
#[derive(Debug, Clone, Copy)]
struct Columns {
    name: u16,
    bar: u16,
    quota: u16,
    share: u16,
    held: u16,
    over: u16,
    wants: u16,
}

impl Columns {
    fn fit(teams: &[TeamRow], width: u16) -> Columns {
        let wide = |row: &TeamRow| text::width(row.leaf()) + row.depth() * 2;
        let name = teams.iter().map(wide).max().unwrap_or(0);
        let name = u16::try_from(name).unwrap_or(u16::MAX).clamp(6, (width / 4).clamp(8, 28));
        let at = |least: u16| if width >= least { FIGURE } else { 0 };
        let shared = teams.iter().any(|row| row.share.is_some());
        let mut columns = Columns {
            name,
            bar: 0,
            quota: at(38),
            share: if shared { at(56) } else { 0 },
            held: FIGURE,
            over: at(48),
            wants: at(64),
        };
        // The bar takes what the words at the end leave.
        let spare = width.saturating_sub(columns.before_last() + 16);
        columns.bar = if spare > 6 { (spare - 1).min(72) } else { 0 };
        columns
    }

    /// Columns before the words at the end.
    fn before_last(self) -> u16 {
        let all = [self.name, self.bar, self.quota, self.share, self.held, self.over, self.wants];
        2 + all.into_iter().filter(|width| *width > 0).map(|width| width + 1).sum::<u16>()
    }

    fn titles(self, canvas: &mut Canvas, area: Rect, what: Shared) {
        let mut x = area.x + 2;
        x += canvas.put((x, area.y), self.name, "TEAM", Ink::Muted).max(self.name) + 1;
        if self.bar > 0 {
            let more = if self.bar > 20 { "  tab = another" } else { "" };
            let title = format!("{}{more}", what.word());
            canvas.put((x, area.y), self.bar, &title, Ink::Muted);
            x += self.bar + 1;
        }
        let figures = [
            ("HOLDS", self.held),
            ("QUOTA", self.quota),
            ("OVER", self.over),
            ("SHARE", self.share),
            ("WANTS", self.wants),
        ];
        for (title, width) in figures.into_iter().filter(|(_, width)| *width > 0) {
            canvas.put_right((x + width, area.y), width, title, Ink::Muted);
            x += width + 1;
        }
        let room = area.right().saturating_sub(x);
        canvas.put((x, area.y), room, "STANDS", Ink::Muted);
    }

    fn row(self, canvas: &mut Canvas, area: Rect, row: &TeamRow, what: Shared, scale: u64) {
        let standing = Standing::of(row, what);
        let y = area.y;
        let mut x = area.x + 2;
        let name = format!("{}{}", "  ".repeat(row.depth()), row.leaf());
        canvas.put((x, y), self.name, &name, Ink::Plain);
        x += self.name + 1;
        if self.bar > 0 {
            bar(canvas, Rect { x, width: self.bar, ..area }, &standing, scale);
            x += self.bar + 1;
        }
        let some = |amount: u64| match amount {
            0 => "-".to_owned(),
            amount => what.figure(amount),
        };
        let plus = |amount: u64| match amount {
            0 => "-".to_owned(),
            amount => format!("+{}", what.figure(amount)),
        };
        let quota = standing.quota.map_or("none".to_owned(), |quota| what.figure(quota));
        let share = standing.share.map(|share| what.figure(share)).unwrap_or_default();
        let figures = [
            (some(standing.held), self.held, Ink::Plain),
            (quota, self.quota, Ink::Muted),
            (plus(standing.borrowed), self.over, Ink::NeedsYou),
            (share, self.share, Ink::Plain),
            (some(standing.pending), self.wants, Ink::Queued),
        ];
        for (figure, width, ink) in figures.into_iter().filter(|(_, width, _)| *width > 0) {
            let ink = if figure == "-" { Ink::Muted } else { ink };
            canvas.put_right((x + width, y), width, &figure, ink);
            x += width + 1;
        }
        let (said, role) = standing::brief(row, what);
        canvas.put((x, y), area.right().saturating_sub(x), &said, role.into());
    }
}

/// What is held within the quota, what is borrowed, what is wanted, and where the share ends.
fn bar(canvas: &mut Canvas, area: Rect, standing: &Standing, scale: u64) {
    let columns = u64::from(area.width);
    let at = |amount: u64| {
        let place = amount.min(scale).saturating_mul(columns).checked_div(scale).unwrap_or(0);
        u16::try_from(place.max(u64::from(amount > 0))).unwrap_or(0)
    };
    let held = at(standing.held);
    let within = at(standing.held - standing.borrowed).min(held);
    let wanted = at(standing.held.saturating_add(standing.pending)).max(held).min(area.width);
    let mut put = |from: u16, to: u16, mark: &str, ink| {
        let wide = to.saturating_sub(from);
        canvas.put((area.x + from, area.y), wide, &mark.repeat(usize::from(wide)), ink);
    };
    put(0, within, "━", Ink::Gauge);
    put(within, held, "╍", Ink::NeedsYou);
    put(held, wanted, "┄", Ink::Queued);
    put(wanted, area.width, " ", Ink::Plain);
    if let Some(share) = standing.share.filter(|share| *share > 0) {
        let place = at(share).min(area.width.saturating_sub(1));
        put(place, place + 1, "│", Ink::Head);
    }
}
