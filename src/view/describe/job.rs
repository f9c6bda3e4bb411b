//! Everything about a job, for `show`.

mod scheduling;

use super::sheet::Sheet;
use crate::base::{At, ReviewId, duration};
use crate::model::State;
use crate::model::finding::Level;
use crate::model::job::{AttemptRecord, DependencyKind, Exit, Outcome, Task};
use crate::model::page::{JobDetail, JobRow, Lane, is_stuck};
use crate::model::reason::Code;
use crate::model::review::{Step, StepState};
use crate::model::team::DEFAULT_TEAM;
use crate::view::line::{Cell, Line, Role};
use crate::view::sight::Sight;
use crate::view::table::{Column, Table};
use crate::view::words;

/// The lines of `show`.
pub fn job(detail: &JobDetail, sight: &Sight, room: Option<usize>) -> Vec<Line> {
    let mut sheet = Sheet::default();
    head(&mut sheet, &detail.row, sight);
    if let Some((eviction, at)) = &detail.evicted {
        sheet.pair("gave room", scheduling::evicted(eviction, *at, sight));
    }
    what(&mut sheet, detail);
    scheduling::scheduling(&mut sheet, detail);
    times(&mut sheet, detail, sight);
    said(&mut sheet, detail, sight);
    findings(&mut sheet, &detail.row, sight);
    if let Some(groups) = &detail.asked.groups {
        sheet.title("GROUPS");
        sheet.lines(scheduling::groups(groups, room));
    }
    if !detail.tasks.is_empty() {
        sheet.title("TASKS");
        sheet.lines(tasks(&detail.tasks, sight, room));
    }
    if !detail.steps.is_empty() {
        sheet.title("STEPS");
        sheet.lines(steps(detail, sight));
    }
    if !detail.attempts.is_empty() {
        sheet.title("PAST ATTEMPTS");
        sheet.lines(attempts(&detail.attempts, sight, room));
    }
    sheet.done()
}

fn head(sheet: &mut Sheet, row: &JobRow, sight: &Sight) {
    let role = match row.state {
        _ if is_stuck(&row.findings) => Role::Stuck,
        State::Ended(Outcome::Succeeded) => Role::Good,
        State::Ended(Outcome::Cancelled) => Role::Muted,
        State::Ended(_) => Role::Bad,
        _ if row.lane == Lane::Human => Role::NeedsYou,
        State::Running | State::Starting | State::Stopping(_) => Role::Running,
        _ => Role::Queued,
    };
    let title = Line::of(row.id.to_string(), Role::Id).then(format!(" {}", row.name), Role::Head);
    sheet.line(title);
    let state = words::state_long(&row.state, row.frozen);
    let since = sight.since(row.since.now);
    let ended = matches!(row.state, State::Ended(_));
    let age = if ended { format!("{since} ago") } else { format!("for {since}") };
    sheet.pair_as("state", format!("{state}, {age}"), role);
    if let Some(prompt) = row.prompt.as_ref().filter(|_| row.lane == Lane::Human) {
        let asked = sight.since(prompt.since.now);
        let text = format!("{} asked {asked} ago", words::quote(&prompt.text));
        sheet.pair_as("question", text, Role::NeedsYou);
        sheet.pair("answer with", format!("holdshort send {} TEXT", row.id));
    }
    if let Some(first) = row.open_reviews.first() {
        let names: Vec<String> = row.open_reviews.iter().map(ToString::to_string).collect();
        let text = format!("{}: holdshort show {first}", names.join(", "));
        sheet.pair_as("asks people", text, Role::NeedsYou);
    }
    // How it ended has a line of its own.
    if row.reason.code != Code::Ended {
        let reason = words::reason(&row.reason, sight);
        sheet.pair("why", reason);
        sheet.also(format!(" ({})", row.reason.code.word()));
    }
    if let Some(hold) = &row.hold {
        let until = hold.until.map_or_else(String::new, |at| format!(" until {}", sight.day(at)));
        let why = hold.reason.as_deref().map_or_else(String::new, |why| format!(": {why}"));
        sheet.pair("held by", format!("{}{until}{why}", hold.by));
    }
    sheet.maybe("ended with", row.exit.as_ref().map(words::exit));
    sheet.maybe("seen by", row.acked.as_deref());
}

