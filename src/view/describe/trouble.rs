//! What is wrong with a job that runs, and what one can do about it: said with `why`.

use crate::model::Finding;
use crate::model::finding::{Level, Signal};
use crate::model::page::JobRow;
use crate::view::line::{Line, Role};
use crate::view::sight::Sight;
use crate::view::words;

/// A line for each finding and one for what helps, worst first; none if nothing is wrong.
pub fn trouble(row: &JobRow, sight: &Sight) -> Vec<Line> {
    let mut findings: Vec<&Finding> = row.findings.iter().collect();
    findings.sort_by_key(|found| (std::cmp::Reverse(found.level), found.signal));
    let mut lines = Vec::new();
    for found in findings {
        let role = if found.level > Level::Notice { Role::Stuck } else { Role::Plain };
        let since = sight.since(found.since.now);
        let said =
            format!("{} since {since}: {}", found.level.word(), words::finding(found, sight));
        let line = Line::of("  ", Role::Muted).then(said, role);
        lines.push(line.then(format!(" ({})", found.signal.word()), Role::Muted));
        lines.push(Line::of(format!("  what helps: {}", help(found.signal, row)), Role::Muted));
    }
    lines
}

fn help(signal: Signal, row: &JobRow) -> String {
    let id = row.id;
    match signal {
        Signal::NeverFits => format!("holdshort again {id} with less, or cancel it"),
        Signal::NeverStarted if row.pty => {
            format!("look at its terminal (holdshort attach {id}); requeue starts it anew")
        }
        Signal::NeverStarted => format!(
            "holdshort logs {id} and its processes on {}; requeue starts it anew",
            if row.nodes.is_empty() { "its node".to_owned() } else { row.nodes.join(", ") }
        ),
        Signal::LimitNear => {
            format!("holdshort set {id} time-limit=6h, or let it end")
        }
        Signal::Idle => {
            format!("holdshort attach {id} or holdshort send {id} brings it back")
        }
        Signal::Unhealthy => format!("it starts again by itself; holdshort logs {id}"),
        Signal::LongRunning => {
            format!("holdshort set {id} time-limit=24h; holdshort ack {id} if it is meant so")
        }
        Signal::DeadlineAtRisk if row.started.is_none() => {
            format!("holdshort next {id}, a higher priority, or holdshort set {id} deadline=18:00")
        }
        Signal::DeadlineAtRisk => format!("holdshort set {id} deadline=18:00, or let it be late"),
        Signal::Unasked => format!("holdshort attach {id}, or holdshort send {id} TEXT"),
        Signal::ReviewAgeing => {
            let review = first_review(row);
            format!("holdshort show {review}, then approve, deny or extend it")
        }
        Signal::ResumeLoop => {
            format!("holdshort logs {id}: why it does not do what it may; cancel ends it")
        }
        Signal::DeniedAgain => {
            let review = first_review(row);
            format!("holdshort deny {review} --stop --reason … ends it; holdshort logs {id}")
        }
        Signal::NobodyTold => {
            let review = first_review(row);
            format!("holdshort show {review}; then see to [[notify]] in the configuration")
        }
        Signal::StepLost => {
            format!("look at what it was about (holdshort show {id}); it is not done again")
        }
    }
}

/// A review of it as one types it.
fn first_review(row: &JobRow) -> String {
    row.open_reviews.first().map_or_else(|| "REVIEW".to_owned(), ToString::to_string)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::view::line::plain;
    use crate::view::sample::{at, finding, queued, running};

    #[test]
    fn what_is_wrong_comes_worst_first_with_what_helps() {
        let mut row = running(219, "crawl");
        row.findings = vec![
            finding(Signal::LongRunning, Level::Notice),
            finding(Signal::NeverStarted, Level::Stuck),
        ];
        insta::assert_snapshot!(plain(&trouble(&row, &Sight::utc(at(48 * 60_000)))), @r"
          stuck since 48m: started and has given no sign of life (never_started)
          what helps: holdshort logs 219 and its processes on n1; requeue starts it anew
          notice since 48m: has no time limit and runs very long (long_running)
          what helps: holdshort set 219 time-limit=24h; holdshort ack 219 if it is meant so
        ");
        assert_eq!(trouble(&queued(1, "a"), &Sight::utc(at(0))), []);
    }
}
