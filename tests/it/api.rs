//! The API over its socket: what HTTP clients and the local link get from the real server.

#![expect(clippy::unwrap_used, clippy::expect_used, reason = "helpers of tests fail loudly")]

use std::path::PathBuf;
use std::time::Duration;

use bytes::Bytes;
use futures::StreamExt;
use holdshort::api::server::openapi::Description;
use holdshort::base::{JobId, Wall};
use holdshort::link::local::Local;
use holdshort::link::{JobQuery, Link, LinkError, Piece};
use holdshort::model::Fact;
use holdshort::model::command::Verb;
use holdshort::model::page::{Ended, LogQuery};
use holdshort::model::refusal::RefusalCode;
use reqwest::{Method, RequestBuilder, Response, StatusCode};
use serde_json::{Value, json};
use utoipa::OpenApi;

use crate::place::{PATIENCE, Place, wait_for};

/// A place whose server runs, and a plain HTTP client for it.
struct Api {
    place: Place,
    socket: PathBuf,
    http: reqwest::Client,
}

impl Api {
    fn new(place: Place) -> Api {
        place.ok("server start");
        let status = place.json("server status");
        let socket = PathBuf::from(status["socket"].as_str().unwrap());
        let http = reqwest::Client::builder().unix_socket(socket.as_path()).build().unwrap();
        Api { place, socket, http }
    }

    fn with_slots(slots: u32) -> Api {
        Api::new(Place::with_slots(slots))
    }

    fn ask(&self, method: Method, path: &str) -> RequestBuilder {
        self.http.request(method, format!("http://holdshort{path}")).timeout(PATIENCE)
    }

    async fn get(&self, path: &str) -> Response {
        self.ask(Method::GET, path).send().await.unwrap()
    }

    async fn read(&self, path: &str) -> Value {
        let response = self.get(path).await;
        assert_eq!(response.status(), 200, "{path}");
        response.json().await.unwrap()
    }

    async fn submit(&self, key: &str, command: &[&str]) -> Response {
        let body = json!({"cwd": "/", "jobs": [{"command": command}]});
        let ask = self.ask(Method::POST, "/api/v1/jobs").header("idempotency-key", key);
        ask.json(&body).send().await.unwrap()
    }

    fn link(&self) -> Local {
        Local::new(self.socket.clone())
    }
}

/// The problem in an answer, checked for its form.
async fn problem(response: Response) -> (StatusCode, Value) {
    let status = response.status();
    assert_eq!(response.headers()["content-type"], "application/problem+json");
    let problem: Value = response.json().await.unwrap();
    assert_eq!(problem["status"], status.as_u16());
    for key in ["type", "title", "detail", "code", "hint"] {
        assert!(problem[key].is_string(), "{problem}");
    }
    (status, problem)
}

#[tokio::test]
async fn everything_that_goes_wrong_is_a_problem() {
    let api = Api::with_slots(1);
    let post = |path: &str| api.ask(Method::POST, path);
    let large = vec![b' '; 5 * 1024 * 1024];
    let json_type = ("content-type", "application/json");
    let acts = "/api/v1/jobs/actions";
    let cases = [
        (api.ask(Method::GET, "/nowhere"), 404, "not_found"),
        (api.ask(Method::GET, "/api/v1/nowhere"), 404, "not_found"),
        (api.ask(Method::GET, "/api/v1/jobs/99"), 404, "not_found"),
        (api.ask(Method::GET, "/api/v1/jobs/abc"), 404, "not_found"),
        (api.ask(Method::DELETE, "/api/v1/jobs"), 405, "method_not_allowed"),
        (api.ask(Method::GET, "/api/v1/jobs?limit=1001"), 400, "usage"),
        (api.ask(Method::GET, "/api/v1/jobs?colour=red"), 400, "usage"),
        (api.ask(Method::GET, "/api/v1/jobs?filter=stat%3Dqueued"), 400, "usage"),
        (api.ask(Method::GET, "/api/v1/jobs?cursor=x"), 422, "usage"),
        (api.ask(Method::GET, "/api/v1/usage?by=money"), 400, "usage"),
        (api.ask(Method::GET, "/api/v1/usage?since=soon"), 400, "usage"),
        (api.ask(Method::GET, "/api/v1/usage?since=2100-01-01T00:00:00Z"), 400, "usage"),
        (api.ask(Method::GET, "/api/v1/jobs").bearer_auth("forged"), 401, "unauthorized"),
        (post(acts).body("{}"), 415, "unsupported_media_type"),
        (post(acts).header(json_type.0, json_type.1).body("{"), 400, "usage"),
        (post(acts).header(json_type.0, json_type.1).body(large), 413, "too_large"),
        (post(acts).json(&json!({"jobs": [1], "verb": "explode"})), 422, "usage"),
        (post(acts).json(&json!({"jobs": [99], "verb": "cancel"})), 404, "not_found"),
        (post("/api/v1/jobs").json(&json!({"jobs": [{"gpus": 1}]})), 422, "usage"),
        (post("/api/v1/jobs").json(&json!({"jobs": []})), 400, "usage"),
        (post("/api/v1/pause").json(&json!({"reason": " "})), 400, "usage"),
    ];
    for (request, status, code) in cases {
        let shown = format!("{request:?}");
        let (got, said) = problem(request.send().await.unwrap()).await;
        assert_eq!((got.as_u16(), said["code"].as_str()), (status, Some(code)), "{shown}\n{said}");
    }
    assert_eq!(api.read("/api/v1/jobs").await["jobs"], json!([]), "nothing was changed");
}

