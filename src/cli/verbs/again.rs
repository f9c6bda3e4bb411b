//! `again T [OPTS]`: a copy of a job as a new one.

use clap::Args;

use crate::cli::args::options::Options;
use crate::cli::args::target::Target;
use crate::cli::exit::{Failure, OK, Outcome};
use crate::cli::session::Session;
use crate::cli::targets;
use crate::cli::verbs::submit;
use crate::link::Link;

/// `again`.
#[derive(Debug, Args)]
#[command(after_help = "Command, directory and environment are the copied job's, unless --cwd, \
                        --env or --clean-env say otherwise; --env then adds to your own.")]
pub struct Again {
    /// The job to copy
    #[arg(value_name = "JOB")]
    target: Target,
    #[command(flatten)]
    options: Options,
}

impl Again {
    /// Refuses what makes no sense.
    ///
    /// # Errors
    /// A usage failure.
    pub fn check(&self, session: &Session) -> Result<(), Failure> {
        submit::submission(session, &self.options, true).map(drop)
    }

    /// Queues the copy and prints its number.
    ///
    /// # Errors
    /// The server's, or a senseless option.
    pub async fn run(self, session: &Session, link: &dyn Link) -> Outcome {
        let job = targets::id(link, &self.target).await?;
        let mut changes = submit::submission(session, &self.options, true)?;
        changes.after = submit::dependencies(link, &self.options.after).await?;
        let id = link.again(job, changes).await?;
        session.output.line(&id.to_string())?;
        submit::say_where(session, link, id).await;
        Ok(OK)
    }
}
