//! `limit RESOURCE --until T` and `--lift`.

use clap::Args;

use crate::base::{Name, Wall, moment};
use crate::cli::args::values;
use crate::cli::clock;
use crate::cli::exit::{Failure, OK, Outcome};
use crate::cli::session::Session;
use crate::link::Link;

/// `limit`.
#[derive(Debug, Args)]
#[command(after_help = "Nothing that needs the resource starts until then, whoever asks; what \
                        runs goes on. A job says the same by itself with `usage --limited`.")]
pub struct Limit {
    /// The countable resource, such as api:anthropic
    #[arg(value_name = "RESOURCE", value_parser = values::name)]
    resource: Name,
    /// It may be taken again at this time: 15:00, `tomorrow 08:00`, +30s
    #[arg(long, value_name = "TIME", required_unless_present = "lift")]
    until: Option<String>,
    /// Why
    #[arg(long, value_name = "TEXT", conflicts_with = "lift")]
    reason: Option<String>,
    /// It may be taken again at once
    #[arg(long, conflicts_with = "until")]
    lift: bool,
}

impl Limit {
    /// Closes it, or opens it.
    ///
    /// # Errors
    /// The server's, or a time that is none.
    pub async fn run(self, _session: &Session, link: &dyn Link) -> Outcome {
        let until = self.until.as_deref().map(at).transpose()?;
        link.limit(self.resource, until, self.reason).await?;
        Ok(OK)
    }
}

/// A point in time as people write it.
///
/// # Errors
/// A usage failure.
pub fn at(text: &str) -> Result<Wall, Failure> {
    moment::parse(text, clock::wall(), &chrono::Local).map_err(|problem| {
        Failure::usage(format!("--until: {problem}"), "15:00, `tomorrow 08:00`, +30s")
    })
}
