//! Asks, and waits for the answer as long as the question says: also over a restart of the server,
//! by asking again with the same key.

use std::time::Duration;

use tokio::time::{Instant, sleep};

use super::{OVER, PARKED, failed};
use crate::api::wire::review::decision::DecisionFile;
use crate::base::text::sanitise;
use crate::base::{ReviewId, Span};
use crate::cli::clock;
use crate::cli::exit::{Failure, OK};
use crate::cli::session::Session;
use crate::link::{Link, LinkError};
use crate::model::page::ReviewCard;
use crate::model::program::Environment;
use crate::model::review::{Ask, Review, ReviewState, ReviewVerb, Wait};

/// The longest single wait for an answer.
const ROUND: Span = Span::secs(50);
/// Between two attempts to reach a server that went away.
const PAUSE: Duration = Duration::from_millis(200);
/// How long a server is looked for where nobody said how long to wait: for a frozen job, that goes
/// on before its server does; and for the answer to something that may have been done already.
const PATIENCE: Duration = Duration::from_secs(600);

/// What came of a question.
#[derive(Debug)]
pub enum Standing {
    /// It is answered, or may be done before it is.
    Answered(Box<Review>, u8),
    /// It waits for people, and the job shall end with 75.
    Open(Box<Review>),
}

impl Standing {
    /// The review.
    pub fn review(&self) -> &Review {
        match self {
            Standing::Answered(review, _) | Standing::Open(review) => review,
        }
    }

    /// The exit code.
    pub fn code(&self) -> u8 {
        match self {
            Standing::Answered(_, code) => *code,
            Standing::Open(_) => PARKED,
        }
    }
}

/// Asks, and waits as long as that is to be waited for. With an environment what is asked for may
/// run as a step in it.
///
/// # Errors
/// The server's; no server for as long as the question waits.
pub async fn ask(
    link: &dyn Link,
    ask: Ask,
    step: Option<Environment>,
) -> Result<Standing, Failure> {
    let until = match ask.wait {
        Wait::Hold { most } => Instant::now() + Duration::from_millis(most.0),
        _ => Instant::now(),
    };
    let card = persist(until, || match &step {
        Some(environment) => link.ask_for_step(ask.clone(), environment.clone()),
        None => link.ask(None, ask.clone()),
    })
    .await?;
    wait(link, card.review).await
}

/// Waits for an answer as long as the review says that its job does.
async fn wait(link: &dyn Link, mut review: Review) -> Result<Standing, Failure> {
    let until = match review.ask.wait {
        Wait::Hold { most } => {
            let left = most - clock::wall().since(review.asked.wall).min(most);
            Some(Instant::now() + Duration::from_millis(left.0))
        }
        Wait::Park | Wait::Go => Some(Instant::now()),
        // It is stopped where it stands, and hears the answer when it goes on.
        Wait::Freeze => None,
    };
    loop {
        review = settled(link, review).await?;
        if let Some(code) = review.exit_code() {
            return Ok(Standing::Answered(Box::new(review), code));
        }
        let now = Instant::now();
        let left = until.map(|until| until.saturating_duration_since(now));
        if left.is_some_and(|left| left.is_zero()) {
            return Ok(Standing::Open(Box::new(review)));
        }
        // Whole seconds are what the server takes, and at least one, so that nothing spins.
        let left = left.map_or(ROUND, |left| Span::secs(left.as_secs().max(1)).min(ROUND));
        let id = review.id;
        let patience = until.unwrap_or(now + PATIENCE);
        review = persist(patience, || link.review(id, Some(left))).await?.review;
    }
}

/// A review as it stands, from a server that is looked for if it went away.
///
/// # Errors
/// The server's; no server for long.
pub async fn known(link: &dyn Link, id: ReviewId) -> Result<Review, Failure> {
    Ok(persist(Instant::now() + PATIENCE, || link.review(id, None)).await?.review)
}

/// A review once it changed, or after a while.
///
/// # Errors
/// As [`known`].
pub async fn news_of(link: &dyn Link, id: ReviewId) -> Result<Review, Failure> {
    Ok(persist(Instant::now() + PATIENCE, || link.review(id, Some(ROUND))).await?.review)
}

