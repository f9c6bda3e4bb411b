//! The contract over HTTP: ask, read, wait, vote, use.

use reqwest::Method;
use serde_json::{Value, json};

use super::{Office, SOMEBODY_ELSE, draft, id, payment, yes};
use crate::place::PATIENCE;

#[tokio::test]
async fn a_review_is_asked_shown_answered_and_used_once() {
    let office = Office::new();
    let job = office.job();
    let review = office.asks(job, payment()).await;
    let name = id(&review);
    assert_eq!(review["state"], "open");
    assert_eq!(review["needed"], 1);
    assert!(review["canonical"].as_str().unwrap().contains("\"4180.00\""), "{review}");
    assert_eq!(review["beside"]["reader"]["may_vote"], true);
    assert_eq!(review["beside"]["reader"]["self"], true);
    assert_eq!(review["back"]["when"], "waits");
    assert_eq!(office.asks(job, payment()).await["id"], name, "the same finds the same");

    let shown = office.place.job(job);
    assert_eq!((&shown["lane"], &shown["open_reviews"]), (&"human".into(), &json!([name])));
    let list = office.get("/reviews?mine=true").await;
    assert_eq!((&list["open"], &list["mine"]), (&json!(1), &json!(1)));
    for key in "id job effect summary action_hash state asked_at expires_at fallback votes needed \
                assurance"
        .split_whitespace()
    {
        assert!(list["reviews"][0].get(key).is_some(), "{key}: {list}");
    }
    assert_eq!(office.get("/reviews?effect=read").await["reviews"], json!([]));
    assert_eq!(office.get(&format!("/reviews?job={job}&by=me")).await["reviews"][0]["id"], name);

    let path = format!("/reviews/{name}/vote");
    let answered: Value = office.post(&path, &yes(&review)).await.json().await.unwrap();
    let answered = &answered["review"];
    assert_eq!(answered["state"], "approved");
    assert_eq!(answered["votes"][0]["self"], true, "the owner alone decides, and that is said");
    assert_eq!(answered["votes"][0]["assurance"], "same-user");

    let hash = json!({"action_hash": review["action_hash"]});
    let redeem = format!("/reviews/{name}/redeem");
    let used = office.post(&redeem, &hash).await;
    assert_eq!(used.status(), 200);
    let (status, code, problem) = office.refused(&redeem, &hash).await;
    assert_eq!((status, code.as_str()), (410, "spent"), "{problem}");
    assert!(problem["detail"].as_str().unwrap().contains("attempt 1 of job"), "{problem}");
    assert_eq!(problem["review"]["state"], "redeemed");
}

#[tokio::test]
async fn whoever_waits_is_woken_by_the_answer_and_not_before() {
    let office = Office::new();
    let job = office.job();
    let review = office.asks(job, draft()).await;
    let name = id(&review);
    let path = format!("/reviews/{name}?wait=50");
    let waits = office.ask(Method::GET, &path).send();
    let votes = async {
        office.post(&format!("/reviews/{name}/look"), &json!({})).await;
        let body = json!({"verdict": "deny", "reason": "not needed"});
        office.post(&format!("/reviews/{name}/vote"), &body).await
    };
    let both = tokio::time::timeout(PATIENCE, async { tokio::join!(waits, votes) });
    let (woken, _) = both.await.unwrap();
    let woken: Value = woken.unwrap().json().await.unwrap();
    assert_eq!(woken["review"]["state"], "denied", "that somebody looks is no news");
    assert_eq!(woken["review"]["decision"]["reason"], "not needed");
    // One that is over is answered at once, and more than a bounded wait is refused.
    assert_eq!(office.get(&path).await["review"]["state"], "denied");
    let long = office.ask(Method::GET, &format!("/reviews/{name}?wait=51")).send().await.unwrap();
    assert_eq!(long.status(), 400);
}

#[tokio::test]
async fn a_question_stops_the_clock_and_wakes_the_job_that_waits() {
    let office = Office::new();
    let job = office.job();
    let review = office.asks(job, payment()).await;
    let name = id(&review);
    let waits = office.ask(Method::GET, &format!("/reviews/{name}?wait=50")).send();
    let question = json!({"text": "same account as last month?"});
    let path = format!("/reviews/{name}/ask-back");
    let (woken, _) = tokio::join!(waits, office.post(&path, &question));
    let woken: Value = woken.unwrap().json().await.unwrap();
    let woken = &woken["review"];
    assert_eq!(woken["state"], "open");
    assert!(woken["stopped_since"].is_string(), "{woken}");
    assert_eq!(woken["talk"][0]["text"], question["text"]);
    let answer = json!({"text": "yes"});
    let answered = office.post(&format!("/reviews/{name}/answer"), &answer).await;
    let answered: Value = answered.json().await.unwrap();
    assert!(answered["review"]["stopped_since"].is_null());
    assert!(
        answered["review"]["expires_at"].as_str() >= review["expires_at"].as_str(),
        "the clock stood meanwhile"
    );
}

