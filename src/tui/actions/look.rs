//! What changes nothing but what is seen.

use crate::link::STOPPED;
use crate::tui::app::App;
use crate::tui::event::Effect;
use crate::tui::panes::{Command, Kind, Motion};
use crate::tui::popups::ask::About;
use crate::tui::popups::{Ask, Help, Palette, Popup};
use crate::tui::section::Section;
use crate::tui::theme::{self, BUILT_IN};

type Out = Vec<Effect>;
type Condition = Result<(), String>;

/// Nothing stands against it.
pub fn always(_: &App) -> Condition {
    Ok(())
}

/// A job is chosen.
pub fn has_job(app: &App) -> Condition {
    if app.jobs().is_empty() { Err("no job is chosen".to_owned()) } else { Ok(()) }
}

/// The job asked something.
pub fn has_review(app: &App) -> Condition {
    app.target().review.map(|_| ()).ok_or_else(|| "it asked nothing".to_owned())
}

/// The chosen job has a terminal.
pub fn has_terminal(app: &App) -> Condition {
    let job = app.target().job.ok_or_else(|| "no job is chosen".to_owned())?;
    match app.ground.known.row(job) {
        Some(row) if !row.pty => Err(format!("{job} has no terminal; l shows its output")),
        _ => Ok(()),
    }
}

