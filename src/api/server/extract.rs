//! What a request says, or a problem that says what is wrong with it.

use axum::Json;
use axum::extract::{
    ConnectInfo, FromRequest, FromRequestParts, OptionalFromRequest, Path, Query, Request,
};
use axum::http::request::Parts;
use axum::http::{HeaderMap, StatusCode, header};
use bytes::{Bytes, BytesMut};
use futures::StreamExt;
use serde::de::DeserializeOwned;

use super::app::App;
use super::fault::Fault;
use crate::api::auth::{self, Peer};
use crate::model::Actor;

/// Bytes of an idempotency key.
const KEY_MAX: usize = 128;

/// Who asks.
pub struct Caller(pub Actor);

impl FromRequestParts<App> for Caller {
    type Rejection = Fault;

    async fn from_request_parts(parts: &mut Parts, app: &App) -> Result<Caller, Fault> {
        let peer = parts.extensions.get::<ConnectInfo<Peer>>();
        let ConnectInfo(peer) = peer.ok_or_else(Fault::panicked)?;
        let shown = parts.headers.get(header::AUTHORIZATION);
        // Bytes that are no text are no token either.
        let shown = shown.map(|value| value.to_str().unwrap_or_default());
        Ok(Caller(auth::actor(&app.handle, peer, shown)?))
    }
}

/// The header `Idempotency-Key`.
pub struct Key(pub Option<String>);

impl<S: Sync> FromRequestParts<S> for Key {
    type Rejection = Fault;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Key, Fault> {
        key_of(&parts.headers).map(Key)
    }
}

fn key_of(headers: &HeaderMap) -> Result<Option<String>, Fault> {
    let Some(value) = headers.get("idempotency-key") else { return Ok(None) };
    let good = |text: &&str| !text.is_empty() && text.len() <= KEY_MAX;
    match value.to_str().ok().filter(good) {
        Some(text) => Ok(Some(text.to_owned())),
        None => Err(Fault::usage(
            format!("Idempotency-Key is not 1 to {KEY_MAX} visible ASCII characters"),
            "send a fresh UUID for each change and the same one when asking again",
        )),
    }
}

/// Parts of the address.
pub struct Place<T>(pub T);

impl<S: Send + Sync, T: DeserializeOwned + Send> FromRequestParts<S> for Place<T> {
    type Rejection = Fault;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Place<T>, Fault> {
        match Path::<T>::from_request_parts(parts, state).await {
            Ok(Path(value)) => Ok(Place(value)),
            Err(rejection) => {
                let hint = "job numbers are whole numbers";
                Err(Fault::new(StatusCode::NOT_FOUND, "not_found", rejection.body_text(), hint))
            }
        }
    }
}

/// The query of the address.
pub struct Params<T>(pub T);

impl<S: Send + Sync, T: DeserializeOwned> FromRequestParts<S> for Params<T> {
    type Rejection = Fault;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Params<T>, Fault> {
        match Query::<T>::from_request_parts(parts, state).await {
            Ok(Query(value)) => Ok(Params(value)),
            Err(rejection) => Err(Fault::usage(rejection.body_text(), "")),
        }
    }
}

/// A body of JSON.
pub struct Body<T>(pub T);

impl<S: Send + Sync, T: DeserializeOwned> FromRequest<S> for Body<T> {
    type Rejection = Fault;

    async fn from_request(request: Request, _: &S) -> Result<Body<T>, Fault> {
        let is_json = request.headers().get(header::CONTENT_TYPE).is_some_and(|kind| {
            let essence = kind.to_str().unwrap_or_default().split(';').next().unwrap_or_default();
            essence.trim().eq_ignore_ascii_case("application/json")
        });
        if !is_json {
            return Err(Fault::new(
                StatusCode::UNSUPPORTED_MEDIA_TYPE,
                "unsupported_media_type",
                "the request is not said to be JSON",
                "send Content-Type: application/json",
            ));
        }
        let bytes = whole(request).await?;
        match Json::<T>::from_bytes(&bytes) {
            Ok(Json(value)) => Ok(Body(value)),
            Err(rejection) => {
                let hint = "the documents are described at /openapi.json";
                Err(Fault::new(rejection.status(), "usage", rejection.body_text(), hint))
            }
        }
    }
}

/// Nothing, if the request does not even say of what kind its body is.
impl<S: Send + Sync, T: DeserializeOwned> OptionalFromRequest<S> for Body<T> {
    type Rejection = Fault;

    async fn from_request(request: Request, state: &S) -> Result<Option<Body<T>>, Fault> {
        if !request.headers().contains_key(header::CONTENT_TYPE) {
            return Ok(None);
        }
        <Body<T> as FromRequest<S>>::from_request(request, state).await.map(Some)
    }
}

/// A body of bytes.
pub struct Raw(pub Bytes);

impl<S: Send + Sync> FromRequest<S> for Raw {
    type Rejection = Fault;

    async fn from_request(request: Request, _: &S) -> Result<Raw, Fault> {
        whole(request).await.map(Raw)
    }
}

/// Bytes a body may have, as a layer of the route says.
#[derive(Debug, Clone, Copy)]
pub struct BodyMax(pub usize);

/// Bytes of a body without such a layer.
const BODY_MAX: usize = 64 * 1024;
/// Bytes that are read and thrown away, so that a client which sends too much gets to read why
/// instead of a broken connection.
const THROWN_AWAY_MAX: usize = 256 * 1024 * 1024;

/// The body, if it is not too large.
async fn whole(request: Request) -> Result<Bytes, Fault> {
    let BodyMax(max) = request.extensions().get().copied().unwrap_or(BodyMax(BODY_MAX));
    let mut body = request.into_body().into_data_stream();
    let mut bytes = BytesMut::new();
    let mut thrown_away = 0;
    while let Some(piece) = body.next().await {
        let piece = piece.map_err(|error| Fault::usage(format!("the body ends: {error}"), ""))?;
        if thrown_away == 0 && bytes.len() + piece.len() <= max {
            bytes.extend_from_slice(&piece);
            continue;
        }
        bytes.clear();
        thrown_away += piece.len();
        if thrown_away > THROWN_AWAY_MAX {
            break;
        }
    }
    if thrown_away == 0 {
        return Ok(bytes.freeze());
    }
    Err(Fault::new(
        StatusCode::PAYLOAD_TOO_LARGE,
        "too_large",
        format!("the request is larger than the {max} bytes taken here"),
        "send it in several requests",
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_is_short_visible_text() {
        let read = |value: &[u8]| {
            let mut headers = HeaderMap::new();
            headers.insert("Idempotency-Key", header::HeaderValue::from_bytes(value).unwrap());
            key_of(&headers).ok().flatten()
        };
        assert_eq!(read(b"0192-abc"), Some("0192-abc".to_owned()));
        assert_eq!(read(b""), None);
        assert_eq!(read("é".as_bytes()), None);
        assert_eq!(read(&[b'x'; KEY_MAX + 1]), None);
        assert_eq!(key_of(&HeaderMap::new()), Ok(None));
    }
}