fn what(sheet: &mut Sheet, detail: &JobDetail) {
    let row = &detail.row;
    if row.command.is_empty() {
        sheet.pair_as("command", "no longer kept", Role::Muted);
    } else {
        sheet.pair("command", words::command(&row.command));
    }
    sheet.pair("directory", row.cwd.as_str());
    sheet.pair("owner", row.owner.as_ref());
    if row.team.as_ref() != DEFAULT_TEAM {
        sheet.pair("team", row.team.as_ref());
    }
    sheet.pair("priority", words::urgency::priority(row));
    let each = words::amounts(&row.request);
    if detail.asked.groups.is_some() {
        let (size, min) = (row.gang.size, row.gang.min);
        sheet.pair("asks for", format!("{size} tasks in groups, at least {min} at once"));
    } else if row.gang.size > 1 {
        let tasks = format!("{} tasks, at least {} at once", row.gang.size, row.gang.min);
        sheet.pair("asks for", format!("{each} for each of {tasks}"));
    } else {
        sheet.pair("asks for", each);
    }
    if !row.holds.is_empty() {
        sheet.pair("holds", words::amounts(&row.holds));
    }
    if !row.nodes.is_empty() {
        sheet.pair("on", row.nodes.join(", "));
    }
    if let Some(place) = row.array {
        let most = place.throttle.map_or_else(String::new, |n| format!(", at most {n} at once"));
        sheet.pair("array", format!("{}, index {}{most}", place.id, place.index));
    }
    match (row.step, row.parent) {
        (Some(review), Some(parent)) => {
            sheet.pair("step of", format!("{parent}: does once what {review} approved"));
        }
        (_, parent) => sheet.maybe("parent", parent.map(|parent| parent.to_string())),
    }
    if !detail.after.is_empty() {
        sheet.pair("comes after", after(detail));
    }
    if !row.labels.is_empty() {
        let labels: Vec<_> = row.labels.iter().map(|(k, v)| format!("{k}={v}")).collect();
        sheet.pair("labels", labels.join(" "));
    }
    sheet.pair("way back", way_back(detail));
    let names = detail.env_names.len() as u64;
    sheet.pair("environment", words::counted(names, "variable"));
}

/// What was approved and is done by small jobs of its own.
fn steps(detail: &JobDetail, sight: &Sight) -> Vec<Line> {
    let line = |(review, step): &(ReviewId, Step)| {
        let role = match step.state {
            StepState::Done(0) => Role::Good,
            StepState::Done(_) | StepState::Lost => Role::Bad,
            _ => Role::Plain,
        };
        let came_to = words::review::step_came_to(step.job, &step.state);
        let since = sight.since(step.since.now);
        let line = Line::of(review.to_string(), Role::Id).then(format!(" {came_to}"), role);
        line.then(format!(", {since} ago"), Role::Muted)
    };
    detail.steps.iter().map(line).collect()
}

fn after(detail: &JobDetail) -> String {
    let word = |kind| match kind {
        DependencyKind::Ok => "",
        DependencyKind::Any => " however it ends",
        DependencyKind::Failed => " if it fails",
    };
    let each = detail.after.iter().map(|after| format!("{}{}", after.job, word(after.kind)));
    each.collect::<Vec<_>>().join(", ")
}

fn way_back(detail: &JobDetail) -> String {
    let mut ways = Vec::new();
    if detail.resumable {
        ways.push("resumes by itself".to_owned());
    }
    if detail.requeue {
        ways.push("may start again from the beginning".to_owned());
    }
    if detail.retry > 0 {
        ways.push(format!(
            "tried again up to {} after a failure",
            words::counted(u64::from(detail.retry), "time")
        ));
    }
    if ways.is_empty() { "none: it runs once".to_owned() } else { ways.join(", ") }
}

fn times(sheet: &mut Sheet, detail: &JobDetail, sight: &Sight) {
    let row = &detail.row;
    let ago = |at: At| format!("{} ({} ago)", sight.full(at.wall), sight.since(at.now));
    sheet.pair("submitted", ago(row.submitted));
    sheet.maybe("not before", detail.start_at.map(|at| sight.full(at)));
    sheet.maybe("started", row.started.map(ago));
    if row.attempt > 1 {
        sheet.pair("attempt", row.attempt.to_string());
    }
    sheet.maybe("ended", row.ended.map(ago));
    if !matches!(row.state, State::Ended(_)) {
        sheet.maybe("ends about", row.expected_end.map(|at| sight.day(at)));
    }
    if let Some(forecast) = &row.expected_start {
        let start = words::forecast(forecast, sight);
        sheet.pair("expected", format!("{start} ({})", words::worth(forecast)));
    }
    sheet.maybe("time limit", detail.time_limit.map(duration::exact));
    sheet.maybe("deadline", row.deadline.map(|at| sight.full(at)));
    sheet.maybe("estimate", detail.expected.as_ref().map(words::estimate));
}

