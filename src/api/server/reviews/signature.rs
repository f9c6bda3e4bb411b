//! Signatures that come with votes, and what a signer must know.

use axum::Json;
use axum::extract::State;

use super::read::named;
use crate::api::auth::signature::{Claimed, check};
use crate::api::auth::signers::Signers;
use crate::api::server::app::App;
use crate::api::server::extract::{Caller, Place};
use crate::api::server::fault::{Answer, Fault};
use crate::api::wire::problem::Problem;
use crate::api::wire::review::booth::BoothDocument;
use crate::model::Actor;
use crate::model::refusal::{Refusal, RefusalCode};
use crate::model::review::{Ballot, Booth, Cast, Review, Signature};

/// What the caller must know beside the review to sign a vote on it.
#[utoipa::path(get, path = "/api/v1/reviews/{id}/booth", tag = "reviews",
    params(("id" = String, Path)), responses((status = 200, body = BoothDocument),
    (status = "default", body = Problem, content_type = "application/problem+json")))]
pub async fn booth(
    State(app): State<App>,
    Caller(by): Caller,
    Place(id): Place<String>,
) -> Answer<Json<BoothDocument>> {
    let review = app.handle.plain_review(&by, named(&id)?)?;
    Ok(Json(BoothDocument::from(&Booth::of(app.handle.installation(), &by.user, &review))))
}

/// Checks the signature that came with a vote. Only what was checked gets into a command.
///
/// # Errors
/// When it is not good, or can't be checked: a vote is never taken as if it had come without.
pub(super) fn checked(
    app: &App,
    by: &Actor,
    review: &Review,
    cast: Cast<'_>,
    signature: &Signature,
) -> Answer<Box<Signature>> {
    // The same request again, after a lost connection: the core knows it, and takes it no second
    // time for anything else.
    let earlier = review.votes.iter().filter(|vote| vote.by == by.user);
    let mut signatures = earlier.filter_map(|vote| vote.signature.as_ref());
    if let Some(known) = signatures.find(|known| known.armoured == signature.armoured) {
        return Ok(known.clone());
    }
    let booth = Booth::of(app.handle.installation(), &by.user, review);
    let ballot = Ballot::of(&booth, review, cast);
    let text = Some(signature.text.clone()).filter(|text| !text.is_empty());
    let text = text.unwrap_or_else(|| ballot.text());
    let claimed = Claimed { text, armoured: signature.armoured.clone() };
    let path = app.handle.allowed_signers();
    let signers = Signers::open(path).map_err(|why| {
        let what = format!("the vote was not taken, for its signature can't be checked: {why}");
        let hint = "`allowed_signers` under [server] in the configuration names the file";
        Fault::from(Refusal::new(RefusalCode::Forbidden, what, hint))
    })?;
    Ok(Box::new(check(&signers, &ballot, &claimed, app.handle.at().wall)?))
}
