//! `pause` and `resume` of jobs, a team, or everything.

use clap::Args;

use crate::base::{Name, Wall, moment};
use crate::cli::args::target::Target;
use crate::cli::clock;
use crate::cli::exit::{Failure, OK, Outcome};
use crate::cli::session::Session;
use crate::cli::targets::Many;
use crate::cli::verbs::act::act;
use crate::link::Link;
use crate::model::command::Verb;
use crate::model::page::Ended;

/// `pause`.
#[derive(Debug, Args)]
#[command(after_help = "A resumable or checkpointed job parks and frees everything; any other \
                        freezes where it stands. `team:ml` and `all` need a reason.")]
pub struct Pause {
    #[command(flatten)]
    which: Many,
    /// Lifts by itself at this time: 08:00, `tomorrow 08:00`, +2h
    #[arg(long, value_name = "TIME")]
    until: Option<String>,
    /// Why
    #[arg(long, value_name = "TEXT")]
    reason: Option<String>,
}

/// `resume`.
#[derive(Debug, Args)]
pub struct Resume {
    #[command(flatten)]
    which: Many,
}

/// What a hold is about.
#[derive(Debug, PartialEq, Eq)]
enum Scope {
    Jobs,
    /// A team, or everything.
    Team(Option<Name>),
}

/// A team or `all` stands alone; nodes are drained, not paused.
fn scope(which: &Many) -> Result<Scope, Failure> {
    let wide = |target: &&Target| matches!(target, Target::Team(_) | Target::All | Target::Node(_));
    let Some(found) = which.targets.iter().find(wide) else { return Ok(Scope::Jobs) };
    if which.targets.len() > 1 {
        let what = format!("`{found}` cannot stand beside other targets");
        return Err(Failure::usage(what, "use one command for each"));
    }
    match found {
        Target::Team(name) => Ok(Scope::Team(Some(name.clone()))),
        Target::Node(name) => Err(Failure::usage(
            format!("`node:{name}` is a node"),
            format!("keep work away from it: holdshort drain {name}"),
        )),
        _ => Ok(Scope::Team(None)),
    }
}

impl Pause {
    /// Refuses what makes no sense.
    ///
    /// # Errors
    /// A usage failure.
    pub fn check(&self) -> Result<(), Failure> {
        self.until()?;
        match scope(&self.which)? {
            Scope::Jobs => Ok(()),
            Scope::Team(_) => self.required_reason().map(drop),
        }
    }

    fn required_reason(&self) -> Result<String, Failure> {
        self.reason.clone().filter(|text| !text.trim().is_empty()).ok_or_else(|| {
            Failure::usage(
                "a team or everything is paused only with a reason",
                "--reason 'disk swap until 14:00'",
            )
        })
    }

    /// Holds them back.
    ///
    /// # Errors
    /// The server's, no confirmation, or a missing reason.
    pub async fn run(self, session: &Session, link: &dyn Link) -> Outcome {
        let until = self.until()?;
        match scope(&self.which)? {
            Scope::Jobs => {
                let verb = Verb::Pause { until, reason: self.reason };
                act(session, link, &self.which, verb, Ended::None, "pause").await
            }
            Scope::Team(team) => {
                let reason = self.required_reason()?;
                link.pause(team, until, reason).await?;
                Ok(OK)
            }
        }
    }

    fn until(&self) -> Result<Option<Wall>, Failure> {
        let now = clock::wall();
        let parse = |text: &String| moment::parse(text, now, &chrono::Local);
        let until = self.until.as_ref().map(parse).transpose();
        let until = until.map_err(|problem| Failure::usage(format!("--until: {problem}"), ""))?;
        if until.is_some_and(|until| until <= now) {
            return Err(Failure::usage("--until is over already", "--until +2h"));
        }
        Ok(until)
    }
}

impl Resume {
    /// Lifts it.
    ///
    /// # Errors
    /// The server's, or no confirmation.
    pub async fn run(self, session: &Session, link: &dyn Link) -> Outcome {
        match scope(&self.which)? {
            Scope::Jobs => {
                act(session, link, &self.which, Verb::Resume, Ended::None, "resume").await
            }
            Scope::Team(team) => {
                link.resume(team).await?;
                Ok(OK)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn scope_of(words: &[&str]) -> Result<Scope, Failure> {
        let targets = words.iter().map(|word| word.parse().unwrap()).collect();
        scope(&Many { targets, ..Many::default() })
    }

    #[test]
    fn a_team_and_everything_stand_alone_and_a_node_is_drained() {
        assert_eq!(scope_of(&["1", "2"]), Ok(Scope::Jobs));
        assert_eq!(scope_of(&["team:ml"]), Ok(Scope::Team(Some("ml".into()))));
        assert_eq!(scope_of(&["all"]), Ok(Scope::Team(None)));
        assert!(scope_of(&["all", "1"]).is_err());
        assert!(scope_of(&["node:n1"]).unwrap_err().hint.contains("drain n1"));
    }
}