#[tokio::test]
async fn a_key_used_twice_makes_one_job_and_another_body_is_refused() {
    let api = Api::with_slots(1);
    let first = api.submit("k1", &["true"]).await;
    assert_eq!(first.status(), 201);
    let first: Value = first.json().await.unwrap();
    assert_eq!(first["ids"], json!([1]));
    let second: Value = api.submit("k1", &["true"]).await.json().await.unwrap();
    assert_eq!(second["ids"], first["ids"]);
    let (status, said) = problem(api.submit("k1", &["false"]).await).await;
    assert_eq!((status.as_u16(), said["code"].as_str()), (409, Some("key_reused")));
    let (status, _) = problem(api.submit(&"k".repeat(200), &["true"]).await).await;
    assert_eq!(status, 400);
    assert_eq!(api.read("/api/v1/jobs").await["jobs"].as_array().unwrap().len(), 1);
}

#[tokio::test]
async fn pages_show_every_job_once() {
    let api = Api::with_slots(1);
    api.place.ok("pause all --reason test --yes");
    let jobs: Vec<Value> = (0..25).map(|_| json!({"command": ["true"]})).collect();
    let body = json!({"cwd": "/", "jobs": jobs});
    let made = api.ask(Method::POST, "/api/v1/jobs").json(&body).send().await.unwrap();
    assert_eq!(made.status(), 201);
    let (mut seen, mut cursor) = (Vec::new(), String::new());
    loop {
        let page = api.read(&format!("/api/v1/jobs?limit=10{cursor}")).await;
        let rows = page["jobs"].as_array().unwrap();
        assert!(rows.len() <= 10);
        seen.extend(rows.iter().map(|row| row["id"].as_u64().unwrap()));
        assert_eq!(page["counts"]["queued"], 25);
        match page["next_cursor"].as_str() {
            Some(next) => cursor = format!("&cursor={next}"),
            None => break,
        }
    }
    assert_eq!(seen, (1..=25).collect::<Vec<_>>());
    let history = api.read("/api/v1/history").await;
    let now = history["minutes"].as_array().unwrap().last().unwrap();
    assert_eq!((&now["queued"], &now["running"]), (&json!(25), &json!(0)));
    // And back, page by page from behind the last job.
    let (mut seen, mut before) = (Vec::new(), "end".to_owned());
    loop {
        let page = api.read(&format!("/api/v1/jobs?limit=10&before={before}")).await;
        let rows = page["jobs"].as_array().unwrap();
        seen.splice(0..0, rows.iter().map(|row| row["id"].as_u64().unwrap()));
        match page["next_cursor"].as_str() {
            Some(next) => before = next.to_owned(),
            None => break,
        }
    }
    assert_eq!(seen, (1..=25).collect::<Vec<_>>());
    let two = api.read("/api/v1/jobs?ids=9,7,999&filter=state%3Dqueued%20id%3D8..").await;
    assert_eq!(two["jobs"].as_array().unwrap().len(), 1, "gone and other ones are left out");
    let place = &two["jobs"][0]["place"].as_str().unwrap();
    let after = api.read(&format!("/api/v1/jobs?limit=1&cursor={place}")).await;
    assert_eq!(after["jobs"][0]["id"], 10, "a row's place is where a page can go on");
    let one = api.read("/api/v1/jobs?filter=id%3D7").await;
    assert_eq!(one["jobs"][0]["id"], 7);
    assert!(!one["jobs"][0]["reason"]["text"].as_str().unwrap().is_empty());
}

