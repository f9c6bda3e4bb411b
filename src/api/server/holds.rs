//! Holding back a team, or everything.

use axum::Json;
use axum::extract::State;

use super::app::App;
use super::extract::{Body, Caller, Place};
use super::fault::{Answer, Fault};
use crate::api::wire::problem::Problem;
use crate::api::wire::receipt::Receipt;
use crate::api::wire::requests::{LimitRequest, PauseRequest, ResumeRequest};
use crate::model::Command;

/// Holds back a team, or everything.
#[utoipa::path(post, path = "/api/v1/pause", tag = "holds", request_body = PauseRequest,
    responses((status = 200, body = Receipt),
    (status = "default", body = Problem, content_type = "application/problem+json")))]
pub async fn pause(
    State(app): State<App>,
    Caller(by): Caller,
    Body(request): Body<PauseRequest>,
) -> Answer<Json<Receipt>> {
    if request.reason.trim().is_empty() {
        return Err(Fault::usage("reason is empty", "say why, for those who will wonder"));
    }
    carry_out(
        &app,
        Command::Pause {
            team: request.team.map(Into::into),
            until: request.until.map(|time| time.0),
            reason: request.reason,
            by,
        },
    )
    .await
}

/// Lifts the hold of a team, or of everything.
#[utoipa::path(post, path = "/api/v1/resume", tag = "holds", request_body = ResumeRequest,
    responses((status = 200, body = Receipt),
    (status = "default", body = Problem, content_type = "application/problem+json")))]
pub async fn resume(
    State(app): State<App>,
    Caller(by): Caller,
    Body(request): Body<ResumeRequest>,
) -> Answer<Json<Receipt>> {
    carry_out(&app, Command::Resume { team: request.team.map(Into::into), by }).await
}

/// Lets nobody take units of a countable resource for a while, or lets them again.
#[utoipa::path(post, path = "/api/v1/resources/{name}/limit", tag = "holds",
    request_body = LimitRequest, params(("name" = String, Path)),
    responses((status = 200, body = Receipt),
    (status = "default", body = Problem, content_type = "application/problem+json")))]
pub async fn limit(
    State(app): State<App>,
    Caller(by): Caller,
    Place(name): Place<String>,
    Body(request): Body<LimitRequest>,
) -> Answer<Json<Receipt>> {
    let LimitRequest { until, reason } = request;
    let (resource, until) = (name.into(), until.map(|time| time.0));
    carry_out(&app, Command::Limit { resource, until, reason, by }).await
}

async fn carry_out(app: &App, command: Command) -> Answer<Json<Receipt>> {
    let receipt = app.handle.command(command).await?;
    Ok(Json(Receipt::new(receipt.seq, &receipt.jobs)))
}
