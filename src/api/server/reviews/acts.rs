//! What is done with a review. Each answer is the review as it stands then; what is not possible
//! any more brings it along.

use axum::Json;
use axum::extract::State;

use super::read::{document, named};
use super::signature;
use crate::api::server::app::App;
use crate::api::server::extract::{Body, Caller, Key, Place};
use crate::api::server::fault::{Answer, Fault};
use crate::api::wire::problem::Problem;
use crate::api::wire::receipt::Receipt;
use crate::api::wire::review::card::ReviewDocument;
use crate::api::wire::review::requests::{
    AwayRequest, DelegateRequest, EditRequest, ExtendRequest, RedeemRequest, RevokeRequest,
    SayRequest, VoteRequest, WithdrawRequest,
};
use crate::base::{ReviewId, Span};
use crate::model::Actor;
use crate::model::refusal::{Refusal, RefusalCode};
use crate::model::review::{Cast, ReviewState, ReviewVerb};

type Done = Answer<Json<ReviewDocument>>;

/// Does it, and answers with the review as it stands then.
async fn act(app: &App, id: &str, verb: ReviewVerb, key: Option<String>, by: &Actor) -> Done {
    let id = named(id)?;
    match app.handle.review_act(id, verb, key, by.clone()).await {
        Ok(_) => document(app, by, id),
        Err(refusal) => Err(with_review(app, by, id, refusal)),
    }
}

/// A refusal because of how the review stands says how it stands.
fn with_review(app: &App, by: &Actor, id: ReviewId, refusal: Refusal) -> Fault {
    let stands = [RefusalCode::Conflict, RefusalCode::Changed, RefusalCode::Spent];
    let tells = stands.contains(&refusal.code);
    let fault = Fault::from(refusal);
    match app.handle.plain_review(by, id) {
        Ok(review) if tells => fault.about(&review),
        _ => fault,
    }
}

/// Yes or no to exactly the hashed action.
#[utoipa::path(post, path = "/api/v1/reviews/{id}/vote", tag = "reviews",
    request_body = VoteRequest,
    params(("id" = String, Path), ("Idempotency-Key" = Option<String>, Header)),
    responses((status = 200, body = ReviewDocument),
    (status = 409, body = Problem, content_type = "application/problem+json"),
    (status = "default", body = Problem, content_type = "application/problem+json")))]
pub async fn vote(
    State(app): State<App>,
    Caller(by): Caller,
    Place(id): Place<String>,
    Key(key): Key,
    Body(mut request): Body<VoteRequest>,
) -> Done {
    let claimed = request.take_signature();
    let mut verb = request.into_model()?;
    if let (Some(claimed), ReviewVerb::Vote { verdict, reason, uses, until, signature, .. }) =
        (claimed, &mut verb)
    {
        let review = app.handle.plain_review(&by, named(&id)?)?;
        let (verdict, uses, until) = (*verdict, *uses, *until);
        let cast = Cast { verdict, reason: reason.as_deref(), uses, until };
        *signature = Some(signature::checked(&app, &by, &review, cast, &claimed)?);
    }
    act(&app, &id, verb, key, &by).await
}

/// Changes what it is about; earlier votes do not count any more.
#[utoipa::path(post, path = "/api/v1/reviews/{id}/edit", tag = "reviews",
    request_body = EditRequest,
    params(("id" = String, Path), ("Idempotency-Key" = Option<String>, Header)),
    responses((status = 200, body = ReviewDocument),
    (status = "default", body = Problem, content_type = "application/problem+json")))]
pub async fn edit(
    State(app): State<App>,
    Caller(by): Caller,
    Place(id): Place<String>,
    Key(key): Key,
    Body(request): Body<EditRequest>,
) -> Done {
    act(&app, &id, request.into_model()?, key, &by).await
}

/// Asks the job something; the clock stops until the answer.
#[utoipa::path(post, path = "/api/v1/reviews/{id}/ask-back", tag = "reviews",
    request_body = SayRequest,
    params(("id" = String, Path), ("Idempotency-Key" = Option<String>, Header)),
    responses((status = 200, body = ReviewDocument),
    (status = "default", body = Problem, content_type = "application/problem+json")))]
