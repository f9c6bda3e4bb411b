//! `show T` and `why T`.

use clap::Args;

use crate::api::server::sentences::Sentences;
use crate::api::wire::detail::JobDocument;
use crate::api::wire::review::card::ReviewDocument;
use crate::api::wire::why::WhyDocument;
use crate::base::ReviewId;
use crate::cli::answering::card;
use crate::cli::args::target::Target;
use crate::cli::exit::{OK, Outcome};
use crate::cli::session::Session;
use crate::cli::shown;
use crate::cli::targets;
use crate::link::Link;
use crate::view::describe;
use crate::view::describe::review::{Lines, people, silence, then};
use crate::view::line::Role;

/// `show`.
#[derive(Debug, Args)]
pub struct Show {
    /// The job, or the review: R17
    #[arg(value_name = "JOB", env = "HOLDSHORT_JOB_ID", hide_env = true)]
    target: Target,
}

/// `why`.
#[derive(Debug, Args)]
pub struct Why {
    /// The job, or the review: R17
    #[arg(value_name = "JOB", env = "HOLDSHORT_JOB_ID", hide_env = true)]
    target: Target,
}

impl Show {
    /// Prints everything about a job.
    ///
    /// # Errors
    /// The server's.
    pub async fn run(self, session: &Session, link: &dyn Link) -> Outcome {
        if let Target::Review(id) = self.target {
            return review(session, link, id).await;
        }
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
        if let Target::Review(id) = self.target {
            return why_review(session, link, id).await;
        }
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

/// Everything about a review, to the last character.
async fn review(session: &Session, link: &dyn Link, id: ReviewId) -> Outcome {
    let card = link.review(id, None).await?;
    if session.globals.json {
        session.json(&ReviewDocument::from(&card))?;
    } else {
        let lines = card::lines(&card, &shown::sight(card.at), shown::room());
        session.output.out(&shown::text(&lines, session.output))?;
    }
    Ok(OK)
}

/// What a review waits for, and what happens if nobody answers.
async fn why_review(session: &Session, link: &dyn Link, id: ReviewId) -> Outcome {
    let card = link.review(id, None).await?;
    if session.globals.json {
        session.json(&ReviewDocument::from(&card))?;
        return Ok(OK);
    }
    let sight = shown::sight(card.at);
    let mut out = Lines::new(shown::room().unwrap_or(100));
    out.text(&card::stands(&card), Role::Head);
    if card.review.is_open() {
        let (sentence, role) = silence::sentence(&card.review, &sight);
        out.text(&sentence, role);
    } else {
        then::outcome(&card.review, &sight, &mut out);
    }
    people::who(&card, &sight, &mut out);
    people::votes(&card, None, &sight, &mut out);
    session.output.out(&shown::text(&out.done(), session.output))?;
    Ok(OK)
}
