//! A job's terminal: bytes in, size.

use axum::Json;
use axum::extract::State;
use serde::Deserialize;
use utoipa::IntoParams;

use super::app::App;
use super::extract::{Body, Caller, Params, Place, Raw};
use super::fault::Answer;
use crate::api::wire::problem::Problem;
use crate::api::wire::receipt::Receipt;
use crate::api::wire::requests::ResizeRequest;
use crate::base::JobId;

/// Which task.
#[derive(Debug, Default, Deserialize, IntoParams)]
#[serde(default, deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub struct InputParams {
    /// The task; 0 if not given.
    rank: u32,
}

fn done() -> Json<Receipt> {
    Json(Receipt::new(0, &[]))
}

/// Types into a job's terminal: the body's bytes as they are.
#[utoipa::path(post, path = "/api/v1/jobs/{id}/input", tag = "jobs",
    params(("id" = u64, Path), InputParams),
    request_body(content = Vec<u8>, content_type = "application/octet-stream"), responses(
    (status = 200, body = Receipt),
    (status = "default", body = Problem, content_type = "application/problem+json")))]
pub async fn input(
    State(app): State<App>,
    Caller(by): Caller,
    Place(id): Place<u64>,
    Params(params): Params<InputParams>,
    Raw(bytes): Raw,
) -> Answer<Json<Receipt>> {
    app.handle.input(by, JobId(id), params.rank, &bytes).await?;
    Ok(done())
}

/// Changes the size of a job's terminal.
#[utoipa::path(post, path = "/api/v1/jobs/{id}/resize", tag = "jobs",
    params(("id" = u64, Path)), request_body = ResizeRequest, responses(
    (status = 200, body = Receipt),
    (status = "default", body = Problem, content_type = "application/problem+json")))]
pub async fn resize(
    State(app): State<App>,
    Caller(by): Caller,
    Place(id): Place<u64>,
    Body(size): Body<ResizeRequest>,
) -> Answer<Json<Receipt>> {
    app.handle.resize(&by, JobId(id), size.rank, size.rows, size.cols).await?;
    Ok(done())
}
