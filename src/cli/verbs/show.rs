//! `show T` and `why T`.

use clap::Args;

use crate::api::server::sentences::Sentences;
use crate::api::wire::detail::JobDocument;
use crate::api::wire::why::WhyDocument;
use crate::cli::args::target::Target;
use crate::cli::exit::{OK, Outcome};
use crate::cli::session::Session;
use crate::cli::shown;
use crate::cli::targets;
use crate::link::Link;
use crate::view::describe;

/// `show`.
#[derive(Debug, Args)]
pub struct Show {
    /// The job
    #[arg(value_name = "JOB", env = "HOLDSHORT_JOB_ID", hide_env = true)]
    target: Target,
}

/// `why`.
#[derive(Debug, Args)]
pub struct Why {
    /// The job
    #[arg(value_name = "JOB", env = "HOLDSHORT_JOB_ID", hide_env = true)]
    target: Target,
}

impl Show {
    /// Prints everything about a job.
    ///
    /// # Errors
    /// The server's.
    pub async fn run(self, session: &Session, link: &dyn Link) -> Outcome {
        let job = targets::id(link, &self.target).await?;
        let detail = link.job(job).await?;
        let at = link.summary().await?.at;
        if session.globals.json {
            session.json(&JobDocument::new(&detail, &Sentences::at(at)))?;
        } else {
            let lines = describe::job(&detail, &shown::sight(at), shown::room());
            session.output.out(&shown::text(&lines, session.output))?;
        }
        Ok(OK)
    }
}

impl Why {
    /// Prints why a job is where it is.
    ///
    /// # Errors
    /// The server's.
    pub async fn run(self, session: &Session, link: &dyn Link) -> Outcome {
        let job = targets::id(link, &self.target).await?;
        let why = link.why(job).await?;
        let at = link.summary().await?.at;
        if session.globals.json {
            session.json(&WhyDocument::new(&why, &Sentences::at(at)))?;
        } else {
            let mut lines = describe::why(&why, &shown::sight(at));
            let found = describe::trouble(&link.job(job).await?.row, &shown::sight(at));
            lines.splice(1.min(lines.len())..1.min(lines.len()), found);
            session.output.out(&shown::text(&lines, session.output))?;
        }
        Ok(OK)
    }
}
