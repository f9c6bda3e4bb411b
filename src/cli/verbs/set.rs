//! `set T priority=… team=… time-limit=… deadline=… preemptible=…`.

use clap::Args;

use crate::base::{duration, moment};
use crate::cli::args::target::Target;
use crate::cli::args::values;
use crate::cli::clock;
use crate::cli::exit::{Failure, Outcome};
use crate::cli::session::Session;
use crate::cli::targets::Many;
use crate::cli::verbs::act::act;
use crate::link::Link;
use crate::model::command::{Change, Verb};
use crate::model::page::Ended;

/// `set`.
#[derive(Debug, Args)]
#[command(override_usage = "holdshort set [OPTIONS] <JOB>... <KEY=VALUE>...")]
pub struct Set {
    /// Jobs, then what changes: priority=300, tier=batch, team=ml, time-limit=2h or none,
    /// deadline=18:00 or none, preemptible=yes or no
    #[arg(value_name = "JOB|KEY=VALUE", required = true)]
    words: Vec<String>,
    /// Every live job that matches: 'team=ml state=queued'
    #[arg(long = "where", value_name = "FILTER")]
    filter: Option<String>,
    /// Why; kept in the journal
    #[arg(long, value_name = "TEXT")]
    reason: Option<String>,
    /// Do not ask how many jobs are meant
    #[arg(long, short = 'y')]
    yes: bool,
}

impl Set {
    /// Refuses what makes no sense.
    ///
    /// # Errors
    /// A usage failure.
    pub fn check(&self) -> Result<(), Failure> {
        self.read().map(drop)
    }

    /// Changes jobs.
    ///
    /// # Errors
    /// The server's, no confirmation, or a senseless change.
    pub async fn run(self, session: &Session, link: &dyn Link) -> Outcome {
        let (which, change) = self.read()?;
        let verb = Verb::Set(change).because(self.reason);
        act(session, link, &which, verb, Ended::None, "change").await
    }

    fn read(&self) -> Result<(Many, Change), Failure> {
        let (pairs, targets): (Vec<_>, Vec<_>) = self.words.iter().partition(|w| w.contains('='));
        let mut change = Change::default();
        for pair in &pairs {
            let (key, value) = pair.split_once('=').unwrap_or((pair, ""));
            one(&mut change, key, value)?;
        }
        if change == Change::default() {
            return Err(Failure::usage("nothing to change", "holdshort set 42 priority=300"));
        }
        let targets: Result<Vec<Target>, String> = targets.iter().map(|w| w.parse()).collect();
        let targets = targets.map_err(|problem| Failure::usage(problem, ""))?;
        if targets.is_empty() == self.filter.is_none() {
            return Err(Failure::usage(
                "either jobs or --where says whom to change",
                "holdshort set 42 priority=300",
            ));
        }
        Ok((Many { targets, filter: self.filter.clone(), yes: self.yes }, change))
    }
}

fn one(change: &mut Change, key: &str, value: &str) -> Result<(), Failure> {
    let bad = |problem: String| Failure::usage(format!("{key}={value}: {problem}"), "");
    match key {
        "priority" => change.priority = Some(values::priority(value).map_err(bad)?),
        "tier" => change.priority = Some(values::tier(value).map_err(bad)?.priority()),
        "team" => change.team = Some(values::team(value).map_err(bad)?),
        "time-limit" | "time_limit" => {
            change.time_limit = Some(match value {
                "none" | "" => None,
                text => Some(duration::parse(text).map_err(bad)?),
            });
        }
        "deadline" => {
            let now = clock::wall();
            let parse = |text: &str| moment::parse(text, now, &chrono::Local).map_err(bad);
            let deadline = match value {
                "none" | "" => None,
                text => Some(parse(text)?),
            };
            if deadline.is_some_and(|deadline| deadline <= now) {
                return Err(bad("that is over already".to_owned()));
            }
            change.deadline = Some(deadline);
        }
        "preemptible" => {
            change.preemptible = Some(match value {
                "yes" | "true" => true,
                "no" | "false" => false,
                _ => return Err(bad("write yes or no".to_owned())),
            });
        }
        _ => {
            return Err(Failure::usage(
                format!("`{key}` cannot be changed"),
                "there are priority, tier, team, time-limit, deadline and preemptible; `again` \
                 makes a changed copy",
            ));
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::{JobId, Span};

    fn read(words: &[&str]) -> Result<(Many, Change), Failure> {
        let words = words.iter().map(|w| (*w).to_owned()).collect();
        Set { words, filter: None, reason: None, yes: false }.read()
    }

    #[test]
    fn jobs_and_changes_come_in_any_order() {
        let (which, change) = read(&[
            "priority=300",
            "42",
            "#43",
            "time-limit=none",
            "team=ml",
            "deadline=none",
            "preemptible=yes",
        ])
        .unwrap();
        assert_eq!(which.targets, [42, 43].map(|n| Target::Job(JobId(n))));
        let wanted = Change {
            priority: Some(300),
            team: Some("ml".into()),
            time_limit: Some(None),
            deadline: Some(None),
            preemptible: Some(true),
        };
        assert_eq!(change, wanted);
        assert_eq!(read(&["1", "tier=batch"]).unwrap().1.priority, Some(100));
        let limit = read(&["1", "time-limit=90s"]).unwrap().1.time_limit;
        assert_eq!(limit, Some(Some(Span::secs(90))));
    }

    #[test]
    fn senseless_changes_are_refused() {
        for words in [
            ["42"].as_slice(),
            &["priority=300"],
            &["42", "priority=high"],
            &["42", "priority=1001"],
            &["42", "deadline=soonish"],
            &["42", "deadline=2001-01-01T00:00:00Z"],
            &["42", "preemptible=maybe"],
            &["42", "colour=red"],
            &["fortytwo", "priority=3"],
        ] {
            assert_eq!(read(words).unwrap_err().code, crate::cli::exit::USAGE, "{words:?}");
        }
    }
}
