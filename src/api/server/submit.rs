//! Making jobs.

use axum::Json;
use axum::extract::State;
use axum::http::StatusCode;

use super::app::App;
use super::extract::{Body, Caller, Key, Place};
use super::fault::{Answer, Fault};
use crate::api::wire::problem::Problem;
use crate::api::wire::receipt::Receipt;
use crate::api::wire::submission::{Submission, SubmitRequest};
use crate::base::JobId;
use crate::engine;

fn created(receipt: &engine::Receipt) -> (StatusCode, Json<Receipt>) {
    (StatusCode::CREATED, Json(Receipt::new(receipt.seq, &receipt.jobs)))
}

/// Queues jobs, all or none.
#[utoipa::path(post, path = "/api/v1/jobs", tag = "jobs", request_body = SubmitRequest,
    params(("Idempotency-Key" = Option<String>, Header)), responses(
    (status = 201, body = Receipt),
    (status = "default", body = Problem, content_type = "application/problem+json")))]
pub async fn submit(
    State(app): State<App>,
    Caller(by): Caller,
    Key(key): Key,
    Body(request): Body<SubmitRequest>,
) -> Answer<(StatusCode, Json<Receipt>)> {
    let jobs = request.into_model()?;
    if jobs.is_empty() {
        return Err(Fault::usage("jobs is empty", "name at least one"));
    }
    Ok(created(&app.handle.submit(jobs, key, by).await?))
}

/// A copy of a job as a new job, with what the body says differently.
#[utoipa::path(post, path = "/api/v1/jobs/{id}/again", tag = "jobs", request_body = Submission,
    params(("id" = u64, Path), ("Idempotency-Key" = Option<String>, Header)), responses(
    (status = 201, body = Receipt),
    (status = "default", body = Problem, content_type = "application/problem+json")))]
pub async fn again(
    State(app): State<App>,
    Caller(by): Caller,
    Place(id): Place<u64>,
    Key(key): Key,
    Body(changes): Body<Submission>,
) -> Answer<(StatusCode, Json<Receipt>)> {
    let changes = changes.into_model()?;
    Ok(created(&app.handle.again(JobId(id), changes, key, by).await?))
}
