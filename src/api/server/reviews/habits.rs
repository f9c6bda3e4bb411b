//! How the rules for reviews are answered.

use axum::Json;
use axum::extract::State;

use crate::api::server::app::App;
use crate::api::server::extract::Caller;
use crate::api::server::fault::Answer;
use crate::api::wire::problem::Problem;
use crate::api::wire::review::habit::HabitList;

/// How often each rule asked, how often people said yes, how long they looked.
#[utoipa::path(get, path = "/api/v1/reviews/rules", tag = "reviews",
    responses((status = 200, body = HabitList),
    (status = "default", body = Problem, content_type = "application/problem+json")))]
pub async fn rules(State(app): State<App>, Caller(by): Caller) -> Answer<Json<HabitList>> {
    Ok(Json(HabitList::new(&app.handle.habits(&by).await?)))
}
