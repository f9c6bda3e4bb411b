//! The line of counts above the list: what is marked and what filters first, then the sections.
//!
//! Nothing of it is cut before it was said shorter: keys go first, then what is empty. While a
//! filter is on every count is of what the filter lets through.

use ratatui::layout::Rect;

use crate::base::text;
use crate::tui::actions::TABLE;
use crate::tui::app::App;
use crate::tui::keys::Key;
use crate::tui::known::{Known, Slice};
use crate::tui::panes::home::is_bad;
use crate::tui::section::Section;
use crate::tui::theme::Ink;
use crate::tui::widgets::Canvas;

/// From this width on the line says how many of those who wait this user can answer.
const YOURS_FROM: u16 = 100;

/// A section, as it may be said.
struct Label {
    section: Option<Section>,
    ink: Ink,
    chosen: bool,
    /// `3 of 5` under a filter, where both are known.
    long: String,
    short: String,
    empty: bool,
    /// Ended badly, and not yet seen to.
    bad: usize,
}

/// How much of it is said.
#[derive(Debug, Clone, Copy)]
struct Style {
    keys: bool,
    long: bool,
    empty: bool,
    gap: u16,
}

const STYLES: [Style; 6] = [
    Style { keys: true, long: true, empty: true, gap: 3 },
    Style { keys: true, long: true, empty: true, gap: 2 },
    Style { keys: false, long: true, empty: true, gap: 2 },
    Style { keys: false, long: false, empty: true, gap: 2 },
    Style { keys: false, long: false, empty: false, gap: 2 },
    Style { keys: false, long: false, empty: false, gap: 1 },
];

/// Draws the line.
pub fn draw(app: &App, canvas: &mut Canvas, area: Rect) {
    let mut x = lead(app, canvas, area);
    let labels = labels(app);
    let room = area.right().saturating_sub(x);
    let fits = |style: &&Style| width(&labels, **style) <= usize::from(room);
    let style = STYLES.iter().find(fits).copied();
    let whole = style.is_some();
    let style = style.unwrap_or(STYLES[STYLES.len() - 1]);
    let bad = labels.iter().map(|label| label.bad).sum::<usize>();
    let mut right = area.right();
    if !whole && bad > 0 {
        // There is no room for all of it, but what failed is said.
        let at = (area.right().saturating_sub(1), area.y);
        right = canvas.put_right(at, 6, &format!("!{bad}"), Ink::Bad).saturating_sub(1);
    }
    let room = |x: u16| right.saturating_sub(x);
    for label in labels.iter().filter(|label| style.shows(label)) {
        if style.keys {
            let key = label.section.map_or(0, |section| section.place() + 1).to_string();
            let ink = if label.chosen { Ink::Selected } else { Ink::Key };
            x += canvas.put((x, area.y), room(x), &key, ink) + 1;
        }
        let text = if style.long { &label.long } else { &label.short };
        x += canvas.put((x, area.y), room(x), text, label.ink);
        if label.bad > 0 && whole {
            x += canvas.put((x, area.y), room(x), &format!(" !{}", label.bad), Ink::Bad);
        }
        x += style.gap;
    }
    if style.keys {
        elsewhere(app, canvas, area, x);
    }
}

impl Style {
    fn shows(self, label: &Label) -> bool {
        (self.keys || label.section.is_some()) && (self.empty || label.chosen || !label.empty)
    }
}

fn width(labels: &[Label], style: Style) -> usize {
    let wide = |label: &Label| {
        let text = if style.long { &label.long } else { &label.short };
        let bad = if label.bad > 0 { label.bad.to_string().len() + 2 } else { 0 };
        text::width(text) + bad + if style.keys { 2 } else { 0 } + usize::from(style.gap)
    };
    labels.iter().filter(|label| style.shows(label)).map(wide).sum()
}

