//! `approve R` and `deny R`.

use std::path::{Path, PathBuf};

use clap::Args;

use super::limit;
use crate::api::wire::review::requests::ActionRequest;
use crate::base::{ReviewId, Span, duration};
use crate::cli::answering::{self, Pick, card, consent, must_be_open, picked, refused};
use crate::cli::args::values;
use crate::cli::exit::{Failure, Outcome};
use crate::cli::output;
use crate::cli::session::Session;
use crate::cli::shown;
use crate::cli::signing::Signing;
use crate::link::Link;
use crate::model::action::Action;
use crate::model::page::ReviewCard;
use crate::model::review::{Cast, DENIAL_REASONS, ReviewVerb, Signature, Verdict};
use crate::view::describe::review::escape::escaped;

/// `approve`.
#[derive(Debug, Args)]
#[command(after_help = "Prints the card and asks: for money the amount is typed, for what cannot \
                        be undone the target, else yes. Without a terminal --hash says what was \
                        looked at. There is no yes without either.")]
pub struct Approve {
    /// The review: R17
    #[arg(value_name = "REVIEW")]
    review: Pick,
    /// Why; the job gets to read it
    #[arg(long, value_name = "TEXT")]
    reason: Option<String>,
    /// What was looked at: 8 hex digits or more of the action's hash, in place of the question
    #[arg(long, value_name = "HASH")]
    hash: Option<String>,
    /// Say yes to this action instead (JSON: kind, tool, args, target, amount); other votes begin
    /// anew
    #[arg(long, value_name = "FILE")]
    edit: Option<PathBuf>,
    /// The same bytes so often, for what is external or can be undone
    #[arg(long, value_name = "N", value_parser = values::at_least_one)]
    times: Option<u32>,
    /// And until then: 18:00, `tomorrow 08:00`, +2h
    #[arg(long, value_name = "TIME")]
    until: Option<String>,
    /// It takes effect after this, a minute at most; until then `revoke` undoes it: 10s
    #[arg(long, value_name = "DURATION", value_parser = duration::parse)]
    undo: Option<Span>,
    #[command(flatten)]
    signing: Signing,
}

/// `deny`.
#[derive(Debug, Args)]
#[command(after_help = reasons())]
pub struct Deny {
    /// The review: R17
    #[arg(value_name = "REVIEW")]
    review: Pick,
    /// Why: the job gets to read it; a number stands for a reason below
    #[arg(long, value_name = "TEXT|N")]
    reason: Option<String>,
    /// And the job stops
    #[arg(long)]
    stop: bool,
    /// It takes effect after this, a minute at most; until then `revoke` undoes it: 10s
    #[arg(long, value_name = "DURATION", value_parser = duration::parse)]
    undo: Option<Span>,
    #[command(flatten)]
    signing: Signing,
}

/// The reasons with their numbers.
fn reasons() -> String {
    let line = |(at, reason): (usize, &str)| format!("  {}  {reason}", at + 1);
    let lines: Vec<String> = DENIAL_REASONS.into_iter().enumerate().map(line).collect();
    format!("Reasons:\n{}", lines.join("\n"))
}

impl Approve {
    /// Refuses what makes no sense.
    ///
    /// # Errors
    /// A usage failure.
    pub fn check(&self) -> Result<(), Failure> {
        self.until.as_deref().map(limit::at).transpose()?;
        self.edit.as_deref().map(action_of).transpose().map(drop)
    }

    /// Says yes to exactly what the card shows.
    ///
    /// # Errors
    /// The server's; no proof that the card was read.
    pub async fn run(self, session: &Session, link: &dyn Link) -> Outcome {
        let until = self.until.as_deref().map(limit::at).transpose()?;
        let edit = self.edit.as_deref().map(action_of).transpose()?;
        let id = picked(link, self.review, "approve").await?;
        let mut card = link.review(id, None).await?;
        let mut hash = self.hash.clone();
        if let Some(action) = edit {
            must_be_open(&card)?;
            (card, hash) = edited(link, id, &card, action, hash).await?;
        }
        if !session.globals.json {
            show(session, &card)?;
        }
        must_be_open(&card)?;
        let hash = consent::given(&card.review, hash.as_deref())?;
        let (verdict, reason, uses) = (Verdict::Approve, self.reason.as_deref(), self.times);
        let cast = Cast { verdict, reason, uses, until };
        let signature = self.signing.signature(link, &card.review, cast).await?;
        let vote = ReviewVerb::Vote {
            verdict,
            reason: self.reason,
            hash: Some(hash),
            version: Some(card.review.version),
            undo: self.undo.unwrap_or_default(),
            uses,
            until,
            signature,
        };
        answering::act(session, link, id, vote).await
    }
}

