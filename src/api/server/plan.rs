//! What would happen if.

use axum::Json;
use axum::extract::State;

use super::app::App;
use super::extract::{Body, Caller};
use super::fault::Answer;
use crate::api::wire::plan::{PlanDocument, PlanRequest};
use crate::api::wire::problem::Problem;

/// Tells what would start, move or have to give room, and whose forecast would change, without
/// touching anything.
#[utoipa::path(post, path = "/api/v1/plan", tag = "jobs", request_body = PlanRequest, responses(
    (status = 200, body = PlanDocument),
    (status = "default", body = Problem, content_type = "application/problem+json")))]
pub async fn plan(
    State(app): State<App>,
    Caller(by): Caller,
    Body(request): Body<PlanRequest>,
) -> Answer<Json<PlanDocument>> {
    let outlook = app.handle.suppose(&by, &request.into_model()?)?;
    Ok(Json(PlanDocument::new(&outlook)))
}
