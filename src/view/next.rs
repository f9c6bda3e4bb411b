//! What happens next with a job, or what its end means: the last column of a row.

use crate::base::{At, duration, text};
use crate::model::State;
use crate::model::finding::Level;
use crate::model::job::{FailureClass, Outcome, StopFor};
use crate::model::page::{JobRow, Lane, is_stuck};
use crate::model::reason::Code;
use crate::view::sight::Sight;
use crate::view::words;

/// Columns of a row for why a job could not be started.
const NOT_STARTED_WIDTH: usize = 64;

/// The sentence for a row; of a step first whose it is.
pub fn next(row: &JobRow, sight: &Sight) -> String {
    let said = of_job(row, sight);
    match (row.step, row.parent) {
        (Some(review), Some(parent)) => format!("step of {parent} for {review}: {said}"),
        _ => said,
    }
}

fn of_job(row: &JobRow, sight: &Sight) -> String {
    if let Some(at) = row.cancel_at {
        return format!("cancelled in {}", duration::short(at.since(sight.now.wall)));
    }
    if let Some(prompt) = row.prompt.as_ref().filter(|_| row.lane == Lane::Human) {
        return words::quote(&prompt.text);
    }
    match &row.state {
        State::Ended(outcome) => ended(row, *outcome),
        // Its process waits for an answer and holds all it has.
        State::Running if row.reason.code == Code::InReview => words::reason(&row.reason, sight),
        State::Running => running(row, sight),
        State::Stopping(why) => match why {
            StopFor::Pause => "parks, then is paused".to_owned(),
            StopFor::Requeue if row.evicted_by.is_none() => {
                "stops, then is queued again".to_owned()
            }
            why => match &row.evicted_by {
                Some(by) => format!("stops: {}", words::event::evicted_by(by)),
                None => format!("stops: {}", words::state::stop(*why)),
            },
        },
        _ => waiting(row, sight),
    }
}

/// Why it waits, after when it will probably start.
fn waiting(row: &JobRow, sight: &Sight) -> String {
    let reason = words::reason(&row.reason, sight);
    let evicted = row.evicted_by.as_ref().map(words::event::evicted_by);
    let said: Vec<String> = start(row, sight).into_iter().chain(evicted).collect();
    if said.is_empty() { reason } else { format!("{}: {reason}", said.join(", ")) }
}

/// When it will start. Room that is kept is a promise, a forecast a guess: a guess that is later
/// than what is promised is not said beside it, and the same time is said once.
fn start(row: &JobRow, sight: &Sight) -> Vec<String> {
    let guess = row.expected_start.as_ref();
    if row.state == State::InReview {
        let kept_on = row.kept.as_ref().map_or(&[][..], |kept| &kept.nodes);
        let back = guess.map(|guess| words::back(guess, kept_on, sight));
        return back.into_iter().collect();
    }
    let Some(kept) = &row.kept else {
        return guess.map(|guess| words::forecast(guess, sight)).into_iter().collect();
    };
    let promise = words::kept(kept, sight);
    match guess.filter(|guess| guess.to <= kept.from) {
        None => vec![promise],
        Some(guess) => {
            let guess = words::forecast(guess, sight);
            match guess.ends_with(&sight.day(kept.from)) {
                true => vec![format!("{guess}, room kept from then on")],
                false => vec![guess, promise],
            }
        }
    }
}

/// The sentence for a row among the stuck ones: the worst finding.
pub fn trouble(row: &JobRow, sight: &Sight) -> String {
    let alarming = row.findings.iter().filter(|found| is_stuck(std::slice::from_ref(found)));
    let worst = alarming.max_by_key(|found| found.level);
    worst.map_or_else(|| words::reason(&row.reason, sight), |found| words::finding(found, sight))
}

fn running(row: &JobRow, sight: &Sight) -> String {
    let mut parts = Vec::new();
    if row.gang_running < row.gang.size && row.gang.size > 1 {
        parts.push(format!("{} of {} tasks", row.gang_running, row.gang.size));
    }
    if let Some(progress) = &row.progress {
        parts.extend(progress.basis_points.map(words::percent));
        parts.extend(progress.text.as_deref().map(words::quote));
    }
    if let Some(at) = row.expected_end {
        let over = at <= sight.now.wall;
        let late = || format!("should have ended {}", sight.day(at));
        parts.push(if over { late() } else { format!("ends ~{}", sight.day(at)) });
    }
    let notice = row.findings.iter().filter(|found| found.acked.is_none());
    let notice = notice.max_by_key(|found| found.level);
    if let Some(found) = notice.filter(|found| parts.is_empty() || found.level > Level::Notice) {
        parts.push(words::finding::noticed(found.signal).to_owned());
    }
    if parts.is_empty() { "no end known".to_owned() } else { parts.join(", ") }
}