#[tokio::test]
async fn a_changed_action_supersedes_and_says_which_review_asks_anew() {
    let office = Office::new();
    let job = office.job();
    let review = office.asks(job, payment()).await;
    let name = id(&review);
    office.post(&format!("/reviews/{name}/vote"), &yes(&review)).await;
    let mut other = payment()["action"].clone();
    other["args"]["argv"][3] = "DE90".into();
    let redeem = format!("/reviews/{name}/redeem");
    let (status, code, problem) = office.refused(&redeem, &json!({"action": other})).await;
    assert_eq!((status, code.as_str()), (409, "changed"), "{problem}");
    let new = problem["review"]["id"].as_str().unwrap();
    let new = office.get(&format!("/reviews/{new}")).await["review"].clone();
    assert_eq!((&new["state"], &new["replaces"]), (&"open".into(), &json!(name)));
    let old = office.get(&format!("/reviews/{name}")).await["review"].clone();
    assert_eq!((&old["state"], &old["superseded_by"]), (&"superseded".into(), &new["id"]));
}

#[tokio::test]
async fn a_card_compares_with_earlier_yeses_and_knows_the_same_bytes() {
    let office = Office::new();
    let job = office.job();
    for amount in ["212.00", "3900.00"] {
        let mut what = payment();
        what["action"]["args"]["argv"][5] = amount.into();
        what["action"]["amount"]["value"] = amount.into();
        let review = office.asks(job, what).await;
        office.post(&format!("/reviews/{}/vote", id(&review)), &yes(&review)).await;
    }
    let mut what = payment();
    what["action"]["args"]["argv"][3] = "DE00".into();
    let review = office.asks(job, what.clone()).await;
    let compared = &review["compared"];
    assert_eq!((&compared["to"], &compared["yeses"]), (&"payctl".into(), &json!(2)));
    let mark = |path: &str| {
        let values = compared["values"].as_array().unwrap();
        values.iter().find(|value| value["path"] == path).unwrap()["mark"].clone()
    };
    assert_eq!(mark("--to"), "new");
    assert_eq!(mark("--amount"), "high");
    assert_eq!(mark("command"), "known");
    assert_eq!(review["same"], json!([]));
    let other = office.job();
    let again = office.asks(other, what).await;
    assert_eq!(again["same"][0]["id"], review["id"], "another job asks for the same bytes");
}

#[tokio::test]
async fn many_open_reviews_come_in_pages_without_a_gap() {
    let office = Office::with(SOMEBODY_ELSE);
    let job = office.job();
    let mut wanted = Vec::new();
    for n in 0..7 {
        let mut what = draft();
        what["action"]["args"]["n"] = n.into();
        wanted.push(id(&office.asks(job, what).await));
    }
    let deny = json!({"reason": "changed my mind"});
    office.post(&format!("/reviews/{}/withdraw", wanted[0]), &deny).await;
    let mut found = Vec::new();
    let mut cursor = String::new();
    loop {
        let page = office.get(&format!("/reviews?state=all&limit=2{cursor}")).await;
        assert_eq!(page["open"], 6);
        assert_eq!(page["mine"], 0, "somebody else is listed");
        found.extend(page["reviews"].as_array().unwrap().iter().map(id));
        let Some(next) = page["next_cursor"].as_str() else { break };
        cursor = format!("&cursor={next}");
    }
    let (open, closed) = found.split_at(6);
    assert_eq!(open, &wanted[1..], "those that expire first first");
    assert_eq!(closed, &wanted[..1]);
    let bad = office.ask(Method::GET, "/reviews?cursor=x").send().await.unwrap();
    assert_eq!(bad.status(), 422);
}

#[tokio::test]
async fn seats_are_handed_on_and_taken_back() {
    let me = nix::unistd::User::from_uid(nix::unistd::getuid()).unwrap().unwrap().name;
    let office = Office::with(SOMEBODY_ELSE);
    let away = |body: Value| office.ask(Method::PUT, "/away").json(&body).send();
    let told = away(json!({"to": "ghost", "until": "2100-01-01T00:00:00Z"})).await.unwrap();
    assert_eq!(told.status(), 200);
    let list = office.get("/reviews").await;
    assert_eq!((&list["away"]["from"], &list["away"]["to"]), (&json!(me), &"ghost".into()));
    let nobody = away(json!({"to": "nobody-of-that-name"})).await.unwrap();
    assert_eq!(nobody.status(), 404);
    away(json!({"to": null})).await.unwrap();
    assert!(office.get("/reviews").await["away"].is_null());
}
