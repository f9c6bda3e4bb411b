//! What happened to a job, oldest first: its facts as far back as they are at hand, and before
//! them what its record still says.

use crate::base::{At, JobId, Wall, text};
use crate::model::job::Outcome;
use crate::model::page::{EventRow, JobDetail};
use crate::model::{Fact, State};
use crate::view::describe::{event_line, event_time};
use crate::view::line::{Cell, Line, Role};
use crate::view::sight::Sight;
use crate::view::words;

/// Lines at most; the oldest go first.
const LINES_MAX: usize = 200;

/// The lines.
pub fn lines(detail: &JobDetail, facts: &[EventRow], sight: &Sight) -> Vec<Line> {
    let job = detail.row.id;
    let mine = facts.iter().enumerate();
    let mine = mine.filter(|(at, row)| tells(&row.fact) && !is_followed_by_more(facts, *at));
    let known_from = facts.first().map_or(Wall(i64::MAX), |row| row.at.wall);
    let mut lines: Vec<(Wall, Line)> = record(detail, sight)
        .into_iter()
        .filter(|(at, _)| at.wall < known_from)
        .map(|(at, line)| (at.wall, line))
        .collect();
    lines.sort_by_key(|(at, _)| *at);
    lines.extend(mine.map(|(_, row)| (row.at.wall, short(job, row, sight))));
    let over = lines.len().saturating_sub(LINES_MAX);
    lines.drain(..over);
    let mut lines: Vec<Line> = lines.into_iter().map(|(_, line)| line).collect();
    // Times stand below each other, whether they need a date or not.
    let time = |line: &Line| line.0.first().map_or(0, |time| text::width(&time.text));
    let wide = lines.iter().map(time).max().unwrap_or(0);
    for time in lines.iter_mut().filter_map(|line| line.0.first_mut()) {
        time.text = text::pad_left(&time.text, wide);
    }
    lines
}

/// A fact's line without what is said by standing here: the record's and the job's number.
fn short(job: JobId, row: &EventRow, sight: &Sight) -> Line {
    let itself = row.by.as_deref() == Some(format!("job {job}").as_str());
    let mut line = event_line(row, sight);
    if itself {
        line.0.truncate(3);
    }
    if let Some(number) = line.0.get_mut(1) {
        *number = Cell::plain("  ");
    }
    if let Some(said) = line.0.get_mut(2)
        && let Some(rest) = said.text.strip_prefix(&format!("{job} "))
    {
        said.text = rest.to_owned();
    }
    line
}

fn tells(fact: &Fact) -> bool {
    let said_again = matches!(fact, Fact::Review { fact, .. } if fact.is_said_again());
    !said_again && !matches!(fact, Fact::JobForgotten { .. } | Fact::KeyUsed { .. })
}

/// Of reports in a row only the last one tells something.
fn is_followed_by_more(facts: &[EventRow], at: usize) -> bool {
    let is_report = |row: Option<&EventRow>| {
        row.is_some_and(|row| matches!(row.fact, Fact::JobReported { .. }))
    };
    is_report(facts.get(at)) && is_report(facts.get(at + 1))
}

/// What the job's own record says of its past.
fn record(detail: &JobDetail, sight: &Sight) -> Vec<(At, Line)> {
    let row = &detail.row;
    let line = |at: At, text: String, role: Role| {
        let time = Line::of(event_time(at.wall, sight), Role::Muted);
        (at, time.then("  ", Role::Plain).then(text, role))
    };
    let mut lines = vec![line(row.submitted, format!("submitted by {}", row.owner), Role::Plain)];
    for past in &detail.attempts {
        let on = past.nodes.join(", ");
        lines.push(line(
            past.started,
            format!("attempt {} began on {on}", past.attempt),
            Role::Plain,
        ));
        let how =
            past.exit.as_ref().map_or_else(String::new, |exit| format!(": {}", words::exit(exit)));
        let good = past.exit.as_ref().is_some_and(|exit| exit.is_success());
        let role = if good { Role::Good } else { Role::Bad };
        lines.push(line(past.ended, format!("attempt {} ended{how}", past.attempt), role));
    }
    if let Some(started) = row.started.filter(|_| row.attempt > 0) {
        let past = detail.attempts.iter().any(|past| past.attempt == row.attempt);
        if !past {
            lines.push(line(started, format!("attempt {} began", row.attempt), Role::Running));
        }
    }
    if let Some(saved) = &detail.checkpoint {
        lines.push(line(saved.at, "saved itself".to_owned(), Role::Plain));
    }
    if let Some(prompt) = &row.prompt {
        lines.push(line(
            prompt.since,
            format!("asks {}", words::quote(&prompt.text)),
            Role::NeedsYou,
        ));
    }
    for found in &row.findings {
        lines.push(line(found.since, words::finding(found, sight), Role::Stuck));
    }
    if let (Some(ended), State::Ended(how)) = (row.ended, &row.state) {
        let role = if *how == Outcome::Succeeded { Role::Good } else { Role::Bad };
        lines.push(line(ended, words::state_long(&row.state, false), role));
    }
    lines
}
