//! Asks a server: documents in, pages of the model out.
//!
//! May use: `base`, `model`, `api/wire`. One connection is kept and used again; a lost one is
//! looked for again for [`PATIENCE`], with the same idempotency key, so that what was asked
//! happens at most once. [`calls`] has one method for each address; [`follow`] the streams;
//! [`sign`] signs a vote before it is sent.

pub mod calls;
pub mod follow;
mod reviews;
pub mod sign;
pub mod sse;

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use bytes::Bytes;
use reqwest::{Method, RequestBuilder, Response, StatusCode};
use serde::Serialize;
use serde::de::DeserializeOwned;
use tokio::time::Instant;

use crate::api::wire::WireError;
use crate::api::wire::problem::{Problem, TIMEOUT};
use crate::model::refusal::Refusal;

/// How long a lost connection is looked for.
pub const PATIENCE: Duration = Duration::from_secs(5);
/// Between two attempts to find it.
const PAUSE: Duration = Duration::from_millis(50);
/// Longest wait for an answer that is no stream; the server gives up before that.
const ANSWER: Duration = Duration::from_secs(60);

/// Why a call brought nothing.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum CallError {
    /// The server said no.
    #[error("{0}")]
    Refused(Refusal),
    /// There is no server, or it went away.
    #[error("{0}")]
    Unreachable(String),
    /// The other end speaks another version or nonsense.
    #[error("{0}")]
    Protocol(String),
}

impl From<WireError> for CallError {
    fn from(error: WireError) -> CallError {
        CallError::Protocol(error.0)
    }
}

/// A way to one server. Cheap to clone; clones share their connections.
#[derive(Debug, Clone)]
pub struct Client {
    http: Result<reqwest::Client, String>,
    socket: PathBuf,
    token: Option<String>,
    /// The server has answered before: if it is gone, it is worth looking for.
    met: Arc<AtomicBool>,
    revive: Option<Revive>,
}

/// Brings back a server that went away; blocks until it answers, or has failed.
#[derive(Clone)]
struct Revive(Arc<dyn Fn() -> Result<(), String> + Send + Sync>);

impl std::fmt::Debug for Revive {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Revive")
    }
}

/// What to ask.
pub(crate) struct Ask {
    method: Method,
    path: String,
    query: Vec<(&'static str, String)>,
    body: Option<Payload>,
    key: Option<String>,
    /// It may be asked again when the connection is lost.
    again: bool,
    /// It may take as long as it needs.
    patient: bool,
}

struct Payload {
    kind: &'static str,
    bytes: Bytes,
}

impl Ask {
    /// Reads.
    pub(crate) fn get(path: impl Into<String>) -> Ask {
        Ask::new(Method::GET, path.into())
    }

    /// Changes something.
    pub(crate) fn post(path: impl Into<String>) -> Ask {
        Ask::new(Method::POST, path.into())
    }

    /// Replaces something.
    pub(crate) fn put(path: impl Into<String>) -> Ask {
        Ask::new(Method::PUT, path.into())
    }

    /// Changes a part of something.
    pub(crate) fn patch(path: impl Into<String>) -> Ask {
        Ask::new(Method::PATCH, path.into())
    }

    /// Removes something.
    pub(crate) fn delete(path: impl Into<String>) -> Ask {
        Ask::new(Method::DELETE, path.into())
    }

    fn new(method: Method, path: String) -> Ask {
        let (query, body, key) = (Vec::new(), None, None);
        Ask { method, path, query, body, key, again: true, patient: false }
    }

    /// With a document.
    pub(crate) fn json(mut self, document: &impl Serialize) -> Result<Ask, CallError> {
        let bytes = serde_json::to_vec(document)
            .map_err(|error| CallError::Protocol(format!("cannot be written as JSON: {error}")))?;
        self.body = Some(Payload { kind: "application/json", bytes: bytes.into() });
        Ok(self)
    }

    /// With bytes.
    pub(crate) fn bytes(mut self, bytes: Bytes) -> Ask {
        self.body = Some(Payload { kind: "application/octet-stream", bytes });
        self
    }

    /// With a part of the query, if there is one.
    pub(crate) fn query(mut self, name: &'static str, value: Option<impl ToString>) -> Ask {
        self.query.extend(value.map(|value| (name, value.to_string())));
        self
    }

    /// Under a key of its own: asked twice, it is done once.
    pub(crate) fn keyed(mut self) -> Ask {
        self.key = Some(uuid::Uuid::now_v7().to_string());
        self
    }

    /// Under the caller's key.
    pub(crate) fn with_key(mut self, key: String) -> Ask {
        self.key = Some(key);
        self
    }

    /// Not to be asked twice.
    pub(crate) fn once(mut self) -> Ask {
        self.again = false;
        self
    }

    /// May take as long as it needs.
    pub(crate) fn patient(mut self) -> Ask {
        self.patient = true;
        self
    }
}

/// Why an attempt brought nothing.
enum Attempt {
    /// For good.
    Failed(CallError),
    /// The connection could not be made, or broke.
    Lost { connected: bool, why: String },
}

impl Client {
    /// A way to the server at this socket; nothing is connected yet.
    pub fn new(socket: impl Into<PathBuf>) -> Client {
        let socket = socket.into();
        let http = reqwest::Client::builder()
            .unix_socket(socket.as_path())
            .http1_only()
            .build()
            .map_err(|error| root_cause(&error));
        Client { http, socket, token: None, met: Arc::default(), revive: None }
    }