/// Marks and filter; where what follows begins.
fn lead(app: &App, canvas: &mut Canvas, area: Rect) -> u16 {
    let mut x = area.x + 1;
    let marks = &app.ground.marks;
    if !marks.is_empty() {
        let hidden = app.out_of_sight(marks);
        let away = if hidden > 0 { format!(" ({hidden} not in sight)") } else { String::new() };
        let text = format!("{} marked{away}", marks.len());
        x += canvas.put((x, area.y), area.width / 2, &text, Ink::Marked) + 2;
    }
    let filter = app.front().and_then(|pane| pane.filter()).filter(|filter| !filter.is_empty());
    if let Some(filter) = filter {
        let most = (area.width / 3).max(12).min(area.right().saturating_sub(x));
        x += canvas.put((x, area.y), most, &format!("/ {filter}"), Ink::Match) + 2;
    }
    x
}

fn labels(app: &App) -> Vec<Label> {
    let counts = app.ground.known.counts();
    let known = &app.ground.known;
    let people = known.people_count();
    // The section's title says it too, where there is no room for it here.
    let roomy = app.ground.size.0 >= YOURS_FROM;
    let yours = known.reviews.as_ref().filter(|_| roomy);
    let yours = yours.filter(|page| page.open > 0).map(|_| known.answerable());
    let target = app.target();
    let filter = app.front().and_then(|pane| pane.filter()).unwrap_or_default();
    let label = |section: Section| {
        let slice = app.ground.known.slice(section);
        let have = match section {
            Section::People => slice.map_or(0, |slice| people_of(known, slice)),
            _ => slice.map_or(0, |slice| slice.rows.len() as u64),
        };
        let open = slice.is_some_and(|slice| slice.more || slice.above);
        let all = match section {
            Section::People => Some(people),
            Section::Stuck => Some(counts.stuck),
            Section::Running => Some(counts.running),
            Section::Queued => Some(counts.queued),
            Section::Ended => None,
        };
        let plus = if open { "+" } else { "" };
        let (n, short) = match all.filter(|_| filter.is_empty()) {
            Some(n) => (n, format!("{} {n}", section.word())),
            None => (have, format!("{} {have}{plus}", section.word())),
        };
        let long = match all.filter(|_| !filter.is_empty()) {
            Some(all) => format!("{short} of {all}"),
            None => short.clone(),
        };
        let yours = yours.filter(|_| section == Section::People && filter.is_empty());
        let long = yours.map_or(long, |yours| format!("{short} (you {yours})"));
        let bad = slice.filter(|_| section == Section::Ended);
        let bad = bad.map_or(0, |slice| slice.rows.iter().filter(|row| is_bad(row)).count());
        let chosen = target.section == Some(section);
        let ink = match (chosen, n) {
            (true, _) => Ink::Head,
            (false, 0) => Ink::Muted,
            (false, _) => section.ink(),
        };
        Label { section: Some(section), ink, chosen, long, short, empty: n == 0, bad }
    };
    let chosen = target.section.is_none();
    let all = || "all".to_owned();
    let ink = if chosen { Ink::Head } else { Ink::Muted };
    let first =
        Label { section: None, ink, chosen, long: all(), short: all(), empty: false, bad: 0 };
    let mut labels: Vec<Label> = [first].into_iter().chain(Section::ALL.map(label)).collect();
    // What is empty may be left out only where something is left.
    if labels.iter().all(|label| label.empty || label.section.is_none()) {
        labels.iter_mut().for_each(|label| label.empty = false);
    }
    labels
}

/// What waits on people of what a filter lets through.
fn people_of(known: &Known, slice: &Slice) -> u64 {
    let jobs = slice.rows.iter().filter(|row| !known.is_told_by_review(row)).count();
    let reviews = known.open_reviews().filter(|row| known.is_listed(row.job)).count();
    (jobs + reviews) as u64
}

/// The ways to teams and hours, where there is room and something to see.
fn elsewhere(app: &App, canvas: &mut Canvas, area: Rect, from: u16) {
    let mut x = from;
    for action in TABLE.iter().filter(|action| ["teams", "hours"].contains(&action.name)) {
        let key = app.ground.options.keymap.keys(action).first().map(Key::to_string);
        let Some(key) = key.filter(|_| (action.when)(app).is_ok()) else { continue };
        if x.saturating_add(12) > area.right() {
            return;
        }
        x += canvas.put((x, area.y), 6, &key, Ink::Key) + 1;
        x += canvas.put((x, area.y), 12, action.name, Ink::Muted) + 3;
    }
}
