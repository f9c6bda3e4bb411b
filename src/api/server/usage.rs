//! Who used how much of what.

use axum::Json;
use axum::extract::State;
use serde::Deserialize;
use utoipa::IntoParams;

use super::app::App;
use super::extract::{Caller, Params};
use super::fault::{Answer, Fault};
use crate::api::wire::problem::Problem;
use crate::api::wire::time::Time;
use crate::api::wire::usage::UsageList;
use crate::base::Wall;
use crate::model::page::usage::{UsageBy, UsageQuery};

/// Which usage.
#[derive(Debug, Default, Deserialize, IntoParams)]
#[serde(default, deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub struct UsageParams {
    /// From this time; since metering began if it is not said.
    since: Option<String>,
    /// Up to this time; now if it is not said.
    until: Option<String>,
    /// By what: `team` (the default), `job`, `node` or `class`.
    by: Option<String>,
}

/// Sums of what was used and how it is booked.
#[utoipa::path(get, path = "/api/v1/usage", tag = "ledger", params(UsageParams), responses(
    (status = 200, body = UsageList),
    (status = "default", body = Problem, content_type = "application/problem+json")))]
pub async fn usage(
    State(app): State<App>,
    Caller(by): Caller,
    Params(params): Params<UsageParams>,
) -> Answer<Json<UsageList>> {
    let sums = params.by.as_deref().map(str::parse::<UsageBy>).transpose();
    let query = UsageQuery {
        from: time("since", params.since.as_deref())?,
        to: time("until", params.until.as_deref())?,
        by: sums
            .map_err(|error| Fault::usage(error, "GET /api/v1/usage?by=team"))?
            .unwrap_or_default(),
    };
    Ok(Json(UsageList::from(&app.handle.usage(&by, query).await?)))
}

fn time(what: &str, text: Option<&str>) -> Answer<Option<Wall>> {
    let read = text.map(str::parse::<Time>).transpose();
    let read = read.map_err(|error| {
        Fault::usage(format!("{what}: {error}"), "write it like 2026-11-29T14:05:00Z")
    })?;
    Ok(read.map(|time| time.0))
}
