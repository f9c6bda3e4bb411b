//! `ask`, `redeem`, `withdraw`: a process of a job asks people, uses their yes, takes it back.

use clap::Args;

use crate::base::{Name, ReviewId};
use crate::cli::asking::options::AskOptions;
use crate::cli::asking::{self, BAD_CALL, CHANGED, action, answer, failed};
use crate::cli::exit::{Failure, OK, Outcome};
use crate::cli::session::Session;
use crate::link::Link;
use crate::model::review::{ReviewVerb, Wait};

/// What the codes mean.
const CODES: &str = "Exit codes: 0 yes (not yet spent: `redeem` spends it), 10 no, 11 expired, 12 \
                     withdrawn, 13 changed, 75 parked: save and end with 75, 69 no answer to be \
                     had: do nothing, 64 usage.";

/// `ask`.
#[derive(Debug, Args)]
#[command(before_help = "Examples, in a job:
  holdshort ask --effect external --wait 10m -- mail the report to the customer
  holdshort ask --effect money --amount 4180 --currency EUR --action @payment.json || exit $?")]
#[command(after_help = CODES)]
pub struct Ask {
    #[command(flatten)]
    options: AskOptions,
    /// What is to be done, as JSON: {kind, tool?, args, target?, amount?}; @- is stdin
    #[arg(long, value_name = "@FILE")]
    action: Option<String>,
    /// What is to be done, in words
    #[arg(value_name = "WORDS", trailing_var_arg = true, allow_hyphen_values = true)]
    words: Vec<String>,
}

/// `redeem`.
#[derive(Debug, Args)]
#[command(
    after_help = "Exit codes: 0 the action may be done now, once; 10 the yes was taken back, \
                        11 it is over, 12 it is used up or withdrawn, 13 something else is to be \
                        done than was approved, 69, 64."
)]
pub struct Redeem {
    /// The review
    #[arg(value_name = "REVIEW", value_parser = asking::review)]
    review: ReviewId,
    /// Hash of what will be done: at least eight hex digits
    #[arg(long, value_name = "HASH")]
    hash: String,
    /// What is so now, for each condition that was asked with; NAME alone: there is no such thing
    #[arg(long, value_name = "NAME[=VALUE]", value_parser = condition)]
    condition: Vec<(Name, Option<String>)>,
}

/// `withdraw`.
#[derive(Debug, Args)]
#[command(
    after_help = "Exit codes: 0 it is withdrawn, 69 no answer to be had, 64 usage, also of a \
                        review that is over."
)]
pub struct Withdraw {
    /// The review
    #[arg(value_name = "REVIEW", value_parser = asking::review)]
    review: ReviewId,
    /// Why
    #[arg(long, value_name = "TEXT")]
    reason: Option<String>,
}

fn condition(text: &str) -> Result<(Name, Option<String>), String> {
    let (name, value) = match text.split_once('=') {
        Some((name, value)) => (name, Some(value.to_owned())),
        None => (text, None),
    };
    Ok((crate::cli::args::values::name(name)?, value))
}

impl Ask {
    /// Refuses what makes no sense.
    ///
    /// # Errors
    /// A usage failure.
    pub fn check(&self, session: &Session) -> Result<(), Failure> {
        asking::own_job(session, "ask").map(drop)?;
        // Stdin can be read once: then it is looked at when it is asked.
        match self.action.as_deref() {
            Some("@-") => Ok(()),
            _ => self.question().map(drop),
        }
    }

    fn question(&self) -> Result<crate::model::review::Ask, Failure> {
        let action = action::of(&self.words, self.action.as_deref(), &self.options)?;
        self.options.ask(action)
    }

    /// Asks, waits, prints how it stands.
    ///
    /// # Errors
    /// The server's.
    pub async fn run(self, session: &Session, link: &dyn Link) -> Outcome {
        let standing = answer::ask(link, self.question()?, None).await?;
        answer::print(session, standing.review())?;
        Ok(standing.code())
    }
}

impl Redeem {
    /// Uses the right.
    ///
    /// # Errors
    /// The server's, with the codes of the contract.
    pub async fn run(self, session: &Session, link: &dyn Link) -> Outcome {
        let review = link.review(self.review, None).await.map_err(failed)?.review;
        // A review whose job goes on meanwhile has a right before it is closed.
        let given = review.state.exit_code() == Some(OK) || review.ask.wait == Wait::Go;
        if given && !review.hash_begins(&self.hash) {
            let what =
                format!("{} is for {}, not for {}", review.id, review.hash_text(), self.hash);
            let digits = self.hash.trim_start_matches("sha256:");
            let short = digits.len() < crate::model::review::HASH_DIGITS;
            let code = if short { BAD_CALL } else { CHANGED };
            let hint = "ask again for what is to be done; give at least eight hex digits";
            return Err(Failure::new(code, what, hint));
        }
        let conditions = self.condition.into_iter().collect();
        let verb = ReviewVerb::Redeem { hash: Some(review.hash), action: None, conditions };
        let card = answer::redeem(link, self.review, verb).await?;
        answer::print(session, &card.review)?;
        Ok(OK)
    }
}

impl Withdraw {
    /// Takes the question back.
    ///
    /// # Errors
    /// The server's.
    pub async fn run(self, session: &Session, link: &dyn Link) -> Outcome {
        let verb = ReviewVerb::Withdraw { reason: self.reason, abandoned: false };
        let card = link.review_act(self.review, verb).await.map_err(failed)?;
        answer::print(session, &card.review)?;
        Ok(OK)
    }
}