/// What the job said of itself.
fn said(sheet: &mut Sheet, detail: &JobDetail, sight: &Sight) {
    if let Some(progress) = &detail.row.progress {
        let percent = progress.basis_points.map(words::percent);
        let text = progress.text.as_deref().map(words::quote);
        let parts: Vec<_> = percent.into_iter().chain(text).collect();
        let ago = sight.since(progress.at.now);
        sheet.pair("progress", format!("{} ({ago} ago)", parts.join(" ")));
    }
    if let Some(saved) = &detail.checkpoint {
        let path = saved.path.as_deref().map_or_else(String::new, |path| format!(" in {path}"));
        let ago = sight.since(saved.at.now);
        sheet.pair("checkpoint", format!("attempt {}, {ago} ago{path}", saved.attempt));
    }
    if !detail.usage.is_empty() {
        let used: Vec<_> = detail.usage.iter().map(|(k, n)| format!("{k} {n}")).collect();
        sheet.pair("used", used.join(", "));
    }
}

fn findings(sheet: &mut Sheet, row: &JobRow, sight: &Sight) {
    if row.findings.is_empty() {
        return;
    }
    sheet.title("FINDINGS");
    for found in &row.findings {
        let role = if found.level >= Level::Suspect { Role::Stuck } else { Role::Muted };
        let since = sight.since(found.since.now);
        let text = format!("{}, for {since}", words::finding(found, sight));
        sheet.pair_as(found.level.word(), text, role);
    }
}

fn tasks(tasks: &[Task], sight: &Sight, room: Option<usize>) -> Vec<Line> {
    let mut table = Table::new(vec![
        Column::number("RANK"),
        Column::fixed("STATE"),
        Column::text("NODE", 4, 24),
        Column::text("GPUS", 4, 24),
        Column::number("PID"),
        Column::number("FOR"),
        Column::text("ENDED WITH", 10, usize::MAX),
    ]);
    for task in tasks {
        let node = task.placement.as_ref().map_or("-", |placement| &placement.node);
        let shares = task.placement.iter().flat_map(|placement| &placement.gpus);
        let gpus: Vec<_> = shares
            .map(|share| match share.milli {
                1000.. => share.index.to_string(),
                part => format!("{}:{}", share.index, crate::base::quantity::format_gpu(part)),
            })
            .collect();
        let gpus = if gpus.is_empty() { "-".to_owned() } else { gpus.join(",") };
        let lasted = task.started.or(task.placed).map(|from| match task.ended {
            Some(to) => duration::short(to.now.since(from.now)),
            None => sight.since(from.now),
        });
        let pid = task.pid.map_or_else(|| "-".to_owned(), |pid| pid.to_string());
        table.row(vec![
            Cell::plain(task.rank.to_string()),
            Cell::plain(task.state.word()),
            Cell::plain(node),
            Cell::plain(gpus),
            Cell::plain(pid),
            Cell::plain(lasted.unwrap_or_else(|| "-".to_owned())),
            ended_with(task.exit.as_ref()),
        ]);
    }
    table.lines(room)
}

fn attempts(attempts: &[AttemptRecord], sight: &Sight, room: Option<usize>) -> Vec<Line> {
    let mut table = Table::new(vec![
        Column::number("ATTEMPT"),
        Column::fixed("STARTED"),
        Column::number("TOOK"),
        Column::text("ON", 4, 24),
        Column::text("ENDED WITH", 10, usize::MAX),
    ]);
    for attempt in attempts {
        let mut end = ended_with(attempt.exit.as_ref());
        if let Some(why) = attempt.stopped_for {
            end.text = format!("{}: {}", end.text, words::state::stop(why));
            end.role = Role::Muted;
        }
        let took = attempt.ended.now.since(attempt.started.now);
        table.row(vec![
            Cell::plain(attempt.attempt.to_string()),
            Cell::plain(sight.full(attempt.started.wall)),
            Cell::plain(duration::short(took)),
            Cell::plain(attempt.nodes.join(",")),
            end,
        ]);
    }
    table.lines(room)
}

fn ended_with(exit: Option<&Exit>) -> Cell {
    match exit {
        None => Cell::plain("-"),
        Some(exit) if exit.is_success() => Cell::new(words::exit(exit), Role::Good),
        Some(exit) => Cell::new(words::exit(exit), Role::Bad),
    }
}

#[cfg(test)]
#[path = "job/tests.rs"]
mod tests;
