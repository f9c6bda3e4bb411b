//! `teams`, `team add|set|rm`, `quota`.

use clap::{Args, Subcommand};

use crate::api::wire::team::TeamList;
use crate::base::{Name, Span, duration};
use crate::cli::args::values;
use crate::cli::exit::{Failure, NOT_FOUND, OK, Outcome};
use crate::cli::session::Session;
use crate::cli::shown;
use crate::link::Link;
use crate::model::page::{TeamPage, TeamRow};
use crate::model::team::{BoundsChange, TeamEdit, TermsChange, WeightsChange};
use crate::view::describe;

/// `teams`.
#[derive(Debug, Args)]
#[command(after_help = "HOLDS, WANTS and the numbers of jobs are those of a team with all below \
                        it. `holdshort quota TEAM` shows one in full.")]
pub struct Teams {}

/// `team`.
#[derive(Debug, Args)]
pub struct Team {
    /// What to do.
    #[command(subcommand)]
    what: What,
}

#[derive(Debug, Subcommand)]
enum What {
    /// Add a team; those above it are made if they are missing
    Add(Edit),
    /// Change what a team is owed and may hold
    Set(Edit),
    /// Remove a team that has no live jobs and no teams below it
    Rm(Remove),
}

#[derive(Debug, Args)]
#[command(after_help = "Examples:
  holdshort team add org/ml --quota gpu=8,cpu=64,mem=256Gi --weight 2
  holdshort team set org/ml --limit gpu=16 --priority 200
  holdshort team set org/ml --quota gpu=none

Without a quota everything a team holds is within it; without a limit it may hold all there is.
Nothing is stopped by a change: it says who is owed and who is over from now on.")]
struct Edit {
    /// Its path: ml, org/ml/research
    #[arg(value_name = "TEAM", value_parser = values::team)]
    team: Name,
    #[command(flatten)]
    terms: TermsOptions,
}

#[derive(Debug, Args)]
struct Remove {
    /// Its path
    #[arg(value_name = "TEAM", value_parser = values::team)]
    team: Name,
}

#[derive(Debug, Clone, Default, PartialEq, Eq, Args)]
struct TermsOptions {
    /// What it is owed whenever it asks: gpu=8,cpu=64,mem=256Gi; `none` removes it
    #[arg(long, value_name = "RESOURCES", value_parser = str::parse::<BoundsChange>)]
    quota: Option<BoundsChange>,
    /// What it may never hold more than
    #[arg(long, value_name = "RESOURCES", value_parser = str::parse::<BoundsChange>)]
    limit: Option<BoundsChange>,
    /// Its part of what nobody is owed: 2, 0.5, or by resource gpu=2,cpu=1 [default: 1]
    #[arg(long, value_name = "WEIGHT", value_parser = str::parse::<WeightsChange>)]
    weight: Option<WeightsChange>,
    /// What nobody is owed goes to the highest first [default: 100]
    #[arg(long, value_name = "N", value_parser = values::priority)]
    priority: Option<u16>,
    /// How long a job runs at least before a more urgent one of its team may stop it, or `none`
    #[arg(long, value_name = "D", value_parser = span_or_none)]
    preempt_min_runtime: Option<SpanOrNone>,
    /// How long a job runs at least before another team may stop it, or `none`
    #[arg(long, value_name = "D", value_parser = span_or_none)]
    reclaim_min_runtime: Option<SpanOrNone>,
}

/// A length of time, or that of the team above.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct SpanOrNone(Option<Span>);

fn span_or_none(text: &str) -> Result<SpanOrNone, String> {
    match text {
        "none" => Ok(SpanOrNone(None)),
        text => duration::parse(text).map(|span| SpanOrNone(Some(span))),
    }
}

/// `quota`.
#[derive(Debug, Args)]
#[command(after_help = "Keys: gpu, cpu, mem (or quota.gpu …), limit.gpu …, weight or \
                        weight.gpu …, priority, preempt-min-runtime, reclaim-min-runtime; \
                        `none` removes a bound.

Examples:
  holdshort quota                     every team
  holdshort quota org/ml              one team in full
  holdshort quota org/ml gpu=8 limit.gpu=16")]
pub struct Quota {
    /// The team; without one every team is shown
    #[arg(value_name = "TEAM", value_parser = values::team)]
    team: Option<Name>,
    /// What changes; without any it is shown
    #[arg(value_name = "KEY=VALUE")]
    changes: Vec<String>,
}

impl Teams {
    /// Shows the tree.
    ///
    /// # Errors
    /// The server's.
    pub async fn run(self, session: &Session, link: &dyn Link) -> Outcome {
        show_all(session, &link.teams().await?)
    }
}

impl Team {
    /// Adds, changes or removes a team.
    ///
    /// # Errors
    /// The server's, or nothing to change.
    pub async fn run(self, _session: &Session, link: &dyn Link) -> Outcome {
        let (team, edit) = match self.what {
            What::Add(Edit { team, terms }) => (team, TeamEdit::Add(terms.change())),
            What::Set(Edit { team, terms }) => (team, TeamEdit::Set(terms.change())),
            What::Rm(Remove { team }) => (team, TeamEdit::Remove),
        };
        link.edit_team(team, edit).await?;
        Ok(OK)
    }