macro_rules! conditions {
    ($($(#[$doc:meta])* $name:ident = $command:expr,)*) => {
        $($(#[$doc])* pub fn $name(app: &App) -> Condition {
            app.front().map_or(Ok(()), |pane| pane.can(&$command, &app.ground))
        })*
    };
}

conditions! {
    /// Something is searched for.
    can_match = Command::Match(true),
    /// There is an end to follow.
    can_follow = Command::Follow,
    /// There is more than one attempt.
    can_attempt = Command::Attempt,
    /// There is more than one task.
    can_rank = Command::Rank,
}

/// Something is marked.
pub fn has_marks(app: &App) -> Condition {
    if app.ground.marks.is_empty() { Err("nothing is marked".to_owned()) } else { Ok(()) }
}

/// To the next thing that needs somebody.
pub fn next_needing(app: &mut App, _: &mut Out) {
    if !app.command(&Command::NextNeeding) {
        app.ground.say("nothing needs you");
    }
}

/// Opens what is chosen.
pub fn open(app: &mut App, _: &mut Out) {
    if app.command(&Command::Open) {
        return;
    }
    let target = app.target();
    if target.review.is_some() {
        return app.open_about(Kind::Review, &target);
    }
    let node = target.node.map(|node| format!("node={node}"));
    match (target.job, target.team.map(|team| format!("team={team}")).or(node)) {
        (Some(job), _) => app.open(Kind::Job, Some(job)),
        (None, Some(filter)) => {
            app.stack.truncate(1);
            app.command(&Command::Filter(filter));
            app.command(&Command::Narrow(None));
        }
        (None, None) => app.ground.say("nothing is chosen"),
    }
}

/// One step back: a filter, a pane; never out of the console.
pub fn back(app: &mut App, _: &mut Out) {
    app.back();
}

/// Closes the pane; the last one is the console itself.
pub fn close(app: &mut App, out: &mut Out) {
    if app.stack.len() > 1 {
        app.stack.pop();
    } else {
        app.leave(out);
    }
}

macro_rules! opens {
    ($($(#[$doc:meta])* $name:ident = $kind:ident,)*) => {
        $($(#[$doc])* pub fn $name(app: &mut App, _: &mut Out) {
            let job = app.target().job;
            app.open(Kind::$kind, job);
        })*
    };
}

opens! {
    /// Output of the chosen job.
    log = Log,
    /// Terminal of the chosen job.
    terminal = Terminal,
    /// Everything about the chosen job.
    job = Job,
}

/// Nodes and countable resources.
pub fn nodes(app: &mut App, _: &mut Out) {
    app.open(Kind::Nodes, None);
}

/// Somebody made a team: who is alone never sees one.
pub fn has_teams(app: &App) -> Condition {
    match app.ground.known.summary.as_ref().is_some_and(|summary| summary.teams) {
        true => Ok(()),
        false => Err("there are no teams here".to_owned()),
    }
}

/// Who holds, borrows, is owed.
pub fn teams(app: &mut App, _: &mut Out) {
    app.open(Kind::Teams, None);
}

/// What runs until when.
pub fn hours(app: &mut App, _: &mut Out) {
    app.open(Kind::Hours, None);
}

/// Facts as they come.
pub fn events(app: &mut App, _: &mut Out) {
    app.open(Kind::Events, None);
}

/// What the console said.
pub fn messages(app: &mut App, _: &mut Out) {
    app.open(Kind::Messages, None);
}

macro_rules! commands {
    ($($(#[$doc:meta])* $name:ident = $command:expr,)*) => {
        $($(#[$doc])* pub fn $name(app: &mut App, _: &mut Out) {
            app.command(&$command);
        })*
    };
}

commands! {
    /// Every section.
    narrow_0 = Command::Narrow(None),
    /// What waits on people.
    narrow_1 = Command::Narrow(Some(Section::People)),
    /// What is stuck.
    narrow_2 = Command::Narrow(Some(Section::Stuck)),
    /// What runs.
    narrow_3 = Command::Narrow(Some(Section::Running)),
    /// What waits for room.
    narrow_4 = Command::Narrow(Some(Section::Queued)),
    /// What ended.
    narrow_5 = Command::Narrow(Some(Section::Ended)),
    /// Everything that ended, or only what is new.
    all_ended = Command::AllEnded,
    /// Another order.
    order = Command::Order,
    /// Folds or unfolds.
    fold = Command::Fold,
    /// Marks or unmarks.
    mark = Command::Mark,
    /// To the next match.
    match_next = Command::Match(true),
    /// To the match before.
    match_before = Command::Match(false),
    /// Follows the end, or stays.
    follow = Command::Follow,
    /// Less time.
    nearer = Command::Zoom(true),
    /// More time.
    farther = Command::Zoom(false),
    /// Breaks long lines, or not.
    wrap = Command::Wrap,
    /// The time before each line, or not.
    stamps = Command::Stamps,
    /// Another attempt.
    attempt = Command::Attempt,
    /// Another task.
    rank = Command::Rank,
}

macro_rules! motions {
    ($($(#[$doc:meta])* $name:ident = $motion:expr,)*) => {
        $($(#[$doc])* pub fn $name(app: &mut App, _: &mut Out) {
            app.go($motion);
        })*
    };
}

motions! {
    /// One line down.
    down = Motion::Lines(1),
    /// One line up.
    up = Motion::Lines(-1),
    /// One page down.
    page_down = Motion::Halves(2),
    /// One page up.
    page_up = Motion::Halves(-2),
    /// Half a page down.
    half_down = Motion::Halves(1),
    /// Half a page up.
    half_up = Motion::Halves(-1),
    /// To the first line.
    first = Motion::First,
    /// To the last line.
    last = Motion::Last,
    /// To the right.
    right = Motion::Side(1),
    /// To the left.
    left = Motion::Side(-1),
}

/// Removes all marks.
pub fn unmark(app: &mut App, _: &mut Out) {
    app.ground.marks.clear();
}

/// Opens the line for a filter or a search. It begins empty: what is in force stays until
/// something else is typed, and `Enter` on nothing ends it.
pub fn filter(app: &mut App, _: &mut Out) {
    let now = app.front().and_then(|pane| pane.filter()).unwrap_or("").to_owned();
    let about = match app.kind() {
        Kind::Home => About::Filter(now.clone()),
        _ => About::Search(now.clone()),
    };
    app.popup = Some(Popup::Ask(Ask::new(about, "")));
}

/// Copies what is chosen.
pub fn copy(app: &mut App, out: &mut Out) {
    /// Terminals drop longer texts without a word.
    const LONGEST: usize = 74_000;
    match app.front().and_then(|pane| pane.copy(&app.ground)) {
        Some((text, what)) if text.len() <= LONGEST => {
            app.ground.say(format!("copied {what}"));
            out.push(Effect::Copy(text));
        }
        Some((_, what)) => app.ground.say(format!("{what} is too long for the clipboard")),
        None => app.ground.say("nothing here to copy"),
    }
}

/// Times in UTC, or local.
pub fn utc(app: &mut App, _: &mut Out) {
    app.ground.utc = !app.ground.utc;
    app.ground.say(if app.ground.utc { "times are in UTC" } else { "times are local" });
}

/// Takes or leaves the mouse.
pub fn mouse(app: &mut App, out: &mut Out) {
    app.ground.mouse = !app.ground.mouse;
    let on = app.ground.mouse;
    app.ground.say(if on {
        "the mouse is used here; hold shift to select text"
    } else {
        "the mouse is left to the terminal"
    });
    out.push(Effect::Mouse(on));
}

/// The next theme.
pub fn theme(app: &mut App, out: &mut Out) {
    let now = &app.ground.options.theme.name;
    let at = BUILT_IN.iter().position(|(name, _)| name == now).map_or(0, |at| at + 1);
    let name = BUILT_IN.get(at % BUILT_IN.len()).map_or("terminal", |(name, _)| name);
    if let Ok(theme) = theme::load(name) {
        app.ground.options.theme = theme.at(app.ground.options.depth);
        app.ground.say(format!("theme {name}"));
        out.push(Effect::Redraw);
    }
}

/// Somebody stopped the server, and this console may start it.
pub fn is_stopped(app: &App) -> Condition {
    app.ground.start_key().ok_or_else(|| "this console starts no server".to_owned())?;
    match app.ground.known.lost() {
        Some((_, why)) if why.contains(STOPPED) => Ok(()),
        Some(_) => Err("the server was not stopped; it is looked for".to_owned()),
        None => Err("it runs".to_owned()),
    }
}

/// Starts it.
pub fn start_server(app: &mut App, out: &mut Out) {
    app.ground.say("starting the server…");
    out.push(Effect::Start);
}

/// Draws anew.
pub fn redraw(_: &mut App, out: &mut Out) {
    out.push(Effect::Redraw);
}

/// To the shell.
pub fn suspend(_: &mut App, out: &mut Out) {
    out.push(Effect::Suspend);
}

/// Every action by name.
pub fn palette(app: &mut App, _: &mut Out) {
    app.popup = Some(Popup::Palette(Palette::default()));
}

/// The keys that work here.
pub fn help(app: &mut App, _: &mut Out) {
    app.popup = Some(Popup::Help(Help::new(app.kind())));
}

/// Leaves.
pub fn quit(app: &mut App, out: &mut Out) {
    app.leave(out);
}