#[tokio::test]
async fn what_the_description_promises_is_there() {
    let api = Api::with_slots(1);
    let described = api.read("/openapi.json").await;
    let own = serde_json::to_value(Description::openapi()).unwrap();
    assert_eq!(described["paths"], own["paths"]);
    for (path, methods) in described["paths"].as_object().unwrap() {
        if path.starts_with("/api/v1/server/") {
            continue;
        }
        let path = path.replace("{id}", "1").replace("{name}", "n9");
        for method in methods.as_object().unwrap().keys() {
            let method: Method = method.to_uppercase().parse().unwrap();
            let mut query = "";
            if path.ends_with("/events") {
                query = "?follow=false";
            }
            let response = api.ask(method.clone(), &format!("{path}{query}")).send().await.unwrap();
            let status = response.status();
            assert_ne!(status, 405, "{method} {path}");
            assert!(!status.is_server_error(), "{method} {path}: {status}");
            if status == 404 {
                let (_, said) = problem(response).await;
                assert_ne!(said["detail"], "there is nothing at this address", "{path}");
            }
        }
    }
    let metrics = api.get("/metrics").await;
    let kind = metrics.headers()["content-type"].to_str().unwrap().to_owned();
    assert!(kind.starts_with("application/openmetrics-text"), "{kind}");
    let text = metrics.text().await.unwrap();
    assert!(text.contains("holdshort_") && text.ends_with("# EOF\n"), "{text}");
    assert_eq!(api.get("/healthz").await.status(), 200);
    assert_eq!(api.get("/readyz").await.status(), 200);
}

/// Reads a stream until its text meets a condition.
async fn until(
    response: &mut Response,
    text: &mut String,
    what: &str,
    holds: impl Fn(&str) -> bool,
) {
    let read = async {
        while !holds(text) {
            let piece = response.chunk().await.unwrap().expect("the stream goes on");
            text.push_str(std::str::from_utf8(&piece).unwrap());
        }
    };
    let read = tokio::time::timeout(PATIENCE, read).await;
    assert!(read.is_ok(), "gave up waiting for {what}: {text}");
}

