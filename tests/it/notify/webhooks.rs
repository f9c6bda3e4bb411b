//! Webhooks and chats: what comes, that it is ours, and what becomes of it where nobody listens.

use base64::Engine as _;
use holdshort::model::review::Moment;
use sha2::{Digest as _, Sha256};

use super::listener::{Answer, Listener};
use super::{ask, signals, told};
use crate::asking::people::Agents;

const SECRET: &str = "a secret of some length";

fn target(kind: &str, more: &str) -> String {
    format!("[[notify]]\nname = \"desk\"\nkind = \"{kind}\"\nbackoff = \"1ms\"\n{more}\n")
}

/// A place that tells a server by webhook, signed with what is in a file.
fn place(url: &str, more: &str) -> Agents {
    let dir = tempfile::tempdir().unwrap();
    let file = dir.keep().join("secret");
    std::fs::write(&file, format!("{SECRET}\n")).unwrap();
    let more = format!("url = \"{url}\"\nsecret_file = \"{}\"\n{more}", file.display());
    Agents::new(&target("webhook", &more))
}

/// HMAC-SHA256 by the book (RFC 2104), for a key shorter than a block.
fn hmac(key: &str, text: &[u8]) -> String {
    let mut block = [0u8; 64];
    block[..key.len()].copy_from_slice(key.as_bytes());
    let pad = |with: u8| block.map(|byte| byte ^ with);
    let inner = Sha256::digest([&pad(0x36)[..], text].concat());
    let outer = Sha256::digest([&pad(0x5c)[..], &inner].concat());
    base64::engine::general_purpose::STANDARD.encode(outer)
}

#[test]
fn a_webhook_is_signed_says_what_is_asked_and_is_tried_again_until_it_is_taken() {
    let listener = Listener::new(&[Answer::Status(503), Answer::Status(429)]);
    let agents = place(&listener.url(), "");
    let review = ask(&agents);
    let desk = told(&agents, review.id, "desk", Moment::Asked);
    assert_eq!((desk.failed, desk.tries, &*desk.to), (None, 3, "desk"));
    let got = listener.got();
    assert_eq!(got.len(), 3, "{:?}", listener.abouts());
    for one in &got {
        assert_eq!(one.path, "/hook?a=b");
        assert_eq!(one.header("webhook-id"), got[0].header("webhook-id"));
        let (id, time) = (one.header("webhook-id"), one.header("webhook-timestamp"));
        let signed = [format!("{id}.{time}.").as_bytes(), &one.body].concat();
        assert_eq!(one.header("webhook-signature"), format!("v1,{}", hmac(SECRET, &signed)));
        assert_eq!(one.header("content-type"), "application/json");
    }
    let data = &got[2].json()["data"];
    assert_eq!(data["review"], review.id.to_string());
    assert_eq!((&data["effect"], &data["job_name"]), (&"external".into(), &"mail".into()));
    assert_eq!(data["action_hash"], review.hash_text());
    assert_eq!(data["fallback"], "deny");
    agents.deny(&review, "not today");
    let decided = listener.until(&format!("review.decided {}", review.id)).json();
    assert_eq!(
        (&decided["data"]["state"], &decided["data"]["reason"]),
        (&"denied".into(), &"not today".into())
    );
    told(&agents, review.id, "desk", Moment::Decided);
    assert_eq!(listener.got().len(), 4, "each moment once");
}

#[test]
fn what_is_answered_with_a_refusal_is_not_tried_again_and_the_job_says_that_nobody_knows() {
    let listener = Listener::new(&[Answer::Status(404)]);
    let agents = place(&listener.url(), "");
    let review = ask(&agents);
    let desk = told(&agents, review.id, "desk", Moment::Asked);
    assert_eq!((desk.failed.as_deref(), desk.tries), (Some("404"), 1));
    let job = review.job.0;
    let job = agents.place.until(job, "the finding", |job| signals(job) == ["nobody_told"]);
    let text = job["findings"][0]["text"].as_str().unwrap();
    assert!(text.contains("because 404") && text.contains("tried desk"), "{text}");
    assert_eq!(listener.got().len(), 1);
}

#[test]
fn where_nobody_listens_it_is_given_up_after_so_many_tries() {
    let port = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
    let agents = place(&format!("http://127.0.0.1:{port}/"), "tries = 3");
    let review = ask(&agents);
    let desk = told(&agents, review.id, "desk", Moment::Asked);
    assert_eq!((desk.failed.as_deref(), desk.tries), (Some("connection refused"), 3));
}

#[test]
fn one_that_hangs_holds_up_neither_the_server_nor_another_target() {
    let (hangs, answers) = (Listener::new(&[Answer::Hang]), Listener::new(&[]));
    let chat =
        format!("[[notify]]\nname = \"chat\"\nkind = \"chat\"\nurl = \"{}\"\n", answers.url());
    let agents = place(&hangs.url(), &format!("timeout = \"5m\"\n{chat}"));
    let review = ask(&agents);
    hangs.until(&format!("review.asked {}", review.id));
    told(&agents, review.id, "chat", Moment::Asked);
    agents.approve(&review);
    agents.place.until(review.job.0, "its way back", |job| job["state"] != "in_review");
    let told = agents.review(review.id).told;
    assert!(told.iter().any(|told| told.is_of(Moment::Asked, "desk") && told.is_in_flight()));
}

#[test]
fn a_try_takes_no_longer_than_it_may() {
    let listener = Listener::new(&[Answer::Hang, Answer::Hang]);
    let agents = place(&listener.url(), "timeout = \"50ms\"\ntries = 2");
    let review = ask(&agents);
    let desk = told(&agents, review.id, "desk", Moment::Asked);
    assert_eq!((desk.failed.as_deref(), desk.tries), (Some("no answer within 50ms"), 2));
}

#[test]
fn a_chat_gets_a_text_and_no_signature() {
    let listener = Listener::new(&[]);
    let file = tempfile::NamedTempFile::new().unwrap();
    std::fs::write(file.path(), listener.url()).unwrap();
    let agents = Agents::new(&target("chat", &format!("url_file = \"{}\"", file.path().display())));
    let review = ask(&agents);
    told(&agents, review.id, "desk", Moment::Asked);
    let got = listener.got().remove(0);
    let text = got.json()["text"].as_str().unwrap().to_owned();
    assert!(text.contains(&format!("{} by job", review.id)), "{text}");
    assert!(text.contains("the agent says: it is due"), "{text}");
    assert_eq!(got.header("webhook-signature"), "");
}

#[test]
fn tls_is_talked_to_who_is_trusted_and_to_nobody_else() {
    let listener = Listener::secure();
    let url = format!("url = \"{}\"", listener.secure_url());
    let agents = Agents::new(&target("chat", &url));
    let review = ask(&agents);
    let desk = told(&agents, review.id, "desk", Moment::Asked);
    let why = desk.failed.unwrap();
    assert!(why.contains("no TLS") || why.contains("no certificates"), "{why}");
    assert_eq!(listener.got().len(), 0);

    let trusted = format!("{}/tests/data/tls/ca.pem", env!("CARGO_MANIFEST_DIR"));
    agents.place.ok("server stop");
    let started = agents.place.command(["server", "start"]).env("SSL_CERT_FILE", trusted).output();
    assert!(started.unwrap().status.success());
    let review = ask(&agents);
    let desk = told(&agents, review.id, "desk", Moment::Asked);
    assert_eq!((desk.failed, desk.tries), (None, 1));
}