fn ended(row: &JobRow, outcome: Outcome) -> String {
    let how = row.exit.as_ref().map(words::exit);
    let said = match (outcome, how) {
        (Outcome::Succeeded, _) => "ok".to_owned(),
        (Outcome::Failed(FailureClass::Exit | FailureClass::Signal), Some(how)) => how.into_owned(),
        (Outcome::Failed(FailureClass::CannotStart), Some(how)) => {
            // `show` has all of it.
            text::cut(&how, NOT_STARTED_WIDTH).into_owned()
        }
        (Outcome::Failed(_) | Outcome::TimedOut | Outcome::Lost, _) => brief(outcome).to_owned(),
        (Outcome::Cancelled, Some(how)) => format!("cancelled, {how}"),
        (outcome, _) => words::state::outcome(outcome).to_owned(),
    };
    let tried = row.attempt;
    let tries = if tried > 1 { format!(", attempt {tried}") } else { String::new() };
    let took = took(row.started, row.ended).map_or_else(String::new, |t| format!(", took {t}"));
    format!("{said}{tries}{took}")
}

/// The part of an outcome that its state word does not say.
fn brief(outcome: Outcome) -> &'static str {
    let long = words::state::outcome(outcome);
    long.split_once(": ").map_or(long, |(_, rest)| rest)
}

fn took(started: Option<At>, ended: Option<At>) -> Option<String> {
    Some(duration::short(ended?.now.since(started?.now)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::{JobId, ReviewId, Span, Wall};
    use crate::model::estimate::Forecast;
    use crate::model::fact::Rule;
    use crate::model::finding::Signal;
    use crate::model::job::{Exit, Gang, Progress};
    use crate::model::page::EvictedBy;
    use crate::model::page::KeptRoom;
    use crate::view::sample::{NOON, asking, at, ended, finding, queued, running};

    #[test]
    fn each_state_says_what_comes() {
        let sight = Sight::utc(at(90_000));
        let said = |row: &JobRow| next(row, &sight);
        assert_eq!(said(&asking(1, "a", "A or B?\x07")), "\"A or B?␇\"");
        assert_eq!(said(&queued(1, "a")), "waits for room");
        let (from, to) = (Wall(NOON) + Span::mins(85), Wall(NOON) + Span::mins(110));
        let mut row = queued(1, "a");
        row.expected_start = Some(Forecast { from, to, hits_percent: Some(90), guess: false });
        assert_eq!(said(&row), "starts 14:25–14:50: waits for room");
        row.evicted_by = Some(EvictedBy { rule: Rule::Preempt, taker: Some(JobId(12)), by: None });
        let evicted = "starts 14:25–14:50, evicted by 12 (preempt): waits for room";
        assert_eq!(said(&row), evicted);
        row.state = State::Stopping(StopFor::Preempt);
        assert_eq!(said(&row), "stops: evicted by 12 (preempt)");
        let mut row = running(1, "a");
        assert_eq!(said(&row), "no end known");
        (row.step, row.parent) = (Some(ReviewId(17)), Some(JobId(7)));
        assert_eq!(said(&row), "step of 7 for R17: no end known");
        (row.step, row.parent) = (None, None);
        row.expected_end = Some(Wall(NOON) + Span::hours(2));
        assert_eq!(said(&row), "ends ~15:00");
        row.expected_end = Some(Wall(NOON));
        row.gang = Gang { size: 4, min: 1 };
        row.progress = Some(Progress { basis_points: Some(4200), text: None, at: at(0) });
        assert_eq!(said(&row), "1 of 4 tasks, 42%, should have ended 13:00");
        row.findings = vec![finding(Signal::LimitNear, Level::Suspect)];
        assert!(said(&row).ends_with("is close to its time limit"));
        assert_eq!(trouble(&row, &sight), "is close to its time limit");
    }

    #[test]
    fn a_promise_and_a_guess_do_not_contradict_each_other() {
        let sight = Sight::utc(at(90_000));
        let wall = |mins| Wall(NOON) + Span::mins(mins);
        let mut row = queued(1, "a");
        let mut said = |from, to, kept| {
            row.expected_start =
                Some(Forecast { from: wall(from), to: wall(to), hits_percent: None, guess: false });
            row.kept = Some(KeptRoom { from: wall(kept), nodes: Vec::new() });
            next(&row, &sight)
        };
        assert_eq!(said(85, 85, 55), "room kept from 13:55: waits for room");
        assert_eq!(said(60, 85, 85), "starts 14:00–14:25, room kept from then on: waits for room");
        assert_eq!(said(60, 85, 95), "starts 14:00–14:25, room kept from 14:35: waits for room");
    }

    #[test]
    fn an_end_says_how_and_how_long() {
        let sight = Sight::utc(at(90_000));
        let said = |outcome, exit| next(&ended(1, "a", outcome, exit), &sight);
        let failed = Outcome::Failed;
        assert_eq!(said(Outcome::Succeeded, Some(Exit::Code(0))), "ok, took 59s");
        assert_eq!(said(failed(FailureClass::Exit), Some(Exit::Code(1))), "exit 1, took 59s");
        let missing = Exit::NotStarted("no such file".into());
        let said_missing = said(failed(FailureClass::CannotStart), Some(missing));
        assert_eq!(said_missing, "not started: no such file, took 59s");
        assert_eq!(said(Outcome::TimedOut, None), "it reached its time limit, took 59s");
        assert_eq!(said(Outcome::Cancelled, None), "cancelled, took 59s");
    }
}
