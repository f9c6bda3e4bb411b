//! What the verbs of those who answer share: which review is meant ([`Pick`]), the card
//! ([`card`]), and what shows that it was read ([`consent`]).

pub mod card;
pub mod consent;

use std::str::FromStr;

use crate::api::wire::review::card::ReviewDocument;
use crate::base::{JobId, ReviewId};
use crate::cli::args::target::Target;
use crate::cli::exit::{Failure, NOT_FOUND, OK, Outcome};
use crate::cli::session::Session;
use crate::link::{Link, LinkError};
use crate::model::page::ReviewCard;
use crate::model::refusal::RefusalCode;
use crate::model::review::{ReviewState, ReviewVerb};

/// What was typed where a review is meant.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Pick {
    /// `R17`.
    Review(ReviewId),
    /// A job: nobody answers that, but it may tell which review was meant.
    Job(JobId),
}

impl FromStr for Pick {
    type Err = String;

    fn from_str(text: &str) -> Result<Pick, String> {
        match text.parse() {
            Ok(Target::Review(review)) => Ok(Pick::Review(review)),
            Ok(Target::Job(job)) => Ok(Pick::Job(job)),
            _ => Err(format!("`{text}` is no review; write it like R17")),
        }
    }
}

/// The review that is meant.
///
/// # Errors
/// For a job: which reviews it has open.
pub async fn picked(link: &dyn Link, pick: Pick, verb: &str) -> Result<ReviewId, Failure> {
    let job = match pick {
        Pick::Review(review) => return Ok(review),
        Pick::Job(job) => job,
    };
    let open = link.job(job).await?.row.open_reviews;
    let names: Vec<String> = open.iter().map(ToString::to_string).collect();
    Err(match open.as_slice() {
        [] => {
            let hint = "`holdshort reviews` lists those that are open";
            Failure::new(NOT_FOUND, format!("{job} has no open review"), hint)
        }
        [one] => {
            let what = format!("{job} has one open review: {one}");
            Failure::usage(what, format!("holdshort {verb} {one}"))
        }
        several => {
            let what = format!("{job} has {} open reviews: {}", several.len(), names.join(", "));
            Failure::usage(what, format!("holdshort {verb} one of them"))
        }
    })
}

/// Does something with a review and says how it stands then.
///
/// # Errors
/// The server's.
pub async fn act(
    session: &Session,
    link: &dyn Link,
    review: ReviewId,
    verb: ReviewVerb,
) -> Outcome {
    let card = link.review_act(review, verb).await.map_err(refused)?;
    done(session, &card)
}

/// Says how a review stands after something was done with it.
///
/// # Errors
/// When stdout takes no more.
pub fn done(session: &Session, card: &ReviewCard) -> Outcome {
    if session.globals.json {
        session.json(&ReviewDocument::from(card))?;
    } else {
        session.output.line(&card::stands(card))?;
    }
    Ok(OK)
}

/// A refusal; one that says that something changed says what to look at.
pub fn refused(error: LinkError) -> Failure {
    let changed = matches!(&error, LinkError::Refused(r) if r.code == RefusalCode::Changed);
    let mut failure = Failure::from(error);
    if changed {
        failure.hint = "look at it again; nothing was voted".to_owned();
    }
    failure
}

/// It waits for people.
///
/// # Errors
/// How it was decided.
pub fn must_be_open(card: &ReviewCard) -> Result<(), Failure> {
    if card.review.state == ReviewState::Open {
        return Ok(());
    }
    let id = card.review.id;
    let what = format!("{id} is not open: it is {}", card.review.state.word());
    let hint = format!("`holdshort show {id}` says more");
    Err(Failure::new(crate::cli::exit::REFUSED, what, hint))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cli::tests::{Scripted, row};
    use crate::model::page::JobRow;

    #[tokio::test]
    async fn a_job_is_answered_with_its_open_reviews() {
        let link = Scripted::default();
        let reviews = |ids: &[u64]| ids.iter().copied().map(ReviewId).collect();
        link.put(JobRow { open_reviews: reviews(&[17]), ..row(42) });
        link.put(JobRow { open_reviews: reviews(&[18, 19]), ..row(43) });
        link.put(row(44));
        let said = |job: u64| {
            let link = &link;
            async move { picked(link, Pick::Job(JobId(job)), "approve").await.unwrap_err() }
        };
        let one = said(42).await;
        assert_eq!(one.what, "42 has one open review: R17");
        assert_eq!(one.hint, "holdshort approve R17");
        assert_eq!(said(43).await.what, "43 has 2 open reviews: R18, R19");
        assert_eq!(said(44).await.code, NOT_FOUND);
        assert_eq!(picked(&link, Pick::Review(ReviewId(1)), "deny").await, Ok(ReviewId(1)));
    }

    #[test]
    fn only_reviews_and_jobs_are_read() {
        assert_eq!("r17".parse(), Ok(Pick::Review(ReviewId(17))));
        assert_eq!("#42".parse(), Ok(Pick::Job(JobId(42))));
        for bad in ["", "all", "team:ml", "R", "R-1", "17x"] {
            assert!(bad.parse::<Pick>().is_err(), "{bad}");
        }
    }
}
