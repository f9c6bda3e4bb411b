//! What a question names: the jobs, whose they are, and what ending them would cost.

use crate::base::{JobId, Span, duration};
use crate::model::page::JobRow;
use crate::model::{Resources, State};
use crate::tui::app::App;
use crate::view::line::{Line, Role};
use crate::view::words;

/// Jobs that are named one by one.
pub const NAMED: usize = 5;

/// Owner, what it holds, how long it ran, whether that comes back.
pub fn losses(app: &App, jobs: &[JobId]) -> Vec<Line> {
    let [job] = jobs else { return in_sum(app, jobs) };
    let Some(row) = app.ground.known.row(*job) else {
        return vec![Line::of("nothing is known about it here", Role::Muted)];
    };
    let mine = app.ground.options.user.as_deref() == Some(&*row.owner);
    let whose = if mine { "yours".to_owned() } else { format!("of {}", row.owner) };
    let mut lines = vec![Line::of(
        format!("{whose}, {}", words::state_long(&row.state, row.frozen)),
        if mine { Role::Plain } else { Role::NeedsYou },
    )];
    if let (Some(started), false) = (row.started, matches!(row.state, State::Ended(_))) {
        let ran = duration::short(app.ground.known.clock.at().now.since(started.now));
        let progress = row.progress.as_ref().and_then(|p| p.basis_points).map(words::percent);
        let far = progress.map_or_else(String::new, |percent| format!(" ({percent} done)"));
        lines.push(Line::of(format!("lost: {ran} of work{far}"), Role::Bad));
        let detail = app.ground.known.jobs.get(job);
        let saved = match detail.map(|detail| detail.checkpoint.as_ref()) {
            None => "asking for its last checkpoint…".to_owned(),
            Some(None) => "it has saved nothing".to_owned(),
            Some(Some(saved)) => {
                format!("it saved itself {} ago", app.ground.sight().since(saved.at.now))
            }
        };
        lines.push(Line::of(saved, Role::Muted));
    } else {
        lines.push(Line::of("lost: nothing has run yet", Role::Plain));
    }
    if !row.holds.is_empty() {
        lines.push(Line::of(format!("frees {}", words::amounts(&row.holds)), Role::Plain));
    }
    lines
}

/// How a job that is stopped comes back; nothing while that is not known.
pub fn way_back(app: &App, jobs: &[JobId]) -> Option<Line> {
    let [job] = jobs else { return None };
    let detail = app.ground.known.jobs.get(job)?;
    Some(match (detail.resumable || detail.checkpoint.is_some(), detail.requeue) {
        (true, _) => Line::of("queued again, it goes on from what it saved", Role::Plain),
        (false, true) => Line::of("queued again, it starts from the beginning", Role::Bad),
        (false, false) => Line::of("nothing says how it could come back", Role::Bad),
    })
}

/// The first of some jobs by name.
pub fn names(app: &App, jobs: &[JobId]) -> Vec<Line> {
    named(app, jobs, |_| String::new())
}

fn named(app: &App, jobs: &[JobId], more: impl Fn(&JobRow) -> String) -> Vec<Line> {
    let line = |job: &JobId| {
        let text = match app.ground.known.row(*job) {
            Some(row) => format!("{job} {} of {}{}", row.name, row.owner, more(row)),
            None => format!("{job}"),
        };
        Line::of(text, Role::Plain)
    };
    let mut lines: Vec<Line> = jobs.iter().take(NAMED).map(line).collect();
    let rest = jobs.len().saturating_sub(NAMED);
    if rest > 0 {
        lines.push(Line::of(format!("and {rest} more"), Role::Muted));
    }
    lines
}

/// How long a job has run in this attempt, if it did.
fn ran(app: &App, row: &JobRow) -> Option<Span> {
    let started = row.started.filter(|_| !matches!(row.state, State::Ended(_)))?;
    Some(app.ground.known.clock.at().now.since(started.now))
}

/// What several jobs lose: each of the first ones, and all together.
fn in_sum(app: &App, jobs: &[JobId]) -> Vec<Line> {
    let each = |row: &JobRow| {
        let Some(ran) = ran(app, row) else { return ": has not run".to_owned() };
        let detail = app.ground.known.jobs.get(&row.id);
        let saved = match detail.map(|detail| detail.checkpoint.as_ref()) {
            None => String::new(),
            Some(None) => ", saved nothing".to_owned(),
            Some(Some(saved)) => {
                format!(", saved {} ago", app.ground.sight().since(saved.at.now))
            }
        };
        format!(": ran {}{saved}", duration::short(ran))
    };
    let mut lines = named(app, jobs, each);
    let rows: Vec<&JobRow> = jobs.iter().filter_map(|job| app.ground.known.row(*job)).collect();
    let all = rows.iter().filter_map(|row| ran(app, row)).fold(0, |sum: u64, ran| sum + ran.0);
    let running = rows.iter().filter(|row| ran(app, row).is_some()).count() as u64;
    lines.push(match running {
        0 => Line::of("lost: nothing has run yet", Role::Plain),
        n => {
            let (all, of) = (duration::short(Span(all)), words::counted(n, "job"));
            Line::of(format!("lost: {all} of work of {of}, but for what they saved"), Role::Bad)
        }
    });
    let mut held = Resources::default();
    rows.iter().for_each(|row| held.add(&row.holds));
    if !held.is_empty() {
        lines.push(Line::of(format!("frees {}", words::amounts(&held)), Role::Plain));
    }
    if rows.len() < jobs.len() {
        let unknown = words::counted((jobs.len() - rows.len()) as u64, "job");
        lines.push(Line::of(format!("nothing is known here about {unknown}"), Role::Muted));
    }
    lines
}