pub async fn ask_back(
    State(app): State<App>,
    Caller(by): Caller,
    Place(id): Place<String>,
    Key(key): Key,
    Body(SayRequest { text }): Body<SayRequest>,
) -> Done {
    act(&app, &id, ReviewVerb::AskBack { text }, key, &by).await
}

/// The job, its owner or an operator answers.
#[utoipa::path(post, path = "/api/v1/reviews/{id}/answer", tag = "reviews",
    request_body = SayRequest,
    params(("id" = String, Path), ("Idempotency-Key" = Option<String>, Header)),
    responses((status = 200, body = ReviewDocument),
    (status = "default", body = Problem, content_type = "application/problem+json")))]
pub async fn answer(
    State(app): State<App>,
    Caller(by): Caller,
    Place(id): Place<String>,
    Key(key): Key,
    Body(SayRequest { text }): Body<SayRequest>,
) -> Done {
    act(&app, &id, ReviewVerb::Answer { text }, key, &by).await
}

/// Hands one's seat on for this review.
#[utoipa::path(post, path = "/api/v1/reviews/{id}/delegate", tag = "reviews",
    request_body = DelegateRequest,
    params(("id" = String, Path), ("Idempotency-Key" = Option<String>, Header)),
    responses((status = 200, body = ReviewDocument),
    (status = "default", body = Problem, content_type = "application/problem+json")))]
pub async fn delegate(
    State(app): State<App>,
    Caller(by): Caller,
    Place(id): Place<String>,
    Key(key): Key,
    Body(DelegateRequest { to }): Body<DelegateRequest>,
) -> Done {
    act(&app, &id, ReviewVerb::Delegate { to: to.into() }, key, &by).await
}

/// Asks the next people too.
#[utoipa::path(post, path = "/api/v1/reviews/{id}/escalate", tag = "reviews",
    params(("id" = String, Path), ("Idempotency-Key" = Option<String>, Header)),
    responses((status = 200, body = ReviewDocument),
    (status = "default", body = Problem, content_type = "application/problem+json")))]
pub async fn escalate(
    State(app): State<App>,
    Caller(by): Caller,
    Place(id): Place<String>,
    Key(key): Key,
) -> Done {
    act(&app, &id, ReviewVerb::Escalate, key, &by).await
}

/// Gives it more time.
#[utoipa::path(post, path = "/api/v1/reviews/{id}/extend", tag = "reviews",
    request_body = ExtendRequest,
    params(("id" = String, Path), ("Idempotency-Key" = Option<String>, Header)),
    responses((status = 200, body = ReviewDocument),
    (status = "default", body = Problem, content_type = "application/problem+json")))]
pub async fn extend(
    State(app): State<App>,
    Caller(by): Caller,
    Place(id): Place<String>,
    Key(key): Key,
    Body(ExtendRequest { by_ms }): Body<ExtendRequest>,
) -> Done {
    act(&app, &id, ReviewVerb::Extend { by: Span(by_ms) }, key, &by).await
}

/// The asker takes it back.
#[utoipa::path(post, path = "/api/v1/reviews/{id}/withdraw", tag = "reviews",
    request_body = WithdrawRequest,
    params(("id" = String, Path), ("Idempotency-Key" = Option<String>, Header)),
    responses((status = 200, body = ReviewDocument),
    (status = "default", body = Problem, content_type = "application/problem+json")))]
pub async fn withdraw(
    State(app): State<App>,
    Caller(by): Caller,
    Place(id): Place<String>,
    Key(key): Key,
    Body(WithdrawRequest { reason, abandoned }): Body<WithdrawRequest>,
) -> Done {
    act(&app, &id, ReviewVerb::Withdraw { reason, abandoned }, key, &by).await
}

/// Takes back a yes that was not used yet; of a review that is open, one's own vote.
#[utoipa::path(post, path = "/api/v1/reviews/{id}/revoke", tag = "reviews",
    request_body = RevokeRequest,
    params(("id" = String, Path), ("Idempotency-Key" = Option<String>, Header)),
    responses((status = 200, body = ReviewDocument),
    (status = "default", body = Problem, content_type = "application/problem+json")))]
