//! `nodes`, `drain N`, `undrain N`, `spot-warning N`.

use clap::Args;

use crate::api::wire::node::NodeList;
use crate::base::{JobId, Name, Span, duration};
use crate::cli::args::values;
use crate::cli::exit::{Failure, OK, Outcome};
use crate::cli::session::Session;
use crate::cli::{shown, targets};
use crate::link::{Link, LinkError};
use crate::model::State;
use crate::model::command::Verb;
use crate::model::page::{Ended, JobRow};
use crate::model::refusal::RefusalCode;
use crate::view::describe;

/// `nodes`.
#[derive(Debug, Args)]
pub struct Nodes {}

/// `drain`.
#[derive(Debug, Args)]
#[command(after_help = "What runs there goes on to its end; nothing new is placed. With --now \
                        jobs that can come back are stopped and queued again.")]
pub struct Drain {
    /// The node
    #[arg(value_name = "NODE", value_parser = node)]
    node: Name,
    /// Do not wait for jobs that say how they come back
    #[arg(long)]
    now: bool,
    /// Why; kept in the journal and shown to those who wonder
    #[arg(long, value_name = "TEXT")]
    reason: Option<String>,
}

/// `undrain`.
#[derive(Debug, Args)]
pub struct Undrain {
    /// The node
    #[arg(value_name = "NODE", value_parser = node)]
    node: Name,
    /// Why; kept in the journal
    #[arg(long, value_name = "TEXT")]
    reason: Option<String>,
}

fn node(text: &str) -> Result<Name, String> {
    values::name(text.strip_prefix("node:").unwrap_or(text))
}

impl Nodes {
    /// Lists them.
    ///
    /// # Errors
    /// The server's.
    pub async fn run(self, session: &Session, link: &dyn Link) -> Outcome {
        let summary = link.summary().await?;
        if session.globals.json {
            session.json(&NodeList::new(&summary.nodes, summary.kept_day.as_ref()))?;
        } else {
            let lines = describe::nodes(&summary, &shown::sight(summary.at), shown::room());
            session.output.out(&shown::text(&lines, session.output))?;
        }
        Ok(OK)
    }
}

impl Drain {
    /// Keeps new work away.
    ///
    /// # Errors
    /// The server's.
    pub async fn run(self, session: &Session, link: &dyn Link) -> Outcome {
        link.drain(self.node.clone(), true, self.reason.clone()).await?;
        if self.now {
            let stay = emptied(link, &self.node).await?;
            if !stay.is_empty() {
                let jobs: Vec<String> = stay.iter().map(ToString::to_string).collect();
                session.output.warn(&format!(
                    "nothing says how they could come back, so these go on to their end: {}",
                    jobs.join(" ")
                ));
            }
        }
        Ok(OK)
    }
}

/// Sends what runs on a node back to the queue, one job at a time: one that has no way back, or
/// that ended meanwhile, must not save the others. Those that go on are returned.
async fn emptied(link: &dyn Link, node: &Name) -> Result<Vec<JobId>, Failure> {
    let mut stay = Vec::new();
    for row in targets::every(link, &format!("node={node}"), Ended::None).await? {
        match link.act(vec![row.id], Verb::Requeue).await {
            Ok(()) => {}
            Err(LinkError::Refused(refusal)) if refusal.code == RefusalCode::Forbidden => {
                return Err(refusal.into());
            }
            Err(LinkError::Refused(_)) => stay.push(row.id),
            Err(error) => return Err(error.into()),
        }
    }
    // What was being stopped anyway goes by itself.
    let leaves = |row: &JobRow| matches!(row.state, State::Stopping(_) | State::Ended(_));
    let mut left = Vec::new();
    for id in stay {
        if !leaves(&link.job(id).await?.row) {
            left.push(id);
        }
    }
    Ok(left)
}

/// `spot-warning`.
#[derive(Debug, Args)]
#[command(
    after_help = "Nothing new is placed on the node; what runs there gets its warning signal \
                        and TERM, saves itself and queues again. What has no way back goes on as \
                        long as the node does. `undrain` says that the node is back."
)]
pub struct SpotWarning {
    /// The node
    #[arg(value_name = "NODE", value_parser = node)]
    node: Name,
    /// How much time is left
    #[arg(long = "in", value_name = "D", default_value = "120s", value_parser = duration::parse)]
    left: Span,
}

impl SpotWarning {
    /// Says it.
    ///
    /// # Errors
    /// The server's.
    pub async fn run(self, _session: &Session, link: &dyn Link) -> Outcome {
        link.warn_node(self.node, self.left).await?;
        Ok(OK)
    }
}

impl Undrain {
    /// Lets work come again.
    ///
    /// # Errors
    /// The server's.
    pub async fn run(self, _session: &Session, link: &dyn Link) -> Outcome {
        link.drain(self.node, false, self.reason).await?;
        Ok(OK)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_node_is_named_with_or_without_its_prefix() {
        assert_eq!(node("node:n1"), Ok("n1".into()));
        assert_eq!(node("n1"), Ok("n1".into()));
        assert!(node("node:").is_err());
    }
}