#[tokio::test]
async fn facts_come_as_they_become_so_and_go_on_after_the_last_one_seen() {
    let api = Api::with_slots(1);
    let mut live = api.get("/api/v1/events").await;
    assert_eq!(live.headers()["content-type"], "text/event-stream");
    let mut text = String::new();
    until(&mut live, &mut text, "the start", |text| text.contains("event: started\n")).await;
    let id = api.place.submit("", "exit 3");
    until(&mut live, &mut text, "the end", |text| text.contains("event: job_ended\n")).await;
    until(&mut live, &mut text, "a whole event", |text| text.ends_with("\n\n")).await;

    let all = api.get("/api/v1/events?follow=false").await.text().await.unwrap();
    assert!(all.starts_with(text.as_str()), "{all}\n---\n{text}");
    let ended = all.split("\n\n").find(|event| event.contains("event: job_ended")).unwrap();
    let data = ended.lines().find_map(|line| line.strip_prefix("data: ")).unwrap();
    let fact: Value = serde_json::from_str(data).unwrap();
    assert_eq!((&fact["job"], &fact["kind"]), (&json!(id), &json!("job_ended")));
    assert_eq!(fact["data"], json!({"state": "failed", "class": "exit"}));
    assert_eq!(fact["schema_version"], 1);

    let ids = |text: &str| -> Vec<u64> {
        text.lines().filter_map(|line| line.strip_prefix("id: ")?.parse().ok()).collect()
    };
    let known = ids(&all);
    assert!(known.windows(2).all(|pair| pair[0] < pair[1]), "{known:?}");
    let middle = known[known.len() / 2];
    let rest = api
        .ask(Method::GET, "/api/v1/events?follow=false&since=0")
        .header("last-event-id", middle.to_string());
    let rest = rest.send().await.unwrap().text().await.unwrap();
    let after: Vec<u64> = known.into_iter().filter(|id| *id > middle).collect();
    assert_eq!(ids(&rest), after);

    // Only what happened to one job, from its submission on.
    let other = api.place.submit("", "true");
    api.place.ok(&format!("wait {other}"));
    let own = api.get(&format!("/api/v1/events?follow=false&job={id}")).await;
    let own = own.text().await.unwrap();
    let of_job = |event: &str| event.contains(&format!("\"job\":{id},"));
    let events: Vec<&str> = own.split("\n\n").filter(|event| !event.is_empty()).collect();
    assert!(events.iter().all(|event| of_job(event)), "{own}");
    assert_eq!(events.len(), all.split("\n\n").filter(|event| of_job(event)).count());
    assert!(own.starts_with("event: job_submitted\n"), "{own}");
    let said = api.place.ok(&format!("events {id}"));
    assert!(said.contains("submitted") && said.lines().count() >= 4, "{said}");
    assert_eq!(api.get("/api/v1/events?job=77").await.status(), 404);

    let future = api.get("/api/v1/events?follow=false&since=99999").await.text().await.unwrap();
    assert!(future.starts_with("event: reset\n"), "{future}");
}

#[tokio::test]
async fn a_job_that_was_told_of_by_token_sees_itself_and_nothing_else() {
    let api = Api::with_slots(4);
    let victim = api.place.submit("", "sleep 300");
    let inside = api.place.submit("", "echo $HOLDSHORT_TOKEN; sleep 300");
    let mut token = String::new();
    wait_for("the token", || {
        token = api.place.ok(&format!("logs {inside}"));
        !token.is_empty()
    });
    let ask = |method, path: &str| api.ask(method, path).bearer_auth(token.trim());
    let own = ask(Method::GET, &format!("/api/v1/jobs/{inside}")).send().await.unwrap();
    assert_eq!(own.status(), 200);
    let other = ask(Method::GET, &format!("/api/v1/jobs/{victim}")).send().await.unwrap();
    assert_eq!(problem(other).await.0, 403);
    let stop = ask(Method::POST, "/api/v1/server/stop").json(&json!({})).send().await.unwrap();
    assert_eq!(problem(stop).await.0, 403);
    let events = ask(Method::GET, "/api/v1/events?follow=false").send().await.unwrap();
    for event in events.text().await.unwrap().split("\n\n") {
        let Some(data) = event.lines().find_map(|line| line.strip_prefix("data: ")) else {
            continue;
        };
        let fact: Value = serde_json::from_str(data).unwrap();
        assert_eq!(fact["job"], inside, "{fact}");
    }
    api.place.ok(&format!("cancel {inside} --yes"));
    api.place.until(inside, "its end", |job| !job["ended_at"].is_null());
    let late = ask(Method::GET, &format!("/api/v1/jobs/{inside}")).send().await.unwrap();
    assert_eq!(problem(late).await.0, 401, "a token ends with its job");
}

const FOLLOW: LogQuery =
    LogQuery { attempt: None, rank: None, follow: true, tail_bytes: None, times: false };

/// Everything a job's output stream brings until it ends by itself.
async fn whole(link: &Local, job: u64, query: LogQuery) -> String {
    let stream = link.logs(JobId(job), query).await.unwrap();
    let pieces = stream.map(|piece| piece.unwrap().bytes).collect::<Vec<Bytes>>();
    let pieces = tokio::time::timeout(PATIENCE, pieces).await.expect("the stream ends");
    String::from_utf8(pieces.concat()).unwrap()
}

