//! Lists of reviews, and one review, with news of it as it comes.

use std::time::Duration;

use axum::Json;
use axum::extract::State;
use serde::Deserialize;
use utoipa::IntoParams;

use crate::api::server::app::App;
use crate::api::server::extract::{Caller, Params, Place};
use crate::api::server::fault::{Answer, Fault};
use crate::api::wire::problem::Problem;
use crate::api::wire::review::card::ReviewDocument;
use crate::api::wire::review::list::{ReviewList, cursor_of};
use crate::base::{JobId, ReviewId};
use crate::model::Actor;
use crate::model::action::EffectClass;
use crate::model::page::reviews::{ReviewQuery, Which};
use crate::model::review::{ReviewState, StepState};

/// Rows of a page that says nothing.
const LIMIT: usize = 200;
/// Rows of a page at most.
const LIMIT_MAX: usize = 1000;
/// The longest wait for news.
const WAIT_MAX: u64 = 50;

/// Which reviews.
#[derive(Debug, Default, Deserialize, IntoParams)]
#[serde(default, deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub struct ReviewsParams {
    /// `open` (the default), `all`, or one state: `approved`, `denied`, `expired` …
    state: Option<String>,
    /// Only open ones that the caller may answer.
    mine: bool,
    /// Only those that jobs of this person ask; `me` is the caller.
    by: Option<String>,
    /// Only those of one job.
    job: Option<u64>,
    /// Only those of a team and the teams below it.
    team: Option<String>,
    /// Only those of one class: `money`, `irreversible` …
    effect: Option<String>,
    /// Rows at most: 1 to 1000.
    limit: Option<usize>,
    /// `next_cursor` of the page before.
    cursor: Option<String>,
}

impl ReviewsParams {
    fn into_query(self) -> Answer<ReviewQuery> {
        let limit = self.limit.unwrap_or(LIMIT);
        if limit == 0 || limit > LIMIT_MAX {
            let what = format!("limit {limit} is not 1 to {LIMIT_MAX}");
            return Err(Fault::usage(what, "go on with next_cursor for more"));
        }
        let which = match self.state.as_deref() {
            None | Some("open") => Which::Open,
            Some("all") => Which::All,
            Some(word) => Which::In(ReviewState::of(word).ok_or_else(|| {
                let words: Vec<&str> = ReviewState::ALL.map(ReviewState::word).into();
                let hint = format!("write all, or one of {}", words.join(", "));
                Fault::usage(format!("{word:?} is no state of a review"), hint)
            })?),
        };
        let effect = |word: String| {
            EffectClass::of(&word).ok_or_else(|| {
                let words: Vec<&str> = EffectClass::ALL.map(EffectClass::word).into();
                let hint = format!("write one of {}", words.join(", "));
                Fault::usage(format!("{word:?} is no class of effects"), hint)
            })
        };
        Ok(ReviewQuery {
            which,
            mine: self.mine,
            by: self.by.map(Into::into),
            job: self.job.map(JobId),
            team: self.team.map(Into::into),
            effect: self.effect.map(effect).transpose()?,
            limit,
            cursor: self.cursor.as_deref().map(cursor_of).transpose()?,
        })
    }
}

/// A page of reviews: open ones first, those that expire first first.
#[utoipa::path(get, path = "/api/v1/reviews", tag = "reviews", params(ReviewsParams),
    responses((status = 200, body = ReviewList),
    (status = "default", body = Problem, content_type = "application/problem+json")))]
pub async fn list(
    State(app): State<App>,
    Caller(by): Caller,
    Params(params): Params<ReviewsParams>,
) -> Answer<Json<ReviewList>> {
    let page = app.handle.reviews(&by, &params.into_query()?);
    Ok(Json(ReviewList::from(&page)))
}

/// How long to wait for news.
#[derive(Debug, Default, Deserialize, IntoParams)]
#[serde(default, deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub struct WaitParams {
    /// Seconds, at most 50: the answer comes when the review changes, or after that. One that is
    /// not open is answered at once, unless a step runs what it approved.
    wait: Option<u64>,
}

/// Everything about one review.
#[utoipa::path(get, path = "/api/v1/reviews/{id}", tag = "reviews",
    params(("id" = String, Path), WaitParams),
    responses((status = 200, body = ReviewDocument),
    (status = "default", body = Problem, content_type = "application/problem+json")))]
pub async fn show(
    State(app): State<App>,
    Caller(by): Caller,
    Place(id): Place<String>,
    Params(WaitParams { wait }): Params<WaitParams>,
) -> Answer<Json<ReviewDocument>> {
    let id = named(&id)?;
    if let Some(seconds) = wait {
        if seconds > WAIT_MAX {
            let what = format!("a wait of {seconds} s");
            return Err(Fault::usage(what, format!("at most {WAIT_MAX}; ask again after that")));
        }
        wait_for_news(&app, &by, id, Duration::from_secs(seconds)).await?;
    }
    document(&app, &by, id)
}

/// Returns when a review changes, has nothing to wait for, or the time is over.
async fn wait_for_news(app: &App, by: &Actor, id: ReviewId, most: Duration) -> Answer<()> {
    // Listened to before it is looked at: nothing falls between.
    let listener = app.handle.listen(id);
    let news = listener.next();
    let review = app.handle.plain_review(by, id)?;
    let runs = review.step.as_deref().is_some_and(|step| step.state == StepState::Runs);
    if !review.is_open() && !runs {
        return Ok(());
    }
    // With more waiting than may be, nobody is turned away: they just ask more often.
    let Ok(_place) = app.waits.clone().try_acquire_owned() else { return Ok(()) };
    tokio::select! {
        () = news => {}
        () = tokio::time::sleep(most) => {}
        () = app.ended() => {}
    }
    Ok(())
}

/// The review behind its text in an address.
pub(super) fn named(text: &str) -> Answer<ReviewId> {
    text.parse().map_err(|()| Fault::usage(format!("{text:?} is no review"), "write it like R17"))
}

/// A review as it stands now.
pub(super) fn document(app: &App, by: &Actor, id: ReviewId) -> Answer<Json<ReviewDocument>> {
    Ok(Json(ReviewDocument::from(&app.handle.review(by, id)?)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_asked_for_is_checked() {
        let state = |word: &str| {
            let params = ReviewsParams { state: Some(word.to_owned()), ..Default::default() };
            params.into_query().map(|query| query.which)
        };
        assert_eq!(state("all"), Ok(Which::All));
        assert_eq!(state("denied"), Ok(Which::In(ReviewState::Denied)));
        assert!(state("pending").is_err());
        let effect = Some("theft".to_owned());
        assert!(ReviewsParams { effect, ..Default::default() }.into_query().is_err());
        assert!(ReviewsParams { limit: Some(0), ..Default::default() }.into_query().is_err());
        assert_eq!(named("r17"), Ok(ReviewId(17)));
        assert!(named("17").is_err());
    }
}