pub async fn revoke(
    State(app): State<App>,
    Caller(by): Caller,
    Place(id): Place<String>,
    Key(key): Key,
    Body(RevokeRequest { reason }): Body<RevokeRequest>,
) -> Done {
    act(&app, &id, ReviewVerb::Revoke { reason }, key, &by).await
}

/// Somebody looks at it: others see that for a minute, and longer if it is said again.
#[utoipa::path(post, path = "/api/v1/reviews/{id}/look", tag = "reviews",
    params(("id" = String, Path)), responses((status = 200, body = ReviewDocument),
    (status = "default", body = Problem, content_type = "application/problem+json")))]
pub async fn look(State(app): State<App>, Caller(by): Caller, Place(id): Place<String>) -> Done {
    act(&app, &id, ReviewVerb::Look, None, &by).await
}

/// Somebody does not look at it any more.
#[utoipa::path(post, path = "/api/v1/reviews/{id}/leave", tag = "reviews",
    params(("id" = String, Path)), responses((status = 200, body = ReviewDocument),
    (status = "default", body = Problem, content_type = "application/problem+json")))]
pub async fn leave(State(app): State<App>, Caller(by): Caller, Place(id): Place<String>) -> Done {
    act(&app, &id, ReviewVerb::Leave, None, &by).await
}

/// Uses the right, once: 200 means that the hashed action may be done now. 409 `changed` says that
/// something else is to be done, or that the world is not as it was: `review` is then the one that
/// took this one's place. 410 `spent` says that the right is used up or gone.
#[utoipa::path(post, path = "/api/v1/reviews/{id}/redeem", tag = "reviews",
    request_body = RedeemRequest,
    params(("id" = String, Path), ("Idempotency-Key" = Option<String>, Header)),
    responses((status = 200, body = ReviewDocument),
    (status = 409, body = Problem, content_type = "application/problem+json"),
    (status = 410, body = Problem, content_type = "application/problem+json"),
    (status = "default", body = Problem, content_type = "application/problem+json")))]
pub async fn redeem(
    State(app): State<App>,
    Caller(by): Caller,
    Place(id): Place<String>,
    Key(key): Key,
    Body(request): Body<RedeemRequest>,
) -> Done {
    let verb = request.into_model()?;
    let id = named(&id)?;
    if let Err(refusal) = app.handle.review_act(id, verb, key, by.clone()).await {
        return Err(with_review(&app, &by, id, refusal));
    }
    // Something became so, but not necessarily that the right was used.
    let review = app.handle.plain_review(&by, id)?;
    let no = |code, what: String, hint: &str| Fault::from(Refusal::new(code, what, hint));
    match review.state {
        ReviewState::Superseded => {
            let new = review.replaced_by.and_then(|new| app.handle.plain_review(&by, new).ok());
            let new = new.unwrap_or_else(|| review.clone());
            let what =
                format!("what is to be done is not what {id} approved; {} asks anew", new.id);
            Err(no(RefusalCode::Changed, what, "wait for its answer").about(&new))
        }
        ReviewState::Abandoned | ReviewState::Revoked => {
            let why = review.decision.as_ref().and_then(|decision| decision.reason.clone());
            let why = why.map_or_else(String::new, |why| format!(": {why}"));
            let what = format!("{id} gives no right: it is {}{why}", review.state.word());
            Err(no(RefusalCode::Spent, what, "ask again").about(&review))
        }
        _ => document(&app, &by, id),
    }
}

/// Hands all one's seats on for a while, or takes them back.
#[utoipa::path(put, path = "/api/v1/away", tag = "reviews", request_body = AwayRequest,
    responses((status = 200, body = Receipt),
    (status = "default", body = Problem, content_type = "application/problem+json")))]
pub async fn away(
    State(app): State<App>,
    Caller(by): Caller,
    Body(AwayRequest { from, to, until }): Body<AwayRequest>,
) -> Answer<Json<Receipt>> {
    let until = until.map(|time| time.0);
    let receipt = app.handle.away(from.map(Into::into), to.map(Into::into), until, by).await?;
    Ok(Json(Receipt::new(receipt.seq, &[])))
}
