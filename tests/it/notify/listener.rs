//! Somebody else's server: takes requests one after the other and answers as it is told.

use std::collections::VecDeque;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::{Arc, Mutex};

use serde_json::Value;
use tokio_rustls::rustls::pki_types::pem::PemObject as _;
use tokio_rustls::rustls::pki_types::{CertificateDer, PrivateKeyDer};
use tokio_rustls::rustls::{ServerConfig, ServerConnection, StreamOwned, crypto::ring};

use crate::place::wait_for;

/// How it answers a request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Answer {
    Status(u16),
    /// It takes the request and never says anything.
    Hang,
}

/// A request that came.
#[derive(Debug, Clone)]
pub struct Got {
    pub path: String,
    pub headers: Vec<(String, String)>,
    pub body: Vec<u8>,
}

impl Got {
    pub fn header(&self, name: &str) -> &str {
        self.headers.iter().find(|(known, _)| known == name).map_or("", |(_, value)| value)
    }

    pub fn json(&self) -> Value {
        serde_json::from_slice(&self.body).unwrap()
    }

    /// `review.asked R17`.
    pub fn about(&self) -> String {
        let json = self.json();
        let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
        format!("{} {}", text(&json["type"]), text(&json["data"]["review"]))
    }
}

#[derive(Default)]
struct Shared {
    got: Vec<Got>,
    answers: VecDeque<Answer>,
    /// Connections that are never answered; dropped, they would be closed.
    kept: Vec<TcpStream>,
}

/// A server on a port of this machine, for as long as the test runs.
pub struct Listener {
    port: u16,
    shared: Arc<Mutex<Shared>>,
}

impl Listener {
    /// Answers so to the first requests, and 200 to all others.
    pub fn new(answers: &[Answer]) -> Listener {
        Listener::serving(answers, None)
    }

    /// The same by TLS, as `localhost`.
    pub fn secure() -> Listener {
        let file = |name: &str| format!("{}/tests/data/tls/{name}", env!("CARGO_MANIFEST_DIR"));
        let certificate = CertificateDer::from_pem_file(file("server.pem")).unwrap();
        let key = PrivateKeyDer::from_pem_file(file("server.key")).unwrap();
        let config = ServerConfig::builder_with_provider(Arc::new(ring::default_provider()));
        let config = config.with_safe_default_protocol_versions().unwrap();
        let config = config.with_no_client_auth().with_single_cert(vec![certificate], key).unwrap();
        Listener::serving(&[], Some(Arc::new(config)))
    }

    fn serving(answers: &[Answer], tls: Option<Arc<ServerConfig>>) -> Listener {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let port = listener.local_addr().unwrap().port();
        let shared = Arc::new(Mutex::new(Shared::default()));
        shared.lock().unwrap().answers = answers.iter().copied().collect();
        let kept = shared.clone();
        std::thread::spawn(move || {
            while let Ok((stream, _)) = listener.accept() {
                let (shared, tls) = (kept.clone(), tls.clone());
                std::thread::spawn(move || match tls {
                    None => serve(&shared, &stream, &stream, Some(stream.try_clone().unwrap())),
                    Some(config) => {
                        let connection = ServerConnection::new(config).unwrap();
                        let mut stream = StreamOwned::new(connection, stream);
                        if let Some(answer) = take(&shared, &mut stream) {
                            let _ = respond(&mut stream, answer);
                        }
                    }
                });
            }
        });
        Listener { port, shared }
    }

    pub fn url(&self) -> String {
        format!("http://127.0.0.1:{}/hook?a=b", self.port)
    }

    pub fn secure_url(&self) -> String {
        format!("https://localhost:{}/hook", self.port)
    }

    pub fn got(&self) -> Vec<Got> {
        self.shared.lock().unwrap().got.clone()
    }

    /// What came so far: `review.asked R17`.
    pub fn abouts(&self) -> Vec<String> {
        self.got().iter().map(Got::about).collect()
    }

    /// Waits for a request about something, and gives the last.
    pub fn until(&self, about: &str) -> Got {
        wait_for(about, || self.abouts().iter().any(|known| known == about));
        self.got().into_iter().rfind(|got| got.about() == about).unwrap()
    }
}

fn serve(
    shared: &Mutex<Shared>,
    mut reader: impl Read,
    mut writer: impl Write,
    stream: Option<TcpStream>,
) {
    match take(shared, &mut reader) {
        None => {}
        Some(Answer::Hang) => shared.lock().unwrap().kept.extend(stream),
        Some(answer) => drop(respond(&mut writer, answer)),
    }
}

/// Reads a request and says how it is answered; nothing of one that breaks off.
fn take(shared: &Mutex<Shared>, stream: &mut impl Read) -> Option<Answer> {
    let got = read(stream)?;
    let mut shared = shared.lock().unwrap();
    shared.got.push(got);
    Some(shared.answers.pop_front().unwrap_or(Answer::Status(200)))
}

fn respond(stream: &mut impl Write, answer: Answer) -> std::io::Result<()> {
    let Answer::Status(status) = answer else { return Ok(()) };
    write!(stream, "HTTP/1.1 {status} So\r\ncontent-length: 2\r\nconnection: close\r\n\r\nok")?;
    stream.flush()
}

fn read(stream: &mut impl Read) -> Option<Got> {
    let mut reader = BufReader::new(stream);
    let mut line = String::new();
    reader.read_line(&mut line).ok()?;
    let path = line.split(' ').nth(1)?.to_owned();
    let mut headers = Vec::new();
    loop {
        let mut line = String::new();
        reader.read_line(&mut line).ok()?;
        let Some((name, value)) = line.trim().split_once(": ") else { break };
        headers.push((name.to_ascii_lowercase(), value.to_owned()));
    }
    let length = headers.iter().find(|(name, _)| name == "content-length")?.1.parse().ok()?;
    let mut body = vec![0; length];
    reader.read_exact(&mut body).ok()?;
    Some(Got { path, headers, body })
}
