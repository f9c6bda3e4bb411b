//! Bounds around every handler: how many at once, how long, and what a panic costs.

use std::any::Any;
use std::time::Duration;

use axum::extract::{Request, State};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};

use super::app::App;
use super::fault::Fault;

/// Longest time to an answer that is no stream.
const ANSWER: Duration = Duration::from_secs(30);

/// Takes its turn among the requests that are answered at once, and ends in time. A command
/// that was handed to the engine is decided all the same.
pub async fn in_time(State(app): State<App>, request: Request, next: Next) -> Response {
    let answer = async {
        let _turn = app.requests.acquire().await;
        next.run(request).await
    };
    match tokio::time::timeout(ANSWER, answer).await {
        Ok(response) => response,
        Err(_) => Fault::timeout().into_response(),
    }
}

/// The answer of a handler that panicked; the server goes on.
#[expect(clippy::needless_pass_by_value, reason = "the layer hands it over")]
pub fn panicked(cause: Box<dyn Any + Send + 'static>) -> Response {
    let text = cause.downcast_ref::<&str>().map(|text| (*text).to_owned());
    let text = text.or_else(|| cause.downcast_ref::<String>().cloned());
    tracing::error!(panic = text.as_deref().unwrap_or("?"), "a request failed");
    Fault::panicked().into_response()
}
