//! Every answer that is not what was asked for: `application/problem+json`.

use axum::Json;
use axum::http::{StatusCode, header};
use axum::response::{IntoResponse, Response};

use crate::api::auth::Stranger;
use crate::api::wire::WireError;
use crate::api::wire::problem::{PROBLEM_JSON, Problem, TIMEOUT, status_of};
use crate::api::wire::review::shown::ReviewShown;
use crate::model::Review;
use crate::model::refusal::{Refusal, RefusalCode};

/// A request that brought nothing.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fault {
    status: StatusCode,
    code: &'static str,
    what: String,
    hint: String,
    review: Option<Box<ReviewShown>>,
}

/// The result of a handler.
pub type Answer<T> = Result<T, Fault>;

impl Fault {
    /// A fault of any status and code.
    pub fn new(
        status: StatusCode,
        code: &'static str,
        what: impl Into<String>,
        hint: impl Into<String>,
    ) -> Fault {
        Fault { status, code, what: what.into(), hint: hint.into(), review: None }
    }

    /// The request makes no sense.
    pub fn usage(what: impl Into<String>, hint: impl Into<String>) -> Fault {
        Refusal::new(RefusalCode::Usage, what, hint).into()
    }

    /// The same with the review it is about, as it stands.
    #[must_use]
    pub fn about(self, review: &Review) -> Fault {
        Fault { review: Some(Box::new(review.into())), ..self }
    }

    /// There is nothing at this address.
    pub fn no_such_address() -> Fault {
        let hint = "the addresses are listed at /openapi.json";
        Fault::new(StatusCode::NOT_FOUND, "not_found", "there is nothing at this address", hint)
    }

    /// The address does not take this method.
    pub fn no_such_method() -> Fault {
        Fault::new(
            StatusCode::METHOD_NOT_ALLOWED,
            "method_not_allowed",
            "this address does not take that method",
            "the methods are listed at /openapi.json",
        )
    }

    /// The answer takes too long.
    pub fn timeout() -> Fault {
        Fault::new(
            StatusCode::SERVICE_UNAVAILABLE,
            TIMEOUT,
            "the answer took too long; whether a change took effect is not known",
            "ask again with the same Idempotency-Key",
        )
    }

    /// A handler panicked.
    pub fn panicked() -> Fault {
        Refusal::new(
            RefusalCode::Internal,
            "the server failed while it answered",
            "its log has more; please report it",
        )
        .into()
    }

    /// Too much at once.
    pub fn too_many(what: &str) -> Fault {
        Refusal::new(RefusalCode::TooMany, what, "close some and ask again").into()
    }
}

impl From<Refusal> for Fault {
    fn from(refusal: Refusal) -> Fault {
        let status = StatusCode::from_u16(status_of(refusal.code));
        Fault {
            status: status.unwrap_or(StatusCode::INTERNAL_SERVER_ERROR),
            code: refusal.code.word(),
            what: refusal.what,
            hint: refusal.hint,
            review: None,
        }
    }
}

impl From<WireError> for Fault {
    fn from(error: WireError) -> Fault {
        let hint = "the documents are described at /openapi.json";
        Fault::new(StatusCode::UNPROCESSABLE_ENTITY, "usage", error.0, hint)
    }
}

impl From<Stranger> for Fault {
    fn from(stranger: Stranger) -> Fault {
        let unauthorized = |what: &str, hint: &str| {
            Fault::new(StatusCode::UNAUTHORIZED, "unauthorized", what, hint)
        };
        match stranger {
            Stranger::Gone => Refusal::new(
                RefusalCode::Forbidden,
                "the calling process ended before it could be placed",
                "keep it running until the answer has come",
            )
            .into(),
            Stranger::BadToken => unauthorized(
                "the token is not valid (any more)",
                "a job's token is good while the job lives",
            ),
            Stranger::NotBearer => {
                unauthorized("Authorization is not of the form `Bearer TOKEN`", "")
            }
        }
    }
}

impl IntoResponse for Fault {
    fn into_response(self) -> Response {
        let title = self.status.canonical_reason().unwrap_or("Problem");
        let problem = Problem {
            review: self.review,
            ..Problem::new(self.status.as_u16(), title, self.code, &self.what, &self.hint)
        };
        let mut response = (self.status, Json(problem)).into_response();
        let kind = header::HeaderValue::from_static(PROBLEM_JSON);
        response.headers_mut().insert(header::CONTENT_TYPE, kind);
        if self.status == StatusCode::UNAUTHORIZED {
            let bearer = header::HeaderValue::from_static("Bearer");
            response.headers_mut().insert(header::WWW_AUTHENTICATE, bearer);
        }
        response
    }
}
