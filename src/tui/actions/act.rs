//! What asks the server for something. Conditions say in words why a key does nothing.

use crate::base::JobId;
use crate::model::State;
use crate::model::command::{Change, Verb};
use crate::model::page::JobRow;
use crate::model::setup::Tier;
use crate::tui::actions::cancel;
use crate::tui::app::App;
use crate::tui::event::{Deed, Effect};
use crate::tui::panes::Command;
use crate::tui::panes::home::is_bad;
use crate::tui::popups::ask::About;
use crate::tui::popups::{Ask, Confirm, Popup, Then};
use crate::view::line::Line;
use crate::view::line::Role;
use crate::view::words::counted;

type Out = Vec<Effect>;
type Condition = Result<(), String>;

/// The condition of a verb: of a single known job its state decides, of many the server does.
fn state(app: &App, fits: fn(&JobRow) -> Result<(), &'static str>) -> Condition {
    let jobs = app.jobs();
    match jobs.as_slice() {
        [] => Err("no job is chosen".to_owned()),
        [job] => match app.ground.known.row(*job) {
            Some(row) => fits(row).map_err(|why| format!("{job} {why}")),
            None => Ok(()),
        },
        _ => Ok(()),
    }
}

fn live(row: &JobRow) -> Result<(), &'static str> {
    if matches!(row.state, State::Ended(_)) { Err("has ended") } else { Ok(()) }
}

/// The job can be typed to.
pub fn can_send(app: &App) -> Condition {
    let job = app.target().job.ok_or_else(|| "no job is chosen".to_owned())?;
    let Some(row) = app.ground.known.row(job) else { return Ok(()) };
    match (&row.state, row.pty) {
        (State::Ended(_), _) => Err(format!("{job} has ended")),
        (_, false) => Err(format!("{job} has no terminal, so it cannot be answered")),
        (State::Running | State::Stopping(_), true) => Ok(()),
        _ => Err(format!("{job} does not run")),
    }
}

/// Opens the line for an answer; it goes to the job that is chosen now.
pub fn send(app: &mut App, _: &mut Out) {
    let Some(job) = app.target().job else { return };
    let row = app.ground.known.row(job);
    let rank = row.and_then(|row| row.prompt.as_ref()).map_or(0, |prompt| prompt.rank);
    let name = row.map(|row| row.name.to_string()).unwrap_or_default();
    app.popup = Some(Popup::Ask(Ask::new(About::Answer { job, rank, name }, "")));
}

/// The jobs are not held and have not ended.
pub fn can_pause(app: &App) -> Condition {
    state(app, |row| match row.hold {
        Some(_) => Err("is already paused; R resumes it"),
        None => live(row),
    })
}

/// Holds the jobs back.
pub fn pause(app: &mut App, out: &mut Out) {
    many(app, "PAUSE", Verb::Pause { until: None, reason: None }, out);
}

/// The jobs are held.
pub fn can_resume(app: &App) -> Condition {
    state(app, |row| if row.hold.is_some() { Ok(()) } else { Err("is not paused") })
}

/// Lifts the hold.
pub fn resume(app: &mut App, out: &mut Out) {
    many(app, "RESUME", Verb::Resume, out);
}

/// The jobs can be ended.
pub fn can_cancel(app: &App) -> Condition {
    state(app, |row| match row.cancel_at {
        Some(_) => Err("is about to be cancelled; u keeps it"),
        None => live(row),
    })
}

/// Asks, then ends the jobs.
pub fn cancel(app: &mut App, _: &mut Out) {
    let jobs = app.jobs();
    app.popup = Some(Popup::Confirm(cancel::question(app, jobs)));
}

/// The jobs hold processes that can be stopped.
pub fn can_requeue(app: &App) -> Condition {
    state(app, |row| match row.state {
        State::Running | State::Starting | State::Paused => Ok(()),
        State::Ended(_) => Err("has ended; A submits it again"),
        _ => Err("has nothing to stop"),
    })
}

/// Asks, then sends the jobs back to the queue.
pub fn requeue(app: &mut App, _: &mut Out) {
    let jobs = app.jobs();
    let title = cancel::headline(app, "STOP AND QUEUE AGAIN", &jobs);
    let then = Then::Do(Deed::Act { jobs: jobs.clone(), verb: Verb::Requeue });
    let now = app.ground.known.clock.console();
    app.popup = Some(Popup::Confirm(Confirm::new(title, jobs, then, now)));
}

/// The jobs hold room that others could have.
pub fn can_preempt(app: &App) -> Condition {
    state(app, |row| match row.state {
        State::Running | State::Starting => Ok(()),
        State::Ended(_) => Err("has ended"),
        State::Stopping(_) => Err("gives its room back already"),
        _ => Err("has no room to give"),
    })
}

/// Asks, then makes the jobs give their room to others.
pub fn preempt(app: &mut App, _: &mut Out) {
    let jobs = app.jobs();
    let title = cancel::headline(app, "TAKE THE ROOM OF", &jobs);
    let then = Then::Do(Deed::Act { jobs: jobs.clone(), verb: Verb::Preempt });
    let now = app.ground.known.clock.console();
    app.popup = Some(Popup::Confirm(Confirm::new(title, jobs, then, now)));
}

