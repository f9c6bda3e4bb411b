//! Reviews on a real server: a real job asks through the API, people answer through API and
//! command line.

mod answers;
mod attacks;
mod crash;
mod http;
mod other_uid;

use std::path::PathBuf;

use reqwest::{Method, RequestBuilder, Response};
use serde_json::{Value, json};

use crate::place::{PATIENCE, Place, wait_for};

/// A place whose server runs, and a plain HTTP client for it.
pub struct Office {
    pub place: Place,
    http: reqwest::Client,
}

/// Somebody who is listed, and is not the one who runs these tests.
pub const SOMEBODY_ELSE: &str = "[[user]]\nname = \"ghost\"\nrole = \"approver\"\n";

const NODE: &str = "[[node]]\nname = \"n1\"\ncpu = \"8\"\nmem = \"64Gi\"\n";

/// A payment, as a job asks for it.
pub fn payment() -> Value {
    json!({
        "effect": "money",
        "summary": "it is due today, please be quick",
        "agent": "payer",
        "wait": {"mode": "hold", "most_ms": 3_600_000},
        "action": {
            "kind": "command",
            "tool": "payctl",
            "args": {"argv": ["payctl", "transfer", "--to", "DE89", "--amount", "4180.00"]},
            "target": "acme",
            "amount": {"value": "4180.00", "currency": "EUR"},
        },
    })
}

/// Something that can be undone.
pub fn draft() -> Value {
    json!({
        "effect": "reversible",
        "wait": {"mode": "hold", "most_ms": 3_600_000},
        "action": {"kind": "tool", "tool": "notes", "args": {"text": "hello"}},
    })
}

impl Office {
    pub fn new() -> Office {
        Office::with("")
    }

    /// With more configuration.
    pub fn with(config: &str) -> Office {
        let place = Place::new(&format!("{config}{NODE}"));
        place.ok("server start");
        let socket: PathBuf = place.path("run/holdshort/socket");
        // A connection of its own for each call: servers are killed here.
        let http = reqwest::Client::builder().unix_socket(socket.as_path());
        let http = http.pool_max_idle_per_host(0).build().unwrap();
        Office { place, http }
    }

    /// Another configuration from now on.
    pub fn configure(&self, config: &str) {
        let path = self.place.path("config/holdshort/config.toml");
        std::fs::write(path, format!("{config}{NODE}")).unwrap();
        self.place.kill_server();
        self.place.ok("server start");
    }

    pub fn ask(&self, method: Method, path: &str) -> RequestBuilder {
        self.http.request(method, format!("http://holdshort/api/v1{path}")).timeout(PATIENCE)
    }

    pub async fn post(&self, path: &str, body: &Value) -> Response {
        self.ask(Method::POST, path).json(body).send().await.unwrap()
    }

    pub async fn get(&self, path: &str) -> Value {
        let response = self.ask(Method::GET, path).send().await.unwrap();
        assert_eq!(response.status(), 200, "{path}");
        response.json().await.unwrap()
    }

    /// A job that runs until it is ended.
    pub fn job(&self) -> u64 {
        let job = self.place.submit("", "exec sleep 300");
        self.place.until_state(job, "running");
        job
    }

    /// A job asks; the review as it stands then.
    pub async fn asks(&self, job: u64, mut what: Value) -> Value {
        what["job"] = job.into();
        let response = self.post("/reviews", &what).await;
        let status = response.status();
        let document: Value = response.json().await.unwrap();
        assert_eq!(status, 200, "{document}");
        document["review"].clone()
    }

    /// The answer of a call that must be refused: status, code.
    pub async fn refused(&self, path: &str, body: &Value) -> (u16, String, Value) {
        let response = self.post(path, body).await;
        let status = response.status().as_u16();
        let problem: Value = response.json().await.unwrap();
        assert!(status >= 400, "{problem}");
        (status, problem["code"].as_str().unwrap().to_owned(), problem)
    }

    /// Waits until a review stands so.
    pub fn until_review(&self, review: &str, state: &str) -> Value {
        let mut last = Value::Null;
        wait_for(&format!("{review} {state}"), || {
            last = self.place.json(&format!("show {review}"))["review"].clone();
            last["state"] == state
        });
        last
    }
}

/// Eight hex digits of a review's hash.
pub fn digits(review: &Value) -> String {
    let hash = review["action_hash"].as_str().unwrap();
    hash.strip_prefix("sha256:").unwrap()[..8].to_owned()
}

pub fn id(review: &Value) -> String {
    review["id"].as_str().unwrap().to_owned()
}

/// A yes to exactly that.
pub fn yes(review: &Value) -> Value {
    json!({"verdict": "approve", "action_hash": review["action_hash"]})
}
