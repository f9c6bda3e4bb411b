//! What is done around a review: `ask-back`, `answer`, `delegate`, `escalate`, `extend`, `revoke`.

use clap::Args;

use super::limit;
use crate::base::{Name, Span, duration};
use crate::cli::answering::{self, Pick, picked};
use crate::cli::args::values;
use crate::cli::exit::{Failure, OK, Outcome};
use crate::cli::session::Session;
use crate::link::Link;
use crate::model::review::ReviewVerb;

/// `ask-back`.
#[derive(Debug, Args)]
#[command(after_help = "The clock of the review stands until the job, its owner or an operator \
                        answers.")]
pub struct AskBack {
    /// The review: R17
    #[arg(value_name = "REVIEW")]
    review: Pick,
    /// The question
    #[arg(value_name = "TEXT", required = true, num_args = 1..)]
    text: Vec<String>,
}

/// `answer`.
#[derive(Debug, Args)]
pub struct Answer {
    /// The review: R17
    #[arg(value_name = "REVIEW")]
    review: Pick,
    /// The answer
    #[arg(value_name = "TEXT", required = true, num_args = 1..)]
    text: Vec<String>,
}

/// `delegate`.
#[derive(Debug, Args)]
#[command(
    after_help = "With a review only its seat is handed on. Without one all your seats are, \
                        until then or until `delegate --back`."
)]
pub struct Delegate {
    /// The review: R17; none for all of them
    #[arg(value_name = "REVIEW")]
    review: Option<Pick>,
    /// To whom
    #[arg(long, value_name = "USER", value_parser = values::name, required_unless_present = "back")]
    to: Option<Name>,
    /// All of them, until then: friday 18:00, `tomorrow 08:00`, +2d
    #[arg(long, value_name = "TIME", conflicts_with = "review")]
    until: Option<String>,
    /// Take all your seats back
    #[arg(long, conflicts_with_all = ["review", "to", "until"])]
    back: bool,
    /// All of this person's seats instead of your own; for operators
    #[arg(long, value_name = "USER", value_parser = values::name, conflicts_with = "review")]
    from: Option<Name>,
}

/// `escalate`.
#[derive(Debug, Args)]
pub struct Escalate {
    /// The review: R17
    #[arg(value_name = "REVIEW")]
    review: Pick,
}

/// `extend`.
#[derive(Debug, Args)]
pub struct Extend {
    /// The review: R17
    #[arg(value_name = "REVIEW")]
    review: Pick,
    /// So much more: 30m, 2h
    #[arg(value_name = "DURATION", value_parser = duration::parse)]
    more: Span,
}

/// `revoke`.
#[derive(Debug, Args)]
pub struct Revoke {
    /// The review: R17
    #[arg(value_name = "REVIEW")]
    review: Pick,
    /// Why; the job gets to read it
    #[arg(long, value_name = "TEXT")]
    reason: Option<String>,
}

impl AskBack {
    /// Asks the job something.
    ///
    /// # Errors
    /// The server's.
    pub async fn run(self, session: &Session, link: &dyn Link) -> Outcome {
        let review = picked(link, self.review, "ask-back").await?;
        let verb = ReviewVerb::AskBack { text: self.text.join(" ") };
        answering::act(session, link, review, verb).await
    }
}

impl Answer {
    /// Answers what was asked back.
    ///
    /// # Errors
    /// The server's.
    pub async fn run(self, session: &Session, link: &dyn Link) -> Outcome {
        let review = picked(link, self.review, "answer").await?;
        let verb = ReviewVerb::Answer { text: self.text.join(" ") };
        answering::act(session, link, review, verb).await
    }
}

impl Delegate {
    /// Refuses what makes no sense.
    ///
    /// # Errors
    /// A usage failure.
    pub fn check(&self) -> Result<(), Failure> {
        self.until.as_deref().map(limit::at).transpose().map(drop)
    }

    /// Hands a seat on, or all of them, or takes them back.
    ///
    /// # Errors
    /// The server's.
    pub async fn run(self, session: &Session, link: &dyn Link) -> Outcome {
        let until = self.until.as_deref().map(limit::at).transpose()?;
        if let (Some(review), Some(to)) = (self.review, self.to.clone()) {
            let review = picked(link, review, "delegate").await?;
            return answering::act(session, link, review, ReviewVerb::Delegate { to }).await;
        }
        link.away(self.from, self.to, until).await?;
        Ok(OK)
    }
}

impl Escalate {
    /// Asks the next people too.
    ///
    /// # Errors
    /// The server's.
    pub async fn run(self, session: &Session, link: &dyn Link) -> Outcome {
        let review = picked(link, self.review, "escalate").await?;
        answering::act(session, link, review, ReviewVerb::Escalate).await
    }
}

impl Extend {
    /// Gives it more time.
    ///
    /// # Errors
    /// The server's.
    pub async fn run(self, session: &Session, link: &dyn Link) -> Outcome {
        let review = picked(link, self.review, "extend").await?;
        answering::act(session, link, review, ReviewVerb::Extend { by: self.more }).await
    }
}

impl Revoke {
    /// Takes back a yes that was not used yet, or the caller's vote on an open review.
    ///
    /// # Errors
    /// The server's.
    pub async fn run(self, session: &Session, link: &dyn Link) -> Outcome {
        let review = picked(link, self.review, "revoke").await?;
        answering::act(session, link, review, ReviewVerb::Revoke { reason: self.reason }).await
    }
}
