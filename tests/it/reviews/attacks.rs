//! What must be refused: votes of the job itself by any way, late or replayed ones, too much, and
//! text that hides something.

use reqwest::{Method, StatusCode};
use serde_json::{Value, json};

use super::{Office, SOMEBODY_ELSE, digits, draft, id, payment, yes};
use crate::place::wait_for;

/// A job that hands out its token and waits; the token.
fn leaky(office: &Office) -> (u64, String) {
    let path = office.place.path("token");
    let script =
        format!("echo $HOLDSHORT_TOKEN > {0}.new; mv {0}.new {0}; exec sleep 300", path.display());
    let job = office.place.submit("", &script);
    wait_for("the token", || path.exists());
    (job, std::fs::read_to_string(&path).unwrap().trim().to_owned())
}

#[tokio::test]
async fn a_jobs_token_asks_and_withdraws_but_never_votes_and_a_forged_one_is_nothing() {
    let office = Office::new();
    let (job, token) = leaky(&office);
    let with = |method, path: &str, token: &str, body: &Value| {
        office.ask(method, path).bearer_auth(token).json(body).send()
    };
    // The job is that of the token.
    let asked = with(Method::POST, "/reviews", &token, &payment()).await.unwrap();
    assert_eq!(asked.status(), 200);
    let review: Value = asked.json().await.unwrap();
    let review = &review["review"];
    assert_eq!(review["job"], job);
    assert_eq!(review["beside"]["reader"]["may_vote"], false);
    let vote = format!("/reviews/{}/vote", id(review));
    let refused = with(Method::POST, &vote, &token, &yes(review)).await.unwrap();
    assert_eq!(refused.status(), StatusCode::FORBIDDEN);
    for act in ["delegate", "escalate", "look", "edit"] {
        let body = match act {
            "delegate" => json!({"to": "x"}),
            "edit" => json!({"action": payment()["action"], "action_hash": digits(review)}),
            _ => json!({}),
        };
        let path = format!("/reviews/{}/{act}", id(review));
        let refused = with(Method::POST, &path, &token, &body).await.unwrap();
        assert_eq!(refused.status(), StatusCode::FORBIDDEN, "{act}");
    }
    let forged = with(Method::POST, &vote, "1.1.forged", &yes(review)).await.unwrap();
    assert_eq!(forged.status(), StatusCode::UNAUTHORIZED);
    // Another job sees nothing of it.
    let other = office.job();
    let theirs = office.asks(other, draft()).await;
    let path = format!("/reviews/{}", id(&theirs));
    let looks = office.ask(Method::GET, &path).bearer_auth(&token).send().await.unwrap();
    assert_eq!(looks.status(), StatusCode::FORBIDDEN);
    let list = office.ask(Method::GET, "/reviews").bearer_auth(&token).send().await.unwrap();
    let list: Value = list.json().await.unwrap();
    assert_eq!((&list["open"], &list["reviews"][0]["id"]), (&json!(1), &review["id"]));
    let withdrawn = format!("/reviews/{}/withdraw", id(review));
    let withdrawn = with(Method::POST, &withdrawn, &token, &json!({})).await.unwrap();
    assert_eq!(withdrawn.status(), 200);
}

#[tokio::test]
async fn a_process_in_the_jobs_tree_answers_nothing_whatever_it_does() {
    let office = Office::new();
    let go = office.place.path("go");
    let script = format!(
        "while [ ! -e {0} ]; do sleep 0.05; done; . {0}; \
         holdshort approve $R --hash $H; echo plain $?; \
         setsid holdshort approve $R --hash $H; echo setsid $?; \
         env -u HOLDSHORT_JOB_ID -u HOLDSHORT_TOKEN holdshort approve $R --hash $H; echo env $?; \
         HOLDSHORT_TOKEN=forged holdshort approve $R --hash $H; echo forged $?; \
         holdshort deny $R --reason x; echo deny $?; \
         holdshort delegate --to ghost; echo away $?; \
         holdshort show $R >/dev/null; echo show $?; echo over; exec sleep 300",
        go.display()
    );
    let job = office.place.submit("", &script);
    office.place.until_state(job, "running");
    let review = office.asks(job, payment()).await;
    std::fs::write(go.with_extension("new"), format!("R={} H={}", id(&review), digits(&review)))
        .unwrap();
    std::fs::rename(go.with_extension("new"), &go).unwrap();
    let log = || office.place.ok(&format!("logs {job}"));
    wait_for("its tries", || log().contains("\nover"));
    for refused in ["plain 4", "setsid 4", "env 4", "forged 4", "deny 4", "away 4"] {
        assert!(log().contains(refused), "{refused}\n{}", log());
    }
    assert!(log().contains("show 0"), "it may look\n{}", log());
    let now = office.get(&format!("/reviews/{}", id(&review))).await["review"].clone();
    assert_eq!((&now["state"], &now["votes"]), (&"open".into(), &json!([])));
}