    /// Calls `revive` when the server went away, before it is looked for again.
    #[must_use]
    pub fn reviving(
        mut self,
        revive: impl Fn() -> Result<(), String> + Send + Sync + 'static,
    ) -> Client {
        self.revive = Some(Revive(Arc::new(revive)));
        self
    }

    /// Shows a job's token with every call.
    #[must_use]
    pub fn with_token(mut self, token: Option<String>) -> Client {
        self.token = token;
        self
    }

    /// Where the server listens.
    pub fn socket(&self) -> &Path {
        &self.socket
    }

    /// Asks and reads the document that comes back.
    pub(crate) async fn document<T: DeserializeOwned>(&self, ask: Ask) -> Result<T, CallError> {
        let bytes = self.persist(&ask, || self.whole(&ask)).await?;
        serde_json::from_slice(&bytes).map_err(|error| {
            CallError::Protocol(format!("the answer to {} makes no sense: {error}", ask.path))
        })
    }

    /// Asks for a stream and returns once it begins.
    pub(crate) async fn stream(&self, ask: &Ask) -> Result<Response, CallError> {
        self.persist(ask, || self.attempt(ask)).await
    }

    /// Tries until it works, fails for good, or patience ends.
    async fn persist<T, F>(&self, ask: &Ask, attempt: impl Fn() -> F) -> Result<T, CallError>
    where
        F: Future<Output = Result<T, Attempt>>,
    {
        let mut until = None;
        loop {
            let (connected, why) = match attempt().await {
                Ok(answer) => return Ok(answer),
                Err(Attempt::Failed(error)) => return Err(error),
                Err(Attempt::Lost { connected, why }) => (connected, why),
            };
            // Where nobody has ever answered and nobody can be started, waiting helps nobody.
            let known = connected || self.met.load(Ordering::Relaxed) || self.revive.is_some();
            let until = *until.get_or_insert_with(|| Instant::now() + PATIENCE);
            // What never reached a server can be said again in any case.
            let again = ask.again || !connected;
            if !known || !again || Instant::now() >= until {
                return Err(self.unreachable(&why));
            }
            self.bring_back().await?;
            tokio::time::sleep(PAUSE).await;
        }
    }

    async fn bring_back(&self) -> Result<(), CallError> {
        let Some(Revive(revive)) = self.revive.clone() else { return Ok(()) };
        let revived = tokio::task::spawn_blocking(move || revive()).await;
        revived.unwrap_or(Ok(())).map_err(CallError::Unreachable)
    }

    fn unreachable(&self, why: &str) -> CallError {
        let socket = self.socket.display();
        CallError::Unreachable(format!("no server answers at {socket} ({why})"))
    }

    /// One attempt with its whole answer.
    async fn whole(&self, ask: &Ask) -> Result<Bytes, Attempt> {
        let response = self.attempt(ask).await?;
        let lost = |error| Attempt::Lost { connected: true, why: root_cause(&error) };
        response.bytes().await.map_err(lost)
    }

    /// One attempt up to the head of the answer.
    async fn attempt(&self, ask: &Ask) -> Result<Response, Attempt> {
        let request = self.request(ask).map_err(Attempt::Failed)?;
        let response = request.send().await.map_err(|error| {
            let why = root_cause(&error);
            if error.is_timeout() {
                return Attempt::Failed(self.unreachable("it does not answer in time"));
            }
            if error.is_builder() {
                return Attempt::Failed(CallError::Protocol(why));
            }
            Attempt::Lost { connected: !error.is_connect(), why }
        })?;
        self.met.store(true, Ordering::Relaxed);
        if response.status().is_success() {
            return Ok(response);
        }
        Err(self.refused(response).await)
    }

    fn request(&self, ask: &Ask) -> Result<RequestBuilder, CallError> {
        let http = self.http.as_ref().map_err(|why| self.unreachable(why))?;
        let url = format!("http://holdshort{}", ask.path);
        let mut request = http.request(ask.method.clone(), url).query(&ask.query);
        if let Some(body) = &ask.body {
            request = request.header("content-type", body.kind).body(body.bytes.clone());
        }
        if let Some(key) = &ask.key {
            request = request.header("idempotency-key", key);
        }
        if let Some(token) = &self.token {
            request = request.bearer_auth(token);
        }
        if !ask.patient {
            request = request.timeout(ANSWER);
        }
        Ok(request)
    }

    async fn refused(&self, response: Response) -> Attempt {
        let status = response.status();
        let bytes = match response.bytes().await {
            Ok(bytes) => bytes,
            Err(error) => return Attempt::Lost { connected: true, why: root_cause(&error) },
        };
        Attempt::Failed(match serde_json::from_slice::<Problem>(&bytes) {
            Ok(problem) if problem.code == TIMEOUT => self.unreachable(&problem.detail),
            Ok(problem) => CallError::Refused(problem.into_refusal()),
            Err(_) => nonsense(status),
        })
    }
}

fn nonsense(status: StatusCode) -> CallError {
    CallError::Protocol(format!("the server answered {status} and did not say why"))
}

/// The innermost reason, which is what the system said.
fn root_cause(error: &reqwest::Error) -> String {
    let mut innermost: &dyn std::error::Error = error;
    while let Some(source) = innermost.source() {
        innermost = source;
    }
    innermost.to_string()
}

#[cfg(test)]
mod tests;
