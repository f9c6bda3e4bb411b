//! Reading jobs.

use axum::Json;
use axum::extract::State;
use serde::Deserialize;
use utoipa::IntoParams;

use super::app::App;
use super::extract::{Caller, Params, Place};
use super::fault::{Answer, Fault};
use super::sentences::Sentences;
use crate::api::wire::cursor::cursor_of;
use crate::api::wire::detail::JobDocument;
use crate::api::wire::list::JobList;
use crate::api::wire::problem::Problem;
use crate::api::wire::time::Time;
use crate::api::wire::why::WhyDocument;
use crate::base::JobId;
use crate::model::page::{Cursor, Ended, Query};
use crate::view::filter;

/// Rows of a page that says nothing.
const LIMIT: usize = 200;
/// Rows of a page at most.
const LIMIT_MAX: usize = 1000;

/// Which jobs.
#[derive(Debug, Default, Deserialize, IntoParams)]
#[serde(default, deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub struct ListParams {
    /// Filter language: `state=queued team=ml gpu=3..`.
    filter: String,
    /// Which ended jobs: `none`, `all` (the default), or those that ended after a time.
    ended: Option<String>,
    /// Rows at most: 1 to 1000.
    limit: Option<usize>,
    /// `next_cursor` of the page before.
    cursor: Option<String>,
    /// Go back: the page that ends before this place; `next_cursor` then leads further back.
    /// `end` is behind the last job.
    before: Option<String>,
    /// Only these jobs: numbers between commas, 1000 at most. Those that are gone or do not match
    /// are left out.
    ids: Option<String>,
}

impl ListParams {
    fn into_query(self) -> Answer<Query> {
        let limit = self.limit.unwrap_or(LIMIT);
        if limit == 0 || limit > LIMIT_MAX {
            return Err(Fault::usage(
                format!("limit {limit} is not 1 to {LIMIT_MAX}"),
                "go on with next_cursor for more",
            ));
        }
        Ok(Query {
            filter: filter::parse(&self.filter)?,
            ended: ended_of(self.ended.as_deref())?,
            limit,
            cursor: self.cursor.as_deref().map(cursor_of).transpose()?,
            before: match self.before.as_deref() {
                Some("end") => Some(Cursor::END),
                before => before.map(cursor_of).transpose()?,
            },
            ids: self.ids.as_deref().map_or(Ok(Vec::new()), ids_of)?,
        })
    }
}

fn ids_of(text: &str) -> Answer<Vec<JobId>> {
    let ids: Result<Vec<JobId>, _> = text.split(',').map(|id| id.parse().map(JobId)).collect();
    match ids {
        Ok(ids) if ids.len() <= LIMIT_MAX => Ok(ids),
        Ok(ids) => Err(Fault::usage(
            format!("{} jobs are named, at most {LIMIT_MAX} can be", ids.len()),
            "ask in several calls",
        )),
        Err(_) => Err(Fault::usage("ids are numbers between commas", "write ids=41,42")),
    }
}

fn ended_of(text: Option<&str>) -> Answer<Ended> {
    match text {
        None | Some("all") => Ok(Ended::All),
        Some("none") => Ok(Ended::None),
        Some(time) => match time.parse::<Time>() {
            Ok(time) => Ok(Ended::Since(time.0)),
            Err(error) => Err(Fault::usage(
                format!("ended is neither none nor all nor a time: {error}"),
                "write it like 2026-11-29T14:05:00Z",
            )),
        },
    }
}

/// A page of jobs, by urgency.
#[utoipa::path(get, path = "/api/v1/jobs", tag = "jobs", params(ListParams), responses(
    (status = 200, body = JobList),
    (status = "default", body = Problem, content_type = "application/problem+json")))]
pub async fn list(
    State(app): State<App>,
    Caller(by): Caller,
    Params(params): Params<ListParams>,
) -> Answer<Json<JobList>> {
    let page = app.handle.jobs(&by, params.into_query()?).await?;
    Ok(Json(JobList::new(&page, &Sentences::at(page.at))))
}

/// Everything about one job.
#[utoipa::path(get, path = "/api/v1/jobs/{id}", tag = "jobs", params(("id" = u64, Path)),
    responses((status = 200, body = JobDocument),
    (status = "default", body = Problem, content_type = "application/problem+json")))]
pub async fn show(
    State(app): State<App>,
    Caller(by): Caller,
    Place(id): Place<u64>,
) -> Answer<Json<JobDocument>> {
    let detail = app.handle.job(&by, JobId(id)).await?;
    Ok(Json(JobDocument::new(&detail, &Sentences::now(&app))))
}

/// Why a job is where it is.
#[utoipa::path(get, path = "/api/v1/jobs/{id}/why", tag = "jobs", params(("id" = u64, Path)),
    responses((status = 200, body = WhyDocument),
    (status = "default", body = Problem, content_type = "application/problem+json")))]
pub async fn why(
    State(app): State<App>,
    Caller(by): Caller,
    Place(id): Place<u64>,
) -> Answer<Json<WhyDocument>> {
    let why = app.handle.why(&by, JobId(id)).await?;
    Ok(Json(WhyDocument::new(&why, &Sentences::now(&app))))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::Wall;

    #[test]
    fn a_page_is_bounded_and_its_place_is_checked() {
        let query = |params: ListParams| params.into_query();
        let good = query(ListParams::default()).unwrap();
        assert_eq!((good.limit, good.ended), (LIMIT, Ended::All));
        assert!(query(ListParams { limit: Some(0), ..ListParams::default() }).is_err());
        assert!(query(ListParams { limit: Some(1001), ..ListParams::default() }).is_err());
        let cursor = Some("nonsense".to_owned());
        assert!(query(ListParams { cursor, ..ListParams::default() }).is_err());
        let ended = Some("1970-01-01T00:00:01Z".to_owned());
        let since = query(ListParams { ended, ..ListParams::default() }).unwrap();
        assert_eq!(since.ended, Ended::Since(Wall(1000)));
        let before = Some("end".to_owned());
        let back = query(ListParams { before, ..ListParams::default() }).unwrap();
        assert_eq!(back.before, Some(Cursor::END));
        let ids =
            |text: &str| query(ListParams { ids: Some(text.to_owned()), ..ListParams::default() });
        assert_eq!(ids("41,42").unwrap().ids, [JobId(41), JobId(42)]);
        assert!(ids("41,x").is_err() && ids("").is_err() && ids(&"7,".repeat(1001)).is_err());
        let ended = Some("yesterday".to_owned());
        assert!(query(ListParams { ended, ..ListParams::default() }).is_err());
    }
}