#[tokio::test]
async fn the_owner_is_refused_once_somebody_else_is_listed_also_after_the_yes() {
    let office = Office::new();
    let job = office.job();
    let review = office.asks(job, draft()).await;
    let vote = format!("/reviews/{}/vote", id(&review));
    assert_eq!(office.post(&vote, &yes(&review)).await.status(), 200);
    office.configure(SOMEBODY_ELSE);
    // Who gave the yes may not any more: the right is void.
    let redeem = format!("/reviews/{}/redeem", id(&review));
    let hash = json!({"action_hash": review["action_hash"]});
    let (status, code, problem) = office.refused(&redeem, &hash).await;
    assert_eq!((status, code.as_str()), (410, "spent"), "{problem}");
    assert_eq!(problem["review"]["state"], "revoked");
    let mut other = draft();
    other["action"]["args"]["text"] = "another".into();
    let other = office.asks(job, other).await;
    assert_eq!(other["listed"], json!(["ghost"]));
    assert!(other["beside"]["reader"]["why_not"].as_str().unwrap().contains("owns job"));
    let vote = format!("/reviews/{}/vote", id(&other));
    let (status, code, _) = office.refused(&vote, &yes(&other)).await;
    assert_eq!((status, code.as_str()), (403, "forbidden"));
}

#[tokio::test]
async fn votes_that_are_late_blind_old_or_signed_by_nobody_are_refused() {
    let office = Office::new();
    let job = office.job();
    let review = office.asks(job, payment()).await;
    let vote = format!("/reviews/{}/vote", id(&review));
    let code = |body: Value| {
        let (office, vote) = (&office, &vote);
        async move {
            let (status, code, problem) = office.refused(vote, &body).await;
            (status, code, problem)
        }
    };
    assert_eq!(code(json!({"verdict": "approve"})).await.0, 400, "no blind yes");
    assert_eq!(code(json!({"verdict": "approve", "action_hash": "abc"})).await.0, 400);
    let old = code(json!({"verdict": "approve", "action_hash": "0123456789abcdef"})).await;
    assert_eq!((old.0, old.1.as_str()), (409, "changed"));
    assert_eq!(old.2["review"]["action_hash"], review["action_hash"], "what it is about now");
    let mut seen = yes(&review);
    seen["if_version"] = 7.into();
    assert_eq!(code(seen).await.1, "changed");
    assert_eq!(code(json!({"verdict": "deny"})).await.0, 400, "a no needs a reason");
    assert_eq!(code(json!({"verdict": "maybe"})).await.0, 422);
    let mut several = yes(&review);
    several["uses"] = 3.into();
    assert_eq!(code(several).await.0, 400, "money is paid once");
    let mut signed = yes(&review);
    signed["signature"] = "-----BEGIN SSH SIGNATURE-----".into();
    let (status, _, problem) = code(signed).await;
    assert!(status == 400 || status == 403, "{problem}");
    let no = json!({"verdict": "deny", "reason": "no"});
    assert_eq!(office.post(&vote, &no).await.status(), 200);
    let (status, code, problem) = code(yes(&review)).await;
    assert_eq!((status, code.as_str()), (409, "conflict"));
    assert!(problem["detail"].as_str().unwrap().contains("denied"), "{problem}");
    assert_eq!(problem["review"]["state"], "denied");
}