/// Submits the chosen job once more.
pub fn again(app: &mut App, out: &mut Out) {
    match app.jobs().as_slice() {
        [job] => {
            let deed = Deed::Again(*job);
            app.perform(deed, out);
        }
        jobs => {
            let text =
                format!("{} are marked; A takes one at a time", counted(jobs.len() as u64, "job"));
            app.ground.say(text);
        }
    }
}

/// The jobs wait or run.
pub fn can_move(app: &App) -> Condition {
    state(app, live)
}

/// To the front of the team.
pub fn next(app: &mut App, out: &mut Out) {
    many(app, "MOVE UP", Verb::Next, out);
}

/// One tier up.
pub fn tier_up(app: &mut App, out: &mut Out) {
    tier(app, 1, out);
}

/// One tier down.
pub fn tier_down(app: &mut App, out: &mut Out) {
    tier(app, -1, out);
}

fn tier(app: &mut App, by: isize, out: &mut Out) {
    for job in app.jobs() {
        let Some(row) = app.ground.known.row(job) else { continue };
        let now = Tier::of(row.priority);
        let at = Tier::ALL.iter().position(|tier| *tier == now).unwrap_or(0);
        let Some(tier) = at.checked_add_signed(by).and_then(|at| Tier::ALL.get(at)) else {
            app.ground.say(format!("{job} is already {}", now.word()));
            continue;
        };
        let change = Change { priority: Some(tier.priority()), ..Change::default() };
        app.perform(Deed::Act { jobs: vec![job], verb: Verb::Set(change) }, out);
    }
}

/// The jobs have something to be seen.
pub fn can_ack(app: &App) -> Condition {
    state(app, |row| {
        let open = row.findings.iter().any(|found| found.acked.is_none());
        let ended = is_bad(row) && row.acked.is_none();
        if open || ended { Ok(()) } else { Err("has no alarm") }
    })
}

/// Marks them as seen.
pub fn ack(app: &mut App, out: &mut Out) {
    let jobs = app.jobs();
    app.perform(Deed::Act { jobs, verb: Verb::Ack }, out);
}

/// A node is chosen.
pub fn can_drain(app: &App) -> Condition {
    app.target().node.map(|_| ()).ok_or_else(|| "no node is chosen".to_owned())
}

/// Drains the node, or takes that back.
pub fn drain(app: &mut App, out: &mut Out) {
    let Some(node) = app.target().node else { return };
    let summary = app.ground.known.summary.as_ref();
    let row = summary.and_then(|summary| summary.nodes.iter().find(|row| row.name == node));
    let on = row.is_none_or(|row| row.drain.is_none());
    app.perform(Deed::Drain { node, on }, out);
}

/// Nothing is paused as a whole.
pub fn can_pause_all(app: &App) -> Condition {
    match paused(app) {
        true => Err("everything is already paused".to_owned()),
        false => Ok(()),
    }
}

/// Asks for the reason, then pauses everything.
pub fn pause_all(app: &mut App, _: &mut Out) {
    app.popup = Some(Popup::Ask(Ask::new(About::PauseAll, "")));
}

/// Everything is paused.
pub fn can_resume_all(app: &App) -> Condition {
    if paused(app) { Ok(()) } else { Err("nothing is paused as a whole".to_owned()) }
}

/// Lifts that.
pub fn resume_all(app: &mut App, out: &mut Out) {
    app.perform(Deed::ResumeAll, out);
}

fn paused(app: &App) -> bool {
    app.ground.known.summary.as_ref().is_some_and(|summary| summary.paused.is_some())
}

/// The program can be typed to.
pub fn can_type(app: &App) -> Condition {
    can_send(app)
}

/// Types to it from now on.
pub fn start_typing(app: &mut App, out: &mut Out) {
    app.command(&Command::Type);
    let sized = app.stack.last_mut().map(|pane| pane.resized()).unwrap_or_default();
    out.extend(sized);
}

/// Does it with one job at once, with several after a question.
fn many(app: &mut App, what: &str, verb: Verb, out: &mut Out) {
    let jobs = app.jobs();
    let deed = Deed::Act { jobs: jobs.clone(), verb };
    if jobs.len() < 2 {
        app.perform(deed, out);
        return;
    }
    let title = cancel::headline(app, what, &jobs);
    let now = app.ground.known.clock.console();
    let ask = Confirm::new(title, jobs, Then::Do(deed), now);
    app.popup = Some(Popup::Confirm(ask));
}

/// The first of many jobs by name.
pub fn list(app: &App, jobs: &[JobId]) -> Vec<Line> {
    const SHOWN: usize = 5;
    let mut lines = Vec::new();
    for job in jobs.iter().take(SHOWN) {
        let row = app.ground.known.row(*job);
        let name = row.map_or_else(String::new, |row| format!("{} of {}", row.name, row.owner));
        lines.push(Line::of(format!("{job} {name}"), Role::Plain));
    }
    let more = jobs.len().saturating_sub(SHOWN);
    if more > 0 {
        lines.push(Line::of(format!("and {more} more"), Role::Muted));
    }
    lines
}
