//! `step`: what a step of a job executes. It uses the right that a yes gave, once, and runs what
//! was approved; which review that is, the server says. Only a yes makes steps.

use std::ffi::OsString;

use clap::Args;

use crate::base::ReviewId;
use crate::cli::asking::{self, BAD_CALL, answer, deed};
use crate::cli::exit::{Failure, Outcome};
use crate::cli::session::Session;
use crate::link::Link;

/// `step`.
#[derive(Debug, Args)]
pub struct Step {
    /// What runs, for people to read: the review says it
    #[arg(value_name = "CMD", last = true)]
    _words: Vec<OsString>,
}

impl Step {
    /// Uses the right and runs what was approved.
    ///
    /// # Errors
    /// Before it ran with the codes of the contract; its own code is no error.
    pub async fn run(self, session: &Session, link: &dyn Link) -> Outcome {
        let job = asking::own_job(session, "step")?;
        let named = std::env::var("HOLDSHORT_REQUEST_ID").ok();
        let id: Option<ReviewId> = named.and_then(|id| id.parse().ok());
        let hint = "a yes to `holdshort gate --step -- CMD` makes one";
        let Some(id) = id else {
            return Err(Failure::new(BAD_CALL, "this job is no step", hint));
        };
        let review = answer::known(link, id).await?;
        if review.step.as_deref().is_none_or(|step| step.job != job) {
            return Err(Failure::new(BAD_CALL, format!("this job is no step of {id}"), hint));
        }
        deed::perform(session, link, &review).await
    }
}