#[tokio::test]
async fn one_key_with_two_bodies_and_a_replayed_use_change_nothing() {
    let office = Office::new();
    let job = office.job();
    let keyed = |what: Value, path: String, key: &'static str| {
        office.ask(Method::POST, &path).header("idempotency-key", key).json(&what).send()
    };
    let ask = |text: &str| {
        let mut what = draft();
        what["job"] = job.into();
        what["action"]["args"]["text"] = text.into();
        what
    };
    let first = keyed(ask("a"), "/reviews".into(), "k").await.unwrap();
    let first: Value = first.json().await.unwrap();
    let review = &first["review"];
    let again: Value = keyed(ask("a"), "/reviews".into(), "k").await.unwrap().json().await.unwrap();
    assert_eq!(again["review"]["id"], review["id"]);
    let other = keyed(ask("b"), "/reviews".into(), "k").await.unwrap();
    assert_eq!(other.status(), 409);
    assert_eq!(other.json::<Value>().await.unwrap()["code"], "key_reused");

    office.post(&format!("/reviews/{}/vote", id(review)), &yes(review)).await;
    let redeem = format!("/reviews/{}/redeem", id(review));
    let hash = json!({"action_hash": review["action_hash"]});
    for _ in 0..3 {
        let used = keyed(hash.clone(), redeem.clone(), "use").await.unwrap();
        assert_eq!(used.status(), 200, "the same use again is the same use");
        let used: Value = used.json().await.unwrap();
        assert_eq!(used["review"]["grant"]["used"], 1);
    }
    assert_eq!(keyed(hash, redeem, "another").await.unwrap().status(), 410);
}

#[tokio::test]
async fn too_much_is_refused_clearly_and_a_list_of_files_is_not() {
    let office = Office::new();
    let job = office.job();
    let mut long = draft();
    long["job"] = job.into();
    long["action"]["args"]["text"] = "x".repeat(70_000).into();
    let (status, code, problem) = office.refused("/reviews", &long).await;
    assert_eq!((status, code.as_str()), (400, "usage"));
    let said = problem["detail"].as_str().unwrap();
    assert!(said.contains("65536") && said.contains("list"), "{said}");
    let digest = format!("sha256:{}", "ab".repeat(32));
    let files = json!([{"path": "plan.txt", "digest": digest, "bytes": 70_000}]);
    let stored = json!({"digest": digest, "bytes": 70_000, "files": files});
    long["action"] = json!({"kind": "tool", "tool": "notes", "stored": stored});
    let taken = office.asks(job, long).await;
    assert_eq!(taken["ask"]["action"]["stored"]["files"][0]["path"], "plan.txt");
    // A body that could be read in two ways.
    let text = format!(
        "{{\"job\":{job},\"effect\":\"reversible\",\"action\":{{\"kind\":\"tool\",\
         \"args\":{{\"to\":\"a\",\"to\":\"b\"}}}}}}"
    );
    let ask = office.ask(Method::POST, "/reviews").header("content-type", "application/json");
    let twice = ask.body(text).send().await.unwrap();
    assert_eq!(twice.status(), 422);
}

#[tokio::test]
async fn characters_that_act_or_hide_reach_nobodys_terminal() {
    let office = Office::new();
    let job = office.job();
    let mut what = draft();
    let hostile = "a\u{1b}[2J\u{1b}]52;c;aGk=\u{7}b\u{202e}c\u{200b}d\u{9b}31m";
    what["action"]["args"]["text"] = hostile.into();
    what["summary"] = format!("fine\n\n\n{hostile}").into();
    what["agent"] = hostile.into();
    let review = office.asks(job, what).await;
    let name = id(&review);
    let lines = [
        format!("show {name}"),
        format!("why {name}"),
        "reviews".to_owned(),
        format!("approve {name}"),
        "events".to_owned(),
    ];
    for line in lines {
        let ran = office.place.run(&line);
        let all = format!("{}{}", ran.out, ran.err);
        let acts = |c: char| {
            c.is_control() && c != '\n' || matches!(c, '\u{202e}' | '\u{200b}' | '\u{9b}')
        };
        assert!(!all.chars().any(acts), "{line}: {all:?}");
    }
    let shown = office.place.ok(&format!("show {name}"));
    for escape in [r"\u{1b}[2J", r"\u{202e}", r"\u{200b}", r"\u{9b}31m"] {
        assert!(shown.contains(escape), "{escape}: {shown}");
    }
}

#[tokio::test]
async fn a_job_that_asks_without_end_is_stopped_at_its_bound() {
    let office = Office::new();
    let job = office.job();
    let mut refused = None;
    for n in 0..60 {
        let mut what = draft();
        what["job"] = job.into();
        what["action"]["args"]["n"] = n.into();
        let response = office.post("/reviews", &what).await;
        if response.status() != 200 {
            refused = Some((n, response.status().as_u16(), response.json::<Value>().await));
            break;
        }
    }
    let (n, status, problem) = refused.unwrap();
    assert_eq!((n, status), (50, 429), "{problem:?}");
    assert_eq!(office.get("/reviews").await["open"], 50);
}
