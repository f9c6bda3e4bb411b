//! Nodes and what every reader's header shows.

use axum::Json;
use axum::extract::State;

use super::app::App;
use super::extract::{Body, Caller, Place};
use super::fault::Answer;
use crate::api::wire::history::History;
use crate::api::wire::node::NodeList;
use crate::api::wire::problem::Problem;
use crate::api::wire::receipt::Receipt;
use crate::api::wire::requests::{DrainRequest, WarningRequest};
use crate::api::wire::summary::Summary;
use crate::base::Span;
use crate::model::{Actor, Command};

/// The nodes.
#[utoipa::path(get, path = "/api/v1/nodes", tag = "nodes", responses(
    (status = 200, body = NodeList),
    (status = "default", body = Problem, content_type = "application/problem+json")))]
pub async fn list(State(app): State<App>, Caller(by): Caller) -> Answer<Json<NodeList>> {
    let summary = app.handle.summary(&by).await?;
    Ok(Json(NodeList::new(&summary.nodes, summary.kept_day.as_ref())))
}

/// Nodes, countable resources, counts, holds.
#[utoipa::path(get, path = "/api/v1/summary", tag = "nodes", responses(
    (status = 200, body = Summary),
    (status = "default", body = Problem, content_type = "application/problem+json")))]
pub async fn summary(State(app): State<App>, Caller(by): Caller) -> Answer<Json<Summary>> {
    Ok(Json(Summary::from(&app.handle.summary(&by).await?)))
}

/// Use and queue over the last two hours, a value a minute; it begins with the server.
#[utoipa::path(get, path = "/api/v1/history", tag = "nodes", responses(
    (status = 200, body = History),
    (status = "default", body = Problem, content_type = "application/problem+json")))]
pub async fn history(State(app): State<App>, Caller(by): Caller) -> Answer<Json<History>> {
    Ok(Json(History::from(&app.handle.history(&by).await?)))
}

/// Keeps new work from a node.
#[utoipa::path(post, path = "/api/v1/nodes/{name}/drain", tag = "nodes",
    params(("name" = String, Path)), request_body = Option<DrainRequest>, responses(
    (status = 200, body = Receipt),
    (status = "default", body = Problem, content_type = "application/problem+json")))]
pub async fn drain(
    State(app): State<App>,
    Caller(by): Caller,
    Place(name): Place<String>,
    request: Option<Body<DrainRequest>>,
) -> Answer<Json<Receipt>> {
    switch(&app, name, true, request, by).await
}

/// Lets new work come to a node again.
#[utoipa::path(post, path = "/api/v1/nodes/{name}/undrain", tag = "nodes",
    params(("name" = String, Path)), request_body = Option<DrainRequest>, responses(
    (status = 200, body = Receipt),
    (status = "default", body = Problem, content_type = "application/problem+json")))]
pub async fn undrain(
    State(app): State<App>,
    Caller(by): Caller,
    Place(name): Place<String>,
    request: Option<Body<DrainRequest>>,
) -> Answer<Json<Receipt>> {
    switch(&app, name, false, request, by).await
}

/// Says that a spot node is about to vanish: what runs there saves itself and queues again.
#[utoipa::path(post, path = "/api/v1/nodes/{name}/warning", tag = "nodes",
    params(("name" = String, Path)), request_body = WarningRequest, responses(
    (status = 200, body = Receipt),
    (status = "default", body = Problem, content_type = "application/problem+json")))]
pub async fn warning(
    State(app): State<App>,
    Caller(by): Caller,
    Place(name): Place<String>,
    Body(request): Body<WarningRequest>,
) -> Answer<Json<Receipt>> {
    let command = Command::WarnNode { node: name.into(), left: Span(request.in_ms), by };
    let receipt = app.handle.command(command).await?;
    Ok(Json(Receipt::new(receipt.seq, &receipt.jobs)))
}

async fn switch(
    app: &App,
    name: String,
    on: bool,
    request: Option<Body<DrainRequest>>,
    by: Actor,
) -> Answer<Json<Receipt>> {
    let reason = request.and_then(|Body(request)| request.reason);
    let command = Command::Drain { node: name.into(), on, reason, by };
    let receipt = app.handle.command(command).await?;
    Ok(Json(Receipt::new(receipt.seq, &receipt.jobs)))
}
