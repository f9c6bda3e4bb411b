//! A job asks.

use axum::Json;
use axum::extract::State;

use super::read::document;
use crate::api::server::app::App;
use crate::api::server::extract::{Body, Caller, Key};
use crate::api::server::fault::{Answer, Fault};
use crate::api::wire::problem::Problem;
use crate::api::wire::review::card::ReviewDocument;
use crate::api::wire::review::requests::AskRequest;

/// Asks people on a job's behalf, or finds the review that the same request opened. The action
/// has at most 64 KiB; more must be a list of files with their digests.
#[utoipa::path(post, path = "/api/v1/reviews", tag = "reviews", request_body = AskRequest,
    params(("Idempotency-Key" = Option<String>, Header)), responses(
    (status = 200, body = ReviewDocument),
    (status = "default", body = Problem, content_type = "application/problem+json")))]
pub async fn ask(
    State(app): State<App>,
    Caller(by): Caller,
    Key(key): Key,
    Body(mut request): Body<AskRequest>,
) -> Answer<Json<ReviewDocument>> {
    let step = request.take_environment();
    let (job, ask) = request.into_model(key)?;
    let Some(job) = job.or(by.in_job) else {
        let what = "it is not said which job asks";
        return Err(Fault::usage(what, "name `job`, or ask from inside of it"));
    };
    let receipt = app.handle.ask(job, ask, step, by.clone()).await?;
    let Some(review) = receipt.review else { return Err(Fault::panicked()) };
    document(&app, &by, review)
}
