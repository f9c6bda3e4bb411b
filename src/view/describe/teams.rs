//! The tree of teams: what each is owed, may hold, holds and wants.

use crate::base::calendar::clock_in;
use crate::base::quantity::{format_bytes, format_cpu, format_gpu};
use crate::base::{Span, duration};
use crate::model::Resources;
use crate::model::page::{TeamPage, TeamRow};
use crate::model::team::{Bounds, DEFAULT_QUEUE_PRIORITY, Weights};
use crate::view::line::{Cell, Line, Role};
use crate::view::sight::Sight;
use crate::view::table::{Column, Table};

/// The lines of `teams`: a tree, or one sentence to who does not use teams.
pub fn teams(page: &TeamPage, sight: &Sight, room: Option<usize>) -> Vec<Line> {
    if !page.in_use() {
        let text = "nobody has made a team: all jobs are in `default`, which may hold everything";
        return vec![Line::of(text, Role::Plain)];
    }
    let shared = page.teams.iter().any(|row| row.share.is_some());
    let mut columns = vec![
        Column::text("TEAM", 8, 40),
        Column::text("HOLDS", 8, 40),
        Column::text("QUOTA", 6, 40),
        Column::text("SHARE", 6, 40),
        Column::text("LIMIT", 6, 40),
        Column::text("WANTS", 6, 40),
        Column::number("RUN"),
        Column::number("WAIT"),
        Column::text("", 0, usize::MAX),
    ];
    columns.retain(|column| shared || column.title != "SHARE");
    let mut table = Table::new(columns);
    for row in &page.teams {
        let over = row.over_since.is_some();
        let mut cells = vec![
            Cell::plain(format!("{}{}", "  ".repeat(row.depth()), row.leaf())),
            Cell::new(amounts(&row.held), if over { Role::Stuck } else { Role::Plain }),
            Cell::plain(bounds(&row.terms.quota)),
        ];
        if shared {
            cells.push(Cell::plain(row.share.as_ref().map(amounts).unwrap_or_default()));
        }
        cells.extend([
            Cell::plain(bounds(&row.terms.limit)),
            Cell::new(amounts(&row.pending), Role::Queued),
            Cell::plain(row.running.to_string()),
            Cell::plain(row.queued.to_string()),
            remarks(row, sight),
        ]);
        table.row(cells);
    }
    table.lines(room)
}

/// What is unusual about a team.
fn remarks(row: &TeamRow, sight: &Sight) -> Cell {
    let mut parts = Vec::new();
    if let Some(hold) = &row.paused {
        let why = hold.reason.as_deref().map_or_else(String::new, |why| format!(": {why}"));
        parts.push(format!("paused by {}{why}", hold.by));
    }
    if let Some(since) = row.over_since {
        parts.push(format!("over since {}", sight.day(since.wall)));
    }
    if let Some(since) = row.owed_since {
        parts.push(format!("owed since {}", sight.day(since.wall)));
    }
    if let Some(window) = &row.window {
        let until = clock_in(&window.zone, window.until, sight.now.wall);
        parts.push(format!("window {} until {until}", window.name));
    }
    if row.terms.priority != DEFAULT_QUEUE_PRIORITY {
        parts.push(format!("priority {}", row.terms.priority));
    }
    if row.terms.weight != Weights::default() {
        parts.push(format!("weight {}", weights(&row.terms.weight)));
    }
    let role = if row.paused.is_some() { Role::NeedsYou } else { Role::Muted };
    Cell::new(parts.join(", "), role)
}

/// Everything about one team, a line each: the answer of `quota TEAM`.
pub fn team(row: &TeamRow, sight: &Sight) -> Vec<Line> {
    let span = |span: Option<Span>| span.map_or("as above it".to_owned(), duration::exact);
    let mut lines = vec![Line::of(format!("team {}", row.name), Role::Head)];
    let mut line = |name: &str, value: String| {
        let named = Line::of(format!("{name:<22}"), Role::Muted);
        lines.push(named.then(value, Role::Plain));
    };
    let unbound = |text: String| if text == "-" { "no bound".to_owned() } else { text };
    line("quota", unbound(bounds(&row.terms.quota)));
    line("limit", unbound(bounds(&row.terms.limit)));
    line("weight", weights(&row.terms.weight));
    line("priority", row.terms.priority.to_string());
    line("preempt min. runtime", span(row.terms.preempt_min_runtime));
    line("reclaim min. runtime", span(row.terms.reclaim_min_runtime));
    if let Some(window) = &row.window {
        let (own, until) = (&window.own, clock_in(&window.zone, window.until, sight.now.wall));
        let own = format!("quota {}, limit {}", bounds(&own.quota), bounds(&own.limit));
        line("after the window", format!("from {until}: {own}"));
    }
    line("holds", amounts(&row.held));
    line("of that firm", amounts(&row.firm));
    line("wants", amounts(&row.pending));
    if let Some(share) = &row.share {
        line("fair share", amounts(share));
    }
    line("jobs", format!("{} running, {} waiting for room", row.running, row.queued));
    let remarks = remarks(row, sight);
    if !remarks.text.is_empty() {
        lines.push(Line(vec![remarks]));
    }
    lines
}

