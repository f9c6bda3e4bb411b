//! Doing something with jobs, and what jobs say about themselves.

use axum::Json;
use axum::extract::State;

use super::app::App;
use super::extract::{Body, Caller, Key, Place};
use super::fault::{Answer, Fault};
use crate::api::wire;
use crate::api::wire::act::ActRequest;
use crate::api::wire::problem::Problem;
use crate::api::wire::receipt::Receipt;
use crate::base::JobId;
use crate::model::Command;
use crate::model::command::Report;

/// Does something with jobs: all of them or, if one refuses, none.
#[utoipa::path(post, path = "/api/v1/jobs/actions", tag = "jobs", request_body = ActRequest,
    params(("Idempotency-Key" = Option<String>, Header)), responses(
    (status = 200, body = Receipt),
    (status = "default", body = Problem, content_type = "application/problem+json")))]
pub async fn act(
    State(app): State<App>,
    Caller(by): Caller,
    Key(key): Key,
    Body(request): Body<ActRequest>,
) -> Answer<Json<Receipt>> {
    let (jobs, verb) = request.into_model()?;
    let receipt = app.handle.act(jobs, verb, key, by).await?;
    Ok(Json(Receipt::new(receipt.seq, &receipt.jobs)))
}

/// Speaks for a job: checkpoint, progress, heartbeat, usage.
#[utoipa::path(post, path = "/api/v1/jobs/{id}/reports", tag = "jobs",
    request_body = wire::report::Report,
    params(("id" = u64, Path), ("Idempotency-Key" = Option<String>, Header)), responses(
    (status = 200, body = Receipt),
    (status = "default", body = Problem, content_type = "application/problem+json")))]
pub async fn report(
    State(app): State<App>,
    Caller(by): Caller,
    Place(id): Place<u64>,
    Key(header): Key,
    Body(report): Body<wire::report::Report>,
) -> Answer<Json<Receipt>> {
    let report = Report::try_from(report).map_err(|error| Fault::usage(&error.0, ""))?;
    let report = match report {
        Report::Usage { amounts, key } => Report::Usage { amounts, key: key.or(header) },
        other => other,
    };
    let command = Command::Report { job: JobId(id), report, by };
    let receipt = app.handle.command(command).await?;
    Ok(Json(Receipt::new(receipt.seq, &receipt.jobs)))
}