/// A yes that can still be taken back is none yet: how it stands once it counts.
async fn settled(link: &dyn Link, mut review: Review) -> Result<Review, Failure> {
    while let Some(left) = until_it_counts(&review) {
        sleep(left).await;
        review = known(link, review.id).await?;
    }
    Ok(review)
}

fn until_it_counts(review: &Review) -> Option<Duration> {
    let grant = review.grant.as_ref().filter(|_| review.state == ReviewState::Approved)?;
    let left = grant.from.since(clock::wall());
    (left > Span::ZERO).then(|| Duration::from_millis(left.0))
}

/// Uses the right. Said again under the same key it is used once, so whether it was used is found
/// out also from a server that died over it.
///
/// # Errors
/// What the server refuses; no server for long.
pub async fn redeem(
    link: &dyn Link,
    review: ReviewId,
    verb: ReviewVerb,
) -> Result<ReviewCard, Failure> {
    settled(link, known(link, review).await?).await?;
    let key = uuid::Uuid::now_v7().to_string();
    let until = Instant::now() + PATIENCE;
    loop {
        match link.review_act_keyed(review, verb.clone(), key.clone()).await {
            Ok(card) => return Ok(card),
            Err(LinkError::Unreachable(_)) if Instant::now() < until => sleep(PAUSE).await,
            Err(error) => {
                let failure = failed(error);
                return Err(if failure.code == OVER {
                    over(link, review, failure).await
                } else {
                    failure
                });
            }
        }
    }
}

/// Why there is no right any more: the code says it.
async fn over(link: &dyn Link, review: ReviewId, failure: Failure) -> Failure {
    let state = link.review(review, None).await.map(|card| card.review.state);
    let code = match state {
        Ok(ReviewState::Redeemed | ReviewState::Approved) | Err(_) => OVER,
        Ok(state) => state.exit_code().unwrap_or(OVER),
    };
    Failure { code: if code == OK { OVER } else { code }, ..failure }
}

/// Calls until there is an answer or `until` is over.
async fn persist<T, F>(until: Instant, call: impl Fn() -> F) -> Result<T, Failure>
where
    F: Future<Output = Result<T, LinkError>>,
{
    loop {
        match call().await {
            Ok(answer) => return Ok(answer),
            Err(LinkError::Unreachable(_)) if Instant::now() < until => sleep(PAUSE).await,
            Err(error) => return Err(failed(error)),
        }
    }
}

/// Prints how it stands: one document, or a line and on stderr what it means.
///
/// # Errors
/// When stdout takes no more.
pub fn print(session: &Session, review: &Review) -> Result<(), Failure> {
    if session.globals.json {
        return session.json(&DecisionFile::from(review));
    }
    session.output.line(&format!("{} {}", review.id, review.state.word()))?;
    if let Some(note) = note(review) {
        session.output.note(&note);
    }
    Ok(())
}

/// What an answer means, in a sentence.
pub fn note(review: &Review) -> Option<String> {
    let id = review.id;
    let decision = review.decision.as_deref();
    let by = decision.map(|decision| decision.by.join(", ")).filter(|by| !by.is_empty());
    let by = by.map_or_else(String::new, |by| format!(" by {}", sanitise(&by)));
    let why = decision.and_then(|decision| decision.reason.as_deref());
    let why = why.map_or_else(String::new, |why| format!(": {}", sanitise(why)));
    Some(match review.state {
        ReviewState::Open if review.exit_code().is_some() => {
            format!("{id} is asked; what it is about may be done meanwhile, and may be undone")
        }
        ReviewState::Open => format!("{id} waits for people; save what is needed and end with 75"),
        ReviewState::Approved if review.edited.is_some() => {
            format!("{id} is approved{by}, changed: do what `edited_action` says{why}")
        }
        ReviewState::Approved => format!(
            "{id} is approved{by}{why}; before it is done: holdshort redeem {id} --hash {}",
            review.hash_text()
        ),
        state => format!("{id} is {}{by}{why}", state.word()),
    })
}
