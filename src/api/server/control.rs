//! The server itself, and what it remembers for each user.

use axum::Json;
use axum::extract::State;

use super::app::App;
use super::extract::{Body, Caller};
use super::fault::Answer;
use crate::api::wire::problem::Problem;
use crate::api::wire::receipt::{Compacted, Looked, Receipt};
use crate::api::wire::requests::{LookedRequest, StopRequest};
use crate::api::wire::status::ServerStatus;
use crate::model::Actor;

/// What the engine tells without asking for rights is for those who may look: the server's own
/// user, and whoever the engine lets see the summary.
pub(super) async fn may_look(app: &App, by: &Actor) -> Answer<()> {
    if !app.is_own(by) {
        app.handle.summary(by).await?;
    }
    Ok(())
}

/// The server itself.
#[utoipa::path(get, path = "/api/v1/server", tag = "server", responses(
    (status = 200, body = ServerStatus),
    (status = "default", body = Problem, content_type = "application/problem+json")))]
pub async fn status(State(app): State<App>, Caller(by): Caller) -> Answer<Json<ServerStatus>> {
    may_look(&app, &by).await?;
    Ok(Json(ServerStatus::from(app.handle.status().await)))
}

/// Ends the server, with its jobs if asked.
#[utoipa::path(post, path = "/api/v1/server/stop", tag = "server", request_body = StopRequest,
    responses((status = 200, body = Receipt),
    (status = "default", body = Problem, content_type = "application/problem+json")))]
pub async fn stop(
    State(app): State<App>,
    Caller(by): Caller,
    Body(request): Body<StopRequest>,
) -> Answer<Json<Receipt>> {
    app.handle.stop(&by, request.with_jobs).await?;
    Ok(Json(Receipt::new(0, &[])))
}

/// Makes the journal shorter.
#[utoipa::path(post, path = "/api/v1/server/compact", tag = "server", responses(
    (status = 200, body = Compacted),
    (status = "default", body = Problem, content_type = "application/problem+json")))]
pub async fn compact(State(app): State<App>, Caller(by): Caller) -> Answer<Json<Compacted>> {
    Ok(Json(Compacted::new(app.handle.compact(&by).await?)))
}

/// When this user last looked at what ended.
#[utoipa::path(get, path = "/api/v1/looked", tag = "server", responses(
    (status = 200, body = Looked),
    (status = "default", body = Problem, content_type = "application/problem+json")))]
pub async fn looked(State(app): State<App>, Caller(by): Caller) -> Answer<Json<Looked>> {
    Ok(Json(Looked::new(app.handle.looked(&by, None).await?)))
}

/// Moves that mark; the answer is where it was before.
#[utoipa::path(put, path = "/api/v1/looked", tag = "server", request_body = LookedRequest,
    responses((status = 200, body = Looked),
    (status = "default", body = Problem, content_type = "application/problem+json")))]
pub async fn look(
    State(app): State<App>,
    Caller(by): Caller,
    Body(request): Body<LookedRequest>,
) -> Answer<Json<Looked>> {
    let mark = app.handle.looked(&by, Some(request.looked_at.0)).await?;
    Ok(Json(Looked::new(mark)))
}
