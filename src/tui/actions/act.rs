//! What asks the server for something. Conditions say in words why a key does nothing.

use std::collections::{BTreeMap, BTreeSet};

use crate::base::JobId;
use crate::model::State;
use crate::model::command::{Change, Verb};
use crate::model::page::JobRow;
use crate::model::setup::Tier;
use crate::tui::actions::cancel;
use crate::tui::app::App;
use crate::tui::event::{Deed, Effect};
use crate::tui::feed::deeds::applies;
use crate::tui::panes::home::is_bad;
use crate::tui::panes::{Command, Elements};
use crate::tui::popups::ask::About;
use crate::tui::popups::confirm::Whole;
use crate::tui::popups::{Ask, Confirm, Popup, Then};
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
    act(app, "PAUSE", Verb::Pause { until: None, reason: None }, out);
}

/// The jobs are held.
pub fn can_resume(app: &App) -> Condition {
    state(app, |row| if row.hold.is_some() { Ok(()) } else { Err("is not paused") })
}

/// Lifts the hold.
pub fn resume(app: &mut App, out: &mut Out) {
    act(app, "RESUME", Verb::Resume, out);
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
    ask(app, "CANCEL", cancel::verb());
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
    ask(app, "STOP AND QUEUE AGAIN", Verb::Requeue);
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
    ask(app, "TAKE THE ROOM OF", Verb::Preempt);
}

/// Submits the chosen job once more.
pub fn again(app: &mut App, out: &mut Out) {
    match app.jobs().as_slice() {
        [job] if app.is_plain() && app.folded().is_none() => {
            let deed = Deed::Again(*job);
            app.perform(deed, out);
        }
        [job] => {
            let title = cancel::headline(app, "SUBMIT AGAIN", &[*job]);
            let now = app.ground.known.clock.console();
            let ask = Confirm::new(title, vec![*job], Then::Do(Deed::Again(*job)), now);
            app.popup = Some(Popup::Confirm(ask));
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
    act(app, "MOVE UP", Verb::Next, out);
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
    let mut moved: BTreeMap<Tier, Vec<JobId>> = BTreeMap::new();
    for job in app.jobs() {
        let Some(row) = app.ground.known.row(job) else { continue };
        let now = Tier::of(row.priority);
        let at = Tier::ALL.iter().position(|tier| *tier == now).unwrap_or(0);
        match at.checked_add_signed(by).and_then(|at| Tier::ALL.get(at)) {
            Some(tier) => moved.entry(*tier).or_default().push(job),
            None => app.ground.say(format!("{job} is already {}", now.word())),
        }
    }
    let set =
        |tier: Tier| Verb::Set(Change { priority: Some(tier.priority()), ..Change::default() });
    let what = if by > 0 { "ONE TIER UP:" } else { "ONE TIER DOWN:" };
    match moved.iter().next() {
        None => {}
        // Jobs that come to one tier are one act, which one key takes back.
        Some((tier, jobs)) if moved.len() == 1 && *jobs == app.jobs() => {
            act(app, what, set(*tier), out);
        }
        Some(_) => {
            let all: Vec<JobId> = moved.values().flatten().copied().collect();
            let title = cancel::headline(app, what, &all);
            let deeds = moved.into_iter().map(|(tier, jobs)| Deed::Act { jobs, verb: set(tier) });
            let then = Then::All(deeds.collect());
            let now = app.ground.known.clock.console();
            app.popup = Some(Popup::Confirm(Confirm::new(title, all, then, now)));
        }
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
    act(app, "SEEN:", Verb::Ack, out);
}

/// A node is chosen.
pub fn can_drain(app: &App) -> Condition {
    app.target().node.map(|_| ()).ok_or_else(|| "no node is chosen".to_owned())
}

/// Asks why, then drains the node; or takes that back at once.
pub fn drain(app: &mut App, out: &mut Out) {
    let Some(node) = app.target().node else { return };
    let summary = app.ground.known.summary.as_ref();
    let row = summary.and_then(|summary| summary.nodes.iter().find(|row| row.name == node));
    let on = row.is_none_or(|row| row.drain.is_none());
    if on {
        app.popup = Some(Popup::Ask(Ask::new(About::Drain(node), "")));
    } else {
        app.perform(Deed::Drain { node, on, reason: None }, out);
    }
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

/// Does it with the one job that is chosen at once; asks where it is several, where the marks are
/// not what one looks at, or where the row stands for an array.
fn act(app: &mut App, what: &str, verb: Verb, out: &mut Out) {
    let jobs = app.jobs();
    if jobs.len() == 1 && app.is_plain() && app.folded().is_none() {
        app.perform(Deed::Act { jobs, verb }, out);
        return;
    }
    ask(app, what, verb);
}

/// Asks before it is done.
fn ask(app: &mut App, what: &str, verb: Verb) {
    let jobs = app.jobs();
    let title = cancel::headline(app, what, &jobs);
    let now = app.ground.known.clock.console();
    let then = match &verb {
        Verb::CancelIn { .. } => Then::Cancel(jobs.clone()),
        _ => Then::Do(Deed::Act { jobs: jobs.clone(), verb: verb.clone() }),
    };
    let question = Confirm::new(title, jobs, then, now);
    app.popup = Some(Popup::Confirm(match whole(app, verb) {
        Some(whole) => question.or_whole(whole),
        None => question,
    }));
}

/// The array the chosen row stands for, as what could be meant instead of its first element.
fn whole(app: &App, verb: Verb) -> Option<Whole> {
    let Elements { array, open, .. } = app.folded()?;
    // What a filter hides of it is not here to be counted.
    let open = open || app.front().and_then(|pane| pane.filter()).is_some_and(|f| !f.is_empty());
    let known = &app.ground.known;
    let rows = known.slices.values().flat_map(|slice| &slice.rows);
    let of_it = |row: &&JobRow| row.array.is_some_and(|place| place.id == array);
    let hit: BTreeSet<JobId> =
        rows.filter(of_it).filter(|row| applies(&verb, row)).map(|row| row.id).collect();
    let beyond = known.slices.values().any(|slice| {
        let live = slice.rows.first().is_some_and(|row| row.ended.is_none());
        live && (slice.more || slice.above)
    });
    let count = Some(hit.len()).filter(|count| !open && !beyond && *count > 1);
    Some(Whole { array, count, then: Then::Do(Deed::Array { array, verb }) })
}
