//! Calls about reviews.

use super::{Ask, CallError, Client};
use crate::api::wire::receipt::Receipt;
use crate::api::wire::review::booth::BoothDocument;
use crate::api::wire::review::card::ReviewDocument;
use crate::api::wire::review::habit::HabitList;
use crate::api::wire::review::list::{ReviewList, cursor_text};
use crate::api::wire::review::requests::{AskRequest, AwayRequest, body_of};
use crate::api::wire::time::Time;
use crate::api::wire::{WireError, check_version};
use crate::base::{JobId, Name, ReviewId, Span, Wall};
use crate::model::page::habits::HabitRow;
use crate::model::page::reviews::Which;
use crate::model::page::{ReviewCard, ReviewPage, ReviewQuery};
use crate::model::program::Environment;
use crate::model::review::{self, Booth, ReviewVerb};

type Call<T> = Result<T, CallError>;

fn of_review(review: ReviewId, what: &str) -> String {
    format!("/api/v1/reviews/{review}{what}")
}

impl Client {
    /// A page of reviews.
    ///
    /// # Errors
    /// As every call.
    pub async fn reviews(&self, query: &ReviewQuery) -> Call<ReviewPage> {
        let ReviewQuery { which, mine, by, job, team, effect, limit, cursor } = query;
        let state = match which {
            Which::Open => "open",
            Which::All => "all",
            Which::In(state) => state.word(),
        };
        let ask = Ask::get("/api/v1/reviews")
            .query("state", Some(state))
            .query("mine", Some(*mine).filter(|mine| *mine))
            .query("by", by.as_ref())
            .query("job", job.as_ref())
            .query("team", team.as_ref())
            .query("effect", effect.map(|effect| effect.word()))
            .query("limit", Some(*limit))
            .query("cursor", cursor.map(cursor_text));
        Ok(self.document::<ReviewList>(ask).await?.try_into()?)
    }

    /// Everything about one review; with a wait, once it changes or after that.
    ///
    /// # Errors
    /// As every call.
    pub async fn review(&self, review: ReviewId, wait: Option<Span>) -> Call<ReviewCard> {
        let ask = Ask::get(of_review(review, "")).query("wait", wait.map(|wait| wait.0 / 1000));
        Ok(self.document::<ReviewDocument>(ask).await?.try_into()?)
    }

    /// A job asks, the caller's own if none is named; with an environment it may run as a step. The
    /// same request again finds the same review, by its own key or by its action.
    ///
    /// # Errors
    /// As every call.
    pub async fn ask(
        &self,
        job: Option<JobId>,
        what: &review::Ask,
        step: Option<&Environment>,
    ) -> Call<ReviewCard> {
        let request = AskRequest::new(job, what);
        let request = match step {
            Some(environment) => request.with_step(environment),
            None => request,
        };
        let ask = Ask::post("/api/v1/reviews").json(&request)?;
        let ask = match &what.key {
            Some(key) => ask.with_key(key.clone()),
            None => ask,
        };
        Ok(self.document::<ReviewDocument>(ask).await?.try_into()?)
    }

    /// Does something with a review, under the caller's key or one of its own; it as it stands
    /// then.
    ///
    /// # Errors
    /// As every call.
    pub async fn review_act(
        &self,
        review: ReviewId,
        verb: &ReviewVerb,
        key: Option<String>,
    ) -> Call<ReviewCard> {
        let what = match verb {
            ReviewVerb::Vote { .. } => "vote",
            verb => verb.word(),
        };
        let body = body_of(verb).map_err(|error| WireError(error.to_string()))?;
        let ask = Ask::post(of_review(review, &format!("/{what}"))).json(&body)?;
        let ask = match key {
            Some(key) => ask.with_key(key),
            None => ask.keyed(),
        };
        Ok(self.document::<ReviewDocument>(ask).await?.try_into()?)
    }

    /// How each rule is answered.
    ///
    /// # Errors
    /// As every call.
    pub async fn habits(&self) -> Call<Vec<HabitRow>> {
        let ask = Ask::get("/api/v1/reviews/rules");
        Ok(self.document::<HabitList>(ask).await?.try_into()?)
    }

    /// What this user must know to sign a vote on a review.
    ///
    /// # Errors
    /// As every call.
    pub async fn booth(&self, review: ReviewId) -> Call<Booth> {
        let ask = Ask::get(of_review(review, "/booth"));
        Ok(self.document::<BoothDocument>(ask).await?.try_into()?)
    }

    /// Hands all seats of somebody on for a while, or takes them back.
    ///
    /// # Errors
    /// As every call.
    pub async fn away(
        &self,
        from: Option<Name>,
        to: Option<Name>,
        until: Option<Wall>,
    ) -> Call<()> {
        let text = |name: Option<Name>| name.map(|name| name.to_string());
        let request = AwayRequest { from: text(from), to: text(to), until: until.map(Time) };
        let ask = Ask::put("/api/v1/away").json(&request)?;
        let receipt: Receipt = self.document(ask).await?;
        Ok(check_version(receipt.schema_version)?)
    }
}
