//! Signs a vote for whoever speaks to a server: the ballot is worked out here from what was shown,
//! never taken from the server.

use tokio::sync::oneshot;

use super::{LinkError, Pen};
use crate::api::client::Client;
use crate::api::client::sign::{Unsigned, sign};
use crate::base::Digest;
use crate::model::refusal::{Refusal, RefusalCode};
use crate::model::review::{Ballot, Cast, Review, Signature};

/// The signature of a vote on a review as it was shown.
///
/// # Errors
/// Without a key that can be used, and when the server shows one thing under the hash of another.
pub(super) async fn vote(
    client: &Client,
    review: &Review,
    cast: Cast<'_>,
    pen: &Pen,
) -> Result<Box<Signature>, LinkError> {
    if Digest::of(review.canonical().as_bytes()) != review.hash {
        let what =
            format!("the hash of {} is not that of its bytes; nothing was signed", review.id);
        return Err(refused(what, "do not answer it; look at `verify audit`"));
    }
    let booth = client.booth(review.id).await?;
    let text = Ballot::of(&booth, review, cast).text();
    let armoured =
        written(pen.clone(), text.clone()).await.map_err(|Unsigned { what, hint }| {
            refused(format!("the vote was not signed, so it was not sent: {what}"), hint)
        })?;
    Ok(Box::new(Signature { key: String::new(), touched: false, armoured, text }))
}

fn refused(what: impl Into<String>, hint: impl Into<String>) -> LinkError {
    LinkError::Refused(Refusal::new(RefusalCode::Forbidden, what, hint))
}

/// Signs on a thread of its own: whoever gives up waiting, or ends, waits for no agent.
async fn written(pen: Pen, text: String) -> Result<String, Unsigned> {
    let (done, answer) = oneshot::channel();
    std::thread::spawn(move || {
        // Nobody may be there any more to take it.
        let _ = done.send(sign(&pen, &text));
    });
    let broken = |_| Unsigned { what: "signing it broke".to_owned(), hint: String::new() };
    answer.await.map_err(broken)?
}
