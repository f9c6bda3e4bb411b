//! What asks the server for something with a team; each of it says first what it would mean.

use crate::base::Name;
use crate::model::page::TeamRow;
use crate::model::team::{TeamEdit, TermsChange};
use crate::tui::app::App;
use crate::tui::event::{Deed, Effect};
use crate::tui::popups::ask::About;
use crate::tui::popups::{Ask, Confirm, Popup, Then};
use crate::view::line::{Line, Role};
use crate::view::standing::{Shared, quota_change};
use crate::view::words::counted;

type Out = Vec<Effect>;
type Condition = Result<(), String>;

fn row(app: &App) -> Option<&TeamRow> {
    named(app, &app.target().team?)
}

fn named<'a>(app: &'a App, team: &str) -> Option<&'a TeamRow> {
    let page = app.ground.known.teams.as_ref()?;
    page.teams.iter().find(|row| *row.name == *team)
}

fn chosen(app: &App) -> Result<&TeamRow, String> {
    row(app).ok_or_else(|| "no team is chosen".to_owned())
}

/// A team is chosen and not paused.
pub fn can_pause(app: &App) -> Condition {
    match chosen(app)?.paused {
        Some(_) => Err("it is already paused; R resumes it".to_owned()),
        None => Ok(()),
    }
}

/// Asks why, and then whether.
pub fn pause(app: &mut App, _: &mut Out) {
    let Some(team) = app.target().team else { return };
    app.popup = Some(Popup::Ask(Ask::new(About::PauseTeam(team), "")));
}

/// A team is chosen and paused.
pub fn can_resume(app: &App) -> Condition {
    match chosen(app)?.paused {
        Some(_) => Ok(()),
        None => Err("it is not paused".to_owned()),
    }
}

/// Lifts the hold.
pub fn resume(app: &mut App, out: &mut Out) {
    if let Some(team) = app.target().team {
        app.perform(Deed::ResumeTeam(team), out);
    }
}

/// A team is chosen.
pub fn can_edit(app: &App) -> Condition {
    chosen(app).map(|_| ())
}

/// Takes a line with what it shall be owed, and then asks whether.
pub fn quota(app: &mut App, _: &mut Out) {
    let Some(row) = row(app) else { return };
    let quota = &row.terms.quota;
    let key = |what: Shared| what.word().to_lowercase();
    let said = |what: Shared| Some(format!("{}={}", key(what), what.figure(what.bound(quota)?)));
    let now: Vec<String> = Shared::ALL.into_iter().filter_map(said).collect();
    let ask = Ask::new(About::Quota(row.name.clone()), &now.join(","));
    app.popup = Some(Popup::Ask(ask));
}

/// The question before something is done with a team.
pub fn question(app: &App, deed: Deed) -> Confirm {
    let (title, about) = match &deed {
        Deed::PauseTeam { team, reason } => {
            (format!("PAUSE TEAM {team}"), pausing(named(app, team), reason))
        }
        Deed::PauseAll { reason } => ("PAUSE EVERYTHING".to_owned(), pausing_all(app, reason)),
        Deed::EditTeam { team, edit } => (format!("QUOTA OF {team}"), editing(app, team, edit)),
        _ => ("DO IT".to_owned(), vec![Line::of("nothing more is known here", Role::Muted)]),
    };
    let now = app.ground.known.clock.console();
    Confirm::new(title, Vec::new(), Then::Do(deed), now).saying(about)
}

fn editing(app: &App, team: &Name, edit: &TeamEdit) -> Vec<Line> {
    let row = named(app, team);
    let before = row.map(|row| row.terms.quota).unwrap_or_default();
    let quota = match edit {
        TeamEdit::Set(TermsChange { quota, .. }) | TeamEdit::Add(TermsChange { quota, .. }) => {
            quota.over(before)
        }
        TeamEdit::Remove => before,
    };
    quota_change(team, row, &quota)
}

fn pausing_all(app: &App, reason: &str) -> Vec<Line> {
    let counts = app.ground.known.counts();
    // Whoever waits at a prompt holds room and is stopped as well.
    let running = counts.running + counts.human;
    let text = format!(
        "{} running or at a prompt: parked if it can resume, else frozen",
        counted(running, "job")
    );
    let lost = "what is parked loses its work since it last saved itself";
    let mut lines = vec![Line::of(format!("because: {reason}"), Role::Plain)];
    lines.push(Line::of(text, if running > 0 { Role::NeedsYou } else { Role::Plain }));
    lines.extend((running > 0).then(|| Line::of(lost, Role::Bad)));
    lines.push(Line::of(format!("{} waiting: not started", counts.queued), Role::Plain));
    lines.push(Line::of("u or :resume-all lifts it", Role::Muted));
    lines
}

fn pausing(row: Option<&TeamRow>, reason: &str) -> Vec<Line> {
    let mut lines = vec![Line::of(format!("because: {reason}"), Role::Plain)];
    if let Some(row) = row {
        let text = format!(
            "{} of it running: parked if it can resume, else frozen",
            counted(row.running, "job")
        );
        lines.push(Line::of(text, if row.running > 0 { Role::NeedsYou } else { Role::Plain }));
        lines.push(Line::of(format!("{} waiting: not started", row.queued), Role::Plain));
    }
    lines.push(Line::of("R in this pane lifts it", Role::Muted));
    lines
}
