//! `nodes`, `drain N`, `undrain N`.

use clap::Args;

use crate::api::wire::node::NodeList;
use crate::base::Name;
use crate::cli::args::values;
use crate::cli::exit::{OK, Outcome};
use crate::cli::session::Session;
use crate::cli::shown;
use crate::link::Link;
use crate::view::describe;

/// `nodes`.
#[derive(Debug, Args)]
pub struct Nodes {}

/// `drain`.
#[derive(Debug, Args)]
#[command(after_help = "What runs there goes on to its end; nothing new is placed.")]
pub struct Drain {
    /// The node
    #[arg(value_name = "NODE", value_parser = node)]
    node: Name,
}

/// `undrain`.
#[derive(Debug, Args)]
pub struct Undrain {
    /// The node
    #[arg(value_name = "NODE", value_parser = node)]
    node: Name,
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
            session.json(&NodeList::new(&summary.nodes))?;
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
    pub async fn run(self, _session: &Session, link: &dyn Link) -> Outcome {
        link.drain(self.node, true).await?;
        Ok(OK)
    }
}

impl Undrain {
    /// Lets work come again.
    ///
    /// # Errors
    /// The server's.
    pub async fn run(self, _session: &Session, link: &dyn Link) -> Outcome {
        link.drain(self.node, false).await?;
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
