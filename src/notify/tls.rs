//! TLS to somebody else's server, which must have a certificate that the system trusts.

use std::sync::Arc;

use tokio::net::TcpStream;
use tokio_rustls::TlsConnector;
use tokio_rustls::client::TlsStream;
use tokio_rustls::rustls::crypto::ring;
use tokio_rustls::rustls::pki_types::ServerName;
use tokio_rustls::rustls::{ClientConfig, RootCertStore};

/// Talks TLS over a connection to a host.
///
/// # Errors
/// Why it is not trusted, or does not talk TLS.
pub(super) async fn connect(stream: TcpStream, host: &str) -> Result<TlsStream<TcpStream>, String> {
    let name = ServerName::try_from(host.to_owned());
    let name = name.map_err(|_| "its host has no name that a certificate could have".to_owned())?;
    let connector = TlsConnector::from(Arc::new(trust()?));
    connector.connect(name, stream).await.map_err(|error| format!("no TLS: {error}"))
}

/// The system's certificates as they are now, or those that `SSL_CERT_FILE` names.
fn trust() -> Result<ClientConfig, String> {
    let mut roots = RootCertStore::empty();
    let found = rustls_native_certs::load_native_certs();
    for certificate in found.certs {
        // One that cannot be read vouches for nobody.
        let _ = roots.add(certificate);
    }
    if roots.is_empty() {
        let hint = "install the package ca-certificates, or name a file in SSL_CERT_FILE";
        return Err(format!("the system has no certificates to trust: {hint}"));
    }
    let builder = ClientConfig::builder_with_provider(Arc::new(ring::default_provider()));
    let builder = builder.with_safe_default_protocol_versions();
    let builder = builder.map_err(|error| format!("no TLS: {error}"))?;
    Ok(builder.with_root_certificates(roots).with_no_client_auth())
}