/// Changes what the review is about, if the hash that was given is what it is about now. Whoever
/// gave one has written what it is about from then on.
async fn edited(
    link: &dyn Link,
    id: ReviewId,
    card: &ReviewCard,
    action: Action,
    hash: Option<String>,
) -> Result<(ReviewCard, Option<String>), Failure> {
    let looked_at = match &hash {
        Some(hash) => hash.clone(),
        None if output::can_ask() => card.review.hash.to_string(),
        None => consent::given(&card.review, None)?,
    };
    let after = action.hash(card.review.bound());
    let verb = ReviewVerb::Edit { action: Box::new(action), hash: Some(looked_at) };
    let card = link.review_act(id, verb).await.map_err(refused)?;
    Ok((card, hash.map(|_| after.to_string())))
}

/// The card of a review, on stdout.
fn show(session: &Session, card: &ReviewCard) -> Result<(), Failure> {
    let lines = card::lines(card, &shown::sight(card.at), shown::room());
    session.output.out(&shown::text(&lines, session.output))?;
    session.output.line("")
}

/// The action in a file.
fn action_of(path: &Path) -> Result<Action, Failure> {
    let bad = |why: String| {
        let hint = "{\"kind\":\"command\",\"args\":{\"argv\":[\"make\"]},\"target\":\"prod\"}";
        Failure::usage(format!("--edit {}: {why}", path.display()), hint)
    };
    let text = std::fs::read_to_string(path).map_err(|error| bad(error.to_string()))?;
    let request: ActionRequest =
        serde_json::from_str(&text).map_err(|error| bad(error.to_string()))?;
    let action = request.into_model().map_err(|error| bad(error.0))?;
    match action.problem() {
        Some(problem) => Err(bad(problem)),
        None => Ok(action),
    }
}

impl Deny {
    /// Says no, with a reason.
    ///
    /// # Errors
    /// The server's; no reason.
    pub async fn run(self, session: &Session, link: &dyn Link) -> Outcome {
        let id = picked(link, self.review, "deny").await?;
        let reason = match &self.reason {
            Some(reason) => reason.clone(),
            None => self.asked(session, link, id).await?,
        };
        let (verdict, reason) = (Verdict::Deny { stop: self.stop }, worded(&reason)?);
        let signature = self.signed(link, id, verdict, &reason).await?;
        let vote = ReviewVerb::Vote {
            verdict,
            reason: Some(reason),
            hash: None,
            version: None,
            undo: self.undo.unwrap_or_default(),
            uses: None,
            until: None,
            signature,
        };
        answering::act(session, link, id, vote).await
    }

    /// A signature of the no, if one is wanted: of the review as it is now.
    async fn signed(
        &self,
        link: &dyn Link,
        id: ReviewId,
        verdict: Verdict,
        reason: &str,
    ) -> Result<Option<Box<Signature>>, Failure> {
        if !self.signing.sign {
            return Ok(None);
        }
        let review = link.review(id, None).await?.review;
        let cast = Cast { verdict, reason: Some(reason), uses: None, until: None };
        self.signing.signature(link, &review, cast).await
    }

    /// Asks for the reason.
    async fn asked(
        &self,
        session: &Session,
        link: &dyn Link,
        id: ReviewId,
    ) -> Result<String, Failure> {
        let numbers = format!("1 to {}", DENIAL_REASONS.len());
        if !output::can_ask() {
            let what = format!("a no to {id} needs a reason: the job gets to read it");
            let hint = format!("--reason TEXT, or {numbers} for one of `holdshort deny --help`");
            return Err(Failure::usage(what, hint));
        }
        let card = link.review(id, None).await?;
        must_be_open(&card)?;
        let title = crate::view::describe::review::card::title(&card);
        session.output.note(&escaped(&title));
        session.output.note(&reasons());
        output::ask(&format!("Why not ({numbers}, or in your words): "))
    }
}

/// A reason in words: a number stands for one of those that are offered.
fn worded(reason: &str) -> Result<String, Failure> {
    let reason = reason.trim();
    if reason.is_empty() {
        let what = "a no needs a reason: the job gets to read it";
        return Err(Failure::usage(what, reasons()));
    }
    if !reason.bytes().all(|b| b.is_ascii_digit()) {
        return Ok(reason.to_owned());
    }
    let at = reason.parse::<usize>().ok().and_then(|n| n.checked_sub(1));
    let known = at.and_then(|at| DENIAL_REASONS.get(at));
    known.map(|reason| (*reason).to_owned()).ok_or_else(|| {
        Failure::usage(
            format!("there is no reason {reason}"),
            format!("1 to {}", DENIAL_REASONS.len()),
        )
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_number_stands_for_a_reason_and_anything_else_for_itself() {
        assert_eq!(worded("2"), Ok("wrong target".to_owned()));
        assert_eq!(worded(" ask again at 8 "), Ok("ask again at 8".to_owned()));
        for bad in ["", "  ", "0", "7", "99999999999999999999"] {
            assert!(worded(bad).is_err(), "{bad:?}");
        }
        assert!(reasons().contains("\n  6  outside of this job's task"));
    }
}