    /// Refuses what makes no sense.
    ///
    /// # Errors
    /// A usage failure.
    pub fn check(&self) -> Result<(), Failure> {
        match &self.what {
            What::Set(edit) if edit.terms.change().is_empty() => {
                Err(Failure::usage("nothing to change", "holdshort team set ml --quota gpu=8"))
            }
            _ => Ok(()),
        }
    }
}

impl TermsOptions {
    fn change(&self) -> TermsChange {
        TermsChange {
            quota: self.quota.unwrap_or_default(),
            limit: self.limit.unwrap_or_default(),
            weight: self.weight.unwrap_or_default(),
            priority: self.priority,
            preempt_min_runtime: self.preempt_min_runtime.map(|SpanOrNone(span)| span),
            reclaim_min_runtime: self.reclaim_min_runtime.map(|SpanOrNone(span)| span),
        }
    }
}

impl Quota {
    /// Refuses what makes no sense.
    ///
    /// # Errors
    /// A usage failure.
    pub fn check(&self) -> Result<(), Failure> {
        self.change().map(drop)
    }

    /// Shows or changes what teams are owed.
    ///
    /// # Errors
    /// The server's, or no such team.
    pub async fn run(self, session: &Session, link: &dyn Link) -> Outcome {
        let change = self.change()?;
        let Some(team) = self.team else { return show_all(session, &link.teams().await?) };
        if !change.is_empty() {
            link.edit_team(team, TeamEdit::Set(change)).await?;
            return Ok(OK);
        }
        let page = link.teams().await?;
        let known: Vec<TeamRow> =
            page.teams.iter().filter(|row| row.name == team).cloned().collect();
        let Some(row) = known.first() else {
            let names: Vec<&str> = page.teams.iter().map(|row| &*row.name).collect();
            let hint = format!("the teams are: {}", names.join(", "));
            return Err(Failure::new(NOT_FOUND, format!("there is no team {team}"), hint));
        };
        if session.globals.json {
            session.json(&TeamList::from(&TeamPage { teams: known, ..page }))?;
        } else {
            let lines = describe::team(row, &shown::sight(page.at));
            session.output.out(&shown::text(&lines, session.output))?;
        }
        Ok(OK)
    }

    fn change(&self) -> Result<TermsChange, Failure> {
        let mut change = TermsChange::default();
        for pair in &self.changes {
            let Some((key, value)) = pair.split_once('=') else {
                let what = format!("`{pair}` is no KEY=VALUE");
                return Err(Failure::usage(what, "holdshort quota ml gpu=8 limit.gpu=16"));
            };
            one(&mut change, key, value)
                .map_err(|why| Failure::usage(format!("{key}={value}: {why}"), ""))?;
        }
        Ok(change)
    }
}

/// Takes one pair into a change.
fn one(change: &mut TermsChange, key: &str, value: &str) -> Result<(), String> {
    let (kind, resource) = match key.split_once('.') {
        Some(parts) => parts,
        None if matches!(key, "gpu" | "cpu" | "mem") => ("quota", key),
        None => (key, ""),
    };
    let said = match resource {
        "" => value.to_owned(),
        resource => format!("{resource}={value}"),
    };
    let span = || span_or_none(value).map(|SpanOrNone(span)| Some(span));
    match kind {
        "quota" => change.quota.extend(said.parse()?),
        "limit" => change.limit.extend(said.parse()?),
        "weight" => change.weight.extend(said.parse()?),
        "priority" => change.priority = Some(values::priority(value)?),
        "preempt-min-runtime" => change.preempt_min_runtime = span()?,
        "reclaim-min-runtime" => change.reclaim_min_runtime = span()?,
        _ => return Err("there are gpu, cpu, mem, limit.gpu, weight, priority, …".to_owned()),
    }
    Ok(())
}

fn show_all(session: &Session, page: &TeamPage) -> Outcome {
    if session.globals.json {
        session.json(&TeamList::from(page))?;
    } else {
        let lines = describe::teams(page, &shown::sight(page.at), shown::room());
        session.output.out(&shown::text(&lines, session.output))?;
    }
    Ok(OK)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn change(pairs: &[&str]) -> Result<TermsChange, Failure> {
        let changes = pairs.iter().map(|pair| (*pair).to_owned()).collect();
        Quota { team: Some("ml".into()), changes }.change()
    }

    #[test]
    fn pairs_add_up_to_one_change() {
        let change = change(&["gpu=8", "quota.cpu=none", "limit.gpu=16", "weight.gpu=2"]).unwrap();
        assert_eq!(change.quota, "gpu=8,cpu=none".parse().unwrap());
        assert_eq!(change.limit, "gpu=16".parse().unwrap());
        assert_eq!(change.weight, "gpu=2".parse().unwrap());
        assert_eq!(change.priority, None);
    }

    #[test]
    fn senseless_pairs_are_refused() {
        for bad in ["gpu", "gpu=x", "tpu=1", "limit.tpu=1", "priority=1001", "weight=-1", "x.y=1"] {
            let failure = change(&[bad]).unwrap_err();
            assert_eq!(failure.code, crate::cli::exit::USAGE, "{bad}");
        }
    }
}
