//! One HTTP request to somebody else's server, and its status. Redirects are not followed and no
//! proxy is asked, so that what is signed goes where it was meant to go.

use bytes::Bytes;
use http_body_util::Full;
use hyper::client::conn::http1::handshake;
use hyper::header::{CONNECTION, HOST, USER_AGENT};
use hyper::{Method, Request, Uri};
use hyper_util::rt::TokioIo;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::TcpStream;

use crate::notify::tls;

/// Where a request goes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Place {
    secure: bool,
    host: String,
    port: u16,
    /// Host and port as the header names them.
    named: String,
    path: String,
}

impl Place {
    /// Reads an address.
    ///
    /// # Errors
    /// What is wrong with it. It may hold a secret, so it is not said again.
    pub(super) fn read(url: &str) -> Result<Place, String> {
        let uri: Uri = url.parse().map_err(|_| "its url cannot be read".to_owned())?;
        let (secure, usual) = match uri.scheme_str() {
            Some("http") => (false, 80),
            Some("https") => (true, 443),
            _ => return Err("its url does not begin with https:// or http://".to_owned()),
        };
        let authority = uri.authority().map(|authority| authority.as_str()).unwrap_or_default();
        if authority.contains('@') {
            return Err("its url has a user in it; leave that out".to_owned());
        }
        let host = uri.host().filter(|host| !host.is_empty());
        let host = host.ok_or("its url names no host")?;
        Ok(Place {
            secure,
            host: host.trim_start_matches('[').trim_end_matches(']').to_owned(),
            port: uri.port_u16().unwrap_or(usual),
            named: authority.to_owned(),
            path: uri.path_and_query().map_or("/", |path| path.as_str()).to_owned(),
        })
    }
}

/// Posts a body and answers with the status.
///
/// # Errors
/// Why there was no answer.
pub(super) async fn post(
    place: &Place,
    headers: &[(&'static str, String)],
    body: Vec<u8>,
) -> Result<u16, String> {
    let mut request = Request::builder()
        .method(Method::POST)
        .uri(&place.path)
        .header(HOST, &place.named)
        .header(USER_AGENT, concat!("holdshort/", env!("CARGO_PKG_VERSION")))
        .header(CONNECTION, "close");
    for (name, value) in headers {
        request = request.header(*name, value);
    }
    let request = request.body(Full::new(Bytes::from(body)));
    let request = request.map_err(|error| format!("cannot be asked for: {error}"))?;
    let plain = TcpStream::connect((&*place.host, place.port));
    let plain = plain.await.map_err(|error| said(&error))?;
    match place.secure {
        false => exchange(plain, request).await,
        true => exchange(tls::connect(plain, &place.host).await?, request).await,
    }
}

async fn exchange<S>(stream: S, request: Request<Full<Bytes>>) -> Result<u16, String>
where
    S: AsyncRead + AsyncWrite + Unpin + Send + 'static,
{
    let (mut sender, connection) =
        handshake(TokioIo::new(stream)).await.map_err(|error| error.to_string())?;
    let driving = tokio::spawn(connection);
    let response = sender.send_request(request).await;
    driving.abort();
    response.map(|response| response.status().as_u16()).map_err(|error| error.to_string())
}

/// What went wrong, in words: `connection refused`.
fn said(error: &std::io::Error) -> String {
    match error.kind() {
        std::io::ErrorKind::Other => error.to_string(),
        kind => kind.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_is_taken_apart() {
        let place = Place::read("https://chat.example/hooks/a?b=c").unwrap();
        assert_eq!((place.secure, &*place.host, place.port), (true, "chat.example", 443));
        assert_eq!((&*place.named, &*place.path), ("chat.example", "/hooks/a?b=c"));
        let place = Place::read("http://[::1]:8080").unwrap();
        assert_eq!((&*place.host, place.port, &*place.path), ("::1", 8080, "/"));
    }

    #[test]
    fn what_is_no_address_is_refused_without_saying_it_again() {
        for url in ["ftp://x/secret", "secret", "https:///secret", "http://me:secret@x/"] {
            let why = Place::read(url).unwrap_err();
            assert!(!why.contains("secret"), "{url}: {why}");
        }
    }
}