/// Short amounts: `gpu 2 cpu 8 mem 32Gi`; `-` for nothing.
fn amounts(of: &Resources) -> String {
    let given = |n: u64| Some(n).filter(|n| *n > 0);
    short(given(of.gpu_milli), given(of.cpu_milli), given(of.mem_bytes))
}

/// Short bounds; `-` for none.
fn bounds(of: &Bounds) -> String {
    short(of.gpu_milli, of.cpu_milli, of.mem_bytes)
}

fn short(gpu: Option<u64>, cpu: Option<u64>, mem: Option<u64>) -> String {
    let parts = [
        gpu.map(|n| format!("gpu {}", format_gpu(n))),
        cpu.map(|n| format!("cpu {}", format_cpu(n))),
        mem.map(|n| format!("mem {}", format_bytes(n))),
    ];
    let parts: Vec<String> = parts.into_iter().flatten().collect();
    if parts.is_empty() { "-".to_owned() } else { parts.join(" ") }
}

/// One weight if it is the same for all: `2`, else `gpu 2 cpu 1 mem 1`.
pub fn weights(of: &Weights) -> String {
    let Weights { cpu, mem, gpu } = of;
    match cpu == mem && cpu == gpu {
        true => format_gpu(*cpu),
        false => {
            format!("gpu {} cpu {} mem {}", format_gpu(*gpu), format_gpu(*cpu), format_gpu(*mem))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::Wall;
    use crate::model::job::Hold;
    use crate::model::team::Terms;
    use crate::model::window::InForce;
    use crate::view::line::plain;
    use crate::view::sample::at;

    fn row(name: &str) -> TeamRow {
        TeamRow {
            name: name.into(),
            terms: Terms::default(),
            paused: None,
            window: None,
            held: Resources::default(),
            firm: Resources::default(),
            pending: Resources::default(),
            share: None,
            running: 0,
            queued: 0,
            over_since: None,
            owed_since: None,
            next_victim: None,
        }
    }

    fn page(teams: Vec<TeamRow>) -> TeamPage {
        TeamPage { teams, openings: Vec::new(), seq: 1, at: at(0) }
    }

    fn busy() -> TeamRow {
        let quota = Bounds { gpu_milli: Some(8000), ..Bounds::default() };
        let gpus = |n: u64| Resources { gpu_milli: n * 1000, ..Resources::default() };
        TeamRow {
            terms: Terms { quota, weight: Weights::all(2000), ..Terms::default() },
            held: gpus(9),
            firm: gpus(3),
            pending: gpus(4),
            share: Some(gpus(8)),
            running: 2,
            queued: 1,
            over_since: Some(at(0)),
            ..row("org/m")
        }
    }

    #[test]
    fn a_weight_is_one_number_if_it_is_the_same_for_all() {
        assert_eq!(weights(&Weights::all(500)), "0.5");
        let uneven = Weights { gpu: 2500, ..Weights::default() };
        assert_eq!(weights(&uneven), "gpu 2.5 cpu 1 mem 1");
    }

    #[test]
    fn a_lone_user_never_sees_teams() {
        let lines = plain(&teams(&page(vec![row("default")]), &Sight::utc(at(0)), None));
        assert_eq!(lines.lines().count(), 1, "{lines}");
    }

    #[test]
    fn an_open_window_says_until_when_and_what_comes_after() {
        let own = Terms {
            quota: Bounds { gpu_milli: Some(2000), ..Bounds::default() },
            ..Terms::default()
        };
        let until = Wall(at(0).wall.0 + 3 * 3_600_000);
        let window = InForce { name: "day".into(), zone: "Europe/Berlin".into(), until, own };
        let row = TeamRow { window: Some(Box::new(window)), ..busy() };
        let lines = plain(&teams(&page(vec![row.clone()]), &Sight::utc(at(0)), None));
        assert!(lines.contains("window day until 17:00 Berlin"), "{lines}");
        let lines = plain(&team(&row, &Sight::utc(at(0))));
        assert!(lines.contains("from 17:00 Berlin: quota gpu 2, limit -"), "{lines}");
    }

    #[test]
    fn the_tree_shows_what_is_owed_held_and_wanted() {
        let hold = Hold { by: "ana".into(), since: at(0), until: None, reason: Some("x".into()) };
        let paused = TeamRow { paused: Some(hold), ..row("default") };
        let page = page(vec![paused, row("org"), busy()]);
        insta::assert_snapshot!(plain(&teams(&page, &Sight::utc(at(0)), None)), @r"
        TEAM     HOLDS  QUOTA  SHARE  LIMIT  WANTS  RUN  WAIT
        default  -      -             -      -        0     0  paused by ana: x
        org      -      -             -      -        0     0
          m      gpu 9  gpu 8  gpu 8  -      gpu 4    2     1  over since 13:00, weight 2
        ");
        insta::assert_snapshot!(plain(&team(&busy(), &Sight::utc(at(0)))), @r"
        team org/m
        quota                 gpu 8
        limit                 no bound
        weight                2
        priority              100
        preempt min. runtime  as above it
        reclaim min. runtime  as above it
        holds                 gpu 9
        of that firm          gpu 3
        wants                 gpu 4
        fair share            gpu 8
        jobs                  2 running, 1 waiting for room
        over since 13:00, weight 2
        ");
    }
}
