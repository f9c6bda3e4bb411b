//! Teams from outside: verbs, addresses, what a team with jobs refuses.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]

use holdshort::link::local::Local;
use holdshort::link::{Link, LinkError};
use holdshort::model::refusal::RefusalCode;
use holdshort::model::team::{TeamEdit, TermsChange};
use serde_json::{Value, json};

use crate::place::Place;

fn team(place: &Place, name: &str) -> Value {
    let teams = place.json("teams")["teams"].as_array().unwrap().clone();
    teams.into_iter().find(|team| team["name"] == name).unwrap_or(Value::Null)
}

#[test]
fn a_team_is_added_used_changed_and_removed_when_it_is_empty() {
    let place = Place::with_slots(2);
    assert!(place.ok("teams").contains("nobody has made a team"));
    place.ok("team add org/ml --quota gpu=8,cpu=1.5 --weight 2 --preempt-min-runtime 1m");
    let ml = team(&place, "org/ml");
    assert_eq!(
        ml["terms"]["quota"],
        json!({"gpu_milli": 8000, "cpu_milli": 1500, "mem_bytes": null})
    );
    assert_eq!(ml["terms"]["weight"], json!({"gpu": 2000, "cpu": 2000, "mem": 2000}));
    assert_eq!(ml["terms"]["preempt_min_runtime_ms"], 60_000);
    assert!(!team(&place, "org").is_null(), "the team above it is there too");
    assert_eq!(place.run("team add org/ml").code, 4, "it is there already");

    place.submit("--team org/ml", "exec sleep 600");
    place.submit("--team org/ml --cpu 2", "true");
    crate::place::wait_for("it holds a core", || team(&place, "org/ml")["running"] == 1);
    for name in ["org/ml", "org"] {
        let row = team(&place, name);
        assert_eq!(
            (&row["held"]["cpu_milli"], &row["firm"]["cpu_milli"]),
            (&json!(1000), &json!(1000))
        );
        assert_eq!((&row["pending"]["cpu_milli"], &row["queued"]), (&json!(2000), &json!(1)));
    }
    let refused = place.run("team rm org/ml");
    assert_eq!(refused.code, 4);
    assert!(refused.err.contains("2 live jobs"), "{refused:?}");
    assert_eq!(place.run("team rm org").code, 4, "there is a team below it");

    place.ok("quota org/ml gpu=none limit.cpu=16 priority=200");
    let terms = team(&place, "org/ml")["terms"].clone();
    assert_eq!(terms["quota"], json!({"gpu_milli": null, "cpu_milli": 1500, "mem_bytes": null}));
    assert_eq!((&terms["limit"]["cpu_milli"], &terms["priority"]), (&json!(16_000), &json!(200)));
    assert!(place.ok("quota org/ml").contains("priority 200"));
    assert_eq!(place.run("team set org/ml --limit cpu=1").code, 2, "less than its quota");
    assert_eq!(place.run("team set org/ml").code, 2, "nothing to change");
    assert_eq!(place.run("quota nobody").code, 3);

    place.ok("cancel 1 2 --yes");
    crate::place::wait_for("its jobs ended", || place.run("team rm org/ml").code == 0);
    assert!(team(&place, "org/ml").is_null());
    assert_eq!(place.run("submit --team org/ml -- true").code, 3);
}

#[tokio::test]
async fn a_change_that_is_asked_twice_is_made_once() {
    let place = Place::with_slots(1);
    place.ok("server start");
    let socket = place.json("server status")["socket"].as_str().unwrap().to_owned();
    let http = reqwest::Client::builder().unix_socket(socket.as_str()).build().unwrap();
    let send = |method: reqwest::Method, path: &str, key: &str, body: Value| {
        let ask = http.request(method, format!("http://x/api/v1/teams{path}"));
        ask.header("idempotency-key", key).json(&body).send()
    };
    let body = json!({"name": "a/b", "terms": {"quota": {"gpu_milli": 1000}}});
    for _ in 0..2 {
        let answer = send(reqwest::Method::POST, "", "k1", body.clone()).await.unwrap();
        assert_eq!(answer.status(), 200);
    }
    let again = send(reqwest::Method::POST, "", "k2", body).await.unwrap();
    assert_eq!(again.status(), 409);
    let changed = json!({"quota": null, "weight": {"gpu": 500}});
    let other = send(reqwest::Method::PATCH, "/a/b", "k1", changed.clone()).await.unwrap();
    assert_eq!(other.status(), 409, "the key stands for something else");
    for path in ["/a/b", "/a%2Fb"] {
        let answer = send(reqwest::Method::PATCH, path, "k3", changed.clone()).await.unwrap();
        assert_eq!(answer.status(), 200);
    }
    let terms = team(&place, "a/b")["terms"].clone();
    assert_eq!(
        (&terms["quota"]["gpu_milli"], &terms["weight"]["gpu"]),
        (&Value::Null, &json!(500))
    );
    for _ in 0..2 {
        let answer = send(reqwest::Method::DELETE, "/a/b", "k4", json!({})).await.unwrap();
        assert_eq!(answer.status(), 200);
    }
    let unknown = json!({"name": "c", "terms": {"quta": null}});
    assert_eq!(send(reqwest::Method::POST, "", "k5", unknown).await.unwrap().status(), 422);
}

#[tokio::test]
async fn the_link_says_the_same() {
    let place = Place::with_slots(1);
    place.ok("server start");
    let link = Local::new(place.json("server status")["socket"].as_str().unwrap());
    let terms = TermsChange { priority: Some(7), ..TermsChange::default() };
    link.edit_team("x".into(), TeamEdit::Add(terms.clone())).await.unwrap();
    let page = link.teams().await.unwrap();
    assert!(page.in_use());
    assert_eq!(page.teams.iter().find(|row| &*row.name == "x").unwrap().terms.priority, 7);
    let refused = link.edit_team("y".into(), TeamEdit::Set(terms)).await;
    let Err(LinkError::Refused(refusal)) = refused else { panic!("{refused:?}") };
    assert_eq!(refusal.code, RefusalCode::NotFound);
    link.edit_team("x".into(), TeamEdit::Remove).await.unwrap();
    assert!(!link.teams().await.unwrap().in_use());
}