#[tokio::test]
async fn output_is_followed_from_before_the_start_over_all_attempts_to_the_end() {
    let api = Api::with_slots(1);
    api.place.ok("pause all --reason test --yes");
    let script = "echo attempt $HOLDSHORT_ATTEMPT; test $HOLDSHORT_ATTEMPT = 3 || sleep 300";
    let job = api.place.submit("--requeue", script);
    let link = api.link();
    let mut stream = link.logs(JobId(job), FOLLOW).await.unwrap();
    link.resume(None).await.unwrap();
    let mut text = String::new();
    let followed = async {
        while let Some(piece) = stream.next().await {
            text.push_str(std::str::from_utf8(&piece.unwrap().bytes).unwrap());
            if text.ends_with("1\n") || text.ends_with("2\n") {
                link.act(vec![JobId(job)], Verb::Requeue).await.unwrap();
            }
        }
    };
    tokio::time::timeout(PATIENCE, followed).await.expect("the stream ends");
    assert_eq!(text, "attempt 1\nattempt 2\nattempt 3\n");
    let second = LogQuery { attempt: Some(2), ..FOLLOW };
    assert_eq!(whole(&link, job, second).await, "attempt 2\n");
    let tail = LogQuery { tail_bytes: Some(12), follow: false, ..FOLLOW };
    assert_eq!(whole(&link, job, tail).await, "2\nattempt 3\n");
}

/// Lines of output with the time of their first byte.
async fn timed(link: &Local, job: u64, follow: bool) -> Vec<(Option<Wall>, String)> {
    let query = LogQuery { times: true, follow, ..FOLLOW };
    let mut stream = link.logs(JobId(job), query).await.unwrap();
    let mut lines: Vec<(Option<Wall>, String)> = Vec::new();
    while let Some(piece) = stream.next().await {
        let Piece { at, bytes } = piece.unwrap();
        for part in std::str::from_utf8(&bytes).unwrap().split_inclusive('\n') {
            match lines.last_mut().filter(|(_, line)| !line.ends_with('\n')) {
                Some((_, line)) => line.push_str(part),
                None => lines.push((at, part.to_owned())),
            }
        }
    }
    lines
}

#[tokio::test]
async fn output_has_times_also_when_it_is_rotated_and_when_it_is_read_late() {
    let config = "[server]\nlog_bytes = \"64Ki\"\n[[node]]\nname = \"n1\"\ncpu = \"2\"\n";
    let api = Api::new(Place::new(config));
    let script = "seq 1 3; sleep 1.3; echo a; sleep 1.3; seq -f %06g 12000; sleep 1.3; echo z";
    let job = api.place.submit("", script);
    let live = tokio::time::timeout(PATIENCE, timed(&api.link(), job, true)).await.unwrap();
    let late = timed(&api.link(), job, false).await;
    assert_eq!(live.len(), 3 + 1 + 12_000 + 1);
    assert_eq!(live, late, "reading later tells the same times");
    let at = |text: &str| live.iter().find(|(_, line)| line == text).unwrap().0;
    assert!(live.iter().all(|(at, _)| at.is_some()));
    assert!(live.is_sorted_by_key(|(at, _)| *at));
    assert!(at("3\n") < at("a\n") && at("a\n") < at("000001\n"));
    assert!(at("012000\n") < at("z\n"));
    let shown = api.place.ok(&format!("logs -T {job}"));
    let last = shown.lines().last().unwrap();
    assert!(last.len() == 21 && last.ends_with(" z"), "{last:?}");
}

#[tokio::test]
async fn output_is_followed_over_rotation_byte_for_byte() {
    let config = "[server]\nlog_bytes = \"64Ki\"\n[[node]]\nname = \"n1\"\ncpu = \"2\"\n";
    let api = Api::new(Place::new(config));
    let gate = api.place.path("gate");
    nix::unistd::mkfifo(&gate, nix::sys::stat::Mode::S_IRWXU).unwrap();
    // Each round fills more than one file and waits until it was read.
    let script =
        format!("for n in 1 2 3 4; do seq -f \"$n.%06g\" 9000; read x < {}; done", gate.display());
    let job = api.place.submit("", &script);
    let mut stream = api.link().logs(JobId(job), FOLLOW).await.unwrap();
    let mut text = String::new();
    for round in 1..=4 {
        let read = async {
            while !text.ends_with(&format!("{round}.009000\n")) {
                let piece = stream.next().await.expect("it goes on").unwrap().bytes;
                text.push_str(std::str::from_utf8(&piece).unwrap());
            }
        };
        assert!(tokio::time::timeout(PATIENCE, read).await.is_ok(), "round {round}: {text:.200}");
        std::fs::write(&gate, "go\n").unwrap();
    }
    assert!(tokio::time::timeout(PATIENCE, stream.next()).await.unwrap().is_none());
    let expected: Vec<String> =
        (1..=4).flat_map(|n| (1..=9000).map(move |line| format!("{n}.{line:06}"))).collect();
    assert!(text.lines().eq(expected.iter()), "{} lines", text.lines().count());
}

