//! The tree of teams.

use axum::Json;
use axum::extract::State;

use super::app::App;
use super::extract::{Body, Caller, Key, Place};
use super::fault::Answer;
use crate::api::wire::problem::Problem;
use crate::api::wire::receipt::Receipt;
use crate::api::wire::team::{NewTeam, TeamList, TermsRequest};
use crate::model::Actor;
use crate::model::team::TeamEdit;

/// The teams, with what they hold and want.
#[utoipa::path(get, path = "/api/v1/teams", tag = "teams", responses(
    (status = 200, body = TeamList),
    (status = "default", body = Problem, content_type = "application/problem+json")))]
pub async fn list(State(app): State<App>, Caller(by): Caller) -> Answer<Json<TeamList>> {
    Ok(Json(TeamList::from(&app.handle.teams(&by).await?)))
}

/// Adds a team.
#[utoipa::path(post, path = "/api/v1/teams", tag = "teams", request_body = NewTeam,
    params(("Idempotency-Key" = Option<String>, Header)), responses(
    (status = 200, body = Receipt),
    (status = "default", body = Problem, content_type = "application/problem+json")))]
pub async fn add(
    State(app): State<App>,
    Caller(by): Caller,
    Key(key): Key,
    Body(NewTeam { name, terms }): Body<NewTeam>,
) -> Answer<Json<Receipt>> {
    edit(&app, name, TeamEdit::Add(terms.into()), key, by).await
}

/// Changes a team's terms.
#[utoipa::path(patch, path = "/api/v1/teams/{name}", tag = "teams",
    request_body = TermsRequest,
    params(("name" = String, Path), ("Idempotency-Key" = Option<String>, Header)), responses(
    (status = 200, body = Receipt),
    (status = "default", body = Problem, content_type = "application/problem+json")))]
pub async fn change(
    State(app): State<App>,
    Caller(by): Caller,
    Place(name): Place<String>,
    Key(key): Key,
    Body(terms): Body<TermsRequest>,
) -> Answer<Json<Receipt>> {
    edit(&app, name, TeamEdit::Set(terms.into()), key, by).await
}

/// Removes a team that has no live jobs and no teams below it.
#[utoipa::path(delete, path = "/api/v1/teams/{name}", tag = "teams",
    params(("name" = String, Path), ("Idempotency-Key" = Option<String>, Header)), responses(
    (status = 200, body = Receipt),
    (status = "default", body = Problem, content_type = "application/problem+json")))]
pub async fn remove(
    State(app): State<App>,
    Caller(by): Caller,
    Place(name): Place<String>,
    Key(key): Key,
) -> Answer<Json<Receipt>> {
    edit(&app, name, TeamEdit::Remove, key, by).await
}

async fn edit(
    app: &App,
    name: String,
    edit: TeamEdit,
    key: Option<String>,
    by: Actor,
) -> Answer<Json<Receipt>> {
    let receipt = app.handle.edit_team(name.into(), edit, key, by).await?;
    Ok(Json(Receipt::new(receipt.seq, &receipt.jobs)))
}
