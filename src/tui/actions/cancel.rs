//! Ending jobs: the question before it, and the one place from which it is done.

use crate::base::{JobId, Span, duration};
use crate::model::State;
use crate::model::command::Verb;
use crate::tui::actions::act;
use crate::tui::app::App;
use crate::tui::event::{Deed, Effect};
use crate::tui::popups::{Confirm, Then};
use crate::view::line::{Line, Role};
use crate::view::words;

/// The question before jobs are cancelled; it names whose they are and what would be lost.
pub fn question(app: &App, jobs: Vec<JobId>) -> Confirm {
    let title = headline(app, "CANCEL", &jobs);
    let now = app.ground.known.clock.console();
    Confirm::new(title, jobs.clone(), Then::Cancel(jobs), now)
}

/// How long a cancellation can be taken back, by anybody. The server keeps the time: it stands
/// if the console dies.
pub const GRACE: Span = Span::secs(5);

/// It was confirmed: the only place in the console that cancels.
pub fn confirmed(app: &mut App, jobs: Vec<JobId>, out: &mut Vec<Effect>) {
    app.perform(Deed::Act { jobs, verb: Verb::CancelIn { after: GRACE, reason: None } }, out);
}

/// `CANCEL 42 fix-auth`, `CANCEL 12 JOBS`.
pub fn headline(app: &App, what: &str, jobs: &[JobId]) -> String {
    match jobs {
        [job] => {
            let name = app.ground.known.row(*job).map(|row| row.name.to_string());
            format!("{what} {job} {}", name.unwrap_or_default())
        }
        jobs => format!("{what} {} JOBS", jobs.len()),
    }
}

/// Owner, what it holds, how long it ran, whether that comes back.
pub fn losses(app: &App, jobs: &[JobId]) -> Vec<Line> {
    let [job] = jobs else { return act::list(app, jobs) };
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