#[tokio::test]
async fn the_link_reads_what_the_server_says() {
    let api = Api::with_slots(2);
    let link = api.link();
    let status = link.status().await.unwrap();
    assert_eq!(Some(status.pid), api.place.server().and_then(|pid| u32::try_from(pid).ok()));
    let job = JobId(api.place.submit("-t --name shell", "read line; echo got $line"));
    api.place.until_state(job.0, "running");
    let query =
        JobQuery { filter: "shell".into(), ended: Ended::None, limit: 5, ..JobQuery::default() };
    let page = link.jobs(query).await.unwrap();
    assert_eq!(page.jobs.iter().map(|row| row.id).collect::<Vec<_>>(), [job]);
    assert_eq!(link.why(job).await.unwrap().job, job);
    assert_eq!(link.summary().await.unwrap().counts.running, 1);
    let mut facts = link.events(Some(page.seq), true).await.unwrap();
    link.resize(job, 0, 40, 100).await.unwrap();
    link.input(job, 0, Bytes::from_static(b"yes\n")).await.unwrap();
    let ended = async {
        loop {
            let row = facts.next().await.expect("it goes on").unwrap();
            if matches!(row.fact, Fact::JobEnded { job: id, .. } if id == job) {
                return row.seq;
            }
        }
    };
    let seq = tokio::time::timeout(PATIENCE, ended).await.expect("the job's end");
    assert!(seq > page.seq);
    assert!(whole(&link, job.0, FOLLOW).await.contains("got yes"));
    let again = link.again(job, holdshort::model::submission::Submission::default()).await.unwrap();
    assert_eq!(link.job(again).await.unwrap().row.name, "shell".into());
    let Err(LinkError::Refused(refusal)) = link.job(JobId(999)).await else { panic!() };
    assert_eq!(refusal.code, RefusalCode::NotFound);
    let mark = link.looked(None).await.unwrap();
    link.looked(Some(page.at.wall)).await.unwrap();
    assert!(link.looked(None).await.unwrap() >= mark.max(page.at.wall));
}

#[tokio::test]
async fn streams_end_with_the_server_and_a_vanished_socket_comes_back() {
    let api = Api::with_slots(1);
    let mut live = api.get("/api/v1/events").await;
    std::fs::rename(api.socket.parent().unwrap(), api.place.path("away")).unwrap();
    let deadline = tokio::time::Instant::now() + PATIENCE;
    while api.ask(Method::GET, "/healthz").send().await.is_err() {
        assert!(tokio::time::Instant::now() < deadline, "the socket stays away");
        tokio::task::yield_now().await;
    }
    // A connection of its own: the first one has lived through it.
    let http = reqwest::Client::builder().unix_socket(api.socket.as_path()).build().unwrap();
    while http.get("http://holdshort/healthz").send().await.is_err() {
        assert!(tokio::time::Instant::now() < deadline, "the socket stays away");
        tokio::task::yield_now().await;
    }
    api.place.ok("server stop");
    let drained = async { while live.chunk().await.unwrap().is_some() {} };
    assert!(tokio::time::timeout(PATIENCE, drained).await.is_ok(), "the stream goes on");
    assert!(!api.socket.exists());
}

/// Calls of a CLI are short; the client's own part must not be what they wait for.
#[tokio::test]
async fn one_connection_serves_many_calls() {
    let api = Api::with_slots(1);
    let link = api.link();
    for _ in 0..50 {
        link.status().await.unwrap();
    }
    let calls = (0..50).map(|_| link.summary());
    let all = futures::future::join_all(calls);
    let all = tokio::time::timeout(Duration::from_secs(30), all).await.unwrap();
    assert!(all.iter().all(Result::is_ok));
}
